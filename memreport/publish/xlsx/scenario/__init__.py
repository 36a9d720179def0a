"""The sheets of a scenario's workbook, a module a sheet."""
