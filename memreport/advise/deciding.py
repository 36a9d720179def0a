"""Which of a scenario's variants a budget is about."""

from __future__ import annotations

from collections.abc import Sequence


def deciding(fits: Sequence[bool], safely: Sequence[bool]) -> int | None:
    """The first variant where it fits; else the first that fits safely, at the high end too; else the first that fits.

    None where none does.  A variant that is only just within reach is no advice while another one has room.
    """
    if fits[0]:
        return 0
    safe = (at for at, (one, other) in enumerate(zip(fits, safely, strict=True)) if one and other)
    return next(safe, next((at for at, one in enumerate(fits) if one), None))
