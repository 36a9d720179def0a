"""Choices of training jobs, each stated in a scenario, with what it changes computed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.compute import Computed
from tests.support import run, scenario_text, value

SIXTEEN = "{accelerator: h100-80gb-sxm, count: 16, host: dgx-h100}"


def job(folder: Path, training: str, model: str = "llama-3-8b", hardware: str = SIXTEEN) -> Computed:
    return run(folder, scenario_text(model=model, training=training, hardware=hardware))


def test_experts_whole_on_tensor_ranks(tmp_path: Path) -> None:
    """Mixtral 8x7B, TP 4, EP 8 over 16 cards: one expert of 3 x 4096 x 14336 in each of 32 layers, whole."""
    given = "framework: megatron, tensor_parallel_size: 4, zero_stage: 1, expert_parallel_size"
    cut = job(tmp_path, f"{{{given}: 4}}", "mixtral-8x7b")
    whole = job(tmp_path, f"{{{given}: 8, expert_tensor_parallel_size: 1}}", "mixtral-8x7b")
    expert = 3 * 4096 * 14336 * 32
    assert value(whole, "rank_expert_parameters") == expert
    assert value(cut, "rank_expert_parameters") == 2 * expert / 4
    rest = value(whole, "rank_parameters") - expert
    assert value(cut, "rank_parameters") - expert / 2 == pytest.approx(rest)
    # 8 x 1 of 16 cards hold one copy of the experts: their states are cut by 2, the others' by 4
    states = rest / 4 + expert / 2
    assert value(whole, "optimizer_state_bytes") == pytest.approx(8 * states)


def test_hybrid_shards_and_a_pipeline_of_fsdp(tmp_path: Path) -> None:
    """States are cut over 8 of 16; under a pipeline FSDP keeps whole FP32 gradients until the last micro-batch."""
    given = "zero_stage: 3, data_parallel_shard_degree: 8, precision: bf16-pure"
    hybrid = job(tmp_path, f"{{{given}}}")
    assert value(hybrid, "weight_bytes") == pytest.approx(2 * 8_030_261_248 / 8)
    piped = job(
        tmp_path,
        "{zero_stage: 3, pipeline_parallel_size: 2, gradient_accumulation_steps: 4, framework: litgpt,"
        " reduce_dtype: fp32}",
    )
    assert value(piped, "unreduced_gradient_bytes") == pytest.approx(4 * value(piped, "rank_parameters"))


def test_a_fixed_capacity_fills_the_experts(tmp_path: Path) -> None:
    """A factor of 1.5 gives 3 places a token where 2 are routed: half as much again inside the experts."""
    dropless = job(tmp_path, "{framework: megatron}", "mixtral-8x7b")
    filled = job(tmp_path, "{framework: megatron, moe_expert_capacity_factor: 1.5}", "mixtral-8x7b")
    for name in ("mlp_activation_bytes", "routing_activation_bytes"):
        assert value(filled, name) == pytest.approx(1.5 * value(dropless, name))
