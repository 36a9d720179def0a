"""The whole advice on a computed scenario: plan, options, and the table that is published with the chosen one in it."""

from __future__ import annotations

from dataclasses import replace

from memreport.advise.asks import hours_to_fill, requests_asked
from memreport.advise.candidates import Options
from memreport.advise.comparisons import Comparisons, comparisons_of
from memreport.advise.comparisons.amounts import AskedAmounts, amounts_of
from memreport.advise.comparisons.side_by_side import SideBySide, side_by_side
from memreport.advise.deciding.options import chosen_job, chosen_name, options_of, with_chosen
from memreport.advise.gpus import GpuTried, gpus_tried
from memreport.advise.plan import Plan, plan
from memreport.advise.rerun import job_of
from memreport.advise.search.search import Runner, in_process
from memreport.advise.sensitivity import tornado
from memreport.advise.sizes.largest import Limits, limits_of
from memreport.compute import Computed
from memreport.frozen import frozen


@frozen
class Decision:
    """`computed` holds the variants of `scenario` and, where it is none of them, the chosen option, named `chosen`."""

    scenario: Computed
    plan: Plan
    options: Options
    limits: Limits
    gpus: tuple[GpuTried, ...]
    """Where the question is which GPU, every GPU in place of the submitted one."""
    compared: SideBySide
    computed: Computed
    chosen: str
    comparisons: Comparisons
    amounts: AskedAmounts
    """What the chosen option comes to, where the question states an amount or a number of requests."""


def decide(computed: Computed, variant: str = "", runner: Runner = in_process, *, sensitivity: bool = True) -> Decision:
    """Advise on one variant of a computed scenario, the first unless another is named.  Raises InputError for names.

    The answer needs no `sensitivity` and no curves; pages and workbooks do.
    """
    job = job_of(computed.resolved.loaded, computed.resolved.catalogue, variant)
    made = plan(job, runner=runner, sensitivity=False)
    options = options_of(made)
    swings = tornado(chosen_job(job, options)) if sensitivity else None
    whole, chosen = with_chosen(computed, options), chosen_name(options, job.loaded.scenario.variants)
    return Decision(
        scenario=computed,
        plan=replace(made, tornado=swings),
        options=options,
        limits=limits_of(job, lambda: chosen_job(job, options)),
        gpus=gpus_tried(job),
        compared=side_by_side(job, options),
        computed=whole,
        chosen=chosen,
        comparisons=comparisons_of(computed, whole, chosen, curves=sensitivity),
        amounts=amounts_of(
            options.computed,
            options.chosen.column,
            job.search.most_cost_usd,
            requests_asked(computed.resolved.loaded.scenario),
            hours_to_fill(computed.resolved.loaded.scenario),
        ),
    )
