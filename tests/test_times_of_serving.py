"""What computed times of serving are held to, on models and GPUs that nothing was fitted on."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import memreport
from tests.serving_points import Point, points, scenario
from tests.times_scored import AIMS, BATCH, INSIDE_AIM, NEAR, NEAR_AIM, Timed, points_timed


@cache
def judged() -> tuple[Timed, ...]:
    return points_timed("judged")


@pytest.mark.parametrize("figure", AIMS)
def test_medians_on_judged_rows(figure: str) -> None:
    rows = [row for row in judged() if row.figure == figure]
    assert len(rows) > 500
    assert np.median([abs(row.error) for row in rows]) <= AIMS[figure]


def test_four_of_five_rates_are_within_a_quarter() -> None:
    rows = [row for row in judged() if row.figure == "tokens_per_second"]
    assert np.mean([abs(row.error) <= NEAR for row in rows]) >= NEAR_AIM


@pytest.mark.parametrize("figure", AIMS)
def test_four_of_five_lie_in_the_printed_range(figure: str) -> None:
    rows = [row for row in judged() if row.figure == figure]
    assert np.mean([row.low <= row.measured <= row.high for row in rows]) >= INSIDE_AIM


@pytest.mark.parametrize("part", ["fitted", "judged"])
def test_no_served_point_beats_its_bound(part: str) -> None:
    found = [point for point in points(part) if point.expressible]
    for at in range(0, len(found), BATCH):
        some = found[at : at + BATCH]
        frame = memreport.estimate(scenario(some))
        step, accepted, first = (
            frame[name].to_numpy()
            for name in ("decode_step_seconds_bound", "accepted_tokens", "time_to_first_token_bound")
        )
        assert (step / accepted <= measured(some, "tpot_ms")).all()
        assert (first <= measured(some, "ttft_ms")).all()


def measured(some: list[Point], name: str) -> np.ndarray:
    return np.asarray([point.number(name) / 1000 for point in some])
