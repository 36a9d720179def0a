"""Records of a portfolio as people read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SaidTable:
    """A table of texts with its title, heads and what must be known to read it."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    about: str = ""


@dataclass(frozen=True)
class PortfolioReport:
    """The title, the answer in sentences, then tables in the order in which they are read."""

    title: str
    sentences: tuple[str, ...]
    tables: tuple[SaidTable, ...]
