"""How cells look: one calm palette, one record a style, number formats by unit.  No colour stands alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from openpyxl.cell.cell import Cell
from openpyxl.styles import Alignment, Border, Font, PatternFill, Protection, Side
from openpyxl.styles.cell_style import StyleArray

INK, GREY, RULE, HEAD, PALE = "1F2937", "5B6472", "D1D5DB", "1E3A5F", "EEF2F7"
INPUT_INK, INPUT_FILL, INHERITED_FILL, LINK_INK = "0000FF", "FFF4CC", "FDFBF0", "0B5CAD"
GOOD = ("14532D", "E3F4E8")
WARN = ("78350F", "FEF3C7")
BAD = ("7F1D1D", "FDE2E1")
"""Ink and fill of words that judge; each pair has a contrast above 7 to 1."""
FONT = "Calibri"

WHOLE = "#,##0"
PLAIN = "[<1000]General;[<1000000000000]#,##0;0.00000E+00"
"""Small numbers with all their digits, large ones in groups of three, vast ones with an exponent."""
DECIMAL = "[<1000]0.000##;#,##0"
SIGNED, SIGNED_DECIMAL, SIGNED_VAST = "#,##0", "#,##0.000", "0.00000E+00"
"""For what is below zero: in a format of several parts LibreOffice drops the sign, and so may others."""
SCIENTIFIC, VAST = "0.000E+00", "[=0]0;0.000E+00"
"""With an exponent; of what is never below zero, none is a plain zero."""
GIBIBYTES = "#,##0.00"
PERCENT = "0.0%"
MONEY = "[<1000]#,##0.00;#,##0"
"""Cents of small sums alone."""
RATES = ((1e10, 1e15, '#,##0.0,,,," T"'), (1e12, 1e16, '#,##0,,,," T"'), (1e14, 1e18, '#,##0.0,,,,," P"'))
"""Formats of rates between two numbers, beside their unit: T and P for twelve or fifteen digits that are left out."""
PAID = "[<1]0.0000;[<1000]0.00;#,##0"
"""For sums that are never below zero: cents of small ones alone."""
FORMATS = {
    "FLOP": VAST,
    "FLOP/s": VAST,
    "FLOP/token": VAST,
    "FLOP/byte": "#,##0.00",
    "share": PERCENT,
    "USD": MONEY,
    "USD/h": "#,##0.00",
    "h": "#,##0.0",
    "kWh": "#,##0.0",
    "token/s": "#,##0.0",
}
SMALLEST_DECIMAL = 1e-3
IN_GIGA = {"byte": '#,##0.000,,," GB"', "byte/s": '#,##0.000,,," GB/s"'}
IN_MEGA = {"byte": '#,##0.000,," MB"', "byte/s": '#,##0.000,," MB/s"'}
"""Formats of bytes by the largest of a line; commas leave out nine digits, or six."""
GIGA, MEGA = 1e9, 1e6
MOST, LEAST = 1e11, -1e10
"""Bounds of what has room in base units, with a gap to the number beside it."""


@dataclass(frozen=True)
class Style:
    """A look that many cells share."""

    bold: bool = False
    ink: str = INK
    size: int = 10
    fill: str = ""
    shown_as: str = "General"
    horizontal: str = "left"
    indent: int = 0
    wrap: bool = False
    unlocked: bool = False
    ruled: bool = True
    underlined: bool = False
    parted: bool = False


TITLE = Style(bold=True, ink=HEAD, size=16, ruled=False)
SUBTITLE = Style(ink=GREY, ruled=False)
HEADING = Style(bold=True, ink=HEAD, size=11, fill=PALE)
HEADER = Style(bold=True, ink="FFFFFF", fill=HEAD, wrap=True, parted=True)
HEADER_NUMBER = replace(HEADER, horizontal="right")
LABEL = Style(wrap=True)
STRONG = Style(bold=True, wrap=True)
NAME = Style(ink=GREY)
NOTE = Style(ink=GREY, wrap=True)
NOTE_BARE = Style(ink=GREY, ruled=False)
TEXT_BARE = Style(ruled=False)
LINK = Style(ink=LINK_INK, underlined=True, ruled=False)
WORD = Style(horizontal="right", wrap=True)
INPUT_WORD = Style(ink=INPUT_INK, fill=INPUT_FILL, horizontal="right", unlocked=True, wrap=True)
INHERITED_WORD = Style(fill=INHERITED_FILL, horizontal="right", unlocked=True, wrap=True)


@lru_cache
def number(shown_as: str, *, bold: bool = False) -> Style:
    """A computed number."""
    return Style(shown_as=shown_as, horizontal="right", bold=bold)


@lru_cache
def given(shown_as: str) -> Style:
    """A number that a source states and nobody types here: blue, but locked."""
    return Style(ink=INPUT_INK, shown_as=shown_as, horizontal="right")


@lru_cache
def typed(shown_as: str) -> Style:
    """An input."""
    return replace(INPUT_WORD, shown_as=shown_as)


@lru_cache
def inherited(shown_as: str) -> Style:
    """An input that follows the first column until someone types over it."""
    return replace(INHERITED_WORD, shown_as=shown_as)


def format_of(unit: str, values: Sequence[float] = ()) -> str:
    """The number format of a unit, by what the cells hold: fractions, small ones, bytes in whole groups of three."""
    if unit in FORMATS:
        return _rate(values) if unit == "FLOP/s" else _sum(values) if unit == "USD" else FORMATS[unit]
    if unit in IN_GIGA and (most := max(map(abs, values), default=0.0)) >= MEGA:
        return (IN_GIGA if most >= GIGA else IN_MEGA)[unit]
    fractions = [abs(value) for value in values if value != round(value) and abs(value) < 1000]
    if fractions and min(fractions) < SMALLEST_DECIMAL:
        return SCIENTIFIC
    if any(value < 0 for value in values):
        return SIGNED_VAST if min(values) <= LEAST else SIGNED_DECIMAL if fractions else SIGNED
    if not fractions:
        return WHOLE if unit in IN_GIGA and any(value >= 1000 for value in values) else PLAIN
    return DECIMAL


def _rate(values: Sequence[float]) -> str:
    """A rate in the unit of data sheets, where all of a line have room in it."""
    ends = min(values, default=0.0), max(values, default=0.0)
    return next((shown for least, most, shown in RATES if least <= ends[0] and ends[1] < most), VAST)


def _sum(values: Sequence[float]) -> str:
    """A sum without cents of thousands; one below zero with them, as a format of one part keeps its sign."""
    return "#,##0.00" if min(values, default=0.0) < 0 else MONEY


def gibibytes_format(values: Sequence[float]) -> str:
    """The number format of GiB that are compared: from 100 on one decimal, from 1,000 on none.  Signs are kept."""
    most = max(map(abs, values))
    return WHOLE if most >= 1e3 else "#,##0.0" if most >= 1e2 else GIBIBYTES


def time_format(values: Sequence[float], least: int = 2) -> str:
    """The number format of times below each other: three digits of the smallest, `least` decimals or more."""
    smallest = min((value for value in values if value > 0), default=1.0)
    return f"#,##0.{'0' * max(least, min(9, 2 - math.floor(math.log10(smallest))))}"


def aligned_format(values: Sequence[float]) -> str:
    """The number format of values that are compared with each other: five digits of the largest, at least two."""
    largest = max((value for value in values if value > 0), default=1.0)
    return f"#,##0.{'0' * max(2, 4 - math.floor(math.log10(largest)))}"


class StyleCache:
    """Gives cells their style; each style is worked out once, and cells that look alike share it."""

    def __init__(self) -> None:
        self._known: dict[Style, object] = {}
        self._seen: dict[int, tuple[Style, object]] = {}
        """By the identity of a style that was given before, which asks for no comparison of its parts."""

    def apply(self, cell: Cell, style: Style) -> None:
        """Style one cell."""
        seen = self._seen.get(id(style))
        if seen is None:
            seen = self._seen[id(style)] = style, self._known.get(style) or self._worked_out(cell, style)
        cell._style = seen[1]  # type: ignore[attr-defined]  # noqa: SLF001  # openpyxl has no other way to share a style

    def _worked_out(self, cell: Cell, style: Style) -> object:
        cell._style = StyleArray()  # type: ignore[attr-defined]  # noqa: SLF001  # what it had may be other cells', too
        _put_on(cell, style)
        made: object = cell._style  # type: ignore[attr-defined]  # noqa: SLF001  # as above
        self._known[style] = made
        return made


def _put_on(cell: Cell, style: Style) -> None:
    cell.font = Font(
        name=FONT, size=style.size, bold=style.bold, color=style.ink, underline="single" if style.underlined else None
    )
    if style.fill:
        cell.fill = PatternFill("solid", fgColor=style.fill)
    cell.number_format = style.shown_as
    cell.alignment = Alignment(
        horizontal=style.horizontal, vertical="center", wrap_text=style.wrap, indent=style.indent
    )
    if style.ruled:
        white = Side(style="thin", color="FFFFFF") if style.parted else None  # between titles that nearly touch
        cell.border = Border(left=white, right=white, bottom=Side(style="thin", color=RULE))
    if style.unlocked:
        cell.protection = Protection(locked=False)
