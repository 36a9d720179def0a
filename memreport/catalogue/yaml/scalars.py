"""What unquoted YAML text means: the YAML 1.2 core schema, without the numbers that a 64-bit float cannot hold."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any

Scalar = str | int | float | bool | None

MAX_WHOLE = 2**53
"""Up to here a 64-bit float misses no whole number."""

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEAN = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WHOLE = re.compile(r"[-+]?0*(?P<ten>[0-9]+)|0x0*(?P<sixteen>[0-9a-fA-F]+)|0o0*(?P<eight>[0-7]+)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_BASES = {"ten": 10, "sixteen": 16, "eight": 8}


@lru_cache(maxsize=1 << 13)
def plain_scalar(text: str) -> Scalar:
    """What unquoted text means in the YAML 1.2 core schema; a ValueError for a number that no float holds."""
    if text in _NULL:
        return None
    if text in _BOOLEAN:
        return _BOOLEAN[text]
    if match := _WHOLE.fullmatch(text):
        return _whole(match)
    if _NOT_FINITE.fullmatch(text):
        raise ValueError("a number must be finite")
    return _finite(text) if _FLOAT.fullmatch(text) else text


def as_whole(value: Any, below: float = MAX_WHOLE) -> Any:
    """A whole number without a point, as people write it; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < below else value


def is_text(text: str) -> bool:
    """Whether unquoted `text` stays text."""
    try:
        return isinstance(plain_scalar(text), str)
    except ValueError:
        return False


def _whole(match: re.Match[str]) -> int:
    name = match.lastgroup or "ten"
    too_long = len(match[name]) > 18  # also keeps Python from refusing thousands of digits
    if too_long or (number := int(match[name], _BASES[name])) > MAX_WHOLE:
        raise ValueError(f"a whole number beyond {MAX_WHOLE:,} is too large to be kept to the unit")
    return -number if match[0].startswith("-") else number


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number must be finite; this one is too large")
    if not number and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise ValueError("this number is too small: it would become 0")
    return number
