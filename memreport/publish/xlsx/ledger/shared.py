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

Key = tuple[object, ...]


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
    keys: dict[tuple[LedgerCase, str], Key | None] = field(default_factory=dict)

    def of(self, case: LedgerCase, name: str) -> Key | None:
        """The shared line that a case reads under a name; None where it is the statement's own."""
        return self.keys.get((case, name))

    def add(self, steps: LedgerSteps) -> None:
        """Find out what of a statement's steps is shared."""
        for index, case in enumerate(steps.cases):
            cells = {step.name: (step, cell) for step in steps.rows if (cell := step.cells[index])}
            for name in cells:
                self._key(case, name, cells)

    def _key(self, case: LedgerCase, name: str, cells: Mapping[str, tuple[LedgerStep, StepCell]]) -> Key | None:
        if (case, name) not in self.keys:
            step, cell = cells[name]
            reads = {read: self._key(case, read, cells) for read in (cell.line.reads if cell.line else ())}
            key: Key | None = (case.workload, name, *reads.values()) if cell.line else (name, cell.origin, cell.value)
            if cell.origin == STATED or None in reads.values():
                key = None
            self.keys[case, name] = key
            if key is not None and key not in self.lines:
                self.lines[key] = SharedLine(step, cell, case.workload, {r: k for r, k in reads.items() if k})
        return self.keys[case, name]

    @property
    def inputs(self) -> list[tuple[Key, SharedLine]]:
        """Shared inputs by where they are from."""
        found = [(key, line) for key, line in self.lines.items() if line.cell.line is None]
        return sorted(found, key=lambda pair: pair[1].cell.origin)

    @property
    def figures(self) -> list[tuple[Key, SharedLine]]:
        """Shared lines that are computed, each behind those that it reads."""
        return [(key, line) for key, line in self.lines.items() if line.cell.line is not None]


def shared_by(entries: Iterable[DocumentedEntry]) -> Shared:
    """What the statements share."""
    shared = Shared()
    for entry in entries:
        if entry.steps is not None:
            shared.add(entry.steps)
    return shared
