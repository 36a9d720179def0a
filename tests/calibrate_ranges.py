"""The ranges of computed times: errors of measured groups that a fit has not seen.

The rule: each group of tests/calibration is left out once, the constants are fitted on the others, and the group is
computed with them.  The error of a class is what nine of ten of its rows then stay within, up or down by the same
factor, rounded up to a hundredth; never less than the noise between runs and versions of software.  A wait for the
first token can grow far more than it can shrink: its two ends are what one row of forty lies above, beside the wait of
a burst that the high end holds anyway, and what one lies below; dense models at more than `MANY_SEQUENCES` have a high
end of their own, one row of ten: engines then admit fewer than asked.  Where all points of a served class are of one
model, how far another model lies off is not known: it is taken to be as much again.  How much wider the range of a GPU
is that was not measured, `catalogue/tables/efficiency.py` says.

Ranges of training are stated: fitted groups say more of their jobs than others do, so that what a fit without one of
them gives (0.16 to 0.20) holds 51 to 67 % of the steps that judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.figures.constants import MANY_SEQUENCES
from tests.calibrate_rows import Given, Rows

NOISE = 0.15
"""Least error of any class, as serving differs by 14 % between versions."""
NOTHING = 1e-9
COLUMNS: Mapping[tuple[str, str], str] = {
    ("served dense", "time_per_output_token_seconds"): "served_dense_error",
    ("served dense", "tokens_per_second"): "served_dense_error",
    ("served mixtures", "time_per_output_token_seconds"): "served_mixture_error",
    ("served mixtures", "tokens_per_second"): "served_mixture_error",
    ("served dense", "request_seconds"): "served_batch_error",
    ("served eager", "request_seconds"): "served_eager_error",
    ("served dense", "time_to_first_token_seconds"): "first_token_dense_error",
    ("served mixtures", "time_to_first_token_seconds"): "first_token_mixture_error",
}
"""The column that holds the error of a class and figure."""
LOW, MANY = "_low", "first_token_dense_many_error"
"""Ends the column of the low end, where the two ends are not alike; the high end of dense models at many sequences."""
Fit = Callable[[Sequence[Rows], Given], dict[tuple[str, str], float]]


def ranges(listed: Sequence[Rows], values: Given, fit: Fit) -> dict[tuple[str, str], float]:
    """Errors by row and column: one for every measured GPU, see the rule above."""
    found: dict[str, list[float]] = {}
    models: dict[str, set[str]] = {}
    for group in (one for one in listed if one.workload == "serving"):
        others = [one for one in listed if one.group != group.group and one.workload == group.workload]
        for column, errors in _errors(group, fit(others, values)):
            found.setdefault(column, []).extend(errors)
            models.setdefault(column, set()).update({group.group.split()[0]} if len(errors) else ())
    return {("any", column): _error(column, errors, models[column]) for column, errors in found.items()}


def _errors(group: Rows, values: Given) -> Iterator[tuple[str, Numbers]]:
    """Logarithms of computed over measured times, by column; of first tokens those of either end, up or down."""
    for (kind, figure), column in COLUMNS.items():
        mine = group.of(kind)
        if figure in group.measured and not column.startswith("first_token"):
            yield column, np.abs(group.errors(values, figure)[mine])
        elif figure in group.measured:
            yield column + LOW, group.errors(values, figure)[mine]
            later, most = late(group, values), float(MANY_SEQUENCES) if kind == "served dense" else math.inf
            few = np.asarray(group.inputs["max_num_seqs"] <= most, dtype=np.bool_)
            yield column, later[np.logical_and(mine, few)]
            yield MANY, later[np.logical_and(mine, ~few)]


def late(group: Rows, values: Given) -> Numbers:
    """Logarithms of measured waits for the first token, without that of a burst, over computed ones."""
    figure = "time_to_first_token_seconds"
    rest = group.measured[figure] - group.computed(values, "burst_wait_seconds")
    return np.log(np.maximum(rest, NOTHING) / group.computed(values, figure))


def _error(column: str, errors: Sequence[float], models: set[str]) -> float:
    """Nine of ten within, or one of forty beyond either end; as much again where all are of one model."""
    first = column.startswith("first_token")
    alone = len(models) == 1 and column != MANY and (first or column.startswith("served"))
    within = 0.975 if first and column != MANY else 0.9
    size = max(float(np.quantile(errors, within)), math.log(1 + NOISE)) * (1 + alone)
    return math.ceil(round((math.exp(size) - 1) * 100, 6)) / 100
