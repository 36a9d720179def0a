"""A published workbook into which something is typed, computed again in the program that the audit uses."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from xml.sax.saxutils import escape

from openpyxl.utils import coordinate_to_tuple

from memreport.audit.recalculate import Place, Value, Values, recalculate
from memreport.errors import Fault, InputError, nearest
from memreport.publish.xlsx.file.canonical import zip_bytes
from memreport.publish.xlsx.file.evaluated import engine, plain
from memreport.publish.xlsx.file.package import sheet_parts
from memreport.publish.xlsx.file.stored import stored_values

Spot = tuple[str, int, int]
"""Sheet, row and column."""


def parts_of(path: Path) -> dict[str, bytes]:
    """The parts of a workbook by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def recalculated(path: Path) -> Values:
    """Every formula cell, computed by the program that the audit uses."""
    return recalculate(path, stored_values(parts_of(path)))


def with_typed(path: Path, target: Path, cells: Mapping[Place, Value | None]) -> Path:
    """The workbook with these values typed into cells that hold values, and nothing else of it touched."""
    parts = parts_of(path)
    for (sheet, place), value in cells.items():
        part = sheet_parts(parts)[0][sheet]
        found = re.compile(rf'<c r="{place}"((?: s="\d+")?)[^>]*?(?:/>|>.*?</c>)')
        text, count = found.subn(partial(_cell, place, value), parts[part].decode())
        assert count == 1, (sheet, place)
        parts[part] = text.encode()
    target.write_bytes(zip_bytes(parts))
    return target


def _cell(place: str, value: Value | None, found: re.Match[str]) -> str:
    inside = f"<v>{value}</v>" if not isinstance(value, str) else f"<is><t>{escape(value)}</t></is>"
    kind = ' t="inlineStr"' if isinstance(value, str) else ""
    return f'<c r="{place}"{found[1]}/>' if value is None else f'<c r="{place}"{found[1]}{kind}>{inside}</c>'


def spot(place: Place) -> Spot:
    """A cell by its row and column."""
    sheet, cell = place
    return sheet, *coordinate_to_tuple(cell)


class Live:
    """A workbook open in formualizer, to be typed into again and again; its file stays as it is."""

    def __init__(self, path: Path) -> None:
        self._book = engine().load_workbook(str(path))
        self._book.set_temporal_egress("serial")
        parts = parts_of(path)
        self._formulas, self._sheets = stored_values(parts).keys(), [*sheet_parts(parts)[0]]
        self._cells = list(map(spot, self._formulas))

    def computed(self, edits: Mapping[Place, Value]) -> Values:
        """Every formula cell with the edits typed into their cells, which are then put back.

        Raises InputError for an edit of a formula or of a sheet that is not there.
        """
        return dict(zip(self._formulas, self.found(edits, self._cells), strict=True))

    def found(self, edits: Mapping[Place, Value], wanted: Iterable[Spot]) -> list[Value]:
        """These cells with the edits typed into theirs; raises as `computed`."""
        _check_edits(edits, self._formulas, self._sheets)
        cells = {spot(place): value for place, value in edits.items()}
        before = {cell: self._book.get_value(*cell) for cell in cells}
        self._type(cells)
        self._book.evaluate_all()
        get = self._book.get_value
        values = [plain(get(*cell)) for cell in wanted]
        self._type(before)
        return values

    def _type(self, cells: Mapping[Spot, object]) -> None:
        for cell, value in cells.items():
            self._book.set_value(*cell, value)


def recalculate_with(path: Path, edits: Mapping[Place, Value]) -> Values:
    """Every formula cell after typing the edits into their cells."""
    return _live(path, path.stat().st_mtime_ns).computed(edits)


@lru_cache(maxsize=4)
def _live(path: Path, _changed: int) -> Live:
    return Live(path)


def _check_edits(edits: Iterable[Place], computed: Collection[Place], sheets: list[str]) -> None:
    """A typed value over a formula would hide what the audit looks for."""
    faults = [Fault("holds a formula, takes no input", field="!".join(place)) for place in edits if place in computed]
    faults += [
        Fault("no such sheet", field=sheet, nearest=nearest(sheet, sheets)) for sheet, _ in edits if sheet not in sheets
    ]
    if faults:
        raise InputError(faults)
