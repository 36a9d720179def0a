"""An option as every output shows it: what it changes, its memory, time and cost, in texts."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.advise.candidates import Candidate, Role
from memreport.catalogue.quantities import GIB, brief, with_ends
from memreport.catalogue.question.lexer import asking_first
from memreport.catalogue.question.run import tokens_in_whole_sequences
from memreport.figures.constants import HOURS_PER_MONTH
from memreport.report.answer.settings import accelerator_words, changed_words, hardware_words
from memreport.report.live.ranges import COST, TIME, RangedAmount
from memreport.report.records.amounts import Amount
from memreport.report.records.decision import (
    OptionChanges,
    OptionGpus,
    OptionMemory,
    OptionRow,
    OptionService,
    OptionSpending,
    Range,
)
from memreport.report.view import SIGNED, View, counted

GPUS_NEEDED, TOO_SLOW = "GPUs needed", "too slow for the demand"
"""What an option lacks that has room for a demand and does not carry it."""
OF_MEMORY = ("peak_bytes", "usable_bytes", "headroom_bytes")


def option_row(view: View, candidate: Candidate, role: Role, beside: Candidate) -> OptionRow:
    """A candidate as every output shows it, its time in the unit of the one that it stands `beside`."""
    index = candidate.column
    return OptionRow(
        role=role,
        name=candidate.case.name,
        own=candidate.own,
        column=index,
        word=candidate.word,
        gpus=OptionGpus(
            hardware_words(view, candidate.case),
            accelerator_words(view, str(candidate.case.settings["accelerator"])),
            int(candidate.case.settings["count"]),
        ),
        changes=OptionChanges(candidate.changes, changed_words(view, candidate.case, candidate.changed)),
        memory=OptionMemory(*(memory_amount(view.value(name, index)) for name in OF_MEMORY)),
        takes=_spending(view, candidate, beside),
        serves=OptionService(
            users_text(view, index), beyond_words(view, candidate)[0] if candidate.beyond else _lacks(view, index)
        ),
    )


def _spending(view: View, candidate: Candidate, beside: Candidate) -> OptionSpending:
    index, runs = candidate.column, view.value("fits", candidate.column) > 0
    hours, *ends = _accelerator_hours(view, index) if runs else (0.0, 0.0, 0.0)
    return OptionSpending(
        time=_ranged(view, index, TIME[view.workload], beside.column) if runs else None,
        cost=_cost(view, index) if runs else None,
        accelerator_hours=hours,
        accelerator_hours_ends=(ends[0], ends[1]),
        timed="A token" if view.makes_tokens(index) else "A text",
        period=for_period(view, index),
        unpriced=brief(hours, "1") if runs and view.scenario.cost is None else "",
        pays=_pays(view, index),
    )


def _pays(view: View, index: int) -> str:
    """What a cost pays for, where some variants buy and some rent, so that amounts of two kinds stand side by side."""
    if len({view.buys(each) for each in range(len(view.variants))}) == 1:
        return ""
    return " to buy" if view.buys(index) else f" to rent{for_period(view, index)}"


def _lacks(view: View, index: int) -> str:
    """What a demand needs beside memory: more GPUs, or other settings that answer sooner."""
    if view.scenario.demand is None or view.value("meets_demand", index) > 0:
        return ""
    needed = view.value("needed_accelerators", index)
    held = view.value("accelerators", index)
    few = f"{held:,.0f} of {needed:,.0f} {GPUS_NEEDED}"
    return few if view.value("meets_targets", index) > 0 else TOO_SLOW


def memory_amount(value: float) -> Amount:
    """Bytes in GiB."""
    return Amount(value, "byte", gib(value))


def users_text(view: View, index: int) -> str:
    """Sequences that have room at once on a replica; empty for training."""
    name = "max_concurrent_sequences"
    return f"{view.value(name, index):,.0f}" if view.has(name) else ""


def gib(value: float) -> str:
    """Bytes as GiB in three digits, with a true minus sign."""
    return brief(value / GIB, "GiB").replace("-", "\u2212", 1)


def _ranged(view: View, index: int, ranged: RangedAmount, beside: int) -> Range | None:
    if not all(map(view.has, ranged.figures)):
        return None
    value, low, high = found = [view.value(name, index) for name in ranged.figures]
    text, least, most = (brief(each, ranged.unit, view.value(ranged.figures[0], beside)) for each in found)
    amount = Amount(value, ranged.unit, text)
    return Range(amount, least, most, low, high) if low < high else Range(amount)


def _accelerator_hours(view: View, index: int) -> tuple[float, float, float]:
    """Hours of all GPUs by the clock, with their ends: of the whole run, or of the service that is stated."""
    hours = view.value("whole_accelerator_hours", index)
    return hours, *(view.ends("whole_accelerator_hours", index) or (hours, hours))


def _cost(view: View, index: int) -> Range | None:
    """What has to be signed: the whole purchase where hardware is bought, else the cost of the run or service."""
    known = view.scenario.cost is not None and "cost_total_usd" in view.lines
    return _ranged(view, index, COST[view.workload], index) if known else None


def beyond_words(view: View, candidate: Candidate) -> tuple[str, str, str]:
    """What is said of an option that exceeds a limit of time or cost."""
    return BEYOND[candidate.beyond or "time", view.workload]


def purchase_text(view: View, index: int) -> str:
    """What is bought, contingency and tax included; nothing where hardware is rented."""
    return brief(view.value(SIGNED, index), "USD") if view.buys(index) else ""


ALLOWANCES = {"contingency": "contingency", "tax_share": "tax"}
"""Shares that a purchase to be approved holds beside what is ordered."""


def purchase_words(view: View, index: int, purchase: str) -> str:
    """What is bought and what this use costs, with the allowances that both hold and the order does not."""
    shares = [(word, view.value(name, index)) for name, word in ALLOWANCES.items() if view.has(name)]
    held = " and ".join(f"{brief(share, 'share')} {word}" for word, share in shares if share)
    what = f"With {held} the hardware" if held else "The hardware"
    return f"{what} is bought for {purchase}; {used_words(view, index)}."


def bought_words(view: View, index: int) -> str:
    """What one run, or the hours of a service, bears of hardware that is bought; nothing where it is rented."""
    if not (purchase := purchase_text(view, index)):
        return ""
    return (
        f"{brief(view.value('cost_total_usd', index), 'USD')}{_lasting(view, index)} of hardware bought for {purchase}"
    )


def used_words(view: View, index: int) -> str:
    """What one use bears of bought hardware, with what is paid besides: no part of the purchase, and often above it."""
    return f"this use costs {brief(view.value('cost_total_usd', index), 'USD')}"


OVER = ("over the budget", "within the budget", "Over the budget as submitted; within it")
BEYOND: Mapping[tuple[str, str], tuple[str, str, str]] = {
    ("time", "training"): ("not in time", "in time", "Not in time as submitted; in time"),
    ("time", "serving"): ("too slow", "that is fast enough", "Too slow as submitted; fast enough"),
    ("cost", "training"): OVER,
    ("cost", "serving"): OVER,
}
"""By the limit that is exceeded: what is said of an option, of one that keeps it, and before settings that do."""
A_MONTH = "a month"
THE_RUN = "the run"


def period_words(view: View, index: int) -> str:
    """How long a service is billed for: `a month`, `6 months`, or `12 days`."""
    if view.value("hours", index) == HOURS_PER_MONTH:
        return A_MONTH
    if view.value("hours", index) == 1:
        return "an hour"
    case = view.resolved.cases[index]
    months = float(case.settings["months"]) if "hours" not in case.overrides else 0.0
    return f"{months:,.0f} months" if months > 1 and months.is_integer() else view.text("hours", index)


def for_period(view: View, index: int) -> str:
    """What the cost of a service is for, which that of a run and of a purchase says itself."""
    return "" if view.buys(index) else _lasting(view, index)


def _lasting(view: View, index: int) -> str:
    """For which time a service is counted; nothing of a run."""
    if view.workload == "training":
        return ""
    period = period_words(view, index)
    return f" {period}" if period == A_MONTH else f" for {period}"


def run_words(view: View) -> str:
    """The run, and how long it or its examples are counted where nobody stated that."""
    tokens, each = (view.value(name, 0) for name in ("training_tokens", "sequence_length"))
    origins = view.variants[0].origins
    if origins["training_tokens"].kind == "default" and "training_hours" not in view.variants[0].overrides:
        return f"a run of {counted(tokens, 'token')}"
    examples = tokens_in_whole_sequences(asking_first(view.scenario.question or "").lower(), each)
    whole = bool(examples) and tokens % examples == 0
    unstated = whole and origins["sequence_length"].kind == "default"
    return f"{THE_RUN} over examples of {each:,.0f} tokens (no length is stated)" if unstated else THE_RUN


def gpu_hours_words(row: OptionRow) -> str:
    """Hours of all GPUs by the clock, with their ends: `43.9 (32.7 to 58.8) GPU-hours`."""
    return f"{with_ends(row.takes.accelerator_hours, row.takes.accelerator_hours_ends, '1')} GPU-hours"
