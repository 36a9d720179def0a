from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures import transfer
from memreport.formula.printing import to_excel

Values = Callable[..., dict[str, float]]
RATES = {
    "memory_bytes_per_second": 2e12,
    "link_bytes_per_second": 300e9,
    "host_link_bytes_per_second": 32e9,
    "host_memory_bytes_per_second": 200e9,
    "nvme_bytes_per_second": 25e9,
    "network_bytes_per_second": 25e9,
    "cards_per_node": 8,
}
JOB = {
    **RATES,
    "accelerators": 8,
    "sharding_size": 8,
    "whole_gradient_bytes": 14e9,
    "rank_trainable_parameters": 7e9,
    "trained_gradient_element_bytes": 2,
    "weight_element_bytes": 2,
    "activation_element_bytes": 2,
    "model_weight_bytes": 14e9,
    "rank_share": 1,
    "shards_optimizer": 0,
    "shards_parameters": 0,
    "optimizer_shards": 1,
    "parameter_shards": 1,
    "gradient_accumulation_steps": 1,
    "tensor_parallel_size": 1,
    "pipeline_parallel_size": 1,
    "expert_parallel_size": 1,
    "layers_per_stage": 32,
    "stage_share": 1,
    "mixture_layers": 0,
    "num_experts_per_tok": 0,
    "rank_tokens_per_step": 8192,
    "hidden_size": 4096,
    "recompute_share": 0,
    "optimizer_offloaded": 0,
    "parameters_offloaded": 0,
    "host_optimizer_bytes": 0,
    "accelerators_per_node": 8,
}


@pytest.fixture
def moved(evaluate: Values) -> Values:
    def values(**changed: float) -> dict[str, float]:
        return evaluate([*transfer.FIGURES, *transfer.TRAINING_FIGURES], {**JOB, **changed})

    return values


def test_times_and_slowdowns_of_14_gb(moved: Values) -> None:
    values = moved(transfer_bytes=14e9)
    assert values["memory_seconds"] == 7e-3
    assert values["host_link_seconds"] == 0.4375
    assert values["nvme_seconds"] == 0.56
    assert values["host_link_slowdown"] == 62.5
    assert values["link_slowdown"] == pytest.approx(6.6667, abs=1e-4)
    assert values["host_memory_slowdown"] == 10


@pytest.mark.parametrize(
    ("stage", "volume"), [(0, 28e9), (1, 28e9), (3, 42e9)], ids=["data parallel", "ZeRO-1", "ZeRO-3"]
)
def test_data_parallel_volume_of_7b(moved: Values, stage: int, volume: float) -> None:
    values = moved(shards_optimizer=stage > 0, shards_parameters=stage > 2)
    assert values["data_parallel_volume_bytes"] == volume
    assert values["data_parallel_bytes"] == volume * 7 / 8


def test_zero_3_gathers_for_every_micro_batch(moved: Values) -> None:
    values = moved(shards_optimizer=1, shards_parameters=1, gradient_accumulation_steps=4)
    assert values["data_parallel_volume_bytes"] == 14e9 + 2 * 4 * 14e9


def test_one_accelerator_sends_nothing(moved: Values) -> None:
    assert moved(accelerators=1, sharding_size=1)["communication_seconds"] == 0


def test_tensor_parallel_all_reduces(moved: Values) -> None:
    hidden = 8192 * 4096 * 2
    assert moved(tensor_parallel_size=8)["tensor_parallel_bytes"] == 32 * 4 * 2 * hidden * 7 / 8
    assert moved(tensor_parallel_size=8, recompute_share=1)["tensor_parallel_bytes"] == 32 * 6 * 2 * hidden * 7 / 8


def test_pipeline_and_experts(moved: Values) -> None:
    hidden = 8192 * 4096 * 2
    values = moved(pipeline_parallel_size=4, expert_parallel_size=8, mixture_layers=32, num_experts_per_tok=2)
    assert values["pipeline_parallel_bytes"] == 2 * hidden
    assert values["expert_parallel_bytes"] == 7 / 8 * 2 * 2 * 32 * 2 * hidden


def test_the_network_counts_from_the_second_node_on(moved: Values) -> None:
    assert moved()["group_bytes_per_second"] == 300e9
    assert moved(accelerators=16)["group_bytes_per_second"] == 25e9


def test_offloading_the_optimizer(moved: Values) -> None:
    values = moved(optimizer_offloaded=1, optimizer_shards=8, host_optimizer_bytes=10.5e9)
    assert values["optimizer_offload_bytes"] == 3.5e9
    assert values["optimizer_offload_seconds"] == 3.5e9 / 32e9
    assert values["host_optimizer_seconds"] == 2 * 10.5e9 * 8 / 200e9
    assert values["offload_seconds"] == values["host_optimizer_seconds"]


def test_offloading_the_parameters(moved: Values) -> None:
    values = moved(parameters_offloaded=1, parameter_shards=8, gradient_accumulation_steps=2)
    assert values["parameter_offload_bytes"] == 2 * 2 * 14e9 / 8
    assert values["offload_seconds"] == 7e9 / 32e9


def test_formulas_as_excel_shows_them() -> None:
    assert to_excel(transfer.data_parallel_bytes.expression) == "data_parallel_volume_bytes*(1-1/sharding_size)"
