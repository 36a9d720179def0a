"""What a workbook carries of its own making: a short digest of every row, and what was typed where it may be typed.

It stands in the file's custom properties (ISO/IEC 29500-1:2016, 22.3), which Excel, LibreOffice and openpyxl keep.
`memreport audit` reads it to say whether formulas, labels and inputs are still those of the build.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.cell import Cell
from openpyxl.packaging.custom import StringProperty
from openpyxl.worksheet.worksheet import Worksheet

from memreport.frozen import frozen

SCHEMA = 1
PREFIX = "memreport record"
LONGEST_PROPERTY = 255  # characters that Excel shows and keeps of a text property
SHORT = 3  # characters of a row's digest: one chance in 262,144 that two rows share it
EMPTY = "." * SHORT
KEPT_DIGITS, COMPARED_DIGITS = 15, 9
"""LibreOffice keeps 15 digits of a number; digests see 9 of those, so that no rounding changes them."""
SPACE = "\\u0020"
"""A blank at the end of a property would be lost, or marked in a way that the schema of properties does not know."""
PLACE = re.compile(r"[A-Z]{1,3}[1-9][0-9]{0,6}")
"""A single cell; a record from anybody may name a range, a column or nothing at all."""
Contents = str | int | float | bool
Rows = Mapping[int, str]


@frozen
class SheetRecord:
    """One sheet as built: digests by row of its formulas and of its other locked cells, and its number of charts."""

    formulas: Rows
    words: Rows
    charts: int


@frozen
class TakenSheet:
    """What a record says of one sheet: digests and number of charts, and what may be typed over, by cell."""

    record: Mapping[str, Any]
    typed: Mapping[str, Any]


@frozen
class Record:
    """The workbook as built: its sheets in order, names of ranges, and what stood in the cells that may be typed."""

    sheets: Mapping[str, SheetRecord] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    typed: Mapping[tuple[str, str], Contents] = field(default_factory=dict)


def write_record(book: Workbook, taken: Mapping[str, TakenSheet]) -> None:
    """Put what was taken of each sheet into the workbook's custom properties."""
    whole = {
        "schema": SCHEMA,
        "sheets": {title: sheet.record for title, sheet in taken.items()},
        "names": sorted(book.defined_names),
        "typed": {title: sheet.typed for title, sheet in taken.items() if sheet.typed},
    }
    text = json.dumps(whole, ensure_ascii=True, separators=(",", ":")).replace(" ", SPACE)
    for index in range(0, len(text), LONGEST_PROPERTY):
        name = f"{PREFIX} {index // LONGEST_PROPERTY + 1:04d}"
        _properties(book).append(StringProperty(name=name, value=text[index : index + LONGEST_PROPERTY]))


def read_record(book: Workbook) -> Record | None:
    """The record that a workbook carries; None where it has none, or one that was cut or changed."""
    parts = sorted((str(prop.name), str(prop.value or "")) for prop in _properties(book).props)
    text = "".join(value for name, value in parts if name.startswith(PREFIX))
    try:
        return _record(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def _properties(book: Workbook) -> Any:
    return book.custom_doc_props  # type: ignore[attr-defined]  # the stubs lack it


def _record(whole: Mapping[str, Any]) -> Record:
    if whole["schema"] != SCHEMA:
        raise ValueError(whole["schema"])
    sheets = {
        str(title): SheetRecord(_split(sheet["formulas"]), _split(sheet["words"]), int(sheet["charts"]))
        for title, sheet in whole["sheets"].items()
    }
    typed = {(title, place): value for title, cells in whole["typed"].items() for place, value in cells.items()}
    if not all(PLACE.fullmatch(place) and isinstance(value, Contents) for (_, place), value in typed.items()):
        raise ValueError("typed")
    if not all(isinstance(name, str) for name in whole["names"]):
        raise TypeError("names")
    return Record(sheets, frozenset(whole["names"]), typed)


def take(sheet: Worksheet) -> TakenSheet:
    """Digests of the rows as they stand, the number of charts, and what stands where it may be typed."""
    cells = list(filled(sheet))
    formulas, words = digests(cells)
    charts = len(sheet._charts)  # type: ignore[attr-defined]  # noqa: SLF001  # openpyxl has no other way to ask
    record = {"formulas": _joined(formulas), "words": _joined(words), "charts": charts}
    return TakenSheet(record, {cell.coordinate: cell.value for cell in free(cells)})


def digests(cells: Iterable[Cell]) -> tuple[dict[int, str], dict[int, str]]:
    """Digests by row of filled cells: of formulas, and of all other contents.  What may be typed is in neither."""
    formulas: dict[int, list[str]] = {}
    words: dict[int, list[str]] = {}
    for cell in filter(_locks(), cells):
        of_kind, row = formulas if cell.data_type == "f" else words, cell.row
        said = of_kind.get(row) or of_kind.setdefault(row, [])
        said.append(f"{cell.column}={_normal(cell._value)}")  # type: ignore[attr-defined]  # noqa: SLF001  # as in `filled`
    return {row: _digest(said) for row, said in formulas.items()}, {row: _digest(said) for row, said in words.items()}


def filled(sheet: Worksheet) -> Iterator[Cell]:
    """Every cell that holds something, row by row."""
    there: Any = sheet._cells  # noqa: SLF001  # `iter_rows` makes all that are between, and `value` asks twice
    cells = map(there.__getitem__, sorted(there))
    return (cell for cell in cells if isinstance(cell, Cell) and (held := cell._value) is not None and held != "")  # type: ignore[attr-defined]  # noqa: SLF001  # as said


def free(cells: Iterable[Cell]) -> Iterator[Cell]:
    """The filled cells of a sheet that may be typed over and hold no formula."""
    locked = _locks()
    return (cell for cell in cells if cell.data_type != "f" and not locked(cell))


def _locks() -> Callable[[Cell], bool]:
    """What says whether nobody may type in a cell: of each style, which many cells share, it is found out once."""
    known: dict[int, bool] = {}

    def locked(cell: Cell) -> bool:
        style: Any = cell._style  # type: ignore[attr-defined]  # noqa: SLF001  # asking the cell makes an object each time
        found = known.get(id(style))
        if found is None:
            book: Any = cell.parent.parent
            found = known[id(style)] = bool(book._protections[style.protectionId].locked)  # noqa: SLF001
        return found

    return locked


def _normal(value: object) -> str:
    """A content in a form that survives being saved by another program."""
    if isinstance(value, str):
        return " ".join((value.replace("_x005F_", "_") if "_x" in value else value).split())
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _digits(float(value)) if value else f"{value:g}"
    return " ".join(str(value).replace("_x005F_", "_").split())


@lru_cache(1 << 14)
def _digits(value: float) -> str:
    """The digits that are compared of a number other than zero, of which there are two; a workbook repeats many."""
    return f"{float(f'{value:.{KEPT_DIGITS}g}'):.{COMPARED_DIGITS}g}"


def _digest(cells: Iterable[str]) -> str:
    whole = hashlib.sha256("\x1f".join(cells).encode("utf-8", "replace")).digest()
    return base64.urlsafe_b64encode(whole).decode()[:SHORT]


def _joined(rows: Rows) -> str:
    """Digests from the first row on, one behind the other."""
    return "".join(rows.get(row, EMPTY) for row in range(1, max(rows, default=0) + 1))


def _split(joined: str) -> Rows:
    pieces = [joined[index : index + SHORT] for index in range(0, len(joined), SHORT)]
    return {row: piece for row, piece in enumerate(pieces, 1) if piece != EMPTY}
