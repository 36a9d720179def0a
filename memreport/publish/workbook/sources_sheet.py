"""Sources and change log: where each number comes from, and what changed between versions of the scenario."""

from __future__ import annotations

from memreport.publish.workbook.book import FIRST_ROW, Sheet, head
from memreport.publish.workbook.draft import Draft
from memreport.publish.workbook.styles import HEADER, HEADER_NUMBER, HEADING, LABEL, NAME, NOTE, Style, format_of, given

WIDTHS = (10, 30, 28, 20, 14, 58, 12, 60)
ADDRESS = Style(ink="0B5CAD", underlined=True, wrap=True)
WEB = ("http://", "https://")


def write(draft: Draft, sheet: Sheet) -> None:
    """The scenario's sources, each figure of each accelerator, the change log."""
    sheet.widths(*WIDTHS)
    head(sheet, "Sources", "Sources of the scenario, of every accelerator's figures, and what changed.")
    row = _listed(draft, sheet, FIRST_ROW)
    row = _changes(draft, sheet, row + 1)
    _accelerators(draft, sheet, row + 1)
    sheet.worksheet.freeze_panes = f"A{FIRST_ROW}"


def _heading(sheet: Sheet, row: int, title: str, columns: tuple[str | None, ...]) -> int:
    sheet.row(row, 1, [title, *[None] * (len(WIDTHS) - 1)], HEADING)
    sheet.row(row + 1, 1, list(columns), HEADER)
    return row + 2


def _listed(draft: Draft, sheet: Sheet, row: int) -> int:
    columns = ("No.", "Used for", None, None, "Date", "Source", None, "Address")
    row = _heading(sheet, row, "Sources of the scenario", columns)
    for source in draft.report.sources:
        sheet.row(row, 1, [str(source.number), source.used_for, None, None, source.date or None, source.title], LABEL)
        _address(sheet, row, 8, source.address)
        row += 1
    return row


def _address(sheet: Sheet, row: int, column: int, address: str) -> None:
    if address.startswith(WEB):
        sheet.link(row, column, address, address, ADDRESS)
    else:
        sheet.put(row, column, address or None, NOTE)


def _changes(draft: Draft, sheet: Sheet, row: int) -> int:
    row = _heading(sheet, row, "Change log", ("Version", "Change", None, None, "Date"))
    for change in draft.report.changes:
        sheet.row(row, 1, [str(change.version), change.note, None, None, change.date], LABEL)
        row += 1
    return row


def _accelerators(draft: Draft, sheet: Sheet, row: int) -> None:
    table = draft.view.resolved.catalogue.tables["accelerators"]
    columns = ("", "Accelerator", "Figure", "Value", "Basis", "Source", "Date", "Note")
    row = _heading(sheet, row, "Every figure of every accelerator, in base units", columns)
    sheet.put(row - 1, 4, "Value", HEADER_NUMBER)
    for at, title in enumerate(table.titles):
        for column in table.columns.values():
            source = column.sources[at]
            sheet.row(row, 2, [title, column.name], NAME)
            sheet.put(row, 4, column.values[at], given(format_of(column.unit)))
            sheet.put(row, 5, column.bases[at], NAME)
            _source(sheet, row, source.title, source.address)
            sheet.put(row, 7, source.date or None, NAME)
            sheet.put(row, 8, column.notes[at] or None, NOTE)
            row += 1


def _source(sheet: Sheet, row: int, title: str, address: str) -> None:
    if address.startswith(WEB):
        sheet.link(row, 6, title, address, ADDRESS)
    else:
        sheet.put(row, 6, title or None, NOTE)
