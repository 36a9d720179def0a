"""The most users that an amount pays for: the largest demand that something carries within the budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from memreport.advise.asks import asks_of
from memreport.advise.rerun import Job, gpu_is_open, job_of, rerun
from memreport.advise.search.demand import READ_TOKENS_PER_SECOND, demand_plan, months_paid
from memreport.advise.search.space import fewer_bits
from memreport.catalogue.fields.demand import DemandFields
from memreport.catalogue.question.demand import TARGETS
from memreport.compute import Computed
from memreport.resolve import BASE

MOST_USERS = 2**20
"""Beyond which none are tried."""
EXACT = 1.01
"""The factor within which the largest number is found, where it is above a hundred."""


def with_users_paid(computed: Computed) -> Computed:
    """A service that is asked how many users its budget pays for, with so many as its demand; others as they are.

    In fewer bits where nobody states the weights and the budget pays for nothing that holds the model's own.
    """
    scenario = computed.resolved.loaded.scenario
    asked = "how_many_users" in asks_of(scenario) and scenario.cost is not None and scenario.demand is None
    if not asked or scenario.variants:
        return computed
    job = job_of(computed.resolved.loaded, computed.resolved.catalogue)
    if not job.search.most_cost_usd or job.case.origins["count"].kind != "default":
        return computed
    free = job.case.origins["weight_dtype"].kind == "default"
    formats = ("", *(fewer_bits(job) if free else ()))
    weights = next((each for each in formats if _is_paid(_for_users(job, 1, each))), "")
    return _for_users(job, _largest(lambda users: _is_paid(_for_users(job, users, weights))), weights).computed


def _for_users(job: Job, users: float, weights: str) -> Job:
    """The job with a demand of so many users, within the times that its question states, in a format of weights."""
    scenario = job.loaded.scenario
    targets = {name: limit for search, name in TARGETS.items() if (limit := getattr(job.search, search))}
    made = {"demand": DemandFields(users=users, **targets)}
    own = {"serving": scenario.serving.model_copy(update={"weight_dtype": weights})} if weights else {}
    loaded = replace(job.loaded, scenario=scenario.model_copy(update={**made, **own}))
    return replace(job, loaded=loaded, computed=rerun(loaded, job.catalogue, {BASE: {}}), known={})


def _is_paid(job: Job) -> bool:
    """Whether something carries the demand in its weights within the budget, as fast as one reads.

    On the GPU that the question names, where it names one.
    """
    made, weights = demand_plan(job), job.case.settings["weight_dtype"]
    pool = (made.best if gpu_is_open(job) else made.here) if made else ()
    first = next((option for option in pool if option.settings["weight_dtype"] == weights), None)
    if first is None or first.figures["sequence_tokens_per_second"] < READ_TOKENS_PER_SECOND:
        return False
    return first.usd_per_month <= (job.search.most_cost_usd or 0.0) / months_paid(job)


def _largest(holds: Callable[[float], bool]) -> float:
    """The largest number that holds, as exact as is said; one where none does."""
    low, high = 1.0, 2.0
    while high < MOST_USERS and holds(high):
        low, high = high, high * 2
    while high - low > 1 and high > low * EXACT:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
