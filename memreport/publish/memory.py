"""Memory of a step that is over, given back before the next one takes its own."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from functools import lru_cache


def give_back(*, cycles: bool = False) -> None:
    """Hand free pages to the system, as glibc keeps those of large tables; first free what refers to itself, if asked.

    To look for `cycles` takes as long as to render a page, so that it is asked for where they are large.
    """
    if cycles:
        gc.collect()
    _trim()(0)


@lru_cache
def _trim() -> Callable[[int], int]:
    """The C library's way to hand free pages back; nothing where it has none."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library than glibc
        return lambda _: 0
