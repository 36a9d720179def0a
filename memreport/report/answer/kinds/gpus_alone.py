"""What GPUs cost whatever runs on them: the hour and the month, or the purchase, and what an amount pays for."""

from __future__ import annotations

import re
from collections.abc import Callable

from memreport.advise.candidates import Candidate, Role
from memreport.advise.comparisons.amounts import gpus_within, hours_within
from memreport.catalogue.quantities import brief, display
from memreport.catalogue.question.hardware import counts_gpus
from memreport.catalogue.unstated.model import stands_for_any
from memreport.report.answer.asking import Asking, first_variants, own_of
from memreport.report.answer.rows import for_period, purchase_text
from memreport.report.money.prices import RENTAL, named_price
from memreport.report.money.rent_or_buy import hosts_words
from memreport.report.view import View

AN_HOUR = "cost_per_accelerator_hour_usd"
OF_AN_HOUR = re.compile(r"(?:\b(?:per|an?|each)[ -]|/ ?)(?:gpu[ -]?)?h(?:ou)?r?\b|\bhourly\b")
"""What asks for the price of an hour, and for no total."""


def cost_of_gpus(asking: Asking) -> str:
    """What GPUs cost of which nobody says what runs on them, or how much of them an amount pays for; else nothing."""
    view, column = asking.view, asking.chosen.column
    if not (stands_for_any(view.resolved.loaded.words) and view.has(AN_HOUR)):
        return ""
    most = asking.decision.plan.job.search.most_cost_usd or 0.0
    return _bought(asking, most) if view.buys(column) else _rented(asking, most)


def _rented(asking: Asking, most: float) -> str:
    """Of GPUs that are rented: how many, or how many hours of one, an amount pays for; else an hour, and all."""
    view, column, row = asking.view, asking.chosen.column, asking.row(asking.chosen, Role.RECOMMENDED)
    price, usd = (view.value(name, column) for name in (AN_HOUR, "cost_total_usd"))
    rented = f"rented at {_an_hour(price)} an hour each{named_price(view, column, RENTAL)}"
    if most and price and usd and counts_gpus(asking.scenario.question.lower()):
        count = gpus_within(view.value("accelerators", column), usd, most)
        return f"{count:,.0f} for {brief(most, 'USD')}{for_period(view, column)}, {rented}"
    if most and price:
        return f"{hours_within(price, most):,.0f} GPU-hours for {brief(most, 'USD')}, {rented}"
    own = own_of(asking)
    if len({view.value(AN_HOUR, each.column) for each in own}) > 1:
        return first_variants([_hired(asking, each) for each in sorted(own, key=_by_price(view))])
    if OF_AN_HOUR.search(asking.scenario.question.lower()):
        return rented
    return f"{row.takes.cost.text}{for_period(view, column)}, {rented}" if row.takes.cost else ""


def _hired(asking: Asking, candidate: Candidate) -> str:
    """What one of several prices comes to: of an hour, and in all, where not the hour alone is asked."""
    view, column, row = asking.view, candidate.column, asking.row(candidate, Role.VARIANT)
    hour = f"{_an_hour(view.value(AN_HOUR, column))} an hour each"
    alone = OF_AN_HOUR.search(asking.scenario.question.lower()) or row.takes.cost is None
    cost = "" if alone or row.takes.cost is None else f", {row.takes.cost.amount.text}{for_period(view, column)}"
    return f"{hour}{cost} with {candidate.case.name}{named_price(view, column, RENTAL)}"


def _an_hour(price: float) -> str:
    """A price as it is listed, to the cent."""
    return display(price, "USD/h").removesuffix("/h")


def _by_price(view: View) -> Callable[[Candidate], float]:
    return lambda each: view.value(AN_HOUR, each.column)


def _bought(asking: Asking, most: float) -> str:
    """Of GPUs that are bought: how many an amount pays for, and what they cost."""
    view, column = asking.view, asking.chosen.column
    count, usd = (view.value(name, column) for name in ("accelerators", "approval_total_usd"))
    price = f"{count:,.0f} for {purchase_text(view, column)}, which {hosts_words(view, column)}"
    return f"{gpus_within(count, usd, most):,.0f} for {brief(most, 'USD')}: {price}" if most and usd else price
