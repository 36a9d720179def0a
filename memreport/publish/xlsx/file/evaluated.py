"""A finished workbook computed by a program that knows nothing of memreport: formualizer 0.13."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from types import ModuleType
from typing import Any

from openpyxl.utils import coordinate_to_tuple

from memreport.errors import MachineError
from memreport.publish.xlsx.file.canonical import escaped
from memreport.publish.xlsx.file.cells import Place, Value
from memreport.publish.xlsx.file.package import MAIN, sheet_parts

DAY_ZERO = datetime(1899, 12, 30)  # noqa: DTZ001  # a workbook's dates have no time zone
SECONDS_A_DAY = 86_400
EMPTY_SHEET = f'<worksheet xmlns="{MAIN[1:-1]}"><sheetData/></worksheet>'
END_OF_CELLS = b"</sheetData>"
ERROR_NAMES = {
    "Div": "#DIV/0!",
    "Na": "#N/A",
    "Name": "#NAME?",
    "Null": "#NULL!",
    "Num": "#NUM!",
    "Ref": "#REF!",
    "Value": "#VALUE!",
}


def engine() -> ModuleType:
    """The program.  Raises MachineError where it is missing."""
    try:
        import formualizer
    except ImportError as fault:
        raise MachineError("recalculation needs formualizer; run: python -m pip install formualizer") from fault
    return formualizer


def plain(found: object) -> Value:
    """A value as a workbook stores it: numbers as float, errors by their names, an empty result as empty text."""
    if type(found) is float:  # nearly all are, and a workbook has thousands
        return found
    if isinstance(found, dict):
        return ERROR_NAMES.get(str(found.get("kind")), f"#{str(found.get('kind')).upper()}!")
    if isinstance(found, datetime):
        return (found - DAY_ZERO).total_seconds() / SECONDS_A_DAY
    if isinstance(found, int | float) and not isinstance(found, bool):
        return float(found)
    return found if isinstance(found, bool | str) else ""


def evaluated(data: bytes, places: Iterable[Place]) -> dict[Place, Value]:
    """What these cells of a workbook compute to, without sheets that they do not need.  Raises MachineError."""
    listed = list(places)
    return computed_cells(engine().load_workbook_bytes(_needed(data, {sheet for sheet, _ in listed})), listed)


def computed_cells(book: Any, places: Iterable[Place]) -> dict[Place, Value]:
    """What these cells of a workbook that the program has loaded compute to."""
    book.set_temporal_egress("serial")
    book.evaluate_all()  # to evaluate these cells alone takes twice as long and two thirds more memory
    return {(sheet, cell): plain(book.get_value(sheet, *coordinate_to_tuple(cell))) for sheet, cell in places}


def _needed(data: bytes, asked: Collection[str]) -> bytes:
    """The workbook with every sheet emptied to which no formula leads from the sheets that are asked for.

    Two thirds of the formulas are in scaling tables and sensitivity, on which no other sheet rests.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as book, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as lean:
        sheets, named = sheet_parts(_Parts(book))
        wanted = _reached(_Parts(book), sheets, {*asked, *_sheets_in(named.encode(), sheets)})
        idle = {part for sheet, part in sheets.items() if sheet not in wanted}
        for name in book.namelist():
            lean.writestr(name, EMPTY_SHEET if name in idle else book.read(name))
    return out.getvalue()


class _Parts(dict[str, bytes]):
    """The parts of a workbook, each read when it is asked for: all of them are the whole workbook once more."""

    def __init__(self, book: zipfile.ZipFile) -> None:
        super().__init__()
        self.book = book

    def __missing__(self, name: str) -> bytes:
        return self.book.read(name)


def _reached(parts: Mapping[str, bytes], sheets: Mapping[str, str], first: Iterable[str]) -> set[str]:
    """The sheets that formulas lead to from the first ones, with these."""
    reached, left = set[str](), list(first)
    while left:
        sheet = left.pop()
        if sheet not in reached and sheet in sheets:
            reached.add(sheet)
            cells = parts[sheets[sheet]].partition(END_OF_CELLS)[0]  # links to sheets stand behind them
            left += _sheets_in(cells, set(sheets) - reached)
    return reached


def _sheets_in(written: bytes, sheets: Iterable[str]) -> set[str]:
    """Those of the sheets that are named before a `!`, as XML writes them: `Inputs!A1`, `'Table 1'!A1`."""
    return {sheet for sheet in sheets if any(name in written for name in _names(sheet))}


def _names(sheet: str) -> tuple[bytes, bytes]:
    """How a sheet is named in formulas, without quotes and in them."""
    plain_, quoted = sheet + "!", sheet.replace("'", "''") + "'!"
    return escaped(plain_).encode(), escaped(quoted).encode()
