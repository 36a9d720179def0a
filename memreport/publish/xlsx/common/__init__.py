"""What the sheets of one workbook share: where everything stands, lines of formulas, named numbers."""
