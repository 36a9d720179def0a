"""What documented figures share: inputs that no statement sets itself, and the lines that follow from those alone.

Each stands once, so that a statement's own block holds no more than what depends on what it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memreport.frozen import frozen
from memreport.ledger.names import STATED
from memreport.ledger.reading import LedgerCase
from memreport.ledger.steps import LedgerStep, LedgerSteps, StepCell
from memreport.report.records.documented import DocumentedEntry

Key = int
"""Stands for what a shared line is made of: its own name with the keys of all that it reads."""


@frozen
class SharedLine:
    """An input or a line whose value many statements read; `reads` says which shared lines it is made of."""

    step: LedgerStep
    cell: StepCell
    workload: str
    reads: Mapping[str, Key]


@dataclass
class Shared:
    """All shared lines by what they are made of, and which of them each case of a statement reads."""

    lines: dict[Key, SharedLine] = field(default_factory=dict)
    keys: dict[LedgerCase, dict[str, Key | None]] = field(default_factory=dict)
    made_of: dict[tuple[object, ...], Key] = field(default_factory=dict)

    def of(self, case: LedgerCase) -> Mapping[str, Key | None]:
        """The shared lines that a case reads, by name; None where a line is the statement's own."""
        return self.keys.get(case, {})

    def add(self, steps: LedgerSteps) -> None:
        """Find out what of a statement's steps is shared."""
        for index, case in enumerate(steps.cases):
            known = self.keys.setdefault(case, {})
            cells = {step.name: (step, cell) for step in steps.rows if (cell := step.cells[index])}
            for name in cells:
                self._key(case.workload, name, cells, known)

    def _key(
        self, workload: str, name: str, cells: Mapping[str, tuple[LedgerStep, StepCell]], known: dict[str, Key | None]
    ) -> Key | None:
        if name not in known:
            step, cell = cells[name]
            reads = {read: self._key(workload, read, cells, known) for read in (cell.line.reads if cell.line else ())}
            own = cell.origin == STATED or None in reads.values()
            known[name] = None if own else self._shared(SharedLine(step, cell, workload, _all(reads)))
        return known[name]

    def _shared(self, line: SharedLine) -> Key:
        """The key of a line; equal ones, whichever statement reads them, are one."""
        cell, name = line.cell, line.step.name
        parts = (line.workload, name, *line.reads.values()) if cell.line else (name, cell.origin, cell.value)
        key = self.made_of.setdefault(parts, len(self.made_of))
        self.lines.setdefault(key, line)
        return key

    @property
    def inputs(self) -> list[tuple[Key, SharedLine]]:
        """Shared inputs by where they are from."""
        found = [(key, line) for key, line in self.lines.items() if line.cell.line is None]
        return sorted(found, key=lambda pair: pair[1].cell.origin)

    @property
    def figures(self) -> list[tuple[Key, SharedLine]]:
        """Shared lines that are computed, each behind those that it reads."""
        return [(key, line) for key, line in self.lines.items() if line.cell.line is not None]


def _all(reads: Mapping[str, Key | None]) -> dict[str, Key]:
    return {name: key for name, key in reads.items() if key is not None}


def shared_by(entries: Iterable[DocumentedEntry]) -> Shared:
    """What the statements share."""
    shared = Shared()
    for entry in entries:
        if entry.steps is not None:
            shared.add(entry.steps)
    return shared
