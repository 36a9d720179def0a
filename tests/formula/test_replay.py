"""For every figure of both workloads: the recording gives bit for bit the numbers of the function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memreport.catalogue.records import Numbers
from memreport.figures.registry import lines_of
from memreport.formula.recording import Figure, replay

FIGURES = list({line.figure.name: line.figure for name in ("training", "serving") for line in lines_of(name)}.values())
MOST = max(len(figure.inputs) for figure in FIGURES)
# switches, small counts, sizes, rates: the magnitudes that figures meet, their edges, and everything in between
VALUES = st.sampled_from([0.0, 1.0, 2.0, 3.0, 0.1, 0.3, 128.0, 4096.0, 1e9, 2e12]) | st.floats(0, 1e15)
ROWS = st.lists(st.lists(VALUES, min_size=MOST, max_size=MOST), min_size=6, max_size=6)
CHUNK = 24


def columns(figure: Figure, rows: Sequence[Sequence[float]]) -> dict[str, Numbers]:
    return {name: np.asarray([row[at] for row in rows], dtype=np.float64) for at, name in enumerate(figure.inputs)}


@pytest.mark.parametrize("first", range(0, len(FIGURES), CHUNK))
@settings(max_examples=25)
@given(rows=ROWS)
def test_replay_equals_call(first: int, rows: list[list[float]]) -> None:
    with np.errstate(all="ignore"):
        for figure in FIGURES[first : first + CHUNK]:
            given_ = columns(figure, rows)
            called, replayed = figure.formula(**given_), replay(figure.expression, given_)
            assert np.array_equal(called, replayed, equal_nan=True), figure.name


@settings(max_examples=10)
@given(rows=ROWS)
def test_a_column_is_computed_row_by_row(rows: list[list[float]]) -> None:
    with np.errstate(all="ignore"):
        for figure in FIGURES:
            given_ = columns(figure, rows)
            single = {name: column[:1] for name, column in given_.items()}
            whole = np.broadcast_to(figure.formula(**given_), len(rows))
            assert np.array_equal(whole[:1], np.broadcast_to(figure.formula(**single), 1), equal_nan=True), figure.name
