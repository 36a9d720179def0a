"""What the front page says of all scenarios: totals, and of each its verdict, cost, age of prices and bars.

`summary` is what a manifest keeps of a scenario: numbers in base units, and texts as they were published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT, Word
from memreport.catalogue.quantities import brief
from memreport.report.answer.rows import hours_text
from memreport.report.records.answers import MARKS
from memreport.report.view import pair_in_gib

RUN, PURCHASE = "a run", "the purchase"
ORDER = (DOES_NOT_FIT, QUEUES, TIGHT, FITS)
"""Worst first."""
Summary = Mapping[str, Any]


@dataclass(frozen=True)
class ListedTotal:
    """What is added up, the amount, and what is said below it."""

    title: str
    text: str
    note: str = ""


@dataclass(frozen=True)
class ListedBar:
    """A variant's peak against what it may use; `share` is of that."""

    name: str
    word: Word
    mark: str
    text: str
    share: float


def totals(summaries: Sequence[Summary]) -> list[ListedTotal]:
    """What all scenarios come to: costs of runs and of services, GPU-hours, and how many have no answer that fits."""
    hours = sum(one.get("accelerator_hours") or 0 for one in summaries)
    ends = (one.get("accelerator_hours_ends", (0, 0)) for one in summaries)
    text = hours_text(hours, [sum(found) for found in zip((0, 0), *ends, strict=True)])
    failing = sum(one.get("answer_word", "") == DOES_NOT_FIT for one in summaries)
    gpus = ListedTotal("GPU-hours", text, _by_gpu(summaries))
    return [*_costs(summaries), gpus, ListedTotal("Do not fit", str(failing))]


def _costs(summaries: Sequence[Summary]) -> Iterator[ListedTotal]:
    """Runs and purchases as they are, services by the month."""
    served = [one.get("service_usd_per_month") for one in summaries if one.get("period") not in (RUN, PURCHASE, None)]
    runs, bought = ([one.get("cost_usd") for one in summaries if one.get("period") == of] for of in (RUN, PURCHASE))
    for title, costs in (("All runs", runs), ("All services, a month", served), ("All purchases", bought)):
        known = [cost for cost in costs if cost is not None]
        if known:
            lacking = len(costs) - len(known)
            yield ListedTotal(title, brief(sum(known), "USD"), f"{lacking} without a price" if lacking else "")


def _by_gpu(summaries: Sequence[Summary]) -> str:
    """GPU-hours of each GPU, most first."""
    found: dict[str, float] = {}
    for one in summaries:
        gpu = one.get("recommended_accelerator", "")
        found[gpu] = found.get(gpu, 0.0) + (one.get("accelerator_hours") or 0.0)
    most = sorted((gpu for gpu in found if gpu and found[gpu]), key=lambda gpu: -found[gpu])
    return ", ".join(f"{gpu} {brief(found[gpu], '1')}" for gpu in most)


def word_of(summary: Summary) -> Word:
    """The verdict of the answer, of the first variant where no answer was made."""
    word: Word = summary.get("answer_word", summary["variants"][0]["word"])
    return word


def ordered(entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """A manifest's scenarios, worst answer first."""
    return sorted(entries, key=lambda one: (ORDER.index(word_of(one["summary"])), one["summary"]["title"].lower()))


def cost_of(summary: Summary) -> float | None:
    """The cost of what is recommended, in US dollars."""
    cost: float | None = summary.get("cost_usd", summary.get("cost_total_usd"))
    return cost


def age_words(summary: Summary) -> str:
    """How old the oldest price is that the cost rests on, and on which day."""
    age, day = summary.get("price_age_days"), summary.get("prices_as_of", "")
    if age is None:
        return f"prices judged at {day}" if day else ""
    return f"oldest price {age} day{'' if age == 1 else 's'} old on {day}"


def bars(summary: Summary) -> list[ListedBar]:
    """All variants, each against its own capacity."""
    return [_bar(variant) for variant in summary["variants"]]


def _bar(variant: Mapping[str, Any]) -> ListedBar:
    word, sizes = variant["word"], (variant["peak_bytes"], variant["capacity_bytes"])
    peak, capacity = pair_in_gib(*sizes)
    return ListedBar(variant["name"], word, MARKS[word], f"{peak} of {capacity}", sizes[0] / sizes[1])
