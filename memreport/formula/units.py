"""Dimensions as exponents of base units.  Scale (GB, TFLOP/s) exists only where files are read and pages are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_FACTOR = re.compile(r"(/?)\s*([A-Za-z]+)(?:\^(\d+))?")


@dataclass(frozen=True)
class Unit:
    """Exponents of base units: `byte/s` is byte to the 1, s to the -1; the empty unit is a plain count or share."""

    powers: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, powers: Mapping[str, int]) -> Unit:
        """A unit from exponents; zero exponents vanish and the order of names does not matter."""
        return cls(tuple(sorted((name, power) for name, power in powers.items() if power)))

    @classmethod
    @lru_cache
    def parse(cls, text: str) -> Unit:
        """Read `byte*token^2/s`; the empty text and `1` are the unit of counts."""
        powers: dict[str, int] = {}
        for slash, name, power in _FACTOR.findall(text):
            powers[name] = powers.get(name, 0) + (-1 if slash else 1) * int(power or 1)
        return cls.of(powers)

    def __mul__(self, other: Unit) -> Unit:
        return self._combined(other, 1)

    def __truediv__(self, other: Unit) -> Unit:
        return self._combined(other, -1)

    def _combined(self, other: Unit, sign: int) -> Unit:
        mine, theirs = dict(self.powers), dict(other.powers)
        return Unit.of({name: mine.get(name, 0) + sign * theirs.get(name, 0) for name in {**mine, **theirs}})

    def __str__(self) -> str:
        above = "*".join(_power(name, power) for name, power in self.powers if power > 0)
        below = "".join("/" + _power(name, -power) for name, power in self.powers if power < 0)
        return (above or "1") + below


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"


COUNT = Unit()
