"""What variants are compared by: cost, else time; of a service what its tokens cost, else how many it gives."""

from __future__ import annotations

from memreport.advise.candidates import Candidate
from memreport.compute import Computed

SPEED, OF_TOKENS = "tokens_per_second", "usd_per_million_output_tokens"


def is_priced(computed: Computed) -> bool:
    """Whether costs are compared, not times."""
    trains = computed.resolved.workload == "training"
    return computed.resolved.loaded.scenario.cost is not None and (trains or OF_TOKENS in computed.values)


def measured(computed: Computed, candidate: Candidate) -> float:
    """What is compared, less being better: dollars or hours of a run; dollars or seconds of a service's token."""
    values, priced = computed.values, is_priced(computed)
    if computed.resolved.workload == "training":
        return candidate.cost if priced else float(values["training_hours"][candidate.column])
    return float(values[OF_TOKENS][candidate.column] if priced else 1 / values[SPEED][candidate.column])
