"""Whether a variant fits, in one of three words, and which of a scenario's variants a budget is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from memreport.catalogue.records import Numbers

Word = Literal["Fits", "Tight", "Does not fit"]
FITS: Word = "Fits"
TIGHT: Word = "Tight"
DOES_NOT_FIT: Word = "Does not fit"
JUDGED = ("fits", "peak_bytes_high", "usable_bytes")
"""Figures that a verdict is made of."""


def judged(fits: float, peak_bytes_high: float, usable_bytes: float) -> Word:
    """Fits, Tight (only at the expected peak, not at its high end), or Does not fit."""
    if not fits:
        return DOES_NOT_FIT
    return TIGHT if peak_bytes_high > usable_bytes else FITS


def words_of(values: Mapping[str, Numbers]) -> list[Word]:
    """The verdicts on every row of computed figures."""
    return [judged(*each) for each in zip(*(values[name].tolist() for name in JUDGED), strict=True)]


def deciding(words: Sequence[Word]) -> int | None:
    """The first variant where it fits, tight or not; else the first that fits; else the first that is tight.

    None where none fits.  A variant that is only just within reach is no advice while another one has room.
    """
    if words[0] != DOES_NOT_FIT:
        return 0
    return next((words.index(one) for one in (FITS, TIGHT) if one in words), None)
