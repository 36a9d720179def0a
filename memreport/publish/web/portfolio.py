"""The page of a portfolio: one HTML file that needs neither network nor script."""

from __future__ import annotations

from memreport.publish.pdf.portfolio import drawn
from memreport.publish.pdf.render import environment
from memreport.report.records.portfolio import PortfolioReport


def portfolio_page(report: PortfolioReport, file: str, version: str) -> str:
    """Everything that is said of a portfolio, every text escaped."""
    template = environment().get_template("portfolio_page.html.j2")
    return template.render(**drawn(report, whole=True), file=file, version=version) + "\n"
