"""How a sheet lies on paper: its scale, which stays readable, and rows that stay together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

INCH, MILLIMETRES, CENTIMETRES = 72.0, 25.4, 2.54
"""Points, millimetres and centimetres of an inch."""
LONG, SHORT = 297.0, 210.0
"""Sides of A4 in millimetres; sheets print in landscape, but for one that is narrow and long."""
SIDE, ABOVE, BELOW = 0.25, 0.5, 0.55
"""Margins in inches."""
EDGE, HEADED = 0.35, 0.6
"""How far heads and feet of pages are from the edge; the upper margin of a sheet whose pages have a head."""
CHARACTER = 5.25
"""Points of one character of a column's width, in the workbook's font at its usual size."""
ROW = 15.0
"""Points of a row whose height is not set."""
ACROSS = (LONG / MILLIMETRES - 2 * SIDE) * INCH / CHARACTER
UPRIGHT = (SHORT / MILLIMETRES - 2 * SIDE) * INCH / CHARACTER
"""Characters that a page takes at full size, in landscape and upright."""
SMALLEST = 0.65
"""Least scale of print: letters of 10 points stay 6.5 points high."""
SPARE = 0.02
"""Scale that is left over, as programs round widths up and scales down."""
WIDEST = ACROSS / (SMALLEST + SPARE)
"""Characters that a page takes at the least scale."""
NOTED, TITLED = 7, 13
"""Points of foot and subtitle, and of the title, as printed."""
FEWEST = 8
"""Rows that a last page has at least, so that no row is left over on a page of its own."""
SPARED = 15.0
"""Points of a page that stay free, as programs round heights differently and every end of a page is set."""
Block = tuple[int, int]
LETTERS = ((" ijl.,;:'|!", 0.25), ("ftr-()[]/", 0.34), ("sz", 0.41), ("acgkvxy", 0.47), ("mwMW%@", 0.82))
"""Widths in heights of the letter, of the workbook's font; capitals and all others below."""
CAPITAL, OTHER, BOLD, PADDING = 0.60, 0.51, 1.04, 4.0


def scale_of(widths: Sequence[float], *, upright: bool = False) -> float:
    """The scale at which columns fit one page, at most 1, in whole per cent as programs state it."""
    return math.floor(100 * min(1.0, (UPRIGHT if upright else ACROSS) / sum(widths))) / 100


def one_page(heights: Iterable[float], room: float, scale: float) -> bool:
    """Whether rows that are too many for one page at a scale fit it at a smaller one that can be read."""
    whole = sum(heights)
    return whole > room / scale - SPARED and room / whole >= SMALLEST + SPARE


def magnified(points: int, scale: float) -> int:
    """The size to state of what stands outside of the cells: programs scale it with them."""
    return round(points / scale)


def down(above: float, *, upright: bool = False) -> float:
    """Points that a page takes at full size below an upper margin in inches."""
    return ((LONG if upright else SHORT) / MILLIMETRES - above - BELOW) * INCH


def breaks(blocks: Sequence[Block], heights: Mapping[int, float], rows: Block, room: float, title: float) -> list[int]:
    """Rows after which a page ends, so that no block is cut; a block is its first and last row, `rows` all of them.

    Pages end where they are full, which is after `room` points, and before a block that would not end on them;
    `title` is repeated on each.
    """
    used, ends = 0.0, list[int]()
    needed = {first: sum(heights.get(row, ROW) for row in range(first, end + 1)) for first, end in blocks}
    for row in range(rows[0], rows[1] + 1):
        height, kept = heights.get(row, ROW), needed.get(row, 0.0)
        if row > rows[0] and used + max(height, kept if kept + title <= room else 0.0) > room:
            ends, used = [*ends, row - 1], title
        used += height
    return _joined(blocks, ends, rows[1])


def _joined(blocks: Sequence[Block], ends: list[int], last: int) -> list[int]:
    """The ends, the last one earlier where few rows would stand behind it."""
    end = last - FEWEST
    if not ends or ends[-1] <= end or any(first <= end < close for first, close in blocks):
        return ends
    return [*(number for number in ends if number < end), end]


@lru_cache(maxsize=1 << 14)
def lines_of(text: str, width: float, size: float, *, bold: bool = False) -> int:
    """How many lines a text takes in a column of so many characters, broken between words and behind hyphens."""
    room = (width * CHARACTER - PADDING) / (size * (BOLD if bold else 1.0))
    return sum(_broken(part, room) for part in text.split("\n"))


def _broken(text: str, room: float) -> int:
    lines, used = 1, 0.0
    for word in re.findall(r"[^ -]*-+|[^ -]+ ?|[^ -]* ", text):
        length = _length(word.rstrip(" "))
        if used and used + length > room:
            lines, used = lines + 1, 0.0
        lines += max(0, math.ceil(length / room) - 1)
        used += length % room + _length(word[len(word.rstrip(" ")) :])
    return lines


@lru_cache(maxsize=10_000)
def _length(word: str) -> float:
    """Width of a word in heights of a letter."""
    return sum(map(_letter, word))


@cache
def _letter(letter: str) -> float:
    """Width of a letter in heights of the letter."""
    listed = (width for letters, width in LETTERS if letter in letters)
    return next(listed, CAPITAL if letter.isupper() else OTHER)
