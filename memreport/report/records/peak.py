"""The records of a report that hold memory: bars, the parts of a peak, and the instants of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memreport.advise.verdict import Word


@dataclass(frozen=True)
class Segment:
    """A part of a memory bar; bytes."""

    id: str
    title: str
    value: float
    text: str


@dataclass(frozen=True)
class Bar:
    """The peak of one variant in parts that add up to it, against its capacity; bytes."""

    variant: str
    word: Word
    segments: tuple[Segment, ...]
    peak: float
    capacity: float
    text: str

    @property
    def filled(self) -> tuple[Segment, ...]:
        """The parts that hold anything."""
        return tuple(segment for segment in self.segments if segment.value > 0)


@dataclass(frozen=True)
class StackedBar:
    """Parts side by side that add up to a whole: of a peak in bytes, of a step in seconds."""

    title: str
    parts: tuple[Segment, ...]
    whole: float
