"""An option as every output shows it: what it changes, its memory, time and cost, in texts."""

from __future__ import annotations

from memreport.advise.options import Candidate, Role
from memreport.catalogue.quantities import GIB, brief
from memreport.figures.constants import HOURS_PER_MONTH
from memreport.report.answer.settings import accelerator_words, changed_words, hardware_words
from memreport.report.live.ranges import COST, TIME, RangedAmount
from memreport.report.records.amounts import Amount
from memreport.report.records.decision import OptionRow, Range
from memreport.report.view import SIGNED, View


def option_row(view: View, one: Candidate, role: Role, beside: Candidate) -> OptionRow:
    """A candidate as every output shows it, its time in the unit of the one that it stands `beside`."""
    at = one.at
    runs = view.value("fits", at) > 0
    hours, low, high = _accelerator_hours(view, at) if runs else (0.0, 0.0, 0.0)
    return OptionRow(
        role=role,
        name=one.case.name,
        own=one.own,
        hardware=hardware_words(view, one.case),
        accelerator=accelerator_words(view, str(one.case.settings["accelerator"])),
        count=int(one.case.settings["count"]),
        settings=changed_words(view, one.case, one.changed),
        changes=one.changes,
        word=one.word,
        peak=_gib(view.value("peak_bytes", at)),
        usable=_gib(view.value("usable_bytes", at)),
        headroom=_gib(view.value("headroom_bytes", at)),
        time=_ranged(view, at, TIME[view.workload], beside.at) if runs else None,
        cost=_cost(view, at) if runs else None,
        accelerator_hours=hours,
        accelerator_hours_ends=(low, high),
        users=users_text(view, at),
        at=at,
        timed="A token" if view.scenario.workload == "training" or view.value("is_decoder", at) else "A text",
        lacks=_lacks(view, at),
    )


def _lacks(view: View, at: int) -> str:
    """What a demand needs beside memory: more GPUs, or other settings that answer sooner."""
    if view.scenario.demand is None or view.value("meets_demand", at) > 0:
        return ""
    needed = view.value("needed_accelerators", at)
    return f"{needed:,.0f} GPUs needed" if view.value("meets_targets", at) > 0 else "too slow for the demand"


def _gib(value: float) -> Amount:
    return Amount(value, "byte", gib(value))


def users_text(view: View, at: int) -> str:
    """Sequences that have room at once on a replica; empty for training."""
    name = "max_concurrent_sequences"
    return f"{view.value(name, at):,.0f}" if view.has(name) else ""


def gib(value: float) -> str:
    """Bytes as GiB in three digits, with a true minus sign."""
    return brief(value / GIB, "GiB").replace("-", "\u2212", 1)


def _ranged(view: View, at: int, one: RangedAmount, beside: int) -> Range | None:
    if not all(map(view.has, one.figures)):
        return None
    value, low, high = found = [view.value(name, at) for name in one.figures]
    text, least, most = (brief(each, one.unit, view.value(one.figures[0], beside)) for each in found)
    amount = Amount(value, one.unit, text)
    return Range(amount, least, most, low, high) if low < high else Range(amount)


def _accelerator_hours(view: View, at: int) -> tuple[float, float, float]:
    """Hours of all GPUs by the clock, with their ends: of the whole run, or of the service that is stated."""
    hours = view.value("whole_accelerator_hours", at)
    return hours, *(view.ends("whole_accelerator_hours", at) or (hours, hours))


def _cost(view: View, at: int) -> Range | None:
    """What has to be signed: the whole purchase where hardware is bought, else the cost of the run or service."""
    known = view.scenario.cost is not None and "cost_total_usd" in view.lines
    return _ranged(view, at, COST[view.workload], at) if known else None


def purchase_text(view: View, at: int) -> str:
    """What is bought, contingency and tax included; nothing where hardware is rented."""
    return brief(view.value(SIGNED, at), "USD") if view.buys(at) else ""


def purchase_words(view: View, at: int, purchase: str) -> str:
    """What is bought, and what this use costs."""
    return f"The hardware is bought for {purchase}; {used_words(view, at)}."


def used_words(view: View, at: int) -> str:
    """What one use bears of bought hardware, with what is paid besides: no part of the purchase, and often above it."""
    return f"this use costs {brief(view.value('cost_total_usd', at), 'USD')}"


def period_words(view: View, at: int) -> str:
    """How long a service is billed for: `a month`, or `12 days`."""
    return "a month" if view.value("hours", at) == HOURS_PER_MONTH else view.text("hours", at)
