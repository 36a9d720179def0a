"""How a sheet lies on paper: its scale, which stays readable, and rows that stay together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

INCH, MILLIMETRES = 72.0, 25.4
LONG, SHORT = 297.0, 210.0
"""Sides of A4 in millimetres; sheets print in landscape."""
SIDE, ABOVE, BELOW = 0.4, 0.5, 0.7
"""Margins in inches."""
CHARACTER = 5.25
"""Points of one character of a column's width, in the workbook's font at its usual size."""
ROW = 15.0
"""Points of a row whose height is not set."""
ACROSS = (LONG / MILLIMETRES - 2 * SIDE) * INCH / CHARACTER
"""Characters that a page takes at full size."""
DOWN = (SHORT / MILLIMETRES - ABOVE - BELOW) * INCH
"""Points that a page takes at full size."""
SMALLEST = 0.70
"""Least scale of print: letters of 10 points stay 7 points high."""
UNSURE = 6
"""Rows by which programs may differ over where a page is full."""
Block = tuple[int, int]
LETTERS = ((" ijl.,;:'|!", 0.25), ("ftr-()[]/", 0.34), ("mwMW%@", 0.82))
"""Widths in heights of the letter, of the workbook's font; capitals and all others below."""
CAPITAL, OTHER, BOLD, PADDING = 0.60, 0.51, 1.04, 4.0


def scale_of(widths: Sequence[float]) -> float:
    """The scale at which columns fit one page, at most 1."""
    return min(1.0, ACROSS / sum(widths))


def breaks(blocks: Sequence[Block], heights: Mapping[int, float], last: int, scale: float, title: float) -> list[int]:
    """Rows after which a page ends, so that no block is cut; a block is its first and last row.

    Pages end where they are full, and before a block that would not end on them; `title` is repeated on each.
    """
    room, used, ends, full = DOWN / scale, 0.0, [], -UNSURE
    needed = {first: sum(heights.get(row, ROW) for row in range(first, end + 1)) for first, end in blocks}
    for row in range(1, last + 1):
        height = heights.get(row, ROW)
        kept = needed.get(row, 0.0)
        if used + max(height, kept if kept + title <= room else height) > room:
            ends += [row - 1] if kept else []
            used, full = title, -UNSURE if kept else row
        elif kept > UNSURE * ROW and row - full < UNSURE:  # another program may find room for its first rows
            ends, used, full = [*ends, row - 1], title, -UNSURE
        used += height
    return ends


def lines_of(text: str, width: float, size: float, *, bold: bool = False) -> int:
    """How many lines a text takes in a column of so many characters, broken between words and within long ones."""
    room = (width * CHARACTER - PADDING) / (size * (BOLD if bold else 1.0))
    return sum(_broken(part, room) for part in text.split("\n"))


def _broken(text: str, room: float) -> int:
    lines, used = 1, 0.0
    for word in text.split(" "):
        length = sum(map(_letter, word))
        if used and used + length > room:
            lines, used = lines + 1, 0.0
        lines += max(0, math.ceil(length / room) - 1)
        used += length % room + _letter(" ")
    return lines


@cache
def _letter(letter: str) -> float:
    """Width of a letter in heights of the letter."""
    listed = (width for letters, width in LETTERS if letter in letters)
    return next(listed, CAPITAL if letter.isupper() else OTHER)
