"""Colours beside words that judge: what fits, what is tight, what does not; never the colour alone."""

from __future__ import annotations

from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Font, PatternFill

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT
from memreport.publish.xlsx.sheet.book import Sheet
from memreport.publish.xlsx.sheet.styles import BAD, GOOD, WARN

PASSES, FAILS = "passes", "FAILS"
LOOKS = {FITS: GOOD, TIGHT: WARN, QUEUES: WARN, DOES_NOT_FIT: BAD, PASSES: GOOD, FAILS: BAD}


def mark_words(sheet: Sheet, cells: str) -> None:
    """Colour the cells of a range by the word that each holds."""
    first = cells.partition(":")[0]
    for word, look in LOOKS.items():
        mark_where(sheet, cells, f'{first}="{word}"', look)


def mark_lacking(sheet: Sheet, cells: str, lacking: str) -> None:
    """Colour the cells that say behind a verdict what is lacking beside it."""
    mark_where(sheet, cells, f'ISNUMBER(SEARCH("{lacking}",{cells.partition(":")[0]}))', BAD)


def mark_where(sheet: Sheet, cells: str, condition: str, look: tuple[str, str]) -> None:
    """Colour the cells of a range where a condition on its first cell, moved along, holds."""
    ink, fill = look
    rule = FormulaRule(formula=[condition], font=Font(color=ink, bold=True), fill=PatternFill(bgColor=fill))  # type: ignore[no-untyped-call]  # the stubs lack it
    sheet.worksheet.conditional_formatting.add(cells, rule)
