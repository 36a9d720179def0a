"""What the budget sheet says beside the answer: key figures, risks, what has to be decided."""

from __future__ import annotations

from memreport.advise.verdict import WHOLE, Word
from memreport.frozen import frozen
from memreport.report.records.peak import Segment


@frozen
class KeyFact:
    """One of the few numbers that carry the answer; `name` is its figure, where it is one."""

    title: str
    text: str
    note: str
    name: str = ""


@frozen
class Risk:
    """What could break the plan: an input at its worse end, and what is then left, in words."""

    title: str
    headroom: str
    word: Word
    cost: str


@frozen
class Budget:
    """The parts of page 1 that are no option: all of the option that the budget is about."""

    facts: tuple[KeyFact, ...]
    risks: tuple[Risk, ...]
    decisions: tuple[str, ...]
    host: str
    monitor: str
    unjudged: str
    """That the memory was computed from code alone, where it was."""
    unstarted: str
    """Which variants do not start though each GPU has room: for want of room for a longest request, or in the host."""
    stale: tuple[str, ...]
    """Warnings about the price that is billed."""
    seconds: tuple[Segment, ...]
    """Where the time of a step goes; its parts add up to it."""

    @property
    def breaks_nothing(self) -> bool:
        """Whether the job fits with every risk taken alone."""
        return bool(self.risks) and all(risk.word in WHOLE for risk in self.risks)
