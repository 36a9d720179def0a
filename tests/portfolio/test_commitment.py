"""The rule on commitments against every other count, on loads of steps of any width."""

from __future__ import annotations

import numpy as np
import pytest

from memreport.portfolio.commitment import best_count, commitment, costs_of, use_shares
from memreport.portfolio.load import LoadCurve


def load(seed: int, *, whole: bool) -> LoadCurve:
    chance = np.random.default_rng(seed)
    edges = np.concatenate([[0.0], np.cumsum(chance.random(chance.integers(1, 40)) * 50 + 0.1)])
    level = chance.random(len(edges) - 1) * 12
    return LoadCurve(edges, np.floor(level) if whole else level)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("price", [0.4, 2.2, 3.9, 4.0])
def test_no_other_count_costs_less(price: float, whole: bool) -> None:
    for seed in range(40):
        curve = load(seed, whole=whole)
        hours, most = curve.edges[-1], int(np.ceil(curve.level.max())) + 3
        brute = [
            price * count * hours + 4.0 * float((np.maximum(curve.level - count, 0) * curve.widths).sum())
            for count in range(most + 1)
        ]
        assert costs_of(curve, price, 4.0, most) == pytest.approx(brute)
        assert brute[best_count(use_shares(curve), price, 4.0)] == pytest.approx(min(brute))


def test_rounding_the_quantile_up_is_wrong() -> None:
    """A GPU that works 45 % of the hours, at a break-even of 55 %: the quantile of the load names it, the rule not."""
    curve = LoadCurve(np.array([0.0, 45.0, 100.0]), np.array([2.0, 1.0]))
    assert use_shares(curve) == pytest.approx([1.0, 0.45])
    assert best_count(use_shares(curve), 2.2, 4.0) == 1
    made = commitment("a", 1, 2.2, 4.0, (curve, curve, curve))
    assert made.costs == pytest.approx([4 * 145, 220 + 4 * 45, 440])
    assert made.savings == pytest.approx(1 - 400 / 580)


def test_candidates_say_what_each_misses_at_each_load() -> None:
    edges = np.array([0.0, 100.0])
    low, likely, high = (LoadCurve(edges, np.array([level])) for level in (1.0, 3.0, 6.0))
    made = commitment("a", 1, 2.0, 4.0, (low, likely, high))
    assert {one.name: one.count for one in made.candidates} == {"cautious": 1, "best": 3, "bold": 6}
    best = next(one for one in made.candidates if one.name == "best")
    assert best.regret == pytest.approx((2 * 200, 0.0, 3 * 200))  # two idle ones; three on demand at twice the price


def test_nothing_runs() -> None:
    idle = LoadCurve(np.array([0.0, 10.0]), np.array([0.0]))
    made = commitment("a", 1, 2.0, 4.0, (idle, idle, idle))
    assert (made.best, made.savings) == (0, 0.0)
