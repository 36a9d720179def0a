"""Published times of training steps and of answers, each with the engine's lower bound; of steps by utilisation too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import memreport
from memreport.catalogue.quantities import parse_quantity
from tests.split import FOLDERS, timed_files
from tests.truths_read import content, scenario

Values = Mapping[str, float]
BEATEN = 1e-9
"""A bound that a measurement undercuts by less than this is met, not beaten."""
SECONDS: Mapping[str, tuple[str, Callable[[float, Values], float]]] = {
    "step_seconds": ("s", lambda measured, _: measured),
    "tokens_per_second": ("token/s", lambda measured, at: at["tokens_per_step"] / measured),
    "tokens_per_second_per_accelerator": (
        "token/s",
        lambda measured, at: at["tokens_per_step"] / (measured * at["accelerators"]),
    ),
    "model_flop_per_second": ("FLOP/s", lambda measured, at: at["model_flop"] / (measured * at["accelerators"])),
    "hardware_flop_per_second": ("FLOP/s", lambda measured, at: at["step_flop"] / (measured * at["accelerators"])),
    "answer_seconds": ("s", lambda measured, _: measured),
    "output_tokens_per_second": ("token/s", lambda measured, at: at["max_num_seqs"] * at["output_tokens"] / measured),
    "output_tokens_per_second_per_accelerator": (
        "token/s",
        lambda measured, at: at["max_num_seqs"] * at["output_tokens"] / (measured * at["accelerators"]),
    ),
    "time_to_first_token_seconds": ("s", lambda measured, _: measured),
    "time_per_output_token_seconds": ("s", lambda measured, _: measured),
}
"""What is published, in which unit, and the time that it means: of a step, of the answers of a batch, of one token."""
FIGURES = {"training": "step_seconds", "serving": "request_seconds"}
"""The figure that a row of measured times is compared with, by workload, unless it is published by its own name."""
OWN: Mapping[str, Callable[[Values], float]] = {
    "time_to_first_token_seconds": lambda at: at["time_to_first_token_bound"],
    "time_per_output_token_seconds": lambda at: 1 / at["sequence_tokens_per_second_bound"],
}
"""Figures that are published by their own name, with their bounds."""


@dataclass(frozen=True)
class Speed:
    """A measured time in seconds, its lower bound, and the time by the published utilisation (0 where none is)."""

    id: str
    group: str
    measured: float
    bound: float
    at_utilization: float
    limit: str

    @property
    def reached(self) -> float:
        """Share of the measured time that the bound explains: above one, the bound is beaten and so is wrong."""
        return self.bound / self.measured

    @property
    def error(self) -> float:
        """Time by the published utilisation over the measured one, less one."""
        return self.at_utilization / self.measured - 1


def files() -> list[Path]:
    """Every file of measured times: those that constants are fitted on, and those that judge them."""
    return [path for part in FOLDERS for path in timed_files(part)]


def speeds() -> list[Speed]:
    """Every row of every file, predicted."""
    return [row for data in map(content, files()) for row in _predicted(data)]


def _predicted(data: Mapping[str, Any]) -> Iterator[Speed]:
    frame = memreport.estimate(scenario(_stating(data)))
    for at, row in enumerate(data["rows"]):
        yield _speed(data["group"], row, frame.iloc[at])


def _stating(data: Mapping[str, Any]) -> dict[str, Any]:
    """The file with each published utilisation as a setting of its row: of the whole step, as they are published."""
    rows = [{**row, "settings": {**row["settings"], **_utilization(row)}} for row in data["rows"]]
    return {**data, "rows": rows}


def compared(workload: str, row: Mapping[str, Any]) -> str:
    """The figure that a row is compared with."""
    return row["figure"] if row["figure"] in OWN else FIGURES[workload]


def _utilization(row: Mapping[str, Any]) -> dict[str, Any]:
    if "utilization" not in row:
        return {}
    return {"training.model_flop_utilization": row["utilization"]}


def _speed(group: str, row: Mapping[str, Any], at: pd.Series[float]) -> Speed:
    unit, seconds = SECONDS[row["figure"]]
    values = {str(name): float(value) for name, value in at.items() if isinstance(value, (int, float))}
    served = "request_seconds_bound" in values
    workload = "serving" if served else "training"
    return Speed(
        id=row["id"],
        group=group,
        measured=seconds(parse_quantity(row["value"], unit), values),
        bound=OWN[row["figure"]](values) if row["figure"] in OWN else values[f"{FIGURES[workload]}_bound"],
        at_utilization=_by_utilization(values) if "utilization" in row else 0.0,
        limit=answer_binding(values) if served else binding(values),
    )


def _by_utilization(values: Values) -> float:
    peak = values["accelerators"] * values["peak_flop_per_second"]
    return values["model_flop"] / (peak * values["model_flop_utilization"])


def answer_binding(values: Values) -> str:
    """What the bound of an answer consists of, for the most part: the prefill, or what binds decoding."""
    if values["time_to_first_token_bound"] * 2 > values["request_seconds_bound"]:
        return "prefill"
    met = values["decode_step_seconds_bound"] <= values["decode_traffic_seconds"] * (1 + BEATEN)
    return "decode: memory" if met else "decode: arithmetic or link"


def binding(values: Values) -> str:
    """What the bound of a step consists of, for the most part."""
    parts = {
        "kernels": values["step_seconds_at_roof"],
        "link": values["link_traffic_seconds"],
        "network": values["network_traffic_seconds"],
        "bubble": values["bubble_seconds_bound"],
    }
    return max(parts, key=lambda name: parts[name])


@dataclass(frozen=True)
class SpeedScore:
    """A group: rows, beaten bounds, share of the time that bounds explain, and errors by published utilisations."""

    rows: int
    beaten: int
    lowest: float
    median: float
    highest: float
    compared: int
    mean_error: float
    largest_error: float


def speed_scores(rows: Iterable[Speed]) -> dict[str, SpeedScore]:
    """The score of each group, by name."""
    groups: dict[str, list[Speed]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    return {name: _score(members) for name, members in sorted(groups.items())}


def _score(rows: list[Speed]) -> SpeedScore:
    reached = np.asarray([row.reached for row in rows])
    errors = [abs(row.error) for row in rows if row.at_utilization]
    return SpeedScore(
        rows=len(rows),
        beaten=int(np.count_nonzero(reached > 1 + BEATEN)),
        lowest=float(reached.min()),
        median=float(np.median(reached)),
        highest=float(reached.max()),
        compared=len(errors),
        mean_error=float(np.mean(errors or 0)),
        largest_error=max(errors, default=0.0),
    )
