"""The records of a report that hold memory: bars, the parts of a peak, and the instants of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memreport.frozen import frozen

if TYPE_CHECKING:
    from memreport.advise.verdict import Word


@frozen
class Segment:
    """A part of a memory bar; bytes."""

    id: str
    title: str
    value: float
    text: str


@frozen
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


@frozen
class StackedBar:
    """Parts side by side that add up to a whole: of a peak in bytes, of a step in seconds."""

    title: str
    parts: tuple[Segment, ...]
    whole: float
