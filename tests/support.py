"""What several tests need: a scenario from its text through load, resolve and compute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.load import Catalogue, read_scenario
from memreport.compute import Computed, compute
from memreport.errors import Fault, InputError
from memreport.formula.recording import Figure
from memreport.resolve import resolve, resolve_all

ROOT = Path(__file__).parents[1]
OWN_FOLDERS = ("hardware", "models", "reference")
SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))


def scenario_text(id_: str = "case", **blocks: Any) -> str:
    """A scenario file; `blocks` are YAML texts of its keys, which replace or extend the plainest ones."""
    plain: dict[str, Any] = {
        "schema": 1,
        "id": id_,
        "version": 1,
        "title": "a test's own case",
        "model": "llama-2-7b",
        "hardware": "{accelerator: a100-80gb-sxm, count: 1, host: dgx-a100}",
        "workload": "training",
    }
    return "".join(f"{name}: {value}\n" for name, value in (plain | blocks).items() if value is not None)


def run(folder: Path, text: str, id_: str = "case", catalogue: Catalogue | None = None) -> Computed:
    """The text as a file of `folder`, loaded, resolved and computed; the packaged catalogue is read once for all."""
    path = folder / f"{id_}.yaml"
    path.write_text(text, encoding="utf-8")
    if any((near / name).is_dir() for near in (folder, folder.parent) for name in OWN_FOLDERS):
        return compute(resolve_all([path]))[0]
    faults: list[Fault] = []
    loaded = read_scenario(path, faults)
    if loaded is None or faults:
        raise InputError(faults)
    return compute([resolve(loaded, catalogue or packaged())])[0]


@cache
def published() -> tuple[Computed, ...]:
    """Every scenario of the repository, computed as one table."""
    return tuple(compute(resolve_all([ROOT / "scenarios"])))


@cache
def packaged() -> Catalogue:
    """The packaged catalogue."""
    return published()[0].resolved.catalogue


def value(computed: Computed, name: str, at: int = 0) -> float:
    """One figure or input of one case."""
    column = computed.values[name]
    return float(column[at])


Truth = tuple[Figure, float, dict[str, float]]


def truth(figure: Figure, expected: float, **inputs: float) -> Truth:
    """What a figure must give for these inputs, computed by hand."""
    return figure, expected, inputs


def named(truths: Iterable[Truth]) -> list[Any]:
    """The truths as parameters of a test, each called after its figure."""
    return [pytest.param(*one, id=one[0].name) for one in truths]


def by_sheet(values: Mapping[tuple[str, str], Any]) -> dict[str, dict[str, Any]]:
    """Contents by (sheet, cell) as contents by sheet and cell."""
    found: dict[str, dict[str, Any]] = {}
    for (sheet, cell), value in values.items():
        found.setdefault(sheet, {})[cell] = value
    return found
