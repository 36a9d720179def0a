"""Peaks of TRL's trainers: the engine's predictions against the tensors counted in a step of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.saved_tensors.test_counts import Case, data, flow
from tests.support import run, scenario_text, value

OBJECTIVES = data("objectives.yaml")
TOLERANCE = 0.01
PRECISIONS = {("bf16", False): "bf16-pure", ("fp32", True): "bf16-autocast", ("bf16", True): "bf16-weights-autocast"}


def training(case: Case) -> dict[str, object]:
    """A counted case in TRL's own words."""
    names = ("objective", "gradient_checkpointing", "target_modules", "precompute_ref_log_probs", "beta")
    shape = {name: OBJECTIVES[name] for name in ("micro_batch_size", "sequence_length")}
    told = {name: case[name] for name in names if name in case}
    kept = {"framework": "trl", "optimizer": "sgd", "attention": "sdpa"}
    method = {"method": "lora"} if "target_modules" in case else {}
    return kept | method | {"precision": PRECISIONS[case["weights"], case["bf16"]]} | shape | told


def predicted(folder: Path, case: Case) -> float:
    """The worst instant of the forward and backward pass, beside all weights."""
    computed = run(folder, scenario_text(model=flow(OBJECTIVES["card"]), training=flow(training(case))))
    instants = ("forward_end_bytes", "backward_start_bytes", "backward_end_bytes")
    return max(value(computed, name) for name in instants) - value(computed, "resident_bytes")


@pytest.mark.parametrize("case", OBJECTIVES["cases"], ids=lambda case: f"{case['objective']}-{case['weights']}")
def test_the_peak_of_an_objective_is_predicted(tmp_path: Path, case: Case) -> None:
    assert predicted(tmp_path, case) == pytest.approx(case["bytes"], rel=TOLERANCE), case
