"""The parts of a budget sheet beside the answer, all of the option that the budget is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memreport.advise.comparisons.amounts import AskedAmounts
from memreport.advise.verdict import DOES_NOT_FIT, LONGEST, SHORT_OF, host_lacks_words, unstarted_words
from memreport.catalogue.fields.search import SearchFields
from memreport.catalogue.names import ONE_REPLICA
from memreport.catalogue.quantities import brief, brief_alike
from memreport.report.answer.needs import whole_usd
from memreport.report.answer.rows import gib, period_words, purchase_text, used_words
from memreport.report.money.prices import PURCHASE, RENTAL, flags_of, prices_used
from memreport.report.peak.monitor import monitored
from memreport.report.records.advice import Sensitivity, SwingShown
from memreport.report.records.amounts import Amount
from memreport.report.records.budget import Budget, KeyFact, Risk
from memreport.report.records.decision import Answer, OptionRow, Range
from memreport.report.records.peak import Segment
from memreport.report.shares import share_of, whole_percent
from memreport.report.view import View, counted

FACTORS = {"measured_time_factor": ("Time", "longer", "shorter"), "price_multiplier": ("Prices", "higher", "lower")}
"""Factors of one where nothing is stated: what they raise, and how that is said."""
MOST_RISKS = 5
MOST_COST_RISKS = 2
UNJUDGED = "No published measurement judges this memory; its range is wider for it."
NOTICED = 0.001
"""Share by which a slower run is priced, to show what a short test run is worth; below the other none is told."""


def budget_of(view: View, index: int, answer: Answer, tornado: Sensitivity | None, batch: Batch) -> Budget:
    """Everything of page 1 that is no option, but for what has to be decided."""
    return Budget(
        facts=tuple(_facts(view, index, answer.chosen, batch)),
        risks=tuple(_risks(tornado)) if tornado else (),
        decisions=(),
        host=_host(view, index),
        monitor=_monitor(view, index),
        unjudged=UNJUDGED if view.value("unverified_choice", index) else "",
        unstarted=" ".join(unstarted(view).values()),
        stale=_stale(view, index),
        seconds=tuple(seconds_of(view, index)),
    )


@dataclass(frozen=True)
class Batch:
    """Requests whose time or cost is asked for, and both with their ends; none where it is not."""

    requests: float = 0
    hours: Range | None = None
    cost: Range | None = None

    @classmethod
    def of(cls, requests: float, asked: AskedAmounts) -> Batch:
        """What is asked of a batch, in words."""
        return cls(requests, _ranged(asked.hours, "h"), _ranged(asked.usd, "USD"))

    @property
    def words(self) -> str:
        """How many requests there are."""
        return f"{counted(self.requests, '1')} requests"


def _ranged(ends: Sequence[float], unit: str) -> Range | None:
    """An amount with both of its ends, in its scale."""
    if not ends:
        return None
    value, low, high = ends
    texts = brief(low, unit, value), brief(high, unit, value)
    return Range(Amount(value, unit, brief(value, unit)), *(texts if texts[0] != texts[1] else ()))


def unstarted(view: View) -> dict[int, str]:
    """Which variants do not start though each GPU has room for the rest, by column: in a sentence, why."""
    why = {column: _why_unstarted(view, column) for column in range(len(view.variants))}
    return {column: f"{view.variants[column].name} {words}." for column, words in why.items() if words}


def _why_unstarted(view: View, index: int) -> str:
    """That one request of the longest length has no room, or that the host lacks memory or disk; "" where neither."""
    if view.workload == "serving" and (why := unstarted_words(*(view.value(name, index) for name in LONGEST))):
        return f"does not start: {view.setting('engine', index)} {why}"
    left = [view.value(name, index) if view.has(name) else 0.0 for name in ("headroom_bytes", *SHORT_OF)]
    short = left[0] >= 0 and host_lacks_words(left[1:])
    return f"does not fit: its host lacks {short} for what is offloaded" if short else ""


def _facts(view: View, index: int, chosen: OptionRow, batch: Batch) -> Iterator[KeyFact]:
    """Peak, headroom, and what the workload is asked for: time and cost, or users and cost."""
    low, high = (gib(view.value(name, index)) for name in ("peak_bytes_low", "peak_bytes_high"))
    likely = f"of {chosen.memory.usable.text}, likely {low.removesuffix(' GiB')} to {high.removesuffix(' GiB')}"
    yield KeyFact("Peak memory per GPU", chosen.memory.peak.text, likely, "peak_bytes")
    share = whole_percent(view.value("headroom_share", index)) if chosen.memory.usable.value else ""
    short = chosen.memory.headroom.value < 0
    room, note = (
        gib(abs(chosen.memory.headroom.value)),
        f"{'' if short else f'{share}; '}policy {policy_text(view)} or more",
    )
    yield KeyFact("Shortfall" if short else "Headroom", room, note, "headroom_bytes")
    yield from (
        _training_facts(view, index, chosen)
        if view.workload == "training"
        else _serving_facts(view, index, chosen, batch)
    )


def policy_text(view: View) -> str:
    """The headroom that is planned, as a share of what is usable."""
    return brief((view.scenario.search or SearchFields()).safety_margin, "share")


def _training_facts(view: View, index: int, chosen: OptionRow) -> Iterator[KeyFact]:
    tokens = counted(view.value("training_tokens", index), "token")
    time = chosen.takes.time
    ends = f"{time.ends}; " if time and time.low else ""
    yield KeyFact("Run time", time.amount.text if time else "–", f"{ends}{tokens}", "training_hours")
    yield _cost_fact(view, index, chosen, "Cost of the run")


def _serving_facts(view: View, index: int, chosen: OptionRow, batch: Batch) -> Iterator[KeyFact]:
    fit, planned = (view.value(name, index) for name in ("max_concurrent_sequences", "max_num_seqs"))
    note = f"{ONE_REPLICA}, of {view.text('context_length', index)}; {planned:,.0f} planned"
    yield KeyFact("Sequences at once", f"{fit:,.0f}", note, "max_concurrent_sequences")
    if batch.cost and chosen.takes.cost and not view.buys(index):
        yield KeyFact("Cost of the batch", batch.cost.amount.text, f"{batch.cost.ends}; {batch.words}", "batch_usd")
    else:
        yield _cost_fact(view, index, chosen, f"Cost of {period_words(view, index)}")


def _cost_fact(view: View, index: int, chosen: OptionRow, title: str) -> KeyFact:
    """What has to be signed: the bill, or the whole purchase with the part of it that this use bears."""
    if chosen.takes.unpriced:
        low, high = (brief(end, "1") for end in chosen.takes.accelerator_hours_ends)
        ends = f"{low} to {high}; " if low != high else ""  # a service runs for the hours that are stated
        return KeyFact("GPU-hours", chosen.takes.unpriced, f"{ends}no price is stated", "whole_accelerator_hours")
    if chosen.takes.cost is None:
        return KeyFact(title, "–", "it does not run", "cost_total_usd")
    if purchase := purchase_text(view, index):
        return KeyFact("Purchase to approve", purchase, used_words(view, index), "approval_total_usd")
    ends = f"{chosen.takes.cost.low} to {chosen.takes.cost.high}" if chosen.takes.cost.low else ""
    whole = whole_usd(view, chosen, index)
    paid = f"instances {brief(whole, 'USD')}" if whole else ""
    note = "; ".join(part for part in (ends, paid, booked_words(view, index)) if part)
    return KeyFact(title, chosen.takes.cost.amount.text, note, "whole_cost_usd")


def booked_words(view: View, index: int) -> str:
    """What the hours cost that the scenario states, where they are not those of the run."""
    if view.scenario.cost is None or abs(view.value("whole_cost_share", index) - 1) < NOTICED:
        return ""
    hours, cost = (brief(view.value(name, index), unit) for name, unit in (("hours", "h"), ("cost_total_usd", "USD")))
    return f"{cost} for the {hours} stated"


def _risks(tornado: Sensitivity) -> Iterator[Risk]:
    """Inputs at their worse end: those that change the verdict, then those that take most room, then cost."""
    moved = [
        swing
        for swing in tornado.swings
        if (swing.values.low, swing.values.high)[_worse(swing)].value != swing.values.given.value
    ]
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
    end = (swing.values.low, swing.values.high)[worse]
    return Risk(
        title=_if(swing, end),
        headroom=gib(swing.headroom[worse].value),
        word=swing.words[worse],
        cost=_difference(tornado, swing, worse),
    )


def _if(swing: SwingShown, end: Amount) -> str:
    """The input at its worse end, beside what is planned; a factor of nothing planned as what it does."""
    if swing.name in FACTORS and swing.values.given.value == 1:
        share = brief(abs(end.value - 1), "share")
        what, more, less = FACTORS[swing.name]
        return f"{what} {share} {more if end.value > 1 else less} than planned"
    return f"{swing.title} {end.text} ({swing.values.given.text} planned)"


def _difference(tornado: Sensitivity, swing: SwingShown, end: int) -> str:
    if not (swing.cost and tornado.cost) or swing.words[end] == DOES_NOT_FIT:
        return "–"
    more = swing.cost[end].value - tornado.cost.value
    text = brief(abs(more), "USD")
    return "–" if share_of(abs(more), tornado.cost.value) < NOTICED else f"{'+' if more > 0 else '−'}{text}"


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
    return f"A monitor will show about {middle} ({low.removesuffix(' GiB')} to {high})."


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
