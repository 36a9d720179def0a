"""What is published of the ledger: its judgements, those that a scenario shows, workbook and PDF of them all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memreport import __version__
from memreport.errors import BAD_INPUT, DONE, FINDING, InputError
from memreport.ledger.cited import judged, judged_of_cited, own_judged
from memreport.ledger.judging import KINDS, Judged
from memreport.ledger.steps import steps_of
from memreport.publish.memory import give_back
from memreport.report.build import NO_DATE
from memreport.report.documented.documents import entries_of
from memreport.report.documented.ledger import KIND_TITLES, NAME, TITLE, VERDICTS, LedgerReport, digest, ledger_report
from memreport.report.records.documented import DocumentedEntry
from memreport.resolve import Resolved


def verified(paths: Sequence[Path], style: str = "table", *, everything: bool = True) -> tuple[str, int]:
    """Judge the ledgers that the paths hold; the report, and 0, 1 for a changed verdict or 2 for a faulty ledger."""
    from memreport.ledger.gather import judge_all
    from memreport.publish.text.ledger import as_json, as_text, in_short

    found = judge_all(paths)
    code = BAD_INPUT if found.faults else FINDING if found.failed else DONE
    write = as_json if style == "json" else as_text if everything else in_short
    return write(found), code


def documented_of(resolved: Resolved) -> tuple[DocumentedEntry, ...]:
    """A scenario's own entries, and those on the documents that it cites.  Raises InputError for a faulty entry."""
    own = own_judged(resolved)
    made = steps_of(own) if own.judgements else {}
    return entries_of(own.judgements, judged_of_cited(resolved.loaded.scenario), made)


def judged_report(found: Judged) -> LedgerReport:
    """The report on judged ledgers, with their steps.  Raises InputError for a faulty one."""
    if found.faults:
        raise InputError(list(found.faults))
    return ledger_report(found, steps_of(found))


def ledger_files(kinds: Sequence[str]) -> dict[str, bytes]:
    """The report as `documented.pdf` and `documented.xlsx`, as asked for.  Raises InputError for a faulty ledger."""
    made = judged_report(judged())
    files = {}
    for kind, write in (("xlsx", _workbook), ("pdf", _pdf)):
        if kind in kinds:
            files[f"{NAME}.{kind}"] = write(made)
            give_back(cycles=True)  # what a workbook was made of would lie beside the pages
    return files


def ledger_html(made: LedgerReport) -> str:
    """The report as one page of HTML without style sheet, every text escaped."""
    from memreport.publish.pdf.blocks import block_html
    from memreport.publish.pdf.render import environment, stamp

    return (
        environment()
        .get_template("documented.html.j2")
        .render(
            made=made,
            title=TITLE,
            kinds=KINDS,
            titles=KIND_TITLES,
            verdicts=VERDICTS,
            block=block_html,
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
