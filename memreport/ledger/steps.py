"""The steps of each judgement: its inputs, the lines between them and its values, case by case, in their order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.compute import calculate
from memreport.formula.recording import Line
from memreport.formula.units import Unit
from memreport.frozen import frozen
from memreport.ledger.expressions import AGAINST
from memreport.ledger.judging import Judged, Judgement
from memreport.ledger.names import STATED, Names
from memreport.ledger.reading import LedgerCase, Reading

OWN, BY_CONVENTION, OTHER = "own", "under", "other"


@dataclass(frozen=True, slots=True)
class StepCell:
    """A value in one case: an input says its `origin`, a computed one its `line`; workloads may differ in it."""

    value: float
    origin: str
    line: Line | None


@dataclass(frozen=True, slots=True)
class LedgerStep:
    """One line or input: a cell for each case, none where the case does not need it."""

    name: str
    unit: Unit
    meaning: str
    cells: tuple[StepCell | None, ...]

    @property
    def line(self) -> Line | None:
        """The line that computes it in the first case that does."""
        return next((cell.line for cell in self.cells if cell and cell.line), None)

    @property
    def first_input(self) -> int:
        """The first case in which it is an input; -1 where there is none."""
        return next((index for index, cell in enumerate(self.cells) if cell and not cell.line), -1)

    @property
    def origin(self) -> str:
        """Where the input of that case is from."""
        cell = self.cells[self.first_input]
        return cell.origin if cell else ""


@frozen
class LedgerSteps:
    """Everything that one judgement is computed from; `columns` say what each case stands for."""

    cases: tuple[LedgerCase, ...]
    columns: tuple[str, ...]
    rows: tuple[LedgerStep, ...]
    readings: Mapping[str, Reading] = field(default_factory=dict)


def steps_of(judged: Judged) -> dict[str, LedgerSteps]:
    """Steps by the statement's id, for those that are computed from figures."""
    chosen = [judgement for judgement in judged.judgements if _readings(judgement)]
    values = {
        workload: _Table(
            names, [case for judgement in chosen for case in _cases(judgement) if case.workload == workload]
        )
        for workload, names in judged.names.items()
    }
    return {judgement.id: _steps(judgement, values) for judgement in chosen}


def _readings(judgement: Judgement) -> dict[str, Reading]:
    """What the verdict is computed from: the document's own reading, one by a convention, and another source's."""
    entry = judgement.entry
    found = {OWN: entry.own, BY_CONVENTION: entry.converted.reading, OTHER: entry.other}
    return {word: reading for word, reading in found.items() if reading is not None}


def _cases(judgement: Judgement) -> dict[LedgerCase, list[str]]:
    """The distinct cases of a judgement, with the names that are read in each."""
    found: dict[LedgerCase, list[str]] = {}
    for reading in _readings(judgement).values():
        for name in reading.names:
            for cases in reading.ends:
                found.setdefault(cases[name.startswith(AGAINST)], []).append(name.removeprefix(AGAINST))
    return found


def _steps(judgement: Judgement, tables: Mapping[str, _Table]) -> LedgerSteps:
    cases = _cases(judgement)
    columns = [tables[case.workload].column(case, names) for case, names in cases.items()]
    known = [tables[case.workload] for case in cases]
    rows = [_step(name, known, [column.get(name) for column in columns]) for name in _in_order(tables, cases, columns)]
    return LedgerSteps(tuple(cases), tuple(_titles(judgement, cases)), tuple(rows), _readings(judgement))


def _step(name: str, tables: Sequence[_Table], cells: Sequence[StepCell | None]) -> LedgerStep:
    first = next(table for table, cell in zip(tables, cells, strict=True) if cell is not None)
    return LedgerStep(name, *first.said(name), tuple(cells))


def _in_order(
    tables: Mapping[str, _Table], cases: Iterable[LedgerCase], columns: Iterable[Mapping[str, StepCell]]
) -> Iterator[str]:
    """Inputs first, stated ones before all others, then lines in the order in which they can be computed."""
    placed: dict[str, tuple[int, str]] = {}
    for case, column in zip(cases, columns, strict=True):
        for name, cell in column.items():
            rank = tables[case.workload].ranks[name] if cell.line else -1 - (cell.origin == STATED)
            placed[name] = max(placed.get(name, (rank, cell.origin)), (rank, cell.origin))
    return iter(sorted(placed, key=lambda name: placed[name]))


def _titles(judgement: Judgement, cases: Iterable[LedgerCase]) -> Iterator[str]:
    """What each case stands for, in a few words; a case that serves twice is named by its first use."""
    said: dict[LedgerCase, str] = {}
    words = {OWN: "as stated", BY_CONVENTION: f"by {judgement.entry.converted.name}", OTHER: "other source"}
    for word, reading in _readings(judgement).items():
        for index, pair in enumerate(reading.ends):
            end = ("", ", low end", ", high end")[index + 1 if len(reading.ends) > 1 else 0]
            for case, compared in zip(pair, ("", ", compared with"), strict=True):
                said.setdefault(case, words[word] + compared + end)
    return (said[case] for case in cases)


class _Table:
    """All needed values of one workload's cases."""

    def __init__(self, names: Names, cases: Iterable[LedgerCase]) -> None:
        self.names = names
        self.columns = {case: column for column, case in enumerate(dict.fromkeys(cases))}
        self.ranks = {line.name: rank for rank, line in enumerate(names.lines)}
        self.said = cache(lambda name: (names.unit(name), names.meaning(name)))
        """Unit and meaning of a name, which many steps have."""
        self.values: dict[str, list[float]] = {}
        if self.columns:
            self.changes = [dict(case.changes) for case in self.columns]
            inputs, overrides = names.table(self.changes)
            self.values = self._listed({**inputs, **calculate(names.lines, inputs, overrides)})

    def _listed(self, values: Mapping[str, Numbers]) -> dict[str, list[float]]:
        """Each column as plain numbers, one a case: most of them are read one by one."""
        return {name: np.broadcast_to(column, len(self.columns)).tolist() for name, column in values.items()}

    def column(self, case: LedgerCase, wanted: Iterable[str]) -> dict[str, StepCell]:
        """Everything that the wanted names are made of in one case; a given figure is an input."""
        index = self.columns[case]
        found: dict[str, StepCell] = {}
        stack = list(wanted)
        while stack:
            name = stack.pop()
            if name in found:
                continue
            line = None if name in self.changes[index] else self.names.line(name)
            value = float(self.values[name][index])
            if math.isnan(value):
                raise ValueError(f"{name} has no value")
            found[name] = StepCell(value, "" if line else self.names.origin(name, self.changes[index]), line)
            stack += line.reads if line else ()
        return found
