"""The formula-live workbook: every calculated cell is a formula that carries the engine's value."""

from memreport.publish.workbook.assemble import workbook_bytes

__all__ = ["workbook_bytes"]
