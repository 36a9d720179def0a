"""What the front page says of all scenarios: totals, and of each its verdict, cost, age of prices and bars.

`summary` is what a manifest keeps of a scenario: numbers in base units, and texts as they were published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT, Word
from memreport.catalogue.quantities import both_ends, brief
from memreport.errors import plural
from memreport.frozen import frozen
from memreport.report.money.prices import NO_PRICE
from memreport.report.records.answers import MARKS
from memreport.report.view import pair_in_gib

RUN, PURCHASE = "a run", "the purchase"
ORDER = (DOES_NOT_FIT, QUEUES, TIGHT, FITS)
"""Worst first."""
COST_ENDS, HOURS_ENDS = "cost_ends_usd", "accelerator_hours_ends"
SEARCHED = ("id", "title", "model", "hardware", "workload")
Summary = Mapping[str, Any]


@frozen
class ListedTotal:
    """What is added up, the amount, and what is said below it."""

    title: str
    text: str
    note: str = ""


@frozen
class ListedBar:
    """A variant's peak against what it may use; `share` is of that."""

    name: str
    word: Word
    mark: str
    text: str
    share: float


@frozen
class ListedScenario:
    """A row of the front page; what an older version published without is empty."""

    said: Summary
    word: Word
    cost: str
    cost_usd: float | None
    period: str
    prices: str
    search_words: str
    bars: tuple[ListedBar, ...]

    @property
    def mark(self) -> str:
        """The sign that stands beside the verdict."""
        return MARKS[self.word]

    @property
    def rank(self) -> int:
        """Its place among verdicts, from the worst."""
        return ORDER.index(self.word)


def listed(summary: Summary) -> ListedScenario:
    """What the front page says of one scenario."""
    cost = cost_of(summary)
    names = [*(summary[name] for name in SEARCHED), *(variant["name"] for variant in summary["variants"])]
    return ListedScenario(
        summary,
        word_of(summary),
        summary.get("cost_text") or NO_PRICE,
        cost,
        summary.get("period", "") if cost is not None else "",
        age_words(summary),
        " ".join(names).lower(),
        tuple(map(_bar, summary["variants"])),
    )


def totals(summaries: Sequence[Summary]) -> list[ListedTotal]:
    """What all scenarios come to: costs of runs and of services, GPU-hours, and how many have no answer that fits."""
    hours = sum(summary.get("accelerator_hours") or 0 for summary in summaries)
    failing = sum(summary.get("answer_word", "") == DOES_NOT_FIT for summary in summaries)
    ends = _ends_words(summaries, HOURS_ENDS, "1")
    gpus = ListedTotal("GPU-hours", brief(hours, "1"), _joined(ends, _by_gpu(summaries)))
    return [*_costs(summaries), gpus, ListedTotal("Do not fit", str(failing))]


def ends_of(summaries: Sequence[Summary], name: str) -> tuple[float, float]:
    """What the low and the high ends of an amount come to over all scenarios that state it."""
    known = [ends for summary in summaries if (ends := summary.get(name))]
    return sum(ends[0] for ends in known), sum(ends[1] for ends in known)


def _ends_words(summaries: Sequence[Summary], name: str, unit: str) -> str:
    low, high = (brief(end, unit) for end in ends_of(summaries, name))
    return both_ends(low, high) if low != high else ""


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _costs(summaries: Sequence[Summary]) -> Iterator[ListedTotal]:
    """Runs and purchases as they are, services by the month."""
    runs, bought = ([summary for summary in summaries if summary.get("period") == of] for of in (RUN, PURCHASE))
    served = [_of_a_month(summary) for summary in summaries if summary.get("period") not in (RUN, PURCHASE, None)]
    for title, of in (("All runs", runs), ("All services, a month", served), ("All purchases", bought)):
        known = [cost for settings in of if (cost := settings.get("cost_usd")) is not None]
        if known:
            lacking = len(of) - len(known)
            note = _joined(_ends_words(of, COST_ENDS, "USD"), f"{lacking} without a price" if lacking else "")
            yield ListedTotal(title, brief(sum(known), "USD"), note)


def _of_a_month(summary: Summary) -> Summary:
    """A service's cost and its ends, by the month."""
    cost, monthly = summary.get("cost_usd"), summary.get("service_usd_per_month")
    ends = [end * monthly / cost for end in summary.get(COST_ENDS) or ()] if cost and monthly else []
    return {"cost_usd": monthly, COST_ENDS: ends}


def _by_gpu(summaries: Sequence[Summary]) -> str:
    """GPU-hours of each GPU, most first."""
    found: dict[str, float] = {}
    for summary in summaries:
        gpu = summary.get("recommended_accelerator", "")
        found[gpu] = found.get(gpu, 0.0) + (summary.get("accelerator_hours") or 0.0)
    most = sorted((gpu for gpu in found if gpu and found[gpu]), key=lambda gpu: -found[gpu])
    return "; ".join(f"{brief(found[gpu], '1')} of {gpu}" for gpu in most)


def word_of(summary: Summary) -> Word:
    """The verdict of the answer, of the first variant where no answer was made."""
    word: Word = summary.get("answer_word", summary["variants"][0]["word"])
    return word


def ordered(entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """A manifest's scenarios, worst answer first."""
    return sorted(
        entries, key=lambda settings: (ORDER.index(word_of(settings["summary"])), settings["summary"]["title"].lower())
    )


def cost_of(summary: Summary) -> float | None:
    """The cost of what is recommended, in US dollars."""
    cost: float | None = summary.get("cost_usd", summary.get("cost_total_usd"))
    return cost


def age_words(summary: Summary) -> str:
    """How old the oldest price is that the cost rests on, and on which day."""
    age, day = summary.get("price_age_days"), summary.get("prices_as_of", "")
    if age is None:
        return f"prices judged at {day}" if day else ""
    return f"oldest price {age:,} {plural('day', age)} old on {day}"


def _bar(variant: Mapping[str, Any]) -> ListedBar:
    """A variant against its own capacity."""
    word, sizes = variant["word"], (variant["peak_bytes"], variant["capacity_bytes"])
    peak, capacity = pair_in_gib(*sizes)
    return ListedBar(variant["name"], word, MARKS[word], f"{peak} of {capacity}", sizes[0] / sizes[1])
