"""What offloading takes of the host, by hand: 7e9 parameters, two FP32 moments and a master copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures.training.states import offload as o
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

EIGHT = "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}"
HELD = {"whole_optimizer_state_bytes": 56e9, "whole_master_weight_bytes": 28e9, "optimizer_shards": 8.0}
MASTER = {
    "whole_master_weight_bytes": 28e9,
    "optimizer_shards": 8.0,
    "optimizer_offloaded": 1.0,
    "optimizer_on_nvme": 0.0,
}
MOMENTS = {"whole_optimizer_state_bytes": 56e9, "optimizer_shards": 8.0, "optimizer_off_device": 1.0}
KEPT = {"optimizer_on_nvme": 0.0, "full_sub_groups": 8.0, "fsdp_offload": 0.0, "hosted_gradient_bytes": 0.0}
FSDP = KEPT | {"fsdp_offload": 1.0, "hosted_gradient_bytes": 5e9}
WEIGHTS = {"model_weight_bytes": 14e9, "rank_share": 0.5, "parameter_shards": 8.0, "parameters_offloaded": 1.0}
BUFFERED = {"hosted_shard_bytes": 875e6, "fsdp_offload": 0.0, "rounded_shard_bytes": 0.0}
TRUTHS = [
    truth(o.pins_host_buffers, 1, pins_offload=1, pin_memory=1, fsdp_offload=0),
    truth(o.pins_host_buffers, 0, pins_offload=1, pin_memory=1, fsdp_offload=1),
    truth(o.pins_host_buffers, 0, pins_offload=1, pin_memory=0, fsdp_offload=0),
    truth(o.has_sub_groups, 1, shards_parameters=0, parameters_offloaded=1, optimizer_on_nvme=0),
    truth(o.has_sub_groups, 0, shards_parameters=0, parameters_offloaded=0, optimizer_on_nvme=0),
    truth(o.full_sub_groups, 8, hosted_parameters=8.8e9, has_sub_groups=1),
    truth(o.full_sub_groups, 0, hosted_parameters=8.8e9, has_sub_groups=0),
    truth(o.host_master_bytes, 3.5e9, pins_host_buffers=1, has_sub_groups=1, **MASTER),
    truth(o.host_master_bytes, 2**32, pins_host_buffers=1, has_sub_groups=0, **MASTER),
    truth(o.host_master_bytes, 3.5e9, pins_host_buffers=0, has_sub_groups=0, **MASTER),
    truth(o.host_optimizer_bytes, 10.5e9, host_master_bytes=3.5e9, optimizer_on_nvme=0, **MOMENTS),
    truth(o.host_optimizer_bytes, 0, host_master_bytes=0, optimizer_on_nvme=1, **MOMENTS),
    truth(o.offloaded_state_bytes, 10.5e9, optimizer_offloaded=1, **HELD),
    truth(o.offloaded_state_bytes, 0, optimizer_offloaded=0, **HELD),
    truth(o.last_sub_group_bytes, 3.2e9, hosted_parameters=8.8e9, full_sub_groups=8),
    truth(o.last_buffer_bytes, 2**32, last_sub_group_bytes=3.2e9, pins_host_buffers=1),
    truth(o.last_buffer_bytes, 3.2e9, last_sub_group_bytes=3.2e9, pins_host_buffers=0),
    truth(o.host_gradient_bytes, 9 * 2**32, last_buffer_bytes=2**32, pins_host_buffers=1, **KEPT),
    truth(o.host_gradient_bytes, 35.2e9, last_buffer_bytes=3.2e9, pins_host_buffers=0, **KEPT),
    truth(o.host_gradient_bytes, 5e9, last_buffer_bytes=3.2e9, pins_host_buffers=0, **FSDP),
    truth(o.host_gradient_bytes, 0, last_buffer_bytes=2**32, pins_host_buffers=1, **(KEPT | {"optimizer_on_nvme": 1})),
    truth(o.host_copy_bytes, 1.75e9, hosted_parameters=875e6, offload_buffer_bytes=2, fsdp_offload=0),
    truth(o.host_copy_bytes, 0, hosted_parameters=875e6, offload_buffer_bytes=2, fsdp_offload=1),
    truth(o.host_buffer_bytes, 2**31, host_copy_bytes=1.75e9, pins_host_buffers=1),
    truth(o.host_buffer_bytes, 0, host_copy_bytes=0, pins_host_buffers=1),
    truth(o.host_swap_bytes, 5 * 4e9, hosted_parameters=2e9, optimizer_on_nvme=1),
    truth(o.host_swap_bytes, 0, hosted_parameters=2e9, optimizer_on_nvme=0),
    truth(o.hosted_shard_bytes, 14e9 / 2 / 8, parameters_on_nvme=0, **WEIGHTS),
    truth(o.hosted_shard_bytes, 0, parameters_on_nvme=1, **WEIGHTS),
    truth(o.host_parameter_bytes, 875e6, pins_offload=0, **BUFFERED),
    truth(o.host_parameter_bytes, 2**30, pins_offload=1, **BUFFERED),
    truth(
        o.host_parameter_bytes, 876e6, pins_offload=1, **(BUFFERED | {"fsdp_offload": 1, "rounded_shard_bytes": 1e6})
    ),
    truth(
        o.offloaded_host_bytes,
        21,
        host_swap_bytes=6,
        host_optimizer_bytes=1,
        host_gradient_bytes=2,
        host_buffer_bytes=5,
        host_parameter_bytes=3,
        offloaded_activation_bytes=4,
    ),
    truth(o.host_bytes_per_node, 8 * (10 + 2.5 * 2**30), offloaded_host_bytes=10, accelerators_per_node=8),
    truth(o.host_bytes_per_node, 0, offloaded_host_bytes=0, accelerators_per_node=8),
    truth(o.host_headroom_bytes, -1, node_memory_bytes=2, host_bytes_per_node=3),
    truth(
        o.nvme_bytes_per_node,
        8 * (10.5e9 + 14e9 / 2 / 8),
        offloaded_state_bytes=10.5e9,
        optimizer_on_nvme=1,
        model_weight_bytes=14e9,
        rank_share=0.5,
        parameter_shards=8,
        parameters_on_nvme=1,
        accelerators_per_node=8,
    ),
    truth(o.nvme_headroom_bytes, 1, nvme_bytes=4, nvme_bytes_per_node=3),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(o)}


PROCESS = 2.5 * 2**30


def test_offloading_moves_states_to_the_host_and_adds_gradients_in_fp32_and_16_bit_there(tmp_path: Path) -> None:
    """8e9 parameters on 8 GPUs, ZeRO-3: a sub-group of each GPU, whose pinned buffers are 2^32 and 2^31 bytes."""
    training = "{zero_stage: 3, optimizer_offload: cpu}"
    computed = run(tmp_path, scenario_text(hardware=EIGHT, overrides="{parameters: 8e9}", training=training))
    assert value(computed, "optimizer_state_bytes") + value(computed, "master_weight_bytes") == 0
    host = 8 * (1e9 * (8 + 4) + 2**32 + 2**31 + PROCESS)
    assert value(computed, "host_bytes_per_node") == host
    assert value(computed, "host_headroom_bytes") == 2048 * 2**30 - host
    assert value(computed, "nvme_bytes_per_node") == 0


def test_without_pinning_a_parameter_takes_18_bytes_of_the_host(tmp_path: Path) -> None:
    training = "{zero_stage: 3, optimizer_offload: cpu, pin_memory: false}"
    computed = run(tmp_path, scenario_text(hardware=EIGHT, overrides="{parameters: 8e9}", training=training))
    assert value(computed, "host_bytes_per_node") == 8e9 * 18 + 8 * PROCESS


def test_offloading_to_disk_leaves_the_host_16_bit_gradients_and_what_states_go_through(tmp_path: Path) -> None:
    training = "{zero_stage: 3, optimizer_offload: nvme, parameter_offload: nvme}"
    computed = run(tmp_path, scenario_text(hardware=EIGHT, overrides="{parameters: 8e9}", training=training))
    assert value(computed, "weight_bytes") == 0
    assert value(computed, "host_bytes_per_node") == 8 * (2**31 + 5 * 4e9 + PROCESS)
    assert value(computed, "nvme_bytes_per_node") == 8e9 * (8 + 4 + 2)


@pytest.mark.parametrize(("model", "parameters", "resident"), [
    ("llama-3.2-1b", 1.236e9, 31.7), ("qwen2.5-0.5b", 0.494e9, 11.2),
])  # fmt: skip
def test_resident_memory_of_steps_on_an_h200(tmp_path: Path, model: str, parameters: float, resident: float) -> None:
    """DeepSpeed 0.19, ZeRO-2 on one GPU; the process itself is fitted on these two readings, the buffers are not."""
    training = "{framework: deepspeed, zero_stage: 2, optimizer_offload: cpu}"
    computed = run(tmp_path, scenario_text(model=model, training=training))
    assert value(computed, "parameters") == pytest.approx(parameters, rel=1e-3)
    assert value(computed, "host_bytes_per_node") / 2**30 == pytest.approx(resident, rel=0.01)


@pytest.mark.parametrize(("disk", "fits"), [("13 TB", 1), ("1 TB", 0)])
def test_states_on_a_disk_that_is_too_small_do_not_fit(tmp_path: Path, disk: str, fits: float) -> None:
    blocks = {"model": "llama-3-8b", "hardware": EIGHT, "overrides": f"{{nvme_bytes: {disk}, parameters: 100e9}}"}
    training = "{zero_stage: 3, optimizer_offload: nvme, parameter_offload: nvme, gradient_checkpointing: full}"
    computed = run(tmp_path, scenario_text(training=training, **blocks))
    assert value(computed, "headroom_bytes") > 0
    assert value(computed, "fits") == fits
