"""What `memreport gate` judges, its first limits, and its comment, posted."""
