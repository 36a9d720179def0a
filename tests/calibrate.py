"""Writes the fitted constants of `hardware/efficiency.yaml` again, from tests/calibration alone: `make calibrate`.

Few constants are fitted: of each architecture with measured training runs the rates of large products by type, and of
fused attention.  Each is the value at which computed and measured times differ least, every group of runs counting
alike, and lies within what the operator tables allow.  With --check nothing is written.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from memreport.catalogue.quantities import parse_quantity
from memreport.catalogue.records import Numbers
from memreport.compute import calculate
from memreport.figures.registry import lines_in_order
from memreport.resolve import resolve_given
from tests.split import timed_files
from tests.truths_read import content, scenario
from tests.truths_throughput import SECONDS

EFFICIENCY = Path(__file__).parents[1] / "hardware" / "efficiency.yaml"
ALLOWED: Mapping[tuple[str, str], tuple[float, float]] = {
    ("ampere", "sustained_share_16bit"): (0.70, 0.81),
    ("ampere", "attention_forward_share"): (0.40, 0.57),
    ("hopper", "sustained_share_16bit"): (0.58, 0.77),
    ("hopper", "sustained_share_8bit"): (0.48, 0.72),
    ("hopper", "attention_forward_share"): (0.30, 0.38),
    ("blackwell", "sustained_share_16bit"): (0.47, 0.69),
    ("blackwell", "sustained_share_8bit"): (0.40, 0.62),
}
"""By architecture and column: from the lowest to the highest that tables of single operators hold."""
BACKWARD = {"attention_forward_share": "attention_backward_share"}
"""Columns that keep their ratio to the fitted one."""
STEP, ROUNDS = 0.01, 3
WANTED = ("step_seconds", "tokens_per_step", "accelerators", "model_flop", "step_flop")


@dataclass(frozen=True)
class Runs:
    """One file of measured steps: its inputs, the architecture of each row, and what was measured."""

    inputs: Mapping[str, Numbers]
    overrides: Mapping[str, Numbers]
    architectures: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]

    def errors(self, given: Mapping[tuple[str, str], float]) -> dict[str, list[float]]:
        """Logarithms of computed over measured seconds, by architecture."""
        inputs = dict(self.inputs)
        for (architecture, column), value in given.items():
            mine = np.asarray([one == architecture for one in self.architectures])
            other = BACKWARD.get(column)
            if other:
                inputs[other] = np.where(mine, inputs[other] * value / inputs[column], inputs[other])
            inputs[column] = np.where(mine, value, inputs[column])
        made = calculate(lines_in_order("training"), inputs, self.overrides, WANTED)
        found: dict[str, list[float]] = {}
        for at, row in enumerate(self.rows):
            values = {name: float(np.broadcast_to(made[name], len(self.rows))[at]) for name in WANTED}
            unit, seconds = SECONDS[row["figure"]]
            measured = seconds(parse_quantity(row["value"], unit), values)
            found.setdefault(self.architectures[at], []).append(float(np.log(values["step_seconds"] / measured)))
        return found


def runs() -> Iterator[Runs]:
    """Every file of measured training steps that constants may be fitted on."""
    for path in timed_files("fitted"):
        data = content(path)
        if data["workload"] == "training" and data["rows"]:
            one = resolve_given(scenario(data))
            table = one.catalogue.tables["accelerators"]
            known = tuple(table.text("architecture", case.settings["accelerator"]) for case in one.cases)
            yield Runs(one.inputs, one.overrides, known, tuple(data["rows"]))


def badness(listed: Sequence[Runs], given: Mapping[tuple[str, str], float], architecture: str) -> float:
    """Mean over the groups of the mean size of their errors on one architecture."""
    found = [group.errors(given).get(architecture, []) for group in listed if architecture in group.architectures]
    return float(np.mean([np.mean(np.abs(errors)) for errors in found if errors]))


def fitted(listed: Sequence[Runs]) -> dict[tuple[str, str], float]:
    """The constants, one after the other until none moves."""
    values = {key: round(sum(ends) / 2, 2) for key, ends in ALLOWED.items()}
    for _ in range(ROUNDS):
        for key, (low, high) in ALLOWED.items():
            tries = np.round(np.arange(low, high + STEP / 2, STEP), 2)
            values[key] = float(min(tries, key=lambda one, key=key: badness(listed, values | {key: one}, key[0])))  # type: ignore[misc]
    return values


def written(text: str, values: Mapping[tuple[str, str], float]) -> str:
    """The file with the constants in place; columns that follow one keep their ratio."""
    for (architecture, column), value in values.items():
        row = re.search(rf"  - id: {architecture}\n.*?(?=\n\n|\Z)", text, flags=re.DOTALL)
        if row is None:
            raise SystemExit(f"{EFFICIENCY} has no row {architecture}")
        old = float(re.search(rf"    {column}: ([0-9.]+)", row[0])[1])  # type: ignore[index]
        block = re.sub(rf"(    {column}: )[0-9.]+", rf"\g<1>{value:g}", row[0])
        if other := BACKWARD.get(column):
            before = float(re.search(rf"    {other}: ([0-9.]+)", row[0])[1])  # type: ignore[index]
            block = re.sub(rf"(    {other}: )[0-9.]+", rf"\g<1>{before * value / old:.2f}", block)
        text = text.replace(row[0], block)
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print, and write; with --check exit 1 where the file holds other values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the file differs")
    options = parser.parse_args(arguments)
    listed = list(runs())
    values = fitted(listed)
    for (architecture, column), value in values.items():
        error = badness(listed, values, architecture)
        sys.stdout.write(f"{architecture:12}{column:26}{value:6.2f}   error {error:.1%}\n")
    old = EFFICIENCY.read_text(encoding="utf-8")
    new = written(old, values)
    if options.check:
        return int(new != old)
    EFFICIENCY.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
