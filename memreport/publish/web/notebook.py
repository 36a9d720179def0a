"""The decision page as a notebook shows it: a piece of HTML with its own style, no script and no file beside it."""

from __future__ import annotations

from memreport.errors import PublishingError
from memreport.publish.pdf.blocks import block_html
from memreport.publish.pdf.render import environment
from memreport.report.records.blocks import KeyFacts, OptionTable
from memreport.report.records.report import Report


def notebook_html(report: Report) -> str:
    """Answer, four key figures, options and where the memory goes, every text escaped.  The report must hold them."""
    if report.answer is None or report.budget is None:
        raise PublishingError("the decision page needs the answer, which this report has not")
    blocks = {
        "facts": KeyFacts(report.budget.facts, report.chosen),
        "options": OptionTable(report.answer.options),
        "stack": report.parts_of_peak,
    }
    return environment().get_template("notebook.html.j2").render(blocks, block=block_html, answer=report.answer)
