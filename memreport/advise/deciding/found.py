"""The combinations that plan, search and demand found for a job, under names of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memreport.advise.gpus import on_each_gpu
from memreport.advise.plan import Plan
from memreport.advise.rerun import Changes, Job, full_names
from memreport.advise.search.demand import DemandPlan, demand_variant
from memreport.advise.sizes.fewest_gpus import on_fewest_gpus
from memreport.resolve import BASE

SEARCHED = 3
"""Rows of each list of a search that are looked at again."""


def own_changes(job: Job) -> dict[str, Changes]:
    """The scenario's own variants, with fields in full."""
    variants = job.loaded.scenario.variants or {BASE: {}}
    return {name: full_names(given, job.workload) for name, given in variants.items()}


def found_by(plan: Plan, own: Mapping[str, Changes]) -> dict[str, Changes]:
    """What the plan found, under names of its own."""
    found = [{**plan.job.changes, **settings} for settings in _found(plan)]
    beside = [*on_fewest_gpus(plan.job, [*own.values(), *found]), *on_each_gpu(plan.job)]
    return {f"found {number}": settings for number, settings in enumerate([*found, *beside], 1)}


def _found(plan: Plan) -> Iterator[Changes]:
    """What procedures and search end with, as changes of the job; each once."""
    seen: list[Changes] = []
    if plan.demand is not None:
        yield from _demanded(plan.job, plan.demand)
        return
    procedures = [procedure.changes for procedure in (plan.checklist, plan.tree) if procedure and procedure.fits]
    alone = [stage.changes for stage in plan.alone if stage.fits]
    for changes in (*procedures, *alone, *_searched(plan)):
        if changes and changes not in seen:
            seen.append(dict(changes))
            yield seen[-1]


def _demanded(job: Job, made: DemandPlan) -> Iterator[Changes]:
    """What meets the demand: on the stated GPU, cheapest on any and with the stated weights; or what comes nearest."""
    weights = job.case.settings["weight_dtype"]
    same = [option for option in made.best if option.settings["weight_dtype"] == weights]
    options = (*made.here, *made.of_each, *made.best[:SEARCHED], *same[:1], *([made.nearest] if made.nearest else []))
    seen: list[Changes] = []
    for changes in (demand_variant(job, option) for option in options):
        if changes and changes not in seen:
            seen.append(changes)
            yield changes


def _searched(plan: Plan) -> Iterator[Changes]:
    found = plan.found
    if found is None or not found.counts.fitting:
        return
    for rows in (
        found.on_same_hardware,
        found.fewest_changes,
        found.on_same_accelerator,
        found.best,
        found.other_kinds,
    ):
        yield from (row.changes for row in rows[:SEARCHED])
