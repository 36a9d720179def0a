"""The kinds of blocks of which an answer on one screen consists; a renderer has a function for every kind."""

from __future__ import annotations

from dataclasses import dataclass

from memreport.report.records.decision import Answer, OptionRow
from memreport.report.records.portfolio import SaidTable


@dataclass(frozen=True)
class OptionTable:
    """Options or variants side by side, a row each; with `users` how many each serves instead of its headroom."""

    rows: tuple[OptionRow, ...]
    users: bool = False


@dataclass(frozen=True)
class StartLine:
    """What starts the engine in a shell; empty where nothing is served."""

    line: str


@dataclass(frozen=True)
class Notes:
    """What must be known besides, a sentence each."""

    sentences: tuple[str, ...]


Block = Answer | OptionTable | SaidTable | StartLine | Notes
