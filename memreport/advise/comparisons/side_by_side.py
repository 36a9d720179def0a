"""Variants of a scenario in the order of what is compared: cost, else time; of a service what its tokens cost."""

from __future__ import annotations

from dataclasses import dataclass

from memreport.advise.candidates import Candidate, Options
from memreport.advise.comparisons.bases import RentedAndBought, rented_and_bought
from memreport.advise.verdict import DOES_NOT_FIT

SPEED, OF_TOKENS = "tokens_per_second", "usd_per_million_output_tokens"


@dataclass(frozen=True)
class SideBySide:
    """The variants that run, the best first, and those that nobody can tell from it by the error of the times."""

    running: tuple[Candidate, ...]
    tied: tuple[Candidate, ...]
    priced: bool
    """Whether costs are compared, not times."""
    bases: RentedAndBought | None
    """Where some of them rent and some buy."""


def side_by_side(options: Options) -> SideBySide:
    """The variants that the scenario itself states, in their order."""
    scenario, values = options.computed.resolved.loaded.scenario, options.computed.values
    trains = scenario.workload == "training"
    priced = scenario.cost is not None and (trains or OF_TOKENS in values)

    def measured(candidate: Candidate) -> float:
        """What is compared, less being better."""
        if trains:
            return candidate.cost if priced else float(values["training_hours"][candidate.column])
        return float(values[OF_TOKENS][candidate.column] if priced else 1 / values[SPEED][candidate.column])

    own = (candidate for candidate in options.candidates if candidate.own and candidate.word != DOES_NOT_FIT)
    running = sorted(own, key=measured)
    tied = [each for each in running if measured(each) <= measured(running[0]) * running[0].tie]
    return SideBySide(tuple(running), tuple(tied), priced, rented_and_bought(options.computed, running))
