"""Columns of text, for everything that a terminal shows as a table."""

from __future__ import annotations

import textwrap
from collections.abc import Container, Sequence
from itertools import zip_longest

from memreport.publish.text.width import NARROWEST, terminal
from memreport.report.view import tied

GAP = "  "
"""Between columns."""
NARROW = 13
"""Columns to which words are cut, and no shorter, where they would else take more."""
Cells = Sequence[str]


def table(rows: Sequence[Cells], lefts: Container[int] = (0,), indent: str = "") -> str:
    """Lines of equal columns; those in `lefts` to the left, the others to the right.  One cell alone is a heading."""
    across = widths(rows)
    lines = (GAP.join(placed(text, across[index], index in lefts) for index, text in enumerate(row)) for row in rows)
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def widths(rows: Sequence[Cells]) -> list[int]:
    """How wide each column is; headings widen none."""
    across = max((len(row) for row in rows), default=0)
    return [max((len(row[index]) for row in rows if len(row) > max(index, 1)), default=0) for index in range(across)]


def placed(text: str, width: int, left: bool) -> str:
    """A cell as wide as its column."""
    return text.ljust(width) if left else text.rjust(width)


def fitted(rows: Sequence[Cells], lefts: Sequence[int] = (0,), indent: str = "") -> str:
    """The table as it stands where it is kept; on a narrower terminal, in cells of several lines."""
    return _narrowed(rows, lefts, indent, max(NARROWEST, terminal()))


def _narrowed(rows: Sequence[Cells], lefts: Sequence[int], indent: str, room: int) -> str:
    """In so many columns: cells are wrapped, then columns stand below each other, the first one before each part."""
    left = room - len(indent)
    wanted, least = widths(rows), _least(rows, lefts)
    if _across(wanted) <= left:
        return table(rows, lefts, indent)
    if _across(least) > left and len(least) > 2:  # the first column and one beside it
        first = max(2, sum(_across(least[:count]) <= left for count in range(1, len(least) + 1)))
        parts = range(first), (0, *range(first, len(least)))
        return "\n\n".join(_narrowed(*_columns(rows, lefts, kept), indent, room) for kept in parts)
    while _across(wanted) > left and wanted != least:
        shrunk = max(range(len(wanted)), key=lambda index: (wanted[index] > least[index], wanted[index]))
        wanted[shrunk] -= 1
    return table([line for row in rows for line in _lines(row, wanted)], lefts, indent)


def _across(of: Sequence[int]) -> int:
    return sum(of) + len(GAP) * (len(of) - 1)


def _least(rows: Sequence[Cells], lefts: Container[int]) -> list[int]:
    """The fewest columns of each: its longest word, numbers with their units; words to the left may be cut."""
    said = [[max(map(len, tied(text).split(" ")), default=0) for text in row] for row in rows if len(row) > 1]
    longest = map(max, zip(*said, strict=True))
    return [min(each, NARROW) if index in lefts else each for index, each in enumerate(longest)]


def _columns(
    rows: Sequence[Cells], lefts: Sequence[int], kept: Sequence[int]
) -> tuple[list[list[str]], tuple[int, ...]]:
    """Some columns alone, and which of them stand to the left."""
    cells = [[row[index] for index in kept] for row in rows if len(row) > 1]
    return cells, tuple(place for place, index in enumerate(kept) if index in lefts)


def _lines(row: Cells, across: Sequence[int]) -> list[list[str]]:
    """A row as several lines, each cell wrapped in its column."""
    if len(row) == 1:
        return [list(row)]
    cells = [textwrap.wrap(tied(text), max(1, width)) for text, width in zip(row, across, strict=True)]
    padded = zip_longest(*cells, fillvalue="")
    return [[text.replace("\u00a0", " ") for text in line] for line in padded] or [list(row)]


def folded(rows: Sequence[Sequence[str]]) -> str:
    """The table as it stands where it is kept; on a terminal, as many columns at once as it is wide."""
    first, *others = widths(rows)
    at_once = max(1, (terminal() - first) // (max(others) + len(GAP)))
    starts = range(1, len(rows[0]), at_once)
    return "\n".join(f"{table([[*row[:1], *row[start : start + at_once]] for row in rows])}\n" for start in starts)
