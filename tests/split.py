"""Which measured times constants are fitted on (tests/calibration), and which judge them (tests/truths)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memreport.catalogue.yaml import strict as strict_yaml
from tests.truths_read import TRUTHS, content

CALIBRATION = Path(__file__).parent / "calibration"
CARDS = Path(__file__).parents[1] / "scenarios" / "models"
ADAPTERS = ("lora", "qlora")
FOLDERS = {"fitted": CALIBRATION, "judged": TRUTHS}


@dataclass(frozen=True)
class Measured:
    """One measured time: what was measured on what, as the rule of the split and the proof of it see it."""

    id: str
    kind: str
    shape: str
    accelerator: str
    settings: frozenset[tuple[str, str]]
    source: str

    @property
    def pair(self) -> tuple[str, str, str]:
        """What no fitted row may share with a judged one."""
        return self.kind, self.shape, self.accelerator


def timed_files(part: str) -> list[Path]:
    """The files of measured times of one part, fitted or judged."""
    return sorted(FOLDERS[part].glob("throughput-*.yaml"))


def measured(part: str) -> list[Measured]:
    """Every row of one part, those that are not predicted too."""
    return [row for path in timed_files(part) for row in _rows(content(path))]


def is_judged(row: Measured) -> bool:
    """The rule of tests/calibration/split.yaml."""
    rule = _rules()[row.kind]
    fitted, judged = (row.accelerator in rule.get(name, {}).get(row.shape, []) for name in ("but_fitted", "but_judged"))
    return judged or row.accelerator in rule["accelerators"] or (row.shape in rule["shapes"] and not fitted)


def _rows(data: Mapping[str, Any]) -> Iterator[Measured]:
    for row in [*data["rows"], *data.get("incomplete", [])]:
        settings = {**data["defaults"], **row.get("settings", {})}
        yield Measured(
            id=row["id"],
            kind=_kind(data["workload"], settings),
            shape=shape_of(row["model"], settings),
            accelerator=settings["hardware.accelerator"],
            settings=frozenset((name, str(value)) for name, value in settings.items()),
            source=f"{data['sources'][row['source']]['address']} {row['figure']}",
        )


def _kind(workload: str, settings: Mapping[str, Any]) -> str:
    return "adapter" if settings.get("training.method") in ADAPTERS else workload


def shape_of(model: str, settings: Mapping[str, Any]) -> str:
    """Widths of a model, without its depth and vocabulary: `model.` settings stand before those of the card."""
    card = {**_card(model), **{name[6:]: value for name, value in settings.items() if name.startswith("model.")}}
    experts = card.get("num_local_experts", 0)
    widths = [card["moe_intermediate_size"], experts] if experts else [card["intermediate_size"]]
    return "x".join(str(size) for size in [card["hidden_size"], *widths])


@cache
def _card(model: str) -> dict[str, Any]:
    return dict(strict_yaml.read(CARDS / f"{model}.yaml").data)


@cache
def _rules() -> dict[str, Any]:
    return dict(strict_yaml.read(CALIBRATION / "split.yaml").data["judged"])
