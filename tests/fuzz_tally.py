"""What became of the inputs of a fuzzer, class by class, and the table that `make fuzz` prints of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Tally:
    """What became of the inputs of one class; seconds are of CPU time, since others may work on the machine."""

    tried: int = 0
    failed: int = 0
    seconds: float = 0.0
    causes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, tuple[int, str]] = field(default_factory=dict)

    def note(self, seed: int, wrong: str, seconds: float) -> None:
        """Count one input, and keep the first example of each cause."""
        self.tried += 1
        self.seconds += seconds
        if wrong:
            self.failed += 1
            self.causes[cause(wrong)] += 1
            self.examples.setdefault(cause(wrong), (seed, wrong))


def cause(wrong: str) -> str:
    """Failures of one cause have one text."""
    return re.sub(r"/\S+/|[0-9]{3,}|'[^']*'", "_", wrong)[:160]


def table(tallies: Mapping[str, Tally]) -> str:
    """What was tried and what failed, by class and in all, and an example of each cause."""
    rows = {**tallies, "in all": _sum(tallies)}
    lines = [f"{'class':14}{'tried':>9}{'failed':>8}{'seconds':>9}"]
    lines += [f"{kind:14}{one.tried:9,}{one.failed:8,}{one.seconds:9.0f}" for kind, one in rows.items()]
    for kind, one in tallies.items():
        for text, times in one.causes.most_common():
            seed, wrong = one.examples[text]
            lines += [f"{times} times, {kind} {seed}: {wrong}"]
    return "\n".join(lines)


def _sum(tallies: Mapping[str, Tally]) -> Tally:
    every = tallies.values()
    return Tally(sum(one.tried for one in every), sum(one.failed for one in every), sum(one.seconds for one in every))
