"""What is to be decided on a portfolio, and the four numbers that carry it."""

from __future__ import annotations

from collections.abc import Iterator

from memreport.portfolio.plan import Planned
from memreport.report.portfolio.money import Currency
from memreport.report.portfolio.tables import sides
from memreport.report.records.budget import KeyFact


def keys_of(planned: Planned, money: Currency) -> Iterator[KeyFact]:
    """What is borne with its range, what is billed, and operating and capital cost apart."""
    spend, found = planned.spend, planned.range
    operating, capital = (float(side.sum()) for side in sides(planned))
    yield KeyFact("Borne in the horizon", money.text(float(spend.effective.sum())),
                    f"{money.bare(found.low)} to {money.bare(found.high)}")  # fmt: skip
    yield KeyFact("Billed in it", money.text(float(spend.billed.sum())), "purchases in their month")
    if capital:
        yield KeyFact("Operating", money.text(operating), "rent, reserved, running")
        yield KeyFact("Capital", money.text(capital), "depreciation")


def decisions_of(planned: Planned, money: Currency) -> Iterator[str]:
    """What is bought, the amount, then what budgets lack, then what to commit to."""
    yield from _purchases(planned, money)
    depreciated = float(planned.spend.parts["depreciation"].sum())
    written_off = f", {money.text(depreciated)} of it depreciation of what is owned" if depreciated else ""
    yield (
        f"Approve {money.text(float(planned.spend.effective.sum()))} to be borne by the horizon{written_off}; "
        f"{money.text(float(planned.spend.billed.sum()))} is billed in it."
    )
    for budget in planned.budgets:
        if budget.over > 0:
            moved = f", or move {', '.join(budget.without)}" if budget.without else ""
            yield f"Raise the budget of {budget.owner} in {budget.quarter} by {money.text(budget.over)}{moved}."
    for made in planned.commitments:
        if made.best:
            yield (
                f"Commit to {made.best} {made.accelerator} for {made.months} months at {money.cents(made.committed)} "
                "an hour."
            )


def _purchases(planned: Planned, money: Currency) -> Iterator[str]:
    """What is bought in the horizon, which is billed in its month whatever the months bear of it."""
    portfolio = planned.portfolio
    bought = [row for row in portfolio.given.owned if row.first and portfolio.usd(row.purchase)]
    parts = [f"{row.count} {row.accelerator} in {row.first}" for row in bought]
    if bought:
        paid = sum(portfolio.usd(row.purchase) * row.count for row in bought)
        yield f"Approve the purchase of {' and '.join(parts)} for {money.text(paid)}."
