"""Records of a gate: what each rule found of each scenario, and what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Literal

from memreport.frozen import frozen
from memreport.report.records.changes.versions import Difference

Status = Literal["failed", "expired", "waived", "warned", "passed"]
STATUSES: tuple[Status, ...] = ("passed", "warned", "failed", "waived", "expired")
"""In the order of the last line; `expired` is a failure whose waiver has ended or was granted for a better value."""
WORST_FIRST: tuple[Status, ...] = ("failed", "expired", "warned", "waived", "passed")


@frozen
class GatePlace:
    """The file and line that a finding is about; neither where it is about all of them."""

    file: str = ""
    line: int = 0


@frozen
class GateFinding:
    """What a rule found: whether it holds, both numbers in base units, the limit, and the place.

    `larger_is_worse` says in which direction a waiver lapses.
    """

    rule: str
    scenario: str
    holds: bool
    message: str
    limit: str
    base: float | None = None
    head: float | None = None
    unit: str = ""
    larger_is_worse: bool = True
    place: GatePlace = field(default_factory=GatePlace)


@frozen
class GateResult:
    """A finding with what came of it; `note` says whose waiver lets it pass, or why it no longer does."""

    finding: GateFinding
    level: str
    status: Status
    note: str = ""


@frozen
class GateReport:
    """All results, the worst first; notes on what could not be compared; what differs between the revisions."""

    base: str
    head: str
    policy: str
    day: str
    results: tuple[GateResult, ...]
    notes: tuple[str, ...]
    changes: tuple[Difference, ...]

    @property
    def fails(self) -> bool:
        """Whether anything failed, or would have been waived by a waiver that has ended."""
        return any(result.status in ("failed", "expired") for result in self.results)

    @property
    def counts(self) -> dict[Status, int]:
        """How many results have each status."""
        found = Counter(result.status for result in self.results)
        return {status: found[status] for status in STATUSES}

    @property
    def last_line(self) -> str:
        """`12 passed, 1 warned, 1 failed, 0 waived, 0 expired`."""
        return ", ".join(f"{count} {status}" for status, count in self.counts.items())

    @property
    def sentence(self) -> str:
        """What came of it, in one sentence."""
        count = sum(self.counts[status] for status in ("failed", "expired"))
        return f"{count} of {len(self.results)} checks fail." if count else f"All {len(self.results)} checks pass."

    @property
    def shown(self) -> tuple[GateResult, ...]:
        """Results that a reader has to hear of."""
        return tuple(result for result in self.results if result.status != "passed")
