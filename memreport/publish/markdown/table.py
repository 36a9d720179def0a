"""Tables of Markdown: every text of a cell made harmless."""

from __future__ import annotations

from collections.abc import Container, Sequence

from memreport.escaping import markdown


def piped(rows: Sequence[Sequence[str]], lefts: Container[int] = (0,)) -> str:
    """A table with its heads first; columns in `lefts` to the left, the others to the right."""
    lines = [f"| {' | '.join(map(markdown, row))} |" for row in rows]
    rule = f"|{'|'.join(':--' if index in lefts else '--:' for index in range(len(rows[0])))}|"
    return "\n".join([lines[0], rule, *lines[1:]])
