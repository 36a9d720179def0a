"""The derivation: every figure of the option that a budget is about, as symbol, formula, numbers and result."""

from __future__ import annotations

from memreport.publish.pdf.blocks import block_html
from memreport.publish.pdf.render import DOCUMENTED, environment, render_pdf, stamp
from memreport.report.records.report import Report


def derivation_pdf(report: Report) -> bytes:
    """The derivation as PDF/UA-1 and PDF/A-3a; equal input gives equal bytes.  Raises MachineError."""
    return render_pdf(derivation_html(report), report.identity.date, style=DOCUMENTED)


def derivation_html(report: Report) -> str:
    """The derivation as one page of HTML without style sheet, every text escaped."""
    half = -(-len(report.derivation.symbols) // 2)
    return (
        environment()
        .get_template("derivation.html.j2")
        .render(
            r=report,
            block=block_html,
            identity=report.identity,
            stamp=stamp(report.identity.date).isoformat().replace("+00:00", "Z"),
            symbols=[part for part in (report.derivation.symbols[:half], report.derivation.symbols[half:]) if part],
        )
    )
