"""What GPUs cost whatever runs on them: the hour and the month, or the purchase, and what an amount pays for."""

from __future__ import annotations

from memreport.advise.candidates import Role
from memreport.advise.comparisons.amounts import gpus_within, hours_within
from memreport.catalogue.quantities import brief
from memreport.catalogue.question.hardware import counts_gpus
from memreport.catalogue.unstated.model import stands_for_any
from memreport.report.answer.asking import Asking
from memreport.report.answer.rows import for_period, purchase_text
from memreport.report.money.prices import RENTAL, named_price
from memreport.report.money.rent_or_buy import hosts_words

AN_HOUR = "cost_per_accelerator_hour_usd"


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
    rented = f"rented at {brief(price, 'USD')} an hour each{named_price(view, column, RENTAL)}"
    if most and price and usd and counts_gpus(asking.scenario.question.lower()):
        count = gpus_within(view.value("accelerators", column), usd, most)
        return f"{count:,.0f} for {brief(most, 'USD')}{for_period(view, column)}, {rented}"
    if most and price:
        return f"{hours_within(price, most):,.0f} GPU-hours for {brief(most, 'USD')}, {rented}"
    return f"{row.takes.cost.text}{for_period(view, column)}, {rented}" if row.takes.cost else ""


def _bought(asking: Asking, most: float) -> str:
    """Of GPUs that are bought: how many an amount pays for, and what they cost."""
    view, column = asking.view, asking.chosen.column
    count, usd = (view.value(name, column) for name in ("accelerators", "approval_total_usd"))
    price = f"{count:,.0f} for {purchase_text(view, column)}, which {hosts_words(view, column)}"
    return f"{gpus_within(count, usd, most):,.0f} for {brief(most, 'USD')}: {price}" if most and usd else price
