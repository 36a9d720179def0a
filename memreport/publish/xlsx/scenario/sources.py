"""Sources and change log: where each number comes from, and what changed between versions of the scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memreport.catalogue.quantities import GIB
from memreport.catalogue.records import Source, Table
from memreport.escaping import link
from memreport.publish.xlsx.common.draft import Draft
from memreport.publish.xlsx.common.titles import SOURCES
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Sheet, head, letter
from memreport.publish.xlsx.sheet.styles import (
    GIBIBYTES,
    HEADER,
    HEADER_NUMBER,
    LABEL,
    LINK_INK,
    NAME,
    NOTE,
    NOTE_BARE,
    Style,
    given,
)
from memreport.report.changes.rows import difference_rows
from memreport.report.documented.documents import cited_sentence

WIDTHS = (7, 27, 36, 11, 13, 60, 11, 50, 120)
ADDRESS = Style(ink=LINK_INK, underlined=True)
PADDED = replace(NAME, indent=1)
NOTE_COLUMN, ADDRESS_COLUMN = 8, 9


def write(draft: Draft, sheet: Sheet) -> None:
    """The scenario's sources, each figure of each GPU, the change log."""
    sheet.widths(*WIDTHS)
    said = "Sources of the scenario, of every GPU's figures, and what changed."
    head(sheet, SOURCES, f"{said} Addresses in column {letter(ADDRESS_COLUMN)} are not printed.")
    row = _listed(draft, sheet, FIRST_ROW)
    row = _not_stated(draft, sheet, row + 1)
    row = _changes(draft, sheet, row + 1)
    _accelerators(draft, sheet, row + 1)
    sheet.worksheet.print_area = f"A1:{letter(NOTE_COLUMN)}{sheet.worksheet.max_row}"
    sheet.worksheet.freeze_panes = f"A{FIRST_ROW}"


def _heading(sheet: Sheet, row: int, title: str, columns: tuple[str | None, ...]) -> int:
    sheet.band(row, title, len(WIDTHS))
    sheet.row(row + 1, 1, list(columns), HEADER)
    return row + 2


def _listed(draft: Draft, sheet: Sheet, row: int) -> int:
    columns = ("No.", "Used for", None, None, None, "Source", "Date", None, "Address")
    row = _heading(sheet, row, "Sources of the scenario", columns)
    for source in draft.report.sources:
        sheet.row(
            row,
            1,
            [str(source.number), source.used_for, None, None, None, source.title, source.date or None, None],
            LABEL,
        )
        _address(sheet, row, source.address)
        row += 1
    said = cited_sentence(draft.report.documented.entries, "documented.xlsx")
    if said:
        sheet.put(row, 2, said, NOTE_BARE)
    return row + bool(said)


def _address(sheet: Sheet, row: int, address: str) -> None:
    if link(address):
        sheet.link(row, ADDRESS_COLUMN, address, address, ADDRESS)
    else:
        sheet.put(row, ADDRESS_COLUMN, address or None, NOTE)


def _not_stated(draft: Draft, sheet: Sheet, row: int) -> int:
    """Inputs of the first variant that have a default: the peak and the verdict under every other choice."""
    if draft.report.not_stated is None:
        return row - 1
    title, chosen = "Not stated in the scenario, so assumed: values at build", draft.report.not_stated.rows
    if chosen:
        columns = (None, "Input", "Choice", None, "Verdict", "Peak and verdict if nothing else changes")
        row = _heading(sheet, row, title, columns)
        sheet.put(row - 1, 4, "Peak (GiB)", HEADER_NUMBER)
    else:
        sheet.band(row, title, len(WIDTHS))
        row += 1
    sheet.put(row, 2, draft.report.not_stated.sentence, NOTE_BARE)
    row += 1
    for choice in chosen:
        sheet.row(row, 2, [choice.title, choice.choice], LABEL)
        sheet.put(row, 4, choice.peak / GIB, given(GIBIBYTES))
        sheet.put(row, 5, choice.word, PADDED)
        sheet.put(row, 6, "as assumed" if choice.assumed else None, NOTE)
        row += 1
    return row


def _changes(draft: Draft, sheet: Sheet, row: int) -> int:
    row = _heading(sheet, row, "Change log", ("Version", "Date", None, None, None, "Change"))
    for change in draft.report.history.changes:
        sheet.row(row, 1, [str(change.version), change.date, None, None, None, change.note], LABEL)
        row += 1
    return _since(draft, sheet, row)


def _since(draft: Draft, sheet: Sheet, row: int) -> int:
    """What changed since the previous version: the sentence, then verdicts, costs and inputs."""
    since = draft.report.history.since
    if since is None:
        return row
    place = f" ({since.place})" if since.place else ""
    sheet.put(row, 6, f"Against the previous version{place}: {since.sentence}", LABEL)
    for cells in difference_rows(since.made) if since.made else ():
        row += 1
        sheet.put(row, 6, "; ".join(cells), NOTE)
    return row + 1


def _accelerators(draft: Draft, sheet: Sheet, row: int) -> None:
    """What each source says of a GPU, in one row; the numbers themselves stand on Hardware."""
    table = draft.view.resolved.catalogue.tables["accelerators"]
    columns = (None, "Accelerator", "Figures", None, "Basis", "Source", "Date", "Note", "Address")
    row = _heading(sheet, row, "Every figure of every GPU, by source", columns)
    used = {case.settings["accelerator"] for case in draft.view.resolved.cases}
    for index, title in enumerate(table.titles):
        found = _by_source(table, index)
        if table.ids[index] not in used:
            sheet.fold(row, row + len(found) - 1)
        for (source, basis, note), names in found.items():
            sheet.row(row, 2, [title, ", ".join(names), None], NOTE)
            sheet.put(row, 5, basis, PADDED)
            sheet.row(row, 6, [source.title or None, source.date or None, note or None], NOTE)
            _address(sheet, row, source.address)
            row += 1


def _by_source(table: Table, index: int) -> Mapping[tuple[Source, str, str], list[str]]:
    """The columns of one row of a table, by where their numbers come from, on what basis, with which note."""
    found: dict[tuple[Source, str, str], list[str]] = {}
    for column in table.columns.values():
        found.setdefault((column.sources[index], column.bases[index], column.notes[index]), []).append(column.name)
    return found
