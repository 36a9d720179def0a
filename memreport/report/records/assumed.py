"""The records of a report that hold what a scenario does not state."""

from __future__ import annotations

from dataclasses import dataclass

from memreport.advise.verdict import Word


@dataclass(frozen=True)
class OtherChoice:
    """One row of the table: an input with the assumed or another choice, the peak and the verdict."""

    title: str
    choice: str
    assumed: bool
    peak: float
    peak_text: str
    word: Word


@dataclass(frozen=True)
class NotStated:
    """The first variant's table, and its one line for page 1."""

    sentence: str
    rows: tuple[OtherChoice, ...]
