"""What a loaded catalogue is made of: frozen records that remember where each number came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memreport.frozen import frozen

Key = str | int
Numbers = NDArray[np.float64]
SEQUENCE_LENGTH = 2048
"""Tokens of a sequence in training where none are stated."""
BILLED: Mapping[str, tuple[str, str]] = {
    "rent": ("price", "rental_prices"),
    "buy": ("purchase_price", "purchase_prices"),
}
"""By basis of a cost, the field that names its price and the table that this is of."""
MAX_NUM_SEQS = 32
"""Sequences that are served at once where none are stated."""
PROMPT_TOKENS, OUTPUT_TOKENS = 2048, 256
"""Tokens of a request where none are stated."""
NO_UNITS = "fallback"
"""Basis of a rate at which other units do the work of those that a GPU lacks."""


@dataclass(frozen=True, order=True)
class Source:
    """A place where a fact can be looked up; `date` says when it was read or published."""

    title: str
    address: str = ""
    date: str = ""

    def __str__(self) -> str:
        return ", ".join(part for part in (self.title, self.date) if part)


@frozen
class Column:
    """One attribute of a table's rows: values in base units, with a source and a basis for each."""

    name: str
    unit: str
    meaning: str
    values: tuple[float, ...]
    sources: tuple[Source, ...]
    bases: tuple[str, ...]
    notes: tuple[str, ...]
    otherwise: str = ""
    """What a table without this column means: a number, or another column; nothing where it must have it."""


@frozen
class Table:
    """A reference table: rows are chosen by `ids`, looked up by column."""

    name: str
    title: str
    ids: tuple[Key, ...]
    titles: tuple[str, ...]
    columns: Mapping[str, Column]
    files: tuple[str, ...]
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def row(self, key: Key) -> int:
        """Position of a row, from 0.  Raises ValueError for an unknown name."""
        index = self.positions.get(key)
        if index is None:
            raise ValueError(f"{key!r} is no row of {self.name}")
        return index

    @cached_property
    def positions(self) -> Mapping[Key, int]:
        """Position of every row by its id."""
        return {key: index for index, key in reversed(list(enumerate(self.ids)))}

    @property
    def titles_by_id(self) -> dict[str, str]:
        """What people call each row."""
        return dict(zip(map(str, self.ids), self.titles, strict=True))

    def text(self, word: str, key: Key) -> str:
        """What the table says in words of a row; nothing where it says nothing."""
        return self.texts[word][self.row(key)] if word in self.texts else ""

    def rows_where(self, word: str, said: str) -> Sequence[int]:
        """Positions of the rows of which the table says this in words, in their order."""
        if word not in self._said:
            places: dict[str, list[int]] = {}
            for index, text in enumerate(self.texts[word]):
                places.setdefault(text, []).append(index)
            self._said[word] = places
        return self._said[word].get(said, ())

    @cached_property
    def _said(self) -> dict[str, dict[str, list[int]]]:
        return {}

    def numbers(self, column: str) -> Numbers:
        """The column as float64, for reading: it is made once."""
        if column not in self._numbers:
            made = np.asarray(self.columns[column].values, dtype=np.float64)
            made.flags.writeable = False
            self._numbers[column] = made
        return self._numbers[column]

    @cached_property
    def _numbers(self) -> dict[str, Numbers]:
        return {}


@frozen
class Namesake:
    """A further model that has the architecture of a card."""

    repository: str
    ollama: str
    """Its tags in Ollama's library, with blanks between them."""
    source: Source


@frozen
class ModelCard:
    """Architecture of a model, with the parameter count that was published for it."""

    id: str
    title: str
    source: Source
    values: Mapping[str, Any]
    published_parameters: float | None
    published_source: Source | None
    notes: str = ""
    file: str = ""
    given: frozenset[str] = field(default_factory=frozenset)
    repository: str = ""
    weight_dtype: str = ""
    """Format of the published weights, a row of `weight_formats`; "" where they are not quantised."""
    trained_with: Mapping[str, float] = field(default_factory=dict)
    """Shares that the makers dropped in training, by field; a scenario that means the same has to state them."""
    doubts: tuple[str, ...] = ()
    """What of it may be counted wrong, where it is read from a configuration beside the scenario."""
    counted_as: str = ""
    """In a few words what is computed for a model of another name; nothing for the card's own."""
    ollama: str = ""
    also: tuple[Namesake, ...] = ()
    """Further models of this architecture."""
