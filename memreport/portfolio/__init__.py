"""Many scenarios over a horizon: what they cost by month, what they need of owned GPUs, what to commit to."""
