"""What may be changed about a job, as data: fields and their new values, when that makes sense, and in what words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Any

from memreport.advise.rerun import Job, changed_each
from memreport.advise.verdict import (
    DOES_NOT_FIT,
    KEPT,
    LONGEST,
    QUEUE,
    QUEUES,
    SHORT_OF,
    TIGHT,
    Word,
    host_lacks_words,
    keeps_margin,
    queue_words,
    unstarted_words,
)
from memreport.catalogue.quantities import display, in_gib, pair_in_gib
from memreport.catalogue.scenario import Scalar, dictionary
from memreport.errors import InputError
from memreport.frozen import frozen

MOST_FACTORS = 1000
"""Micro-batches have small factors; a larger prime one is traded whole."""


@frozen
class Halved:
    """The field's value over two, while it stays a whole number of at least `least`."""

    least: float


@frozen
class Traded:
    """The field divided by its smallest factor, and `other` multiplied by it: their product stays."""

    other: str


@frozen
class Move:
    """A change of fields: new values, the values from which it makes sense, a figure that must exceed one.

    `has` and `lacks` name a rate for which the GPU must, or must not, have units of its own; `enough`: it is made
    only where the job then fits; `unless` are words of a question with which it is not there.
    """

    title: str
    changes: Mapping[str, Scalar | Halved | Traded]
    when: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    needs: str = ""
    why_needed: str = ""
    repeats: bool = False
    has: str = ""
    lacks: str = ""
    enough: bool = False
    unless: str = ""

    def on(self, job: Job) -> dict[str, Any]:
        """The fields that it changes on this job; nothing where it does not apply or changes nothing."""
        if self.blocked(job) or not self.suits(job):
            return {}
        made: dict[str, Any] = {}
        for key, value in self.changes.items():
            made |= _change(job, key, value)
        return {key: value for key, value in made.items() if _setting(job, key) != value}

    def named(self, job: Job) -> str:
        """The title; of a number that is made smaller, with what it has become on the job."""
        fields = dictionary(job.workload)
        smaller = [key.rpartition(".")[2] for key, value in self.changes.items() if isinstance(value, Halved | Traded)]
        sizes = [display(_setting(job, name), fields[name].unit or "1") for name in smaller]
        return f"{self.title}, {', '.join(sizes)}" if sizes else self.title

    def blocked(self, job: Job) -> str:
        """Why the move has nothing to work on, or nothing."""
        return self.why_needed if self.needs and job.value(self.needs) <= 1 else ""

    def suits(self, job: Job) -> bool:
        """Whether the fields have values from which it makes sense, and the GPU the units that it is for."""
        units = (self.has == "" or job.has_units(self.has)) and (self.lacks == "" or not job.has_units(self.lacks))
        units = units and not (self.unless and re.search(self.unless, job.loaded.scenario.question.lower()))
        return units and all(_setting(job, key) in allowed for key, allowed in self.when.items())


def _setting(job: Job, key: str) -> Any:
    return job.case.settings[key.rpartition(".")[2]]


def _change(job: Job, key: str, value: Scalar | Halved | Traded) -> dict[str, Any]:
    if isinstance(value, Halved):
        half = _setting(job, key) / 2
        return {key: half} if half >= value.least and half == int(half) else {}
    if isinstance(value, Traded):
        factor = _smallest_factor(int(_setting(job, key)))
        traded = {key: _setting(job, key) / factor, value.other: _setting(job, value.other) * factor}
        return traded if factor > 1 else {}
    return {key: value}


def _smallest_factor(number: int) -> int:
    """The smallest factor up to MOST_FACTORS; else the number itself, which is always one."""
    return next((factor for factor in range(2, min(number, MOST_FACTORS) + 1) if number % factor == 0), max(number, 1))


class StageKind(StrEnum):
    """What a stage of a procedure is: the job as it was, a change made or passed over, a question asked."""

    GIVEN = "given"
    CHANGED = "changed"
    PASSED_OVER = "passed over"
    QUESTION = "question"


@frozen
class Stage:
    """The budget after a change: `changes` are all made so far, `job` what they make of the one that is advised on."""

    step: str
    title: str
    changes: Mapping[str, Any]
    kind: StageKind
    job: Job = field(repr=False, compare=False)
    sentence: str

    @property
    def word(self) -> Word:
        """The verdict."""
        return self.job.word

    @property
    def fits(self) -> bool:
        """Whether it fits."""
        return bool(self.job.value("fits"))

    @property
    def with_margin(self) -> bool:
        """Whether also the margin of the `search:` block stays free: there a plan stops."""
        return fits_with_margin(self.job)


