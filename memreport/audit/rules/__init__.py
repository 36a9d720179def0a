"""The rules that a published workbook keeps: its checks, formulas, inputs, layout."""
