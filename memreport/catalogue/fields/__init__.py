"""The data dictionary: every input with its unit, its limits and its meaning."""
