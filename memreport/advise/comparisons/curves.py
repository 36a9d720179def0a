"""Curves of a served model: tokens per second against time per token, and cost against load; the plan is marked."""

from __future__ import annotations

import numpy as np

from memreport.advise.rerun import Job, job_of
from memreport.advise.search.demand_axes import SEQUENCES
from memreport.catalogue.records import Numbers
from memreport.compute import Computed, calculate, needed_for
from memreport.figures.registry import lines_in_order
from memreport.frozen import frozen

LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 2.0)
"""Loads of a curve, in parts of the load that the scenario plans."""
TOKEN_TIMES = tuple(f"time_per_output_token_seconds{end}" for end in ("", "_low", "_high"))
FRONTIER = (*TOKEN_TIMES, "tokens_per_second", "time_to_first_token_seconds", "fits")
COST = ("needed_accelerators", "service_usd_per_month", "usd_per_million_output_tokens", "usd_per_million_input_tokens")


@frozen
class ServingCurve:
    """Points of a curve: the values of what is varied, the figures at each, and the position of what is planned."""

    varied: str
    values: tuple[float, ...]
    figures: dict[str, tuple[float, ...]]
    planned: int


def curves_of(computed: Computed, variant: str) -> tuple[ServingCurve, ...]:
    """The frontier of a served variant, and its cost by load where that is asked; nothing where it trains."""
    resolved = computed.resolved
    if resolved.workload != "serving":
        return ()
    job = job_of(resolved.loaded, resolved.catalogue, variant)
    return tuple(curve for curve in (frontier(job), cost_by_load(job)) if curve)


def frontier(job: Job) -> ServingCurve:
    """Tokens per second and times over the concurrency of a replica, from one sequence to the most that are tried."""
    own = job.value("max_num_seqs")
    values = np.asarray(sorted({*map(float, SEQUENCES), own}))
    batch = np.maximum(job.value("max_num_batched_tokens"), values)
    found = _over(job, {"max_num_seqs": values, "max_num_batched_tokens": batch}, FRONTIER)
    return ServingCurve("max_num_seqs", tuple(values), found, int(np.searchsorted(values, own)))


def cost_by_load(job: Job) -> ServingCurve | None:
    """GPUs and cost over the requests per second; nothing without a demand or without a cost."""
    asked = job.loaded.scenario.cost is not None and (job.value("users") or job.value("requests_per_second"))
    if not asked:
        return None
    own = job.value("demanded_requests_per_second")
    values = own * np.asarray(LOADS)
    found = _over(job, {"requests_per_second": values, "users": np.zeros(len(values))}, COST)
    return ServingCurve("requests_per_second", tuple(values), found, LOADS.index(1.0))


def _over(job: Job, varied: dict[str, Numbers], wanted: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    resolved = job.computed.resolved
    inputs = {name: np.asarray(column[0]) for name, column in resolved.inputs.items()} | varied
    overrides = {name: np.asarray(column[0]) for name, column in resolved.overrides.items()}
    made = calculate(needed_for(lines_in_order(job.workload), wanted), inputs, overrides, wanted)
    shape = next(iter(varied.values())).shape
    return {name: tuple(map(float, np.broadcast_to(made[name], shape))) for name in wanted}
