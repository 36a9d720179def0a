"""A published workbook computed again by a program that knows nothing of memreport.

formualizer 0.13 reads the formulas, ignores the values that lie beside them, and computes its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from openpyxl.utils import coordinate_to_tuple

from memreport.publish.xlsx.file.evaluated import engine, plain

Place = tuple[str, str]
Value = float | str | bool
Values = dict[Place, Value]


def recalculate(path: Path, places: Iterable[Place]) -> Values:
    """These cells of the workbook, (sheet, cell), computed by formualizer.  Raises MachineError without it."""
    book = engine().load_workbook(str(path))
    book.set_temporal_egress("serial")
    book.evaluate_all()
    return {(sheet, cell): plain(book.get_value(sheet, *coordinate_to_tuple(cell))) for sheet, cell in places}
