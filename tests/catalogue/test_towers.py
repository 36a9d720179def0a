"""Towers beside the language model of a `config.json`, counted to the last parameter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.huggingface.card import imported
from tests.catalogue.test_huggingface import LLAMA, changed
from tests.support import ROOT, run, scenario_text, value

TEXT_4B: dict[str, Any] = {
    "model_type": "gemma3_text", "hidden_size": 2560, "num_hidden_layers": 34, "num_attention_heads": 8,
    "num_key_value_heads": 4, "head_dim": 256, "intermediate_size": 10240, "vocab_size": 262208, "sliding_window": 1024,
    "max_position_embeddings": 131072,
}  # fmt: skip


TEXT_7B = {
    "hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
    "intermediate_size": 18944, "vocab_size": 152064, "max_position_embeddings": 32768, "tie_word_embeddings": False,
}  # fmt: skip


CLIP = {"model_type": "clip_vision_model", "hidden_size": 1024, "image_size": 336, "patch_size": 14} | {
    "intermediate_size": 4096, "num_hidden_layers": 24,
}  # fmt: skip


SIGLIP = {"model_type": "siglip_vision_model", "hidden_size": 1152, "image_size": 896, "patch_size": 14} | {
    "intermediate_size": 4304, "num_hidden_layers": 27, "vision_use_head": False,
}  # fmt: skip


QWEN2_TOWER = {"depth": 32, "embed_dim": 1280, "hidden_size": 3584, "patch_size": 14, "mlp_ratio": 4}


QWEN25_TOWER = {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "patch_size": 14}


LLAVA_TEXT = {"num_key_value_heads": 32, "intermediate_size": 11008, "vocab_size": 32064}


WITH_TOWERS: dict[str, tuple[dict[str, Any], int]] = {
    "LLaVA 1.5 7B": (
        {"model_type": "llava", "text_config": changed(**LLAVA_TEXT), "vision_config": CLIP},
        7_063_427_072,
    ),
    "Gemma 3 4B": ({"model_type": "gemma3", "text_config": TEXT_4B, "vision_config": SIGLIP}, 4_300_079_472),
    "Qwen2-VL 7B": ({"model_type": "qwen2_vl", "vision_config": QWEN2_TOWER, **TEXT_7B}, 8_291_375_616),
    "Qwen2.5-VL 7B": ({"model_type": "qwen2_5_vl", "vision_config": QWEN25_TOWER, **TEXT_7B}, 8_292_166_656),
}


DEFAULTS: dict[str, Any] = json.loads((ROOT / "tests/data/towers.json").read_text(encoding="utf-8"))
WITH_TOWERS |= {name: (one["config"], one["parameters"]) for name, one in DEFAULTS.items()}


@pytest.mark.parametrize("name", WITH_TOWERS)
def test_towers_are_counted_to_the_last_parameter(tmp_path: Path, name: str) -> None:
    """The totals that transformers 5.23 builds on the meta device, which are those of the published weights."""
    config, published = WITH_TOWERS[name]
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    computed = run(tmp_path, scenario_text(model="config.json", training="{sequence_length: 512}"))
    assert value(computed, "parameters") == published
    assert any("extra_parameters" in note for note in imported(config, "config.json").notes)


def test_a_tower_of_another_kind_is_said_not_to_be_counted() -> None:
    config = {"model_type": "gemma3", "text_config": LLAMA, "vision_config": CLIP}
    model = imported(config, "config.json")
    assert "extra_parameters" not in model.fields
    assert any(note.startswith("Only the language model") for note in model.notes)
