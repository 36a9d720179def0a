"""The workbook of the whole catalogue: every variant of every scenario side by side, with filters and links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from openpyxl.worksheet.hyperlink import Hyperlink

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT
from memreport.publish.xlsx.common.draft import BYTES_PER_GIB
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Book, Content, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.marks import mark_words
from memreport.publish.xlsx.sheet.styles import (
    GIBIBYTES,
    HEADER,
    HEADER_NUMBER,
    LABEL,
    LINK,
    MONEY,
    NAME,
    NOTE,
    PERCENT,
    PLAIN,
    STRONG,
    WHOLE,
    Style,
    given,
    number,
)
from memreport.report.build import NO_DATE
from memreport.report.prices import CANNOT_START, NO_PRICE

FILE = "catalogue.xlsx"
ABOUT = (
    "One row a variant, as built; filter by any column. A scenario's name opens its workbook. "
    f"Cost of a variant that {CANNOT_START}."
)
TITLE = "Catalogue of scenarios"
COVER, VARIANTS = "Cover", "Variants"
WORDS = ("Scenario", "Variant", "Verdict", "Title", "Workload", "Model", "Hardware")
NUMBERS = (
    "Peak (byte)", "Usable (byte)", "Peak (GiB)", "Usable (GiB)", "Free (GiB)", "Free (share of usable)",
    "To be approved (USD)",
)  # fmt: skip
WIDTHS = (25, 23, 12.5, 33, 9.5, 21, 22.5, 16, 15, 10, 10, 10, 10, 11.5)
COVER_WIDTHS = (38, 22, 60)
SCENARIO, VERDICT, PEAK, USABLE = "A", "C", "H", "I"
"""Columns of the table that counts and formulas read."""
PADDED, PADDED_HEADER = replace(NOTE, indent=1), replace(HEADER, indent=1)
LINKED = Style(ink=LINK.ink, underlined=True, wrap=True)
MEANINGS = {
    FITS: "fits, also at the high end of the estimate",
    TIGHT: "the expected peak fits, the high end of the estimate does not",
    QUEUES: "the server starts; some of the planned requests wait",
    DOES_NOT_FIT: "the expected peak does not fit",
}


@dataclass(frozen=True)
class _Row:
    """One variant of one scenario."""

    scenario: Mapping[str, Any]
    variant: Mapping[str, Any]
    file: str


def catalogue_book(entries: Sequence[Mapping[str, Any]], version: str) -> bytes:
    """The workbook of a manifest's scenarios (`summary` and names of `files`); equal input gives equal bytes."""
    book = Book()
    cover, variants = book.add(COVER), book.add(VARIANTS)
    rows = list(_rows(entries))
    unit = f"{COVER}!$B${FIRST_ROW + 8}"
    _variants(variants, rows, unit)
    _cover(cover, rows, len(entries), version)
    properties = book.workbook.properties
    properties.title, properties.creator, properties.language = TITLE, "memreport", "en"
    properties.subject = "all scenarios and variants side by side"
    return book.bytes(f"{TITLE}, memreport {version}", NO_DATE)


def _rows(entries: Sequence[Mapping[str, Any]]) -> Iterator[_Row]:
    for entry in entries:
        summary = entry["summary"]
        file = next((name for name in sorted(entry["files"]) if name.endswith(".xlsx")), "")
        for variant in summary["variants"]:
            yield _Row(summary, variant, file)


def _variants(sheet: Sheet, rows: Sequence[_Row], unit: str) -> None:
    """The table: one row a variant, with filters that work although the sheet is protected."""
    sheet.widths(*WIDTHS)
    head(sheet, "Variants", ABOUT)
    sheet.row(FIRST_ROW, 1, list(WORDS), HEADER)
    sheet.row(FIRST_ROW, 1 + len(WORDS), list(NUMBERS), HEADER_NUMBER)
    for row, one in enumerate(rows, FIRST_ROW + 1):
        _line(sheet, row, one, unit)
    last = FIRST_ROW + max(len(rows), 1)
    sheet.worksheet.auto_filter.ref = f"A{FIRST_ROW}:{letter(len(WIDTHS))}{last}"
    sheet.worksheet.protection.autoFilter = sheet.worksheet.protection.sort = False  # openpyxl's way to allow both
    mark_words(sheet, f"{VERDICT}{FIRST_ROW + 1}:{VERDICT}{last}")
    sheet.worksheet.freeze_panes = f"C{FIRST_ROW + 1}"
    sheet.worksheet.print_title_rows = f"{FIRST_ROW}:{FIRST_ROW}"


