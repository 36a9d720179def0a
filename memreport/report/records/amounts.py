"""A number of a report, with the text that people read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Amount:
    """A number in base units and as people read it."""

    value: float
    unit: str
    text: str
