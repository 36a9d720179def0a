"""What FSDP's own offloading keeps on the host, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures.training.states import sharded_offload as o
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

EIGHT = "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}"
STATED = {"offloads_by_fsdp": 1, "shards_parameters": 1, "optimizer_on_nvme": 0, "parameters_on_nvme": 0}
CUT = {"trains_base": 1, "tensor_parallel_size": 2, "state_group_size": 4}
MLP = {"mlp_matrices": 3, "hidden_size": 4}
PARTS = {
    "rounded_layer_bytes": 100,
    "rounded_mlp_bytes": 3,
    "rounded_expert_bytes": 3,
    "rounded_edge_bytes": 4,
    "pipeline_parallel_size": 2,
}
TRUTHS = [
    truth(o.fsdp_offload, 1, optimizer_offloaded=1, parameters_offloaded=1, **STATED),
    truth(o.fsdp_offload, 0, optimizer_offloaded=1, parameters_offloaded=0, **STATED),
    truth(o.fsdp_offload, 0, optimizer_offloaded=1, parameters_offloaded=1, **(STATED | {"optimizer_on_nvme": 1})),
    truth(o.hosted_matrix_bytes_each, 0.5, master_element_bytes=4, matrix_element_bytes=2, **CUT),
    truth(o.hosted_matrix_bytes_each, 0.25, master_element_bytes=0, matrix_element_bytes=2, **CUT),
    truth(o.rounded_mlp_bytes, 6 * (32 - 24), dense_layers=2, intermediate_size=6, hosted_matrix_bytes_each=1, **MLP),
    truth(o.expert_shard_bytes, 48, num_local_experts=2, moe_intermediate_size=6, hidden_size=4,
          hosted_matrix_bytes_each=1),
    truth(o.rounded_expert_bytes, 2 * 3 * (64 - 48), mixture_layers=2, mlp_matrices=3, expert_shard_bytes=48),
    truth(o.rounded_expert_bytes, 0, mixture_layers=0, mlp_matrices=3, expert_shard_bytes=0),
    truth(o.rounded_edge_bytes, 2 * (128 - 100), embedding_parameters=50, has_own_head=1, hosted_matrix_bytes_each=2),
    truth(
        o.rounded_layer_bytes, 2 * (128 - 100), num_hidden_layers=2, mean_layer_parameters=25,
        hosted_matrix_bytes_each=4,
    ),
    truth(o.rounded_shard_bytes, 5, fsdp_offload=1, pin_memory=1, flat_units=0, **PARTS),
    truth(o.rounded_shard_bytes, 0, fsdp_offload=1, pin_memory=0, flat_units=0, **PARTS),
    truth(o.rounded_shard_bytes, 50, fsdp_offload=1, pin_memory=0, flat_units=1, **PARTS),
    truth(o.hosted_gradient_bytes, 23, fsdp_offload=1, whole_gradient_bytes=80, gradient_shards=4, trains_base=1,
          rounded_shard_bytes=3),
    truth(o.hosted_gradient_bytes, 20, fsdp_offload=1, whole_gradient_bytes=80, gradient_shards=4, trains_base=0,
          rounded_shard_bytes=3),
]  # fmt: skip


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(o)}


def held(folder: Path, training: str, model: str = "llama-2-7b") -> float:
    """Host memory of a node with eight GPUs beside its processes."""
    stated = f"{{zero_stage: 3, optimizer_offload: cpu, parameter_offload: cpu, {training}}}"
    return value(run(folder, scenario_text(model=model, hardware=EIGHT, training=stated)), "offloaded_host_bytes") * 8


@pytest.mark.parametrize(("precision", "bytes_each"), [("bf16-mixed", 16), ("bf16-autocast", 16), ("bf16-pure", 8)])
@pytest.mark.parametrize("framework", ["huggingface", "torchtitan", "torchtune"])
def test_a_parameter_takes_of_the_host_what_it_would_take_of_the_gpu(
    tmp_path: Path, framework: str, precision: str, bytes_each: int
) -> None:
    """Unpinned: weight, gradient and two moments in the parameters' type, which is FP32 where a master copy is."""
    training = f"framework: {framework}, precision: {precision}, pin_memory: false"
    assert held(tmp_path, training) == pytest.approx(bytes_each * 6738415616, rel=1e-12)


def test_pinned_shards_and_gradients_are_rounded_up_each(tmp_path: Path) -> None:
    """Llama 2 7B in FP32 over 8: MLPs of 11008 x 4096 are 21.5 MiB each, 32 pinned; edges 62.5, 64 pinned."""
    added = held(tmp_path, "precision: bf16-autocast") - held(tmp_path, "precision: bf16-autocast, pin_memory: false")
    assert added == 8 * 2 * (32 * 3 * (32 - 21.5) + 2 * (64 - 62.5)) * 2**20


def test_optimizer_states_alone_are_moved_by_deepspeed(tmp_path: Path) -> None:
    stated = "{zero_stage: 3, optimizer_offload: cpu, pin_memory: false}"
    computed = run(tmp_path, scenario_text(hardware=EIGHT, training=stated))
    assert value(computed, "fsdp_offload") == 0
    assert value(computed, "offloaded_host_bytes") * 8 == pytest.approx(18 * 6738415616, rel=1e-12)


def test_gradients_of_accumulated_micro_batches_wait_whole_on_the_gpu(tmp_path: Path) -> None:
    """The trainer enters `no_sync` under FSDP, with offloading too, unless each micro-batch is to be reduced."""
    stated = "zero_stage: 3, optimizer_offload: cpu, parameter_offload: cpu, gradient_accumulation_steps: 4"
    whole, each = (
        run(tmp_path, scenario_text(hardware=EIGHT, training=f"{{{stated}{more}}}"))
        for more in ("", ", sync_each_batch: true")
    )
    assert value(whole, "unreduced_gradient_bytes") == 2 * 6738415616
    assert value(each, "unreduced_gradient_bytes") == 0
