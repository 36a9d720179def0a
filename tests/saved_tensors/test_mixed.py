"""Models with linear attention: what a configuration predicts against what torch saves with the packages' kernels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.saved_tensors.test_counts import FIGURES, data, flow, training
from tests.support import run, scenario_text, value

MIXED = data("mixed.yaml")["counts"]
TOLERANCE = 0.005
"""Angles of positions and indices of chunks are counted with the layers, and not predicted."""
SHAPE = {"micro_batch_size": 2, "sequence_length": 128}


@pytest.mark.parametrize("one", MIXED, ids=lambda one: one["config"]["model_type"])
def test_saved_tensors_of_mixed_layers_are_predicted(tmp_path: Path, one: Mapping[str, Any]) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(one["config"]), encoding="utf-8")
    variants = {
        f"case {at}": {f"training.{name}": given for name, given in training(case).items()}
        for at, case in enumerate(one["cases"])
    }
    computed = run(tmp_path, scenario_text(model=config, training=flow(SHAPE), variants=flow(variants)))
    found = {(at, part): value(computed, figure, at) for at in range(len(variants)) for part, figure in FIGURES.items()}
    wrong = {
        key: f"{got / one['cases'][key[0]][key[1]] - 1:+.2%}"
        for key, got in found.items()
        if got != pytest.approx(one["cases"][key[0]][key[1]], rel=TOLERANCE)
    }
    assert not wrong
