"""The ranges of computed times: errors of measured groups that a fit has not seen.

The rule: each group of tests/calibration is left out once, the constants are fitted on the others, and the group is
computed with them; a group stays in where fewer than two others of its class hold its engine: what an engine is like
of which one machine or none was seen is no error of what is printed. The error of a class is what nine of ten then
stay within, up or down by the same factor, every group counting alike, so that one table of hundreds of points does
not speak for all; rounded up to a hundredth, never less than the noise between runs and versions of software. A wait
for the first token can grow far more than it can shrink: its two ends are what one row of forty lies above, beside
the wait of a burst that the high end holds anyway, and what one lies below; dense models at more than
`MANY_SEQUENCES` have a high end of their own, one row of ten: engines then admit fewer than asked. How much wider the
range of a GPU is that was not measured, `catalogue/tables/efficiency.py` says.

Ranges of training are stated: fitted groups say more of their jobs than others do, so that what a fit without one of
them gives (0.16 to 0.20) holds 51 to 67 % of the steps that judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.figures.constants.times import MANY_SEQUENCES
from tests.calibrate_fitted import FITTED
from tests.calibrate_rows import Given, Rows

NOISE = 0.15
"""Least error of any class, as serving differs by 14 % between versions."""
ENOUGH = 2
"""Other groups of a class with its engine without which a group is not left out."""
ALIKE = np.linspace(0, 1, 101)
"""Where the errors of a group are read, so that each has as many."""
COLUMNS: Mapping[tuple[str, str], str] = {
    ("served dense", "time_per_output_token_seconds"): "served_dense_error",
    ("served dense", "tokens_per_second"): "served_dense_error",
    ("served mixtures", "time_per_output_token_seconds"): "served_mixture_error",
    ("served mixtures", "tokens_per_second"): "served_mixture_error",
    ("served mixtures", "request_seconds"): "served_mixture_answer_error",
    ("served dense", "request_seconds"): "served_batch_error",
    ("served eager", "request_seconds"): "served_eager_error",
    ("served dense", "time_to_first_token_seconds"): "first_token_dense_error",
    ("served mixtures", "time_to_first_token_seconds"): "first_token_mixture_error",
}
"""The column that holds the error of a class and figure."""
CLASSES = {kind for kind, _ in COLUMNS}
"""The classes."""
LOW, MANY = "_low", "first_token_dense_many_error"
"""Ends the column of the low end, where the two ends are not alike; the high end of dense models at many sequences."""
WITHIN = {"first_token_dense_error": 0.925, "first_token_mixture_error": 0.95}
"""Share of the rows within either end of a wait for the first token; of every other time nine of ten."""
Fit = Callable[[Sequence[Rows], Given], dict[tuple[str, str], float]]


def ranges(listed: Sequence[Rows], values: Given, fit: Fit) -> dict[tuple[str, str], float]:
    """Errors by row and column: one for every measured GPU, see the rule above."""
    found: dict[str, list[Numbers]] = {}
    for group in (one for one in listed if one.workload == "serving"):
        for column, errors in _errors(group, _unseen(listed, group, values, fit)):
            if len(errors):
                found.setdefault(column, []).append(errors)
    return {("any", column): _error(column, errors) for column, errors in found.items()}


def _unseen(listed: Sequence[Rows], group: Rows, values: Given, fit: Fit) -> Given:
    """The constants without a group; with it, where fewer than two others of its class hold its engine."""
    others = [one for one in listed if one.group != group.group and one.workload == group.workload]
    known = frozenset(CLASSES) | {one.row for one in FITTED}
    alike = [one for one in others if any(kinds & known <= mine for kinds in group.kinds for mine in one.kinds)]
    return values if len(alike) < ENOUGH else fit(others, values)


def _errors(group: Rows, values: Given) -> Iterator[tuple[str, Numbers]]:
    """Logarithms of computed over measured times, by column; of first tokens those of either end, up or down."""
    for (kind, figure), column in COLUMNS.items():
        mine = group.of(kind)
        if figure in group.measured and not column.startswith("first_token"):
            yield column, np.abs(group.errors(values, figure)[mine])
        elif figure in group.measured:
            early = group.errors(values, figure)
            yield column + LOW, early[mine]
            most = float(MANY_SEQUENCES) if kind == "served dense" else math.inf
            few = np.asarray(group.inputs["max_num_seqs"] <= most, dtype=np.bool_)
            yield column, -early[np.logical_and(mine, few)]
            yield MANY, -early[np.logical_and(mine, ~few)]


def _error(column: str, errors: Sequence[Numbers]) -> float:
    """The error that nine of ten stay within, or as many as `WITHIN` says."""
    within = WITHIN.get(column.removesuffix(LOW), 0.9)
    alike = np.concatenate([np.quantile(one, ALIKE) for one in errors])
    size = max(float(np.quantile(alike, within)), math.log(1 + NOISE))
    return math.ceil(round((math.exp(size) - 1) * 100, 6)) / 100
