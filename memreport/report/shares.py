"""Shares of a whole and ranges around a middle, as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable


def spread_words(ends: Iterable[tuple[float, float, float]], which: str = "Times", *, rates: bool = False) -> str:
    """How far times may lie from those shown, at most, from low end, middle and high end of each, or of their rates."""
    shares = [(low / middle, high / middle) for low, middle, high in ends if middle]
    if not shares:
        return ""
    low, high = min(low for low, _ in shares), max(high for _, high in shares)
    low, high = (1 / high, 1 / low) if rates else (low, high)
    return f"{which} may be {100 * (1 - low):.0f} % shorter to {100 * (high - 1):.0f} % longer."


def share_of(part: float, whole: float) -> float:
    """The part of a whole that something is; 0 of nothing."""
    return part / whole if whole else 0.0


def whole_percent(share: float) -> str:
    """A share without decimals; halves up, as the page for the browser rounds them."""
    return f"{math.floor(100 * share + 0.5)} %"
