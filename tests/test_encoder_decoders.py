"""Encoders beside decoders: what they count and save, and where they are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memreport.compute import Computed
from tests.support import run, scenario_text, value

T5 = {"model_type": "t5", "d_model": 512, "d_kv": 64, "d_ff": 2048, "num_heads": 8, "num_layers": 3, "vocab_size": 2000}
GATED = {**T5, "d_ff": 1408, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
BART = {
    "model_type": "bart", "d_model": 512, "encoder_layers": 3, "decoder_layers": 3, "encoder_ffn_dim": 2048,
    "decoder_ffn_dim": 2048, "encoder_attention_heads": 8, "decoder_attention_heads": 8, "vocab_size": 2000,
    "max_position_embeddings": 1024,
}  # fmt: skip


def job(folder: Path, config: dict[str, Any], **blocks: str) -> Computed:
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return run(folder, scenario_text(model="./config.json", **blocks))


@pytest.mark.parametrize(("config", "saved"), [(T5, 43_011_072), (GATED, 66_997_248), (BART, 35_674_112)])
def test_tensors_saved_by_both_halves(tmp_path: Path, config: dict[str, Any], saved: int) -> None:
    """Two sequences of 128 tokens in either half, with eager attention: transformers 5.23 on torch 2.13, counted."""
    training = "{precision: bf16-pure, micro_batch_size: 2, sequence_length: 128, attention: eager}"
    found = job(tmp_path, config, training=training)
    assert value(found, "whole_stored_activation_bytes") == pytest.approx(saved, rel=0.07)
    assert any("is taken for encoder and decoder alike" in said.message for said in found.resolved.warnings)


@pytest.mark.parametrize(
    ("sizes", "published"),
    [
        ({"d_model": 2048, "d_ff": 5120, "num_heads": 32, "num_layers": 24}, 2_849_757_184),  # t5-v1_1-xl
        ({"d_model": 4096, "d_ff": 10_240, "num_heads": 64, "num_layers": 24}, 11_135_332_352),  # flan-t5-xxl
    ],
)
def test_t5_with_a_head_of_its_own(tmp_path: Path, sizes: dict[str, int], published: int) -> None:
    found = job(tmp_path, {**GATED, **sizes, "vocab_size": 32_128})
    assert value(found, "parameters") == published


def test_vllm_serves_none_of_text(tmp_path: Path) -> None:
    said = [warning.message for warning in job(tmp_path, T5, workload="serving").resolved.warnings]
    assert any("vLLM serves those of sound" in message for message in said)
