"""The cells of a sheet as XML, every formula with its value, every number with all its digits.

openpyxl writes formulas without values and a quarter of all numbers shortened to 16 digits; to mend what it wrote, as a
tree of all cells, takes longer than to write them and most of the memory.  ISO/IEC 29500-1:2016, sections 18.3.1.4 (c),
18.3.1.73 (row), 18.3.1.80 (sheetData), 18.18.11 (types of cells).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from memreport.errors import PublishingError
from memreport.publish.xlsx.file.canonical import escaped, printable, quoted
from memreport.publish.xlsx.file.cells import LARGEST_WHOLE, Value, exact_number

ERRORS = frozenset({"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"})
FORMULA, TEXT, NUMBER, TRUTH = "f", "s", "n", "b"
"""Types of cells as openpyxl names them."""
SHOWN = 5
Spot = tuple[int, int]
"""Row and column of a cell, from 1."""
_letter = lru_cache(maxsize=None)(get_column_letter)


def sheet_data(sheet: Worksheet, values: dict[Spot, Value]) -> bytes:
    """The element `sheetData`, of cells that are given back; so are `values` of the sheet's formulas.

    Raises PublishingError where a formula has no value, or a cell holds what cannot be written.
    """
    there: Any = sheet._cells  # noqa: SLF001  # `iter_rows` makes all that are between
    if lacking := [at for at, cell in there.items() if cell.data_type == FORMULA and at not in values]:
        raise PublishingError(f"formulas without a value: {listed(addresses(sheet, lacking))}")
    # notes need a second drawing format; asking for `comment` takes three times as long
    if notes := [at for at, cell in there.items() if cell._comment]:  # noqa: SLF001
        noted = listed(addresses(sheet, notes))
        raise PublishingError(f"{sheet.title} carries cell notes ({noted}); use an input prompt instead")
    style_of, rows_of = _Styles(sheet.parent).of, _Rows(sheet.row_dimensions)
    rows = dict.fromkeys(sheet.row_dimensions, b"")
    for row, places in groupby(sorted(there), itemgetter(0)):
        # each cell goes as it is written: those of a large sheet are half of what a process holds
        cells = [_cell(cell := there.pop(at), at, style_of(cell), values) for at in places]
        rows[row] = "".join(cells).encode()  # one sign that is not Latin would make every letter of a sheet two bytes
    return b"".join([b"<sheetData>", *(rows_of.written(row, rows[row]) for row in sorted(rows)), b"</sheetData>"])


def addresses(sheet: Worksheet, spots: Iterable[Spot]) -> list[str]:
    """Cells of a sheet as faults name them, in order."""
    return sorted(f"{sheet.title}!{_letter(column)}{row}" for row, column in spots)


class _Rows:
    """The elements of rows; what many of them say alike is asked of openpyxl once."""

    def __init__(self, dimensions: Any) -> None:
        self.dimensions = dimensions
        self.said: dict[tuple[object, ...], tuple[str, str]] = {}
        """What stands before and after a row's number, as attributes are sorted, by all that a row is."""

    def written(self, row: int, cells: bytes) -> bytes:
        """A row with its cells."""
        before, after = self._said(self.dimensions.get(row)) if row in self.dimensions else ("", "")
        opening = f'<row{before} r="{row}"{after}'.encode()
        return b"%b>%b</row>" % (opening, cells) if cells else opening + b"/>"

    def _said(self, dimension: Any) -> tuple[str, str]:
        style = dimension._style  # noqa: SLF001  # its number is looked up each time that it is asked for
        alike = (*{**vars(dimension), "index": 0}.values(), style and style.tobytes())
        return self.said.get(alike) or self.said.setdefault(alike, _attributes(dimension))


def _attributes(dimension: Any) -> tuple[str, str]:
    """What a row says before its number, and after it, in the order of the names."""
    told = sorted(dict(dimension).items())
    texts = [(name, f' {name}="{quoted(value)}"') for name, value in told]
    return "".join(text for name, text in texts if name < "r"), "".join(text for name, text in texts if name > "r")


class _Styles(dict[bytes, str]):
    """From what a cell's style is made of to the attribute that names it; each is looked up once."""

    def __init__(self, book: Any) -> None:
        super().__init__()
        self.book = book
        self.seen: dict[int, str] = {}
        """By the identity of what a style is made of, which most cells share."""

    def of(self, cell: Any) -> str:
        """` s="3"`, or nothing for a cell without a style."""
        style = cell._style  # noqa: SLF001  # `style_id` looks it up for every cell
        known = self.seen.get(id(style))
        if known is None:
            known = self.seen[id(style)] = "" if style is None else self._named(style)
        return known

    def _named(self, style: Any) -> str:
        made_of = style.tobytes()
        if made_of not in self:
            self[made_of] = f' s="{self.book._cell_styles.add(style)}"' if any(style) else ""  # noqa: SLF001  # as above
        return self[made_of]


def _cell(cell: Any, at: Spot, style: str, values: dict[Spot, Value]) -> str:
    """One cell; nothing for one without content or style."""
    content, kind = cell._value, cell.data_type  # noqa: SLF001  # `value` is asked a hundred thousand times
    opening = f'<c r="{_letter(at[1])}{at[0]}"{style}'
    if content is None or content == "":
        kept = style or content is not None
        return f'{opening} t="{"n" if content is None else "inlineStr"}"/>' if kept else ""
    try:
        if kind != FORMULA:
            return f"{opening}{_constant(content, kind)}</c>"
        said, value = _typed(values.pop(at))
    except PublishingError as fault:
        raise PublishingError(f"{addresses(cell.parent, [at])[0]}: {fault}") from fault
    return f"{opening}{said}><f>{escaped(content[1:])}</f>{f'<v>{value}</v>' if value else '<v/>'}</c>"


def _constant(content: Any, kind: str) -> str:
    if kind == TEXT:
        kept = ' xml:space="preserve"' if content != content.strip() else ""
        return f' t="inlineStr"><is><t{kept}>{escaped(content)}</t></is>'
    if kind not in (NUMBER, TRUTH):
        raise PublishingError(f"{content!r} is no text, number or formula")
    value = bool(content) if kind == TRUTH else float(content)
    return f' t="{kind}"><v>{_typed(value)[1]}</v>'


def _typed(value: Value) -> tuple[str, str]:
    """The attribute that says of which type a value is, and its text; a number needs none and keeps every digit."""
    if type(value) is float and -LARGEST_WHOLE <= value <= LARGEST_WHOLE:  # nearly all are
        return "", _digits(value)
    if isinstance(value, bool):
        return ' t="b"', str(int(value))
    if isinstance(value, str):
        return f' t="{"e" if value in ERRORS else "str"}"', escaped(printable(value))
    exact = exact_number(value)
    return "", repr(int(exact)) if exact.is_integer() and abs(exact) <= LARGEST_WHOLE else repr(exact)


def _digits(value: float) -> str:
    """A number with all its digits, a whole one without a point."""
    text = repr(value)
    return text.removesuffix(".0") if value else "0"


def listed(names: Iterable[str]) -> str:
    """The first few of many, and how many more."""
    every = list(names)
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return ", ".join(every[:SHOWN]) + more
