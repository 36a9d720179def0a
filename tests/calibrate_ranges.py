"""The ranges of computed times: errors of measured groups that a fit has not seen.

The rule: each group of tests/calibration is left out once, the constants are fitted on the others, and the group is
computed with them.  The error of a class is what nine of ten of its rows then stay within, up or down by the same
factor, rounded up to a hundredth; never less than the noise between runs and versions of software, never more than what
leaves a training time useful.  A wait for the first token can grow far more than it can shrink: its two ends are what
one row of twenty lies above, and what one lies below.  Where all points of a served class are
of one model, how far another model lies off is not known: it is taken to be as much again.  How much wider the range of
a GPU is that was not measured, `catalogue/tables/efficiency.py` says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tests.calibrate_rows import Given, Rows

NOISE, MOST_TRAINING = 0.15, 0.34
"""Least error of any class, as serving differs by 14 % between versions; the most of training, 1.8 from low to high."""
COLUMNS: Mapping[tuple[str, str], str] = {
    ("dense", "step_seconds"): "dense_time_error",
    ("eager", "step_seconds"): "dense_time_error",
    ("mixtures", "step_seconds"): "mixture_time_error",
    ("adapters", "step_seconds"): "adapter_time_error",
    ("served dense", "time_per_output_token_seconds"): "served_dense_error",
    ("served dense", "tokens_per_second"): "served_dense_error",
    ("served mixtures", "time_per_output_token_seconds"): "served_mixture_error",
    ("served mixtures", "tokens_per_second"): "served_mixture_error",
    ("served dense", "request_seconds"): "served_batch_error",
    ("served dense", "time_to_first_token_seconds"): "first_token_dense_error",
    ("served mixtures", "time_to_first_token_seconds"): "first_token_mixture_error",
}
"""The column that holds the error of a class and figure."""
LOW = "_low"
"""Ends the column of the low end, where the two ends are not alike."""
Fit = Callable[[Sequence[Rows], Given], dict[tuple[str, str], float]]


def ranges(listed: Sequence[Rows], values: Given, fit: Fit) -> dict[tuple[str, str], float]:
    """Errors by row and column: one for every measured GPU, see the rule above."""
    found: dict[str, list[float]] = {}
    models: dict[str, set[str]] = {}
    for group in listed:
        others = [one for one in listed if one.group != group.group and one.workload == group.workload]
        for column, errors in _errors(group, fit(others, values)):
            found.setdefault(column, []).extend(errors)
            models.setdefault(column, set()).update({group.group.split()[0]} if errors else ())
    return {
        ("any", end): error
        for column, errors in found.items()
        for end, error in _ends(column, [size * (1 + _alone(column, models[column])) for size in errors])
    }


def _alone(column: str, models: set[str]) -> bool:
    """A served class whose points are all of one model."""
    return len(models) == 1 and column.startswith(("served", "first_token"))


def _errors(group: Rows, values: Given) -> list[tuple[str, list[float]]]:
    return [
        (column, list(group.errors(values, figure)[group.of(kind)]))
        for (kind, figure), column in COLUMNS.items()
        if figure in group.measured
    ]


def _ends(column: str, errors: Sequence[float]) -> list[tuple[str, float]]:
    """One error up and down, or that of each end."""
    if not column.startswith("first_token"):
        return [(column, _error(column, float(np.quantile(np.abs(errors), 0.9))))]
    low, high = np.quantile(errors, [0.05, 0.95])
    return [(column, _error(column, float(-low))), (column + LOW, _error(column, float(high)))]


def _error(column: str, size: float) -> float:
    most = MOST_TRAINING if column.endswith("_time_error") else math.inf
    return min(max(math.ceil(round((math.exp(size) - 1) * 100, 6)) / 100, NOISE), most)
