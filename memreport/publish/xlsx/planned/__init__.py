"""The workbook of a portfolio: entries and GPUs that may be typed, and the spend that follows, a module a sheet."""
