"""The workbook of the whole ledger: live counts by document and verdict, what is wrong, every statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memreport.publish.report import NO_DATE
from memreport.publish.workbook.book import FIRST_ROW, Book, Formula, Sheet, head, letter
from memreport.publish.workbook.documented_sheet import TITLES, ledger
from memreport.publish.workbook.styles import HEADER, HEADER_NUMBER, LABEL, NAME, NOTE, STRONG, WHOLE, number
from memreport.verify.ledger import CONFLICTS, CONTRADICTS, KINDS

if TYPE_CHECKING:
    from memreport.publish.ledger_report import Document, LedgerReport

WIDTHS = (14, 62, *([15] * (len(KINDS) + 1)))
COUNTS, ERRATA, ALL = "Cover", "Contradictions", "Statements"
KIND_COLUMN = len(TITLES) + 1
"""Where Statements holds the kind of a verdict, behind the columns that Documented sheets have too."""


def ledger_book(made: LedgerReport, title: str, footer: str) -> bytes:
    """The workbook; equal input gives equal bytes."""
    book = Book()
    cover, errata, everything = (book.add(name) for name in (COUNTS, ERRATA, ALL))
    _errata(errata, made)
    _everything(everything, made)
    _cover(cover, made, title)
    properties = book.workbook.properties
    properties.title, properties.creator, properties.language = title, "memreport", "en"
    properties.subject = "figures of documents, each computed anew"
    return book.bytes(footer, NO_DATE)


def _errata(sheet: Sheet, made: LedgerReport) -> None:
    head(
        sheet, "Contradictions and conflicts", "What the documents print and should not, with the right value and why."
    )
    wrong = [one.shown for document in made.documents for one in document.of(CONTRADICTS, CONFLICTS)]
    ledger(sheet, FIRST_ROW, wrong)


def _everything(sheet: Sheet, made: LedgerReport) -> None:
    head(sheet, "Statements", "Every statement of every document; filter by document, verdict or kind.")
    statements = [one for document in made.documents for one in document.statements]
    ledger(sheet, FIRST_ROW, [one.shown for one in statements])
    sheet.width(KIND_COLUMN, 20)
    sheet.put(FIRST_ROW, KIND_COLUMN, "Kind", HEADER)
    for row, one in enumerate(statements, FIRST_ROW + 1):
        sheet.put(row, KIND_COLUMN, one.kind, NAME)
    last = FIRST_ROW + len(statements)
    sheet.worksheet.auto_filter.ref = f"A{FIRST_ROW}:{letter(KIND_COLUMN)}{last}"


def _cover(sheet: Sheet, made: LedgerReport, title: str) -> None:
    from memreport.publish.ledger_report import KIND_MEANINGS, KIND_TITLES

    sheet.widths(*WIDTHS)
    head(sheet, title, made.sentence, back=False)
    sheet.row(FIRST_ROW, 1, ["Document", "Title"], HEADER)
    sheet.row(FIRST_ROW, 3, [*(KIND_TITLES[kind] for kind in KINDS), "All"], HEADER_NUMBER)
    row = _counts(sheet, made, FIRST_ROW + 1) + 1
    sheet.row(row, 1, ["Verdict", "What it says"], HEADER)
    for at, kind in enumerate(KINDS, row + 1):
        sheet.put(at, 1, KIND_TITLES[kind], LABEL)
        sheet.put(at, 2, KIND_MEANINGS[kind], NOTE)
    for at, target in enumerate((ERRATA, ALL), row + len(KINDS) + 2):
        sheet.link(at, 1, target, f"{target}!A1")


def _counts(sheet: Sheet, made: LedgerReport, first: int) -> int:
    """One row a document and one of sums; the row after them."""
    total = first + len(made.documents)
    for row, one in enumerate(made.documents, first):
        _count(sheet, row, one, made.totals[-1])
    sheet.row(total, 1, ["All", None], STRONG)
    for at, whole in enumerate(made.totals, 3):
        span = f"{letter(at)}{first}:{letter(at)}{total - 1}"
        sheet.put(total, at, Formula(f"SUM({span})", float(whole)), number(WHOLE, bold=True))
    return total + 1


def _count(sheet: Sheet, row: int, one: Document, statements: int) -> None:
    """A document's statements by kind, counted on the sheet of statements."""
    listed, last = sheet.book.sheets[ALL], FIRST_ROW + statements
    documents, kinds = (listed.span(FIRST_ROW + 1, at, last, at) for at in (1, KIND_COLUMN))
    sheet.put(row, 1, one.name, STRONG)
    sheet.put(row, 2, one.title, LABEL)
    for at, (kind, count) in enumerate(zip(KINDS, one.counts, strict=False), 3):
        text = f'SUMPRODUCT(({documents}=$A{row})*({kinds}="{kind}"))'
        sheet.put(row, at, Formula(text, float(count)), number(WHOLE))
    span = f"C{row}:{letter(2 + len(KINDS))}{row}"
    sheet.put(row, 3 + len(KINDS), Formula(f"SUM({span})", float(one.counts[-1])), number(WHOLE))
