"""Mappings that share what many cases have in common, so that tens of thousands of them stay in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memreport.catalogue.records import Numbers


class Overlaid(MutableMapping[str, Any]):
    """A mapping and, in `own`, what differs from it; the mapping below is shared and never written to.

    Keys stand in the order of a dict that was copied from the one below and then changed.
    """

    __slots__ = ("below", "own")

    def __init__(self, below: Mapping[str, Any], own: dict[str, Any] | None = None) -> None:
        self.below, self.own = below, {} if own is None else own

    @classmethod
    def on(cls, below: Mapping[str, Any]) -> Overlaid:
        """A copy that may be changed, at the cost of what differs alone."""
        return cls(below.below, dict(below.own)) if isinstance(below, Overlaid) else cls(below)

    def __getitem__(self, key: str) -> Any:
        own = self.own
        return own[key] if key in own else self.below[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default."""
        own = self.own
        return own[key] if key in own else self.below.get(key, default)

    def __setitem__(self, key: str, value: Any) -> None:
        self.own[key] = value

    def __delitem__(self, key: str) -> None:
        raise TypeError(f"{key} may be changed, not taken away")

    def __contains__(self, key: object) -> bool:
        return key in self.own or key in self.below

    def __iter__(self) -> Iterator[str]:
        yield from self.below
        yield from (key for key in self.own if key not in self.below)

    def __len__(self) -> int:
        return len(self.below) + sum(key not in self.below for key in self.own)


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Names whose values in the second differ from those in the first, in the order of the second."""
    names: Iterable[str] = other
    if isinstance(one, Overlaid) and isinstance(other, Overlaid) and one.below is other.below:
        own = one.own.keys() | other.own.keys()
        names = (name for name in other if name in own)
    return [name for name in names if other[name] != one.get(name)]


class RowsOf(Mapping[str, Numbers]):
    """The rows from `first` up to `last` of a table of columns; a column is cut when somebody asks for it."""

    __slots__ = ("first", "last", "table")

    def __init__(self, table: Mapping[str, Numbers], first: int, last: int) -> None:
        self.table, self.first, self.last = table, first, last

    @classmethod
    def of(cls, table: Mapping[str, Numbers], first: int, last: int) -> Mapping[str, Numbers]:
        """The rows of a table that may itself be rows of one; all of them are the table."""
        if isinstance(table, RowsOf):
            return cls(table.table, table.first + first, table.first + last)
        return cls(table, first, last) if table else table

    def __getitem__(self, name: str) -> Numbers:
        return self.table[name][self.first : self.last]

    def __contains__(self, name: object) -> bool:
        return name in self.table

    def __iter__(self) -> Iterator[str]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)


def joined(parts: Sequence[Mapping[str, Numbers]]) -> Mapping[str, Numbers]:
    """The rows of several tables of the same columns, one below the other; of one table in order, that table."""
    whole = _whole(parts)
    return whole or {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _whole(parts: Sequence[Mapping[str, Numbers]]) -> Mapping[str, Numbers]:
    """The table that the parts are all rows of, in order; nothing where they are not."""
    rows = [part for part in parts if isinstance(part, RowsOf) and part.table is getattr(parts[0], "table", None)]
    ends = [0, *(row.last for row in rows)]
    if len(rows) < len(parts) or [row.first for row in rows] != ends[:-1]:
        return {}
    table = rows[0].table
    return table if len(next(iter(table.values()))) == ends[-1] else {}


class Settings:
    """Settings of many cases, so that what they share is read once.

    `runs` are the shared mappings, each with the number of cases that have it in a row; `changed` holds by field the
    cases that differ from it, with what they have.
    """

    def __init__(self, settings: Iterable[Mapping[str, Any]]) -> None:
        self.runs: list[Mapping[str, Any]] = []
        self.lengths: list[int] = []
        self.changed: dict[str, list[tuple[int, Any]]] = {}
        for index, setting in enumerate(settings):
            below, own = (setting.below, setting.own) if isinstance(setting, Overlaid) else (setting, {})
            self._count(below)
            for name, value in own.items():
                self.changed.setdefault(name, []).append((index, value))

    @property
    def size(self) -> int:
        """How many cases there are."""
        return sum(self.lengths)

    @cached_property
    def _whose(self) -> NDArray[np.intp]:
        """The place of each case's shared mapping among `runs`."""
        return np.repeat(np.arange(len(self.runs)), self.lengths)

    def _count(self, below: Mapping[str, Any]) -> None:
        if self.runs and self.runs[-1] is below:
            self.lengths[-1] += 1
            return
        self.runs.append(below)
        self.lengths.append(1)

    def column(self, name: str, read: Callable[[Any], float]) -> Numbers:
        """One number a case: what `read` makes of the field's value, which is None where a case lacks it."""
        shared = np.asarray([read(below.get(name)) for below in self.runs], dtype=np.float64)
        column = shared[self._whose]
        for index, value in self.changed.get(name, ()):
            column[index] = read(value)
        return column
