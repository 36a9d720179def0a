"""How many GPUs to commit to: the k-th is bought where its share of use is at least committed over on-demand price.

Of whole GPUs this gives the least cost; the quantile of the load at 1 - c/p, rounded up, does not: it is the critical
ratio of the newsvendor, for a continuous amount.  Source: Arrow, Harris, Marschak, Econometrica 19 (1951).
"""

from __future__ import annotations

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.frozen import frozen
from memreport.portfolio.load import LoadCurve

ROUNDING = 1e-12


@frozen
class CommitmentCount:
    """So many committed GPUs: the cost at the likely load, and by how much it misses the best at each load."""

    name: str
    count: int
    cost: float
    regret: tuple[float, ...]


@frozen
class Commitment:
    """The best number of GPUs to commit to, use shares of the k-th, cost by count from 0, and three candidates."""

    accelerator: str
    months: int
    committed: float
    on_demand: float
    hours: float
    best: int
    shares: Numbers
    costs: Numbers
    candidates: tuple[CommitmentCount, ...]
    savings: float

    @property
    def break_even(self) -> float:
        """The share of hours from which a committed GPU costs less than one on demand."""
        return self.committed / self.on_demand


def use_shares(curve: LoadCurve) -> Numbers:
    """Share of the hours in which the first, second and each further GPU works, up to the highest load."""
    most = int(np.ceil(curve.level.max(initial=0.0) - ROUNDING))
    ranks = np.arange(most)
    order = np.argsort(curve.level)
    level, width = curve.level[order], curve.widths[order]
    # Of every rank: whole hours of steps above it, and the fraction of a GPU of steps that end within it.
    above = np.concatenate([np.cumsum(width[::-1])[::-1], [0.0]])
    full = above[np.searchsorted(level, ranks + 1.0, side="left")]
    within = (level % 1.0) * width
    part = np.bincount(np.floor(level).astype(int), weights=within, minlength=most)[:most]
    hours = curve.edges[-1] - curve.edges[0]
    return np.asarray((full + part) / hours)


def best_count(shares: Numbers, committed: float, on_demand: float) -> int:
    """How many GPUs are used at least as often as it takes; shares only fall."""
    return int(np.count_nonzero(shares >= committed / on_demand - ROUNDING))


def costs_of(curve: LoadCurve, committed: float, on_demand: float, most: int) -> Numbers:
    """Cost of committing to 0, 1, ... GPUs: all their hours, and the rest of the load on demand."""
    shares = np.pad(use_shares(curve), (0, most))[:most]
    hours = float(curve.edges[-1] - curve.edges[0])
    on_demand_usd = on_demand * hours * (use_shares(curve).sum() - np.concatenate([[0.0], np.cumsum(shares)]))
    return np.asarray(committed * hours * np.arange(most + 1) + on_demand_usd)


def commitment(
    accelerator: str, months: int, committed: float, on_demand: float, curves: tuple[LoadCurve, LoadCurve, LoadCurve]
) -> Commitment:
    """The commitment for the likely of three loads (low, likely, high), with the regret at each."""
    most = max(len(use_shares(curve)) for curve in curves)
    costs = [costs_of(curve, committed, on_demand, most) for curve in curves]
    counts = [best_count(use_shares(curve), committed, on_demand) for curve in curves]
    best, likely = counts[1], curves[1]
    names = dict(zip(("cautious", "best", "bold"), counts, strict=True))
    shares, hours = use_shares(likely), float(likely.edges[-1] - likely.edges[0])
    return Commitment(
        accelerator, months, committed, on_demand, hours, best, shares, costs[1],
        tuple(
            CommitmentCount(
                name, count, float(costs[1][count]), tuple(float(cost[count] - cost.min()) for cost in costs)
            )
            for name, count in names.items()
        ),
        1 - float(costs[1][best] / costs[1][0]) if costs[1][0] else 0.0,
    )  # fmt: skip
