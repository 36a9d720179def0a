"""The workbook of the whole ledger: live counts by document and verdict, what is wrong, every statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memreport.ledger import agreement
from memreport.ledger.judging import CONFLICTS, CONTRADICTS, KINDS, REPRODUCES, UNDER
from memreport.publish.xlsx.common.draft import Result
from memreport.publish.xlsx.common.named_numbers import constants_table, named_in, recordings, units_table
from memreport.publish.xlsx.common.titles import DOCUMENTED_STEPS
from memreport.publish.xlsx.ledger.calculation import ABOUT, Named
from memreport.publish.xlsx.ledger.results import write_steps
from memreport.publish.xlsx.ledger.sheet import PADDED, PADDED_HEADER, TITLES, by_number, ledger, printed_places
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Book, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.styles import HEADER, HEADER_NUMBER, LABEL, NOTE, STRONG, WHOLE, number
from memreport.report.build import NO_DATE
from memreport.report.records.documented import DocumentedEntry

if TYPE_CHECKING:
    from memreport.report.documented.ledger import JudgedDocument, LedgerReport, Statement

WIDTHS = (14, 62, *([15] * (len(KINDS) + 1)))
COUNTS, ERRATA, ALL, REFERENCE = "Cover", "Contradictions", "Statements", "Reference"
ABOUT_WRONG = "What the documents print and should not, with the right value and why."
ABOUT_ALL = "Every statement of every document; filter by document, verdict or kind; yellow values may be typed over."
KIND_COLUMN = len(TITLES) + 1
"""Where Statements holds the kind of a verdict, behind the columns that Documented sheets have too."""
BY_NUMBER = (REPRODUCES, UNDER, CONTRADICTS)
"""Kinds in the order of the verdict's number."""


def ledger_book(made: LedgerReport, title: str, footer: str) -> bytes:
    """The workbook; equal input gives equal bytes."""
    book = Book()
    cover, errata, everything, steps, reference = (
        book.add(name) for name in (COUNTS, ERRATA, ALL, DOCUMENTED_STEPS, REFERENCE)
    )
    statements = [statement for document in made.documents for statement in document.statements]
    shown = [statement.shown for statement in statements]
    places = printed_places(everything, FIRST_ROW, shown)
    head(steps, DOCUMENTED_STEPS, ABOUT)
    outcomes = write_steps(steps, FIRST_ROW, shown, places, _reference(reference, shown))
    steps.seal(footer)
    wrong = [statement.shown for statement in statements if statement.kind in (CONTRADICTS, CONFLICTS)]
    head(errata, "Contradictions and conflicts", ABOUT_WRONG)
    ledger(errata, FIRST_ROW, wrong, outcomes, places)
    head(everything, ALL, ABOUT_ALL)
    ledger(everything, FIRST_ROW, shown, outcomes)
    _kinds(everything, statements, outcomes)
    _cover(cover, made, title)
    _describe(book, title)
    return book.bytes(footer, NO_DATE)


def _describe(book: Book, title: str) -> None:
    """What the file says of itself."""
    properties = book.workbook.properties
    properties.title, properties.creator, properties.language = title, "memreport", "en"
    properties.subject = "figures of documents, each recomputed"


def _reference(sheet: Sheet, entries: Sequence[DocumentedEntry]) -> Named:
    """Named numbers and printed units."""
    sheet.widths(36, 40, 60, 18, 22)
    head(sheet, REFERENCE, "Named numbers that formulas use, and the units that the documents print.")
    row, constants = constants_table(sheet, FIRST_ROW, named_in(recordings(entries), agreement.CONSTANTS))
    _, units = units_table(sheet, row, entries)
    sheet.worksheet.freeze_panes = f"B{FIRST_ROW}"
    return Named(constants, units)


def _kinds(sheet: Sheet, statements: Sequence[Statement], outcomes: Mapping[str, Result]) -> None:
    """The kind of each verdict, by formula where arithmetic decides it."""
    sheet.width(KIND_COLUMN, 18)
    sheet.put(FIRST_ROW, KIND_COLUMN, "Kind", PADDED_HEADER)
    for row, statement in enumerate(statements, FIRST_ROW + 1):
        judged = statement.id in outcomes and statement.kind in (*BY_NUMBER, CONFLICTS)
        content = by_number(outcomes[statement.id], BY_NUMBER, CONFLICTS, statement.kind) if judged else statement.kind
        sheet.put(row, KIND_COLUMN, content, PADDED)
    last = FIRST_ROW + len(statements)
    sheet.worksheet.auto_filter.ref = f"A{FIRST_ROW}:{letter(KIND_COLUMN)}{last}"


def _cover(sheet: Sheet, made: LedgerReport, title: str) -> None:
    from memreport.report.documented.ledger import KIND_MEANINGS, KIND_TITLES

    sheet.widths(*WIDTHS)
    head(sheet, title, made.sentence, back=False)
    sheet.row(FIRST_ROW, 1, ["Document", "Title"], HEADER)
    sheet.row(FIRST_ROW, 3, [*(KIND_TITLES[kind] for kind in KINDS), "All"], HEADER_NUMBER)
    row = _counts(sheet, made, FIRST_ROW + 1) + 1
    sheet.row(row, 1, ["Verdict", "What it says"], HEADER)
    for place, kind in enumerate(KINDS, row + 1):
        sheet.put(place, 1, KIND_TITLES[kind], LABEL)
        sheet.put(place, 2, KIND_MEANINGS[kind], NOTE)
    for place, target in enumerate((ERRATA, ALL, DOCUMENTED_STEPS, REFERENCE), row + len(KINDS) + 2):
        sheet.link(place, 1, target, f"{sheet.book.sheets[target].quoted}!A1")


def _counts(sheet: Sheet, made: LedgerReport, first: int) -> int:
    """One row a document and one of sums; the row after them."""
    total = first + len(made.documents)
    for row, document in enumerate(made.documents, first):
        _count(sheet, row, document, made.totals[-1])
    sheet.row(total, 1, ["All", None], STRONG)
    for rank, whole in enumerate(made.totals, 3):
        span = f"{letter(rank)}{first}:{letter(rank)}{total - 1}"
        sheet.put(total, rank, Formula(f"SUM({span})", float(whole)), number(WHOLE, bold=True))
    return total + 1


def _count(sheet: Sheet, row: int, document: JudgedDocument, statements: int) -> None:
    """A document's statements by kind, counted on the sheet of statements."""
    listed, last = sheet.book.sheets[ALL], FIRST_ROW + statements
    documents, kinds = (listed.span(FIRST_ROW + 1, index, last, index) for index in (1, KIND_COLUMN))
    sheet.put(row, 1, document.name, STRONG)
    sheet.put(row, 2, document.title, LABEL)
    for rank, (kind, count) in enumerate(zip(KINDS, document.counts, strict=False), 3):
        text = f'SUMPRODUCT(({documents}=$A{row})*({kinds}="{kind}"))'
        sheet.put(row, rank, Formula(text, float(count)), number(WHOLE))
    span = f"C{row}:{letter(2 + len(KINDS))}{row}"
    sheet.put(row, 3 + len(KINDS), Formula(f"SUM({span})", float(document.counts[-1])), number(WHOLE))
