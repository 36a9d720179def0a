"""Optimizers that a scenario may name, against what they keep, counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import value
from tests.test_training_words import LLAMA_2_7B, MATRICES, ONE, SIXTEEN, job

STATES = {
    "adamw-bf16": 2 * 2 * LLAMA_2_7B,
    "adamw-4bit-torchao": 2 * (0.5 + 4 / 128) * LLAMA_2_7B,
    # bitsandbytes under the Trainer leaves the embedding, 32,000 by 4096, in FP32
    "lion-8bit": (1 + 4 / 256) * LLAMA_2_7B + (3 - 4 / 256) * 32_000 * 4096,
    "rmsprop": 4 * LLAMA_2_7B,
    "adagrad": 4 * LLAMA_2_7B,
    "sgd": 0,
    "sgd-momentum": 4 * LLAMA_2_7B,
    "paged-adamw": 0,
    "lion": 4 * LLAMA_2_7B,
    "lion-32bit": 4 * LLAMA_2_7B,
    # rows and columns of four matrices of attention and three of the MLP
    "adafactor": 4 * 32 * (8 * 4096 + 3 * (4096 + 11_008)),
    "adamw-fp8-torchao": 2 * (1 + 4 / 256) * LLAMA_2_7B,
    "adamw-8bit-torchao": 2 * (1 + 4 / 256) * LLAMA_2_7B,
    "ademamix-8bit": 3 * ((1 + 4 / 256) * LLAMA_2_7B + (3 - 4 / 256) * 32_000 * 4096),
    "muon": 4 * (MATRICES + 2 * (LLAMA_2_7B - MATRICES)),
    # two moments of 128 by the longer side, a projection of 128 by the shorter one; AdamW for the rest
    "galore-adamw": 4 * 32 * 128 * (4 * (2 * 4096 + 4096) + 3 * (2 * 11_008 + 4096)) + 8 * (LLAMA_2_7B - MATRICES),
    # APOLLO keeps what GaLore does, its projection is random
    "apollo-adamw": 4 * 32 * 128 * (4 * (2 * 4096 + 4096) + 3 * (2 * 11_008 + 4096)) + 8 * (LLAMA_2_7B - MATRICES),
    "schedule_free_adamw": 8 * LLAMA_2_7B,
    "schedule_free_sgd": 4 * LLAMA_2_7B,
    "adamw-amsgrad": 12 * LLAMA_2_7B,
    # m everywhere, v for embedding, head and, of little weight, norms
    "adam-mini": 4 * LLAMA_2_7B + 4 * (LLAMA_2_7B - MATRICES),
    # a moment, and rows and columns of two statistics
    "came": 4 * LLAMA_2_7B + 2 * 4 * 32 * (8 * 4096 + 3 * (4096 + 11_008)),
    "sophia": 8 * LLAMA_2_7B,
    "lamb": 8 * LLAMA_2_7B,
    "adan": 16 * LLAMA_2_7B,
    "prodigy": 16 * LLAMA_2_7B,
    "grokadamw": 12 * LLAMA_2_7B,
    "mars": 12 * LLAMA_2_7B,
    # two moments; L, R and their eigenvectors of sides up to 10,000
    "soap": 8 * LLAMA_2_7B + 4 * 32 * 2 * (8 * 4096**2 + 3 * 4096**2),
    "shampoo": 8 * LLAMA_2_7B + 4 * 32 * 2 * (8 * 4096**2 + 3 * 4096**2),
}


@pytest.mark.parametrize("optimizer", STATES)
def test_states_of_optimizers(tmp_path: Path, optimizer: str) -> None:
    """Bytes by hand for Llama 2 7B with FP32 moments where the optimizer has no width of its own."""
    found = job(tmp_path, f"{{optimizer: {optimizer}}}", "llama-2-7b", ONE)
    assert value(found, "optimizer_state_bytes") == pytest.approx(STATES[optimizer])


def test_moments_of_low_rank_of_experts(tmp_path: Path) -> None:
    """Mixtral 8x7B: 32 layers of q and o (4096 by 4096), k and v (4096 by 1024), three matrices of eight experts."""
    found = job(tmp_path, "{optimizer: galore-adamw, galore_rank: 4}", "mixtral-8x7b", ONE)
    attention, experts = 2 * 3 * 4096 + 2 * (2 * 4096 + 1024), 8 * 3 * (2 * 14_336 + 4096)
    rest = 46_702_792_704 - 32 * (2 * 4096**2 + 2 * 4096 * 1024 + 8 * 3 * 4096 * 14_336)
    assert value(found, "optimizer_state_bytes") == pytest.approx(4 * 32 * 4 * (attention + experts) + 8 * rest)


def test_an_optimizer_in_the_backward_pass_keeps_one_gradient(tmp_path: Path) -> None:
    """The largest is the head's, 32,000 by 4096 in 2 bytes, and no step follows that would need temporaries."""
    given = "{optimizer_in_backward: true, optimizer_implementation: foreach, precision: bf16-pure}"
    found = job(tmp_path, given, "llama-2-7b", ONE)
    assert value(found, "gradient_bytes") == pytest.approx(2 * 32_000 * 4096)
    assert value(found, "optimizer_step_bytes") == 0


def test_a_step_tensor_by_tensor_takes_two_of_the_largest(tmp_path: Path) -> None:
    """FP32 copies of Llama 2 7B's embedding, 32,000 by 4096, twice."""
    found = job(tmp_path, "{optimizer_implementation: for-loop}", "llama-2-7b", ONE)
    assert value(found, "optimizer_step_bytes") == pytest.approx(2 * 4 * 32_000 * 4096)


@pytest.mark.parametrize(
    ("precision", "shards", "each"),
    [("fp16-mixed", 1, 20), ("bf16-mixed-fp32-gradients", 1, 18), ("fp16-mixed", 16, 4 + 16 / 16), ("fp32", 1, 16)],
)
def test_states_of_megatron_by_its_own_table(tmp_path: Path, precision: str, shards: int, each: float) -> None:
    """Bytes a parameter, a distributed optimizer over 16 GPUs or none; FP16 gradients become FP32 in the step."""
    given = f"{{framework: megatron, precision: {precision}, zero_stage: {int(shards > 1)}}}"
    found = job(tmp_path, given, "llama-2-7b", SIXTEEN)
    names = ("weight_bytes", "gradient_bytes", "master_weight_bytes", "optimizer_state_bytes", "optimizer_step_bytes")
    assert sum(value(found, name) for name in names) == pytest.approx(each * LLAMA_2_7B, rel=1e-6)
