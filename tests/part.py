"""How much an ordinary run tries of what is many alike: a part that `make sweep` makes the whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

One = TypeVar("One")

WHOLE = bool(os.environ.get("MEMREPORT_SWEEP"))
"""Whether everything is tried."""


def part(cases: Sequence[One], every: int, beginning: int = 0) -> list[One]:
    """Every so many-th case, from the one named on; all where everything is tried."""
    return list(cases) if WHOLE else list(cases[beginning::every])
