"""What a workbook of ten thousand formulas takes, with values, styles and equal bytes, against bare openpyxl."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial

ROWS, COLUMNS = 1_000, 10
FACTOR, SECONDS = 1.2, 1.0
"""How many times as long as the bare library it may take, and how many seconds more."""


def bare() -> bytes:
    """The formulas alone, as openpyxl writes them: without values, styles or dates that stay."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.worksheets[0]
    for row in range(1, ROWS + 2):
        for column in range(1, COLUMNS + 1):
            sheet.cell(row, column, f"=A{row - 1}*2" if row > 1 else 1.5)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def ours() -> bytes:
    """The same formulas as they are published."""
    from memreport.publish.xlsx.sheet.book import Book, Formula
    from memreport.publish.xlsx.sheet.styles import number

    book = Book()
    sheet, style = book.add("Formulas"), number("0.0")
    for column in range(1, COLUMNS + 1):
        sheet.put(1, column, 1.5, style)
    for row in range(2, ROWS + 2):
        for column in range(1, COLUMNS + 1):
            sheet.put(row, column, Formula(f"A{row - 1}*2", 1.5 * 2.0 ** (row - 1)), style)
    return book.bytes("benchmark", "2026-11-20")


def writing(timed: Callable[[Callable[[], object]], float]) -> str:
    """One sentence: seconds of both, and whether ours is within what it may take."""
    here, there = (timed(partial(_written, make)) for make in (ours, bare))
    most = FACTOR * there + SECONDS
    kept = "kept" if here <= most else "**not kept**"
    said = f"{here:.2f} s, bare openpyxl {there:.2f} s; at most {FACTOR:g} times that and {SECONDS:g} s: {kept}"
    return f"A workbook of {ROWS * COLUMNS:,} formulas with values and styles: {said}."


def _written(make: Callable[[], bytes]) -> None:
    if not make():
        raise SystemExit("an empty workbook")