def fits_with_margin(job: Job) -> bool:
    """Whether the job fits, at the high end of the estimate too, with the margin of the `search:` block left free."""
    return bool(keeps_margin({name: job.value(name) for name in KEPT[job.workload]}, job.search.safety_margin))


def stage(
    step: str, title: str, job: Job, changes: Mapping[str, Any], kind: StageKind = StageKind.CHANGED, says: str = ""
) -> Stage:
    """The record of one step, with the sentence that a reader sees: the verdict, where `says` says nothing else."""
    return Stage(step, title, dict(changes), kind, job, says or verdict_on(job))


def passed_over(reasons: Iterable[str]) -> str:
    """Why a step was passed over, each reason once."""
    return f"Passed over: {'; '.join(dict.fromkeys(reasons))}."


def stops_at(job: Job) -> str:
    """Where checklist, tree and search stop: at the margin, or at the first that fits where there is none."""
    margin = job.search.safety_margin
    return f"{display(margin, 'share')} left free" if margin else "the first that fits"


def verdict_on(job: Job) -> str:
    """The verdict in one sentence, whose first word it is."""
    headroom, usable = job.value("headroom_bytes"), job.value("usable_bytes")
    needed, offered = pair_in_gib(job.value("peak_bytes"), usable)
    if job.word == QUEUES:
        running = queue_words(*(job.value(name) for name in QUEUE))
        return f"{QUEUES}: {running}; all at once would need {needed} of {offered}."
    if headroom < 0:
        return f"{DOES_NOT_FIT}: {needed} of {offered}, {in_gib(-headroom)} too much{_unstarted(job)}."
    if not job.value("fits"):
        lacking = host_lacks_words([*map(job.value, SHORT_OF)])
        return f"{DOES_NOT_FIT}: the GPU needs {needed} of {offered}, but the host lacks {lacking}."
    return f"{job.word}: {needed} of {offered}, {in_gib(headroom)} free{_caveat(job)}."


def _unstarted(job: Job) -> str:
    """That the engine does not start for want of room for its longest request; "" where that is not why."""
    why = job.workload == "serving" and unstarted_words(*(job.value(name) for name in LONGEST))
    return f"; the engine {why}" if why else ""


def _caveat(job: Job) -> str:
    """What a job that fits lacks: the margin, room for the high end of the estimate; or nothing."""
    high = pair_in_gib(job.value("peak_bytes_high"), job.value("usable_bytes"))[0]
    margin = f" (less than the margin of {display(job.search.safety_margin, 'share')})"
    less = "" if fits_with_margin(job) else margin
    return f"{less}, which the high end of the estimate ({high}) would exceed" if job.word == TIGHT else less


def tried(job: Job, move: Move) -> tuple[Job, str]:
    """The job after the move, or the job as it was and why the move was not made."""
    return tried_each([(job, move)])[0]


def tried_each(pairs: Sequence[tuple[Job, Move]]) -> list[tuple[Job, str]]:
    """The same for several moves on jobs of one variant, computed side by side."""
    changes = [move.on(job) for job, move in pairs]
    made = iter(changed_each([(job, change) for (job, _), change in zip(pairs, changes, strict=True) if change]))
    return [
        _outcome(job, move, next(made)) if change else (job, _idle(job, move))
        for (job, move), change in zip(pairs, changes, strict=True)
    ]


def _idle(job: Job, move: Move) -> str:
    """Why a move that changes no field of the job was not made."""
    return move.blocked(job) or "it changes nothing here"


def _outcome(job: Job, move: Move, after: Job | InputError) -> tuple[Job, str]:
    if isinstance(after, InputError):
        return job, "; ".join(f"{fault.field} {fault.message}" for fault in after.faults)
    if move.enough and not fits_with_margin(after):
        return job, "it is not enough"
    return after, ""


def repeated(job: Job, move: Move) -> Iterator[tuple[Job, str]]:
    """The job after each time the move is made, as often as it changes something where it repeats."""
    after, why = tried(job, move)
    yield after, why
    while move.repeats and not why:
        after, why = tried(after, move)
        if not why:
            yield after, why


def repeated_each(job: Job, moves: Sequence[Move]) -> list[tuple[Job, str]]:
    """The last that `repeated` gives of each of these moves by itself, computed side by side."""
    last = tried_each([(job, move) for move in moves])
    going = [index for index, (_, why) in enumerate(last) if moves[index].repeats and not why]
    while going:
        further = zip(going, tried_each([(last[index][0], moves[index]) for index in going]), strict=True)
        made = {index: found for index, found in further if not found[1]}
        last, going = [made.get(index, pair) for index, pair in enumerate(last)], list(made)
    return last


def changes_since(before: Job, after: Job) -> dict[str, Any]:
    """The changes of a job that another of the same variant does not have."""
    return {key: value for key, value in after.changes.items() if before.changes.get(key) != value}
