"""Where each figure of a GPU comes from, a row a source: the same on Sources of a scenario and of the catalogue."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from memreport.catalogue.records import Source, Table
from memreport.escaping import link
from memreport.publish.xlsx.sheet.book import Sheet
from memreport.publish.xlsx.sheet.styles import HEADER, LINK_INK, NAME, NOTE, Style

WIDTHS = (7, 27, 36, 11, 13, 60, 11, 50, 120)
"""Of the sheets that are called Sources."""
COLUMNS = (None, "Accelerator", "Figures", None, "Basis", "Source", "Date", "Note", "Address")
NOTE_COLUMN, ADDRESS_COLUMN = 8, 9
ADDRESS = Style(ink=LINK_INK, underlined=True)
PADDED = replace(NAME, indent=1)


def write_heading(sheet: Sheet, row: int, title: str, columns: tuple[str | None, ...] = COLUMNS) -> int:
    """A title and the heads of its columns; the row below."""
    sheet.band(row, title, len(WIDTHS))
    sheet.row(row + 1, 1, list(columns), HEADER)
    return row + 2


def write_gpu_sources(sheet: Sheet, row: int, table: Table, index: int, shown: Container[str]) -> int:
    """What each source says of a GPU, of the columns that are shown; the next free row."""
    for (source, basis, note), names in _by_source(table, index, shown).items():
        sheet.row(row, 2, [table.titles[index], ", ".join(names)], NOTE)
        sheet.put(row, 5, basis, PADDED)
        sheet.row(row, 6, [source.title or None, source.date or None, note or None], NOTE)
        write_address(sheet, row, source.address)
        row += 1
    return row


def write_address(sheet: Sheet, row: int, address: str) -> None:
    """A link where the address is one of the web; else its text."""
    if link(address):
        sheet.link(row, ADDRESS_COLUMN, address, address, ADDRESS)
    else:
        sheet.put(row, ADDRESS_COLUMN, address or None, NOTE)


def _by_source(table: Table, index: int, shown: Container[str]) -> Mapping[tuple[Source, str, str], list[str]]:
    """The columns of one row of a table, by where their numbers come from, on what basis, with which note."""
    found: dict[tuple[Source, str, str], list[str]] = {}
    for column in table.columns.values():
        if column.name in shown:
            found.setdefault((column.sources[index], column.bases[index], column.notes[index]), []).append(column.name)
    return found
