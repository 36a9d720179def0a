"""What variants are compared by: cost, else time; of a service what its answers cost, else how many tokens it gives."""

from __future__ import annotations

from memreport.advise.candidates import Candidate
from memreport.compute import Computed

SPEED, OF_TOKENS = "tokens_per_second", "cost_per_million_tokens_usd"
"""The whole bill over the tokens of answers: a part of it alone, that of prompts or of answers, ranks otherwise."""
A_MONTH = "service_usd_per_month"
"""The bill of as many GPUs as carry a demand, the same for all."""


def is_priced(computed: Computed) -> bool:
    """Whether costs are compared, not times."""
    trains = computed.resolved.workload == "training"
    return computed.resolved.loaded.scenario.cost is not None and (trains or OF_TOKENS in computed.values)


def measured(computed: Computed, candidate: Candidate) -> float:
    """What is compared, less being better: dollars or hours of a run; dollars or seconds of a service's token.

    Of a demand dollars of a month, in which all do the same.
    """
    values, priced = computed.values, is_priced(computed)
    if computed.resolved.workload == "training":
        return candidate.cost if priced else float(values["training_hours"][candidate.column])
    of_all = OF_TOKENS if computed.resolved.loaded.scenario.demand is None else A_MONTH
    return float(values[of_all][candidate.column] if priced else 1 / values[SPEED][candidate.column])
