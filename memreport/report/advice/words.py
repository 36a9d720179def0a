"""What is said of a plan, in words that text, PDF and workbook share."""

from __future__ import annotations

from collections.abc import Sequence

from memreport.advise.moves import Stage, stops_at
from memreport.advise.rerun import Job
from memreport.advise.search.combinations import Combination, SearchResult
from memreport.advise.verdict import TIGHT
from memreport.catalogue.fields.job import MACHINE
from memreport.catalogue.quantities import display, in_gib

RANKS = {"cost": "cheapest", "step_time": "quickest", "accelerators": "fewest GPUs"}


IMPLIED = (
    *MACHINE,
    "basis",
    "price",
    "purchase_price",
    "usd_per_accelerator_hour",
    "usd_per_accelerator",
    "hours",
    "gradient_accumulation_steps",
    "max_model_len",
    "model_flop_utilization",
    "measured_time_factor",
)
"""Changes that follow from the others, or are named in a column of their own."""


def alone_words(job: Job, stages: Sequence[Stage]) -> str:
    """Which changes are enough by themselves, with the margin left free; the closest one where none is."""
    with_what = f" ({stops_at(job)})" if job.search.safety_margin else ""
    if enough := [f"{stage.title}{' (tight)' if stage.word == TIGHT else ''}" for stage in stages if stage.with_margin]:
        return f"Enough by itself{with_what}: {'; '.join(enough)}."
    closest = max(stages, key=lambda stage: (stage.fits, stage.job.value("headroom_bytes")))
    headroom = closest.job.value("headroom_bytes")
    room = f"{in_gib(abs(headroom))} {'free' if headroom >= 0 else 'too much'}"
    lacks = ", but the host has too little" if headroom >= 0 and not closest.fits else ""
    return f"None of these is enough by itself{with_what}; the closest is: {closest.title}, {room}{lacks}."


def counts_words(found: SearchResult) -> str:
    """How many combinations there are, and what became of them."""
    parts = [
        f"{found.counts.combinations:,} combinations",
        f"{found.counts.combinations - found.evaluated:,} excluded by a rule",
        f"{found.counts.too_large:,} do not fit with {display(found.safety_margin, 'share')} left free",
        f"{found.counts.too_slow:,} too slow" if found.counts.too_slow else "",
        f"{found.counts.fitting:,} fit",
    ]
    return "; ".join(part for part in parts if part) + "."


def price_text(combination: Combination) -> str:
    """The price of a combination with its date, and what is to be warned of."""
    return "; ".join((", ".join(combination.price.split(", ")[:2]), *combination.price_warnings))


def cost_words(job: Job) -> str:
    """What the costs of a search are for."""
    if job.workload == "serving":
        return f"Cost: {display(job.value('hours'), 'h')} of service, with the price named."
    stated = job.value("model_flop_utilization") > 0
    said = "the estimate at the stated utilisation" if stated else "the sum over kernels, traffic and host"
    return (
        "Cost: GPUs x hours for the scenario's training_tokens x the price named, with its goodput and "
        f"contingency.  Time per step: {said}, or the lower bound where that is longer; differences below its "
        f"error are ties ({display(job.value('step_time_error'), 'share')})."
    )
