"""The options that a budget is decided on, as records: variants of a scenario and what advice found beside them."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from memreport.advise.rerun import Changes
from memreport.advise.verdict import Word
from memreport.compute import Computed
from memreport.frozen import frozen
from memreport.resolve import Case


class Role(StrEnum):
    """What an option is to the reader."""

    AS_SUBMITTED = "as submitted"
    RECOMMENDED = "recommended"
    VARIANT = "variant"
    NEAREST = "nearest"
    CHEAPEST_SAME = "cheapest on the same GPUs"
    CHEAPEST_ELSEWHERE = "cheapest elsewhere"
    DIFFERENT_JOB = "a different job"


MOST_USERS = "most users"
"""The settings that were found for as many users as have room."""


@frozen
class Likeness:
    """What a candidate has in common with what was submitted."""

    same_job: bool
    larger_batch: bool
    """The same job but for its global batch, which is larger: more GPUs than it has sequences."""
    other_result: bool
    same_gpus: bool


@frozen
class Candidate:
    """A column of the comparison: a variant of the scenario (`own`) or a combination that advice found."""

    column: int
    case: Case
    changes: Changes
    own: bool
    word: Word
    headroom_kept: bool
    """Whether it fits with the planned headroom, keeps limits of time and cost, and meets a demand that is stated."""
    beyond: Literal["time", "cost"] | None
    """Which limit of the question or of `search:` it exceeds, the cost before the time."""
    likeness: Likeness
    cost: float
    tie: float
    """Costs within this factor are a tie: what the range of its time says of how sure its cost is."""
    usable: float
    """Bytes of its GPU that a job may take."""
    changed: tuple[str, ...]

    @property
    def serves_most(self) -> bool:
        """Whether it was found for as many users as have room."""
        return not self.own and self.case.name == MOST_USERS

    @property
    def count(self) -> float:
        """GPUs of the job."""
        return float(self.case.settings["count"])


@frozen
class Option:
    """A candidate and what it is to the reader."""

    role: Role
    candidate: Candidate


@frozen
class Options:
    """All candidates as one computed table, and the few of them that are shown.

    `recommended` is None where nothing fits the same GPUs with the planned headroom; `nearest` then does, and `tight`
    fits these with less.
    """

    computed: Computed
    candidates: tuple[Candidate, ...]
    submitted: Candidate
    recommended: Candidate | None
    nearest: Candidate | None
    tight: Candidate | None
    shown: tuple[Option, ...]

    @property
    def chosen(self) -> Candidate:
        """The one that a budget is about: recommended, else the nearest that fits, else what was submitted."""
        return self.recommended or self.nearest or self.submitted
