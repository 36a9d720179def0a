"""What got worse between two versions, worst first: what no longer fits, what fits only just, what costs more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memreport.advise.verdict import DOES_NOT_FIT, QUEUES, TIGHT
from memreport.catalogue.quantities import GIB, brief
from memreport.report.records.answers import Verdict
from memreport.report.records.changes.versions import SEVERITY, Difference, VariantChange
from memreport.report.view import shown

MOST_NAMED = 3
"""As many as a headline may name."""
ROUNDING = 1e-12
NO_WORSE = (2, 0, 0.0)


def worst_first(found: Iterable[Difference]) -> list[Difference]:
    """Scenarios in the order in which a reader must hear of them."""
    return sorted(found, key=lambda difference: min(map(_rank, difference.variants), default=NO_WORSE))


def worse_variants(variants: Iterable[VariantChange]) -> list[VariantChange]:
    """Variants whose verdict got worse, or, where there is none, those that cost more; worst first."""
    listed = sorted(variants, key=_rank)
    return [change for change in listed if change.verdict_worse] or [change for change in listed if _dearer(change)]


def _rank(change: VariantChange) -> tuple[int, int, float]:
    """Smaller is worse: a verdict by what it is now and by how far it fell, then a cost by how much it rose."""
    if change.verdict_worse and change.old and change.new:
        return 0, -SEVERITY[change.new.word], float(SEVERITY[change.old.word])
    return (1, 0, -_dearer(change)) if _dearer(change) else NO_WORSE


def _dearer(change: VariantChange) -> float:
    """By which share the cost rose; 0 where it did not, or is not stated twice."""
    ratio = change.cost.ratio if change.cost else None
    return ratio if ratio is not None and ratio > ROUNDING else 0.0


def worse_words(variants: Sequence[VariantChange]) -> list[str]:
    """What got worse, a phrase a variant, worst first; the variant is named where there are several."""
    worse = worse_variants(variants)
    several = sum(variant.new is not None for variant in variants) > 1
    said = [f"variant {change.name} {_phrase(change)}" if several else _phrase(change) for change in worse[:MOST_NAMED]]
    left = len(worse) - len(said)
    return [*said, f"{left} more variant{'s' if left > 1 else ''} got worse"] if left else said


def _phrase(change: VariantChange) -> str:
    if change.verdict_worse and change.old and change.new:
        return fit_words(change.old, change.new)
    cost = change.cost
    if cost is None or not isinstance(cost.old, float) or not isinstance(cost.new, float):
        return ""
    return f"costs {brief(cost.new - cost.old, cost.unit)} more ({cost.percent})"


def fit_words(old: Verdict, new: Verdict) -> str:
    """What became of a verdict: `still fits with 9 % of headroom`."""
    if new.word == DOES_NOT_FIT:
        return f"{'still does not fit' if old.word == DOES_NOT_FIT else 'no longer fits'}: {_lack(new)}"
    if new.word == QUEUES:
        started = {QUEUES: "still queues", DOES_NOT_FIT: "now starts, and queues"}.get(old.word, "starts and queues")
        return f"{started}: all requests at once are {_lack(new)}"
    once = "now" if old.word in (DOES_NOT_FIT, QUEUES) else "still"
    room = f"with {new.room.share_text} of headroom"
    if new.word == TIGHT:
        return f"{once} fits, {'but only just' if old.word != TIGHT else 'as tightly as before'}, {room}"
    return f"{once} fits {room}"


def _lack(new: Verdict) -> str:
    over = new.room.peak - new.room.capacity
    return f"{shown(over / GIB, 'GiB')} too much" if over > 0 else "the host lacks memory for what is offloaded"
