"""The search for the best combinations of settings."""
