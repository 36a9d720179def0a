"""What the sheets of a scenario's workbook are called, for who writes them, who reads their cells, and the audit."""

from __future__ import annotations

SUMMARY = "Summary"
INPUTS = "Inputs"
OPTIONS = "Options"
LOAD = "Load"
COST = "Cost"
QUOTES = "Quotes side by side"
RENT_OR_BUY = "Rent or buy"
SENSITIVITY = "Sensitivity"
ROOFLINE = "Roofline"
CALCULATION = "Calculation"
HARDWARE = "Hardware"
REFERENCE = "Reference"
FOCUS = "FOCUS"
DOCUMENTED = "Documented"
DOCUMENTED_STEPS = "Documented calculation"
CHECKS = "Checks"
SOURCES = "Sources"
ALWAYS = (SUMMARY, INPUTS, COST, ROOFLINE, CALCULATION, HARDWARE, REFERENCE, CHECKS, SOURCES)
"""What every workbook has; options, tables and others come between."""
