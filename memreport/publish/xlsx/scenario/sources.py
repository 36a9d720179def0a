"""Sources and change log: where each number comes from, and what changed between versions of the scenario."""

from __future__ import annotations

from memreport.catalogue.quantities import GIB
from memreport.publish.xlsx.common.draft import Draft
from memreport.publish.xlsx.common.gpu_sources import (
    ADDRESS_COLUMN,
    NOTE_COLUMN,
    PADDED,
    WIDTHS,
    write_address,
    write_gpu_sources,
    write_heading,
)
from memreport.publish.xlsx.common.titles import SOURCES
from memreport.publish.xlsx.scenario.reference import ALL_FACTS, columns_read
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Sheet, head, letter
from memreport.publish.xlsx.sheet.styles import GIBIBYTES, HEADER_NUMBER, LABEL, NOTE, NOTE_BARE, given
from memreport.report.changes.rows import difference_rows
from memreport.report.documented.documents import cited_sentence


def write(draft: Draft, sheet: Sheet) -> None:
    """The scenario's sources, each figure of each GPU, the change log."""
    sheet.widths(*WIDTHS)
    said = "Sources of the scenario and of the figures of its GPUs, and what changed."
    head(sheet, SOURCES, f"{said} Addresses in column {letter(ADDRESS_COLUMN)} are not printed.")
    row = _listed(draft, sheet, FIRST_ROW)
    row = _not_stated(draft, sheet, row + 1)
    row = _changes(draft, sheet, row + 1)
    _accelerators(draft, sheet, row + 1)
    sheet.worksheet.print_area = f"A1:{letter(NOTE_COLUMN)}{sheet.worksheet.max_row}"
    sheet.worksheet.freeze_panes = f"A{FIRST_ROW}"


def _listed(draft: Draft, sheet: Sheet, row: int) -> int:
    columns = ("No.", "Used for", None, None, None, "Source", "Date", None, "Address")
    row = write_heading(sheet, row, "Sources of the scenario", columns)
    for source in draft.report.sources:
        sheet.row(
            row,
            1,
            [str(source.number), source.used_for, None, None, None, source.title, source.date or None, None],
            LABEL,
        )
        write_address(sheet, row, source.address)
        row += 1
    said = cited_sentence(draft.report.documented.entries, "documented.xlsx")
    if said:
        sheet.put(row, 2, said, NOTE_BARE)
    return row + bool(said)


def _not_stated(draft: Draft, sheet: Sheet, row: int) -> int:
    """Inputs of the first variant that have a default: the peak and the verdict under every other choice."""
    if draft.report.not_stated is None:
        return row - 1
    title, chosen = "Not stated in the scenario, so assumed: values at build", draft.report.not_stated.rows
    if chosen:
        columns = (None, "Input", "Choice", None, "Verdict", "Peak and verdict if nothing else changes")
        row = write_heading(sheet, row, title, columns)
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
    row = write_heading(sheet, row, "Change log", ("Version", "Date", None, None, None, "Change"))
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
    """What each source says of the scenario's GPUs; the numbers themselves stand on Hardware."""
    table, read = draft.view.resolved.catalogue.tables["accelerators"], columns_read(draft)
    row = write_heading(sheet, row, f"Figures of the GPUs of this scenario, by source. {ALL_FACTS}")
    used = {case.settings["accelerator"] for case in draft.view.resolved.cases}
    for index, key in enumerate(table.ids):
        if key in used:
            row = write_gpu_sources(sheet, row, table, index, read)
