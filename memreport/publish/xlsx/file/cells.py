"""The only ways into a cell: nothing is shortened, dropped, or turned into a live formula on its way.

Limits: Microsoft, "Excel specifications and limits", read 2026-11-20.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable
from copy import copy
from functools import lru_cache
from typing import Any

from openpyxl.cell.cell import Cell
from openpyxl.styles.cell_style import StyleArray
from openpyxl.worksheet.dimensions import RowDimension
from openpyxl.worksheet.worksheet import Worksheet

from memreport.errors import PublishingError
from memreport.escaping import is_live
from memreport.publish.xlsx.file.canonical import printable

Place = tuple[str, str]
"""Sheet and cell."""
Value = float | str | bool
LONGEST_TEXT = 32_767
LONGEST_FORMULA = 8_192
LONGEST_SHEET_NAME = 31
LONGEST_DEFINED_NAME = 255
LARGEST_WHOLE = 2**53
LARGEST_NUMBER = 9.99999999999999e307
ERROR_LIKE = re.compile(r"#[A-Z0-9/]+[!?]?")
ESCAPE_LIKE = re.compile(
    r"_(?=x[0-9A-Fa-f]{4}_)"
)  # the format's own way to say a character: ISO/IEC 29500-1, 22.9.2.19
SHEET_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
DEFINED_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
CELL_LIKE = re.compile(r"[A-Z]{1,3}[0-9]+|R[0-9]*(C[0-9]*)?|C[0-9]*", re.IGNORECASE)
RESERVED = frozenset({"true", "false"})


def new_cell(sheet: Worksheet, row: int, column: int) -> Cell:
    """An empty cell of a sheet, as openpyxl makes one in three times as long; a workbook has a hundred thousand."""
    cell: Any = object.__new__(Cell)
    cell.parent, cell.row, cell.column = sheet, row, column
    cell._style = cell._value = cell._hyperlink = cell._comment = None  # noqa: SLF001  # as in `_hold`
    cell.data_type = "n"
    sheet._cells[row, column] = cell  # noqa: SLF001  # as in `_hold`
    return cell  # type: ignore[no-any-return]  # made above


_PLAIN_ROW = {"ht": None, "thickBot": None, "thickTop": None, "index": 0, "hidden": False, "outlineLevel": 0,
              "collapsed": False}  # fmt: skip
_PLAIN_STYLE = StyleArray()  # no row has one of its own


def row_of(sheet: Worksheet, row: int) -> dict[str, Any]:
    """How a row looks, to be changed; openpyxl checks every part of it, which takes ten times as long."""
    there: Any = sheet.row_dimensions
    if row not in there:
        made: Any = object.__new__(RowDimension)
        made.parent, made._style = sheet, _PLAIN_STYLE  # noqa: SLF001  # as in `new_cell`
        vars(made).update(_PLAIN_ROW, index=row)
        there[row] = made
    looks: dict[str, Any] = vars(there.get(row))  # `[row]` would set its number each time
    return looks


def put_text(cell: Cell, text: str) -> None:
    """Write a text that stays a text, whatever it begins with.  Style the cell first: a style clears the quote mark.

    Raises PublishingError for control characters, lone surrogates and more than 32,767 characters.
    """
    escaped, marked = _as_text(text)
    _hold(cell, escaped, "s")
    if marked:
        cell._style = copy(cell._style)  # type: ignore[attr-defined]  # noqa: SLF001  # other cells may share it
        cell.quotePrefix = True


@lru_cache(1 << 12)
def _as_text(text: str) -> tuple[str, bool]:
    """A text as a cell holds it, and whether a quote has to mark it; a workbook says the same ones many times."""
    escaped = ESCAPE_LIKE.sub("_x005F_", printable(text))
    if _is_longer(escaped, LONGEST_TEXT):
        raise PublishingError(
            f"a cell holds {LONGEST_TEXT} characters; this text has {_units(escaped)}: {text[:40]!r}…"
        )
    return escaped, is_live(escaped) or escaped.startswith("'") or bool(ERROR_LIKE.fullmatch(escaped))


def put_number(cell: Cell, number: float) -> None:
    """Write a number.  Raises PublishingError as `exact_number`."""
    _hold(cell, exact_number(number), "n")


def exact_number(number: object) -> float:
    """The number as the float64 that a cell can hold.

    Raises PublishingError for NaN, infinity, truth values, and whole numbers above 2^53, which would lose digits.
    """
    exact = number if type(number) is float else _as_float(number)  # nearly all are, and a workbook has thousands
    if not math.isfinite(exact) or abs(exact) > LARGEST_NUMBER:
        raise PublishingError(f"{exact!r} is not finite, or more than a cell holds")
    return exact


def _as_float(number: object) -> float:
    if isinstance(number, bool) or not isinstance(number, numbers.Real):
        raise PublishingError(f"{number!r} is not a number")
    if isinstance(number, numbers.Integral) and abs(int(number)) > LARGEST_WHOLE:
        raise PublishingError(f"{number} loses digits in a cell; the largest exact whole number is 2^53")
    return float(number)


def put_formula(cell: Cell, formula: str) -> None:
    """Write a formula, which begins with "=".  Raises PublishingError above 8,192 characters or over several lines."""
    if is_plain(formula):
        hold_formula(cell, formula)
        return
    if not formula.startswith("=") or not formula[1:].strip():
        raise PublishingError(f"a formula begins with '=': {formula[:40]!r}")
    if _is_longer(printable(formula), LONGEST_FORMULA):
        raise PublishingError(f"a formula holds {LONGEST_FORMULA} characters; this one has {_units(formula)}")
    if "\n" in formula or "\t" in formula:
        raise PublishingError(f"a formula stands on one line: {formula[:40]!r}")
    _hold(cell, formula, "f")


def is_plain(formula: str) -> bool:
    """Whether a formula is as nearly all are: a sign that is no blank behind its "=", printable ASCII, not too long."""
    last = formula[-1:]
    return (
        formula[:1] == "="
        and last not in "= "
        and formula.isascii()
        and formula.isprintable()
        and len(formula) <= LONGEST_FORMULA
    )


def valid_sheet_name(name: str, taken: Iterable[str] = ()) -> str:
    """The name itself, if a sheet may have it beside those taken; PublishingError otherwise."""
    printable(name)
    if not 1 <= _units(name) <= LONGEST_SHEET_NAME:
        raise PublishingError(f"a sheet's name has 1 to {LONGEST_SHEET_NAME} characters: {name!r}")
    if SHEET_FORBIDDEN.search(name) or name != name.strip("' "):
        raise PublishingError(f"a sheet's name has none of []:*?/\\ and no quote or space at its ends: {name!r}")
    if name.casefold() == "history":
        raise PublishingError(f"{name!r} is reserved by Excel and cannot name a sheet")
    return _untaken(name, taken)


def valid_defined_name(name: str, taken: Iterable[str] = ()) -> str:
    """The name itself, if a range may have it beside those taken.

    Raises PublishingError, also for A100, FP8, TP8, R or C, which a spreadsheet reads as addresses.
    """
    if not DEFINED_NAME.fullmatch(name) or len(name) > LONGEST_DEFINED_NAME:
        raise PublishingError(f"a defined name is made of letters, digits, '_' and '.', at most 255: {name[:40]!r}")
    if CELL_LIKE.fullmatch(name):
        raise PublishingError(f"{name!r} reads as the address of a cell; write hw_{name} or in_{name}")
    if name.casefold() in RESERVED or name.casefold().startswith("_xl"):
        raise PublishingError(f"{name!r} is reserved by the file format")
    return _untaken(name, taken)


def _untaken(name: str, taken: Iterable[str]) -> str:
    if name.casefold() in {other.casefold() for other in taken}:
        raise PublishingError(f"the name {name!r} is taken; capitals make no difference")
    return name


def hold_formula(cell: Cell, formula: str) -> None:
    """Write a formula that is plain, or like one that is."""
    cell._value, cell.data_type = formula, "f"  # type: ignore[attr-defined]  # noqa: SLF001  # as `_hold`


def _hold(cell: Cell, content: str | float, kind: str) -> None:
    """Give a cell what has been checked here; its `value` would check again, and guess a type."""
    cell._value, cell.data_type = content, kind  # type: ignore[attr-defined]  # noqa: SLF001  # as said


def _is_longer(text: str, most: int) -> bool:
    return 2 * len(text) > most and _units(text) > most


def _units(text: str) -> int:
    """Length as Excel counts it, in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2
