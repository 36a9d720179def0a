"""The verdict that each measured peak would have had on every GPU of the catalogue that it does not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memreport.advise.verdict import DOES_NOT_FIT, FITS, TIGHT, verdict_of
from tests.support import packaged
from tests.truths_read import Truth


def verdicts(rows: Iterable[Truth], capacities: Iterable[float]) -> Counter[tuple[str, str]]:
    """Words and groups of every pair of a measured peak and a smaller capacity: one that fits was wrong, or not."""
    sizes = sorted(set(capacities))
    return Counter(
        (verdict_of(row.predicted <= size, row.predicted, row.high, size), row.group)
        for row in rows
        if row.high > row.low
        for size in sizes
        if row.measured > size
    )


def verdict_words(rows: Iterable[Truth]) -> list[str]:
    """How often a job that ran out of memory would have been said to fit."""
    found = verdicts(rows, packaged().tables["accelerators"].numbers("capacity_bytes").tolist())
    misses, tight, fits = (
        sum(number for (said, _), number in found.items() if said == word) for word in (DOES_NOT_FIT, TIGHT, FITS)
    )
    pairs, groups = sum(found.values()), sorted({f"`{group}`" for word, group in found if word == FITS})
    return [
        f"Held against the capacities of the catalogue's GPUs, in {pairs} pairs more was taken than a GPU has; there",
        f"the verdict would have been *{DOES_NOT_FIT}* in {misses}, *{TIGHT}* in {tight} and *{FITS}* in {fits}",
        f"({fits / pairs:.2%}): where the range crosses the capacity the word is *{TIGHT}*, and only a peak above its",
        "range can be said to fit.",
        *(_of_a_larger_gpu(groups) if groups else ()),
    ]


def _of_a_larger_gpu(groups: list[str]) -> list[str]:
    """What those that were said to fit were compared with."""
    return [
        f"Those are of {', '.join(groups)}: what PyTorch's allocator had reserved at most on a GPU with room to spare,",
        "of sequences of many lengths. It gives back what lies unused before it runs out of memory, so that such a run",
        "may do with less; whether it would have run on the smaller GPU nobody measured.",
    ]