def _line(sheet: Sheet, row: int, one: _Row, unit: str) -> None:
    scenario, variant = one.scenario, one.variant
    _linked(sheet, row, scenario["id"], one.file)
    sheet.row(row, 2, [variant["name"], variant["word"]], STRONG)
    own = [variant.get(name, scenario[name]) for name in ("model", "hardware")]
    sheet.row(row, 4, [scenario["title"], scenario["workload"], *own], NOTE)
    for column, (content, style) in enumerate(_numbers(row, variant, unit), 1 + len(WORDS)):
        sheet.put(row, column, content, style)
    cost = variant.get("approval_total_usd", variant.get("cost_total_usd"))
    sheet.put(row, len(WIDTHS), NO_PRICE if cost is None else cost, given(MONEY))


def _numbers(row: int, variant: Mapping[str, Any], unit: str) -> Iterator[tuple[Content, Style]]:
    """Peak and usable capacity as built, and what follows from them, as formulas."""
    peak, usable = float(variant["peak_bytes"]), float(variant["capacity_bytes"])
    here = (f"{PEAK}{row}", f"{USABLE}{row}")
    yield peak, given(WHOLE)
    yield usable, given(WHOLE)
    yield Formula(f"{here[0]}/{unit}", peak / BYTES_PER_GIB), number(GIBIBYTES)
    yield Formula(f"{here[1]}/{unit}", usable / BYTES_PER_GIB), number(GIBIBYTES)
    yield Formula(f"({here[1]}-{here[0]})/{unit}", (usable - peak) / BYTES_PER_GIB), number(GIBIBYTES)
    yield Formula(f"IF({here[1]}>0,1-{here[0]}/{here[1]},0)", 1 - peak / usable if usable else 0.0), number(PERCENT)


def _linked(sheet: Sheet, row: int, text: str, file: str) -> None:
    """A scenario's name; a link where its workbook lies beside this one."""
    sheet.put(row, 1, text, LINKED if file else LABEL)
    if file:
        cell = sheet.worksheet.cell(row, 1)
        cell.hyperlink = Hyperlink(ref=cell.coordinate, target=file, tooltip=f"open {file}")


def _cover(sheet: Sheet, rows: Sequence[_Row], scenarios: int, version: str) -> None:
    """Live counts by verdict, what the words mean, how to go on."""
    sheet.widths(*COVER_WIDTHS)
    said = f"{scenarios} scenarios with {len(rows)} variants, as memreport {version} published them."
    head(sheet, TITLE, said, back=False)
    sheet.row(FIRST_ROW, 1, ["Verdict", None], HEADER)
    sheet.put(FIRST_ROW, 3, "What it says", PADDED_HEADER)
    sheet.put(FIRST_ROW, 2, "Variants", HEADER_NUMBER)
    span = f"{VARIANTS}!${VERDICT}${FIRST_ROW + 1}:${VERDICT}${FIRST_ROW + max(len(rows), 1)}"
    for row, (word, meaning) in enumerate(MEANINGS.items(), FIRST_ROW + 1):
        count = sum(one.variant["word"] == word for one in rows)
        sheet.put(row, 1, word, STRONG)
        sheet.put(row, 2, Formula(f"SUMPRODUCT(--({span}=$A{row}))", float(count)), number(WHOLE))
        sheet.put(row, 3, meaning, PADDED)
    row = FIRST_ROW + 1 + len(MEANINGS)
    total = f"SUM(B{FIRST_ROW + 1}:B{row - 1})"
    sheet.put(row, 1, "All variants", STRONG)
    sheet.put(row, 2, Formula(total, float(len(rows))), number(WHOLE, bold=True))
    sheet.link(row + 2, 1, VARIANTS, f"{VARIANTS}!A1")
    sheet.put(FIRST_ROW + 7, 1, "Named number", HEADER)
    sheet.row(FIRST_ROW + 7, 2, ["Value"], HEADER_NUMBER)
    sheet.put(FIRST_ROW + 7, 3, "Meaning", PADDED_HEADER)
    sheet.put(FIRST_ROW + 8, 1, BYTES_PER_GIB.name, NAME)
    sheet.put(FIRST_ROW + 8, 2, float(BYTES_PER_GIB), given(PLAIN))
    sheet.put(FIRST_ROW + 8, 3, BYTES_PER_GIB.meaning, PADDED)
