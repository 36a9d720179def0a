"""Columns of text, for everything that a terminal shows as a table."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Container, Sequence

WIDTH, NARROWEST = 100, 60
"""Columns of a line, and the fewest to which those of a narrower terminal are made to fit."""
GAP = "  "
"""Between columns."""
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


def columns() -> int:
    """Columns of a line: as many as where it is kept, or those of a narrower terminal."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(NARROWEST, min(WIDTH, shutil.get_terminal_size((WIDTH, 0)).columns))


def folded(rows: Sequence[Sequence[str]]) -> str:
    """The table as it stands where it is kept; on a terminal, as many columns at once as it is wide."""
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    first, *others = widths(rows)
    at_once = max(1, (room - first) // (max(others) + len(GAP)))
    starts = range(1, len(rows[0]), at_once)
    return "\n".join(f"{table([[*row[:1], *row[start : start + at_once]] for row in rows])}\n" for start in starts)
