"""The files of the whole ledger: workbook and PDF of every documented figure."""

from __future__ import annotations

from collections.abc import Sequence

from memreport import __version__
from memreport.ledger.judging import ARGUED, CONFLICTS, CONTRADICTS, KINDS, QUALITATIVE
from memreport.report.build import NO_DATE
from memreport.report.documents import judged
from memreport.report.ledger import KIND_MEANINGS, KIND_TITLES, NAME, TITLE, LedgerReport, digest, ledger_report


def ledger_files(kinds: Sequence[str]) -> dict[str, bytes]:
    """The report as `documented.pdf` and `documented.xlsx`, as asked for.  Raises InputError for a faulty ledger."""
    made = ledger_report(judged())
    writers = {"pdf": _pdf, "xlsx": _workbook}
    return {f"{NAME}.{kind}": write(made) for kind, write in writers.items() if kind in kinds}


def ledger_html(made: LedgerReport) -> str:
    """The report as one page of HTML without style sheet, every text escaped."""
    from memreport.publish.pdf.render import environment, stamp

    return (
        environment()
        .get_template("documented.html.j2")
        .render(
            made=made,
            title=TITLE,
            kinds=KINDS,
            titles=KIND_TITLES,
            meanings=KIND_MEANINGS,
            wrong=CONTRADICTS,
            conflicting=CONFLICTS,
            argued=ARGUED,
            qualitative=QUALITATIVE,
            version=__version__,
            digest=digest(made),
            stamp=stamp(NO_DATE).isoformat().replace("+00:00", "Z"),
        )
    )


def _pdf(made: LedgerReport) -> bytes:
    from memreport.publish.pdf.render import DOCUMENTED, render_pdf

    return render_pdf(ledger_html(made), NO_DATE, style=DOCUMENTED)


def _workbook(made: LedgerReport) -> bytes:
    from memreport.publish.xlsx.ledger.book import ledger_book

    return ledger_book(made, TITLE, f"memreport {__version__}, {digest(made)[:12]}")
