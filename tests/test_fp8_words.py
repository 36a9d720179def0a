"""Training with FP8 products, stated in a scenario, with what it changes computed by hand for Llama 3 8B."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.compute import Computed
from memreport.errors import InputError
from tests.support import run, scenario_text, value

ONE = "{accelerator: h100-80gb-sxm, count: 1, host: dgx-h100}"
EIGHT = "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"
H, F, MATRICES = 4096, 14_336, 32 * (4096 * (2 * 4096 + 2 * 1024) + 3 * 4096 * 14_336)


def job(folder: Path, training: str, hardware: str = ONE) -> Computed:
    return run(folder, scenario_text(model="llama-3-8b", training=f"{{{training}}}", hardware=hardware))


@pytest.mark.parametrize(("recipe", "width"), [("te-delayed", 1), ("te-tensorwise", 1), ("te-mxfp8", 1 + 1 / 32)])
def test_transformer_engine_keeps_inputs_in_fp8(tmp_path: Path, recipe: str, width: float) -> None:
    """Inputs of query, key and value, of gate and up, and of the down projection go from 2 bytes to one and a scale;
    that of the output projection was attention's own result, and is one more now.
    """
    before = job(tmp_path, "framework: megatron, precision: bf16-mixed")
    after = job(tmp_path, f"framework: megatron, precision: fp8, fp8_recipe: {recipe}")
    saved = (2 * H + F) * (2 - width) - H * width
    name = "layer_activation_bytes_per_token"
    assert value(before, name) - value(after, name) == pytest.approx(saved)


def test_transformer_engine_keeps_two_copies_of_weights(tmp_path: Path) -> None:
    """One row by row and one transposed, beside BF16 weights; with FP8 weights one of them is the weight."""
    given = "framework: megatron, precision: fp8, fp8_recipe: te-delayed"
    beside, alone = job(tmp_path, given), job(tmp_path, f"{given}, fp8_param_gather: true")
    assert value(beside, "fp8_weight_copy_bytes") == pytest.approx(2 * MATRICES)
    assert value(alone, "fp8_weight_copy_bytes") == pytest.approx(MATRICES)
    assert value(beside, "weight_bytes") - value(alone, "weight_bytes") == pytest.approx(MATRICES)
    assert value(alone, "peak_parts_bytes") == pytest.approx(value(alone, "peak_bytes"))


def test_torchao_keeps_inputs_as_they_come(tmp_path: Path) -> None:
    """torchao casts again in the backward pass: nothing is kept in FP8, nothing beside the weights."""
    before = job(tmp_path, "framework: torchtitan, precision: bf16-mixed")
    after = job(tmp_path, "framework: torchtitan, precision: fp8, fp8_recipe: torchao-rowwise")
    assert value(after, "peak_bytes") == value(before, "peak_bytes")


def test_fsdp_gathers_layers_in_fp8(tmp_path: Path) -> None:
    """A layer of 218 million parameters takes a byte each while it is gathered, and goes over the wire as such."""
    given = "framework: torchtitan, zero_stage: 3, precision: fp8-autocast"
    wide = job(tmp_path, given, EIGHT)
    narrow = job(tmp_path, f"{given}, enable_fsdp_float8_all_gather: true", EIGHT)
    layer = MATRICES / 32 + 2 * H
    assert value(wide, "layer_unit_bytes") == pytest.approx(2 * layer)
    assert value(narrow, "layer_unit_bytes") == pytest.approx(layer)
    assert value(narrow, "weight_gather_bytes") == pytest.approx(value(wide, "weight_gather_bytes") / 2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("precision: fp8, fp8_recipe: te-mxfp", "te-mxfp8"),
        ("precision: fp8, enable_fsdp_float8_all_gather: true", "state zero_stage 3 and a precision in FP8"),
        ("precision: bf16-mixed, fp8_recipe: te-delayed, fp8_param_gather: true", "a precision in FP8"),
        ("precision: fp8, fp8_param_gather: true", "an fp8_recipe of te-"),
    ],
)
def test_wrong_fp8(tmp_path: Path, given: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        job(tmp_path, given)
