"""The sheets of a workbook, in their order, and the order in which they can be written."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memreport.compute import Computed
from memreport.publish.cells import LONGEST_SHEET_NAME
from memreport.publish.shown import Report
from memreport.publish.view import View, title_of
from memreport.publish.workbook import (
    calculation_sheet,
    checks_sheet,
    cost_sheet,
    cover,
    documented_calculation,
    documented_sheet,
    focus_sheet,
    inputs_sheet,
    ownership_sheet,
    plan_sheet,
    reference_sheets,
    roofline_sheet,
    sensitivity_sheet,
    sources_sheet,
    table_sheets,
)
from memreport.publish.workbook.book import Book, Sheet
from memreport.publish.workbook.draft import Draft

Writer = Callable[[Draft, Sheet], None]


@dataclass(frozen=True)
class Page:
    """A sheet: its title, what it holds in a few words, who writes it, and when (low ranks first)."""

    title: str
    about: str
    write: Writer
    rank: int = 5


def pages(view: View, report: Report) -> Iterator[Page]:
    """The sheets in the order in which they stand; a new kind of sheet is one more line here."""
    yield Page("Cover", "the answer", cover.write, 9)
    yield Page("Inputs", "everything that may be changed, one column a variant", inputs_sheet.write, 1)
    yield Page("Hardware", "accelerators, hosts, prices and links", reference_sheets.write_hardware, 3)
    yield Page("Reference", "named numbers, words and tables of choices", reference_sheets.write_reference, 2)
    yield Page("Calculation", "every figure as one formula, one column a variant", calculation_sheet.write, 4)
    for at, table in enumerate(view.scenario.tables):
        title = textwrap.shorten(f"Table {at + 1} {title_of(table.figure)}", LONGEST_SHEET_NAME, placeholder="")
        yield Page(title, table.title, table_sheets.writer(at))
    if report.plan:
        yield Page("Plan", "ways out, best combinations, as values at build", plan_sheet.write)
    if report.tornado:
        yield Page(
            sensitivity_sheet.TITLE, "what moves the answer: each input at both ends, live", sensitivity_sheet.write
        )
    yield Page("Roofline", "what limits each kernel of one variant", roofline_sheet.write)
    yield Page("Cost", "the bill, its shares, rent against purchase", cost_sheet.write)
    if report.rent_or_buy:
        yield Page(ownership_sheet.TITLE, "cash paid by month, and from when buying is cheaper", ownership_sheet.write)
    if report.cost:
        yield Page(focus_sheet.TITLE, "the bill in the columns that cost tools load", focus_sheet.write)
    if report.documented:
        yield Page("Documented", "figures of the cited documents, computed anew", documented_sheet.write, 6)
        about = "each of those figures in steps, its inputs open to change"
        yield Page(documented_calculation.TITLE, about, documented_sheet.write_calculation)
    yield Page("Checks", "totals by two routes, values at build, changed inputs", checks_sheet.write, 6)
    yield Page("Sources", "sources, change log, every figure of every accelerator", sources_sheet.write)


def workbook_bytes(computed: Computed, report: Report) -> bytes:
    """The workbook of one scenario.  Equal input gives equal bytes.  Raises PublishingError."""
    draft = Draft(Book(), View(computed), report)
    listed = list(pages(draft.view, report))
    for page in listed:
        draft.book.add(page.title)
    draft.contents = [(page.title, page.about) for page in listed[1:]]
    for page in sorted(listed, key=lambda page: page.rank):
        page.write(draft, draft.book.sheets[page.title])
    _describe(draft)
    identity = report.identity
    footer = f"{identity.id}, version {identity.version}, {identity.sha256[:12]}, memreport {identity.memreport}"
    return draft.book.bytes(footer, identity.date)


def _describe(draft: Draft) -> None:
    """What the file says of itself."""
    properties, identity = draft.book.workbook.properties, draft.report.identity
    properties.title, properties.creator, properties.language = identity.title, "memreport", "en"
    properties.subject = "memory, speed and cost of a large model"
    properties.identifier = identity.sha256
