"""How many GPUs a search tries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

from memreport.advise.rerun import Job, count_is_open
from memreport.catalogue.scenario import Scalar

COUNT_FACTORS = {"training": (1, 2, 4, 8), "serving": (1, 2, 3, 4, 6, 8, 12, 16)}
AROUND = (0.25, 0.5, 1, 2, 4)
"""How many times the GPUs that end a pretraining in its time as submitted: other layouts take fewer, or more."""


def counts_of(job: Job, own: Scalar) -> tuple[Scalar, ...]:
    """Numbers of GPUs that are tried: around the scenario's own, or, where they are asked for, powers of two."""
    if job.workload == "serving":
        return tuple(dict.fromkeys([own, *(float(factor) for factor in COUNT_FACTORS["serving"])]))
    more = tuple(cast(float, own) * factor for factor in COUNT_FACTORS["training"])
    if (many := gpus_in_time(job)) > more[-1]:
        return tuple(many * factor for factor in AROUND)
    return tuple(dict.fromkeys((*more, *_powers(more[-1])))) if count_is_open(job) else more


def gpus_in_time(job: Job) -> float:
    """GPUs on which a pretraining, as it is submitted, ends in its time, as a power of two; 0 of other jobs."""
    if not job.pretrains or not job.search.run_hours or not count_is_open(job):
        return 0.0
    times = job.value("run_hours") * job.value("accelerators") / job.search.run_hours
    return 2.0 ** math.ceil(math.log2(max(1.0, times)))


def _powers(most: float) -> Iterator[float]:
    """Numbers of GPUs where their number is asked for: powers of two, fewer than the scenario has among them."""
    return (2.0**power for power in range(int(math.log2(most)) + 1))
