"""The workbook of the whole catalogue: a row a scenario to sum, every variant side by side, every GPU."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memreport.catalogue.quantities import GIB
from memreport.catalogue.records import Table
from memreport.frozen import frozen
from memreport.publish.xlsx.catalogue_gpus import write_gpus
from memreport.publish.xlsx.catalogue_scenarios import SCENARIOS, TITLE, USD, put_linked, workbook_of, write_scenarios
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Book, Content, Formula, Sheet, head
from memreport.publish.xlsx.sheet.marks import mark_words
from memreport.publish.xlsx.sheet.styles import (
    GIBIBYTES,
    HEADER,
    HEADER_NUMBER,
    NOTE,
    PERCENT,
    STRONG,
    Style,
    given,
    number,
)
from memreport.report.build import NO_DATE
from memreport.report.money.prices import CANNOT_START, NO_PRICE

VARIANTS = "Variants"
ABOUT = (
    "One row a variant, as built; filter by any column. Tight: the expected peak fits, the high end of the estimate "
    f"does not. Queues: the server starts, some requests wait. Cost of a variant that {CANNOT_START}."
)
WORDS = ("Scenario", "Variant", "Verdict", "Title", "Workload", "Model", "Hardware")
NUMBERS = ("Peak (GiB)", "Usable (GiB)", "Headroom (GiB)", "Headroom (share of usable)", "To be approved (USD)")
WIDTHS = (25, 23, 12.5, 33, 9.5, 21, 22.5, 10, 10, 11, 11.5, 12)
VERDICT, PEAK, USABLE = "C", "H", "I"
"""Columns of the table that formulas and colours read."""


@frozen
class _Row:
    """One variant of one scenario."""

    scenario: Mapping[str, Any]
    variant: Mapping[str, Any]
    file: str


def catalogue_book(entries: Sequence[Mapping[str, Any]], version: str, gpus: Iterable[Table] = ()) -> bytes:
    """The workbook of a manifest's scenarios (`summary` and names of `files`), and of the GPUs that these may name.

    Equal input gives equal bytes.
    """
    book = Book()
    scenarios, variants = book.add(SCENARIOS), book.add(VARIANTS)
    write_scenarios(scenarios, entries, version)
    _variants(variants, list(_rows(entries)))
    write_gpus(book, gpus)
    properties = book.workbook.properties
    properties.title, properties.creator, properties.language = TITLE, "memreport", "en"
    properties.subject = "all scenarios, all variants side by side, and every fact of every GPU"
    return book.bytes(f"{TITLE}, memreport {version}", NO_DATE)


def _rows(entries: Sequence[Mapping[str, Any]]) -> Iterator[_Row]:
    for entry in entries:
        for variant in entry["summary"]["variants"]:
            yield _Row(entry["summary"], variant, workbook_of(entry))


def _variants(sheet: Sheet, rows: Sequence[_Row]) -> None:
    """The table: one row a variant, with filters that work although the sheet is protected."""
    sheet.widths(*WIDTHS)
    head(sheet, VARIANTS, ABOUT)
    sheet.row(FIRST_ROW, 1, list(WORDS), HEADER)
    sheet.row(FIRST_ROW, 1 + len(WORDS), list(NUMBERS), HEADER_NUMBER)
    for row, listed in enumerate(rows, FIRST_ROW + 1):
        _line(sheet, row, listed)
    last = FIRST_ROW + max(len(rows), 1)
    sheet.filtered(FIRST_ROW, last, len(WIDTHS), "C", sortable=True)
    mark_words(sheet, f"{VERDICT}{FIRST_ROW + 1}:{VERDICT}{last}")


def _line(sheet: Sheet, row: int, listed: _Row) -> None:
    scenario, variant = listed.scenario, listed.variant
    put_linked(sheet, row, scenario["id"], listed.file)
    sheet.row(row, 2, [variant["name"], variant["word"]], STRONG)
    own = [variant.get(name, scenario[name]) for name in ("model", "hardware")]
    sheet.row(row, 4, [scenario["title"], scenario["workload"], *own], NOTE)
    for column, (content, style) in enumerate(_numbers(row, variant), 1 + len(WORDS)):
        sheet.put(row, column, content, style)
    cost = variant.get("approval_total_usd", variant.get("cost_total_usd"))
    sheet.put(row, len(WIDTHS), NO_PRICE if cost is None else cost, given(USD))


def _numbers(row: int, variant: Mapping[str, Any]) -> Iterator[tuple[Content, Style]]:
    """Peak and usable capacity as built, and what follows from them, as formulas."""
    peak, usable = (float(variant[name]) / GIB for name in ("peak_bytes", "capacity_bytes"))
    here = (f"{PEAK}{row}", f"{USABLE}{row}")
    yield peak, given(GIBIBYTES)
    yield usable, given(GIBIBYTES)
    yield Formula(f"{here[1]}-{here[0]}", usable - peak), number(GIBIBYTES)
    yield Formula(f"IF({here[1]}>0,1-{here[0]}/{here[1]},0)", 1 - peak / usable if usable else 0.0), number(PERCENT)
