"""A portfolio as text: the sentences, then its tables."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from memreport.escaping import one_line
from memreport.publish.text.table import table
from memreport.report.records.portfolio import PortfolioReport, SaidTable

WIDTH = 100


def portfolio_text(report: PortfolioReport, *, whole: bool = True) -> str:
    """Title and sentences; with `whole` all tables, else the first alone."""
    said = [line for one in report.sentences for line in textwrap.wrap(one_line(one), WIDTH)]
    shown = report.tables if whole else report.tables[:1]
    return "\n".join([one_line(report.title), "", *said, *(line for one in shown for line in _table(one))]) + "\n"


def _table(one: SaidTable) -> Iterator[str]:
    yield from ("", one.title)
    yield table([tuple(map(one_line, row)) for row in (one.heads, *one.rows)])
    if one.about:
        yield from textwrap.wrap(one.about, WIDTH)
