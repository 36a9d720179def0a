"""Months and quarters of a horizon, and hours from its beginning."""

from __future__ import annotations

from datetime import date
from functools import cached_property

import numpy as np

from memreport.catalogue.fields.blocks import first_day
from memreport.catalogue.records import Numbers
from memreport.frozen import frozen

MONTHS = 12
HOURS_PER_DAY = 24
LONG_AGO = date(1, 1, 1)


@frozen
class Calendar:
    """A horizon of so many months from a first one; hours count from its beginning."""

    first: str
    count: int

    @cached_property
    def months(self) -> tuple[str, ...]:
        """`2027-01` and so on."""
        return tuple(_month(_index(self.first) + index) for index in range(self.count))

    @cached_property
    def edges(self) -> Numbers:
        """Hours at which months begin, and the end of the last: one more than months."""
        last = _index(self.first)
        return np.array([self.hour(_month(last + index)) for index in range(self.count + 1)])

    @property
    def hours(self) -> float:
        """Hours of the whole horizon."""
        return float(self.edges[-1])

    @property
    def quarters(self) -> tuple[str, ...]:
        """`2027-Q1` and so on, in order."""
        return tuple(dict.fromkeys(map(quarter_of, self.months)))

    def hour(self, day: str) -> float:
        """The hour at which a day or month begins."""
        begun = first_day(self.first) or LONG_AGO
        return float(((first_day(day) or LONG_AGO) - begun).days * HOURS_PER_DAY)

    def end_of(self, month: str, months: int = 1) -> float:
        """The hour at which so many months have passed since a month's beginning."""
        return self.hour(_month(_index(month[: len("2027-01")]) + months))

    def holds(self, day: str) -> bool:
        """Whether a day or month lies in the horizon."""
        return 0 <= self.hour(day) < self.hours


def _index(month: str) -> int:
    year, number = month.split("-")[:2]
    return int(year) * MONTHS + int(number) - 1


def _month(index: int) -> str:
    return f"{index // MONTHS:04d}-{index % MONTHS + 1:02d}"


def quarter_of(month: str) -> str:
    """`2027-Q1` of `2027-02`."""
    return f"{month[:4]}-Q{(int(month[5:7]) + 2) // 3}"


def month_after(month: str) -> str:
    """`2027-03` of `2027-02`."""
    return _month(_index(month) + 1)
