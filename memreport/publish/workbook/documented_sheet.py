"""The Documented sheet: what the documents of a scenario print, beside what is computed here."""

from __future__ import annotations

from collections.abc import Sequence

from memreport.publish.shown import DocumentedEntry
from memreport.publish.workbook.book import FIRST_ROW, Sheet, head, letter
from memreport.publish.workbook.draft import Draft
from memreport.publish.workbook.marks import mark_where
from memreport.publish.workbook.styles import BAD, GOOD, HEADER, HEADER_NUMBER, LABEL, NAME, NOTE, WARN, Style

WIDTHS = (11, 30, 46, 22, 22, 18, 30, 64)
TITLES = ("Document", "Section", "Statement", "Documented", "Computed", "Difference", "Verdict", "Why")
AMOUNTS = ("Documented", "Computed", "Difference")
SAID = Style(wrap=True, indent=1)
AMOUNT = Style(horizontal="right", wrap=True)
VERDICT = letter(1 + TITLES.index("Verdict"))
LOOKS = {"right": GOOD, "contradicts": BAD, "conflicts": BAD, "argued": WARN}
"""Colours by the first word of the verdict."""


def write(draft: Draft, sheet: Sheet) -> None:
    """Every statement of the documents that the scenario cites."""
    head(sheet, "Documented", "Figures of the cited documents, each computed anew with the inputs that it states.")
    ledger(sheet, FIRST_ROW, draft.report.documented)


def ledger(sheet: Sheet, row: int, entries: Sequence[DocumentedEntry]) -> int:
    """A table of statements with filters, from its header in `row` on; the row after it."""
    sheet.widths(*WIDTHS)
    for column, title in enumerate(TITLES, 1):
        sheet.put(row, column, title, HEADER_NUMBER if title in AMOUNTS else HEADER)
    for at, one in enumerate(entries, row + 1):
        _line(sheet, at, one)
    last = row + len(entries)
    _filters(sheet, row, last)
    sheet.worksheet.freeze_panes = f"A{row + 1}"
    sheet.worksheet.print_title_rows = f"{row}:{row}"
    return last + 1


def _line(sheet: Sheet, row: int, one: DocumentedEntry) -> None:
    sheet.put(row, 1, one.document, NAME)
    sheet.put(row, 2, one.section or None, NOTE)
    sheet.put(row, 3, one.statement, LABEL)
    sheet.row(row, 4, [one.printed or None, one.computed or None, one.difference or None], AMOUNT)
    sheet.put(row, 7, one.words or one.verdict, SAID)
    sheet.put(row, 8, why(one) or None, NOTE)


def why(one: DocumentedEntry) -> str:
    """The reason, with the way of counting where the figure holds by one."""
    counted = f"Counted so: {one.convention}" if one.convention and one.convention != one.note else ""
    return ". ".join(part.rstrip(".") for part in (one.note, counted) if part)


def _filters(sheet: Sheet, row: int, last: int) -> None:
    """Filters work although the sheet is protected; verdicts have a colour beside their words."""
    sheet.worksheet.auto_filter.ref = f"A{row}:{letter(len(TITLES))}{last}"
    sheet.worksheet.protection.autoFilter = False  # openpyxl's way to say that it is allowed
    cells = f"{VERDICT}{row + 1}:{VERDICT}{last}"
    for word, look in LOOKS.items():
        mark_where(sheet, cells, f'LEFT({VERDICT}{row + 1},{len(word)})="{word}"', look)
