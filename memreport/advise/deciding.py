"""Whether a variant fits, in one of three words, and which of a scenario's variants a budget is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

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


def deciding(fits: Sequence[bool], safely: Sequence[bool]) -> int | None:
    """The first variant where it fits; else the first that fits safely, at the high end too; else the first that fits.

    None where none does.  A variant that is only just within reach is no advice while another one has room.
    """
    if fits[0]:
        return 0
    safe = (at for at, (one, other) in enumerate(zip(fits, safely, strict=True)) if one and other)
    return next(safe, next((at for at, one in enumerate(fits) if one), None))
