"""The answer of a scenario as records: verdicts, and the memory bars and instants that they rest on."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT, Word
from memreport.frozen import frozen

MARKS: Mapping[Word, str] = {FITS: "✓", TIGHT: "!", QUEUES: "…", DOES_NOT_FIT: "✗"}
"""A mark beside each word, so that no verdict rests on colour alone."""


@frozen
class MemoryRoom:
    """The peak beside what a job may use, bytes per GPU; their texts never read equal where the values differ."""

    peak: float
    low: float
    high: float
    capacity: float
    headroom: float
    headroom_share: float
    peak_text: str
    capacity_text: str
    range_text: str
    share_text: str


@frozen
class Verdict:
    """Whether a variant fits one GPU (and its host), with how much room.

    `tight`: the expected peak fits, the high end of the estimate does not.
    """

    variant: str
    fits: bool
    word: Word
    room: MemoryRoom
    peak_instant: str
    sentence: str
    model: str
    hardware: str
    cost: float | None
    signed: float | None

    @property
    def mark(self) -> str:
        """The sign that stands beside the word."""
        return MARKS[self.word]
