"""What a report says of how to make a job fit and of uncertain inputs: numbers with the text that people read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from memreport.advise.sensitivity import STEP_TITLE
from memreport.advise.verdict import Word
from memreport.catalogue.records import Numbers
from memreport.frozen import frozen
from memreport.report.records.amounts import Amount


@frozen
class StepRow:
    """A step of a procedure with the budget after it; no amounts where the step was passed over."""

    title: str
    peak: Amount | None
    headroom: Amount | None
    seconds: Amount | None
    says: str
    word: Word


@frozen
class Steps:
    """A procedure as it ran, and its end in a sentence."""

    title: str
    rows: tuple[StepRow, ...]
    sentence: str


@frozen
class RankedCombination:
    """A combination that the search found: its changes in words, and as a variant of the scenario writes them.

    `equals` counts those that it stands for; None where its list does not fold any.
    """

    changes: str
    variant: str
    headroom: Amount
    seconds: Amount
    cost: Amount | None
    equals: Amount | None
    price: str
    evidence: str
    """What its time rests on: `measured` rates of this GPU, a `class value: ...`, or a `stated` utilisation."""


@frozen
class Ranking:
    """One ranking of the search."""

    title: str
    rows: tuple[RankedCombination, ...]


@frozen
class ReplicaLayout:
    """The GPUs of a serving job, arranged as replicas of some width."""

    title: str
    each: Amount
    most_each: Amount
    longest_context: Amount
    headroom: Amount
    token_seconds: Amount
    first_token_seconds: Amount
    tokens_per_second: Amount
    word: Word


@frozen
class SearchShown:
    """What became of all combinations, and the best of them."""

    counts: str
    excluded: tuple[str, ...]
    """By rule, how many combinations break it."""
    rankings: tuple[Ranking, ...]
    front: Ranking
    """Combinations that no other beats in headroom, step time and cost together."""
    cost_words: str
    rule: str


@frozen
class ServingShown:
    """How the GPUs of a service may be shared out to replicas."""

    words: str
    arrangements: tuple[ReplicaLayout, ...]
    fewest: Ranking | None


@frozen
class PlanShown:
    """The advice on one variant: `checklist`, `tree` and `alone` of training only, `serving` of serving only."""

    variant: str
    given: str
    spread: str
    head: tuple[str, ...]
    """What is asked, and the figures that answer it."""
    step_title: str
    checklist: Steps | None
    tree: Steps | None
    alone: Steps | None
    search: SearchShown | None
    serving: ServingShown | None


@frozen
class SwingValues:
    """The low end, the given value and the high end of an uncertain input."""

    low: Amount
    given: Amount
    high: Amount


@frozen
class SwingShown:
    """An uncertain input: its low and high end, and what each does to room, step time and cost (low end, high end)."""

    name: str
    title: str
    why: str
    values: SwingValues
    headroom: tuple[Amount, Amount]
    seconds: tuple[Amount, Amount]
    cost: tuple[Amount, Amount] | None
    words: tuple[Word, Word]
    changes_verdict: bool


@frozen
class Sensitivity:
    """The answer of a variant as planned, and the inputs that move it, the one that moves the room most first.

    The variant is the first one, or the first that fits where that is another.
    `values` holds every line as columns: as planned, each input at its low end, each input at its high end.
    """

    variant: str
    headroom: Amount
    seconds: Amount
    cost: Amount | None
    word: Word
    swings: tuple[SwingShown, ...]
    values: Mapping[str, Numbers] = field(compare=False, repr=False)
    first_that_fits: bool = False
    step_title: str = STEP_TITLE["training"]
    cost_title: str = "Cost"

    @property
    def named(self) -> str:
        """The variant, and why it is this one where it is not the report's first."""
        return f"{self.variant}, the first that fits" if self.first_that_fits else self.variant
