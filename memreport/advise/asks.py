"""What a scenario's question asks for: stated, or found from the figures that answer it."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.scenario import Scenario

ASKED_BY: Mapping[str, str] = {
    "max_concurrent_sequences": "how_many_users",
    "minimum_accelerators": "how_many_gpus",
    "minimum_accelerators_weights": "how_many_gpus",
    "training_hours": "how_long",
    "step_seconds": "how_long",
    "tokens_per_second": "how_fast",
    "time_to_first_token_seconds": "how_fast",
    "time_per_output_token_seconds": "how_fast",
    "cost_total_usd": "what_cost",
    "run_cost_usd": "what_cost",
    "cost_per_month_usd": "what_cost",
}
"""What a question asks for whose `answers:` names this figure."""


def counts_gpus(scenario: Scenario) -> bool:
    """Whether the number of GPUs is asked for, and no figure that the scenario names answers it."""
    kind = "how_many_gpus"
    return kind in scenario.asks and kind not in {ASKED_BY.get(name) for name in scenario.answers}


def asks_of(scenario: Scenario) -> tuple[str, ...]:
    """What the question asks for: stated, or found from the figures that answer it; else whether it fits."""
    if scenario.asks:
        return tuple(scenario.asks)
    found = dict.fromkeys(ASKED_BY[name] for name in scenario.answers if name in ASKED_BY)
    return tuple(found) or ("fits",)
