"""The verdict that each measured peak would have had on every GPU of the catalogue that it does not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memreport.advise.verdict import DOES_NOT_FIT, FITS, TIGHT, verdict_of
from tests.support import packaged
from tests.truths_read import Truth


def verdicts(rows: Iterable[Truth], capacities: Iterable[float]) -> Counter[str]:
    """Words for every pair of a measured peak and a smaller capacity: each but the last was wrong or a warning."""
    sizes = sorted(set(capacities))
    return Counter(
        verdict_of(row.predicted <= size, row.predicted, row.high, size)
        for row in rows
        if row.high > row.low
        for size in sizes
        if row.measured > size
    )


def verdict_words(rows: Iterable[Truth]) -> list[str]:
    """How often a job that ran out of memory would have been said to fit."""
    found = verdicts(rows, packaged().tables["accelerators"].numbers("capacity_bytes").tolist())
    pairs, misses, tight, fits = sum(found.values()), found[DOES_NOT_FIT], found[TIGHT], found[FITS]
    return [
        f"Held against the capacities of the catalogue's GPUs, in {pairs} pairs memory would run out; there the",
        f"verdict would have been *{DOES_NOT_FIT}* in {misses}, *{TIGHT}* in {tight} and wrongly *{FITS}* in {fits}",
        f"({fits / pairs:.2%}): where the range crosses the capacity the word is *{TIGHT}*, and only a peak above its",
        "range can be said to fit.",
    ]
