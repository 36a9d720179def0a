"""A published workbook into which something is typed, computed again in the program that the audit uses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.utils import coordinate_to_tuple

from memreport.audit.recalculate import Place, Value, Values, formula_places
from memreport.errors import Fault, InputError, nearest
from memreport.publish.xlsx.file.evaluated import engine, plain


class Live:
    """A workbook open in formualizer, to be typed into again and again; its file stays as it is."""

    def __init__(self, path: Path, formulas: Workbook | None = None) -> None:
        """`formulas` spares reading the file twice, where it was read.  Raises MachineError without formualizer."""
        self._book = engine().load_workbook(str(path))
        self._book.set_temporal_egress("serial")
        self._formulas, self._sheets = formula_places(formulas or load_workbook(path))
        self._known = frozenset(self._formulas)
        self._cells = [(sheet, *coordinate_to_tuple(cell)) for sheet, cell in self._formulas]

    def computed(self, edits: Mapping[Place, Value]) -> Values:
        """Every formula cell with the edits typed into their cells, which are then put back.

        Raises InputError for an edit of a formula or of a sheet that is not there.
        """
        _check_edits(edits, self._known, self._sheets)
        cells = {(sheet, *coordinate_to_tuple(cell)): value for (sheet, cell), value in edits.items()}
        before = {cell: self._book.get_value(*cell) for cell in cells}
        self._type(cells)
        self._book.evaluate_all()
        found = map(plain, (self._book.get_value(*cell) for cell in self._cells))
        values = dict(zip(self._formulas, found, strict=True))
        self._type(before)
        return values

    def _type(self, cells: Mapping[tuple[str, int, int], object]) -> None:
        for cell, value in cells.items():
            self._book.set_value(*cell, value)


def recalculate_with(path: Path, edits: Mapping[Place, Value]) -> Values:
    """Every formula cell after typing the edits into their cells."""
    return Live(path).computed(edits)


def _check_edits(edits: Iterable[Place], computed: Collection[Place], sheets: list[str]) -> None:
    """A typed value over a formula would hide what the audit looks for."""
    faults = [Fault("holds a formula, takes no input", field="!".join(place)) for place in edits if place in computed]
    faults += [
        Fault("no such sheet", field=sheet, nearest=nearest(sheet, sheets)) for sheet, _ in edits if sheet not in sheets
    ]
    if faults:
        raise InputError(faults)
