"""Step 1, load: scenarios, model cards and tables as records that remember file and line."""
