"""Names of models whose layers another family has: defaults of transformers 5.24, counted on the meta device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import memreport
from tests.support import ROOT, scenario_text

RENAMED: list[dict[str, Any]] = json.loads((ROOT / "tests/data/renamed.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("one", RENAMED, ids=lambda one: one["config"]["model_type"])
def test_parameters_are_those_of_transformers(tmp_path: Path, one: dict[str, Any]) -> None:
    """Where a router chooses, its correction of each expert counts as a parameter; transformers has a buffer."""
    config = one["config"]
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(model="config.json"), encoding="utf-8")
    corrections = (config.get("num_hidden_layers", 1) - 1) * config.get("n_routed_experts", 0)
    assert memreport.estimate(path)["parameters"].item() == one["parameters"] + corrections
