"""Every fact of every GPU with its source, once for all scenarios, whose own workbooks hold what they read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from memreport.catalogue.records import Table
from memreport.publish.xlsx.common.gpu_sources import (
    ADDRESS_COLUMN,
    NOTE_COLUMN,
    WIDTHS,
    write_gpu_sources,
    write_heading,
)
from memreport.publish.xlsx.common.titles import HARDWARE, SOURCES
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Book, Sheet, head, letter
from memreport.publish.xlsx.sheet.styles import GREY, HEADER, HEADER_NUMBER, LABEL, NAME, NOTE, format_of, given

Gpu = tuple[Table, int]
"""A table of GPUs and the place of one in it."""
DESCRIBED = ("id", "title")
UNIT = replace(NAME, horizontal="right")
COLUMN_WIDTH = 14.2


def write_gpus(book: Book, tables: Iterable[Table]) -> None:
    """The two sheets; none where there is no table."""
    gpus = list(_distinct(tables))
    if gpus:
        _facts(_grey(book, HARDWARE), gpus)
        _sources(_grey(book, SOURCES), gpus)


def _grey(book: Book, title: str) -> Sheet:
    sheet = book.add(title)
    sheet.worksheet.sheet_properties.tabColor = GREY
    return sheet


def _head(sheet: Sheet, title: str, said: str) -> None:
    """Title and subtitle, which are all that is printed: the rest would be hundreds of pages."""
    head(sheet, title, f"{said} For the screen; filter by GPU. Not printed.")
    sheet.worksheet.print_area = f"A1:{letter(NOTE_COLUMN)}2"


def _distinct(tables: Iterable[Table]) -> Iterator[Gpu]:
    """Every GPU; one twice where scenarios have other facts of it, from files of their own."""
    seen: set[tuple[object, ...]] = set()
    for table in tables:
        for index, key in enumerate(table.ids):
            facts = key, *((column.values[index], column.sources[index]) for column in table.columns.values())
            if facts not in seen:
                seen.add(facts)
                yield table, index


def _facts(sheet: Sheet, gpus: list[Gpu]) -> None:
    """A row a GPU, a column a fact, numbers before words."""
    table = gpus[0][0]
    numbers, words, first = list(table.columns.values()), list(table.texts), FIRST_ROW + 2
    sheet.widths(25, 30, *[COLUMN_WIDTH] * (len(numbers) + len(words)))
    _head(sheet, HARDWARE, f"Every fact of every GPU, in base units; where each is from stands on {SOURCES}.")
    sheet.row(FIRST_ROW, 1, list(DESCRIBED), HEADER)
    sheet.row(FIRST_ROW, 3, [column.name.replace("_", " ") for column in numbers], HEADER_NUMBER)
    sheet.row(FIRST_ROW, 3 + len(numbers), [word.replace("_", " ") for word in words], HEADER)
    sheet.row(FIRST_ROW + 1, 3, [column.unit for column in numbers], UNIT)
    looks = [given(format_of(column.unit, list(column.values))) for column in numbers]
    for row, (of, index) in enumerate(gpus, first):
        sheet.row(row, 1, [str(of.ids[index]), of.titles[index]], LABEL)
        for place, (column, look) in enumerate(zip(numbers, looks, strict=True), 3):
            sheet.put(row, place, of.columns[column.name].values[index], look)
        sheet.row(row, 3 + len(numbers), [of.texts[word][index] or None for word in words], NOTE)
    sheet.filtered(FIRST_ROW + 1, first + len(gpus) - 1, 2, "C")


def _sources(sheet: Sheet, gpus: list[Gpu]) -> None:
    """A row for each source of each GPU."""
    sheet.widths(*WIDTHS)
    _head(sheet, SOURCES, f"Where every fact of {HARDWARE} is from.")
    row = write_heading(sheet, FIRST_ROW, "Every figure of every GPU, by source")
    for table, index in gpus:
        row = write_gpu_sources(sheet, row, table, index, table.columns)
    sheet.filtered(FIRST_ROW + 1, row - 1, ADDRESS_COLUMN, "A")
