"""Recorded scores, and which of the present ones are worse: one rule for memory, bounds and times."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

TOLERANCE = 0.002  # a score may move by this much before it counts: other platforms round otherwise


@dataclass(frozen=True)
class Baseline:
    """The file of recorded scores, which of them may not grow, and which may not fall."""

    path: Path
    lower_is_better: tuple[str, ...]
    higher_is_better: tuple[str, ...]

    def record(self, found: Mapping[str, Any]) -> None:
        """Write the present state, rounded as it is compared."""
        rounded = {name: {key: round(value, 4) for key, value in _known(one)} for name, one in found.items()}
        self.path.write_text(yaml.safe_dump({"schema": 1, "groups": rounded}, sort_keys=True), encoding="utf-8")

    def worse(self, found: Mapping[str, Any]) -> list[str]:
        """A line for each score that is worse than the recorded one, and for each group that is missing or new."""
        recorded = yaml.safe_load(self.path.read_text(encoding="utf-8"))["groups"]
        lines = [f"{name}: in the baseline, but has no rows" for name in sorted(set(recorded) - set(found))]
        lines += [f"{name}: not in the baseline" for name in sorted(set(found) - set(recorded))]
        for name in sorted(set(found) & set(recorded)):
            lines += [f"{name}: {text}" for text in self._complaints(dict(_known(found[name])), recorded[name])]
        return lines

    def _complaints(self, now: Mapping[str, float], before: Mapping[str, float]) -> Iterator[str]:
        for sign, keys in ((1, self.lower_is_better), (-1, self.higher_is_better)):
            for key in sorted(set(keys) & set(before)):
                if not sign * (now.get(key, math.inf * sign) - before[key]) <= TOLERANCE:
                    yield f"{key} {_text(now.get(key))}, {_text(before[key])} in the baseline"


def _known(one: Any) -> list[tuple[str, float]]:
    """The scores that a group has: one without ranges has no share in range."""
    return [(key, value) for key, value in asdict(one).items() if not math.isnan(value)]


def _text(value: float | None) -> str:
    if value is None:
        return "none"
    return str(value) if isinstance(value, int) else f"{value:.2%}"
