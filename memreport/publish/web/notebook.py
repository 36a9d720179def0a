"""The decision page as a notebook shows it: a piece of HTML with its own style, no script and no file beside it."""

from __future__ import annotations

from memreport.errors import PublishingError
from memreport.publish.pdf.bars import option_bar, scale_of
from memreport.publish.pdf.blocks import block_html
from memreport.publish.pdf.render import environment
from memreport.report.records.answers import MARKS
from memreport.report.records.decision import spread_of_times
from memreport.report.records.report import Report


def notebook_html(report: Report) -> str:
    """Answer, four key figures, options and where the memory goes, every text escaped.  The report must hold them."""
    if report.answer is None or report.budget is None:
        raise PublishingError("the decision page needs the answer, which this report has not")
    return (
        environment()
        .get_template("notebook.html.j2")
        .render(
            answer=report.answer,
            budget=report.budget,
            identity=report.identity,
            marks=MARKS,
            scale=scale_of(report.answer.options),
            option_bar=option_bar,
            spread_of_times=spread_of_times,
            stack=block_html(report.parts_of_peak),
            parts=report.parts_of_peak.parts,
        )
    )
