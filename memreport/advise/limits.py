"""The largest value of a number for which a job still fits with the planned headroom, found by the engine itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memreport.advise.rerun import Job, rerun
from memreport.advise.verdict import FITS, words_of
from memreport.errors import InputError

MOST = 2**16
"""The largest value that is tried."""
AT_ONCE = 32
FIELDS = {"training": ("training.micro_batch_size", "sequences"), "serving": ("serving.max_num_seqs", "sequences")}


@dataclass(frozen=True)
class Limit:
    """The largest number that fits, the one that the job states, and what is counted."""

    field: str
    noun: str
    value: float
    given: float


def largest_batch(job: Job) -> Limit:
    """The largest micro-batch or number of sequences at once; 0 where not even one fits."""
    field, noun = FIELDS[job.workload]
    low, high = 0, MOST
    steps = [2**power for power in range(MOST.bit_length())]
    while steps:
        fitting = _fitting(job, field, steps)
        low = max((one for one, fits in zip(steps, fitting, strict=True) if fits), default=low)
        high = min((one for one, fits in zip(steps, fitting, strict=True) if not fits and one > low), default=high)
        steps = _between(low, high)
    return Limit(field, noun, low, float(job.case.settings[field.rpartition(".")[2]]))


def _between(low: int, high: int) -> list[int]:
    """Values between two, at most so many at once, until none is left."""
    width = -(-(high - low) // AT_ONCE)
    return [] if high - low <= 1 else list(range(low + width, high, width))


def _fitting(job: Job, field: str, values: Sequence[int]) -> list[bool]:
    """Which values fit; one that breaks a rule between fields does not."""
    try:
        return _computed(job, field, values)
    except InputError:
        half = len(values) // 2
        return [False] if not half else _fitting(job, field, values[:half]) + _fitting(job, field, values[half:])


def _computed(job: Job, field: str, values: Sequence[int]) -> list[bool]:
    variants = {str(one): {**job.changes, field: one} for one in values}
    found = rerun(job.loaded, job.catalogue, variants).values
    margin = job.search.safety_margin * found["usable_bytes"]
    kept = found["headroom_bytes"] >= margin
    return [word == FITS and bool(free) for word, free in zip(words_of(found), kept.tolist(), strict=True)]
