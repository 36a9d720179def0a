"""Measured times of tests/calibration with the inputs that they are computed from, and how far off the figures are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memreport.catalogue.quantities import parse_quantity
from memreport.catalogue.records import Numbers
from memreport.compute import calculate, needed_for
from memreport.figures.registry import lines_in_order
from memreport.resolve import resolve_given
from tests.serving_points import Point, points
from tests.serving_points import scenario as scenario_of_points
from tests.split import timed_files
from tests.times_scored import class_of, class_of_point
from tests.truths_read import content, scenario
from tests.truths_throughput import SECONDS, compared

BESIDE = ("tokens_per_step", "accelerators", "model_flop", "step_flop", "max_num_seqs", "output_tokens")
FOLLOWERS: Mapping[str, str] = {"attention_forward_share": "attention_backward_share"}
"""Columns that keep their ratio to a fitted one."""
Given = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Rows:
    """Rows of one group: inputs, of which kinds each row is, and the seconds that were measured, by figure.

    `kinds` are GPU, architecture, framework or engine, class of the job, and group: what a constant may belong to.
    """

    group: str
    workload: str
    inputs: Mapping[str, Numbers]
    overrides: Mapping[str, Numbers]
    kinds: tuple[frozenset[str], ...]
    measured: Mapping[str, Numbers]

    def errors(self, given: Given, figure: str) -> Numbers:
        """Logarithms of computed over measured times, of every row, with these constants in place of the file's."""
        return np.log(self.computed(given, figure) / self.measured[figure])

    def computed(self, given: Given, figure: str) -> Numbers:
        """A figure of every row, with these constants in place of the file's."""
        inputs = dict(self.inputs)
        for (kind, column), value in given.items():
            mine = self.of(kind)
            if column in inputs and mine.any():
                if other := FOLLOWERS.get(column):
                    inputs[other] = np.where(mine, inputs[other] * value / inputs[column], inputs[other])
                inputs[column] = np.where(mine, value, inputs[column])
        lines = needed_for(lines_in_order(self.workload), (figure,))
        made = calculate(lines, inputs, self.overrides, (figure,))[figure]
        return np.broadcast_to(made, len(self.kinds))

    def of(self, kind: str) -> Numbers:
        """Which rows are of a kind."""
        return np.asarray([kind in one for one in self.kinds])


def rows() -> list[Rows]:
    """Every group of measured times that constants are fitted on; no points with drafted tokens."""
    return [*_of_files(), *_of_points()]


def _of_files() -> Iterator[Rows]:
    for path in timed_files("fitted"):
        data = content(path)
        for figure in sorted({compared(data["workload"], row) for row in data["rows"]}):
            found = [row for row in data["rows"] if compared(data["workload"], row) == figure]
            yield _of_figure({**data, "rows": found}, figure)


def _of_figure(data: Mapping[str, Any], figure: str) -> Rows:
    """The rows of a file that are compared with one figure."""
    one = resolve_given(scenario(data))
    values = _beside(data["workload"], one.inputs, one.overrides)
    measured = [_seconds(row, values, at) for at, row in enumerate(data["rows"])]
    kinds = [{class_of(data["workload"], row["model"], _settings(data, row))} for row in data["rows"]]
    return _rows(data["group"], one, kinds, {figure: np.asarray(measured)})


def _of_points() -> Iterator[Rows]:
    groups: dict[tuple[str, bool], list[Point]] = {}
    for point in points("fitted"):
        if point.expressible and not point.drafted:
            groups.setdefault((point.group, point.cold), []).append(point)
    for (group, _), found in groups.items():
        one = resolve_given(scenario_of_points(found))
        measured = [point.measured() for point in found]
        columns = {name: np.asarray([each[name] for each in measured]) for name in measured[0]}
        yield _rows(group, one, [{class_of_point(point)} for point in found], columns)


def _rows(group: str, one: Any, kinds: Sequence[set[str]], measured: Mapping[str, Numbers]) -> Rows:
    table, workload = one.catalogue.tables["accelerators"], one.loaded.scenario.workload
    name = "framework" if workload == "training" else "engine"
    found = tuple(
        frozenset(
            {
                *own,
                f"group {group}",
                str(case.settings[name]),
                str(case.settings["accelerator"]),
                table.text("architecture", case.settings["accelerator"]),
            }
        )
        for own, case in zip(kinds, one.cases, strict=True)
    )
    return Rows(group, workload, one.inputs, one.overrides, found, measured)


def _settings(data: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    return {**data["defaults"], **row.get("settings", {})}


def _beside(workload: str, inputs: Mapping[str, Numbers], overrides: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """What turns a published rate into seconds."""
    lines = lines_in_order(workload)
    wanted = [name for name in BESIDE if name in inputs or any(line.name == name for line in lines)]
    made = calculate(lines, inputs, overrides, wanted)
    return {name: made.get(name, inputs.get(name)) for name in wanted}  # type: ignore[misc]


def _seconds(row: Mapping[str, str], values: Mapping[str, Numbers], at: int) -> float:
    unit, seconds = SECONDS[row["figure"]]
    own = {name: float(np.broadcast_to(column, (at + 1,) if np.size(column) == 1 else column.shape)[at])
           for name, column in values.items()}  # fmt: skip
    return seconds(parse_quantity(row["value"], unit), own)
