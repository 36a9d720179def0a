"""Towers for images: what a layer is predicted to keep of an image against what torch saves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.saved_tensors.test_counts import data, flow
from tests.support import run, scenario_text, value

COUNTED = data("towers.yaml")["counts"]
TOLERANCE = 0.005
"""Sums of attention's softmax, a number for each head, and a class token are not predicted."""
PATCHES = {"clip_vision_model": 257, "internvl_vision": 257}
IMAGE = {"sequence_length": 128, "images_per_sequence": 1, "image_pixels": 16**2 * 14**2, "lora_rank": 16} | {
    "target_modules": "all-linear"
}
SIZES: dict[str, Any] = {"hidden_size": 512, "num_hidden_layers": 2, "num_attention_heads": 8, "head_dim": 64} | {
    "num_key_value_heads": 8, "intermediate_size": 1408, "vocab_size": 2000, "max_position_embeddings": 4096,
}  # fmt: skip
WHOLES = {
    "clip_vision_model": ("llava", "llama"),
    "siglip_vision_model": ("gemma3", "gemma3_text"),
    "internvl_vision": ("internvl", "qwen2"),
    "pixtral": ("mistral3", "mistral"),
    "qwen2_5_vl_vision": ("qwen2_5_vl", "qwen2_5_vl_text"),
    "qwen3_vl_vision": ("qwen3_vl", "qwen3_vl_text"),
}
"""A model that has the tower, and its language model."""


def config_of(tower: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration with the tower."""
    whole, text = WHOLES[tower["model_type"]]
    return {"model_type": whole, "text_config": SIZES | {"model_type": text}, "vision_config": dict(tower)}


@pytest.mark.parametrize("one", COUNTED, ids=lambda one: one["vision_config"]["model_type"])
def test_saved_tensors_of_towers_are_predicted(tmp_path: Path, one: Mapping[str, Any]) -> None:
    tower, cases = one["vision_config"], one["cases"]
    (tmp_path / "config.json").write_text(json.dumps(config_of(tower)), encoding="utf-8")
    given = [{f"training.{name}": said for name, said in case.items() if name != "layer"} for case in cases]
    variants = flow({f"case {at}": case for at, case in enumerate(given)})
    computed = run(tmp_path, scenario_text(model="config.json", training=flow(IMAGE), variants=variants))
    seen = PATCHES.get(tower["model_type"], 256)
    found = [value(computed, "tower_layer_bytes", at) * seen for at in range(len(cases))]
    assert found == pytest.approx([case["layer"] for case in cases], rel=TOLERANCE)


def test_checkpoints_keep_inputs_of_a_frozen_tower_that_is_asked_for_a_gradient(tmp_path: Path) -> None:
    """Three layers of 256 patches: 2 bytes of 512 numbers."""
    tower = next(one["vision_config"] for one in COUNTED if one["vision_config"]["model_type"] == "siglip_vision_model")
    (tmp_path / "config.json").write_text(json.dumps(config_of(tower)), encoding="utf-8")
    job = flow(IMAGE | {"method": "lora", "precision": "bf16-pure", "freezes_towers": True})
    variants = flow({name: {"training.gradient_checkpointing": name} for name in ("none", "full")})
    computed = run(tmp_path, scenario_text(model="config.json", training=job, variants=variants))
    assert [value(computed, "tower_activation_bytes", at) for at in (0, 1)] == [0, 3 * 256 * 512 * 2]
