"""How wide a line is; by itself, as an answer that is kept is known by it before anything else is loaded."""

from __future__ import annotations

import shutil
import sys

WIDTH, NARROWEST = 100, 60
"""Columns of a line, and the fewest to which those of a narrower terminal are made to fit."""


def terminal() -> int:
    """Columns of the terminal, as many as one likes where the text is kept."""
    return shutil.get_terminal_size((WIDTH, 0)).columns if sys.stdout.isatty() else sys.maxsize


def columns() -> int:
    """Columns of a line: as many as where it is kept, or those of a narrower terminal."""
    return max(NARROWEST, min(WIDTH, terminal()))
