"""What `build` and `show` make of a portfolio file."""

from __future__ import annotations

from pathlib import Path

from memreport import __version__
from memreport.files import write_whole
from memreport.portfolio.plan import plan
from memreport.publish.json.portfolio import portfolio_data
from memreport.publish.json.scenario import to_json
from memreport.publish.text.portfolio import portfolio_text
from memreport.publish.xlsx.portfolio import portfolio_book
from memreport.report.portfolio.said import portfolio_report


def build_portfolio(path: Path, out: Path) -> Path:
    """Publish a portfolio below `out`; returns its folder.  Raises InputError."""
    planned = plan(path)
    report, name = portfolio_report(planned), planned.portfolio.given.id
    write_whole(out / name / f"{name}.json", to_json(portfolio_data(planned, report)).encode())
    write_whole(out / name / f"{name}.xlsx", portfolio_book(planned, report, __version__))
    write_whole(out / name / f"{name}.txt", portfolio_text(report).encode())
    return out / name


def show_portfolio(path: Path, style: str, *, whole: bool) -> str:
    """A portfolio as text or as data."""
    planned = plan(path)
    report = portfolio_report(planned)
    return to_json(portfolio_data(planned, report)) if style == "json" else portfolio_text(report, whole=whole)
