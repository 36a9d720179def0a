"""Variants of a service that never lacks requests, each with as many sequences at once as it has room for."""

from __future__ import annotations

from memreport.advise.asks import AT_FULL_LOAD, COST_OF_A_TOKEN, asks_of
from memreport.advise.rerun import full_names, job_of, rerun
from memreport.advise.sizes.at_once import with_most_of_a_batch
from memreport.compute import Computed


def loads_fully(computed: Computed) -> bool:
    """Whether variants are compared by what tokens cost, or by throughput, and nobody says how many run at once."""
    resolved, scenario = computed.resolved, computed.resolved.loaded.scenario
    compared = "compare" in asks_of(scenario) and len(scenario.variants) > 1 and resolved.workload == "serving"
    of_tokens = COST_OF_A_TOKEN.is_asked(scenario) or AT_FULL_LOAD.is_asked(scenario) or scenario.cost is not None
    return compared and of_tokens and all(case.origins["max_num_seqs"].kind == "default" for case in resolved.cases)


def at_full_load(computed: Computed) -> Computed:
    """The scenario with variants as they make most tokens, where these or their cost are compared and no number is."""
    resolved, scenario = computed.resolved, computed.resolved.loaded.scenario
    if not loads_fully(computed):
        return computed
    jobs = [job_of(resolved.loaded, resolved.catalogue, name) for name in scenario.variants]
    most = {job.variant: with_most_of_a_batch(job) for job in jobs if job.case.makes_tokens}
    variants = {name: {**full_names(each, "serving"), **most.get(name, {})} for name, each in scenario.variants.items()}
    return rerun(resolved.loaded, resolved.catalogue, variants)
