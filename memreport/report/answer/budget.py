"""The parts of a budget sheet beside the answer, all of the option that the budget is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memreport.advise.asks import asks_of_each
from memreport.advise.candidates import Role
from memreport.advise.verdict import DOES_NOT_FIT
from memreport.catalogue.fields.search import SearchFields
from memreport.catalogue.names import ONE_REPLICA
from memreport.catalogue.price_age import judged_on
from memreport.catalogue.quantities import brief, brief_alike, with_ends
from memreport.report.answer.rows import gib, period_words, purchase_text, used_words
from memreport.report.money.prices import PURCHASE, RENTAL, flags_of, prices_used
from memreport.report.money.rent_or_buy import can_be_compared
from memreport.report.peak.monitor import monitored
from memreport.report.records.advice import Sensitivity, SwingShown
from memreport.report.records.amounts import Amount
from memreport.report.records.budget import Budget, KeyFact, Risk
from memreport.report.records.decision import Answer, OptionRow
from memreport.report.records.peak import Segment
from memreport.report.shares import share_of, whole_percent
from memreport.report.view import View, counted

FACTORS = {"measured_time_factor": "Time", "price_multiplier": "Prices"}
"""Factors of one where nothing is stated, and what they raise."""
MOST_RISKS = 5
MOST_COST_RISKS = 2
UNJUDGED = "No published measurement judges this memory; its range is wider for it."
NOTICED = 0.001
"""Share by which a slower run is priced, to show what a short test run is worth; below the other none is told."""


def budget_of(view: View, index: int, answer: Answer, tornado: Sensitivity | None, offers: str = "") -> Budget:
    """Everything of page 1 that is no option."""
    return Budget(
        facts=tuple(_facts(view, index, answer.chosen)),
        risks=tuple(_risks(tornado)) if tornado else (),
        decisions=(*_decisions(view, index, answer, stale := _stale(view, index)), *([offers] if offers else [])),
        host=_host(view, index),
        monitor=_monitor(view, index),
        unjudged=UNJUDGED if view.value("unverified_choice", index) else "",
        stale=stale,
        seconds=tuple(seconds_of(view, index)),
    )


def _facts(view: View, index: int, chosen: OptionRow) -> Iterator[KeyFact]:
    """Peak, headroom, and what the workload is asked for: time and cost, or users and cost."""
    low, high = (gib(view.value(name, index)) for name in ("peak_bytes_low", "peak_bytes_high"))
    likely = f"of {chosen.usable.text}, likely {low.removesuffix(' GiB')} to {high.removesuffix(' GiB')}"
    yield KeyFact("Peak memory per GPU", chosen.peak.text, likely, "peak_bytes")
    share = whole_percent(view.value("headroom_share", index)) if chosen.usable.value else ""
    short = chosen.headroom.value < 0
    room, note = gib(abs(chosen.headroom.value)), f"{'' if short else f'{share}; '}policy {policy_text(view)} or more"
    yield KeyFact("Shortfall" if short else "Headroom", room, note, "headroom_bytes")
    yield from (
        _training_facts(view, index, chosen) if view.workload == "training" else _serving_facts(view, index, chosen)
    )


def policy_text(view: View) -> str:
    """The headroom that is planned, as a share of what is usable."""
    return brief((view.scenario.search or SearchFields()).safety_margin, "share")


def _training_facts(view: View, index: int, chosen: OptionRow) -> Iterator[KeyFact]:
    tokens = counted(view.value("training_tokens", index), "token")
    time = chosen.time
    ends = f"{time.ends}; " if time and time.low else ""
    yield KeyFact("Run time", time.amount.text if time else "–", f"{ends}{tokens}", "training_hours")
    yield _cost_fact(view, index, chosen, "Cost of the run")


def _serving_facts(view: View, index: int, chosen: OptionRow) -> Iterator[KeyFact]:
    fit, planned = (view.value(name, index) for name in ("max_concurrent_sequences", "max_num_seqs"))
    note = f"{ONE_REPLICA}, of {view.text('context_length', index)}; {planned:,.0f} planned"
    yield KeyFact("Sequences at once", f"{fit:,.0f}", note, "max_concurrent_sequences")
    yield _cost_fact(view, index, chosen, f"Cost of {period_words(view, index)}")


def _cost_fact(view: View, index: int, chosen: OptionRow, title: str) -> KeyFact:
    """What has to be signed: the bill, or the whole purchase with the part of it that this use bears."""
    if chosen.unpriced:
        low, high = (brief(end, "1") for end in chosen.accelerator_hours_ends)
        ends = f"{low} to {high}; " if low != high else ""  # a service runs for the hours that are stated
        return KeyFact("GPU-hours", chosen.unpriced, f"{ends}no price is stated", "whole_accelerator_hours")
    if chosen.cost is None:
        return KeyFact(title, "–", "it does not run", "cost_total_usd")
    if purchase := purchase_text(view, index):
        return KeyFact("Purchase to approve", purchase, used_words(view, index), "approval_total_usd")
    ends = f"{chosen.cost.low} to {chosen.cost.high}" if chosen.cost.low else ""
    note = "; ".join(part for part in (ends, booked_words(view, index)) if part)
    return KeyFact(title, chosen.cost.amount.text, note, "whole_cost_usd")


def booked_words(view: View, index: int) -> str:
    """What the hours cost that the scenario states, where they are not those of the run."""
    if view.scenario.cost is None or abs(view.value("whole_cost_share", index) - 1) < NOTICED:
        return ""
    hours, cost = (brief(view.value(name, index), unit) for name, unit in (("hours", "h"), ("cost_total_usd", "USD")))
    return f"{cost} for the {hours} stated"


def _risks(tornado: Sensitivity) -> Iterator[Risk]:
    """Inputs at their worse end: those that change the verdict, then those that take most room, then cost."""
    moved = [swing for swing in tornado.swings if (swing.low, swing.high)[_worse(swing)].value != swing.given.value]
    memory = [swing for swing in moved if swing.headroom[0].value != swing.headroom[1].value]
    money = [
        swing for swing in moved if swing not in memory and swing.cost and swing.cost[0].text != swing.cost[1].text
    ]
    memory.sort(key=lambda swing: (not swing.changes_verdict, min(end.value for end in swing.headroom)))
    money.sort(key=lambda swing: -max(end.value for end in swing.cost or ()))
    costs = money[:MOST_COST_RISKS]
    for swing in (*memory[: MOST_RISKS - len(costs)], *costs):
        yield _risk(tornado, swing)


def _worse(swing: SwingShown) -> int:
    """The end with less headroom, or with the higher cost."""
    return min((0, 1), key=lambda end: (swing.headroom[end].value, -swing.cost[end].value if swing.cost else 0.0))


def _risk(tornado: Sensitivity, swing: SwingShown) -> Risk:
    worse = _worse(swing)
    end = (swing.low, swing.high)[worse]
    return Risk(
        title=_if(swing, end),
        headroom=gib(swing.headroom[worse].value),
        word=swing.words[worse],
        cost=_difference(tornado, swing, worse),
    )


def _if(swing: SwingShown, end: Amount) -> str:
    """The input at its worse end, beside what is planned; a factor of nothing planned as what it does."""
    if swing.name in FACTORS and swing.given.value == 1:
        share = brief(abs(end.value - 1), "share")
        return f"{FACTORS[swing.name]} {share} {'higher' if end.value > 1 else 'lower'} than planned"
    return f"{swing.title} {end.text} ({swing.given.text} planned)"


def _difference(tornado: Sensitivity, swing: SwingShown, end: int) -> str:
    if not (swing.cost and tornado.cost) or swing.words[end] == DOES_NOT_FIT:
        return "–"
    more = swing.cost[end].value - tornado.cost.value
    text = brief(abs(more), "USD")
    return "–" if share_of(abs(more), tornado.cost.value) < NOTICED else f"{'+' if more > 0 else '−'}{text}"


def _decisions(view: View, index: int, answer: Answer, stale: Sequence[str]) -> Iterator[str]:
    """What a reader is asked to sign, and what to check before."""
    chosen = answer.chosen
    if chosen.word == DOES_NOT_FIT:
        yield f"Do not book {chosen.hardware} for this job: it would run out of memory."
        yield from _alternatives(answer.options)
        return
    yield from _approvals(view, index, chosen)
    if "rent_or_buy" in answer.asks and can_be_compared(view):
        bought = brief(view.value("capital_usd", index), "USD")
        yield f"Before: decide between renting, as this budget does, and buying for {bought} (last pages)."
    if stale and judged_on(view.scenario):
        yield "Before: ask for a current price; the one in this budget is too old."
    if view.workload == "training" and chosen.cost and not view.buys(index):
        each = brief(view.beside("longer_run_usd", index), "USD")
        yield f"Before: a short run on the same GPUs to confirm the time; each 10 % is worth about {each}."


def _approvals(view: View, index: int, chosen: OptionRow) -> Iterator[str]:
    """What to approve: a purchase, or hours at a price; of a different job only where that is wanted."""
    approve = "Approve"
    if chosen.role is Role.DIFFERENT_JOB:
        yield "Decide whether the different job is wanted: its result is not that of the job as submitted."
        approve = "If so, approve"
    if purchase := purchase_text(view, index):
        yield f"{approve} the purchase of {chosen.hardware} for {purchase}; {used_words(view, index)}."
        return
    cost = f", {chosen.cost.text}" if chosen.cost else ""
    booked = f"; {said}" if (said := booked_words(view, index)) else ""
    named = f" ({chosen.name})" if chosen.own and asks_of_each(view.scenario) else ""
    yield f"{approve} {_amount(view, index, chosen)}{named} on {chosen.hardware}{cost}{_price(view, index)}{booked}."


def _alternatives(options: Sequence[OptionRow]) -> Iterator[str]:
    fits = [option for option in options if option.word != DOES_NOT_FIT]
    if fits:
        yield f"Decide between: {'; '.join(f'{fit.role_words}, {fit.title}' for fit in fits)}."


def _amount(view: View, index: int, chosen: OptionRow) -> str:
    if view.workload == "training":
        return f"{with_ends(chosen.accelerator_hours, chosen.accelerator_hours_ends, '1')} GPU-hours"
    return f"{period_words(view, index)} of service"


def _price(view: View, index: int) -> str:
    if view.scenario.cost is None or not view.value("rents", index):
        return ""
    price = f", at {brief(view.value('usd_per_accelerator_hour', index), 'USD/h')} per GPU"
    contingency = view.value("contingency", index)
    return f"{price} and {brief(contingency, 'share')} of contingency" if contingency else price


def _host(view: View, index: int) -> str:
    """What of the memory lies on the host."""
    needed = "host_bytes_per_node"
    if not view.has(needed) or view.value(needed, index) < 2**30:
        return ""
    return f"In host memory: {gib(view.value(needed, index))} a node."


def _monitor(view: View, index: int) -> str:
    """What a monitor will show, which is more than the job needs; nothing for a job that would run out of memory."""
    shown = "device_memory_used_bytes"
    if not monitored(view, index):
        return ""
    middle, low, high = (gib(view.value(f"{shown}{end}", index)) for end in ("", "_low", "_high"))
    return f"nvidia-smi or amd-smi will show about {middle} ({low.removesuffix(' GiB')} to {high})."


def _stale(view: View, index: int) -> tuple[str, ...]:
    """Warnings about the price that is billed."""
    if view.scenario.cost is None:
        return ()
    billed = RENTAL if view.value("rents", index) else PURCHASE
    return tuple(flag.text for use in prices_used(view, index) if use.field == billed for flag in flags_of(use))


def seconds_of(view: View, index: int) -> Iterator[Segment]:
    """The parts of a step, the largest first."""
    found = [name for name in view.computed.values if name.startswith(PART)]
    names = sorted((key for key in found if view.value(key, index) > 0), key=lambda key: -view.value(key, index))
    texts = brief_alike([view.value(key, index) for key in names], "s", padded=False)
    for name, text in zip(names, texts, strict=True):
        title = name.removeprefix(PART)
        yield Segment(name, f"{title[:1].upper()}{title[1:]}", view.value(name, index), text)


PART = "part_seconds."
