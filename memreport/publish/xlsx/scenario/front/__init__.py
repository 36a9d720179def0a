"""The Summary, a workbook's first sheet: the answer that follows the inputs, options, variants, who signs."""
