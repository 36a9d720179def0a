"""Towers for images, by hand: what is trained or adapted of them, and what their layers keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.errors import InputError
from memreport.figures.model import towers as m
from memreport.figures.training.saved import towers as s
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth

NAMES = {f"targets_{name}_proj": 0 for name in ("q", "k", "v", "o", "gate", "up", "down")}
WIDTHS = {"tower_adapter_widths": 900, "tower_layers": 3, "tower_hidden_size": 10, "tower_intermediate_size": 40} | {
    "adapts_towers": 1, "targets_others": 0, "tower_fused_qkv": 0, "tower_shares_output": 1,
    "tower_mlp_values": 4,
}  # fmt: skip
QUERIES = {f"targets_{name}_proj": 1 for name in ("q", "k", "v")}
IMAGES = {"micro_batch_size": 2, "sequences_per_sample": 1, "images_per_sequence": 3, "tower_patches": 576}
NONE_READ = {"tower_matrices_read": 0, "adapts_towers": 1, "tower_mlp_values": 4}
INPUTS = {"tower_attention_inputs": 3, "tower_mlp_inputs": 2, "tower_fused_qkv": 0, "tower_matrices_read": 1} | {
    "adapts_towers": 1, "targets_o_proj": 1, "tower_shares_output": 0,
}  # fmt: skip
TYPES = {"activation_element_bytes": 2, "adapter_input_element_bytes": 4, "tower_hidden_size": 10}
READ = TYPES | {"tower_wide_inputs": 3, "tower_intermediate_size": 40, "targets_down_proj": 0} | {
    "tower_mlp_values": 2, "tower_attention_inputs": 3, "tower_mlp_inputs": 2, "lora_rank": 16,
    "adapter_value_element_bytes": 4,
}  # fmt: skip
LAYER = {"tower_input_bytes": 1000, "tower_norm_bytes": 56, "activation_element_bytes": 2} | {
    "tower_hidden_size": 10, "tower_intermediate_size": 40, "residual_element_bytes": 2,
}  # fmt: skip
LAYERS = {"image_patches": 100, "freezes_towers": 0, "tower_adapted_widths": 0, "tower_asks_gradient": 1} | {
    "base_quantised": 0, "tower_layer_bytes": 50, "tower_layers": 3, "tower_hidden_size": 10,
    "residual_element_bytes": 2, "optimizer_estimates_gradients": 0,
}  # fmt: skip
FROZEN = LAYERS | {"freezes_towers": 1}
ALL_READ = {"tower_matrices_read": 1, "tower_fused_qkv": 0}
OF_TOWERS = [
    truth(m.frozen_tower_parameters, 30, freezes_towers=1, tower_parameters=30),
    truth(m.frozen_tower_parameters, 0, freezes_towers=0, tower_parameters=30),
    truth(m.adapts_towers, 1, trains_adapters=1, adapts_matrices=1, freezes_towers=0),
    truth(m.adapts_towers, 0, trains_adapters=1, adapts_matrices=1, freezes_towers=1),
    truth(m.tower_adapted_widths, 900, **WIDTHS | NAMES | {"targets_others": 1}),
    truth(m.tower_adapted_widths, 3 * 3 * 20, **WIDTHS | NAMES | QUERIES),
    truth(m.tower_adapted_widths, 3 * (20 + 50), **WIDTHS | NAMES | {"targets_o_proj": 1, "targets_down_proj": 1}),
    truth(m.image_patches, 3456, image_pixels=0, tower_patch_area=196, **IMAGES),
    truth(m.image_patches, 6144, image_pixels=1024 * 196, tower_patch_area=196, **IMAGES),
    truth(m.image_patches, 3456, image_pixels=1024 * 196, tower_patch_area=0, **IMAGES),
]  # fmt: skip
OF_LAYERS = [
    truth(s.tower_matrices_read, 1, trains_base=1, adapts_towers=0, targets_others=0),
    truth(s.tower_matrices_read, 0, trains_base=0, adapts_towers=1, targets_others=0),
    truth(s.tower_attention_inputs, 3, **NONE_READ | QUERIES | WIDTHS | ALL_READ),
    truth(s.tower_attention_inputs, 2, **NONE_READ | QUERIES | WIDTHS | {"targets_k_proj": 0, "tower_fused_qkv": 0}),
    truth(s.tower_mlp_inputs, 2, **NONE_READ | {"targets_gate_proj": 1, "targets_up_proj": 1}),
    truth(s.tower_mlp_inputs, 1, **NONE_READ | NAMES | {"tower_matrices_read": 1, "tower_mlp_values": 2}),
    truth(s.tower_wide_inputs, 6, trains_base=0, linear_inputs_cast=0, separate_adapter_inputs=1, **INPUTS),
    truth(s.tower_wide_inputs, 5, trains_base=1, linear_inputs_cast=1, separate_adapter_inputs=0, **INPUTS),
    truth(s.tower_wide_inputs, 2, trains_base=1, linear_inputs_cast=0, separate_adapter_inputs=1, **INPUTS),
    truth(s.tower_wide_inputs, 3, trains_base=1, linear_inputs_cast=0, separate_adapter_inputs=0,
          **INPUTS | {"tower_fused_qkv": 1}),
    truth(s.tower_input_bytes, 140, trains_base=1, tower_matrices_read=1, adapts_towers=0, **READ),
    truth(s.tower_input_bytes, 280 + 16 * 4 * 7, trains_base=0, tower_matrices_read=1, adapts_towers=1, **READ),
    truth(s.tower_norm_bytes, 2 * (10 * 2 + 8), autocast=0, trains_base=1, tower_mlp_values=2, **LAYER),
    truth(s.tower_norm_bytes, 2 * (10 * (4 + 2) + 8), autocast=0, trains_base=1, tower_mlp_values=4, **LAYER),
    truth(s.tower_norm_bytes, 2 * (10 * 4 + 8), autocast=1, trains_base=0, tower_mlp_values=2, **LAYER),
    truth(s.tower_layer_bytes, 1056 + 80 + 80, trains_base=1, tower_fused_qkv=0, tower_scales=0, tower_mlp_values=2,
          **LAYER),
    truth(s.tower_layer_bytes, 1056 + 160 + 240, trains_base=1, tower_fused_qkv=1, tower_scales=1, tower_mlp_values=4,
          **LAYER),
    truth(s.tower_activation_bytes, 15_000, trains_base=1, trains_adapters=0, checkpoints=0, **LAYERS),
    truth(s.tower_activation_bytes, 6_000, trains_base=1, trains_adapters=0, checkpoints=1, **LAYERS),
    truth(s.tower_activation_bytes, 0, trains_base=1, trains_adapters=0, checkpoints=1, **FROZEN),
    truth(s.tower_activation_bytes, 0, trains_base=0, trains_adapters=1, checkpoints=0, **LAYERS),
    truth(s.tower_activation_bytes, 6_000, trains_base=0, trains_adapters=1, checkpoints=1, **LAYERS),
    truth(s.tower_activation_bytes, 15_000, trains_base=0, trains_adapters=1, checkpoints=0,
          **LAYERS | {"tower_adapted_widths": 9}),
]  # fmt: skip


@pytest.mark.parametrize(("figure", "expected", "inputs"), named([*OF_TOWERS, *OF_LAYERS]))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**{name: inputs[name] for name in figure.inputs}) == pytest.approx(expected)


def test_every_figure_has_a_truth() -> None:
    every = {figure.name for module in (m, s) for figure in figures_in(module)}
    assert {one[0].name for one in (*OF_TOWERS, *OF_LAYERS)} == every


@pytest.mark.parametrize("model", ["llama-3-8b", "qwen2-audio-7b"])
def test_images_are_refused_where_no_tower_sees_them(tmp_path: Path, model: str) -> None:
    with pytest.raises(InputError, match="needs a model with a tower for images"):
        run(tmp_path, scenario_text(model=model, training="{images_per_sequence: 4}"))
