"""Time and cost with their ends, as people are told them, in the words of formulas: a browser computes them too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from memreport.formula.words import where
from memreport.report.view import SIGNED, View

Columns = Mapping[str, Any]
Rule = Callable[[Columns], Any]


@dataclass(frozen=True)
class RangedAmount:
    """An amount with its low and high end; `needs` names the figures without which there is none."""

    title: str
    unit: str
    value: Rule
    low: Rule
    high: Rule
    needs: tuple[str, ...]


def _steps(columns: Columns) -> Any:
    """A run is as uncertain as its steps: hours by the clock, restarts included, over seconds of a step."""
    return columns["training_hours"] / columns["step_seconds"] / columns["goodput"]


def _times(name: str, factor: Rule) -> Rule:
    return lambda columns: columns[name] * factor(columns)


def _run_share(columns: Columns) -> Any:
    """What the whole run costs over what the bill says."""
    total = columns["cost_total_usd"]
    return where(total > 0, columns["run_cost_usd"] / total, 1)


def _signed(name: str, factor: Rule) -> Rule:
    """Where hardware is bought, the whole purchase, which has no ends: it is what was offered."""
    used = _times(name, factor)
    return lambda columns: where(columns["buys"] > 0, columns[SIGNED], used(columns))


def _plain(columns: Columns) -> Any:  # noqa: ARG001  a factor of every column
    return 1


def _cost(title: str, factor: Rule, *needs: str) -> RangedAmount:
    """What has to be signed, by whether hardware is rented or bought."""
    value, low, high = (_signed(name, factor) for name in _COST)
    return RangedAmount(title, "USD", value, low, high, (*_COST, "buys", SIGNED, *needs))


def _ranged(title: str, unit: str, names: tuple[str, str, str], factor: Rule, *needs: str) -> RangedAmount:
    value, low, high = (_times(name, factor) for name in names)
    return RangedAmount(title, unit, value, low, high, (*names, *needs))


_COST = ("cost_total_usd", "cost_low_usd", "cost_high_usd")
TIME: Mapping[str, RangedAmount] = {
    "training": _ranged(
        "Run time", "h", ("step_seconds", "step_seconds_low", "step_seconds_high"), _steps, "training_hours", "goodput"
    ),
    "serving": _ranged(
        "Time per token",
        "s",
        (
            "time_per_output_token_seconds",
            "time_per_output_token_seconds_low",
            "time_per_output_token_seconds_high",
        ),
        _plain,
    ),
}
"""By the clock: of the whole run, failures and restarts included; of a server, from one token to the next."""
COST: Mapping[str, RangedAmount] = {
    "training": _cost("Cost of the run", _run_share, "run_cost_usd"),
    "serving": _cost("Total cost", _plain),
}
"""Of the whole run, of the service that is stated, or of what is bought for it."""


def computed_at(view: View, one: RangedAmount, at: int) -> tuple[float, float, float] | None:
    """Value, low and high end in one column; None without the figures that it needs."""
    if not all(view.has(name) for name in one.needs):
        return None
    row = {name: np.float64(view.value(name, at)) for name in one.needs}
    with np.errstate(divide="ignore", invalid="ignore"):
        value, low, high = (float(rule(row)) for rule in (one.value, one.low, one.high))
    return value, low, high
