"""What is spent together, as the rules on sums ask it: what scenarios have to have approved, what a portfolio bears."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import fsum
from typing import Any

from memreport.catalogue.terms.policy import BudgetsRule, CostRule
from memreport.frozen import frozen
from memreport.portfolio.plan import Planned
from memreport.report.changes.regressions import ROUNDING
from memreport.report.changes.words import deciding
from memreport.report.gate.rules import JudgedNumber, within
from memreport.report.gate.sides import Sided, cost_of
from memreport.report.records.changes.gate import GateFinding, GatePlace
from memreport.report.view import SIGNED, View, shown

ALL = "all"
NOWHERE = GatePlace()
"""What a finding on all scenarios together is called."""


@frozen
class Amounts:
    """USD in all at each end of the range, and by owner; a portfolio's also by owner and quarter, with its budgets.

    `places` are file and line of what a finding is about.
    """

    subject: str
    total: Mapping[str, float]
    owners: Mapping[str, float]
    quarters: Mapping[str, float] = field(default_factory=dict)
    budgets: Mapping[str, float] = field(default_factory=dict)
    places: Mapping[str, GatePlace] = field(default_factory=dict)


def of_scenarios(sides: Sequence[Sided], removed: Sequence[View]) -> tuple[Amounts | None, Amounts]:
    """Before and after; None where nothing was there to compare with.  `removed` stood only in the base."""
    then = [(side.before, side.then) for side in sides if side.before] + [(view, deciding(view)) for view in removed]
    places = {side.after.scenario.owner: GatePlace(side.file, side.line(("owner",))) for side in reversed(sides)}
    return _of_views(then, {}) if then else None, _of_views([(side.after, side.column) for side in sides], places)


def _of_views(views: Sequence[tuple[View, int]], places: Mapping[str, GatePlace]) -> Amounts:
    usd = {case: [cost_of(*pair, SIGNED, case) or 0.0 for pair in views] for case in ("low", "likely", "high")}
    names = [view.scenario.owner for view, _ in views]
    owners = {name: fsum(value for of, value in zip(names, usd["likely"], strict=True) if of == name) for name in names}
    return Amounts("All scenarios together", {case: fsum(of) for case, of in usd.items()}, owners, places=places)


def of_portfolio(planned: Planned, file: str) -> Amounts:
    """What the months of a portfolio bear, in all, by owner, and by owner and quarter."""
    spend, document = planned.spend, planned.portfolio.document
    total = {"low": planned.range.low, "likely": float(spend.effective.sum()), "high": planned.range.high}
    months = spend.by(spend.jobs.named.owners)
    quarters = {f"{name} {quarter}": float(usd[held].sum()) for name, usd in months.items()
                for quarter, held in spend.quarters}  # fmt: skip
    lines = {ALL: document.key_marks[("entries",)].line}
    lines |= {
        name: document.mark(("entries", index)).line for index, name in reversed([*enumerate(spend.jobs.named.owners)])
    }
    rows = {_named(row): index for index, row in enumerate(planned.portfolio.given.budgets)}
    lines |= {name: document.mark(("budgets", index)).line for name, index in rows.items()}
    return Amounts(
        "The portfolio",
        total,
        {name: float(usd.sum()) for name, usd in months.items()},
        quarters,
        {_named(budget): budget.budget for budget in planned.budgets},
        {name: GatePlace(file, line) for name, line in lines.items()},
    )


def _named(budget: Any) -> str:
    return f"{budget.owner} {budget.quarter}"


def total_cost(rule: CostRule, before: Amounts | None, after: Amounts) -> GateFinding:
    """All of it together, before and after."""
    head, base = after.total[rule.on], before.total[rule.on] if before else None
    judged = JudgedNumber(after.subject, "USD", base, head)
    holds, limit = within(rule, base, head)
    return GateFinding(
        "total_cost", ALL, holds, judged.change(), limit, **judged.words(), place=after.places.get(ALL, NOWHERE)
    )


def budgets(rule: BudgetsRule, before: Amounts | None, after: Amounts) -> Iterator[GateFinding]:
    """What each owner spends against the budget of the policy, and each quarter against that of the portfolio.

    A portfolio's budget is that of the base, so that a change cannot raise its own; one that is new is as it stands.
    """
    then = before.owners if before else {}
    for name, limit in (rule.owners or {}).items():
        yield _budget(name, after.owners.get(name, 0.0), then.get(name), limit, after)
    stated = {**after.budgets, **(before.budgets if before else {})}
    for name in stated.keys() & {*after.quarters, *after.budgets}:
        base = before.quarters.get(name) if before else None
        yield _budget(name, after.quarters.get(name, 0.0), base, stated[name], after)


def _budget(name: str, head: float, base: float | None, limit: float, after: Amounts) -> GateFinding:
    judged = JudgedNumber(f"Spend of {name}", "USD", base, head)
    holds, said = head <= limit * (1 + ROUNDING), f"at most {shown(limit, 'USD')}"
    place = after.places.get(name, NOWHERE)
    return GateFinding("budgets", name, holds, judged.change(), said, **judged.words(), place=place)
