from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.traffic import transfer
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
RATES = {
    "memory_bytes_per_second": 2e12,
    "link_bytes_per_second": 300e9,
    "host_link_bytes_per_second": 32e9,
    "host_memory_bytes_per_second": 200e9,
    "nvme_bytes_per_second": 25e9,
}
JOB = {
    **RATES,
    "rank_trainable_parameters": 7e9,
    "trained_gradient_element_bytes": 2,
    "weight_element_bytes": 2,
    "model_weight_bytes": 14e9,
    "rank_share": 1,
    "optimizer_shards": 1,
    "parameter_shards": 1,
    "gradient_accumulation_steps": 1,
    "optimizer_offloaded": 0,
    "parameters_offloaded": 0,
    "offloaded_state_bytes": 0,
    "optimizer_on_nvme": 0,
    "parameters_on_nvme": 0,
    "offloaded_activation_bytes": 0,
    "accelerators_per_node": 8,
}


@pytest.fixture
def moved(evaluate: Values) -> Values:
    def values(**changed: float) -> dict[str, float]:
        return evaluate([*figures_in(transfer)], {**JOB, **changed})

    return values


def test_times_and_slowdowns_of_14_gb(moved: Values) -> None:
    values = moved(transfer_bytes=14e9)
    assert values["memory_seconds"] == 7e-3
    assert values["host_link_seconds"] == 0.4375
    assert values["nvme_seconds"] == 0.56
    assert values["host_link_slowdown"] == 62.5
    assert values["link_slowdown"] == pytest.approx(6.6667, abs=1e-4)
    assert values["host_memory_slowdown"] == 10


def test_offloading_the_optimizer(moved: Values) -> None:
    values = moved(optimizer_offloaded=1, optimizer_shards=8, offloaded_state_bytes=10.5e9)
    assert values["optimizer_offload_bytes"] == 3.5e9
    assert values["optimizer_offload_seconds"] == 3.5e9 / 32e9
    assert values["host_optimizer_seconds"] == 2 * 10.5e9 * 8 / 200e9
    assert values["host_link_traffic_seconds"] == values["optimizer_offload_seconds"]
    assert values["nvme_traffic_seconds"] == 0


def test_states_on_disks_are_read_and_written_once_a_step_and_pass_the_hosts_memory(moved: Values) -> None:
    values = moved(optimizer_offloaded=1, optimizer_on_nvme=1, optimizer_shards=8, offloaded_state_bytes=10.5e9)
    assert values["nvme_optimizer_seconds"] == 2 * 10.5e9 * 8 / 25e9
    assert values["host_optimizer_seconds"] == 2 * 10.5e9 * 8 / 200e9
    assert values["nvme_traffic_seconds"] == values["nvme_optimizer_seconds"]


def test_weights_on_disks_are_read_for_each_pass_and_written_once(moved: Values) -> None:
    shard, passes = 14e9 / 8, 2 * 2
    values = moved(parameters_offloaded=1, parameters_on_nvme=1, parameter_shards=8, gradient_accumulation_steps=2)
    assert values["nvme_parameter_seconds"] == shard * (passes + 1) * 8 / 25e9
    assert values["nvme_traffic_seconds"] == values["nvme_parameter_seconds"]


def test_offloading_activations(moved: Values) -> None:
    """There and back again for each of two micro-batches."""
    values = moved(offloaded_activation_bytes=8e9, gradient_accumulation_steps=2)
    assert values["activation_offload_bytes"] == 2 * 2 * 8e9
    assert values["host_link_traffic_seconds"] == values["activation_offload_seconds"] == 32e9 / 32e9


def test_offloading_the_parameters(moved: Values) -> None:
    values = moved(parameters_offloaded=1, parameter_shards=8, gradient_accumulation_steps=2)
    assert values["parameter_offload_bytes"] == 2 * 2 * 14e9 / 8
    assert values["parameter_offload_seconds"] == 7e9 / 32e9
