"""Computed times against measured ones: bias, median, p90 and largest error, and the share in the printed range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from memreport.catalogue.quantities import parse_quantity
from memreport.compute import Computed
from memreport.frame import computed_from
from tests.baselines import Baseline
from tests.serving_points import Point, points
from tests.serving_points import scenario as scenario_of_points
from tests.split import ADAPTERS, FOLDERS, shape_of, timed_files
from tests.times_words import AIM_WORDS, UNSEEN_WORDS, WORDS
from tests.truths_read import TRUTHS, content, scenario
from tests.truths_throughput import FIGURES, SECONDS, compared

SERVED = ("served dense", "served mixtures", "served eager")
EAGER_ENGINES = ("transformers", "transformers-4.52", "litgpt")
"""Engines that start every kernel from the host: their times depend on it."""
NEAR = 0.25
CLASS = "all "
"""What the name of a class of jobs begins with, where that of a group does not."""
BASELINE = Baseline(
    TRUTHS / "baseline-times.yaml", lower_is_better=("median", "widest"), higher_is_better=("rows", "inside")
)
"""Of each class: a range that is printed wider holds more, and so counts as worse too."""
BATCH = 300
"""Points in one scenario: a file holds so many keys at most."""
HEADING = "## Time"
SCORED = ("rows", "bias", "median", "p90", "largest", "within 25 %", "in range", "widest")
HEADS = ("part", "class or group", "figure", *SCORED)


AIMS = {"tokens_per_second": 0.12, "time_per_output_token_seconds": 0.12, "time_to_first_token_seconds": 0.35}
"""Largest median error of judged served points, by figure."""
NEAR_AIM, INSIDE_AIM = 0.8, 0.8
"""Least share of judged tokens per second within 25 %, and of judged measurements in the printed range."""
AIM_HEADS = ("judged, served", "figure", "rows", "median", "within 25 %", "in range", "misses")


@dataclass(frozen=True)
class Timed:
    """One measurement, what is computed for it, and the printed range (nan where there is none)."""

    part: str
    kind: str
    group: str
    figure: str
    id: str
    measured: float
    predicted: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Prediction over measurement, less one."""
        return self.predicted / self.measured - 1

    @property
    def ranged(self) -> bool:
        """A range is printed with the figure."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))


@dataclass(frozen=True)
class TimeScore:
    """A group of one part: its errors, and what its ranges are worth."""

    rows: int
    bias: float
    median: float
    p90: float
    largest: float
    near: float
    inside: float
    widest: float


def times() -> list[Timed]:
    """Every measured time for which the engine computes the figure."""
    return [row for part in FOLDERS for row in [*_of_files(part), *points_timed(part)]]


def time_scores(rows: Iterable[Timed]) -> dict[tuple[str, str, str], TimeScore]:
    """The score of each class of jobs, then of each group, by (part, name, figure)."""
    listed = list(rows)
    found: dict[tuple[str, str, str], list[Timed]] = {}
    for row in sorted(listed, key=lambda row: (row.part, row.kind, row.figure)):
        found.setdefault((row.part, f"{CLASS}{row.kind}", row.figure), []).append(row)
    for row in sorted((row for row in listed if row.kind in SERVED), key=lambda row: (row.part, row.figure)):
        found.setdefault((row.part, f"{CLASS}served", row.figure), []).append(row)
    for row in sorted(listed, key=lambda row: (row.part, row.group, row.figure)):
        found.setdefault((row.part, row.group, row.figure), []).append(row)
    return {name: _score(members) for name, members in found.items()}


def class_scores(found: Mapping[tuple[str, str, str], TimeScore]) -> dict[str, TimeScore]:
    """Of these scores those of whole classes, by one name each."""
    return {" ".join(name): one for name, one in found.items() if name[1].startswith(CLASS)}


def time_table(found: Mapping[tuple[str, str, str], TimeScore]) -> str:
    """The groups in columns, for a terminal."""
    lines = [list(HEADS), *(_cells(name, one) for name, one in found.items())]
    widths = [max(len(line[at]) for line in lines) for at in range(len(HEADS))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join(["", "time: computed over measured", *shown, ""])


def time_section(found: Mapping[tuple[str, str, str], TimeScore]) -> str:
    """The part of the page on computed times."""
    aims = [_aim_cells(name, figure, one) for (part, name, figure), one in found.items() if _aimed(part, name, figure)]
    table = _table(HEADS, 3, (_cells(name, one) for name, one in found.items()))
    return f"{HEADING}\n\n{WORDS}\n{table}\n{UNSEEN_WORDS}\n{AIM_WORDS}\n{_table(AIM_HEADS, 2, aims)}"


def _table(heads: Sequence[str], words: int, rows: Iterable[Sequence[str]]) -> str:
    rules = ["---"] * words + ["---:"] * (len(heads) - words)
    return "".join("| " + " | ".join(line) + " |\n" for line in [heads, rules, *rows])


def _aimed(part: str, name: str, figure: str) -> bool:
    served = figure in AIMS or (name == "all served" and figure == FIGURES["serving"])
    return part == "judged" and served


def _aim_cells(name: str, figure: str, one: TimeScore) -> list[str]:
    missed = {
        "median": one.median > AIMS.get(figure, one.median),
        "within 25 %": figure == "tokens_per_second" and one.near < NEAR_AIM,
        "range": one.inside < INSIDE_AIM,
    }
    shares = [f"{one.median:.1%}", f"{one.near:.0%}", f"{one.inside:.0%}"]
    return [name, figure, str(one.rows), *shares, ", ".join(which for which, miss in missed.items() if miss) or "–"]


def _cells(name: tuple[str, str, str], one: TimeScore) -> list[str]:
    errors = [f"{one.bias:+.1%}", f"{one.median:.1%}", f"{one.p90:.1%}", f"{one.largest:.0%}", f"{one.near:.0%}"]
    ranges = [f"{one.inside:.0%}", f"{one.widest:.2f}"] if np.isfinite(one.inside) else ["–", "–"]
    return [*name, str(one.rows), *errors, *ranges]


def _score(rows: Sequence[Timed]) -> TimeScore:
    errors = np.asarray([row.error for row in rows])
    sizes, ranged = np.abs(errors), [row for row in rows if row.ranged]
    return TimeScore(
        rows=len(rows),
        bias=float(errors.mean()),
        median=float(np.median(sizes)),
        p90=float(np.quantile(sizes, 0.9)),
        largest=float(sizes.max()),
        near=float(np.mean(sizes <= NEAR)),
        inside=float(np.mean([row.low <= row.measured <= row.high for row in ranged])) if ranged else float("nan"),
        widest=max((row.high / row.low for row in ranged), default=float("nan")),
    )


def _of_files(part: str) -> Iterator[Timed]:
    for path in timed_files(part):
        data = content(path)
        if data["rows"]:
            yield from _of_content(part, data)


def _of_content(part: str, data: Mapping[str, Any]) -> Iterator[Timed]:
    for row, at in zip(data["rows"], _estimated(scenario(data)), strict=True):
        settings, figure = {**data["defaults"], **row.get("settings", {})}, compared(data["workload"], row)
        if figure in at:
            names = (part, class_of(data["workload"], row["model"], settings), data["group"], figure, row["id"])
            yield _timed(names, _seconds(row, at), at)


def class_of(workload: str, model: str, settings: Mapping[str, Any]) -> str:
    """The classes that ranges are stated for: mixtures, adapters, eager jobs, and dense ones."""
    mixture = shape_of(model, settings).count("x") > 1
    if workload == "serving" and settings.get("serving.engine") in EAGER_ENGINES:
        return "served eager"
    if settings.get("serving.speculative_tokens"):
        return "served drafts"
    if workload == "serving":
        return "served mixtures" if mixture else "served dense"
    if settings.get("training.method") in ADAPTERS:
        return "adapters"
    if str(settings.get("training.framework")).startswith("huggingface"):
        return "eager"
    return "mixtures" if mixture else "dense"


def class_of_point(point: Point) -> str:
    """The class of a served point; those with drafted tokens are one of their own."""
    return "served drafts" if point.drafted else class_of("serving", point.row["model"], {})


def _seconds(row: Mapping[str, Any], at: Mapping[str, float]) -> float:
    unit, seconds = SECONDS[row["figure"]]
    return seconds(parse_quantity(row["value"], unit), at)


@cache
def points_timed(part: str) -> tuple[Timed, ...]:
    """The served points of one part, each figure computed."""
    return tuple(_points_timed(part))


def _points_timed(part: str) -> Iterator[Timed]:
    found = [point for point in points(part) if point.expressible]
    batches = (_estimated(scenario_of_points(found[at : at + BATCH])) for at in range(0, len(found), BATCH))
    for point, at in zip(found, chain.from_iterable(batches), strict=True):
        kind = class_of_point(point)
        for figure, value in point.measured().items():
            if figure in at:
                yield _timed((part, kind, point.group, figure, point.id), value, at)


@dataclass(frozen=True)
class _Variant(Mapping[str, float]):
    """The figures and inputs of a variant: pandas takes longer to make a row of a thousand than they to be computed."""

    computed: Computed
    at: int

    def __getitem__(self, name: str) -> float:
        return float(self.computed.values[name][self.at])

    def __iter__(self) -> Iterator[str]:
        return iter(self.computed.values)

    def __len__(self) -> int:
        return len(self.computed.values)


def _estimated(one: Mapping[str, Any]) -> list[_Variant]:
    computed = computed_from(one)
    return [_Variant(computed, at) for at in range(len(computed.resolved.variants))]


def _timed(names: tuple[str, str, str, str, str], measured: float, at: Mapping[str, float]) -> Timed:
    part, kind, group, figure, row = names
    low, high = (at.get(f"{figure}_{end}", float("nan")) for end in ("low", "high"))
    return Timed(part, kind, group, figure, row, measured, at[figure], low, high)
