"""A published workbook computed again by a program that knows nothing of memreport.

formualizer 0.13 reads the formulas, ignores the values that lie beside them, and computes its own.
"""

from __future__ import annotations

from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.utils import coordinate_to_tuple

from memreport.publish.xlsx.file.evaluated import engine, plain

Place = tuple[str, str]
Value = float | str | bool
Values = dict[Place, Value]


def recalculate(path: Path, formulas: Workbook | None = None) -> Values:
    """Every formula cell of the workbook, computed by formualizer: {(sheet, cell): value}.

    `formulas` spares reading the file twice, where it was read.  Raises MachineError without formualizer.
    """
    book = engine().load_workbook(str(path))
    book.set_temporal_egress("serial")
    places, _ = formula_places(formulas or load_workbook(path))
    book.evaluate_all()
    return {(sheet, cell): plain(book.get_value(sheet, *coordinate_to_tuple(cell))) for sheet, cell in places}


def formula_places(book: Workbook) -> tuple[list[Place], list[str]]:
    """Where the workbook has formulas, and the names of its sheets."""
    cells = ((sheet.title, cell) for sheet in book.worksheets for row in sheet.iter_rows() for cell in row)
    return [(title, cell.coordinate) for title, cell in cells if cell.data_type == "f"], book.sheetnames
