"""A portfolio as text: the sentences, then its tables."""

from __future__ import annotations

import textwrap

from memreport.escaping import one_line
from memreport.publish.text.answer import said_table
from memreport.report.records.portfolio import PortfolioReport

WIDTH = 100


def portfolio_text(report: PortfolioReport, *, whole: bool = True) -> str:
    """Title and sentences; with `whole` all tables, else the first alone."""
    said = [line for sentence in report.said.answer for line in textwrap.wrap(one_line(sentence), WIDTH)]
    shown = report.tables if whole else report.tables[:1]
    return "\n".join([one_line(report.title), "", *said, *map(said_table, shown)]) + "\n"
