"""What offloading takes of the host, by hand: 7e9 parameters, two FP32 moments and a master copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures.training.states import offload as o
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

EIGHT = "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}"
HELD = {"whole_optimizer_state_bytes": 56e9, "whole_master_weight_bytes": 28e9, "optimizer_shards": 8.0}
TRUTHS = [
    truth(o.host_optimizer_bytes, 10.5e9, optimizer_off_device=1, optimizer_offloaded=1, optimizer_on_nvme=0, **HELD),
    truth(o.host_optimizer_bytes, 7e9, optimizer_off_device=1, optimizer_offloaded=0, optimizer_on_nvme=0, **HELD),
    truth(o.host_optimizer_bytes, 0, optimizer_off_device=1, optimizer_offloaded=1, optimizer_on_nvme=1, **HELD),
    truth(o.offloaded_state_bytes, 10.5e9, optimizer_offloaded=1, **HELD),
    truth(o.offloaded_state_bytes, 0, optimizer_offloaded=0, **HELD),
    truth(o.host_gradient_bytes, 3.5e9, rank_trainable_parameters=7e9, optimizer_shards=8, optimizer_offloaded=1),
    truth(
        o.host_parameter_bytes,
        14e9 / 2 / 8,
        model_weight_bytes=14e9,
        rank_share=0.5,
        parameter_shards=8,
        parameters_offloaded=1,
        parameters_on_nvme=0,
    ),
    truth(
        o.host_bytes_per_node,
        8 * 10,
        host_optimizer_bytes=1,
        host_gradient_bytes=2,
        host_parameter_bytes=3,
        offloaded_activation_bytes=4,
        accelerators_per_node=8,
    ),
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


def test_offloading_moves_states_to_the_host_and_adds_fp32_gradients_there(tmp_path: Path) -> None:
    training = "{zero_stage: 3, optimizer_offload: cpu}"
    computed = run(tmp_path, scenario_text(hardware=EIGHT, overrides="{parameters: 8e9}", training=training))
    assert value(computed, "optimizer_state_bytes") + value(computed, "master_weight_bytes") == 0
    assert value(computed, "host_bytes_per_node") == 8e9 * (8 + 4 + 4)
    assert value(computed, "host_headroom_bytes") == 2048 * 2**30 - 8e9 * 16
    assert value(computed, "nvme_bytes_per_node") == 0


def test_offloading_to_disk_leaves_the_host_the_gradients(tmp_path: Path) -> None:
    training = "{zero_stage: 3, optimizer_offload: nvme, parameter_offload: nvme}"
    computed = run(tmp_path, scenario_text(hardware=EIGHT, overrides="{parameters: 8e9}", training=training))
    assert value(computed, "weight_bytes") == 0
    assert value(computed, "host_bytes_per_node") == 8e9 * 4
    assert value(computed, "nvme_bytes_per_node") == 8e9 * (8 + 4 + 2)


@pytest.mark.parametrize(("disk", "fits"), [("13 TB", 1), ("1 TB", 0)])
def test_states_on_a_disk_that_is_too_small_do_not_fit(tmp_path: Path, disk: str, fits: float) -> None:
    blocks = {"model": "llama-3-8b", "hardware": EIGHT, "overrides": f"{{nvme_bytes: {disk}, parameters: 100e9}}"}
    training = "{zero_stage: 3, optimizer_offload: nvme, parameter_offload: nvme, gradient_checkpointing: full}"
    computed = run(tmp_path, scenario_text(training=training, **blocks))
    assert value(computed, "headroom_bytes") > 0
    assert value(computed, "fits") == fits
