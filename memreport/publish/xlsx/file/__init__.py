"""The package of a workbook: cells, canonical bytes, values behind formulas."""
