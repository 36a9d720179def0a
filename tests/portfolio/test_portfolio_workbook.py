"""The workbook of a portfolio: recalculated by an independent engine, as built and after inputs are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.audit.recalculate import Live
from memreport.commands.main import main
from memreport.portfolio.plan import Planned, plan
from memreport.publish.xlsx.portfolio import portfolio_book
from memreport.report.portfolio.said import portfolio_report
from tests.portfolio.test_portfolio import written

FIRST = 7
"""Row of the first entry, and of the first row of GPUs."""


def book(folder: Path, planned: Planned) -> Path:
    path = folder / "book.xlsx"
    path.write_bytes(portfolio_book(planned, portfolio_report(planned), "0"))
    return path


def total_row(planned: Planned) -> int:
    return FIRST - 2 + len(portfolio_report(planned).sentences) + 2 + 12


def borne(live: Live, planned: Planned, edits: dict[tuple[str, str], float]) -> float:
    """The spend of the horizon in USD, after typing."""
    found = live.computed(edits)[("Summary", f"E{total_row(planned)}")]
    assert isinstance(found, float)
    return found * 1.25


def test_it_is_recalculated_to_what_it_was_built_with(tmp_path: Path) -> None:
    planned = plan(written(tmp_path))
    path = book(tmp_path, planned)
    assert main(["audit", str(path)]) == 0
    assert borne(Live(path), planned, {}) == pytest.approx(planned.spend.effective.sum())


def test_prices_chances_counts_and_quotes_that_are_typed(tmp_path: Path) -> None:
    path = written(tmp_path)
    planned = plan(path)
    live = Live(book(tmp_path, planned))
    rent = float(planned.spend.rent[1].sum())
    whole = float(planned.spend.effective.sum())
    assert borne(live, planned, {("Entries", f"K{FIRST + 1}"): 1.5}) == pytest.approx(whole + rent / 2)
    assert borne(live, planned, {("Entries", f"L{FIRST + 1}"): 0.25}) == pytest.approx(whole - 0.75 * rent)
    reserved = float(planned.spend.parts["reserved"].sum())
    assert borne(live, planned, {("GPUs", f"I{FIRST + 1}"): 3.0}) == pytest.approx(whole + reserved)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("purchase: 16000 EUR", "purchase: 20000 USD"), encoding="utf-8")
    again = float(plan(path).spend.effective.sum())
    assert borne(live, planned, {("GPUs", f"F{FIRST}"): 20000.0}) == pytest.approx(again)


def test_dates_that_are_typed_move_what_is_rented(tmp_path: Path) -> None:
    path = written(tmp_path)
    text = path.read_text(encoding="utf-8")
    rented = text[: text.index("owned:")] + text[text.index("budgets:") :]
    path.write_text(rented, encoding="utf-8")
    planned = plan(path)
    live = Live(book(tmp_path, planned))
    path.write_text(rented.replace("start: 2027-06-20", "start: 2027-12-22"), encoding="utf-8")
    later = plan(path)
    edits = {("Entries", f"G{FIRST + 7}"): 355.0}  # 22 December is day 355
    assert borne(live, planned, edits) == pytest.approx(later.spend.effective.sum())
    assert later.spend.effective.sum() < planned.spend.effective.sum() - 1000
