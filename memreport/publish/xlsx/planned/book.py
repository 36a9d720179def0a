"""The workbook of a portfolio: every sheet in its order, the Summary first."""

from __future__ import annotations

from memreport.portfolio.plan import Planned
from memreport.publish.xlsx.planned.entries import write_borne, write_covered, write_days, write_entries, write_spend
from memreport.publish.xlsx.planned.focus import write_focus
from memreport.publish.xlsx.planned.gpus import write_gpus
from memreport.publish.xlsx.planned.offers import write_offers
from memreport.publish.xlsx.planned.owners import write_owners
from memreport.publish.xlsx.planned.places import SUMMARY, PortfolioDraft
from memreport.publish.xlsx.planned.quotes import write_quotes
from memreport.publish.xlsx.planned.ranges import write_ranges
from memreport.publish.xlsx.planned.summary import write_summary
from memreport.publish.xlsx.planned.use import write_load, write_use
from memreport.publish.xlsx.sheet.book import Book, head
from memreport.report.build import NO_DATE
from memreport.report.records.portfolio import PortfolioReport

SHEETS = (write_entries, write_gpus, write_days, write_covered, write_spend, write_use, write_borne, write_owners)


def portfolio_book(planned: Planned, report: PortfolioReport, version: str) -> bytes:
    """The finished workbook."""
    made = PortfolioDraft(planned, Book())
    summary = made.book.add(SUMMARY)
    head(summary, report.title, "The sentences are as built; the tables follow what is typed.", back=False)
    for write in SHEETS:
        write(made)
    if made.is_live:
        write_load(made)
    if planned.commitments:
        write_offers(made)
    write_summary(made, summary, report)
    if made.is_live:
        write_ranges(made)
        write_focus(made)
    if made.rented_quotes:
        write_quotes(made)
    properties = made.book.workbook.properties
    properties.title, properties.creator, properties.language = report.title, "memreport", "en"
    return made.book.bytes(f"{report.title}, memreport {version}", NO_DATE)
