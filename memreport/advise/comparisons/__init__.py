"""What is computed beside a scenario's own variants: vendors' quotes, other loads, other choices of what is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from memreport.advise.comparisons.curves import ServingCurve, curves_of
from memreport.advise.comparisons.quotes import QuoteComparison, compared_quotes
from memreport.advise.comparisons.unstated import Unstated, unstated
from memreport.compute import Computed
from memreport.frozen import frozen


@frozen
class Comparisons:
    """`unstated` by variant; no quotes where nothing is priced, no curves of a training job."""

    quotes: QuoteComparison | None = None
    unstated: Mapping[str, tuple[Unstated, ...]] = field(default_factory=dict)
    curves: tuple[ServingCurve, ...] = ()


def comparisons_of(computed: Computed, whole: Computed, chosen: str, *, curves: bool = True) -> Comparisons:
    """All of them, for a scenario and for its `whole` table, with the chosen option in it, whose `curves` these are."""
    return Comparisons(compared_quotes(whole), unstated(computed), curves_of(whole, chosen) if curves else ())
