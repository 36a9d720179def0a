"""The sheets of a workbook, in their order, and the order in which they can be written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memreport.compute import Computed
from memreport.publish.shown import Report
from memreport.publish.view import View
from memreport.publish.workbook import calculation_sheet, inputs_sheet, reference_sheets
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


def pages(view: View) -> Iterator[Page]:
    """The sheets in the order in which they stand; a new kind of sheet is one more line here."""
    yield Page("Inputs", "everything that may be changed, one column a variant", inputs_sheet.write, 1)
    yield Page("Hardware", "accelerators, hosts, prices and links", reference_sheets.write_hardware, 3)
    yield Page("Reference", "named numbers, words and tables of choices", reference_sheets.write_reference, 2)
    yield Page("Calculation", "every figure as one formula, one column a variant", calculation_sheet.write, 4)


def workbook_bytes(computed: Computed, report: Report) -> bytes:
    """The workbook of one scenario.  Equal input gives equal bytes.  Raises PublishingError."""
    draft = Draft(Book(), View(computed), report)
    listed = list(pages(draft.view))
    for page in listed:
        draft.book.add(page.title)
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
