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
    """The amount, then what budgets lack, then what to commit to."""
    yield f"Approve {money.text(float(planned.spend.effective.sum()))} to be borne by the horizon."
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
