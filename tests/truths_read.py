"""The rows of tests/truths, each with what the engine predicts for its inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import pandas as pd

import memreport
from memreport.catalogue.quantities import parse_quantity
from memreport.catalogue.yaml import strict as strict_yaml

TRUTHS = Path(__file__).parent / "truths"
NOT_ROWS = ("allocator", "baseline", "baseline-throughput", "baseline-times")
ENDS = ("peak_bytes_low", "peak_bytes_high")
TRUST = ("high", "medium", "low")


@dataclass(frozen=True)
class Truth:
    """One measurement with its prediction; `low` and `high` are the published range of the same quantity.

    What a benchmark holds beside the operation that it measures is taken off the measurement.
    """

    id: str
    group: str
    figure: str
    measured: float
    predicted: float
    low: float
    high: float
    trust: str
    source: str

    @property
    def error(self) -> float:
        """Prediction over measurement, less one: negative where too little is predicted."""
        return self.predicted / self.measured - 1

    @property
    def inside(self) -> bool:
        """The measurement lies in the published range."""
        return self.low <= self.measured <= self.high


def is_found(source: Mapping[str, Any]) -> bool:
    """Whether a source has an address, or is the script beside the rows that measured them."""
    return (
        str(source["address"]).startswith("https://")
        or (TRUTHS.parent.parent / source["title"].split(",")[0]).is_file()
    )


def files() -> list[Path]:
    """Every file of measured memory; those of measured times have a reader of their own."""
    named = [path for path in sorted(TRUTHS.glob("*.yaml")) if path.stem not in NOT_ROWS]
    return [path for path in named if not path.stem.startswith("throughput-")]


def content(path: Path) -> dict[str, Any]:
    """One file, read strictly: no duplicates, no aliases."""
    data: dict[str, Any] = strict_yaml.read(path).data
    return data


def truths() -> list[Truth]:
    """Every complete row of every file, predicted."""
    return [row for data in map(content, files()) if data["rows"] for row in predicted_rows(data)]


def incomplete_counts() -> Counter[str]:
    """Measurements whose inputs are not all known, by group: published, but not predicted."""
    found: Counter[str] = Counter()
    for data in map(content, files()):
        found[data["group"]] += len(data.get("incomplete", []))
    return found


def scenario(data: Mapping[str, Any]) -> dict[str, Any]:
    """All complete rows of a file as the variants of one scenario."""
    rows = data["rows"]
    return {
        "schema": 1,
        "id": data["group"],
        "version": 1,
        "title": data["title"],
        "model": rows[0]["model"],
        "workload": data["workload"],
        "hardware": {"accelerator": data["defaults"]["hardware.accelerator"]},
        "variants": {
            f"row {at}": deepcopy({"model": row["model"], **data["defaults"], **row.get("settings", {})})
            for at, row in enumerate(rows)
        },
    }


def predicted_rows(data: Mapping[str, Any]) -> Iterator[Truth]:
    """The complete rows of one file's content, predicted."""
    frame = memreport.estimate(scenario(data))
    measures = data.get("measures", {})
    for at, row in enumerate(data["rows"]):
        values, measure = frame.iloc[at], measures.get(row["figure"], {})
        figure = measure.get("figure", row["figure"])
        low, high = _range(figure, values)
        yield Truth(
            id=row["id"],
            group=data["group"],
            figure=row["figure"],
            measured=parse_quantity(row["value"], unit_of(row["figure"])) - _sum(measure.get("beside", "0"), values),
            predicted=_sum(figure, values),
            low=low,
            high=high,
            trust=row["trust"],
            source=row["source"],
        )


def unit_of(figure: str) -> str:
    """The unit of what was measured, which its name ends in."""
    return "token" if figure.endswith("_tokens") else "byte"


def _sum(figure: str, values: pd.Series[float]) -> float:
    """Figures and inputs by name, and whole numbers, with `*` before `+`."""
    return sum(prod(_factor(name.strip(), values) for name in term.split("*")) for term in figure.split("+"))


def _factor(name: str, values: pd.Series[float]) -> float:
    return float(name) if name.lstrip("-").isdigit() else float(values[name])


def _range(figure: str, values: pd.Series[float]) -> tuple[float, float]:
    """The published range, with what the measurement leaves out taken off again."""
    predicted = _sum(figure, values)
    if f"{figure}_low" in values:
        return float(values[f"{figure}_low"]), float(values[f"{figure}_high"])
    if ("allocated_peak_bytes" not in figure and "peak_bytes" not in figure) or "framework_bytes_low" not in values:
        return predicted, predicted
    low, high = (float(values[name]) for name in ENDS)
    return low - float(values["framework_bytes_low"]), high - float(values["framework_bytes_high"])
