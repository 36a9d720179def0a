"""PEFT's methods and forward passes alone: the engine's predictions against counts of torch, PEFT and transformers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from memreport.compute import Computed
from tests.saved_tensors.architectures import ARCHITECTURES
from tests.saved_tensors.test_counts import data, flow, unsaved
from tests.support import run, scenario_text, value

COUNTED = data("methods.yaml")
CASES, FORWARD = COUNTED["cases"], COUNTED["forward"]
LAYER, PEAK, OF_MADE_WEIGHTS, MEDIAN = 0.001, 0.11, 0.15, 0.01
"""The peak of methods that multiply their matrices out is that of several instants, of which one is computed."""
INSTANTS = ("forward_end_bytes", "backward_start_bytes", "backward_end_bytes")
NAMES = {"r": "lora_rank", "init_r": "lora_rank"}
NOT_STATED = ("total_step",)
FORWARD_PEAK = 0.03
ONE = "{accelerator: a100-80gb-sxm, count: 1}"


def predicted(folder: Path, case: Mapping[str, Any]) -> Computed:
    """The counted settings in the words of a scenario."""
    options = {NAMES.get(name, name): given for name, given in case["options"].items() if name not in NOT_STATED}
    given = {"gradient_checkpointing": case["checkpointing"], "attention": case["attention"], "optimizer": "sgd"}
    given |= {"method": "lora", "peft_type": case["peft_type"], "adapter_dtype": case["adapter_dtype"], **options}
    given |= {"target_modules": case["targets"].split()} if case["targets"] else {}
    card = flow(ARCHITECTURES[case["architecture"]].fields)
    text = scenario_text(model=card, training=flow(given | COUNTED["shape"] | {"precision": "bf16-pure"}))
    return run(folder, text)


@pytest.mark.parametrize("method", sorted({case["peft_type"] for case in CASES}))
def test_methods_train_and_keep_what_is_counted(tmp_path: Path, method: str) -> None:
    peaks = []
    for case in (one for one in CASES if one["peft_type"] == method):
        computed = predicted(tmp_path, case)
        stored, first = value(computed, "stored_activation_bytes"), unsaved(computed, 0)
        assert value(computed, "trainable_parameters") == case["trained"], case
        if "layer" in case:
            layers = ARCHITECTURES[case["architecture"]].fields["num_hidden_layers"]
            assert (stored + first) / layers == pytest.approx(case["layer"], rel=LAYER), case
        assert value(computed, "edge_activation_bytes") == pytest.approx(case["head"], rel=0.1), case
        most = max(value(computed, name) for name in INSTANTS) - value(computed, "resident_bytes")
        peaks.append(most / case["peak"] - 1)
        assert abs(peaks[-1]) < (OF_MADE_WEIGHTS if method == "loha" else PEAK), (peaks[-1], case)
    assert abs(median(peaks)) < 2 * MEDIAN


@pytest.mark.parametrize("case", FORWARD, ids=lambda case: "-".join(map(str, case.values())))
def test_forward_passes_alone_are_predicted(tmp_path: Path, case: Mapping[str, Any]) -> None:
    """A layer at work where the vocabulary is small, the loss where it is large."""
    card = dict(ARCHITECTURES[case["architecture"]].fields) | {"vocab_size": case["vocab_size"]}
    given = {"optimizer": "none", "precision": "bf16-pure", "attention": case["attention"]} | COUNTED["shape"]
    computed = run(tmp_path, scenario_text(model=flow(card), training=flow(given)))
    held = value(computed, "resident_bytes")
    assert held == value(computed, "weight_bytes")
    assert value(computed, "forward_end_bytes") - held == pytest.approx(case["peak"], rel=FORWARD_PEAK)


def test_a_step_of_mezo_holds_weights_and_the_noise_of_one_matrix(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(training="{optimizer: mezo, precision: bf16-mixed}", hardware=ONE))
    matrix = 32_000 * 4096 * 2
    assert [value(computed, f"{name}_bytes") for name in ("gradient", "master_weight", "optimizer_state")] == [0, 0, 0]
    assert value(computed, "optimizer_step_bytes") == pytest.approx(4 * matrix)
