"""How a job is cut, by hand: 32 cards as 4 tensor x 2 pipeline x 2 context x 2 data."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures.model import parallelism as p
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

COPIES = {"router_parameters": 9, "expert_stage_share": 0.5} | {
    "replicated_matrix_parameters": 0, "replicated_bias_parameters": 0, "held_position_parameters": 0,
}  # fmt: skip
POSITIONS = {"embedding_parameters": 50_257 * 12_288, "position_parameters": 2048 * 12_288}
LATENTS = {"attention_layers": 2, "hidden_size": 100, "qk_rope_head_dim": 3} | {
    "indexer_matrix_parameters": 70, "num_shared_indexer_layers": 1, "stage_share": 0.5,
}  # fmt: skip
CUT = {"stage_parameters": 42, "replicated_parameters": 2, "tensor_parallel_size": 4}
TWO_NODES = {"sharding_size": 16, "accelerators_per_node": 8, "tensor_parallel_size": 2}
TRUTHS = [
    truth(p.accelerators, 32, count=32),
    truth(p.accelerators_per_node, 8, accelerators=32, per_node=0, host_accelerators=8),
    truth(p.accelerators_per_node, 4, accelerators=32, per_node=4, host_accelerators=8),
    truth(p.accelerators_per_node, 2, accelerators=2, per_node=0, host_accelerators=8),
    truth(
        p.accelerators_per_domain,
        72,
        accelerators=144,
        accelerators_per_node=4,
        link_domain=0,
        link_domain_accelerators=72,
    ),
    truth(
        p.accelerators_per_domain,
        36,
        accelerators=144,
        accelerators_per_node=4,
        link_domain=36,
        link_domain_accelerators=72,
    ),
    truth(
        p.accelerators_per_domain,
        16,
        accelerators=16,
        accelerators_per_node=4,
        link_domain=0,
        link_domain_accelerators=72,
    ),
    truth(
        p.accelerators_per_domain,
        8,
        accelerators=32,
        accelerators_per_node=8,
        link_domain=0,
        link_domain_accelerators=0,
    ),
    truth(p.model_parallel_size, 8, tensor_parallel_size=4, pipeline_parallel_size=2),
    truth(p.sharding_size, 4, accelerators=32, model_parallel_size=8),
    truth(p.data_parallel_size, 2, sharding_size=4, context_parallel_size=2),
    truth(p.layers_per_stage, 16, num_hidden_layers=32, pipeline_parallel_size=2),
    truth(p.layers_per_stage, 17, num_hidden_layers=33, pipeline_parallel_size=2),
    truth(p.stage_share, 17 / 33, layers_per_stage=17, num_hidden_layers=33),
    truth(p.inner_parameters, 70, parameters=100, embedding_parameters=12, position_parameters=3, head_parameters=15),
    truth(
        p.edge_parameters,
        30,
        pipeline_parallel_size=1,
        embedding_parameters=12,
        position_parameters=3,
        head_parameters=15,
    ),
    truth(
        p.edge_parameters,
        16,
        pipeline_parallel_size=2,
        embedding_parameters=13,
        position_parameters=3,
        head_parameters=15,
    ),
    truth(p.expert_stage_share, 2 / 3, mixture_layers=3, layers_per_stage=2),
    truth(p.expert_stage_share, 1, mixture_layers=3, layers_per_stage=4),
    truth(p.expert_stage_share, 0, mixture_layers=0, layers_per_stage=4),
    truth(
        p.stage_parameters,
        (70 - 40) * 0.5 + 40 / 4 * 0.75 + 16,
        inner_parameters=70,
        routed_expert_parameters=40,
        expert_parallel_size=4,
        stage_share=0.5,
        expert_stage_share=0.75,
        edge_parameters=16,
    ),
    truth(p.replicated_parameters, 2, norm_parameters=4, stage_share=0.5, mixture_layers=0, **COPIES),
    truth(
        p.replicated_parameters,
        2 + 3 * 9 * 0.5 + 5 + 6 + 7,
        norm_parameters=4,
        stage_share=0.5,
        mixture_layers=3,
        **(
            COPIES | {"replicated_matrix_parameters": 5, "replicated_bias_parameters": 6, "held_position_parameters": 7}
        ),
    ),
    # each rank holds GPT-3's 2,048 positions whole; in a pipeline the larger end, here the head, is without them
    truth(p.held_position_parameters, 2048 * 12_288, pipeline_parallel_size=1, head_parameters=0, **POSITIONS),
    truth(p.held_position_parameters, 2048 * 12_288, pipeline_parallel_size=2, head_parameters=0, **POSITIONS),
    truth(p.held_position_parameters, 0, pipeline_parallel_size=2, head_parameters=1e9, **POSITIONS),
    # two layers of half a stage: 100 x (15 + 5 + 3) into latents, and an indexer of 70
    truth(p.replicated_matrix_parameters, 2300 + 35, kv_lora_rank=5, q_lora_rank=15, **LATENTS),
    truth(p.replicated_matrix_parameters, 35, kv_lora_rank=0, q_lora_rank=0, **LATENTS),
    truth(
        p.replicated_bias_parameters,
        0.5 * 100 * (2 + 3),
        attention_layers=2,
        attention_output_bias=1,
        dense_layers=3,
        mlp_bias=1,
        hidden_size=100,
        stage_share=0.5,
    ),
    truth(p.rank_parameters, 12, rank_expert_parameters=5, expert_cut_size=4, **CUT),
    # of 42, experts are 20: cut by 4 they would be 5 of the 12; whole they are 20
    truth(p.rank_parameters, 27, rank_expert_parameters=20, expert_cut_size=1, **CUT),
    truth(p.expert_cut_size, 4, expert_tensor_parallel_size=0, tensor_parallel_size=4),
    truth(p.expert_cut_size, 1, expert_tensor_parallel_size=1, tensor_parallel_size=4),
    truth(p.state_group_size, 16, data_parallel_shard_degree=0, hybrid_shard=0, **TWO_NODES),
    truth(p.state_group_size, 4, data_parallel_shard_degree=0, hybrid_shard=1, **TWO_NODES),
    truth(p.state_group_size, 8, data_parallel_shard_degree=8, hybrid_shard=0, **TWO_NODES),
    # EP 8 over ranks of data and of tensor parallelism (4), experts whole: each is cut by the other 8 x 4 / 8 = 4
    truth(
        p.state_sharding_size,
        8 / (1 + (8 * 1 / 4 - 1) * 0.5),
        state_group_size=8,
        expert_parallel_size=8,
        expert_cut_size=1,
        tensor_parallel_size=4,
        rank_expert_parameters=50,
        rank_parameters=100,
    ),
    truth(p.rank_share, 0.12, rank_parameters=12, parameters=100),
    truth(
        p.rank_expert_parameters,
        1600 / 8 * 0.5 / 2,
        routed_expert_parameters=1600,
        expert_parallel_size=8,
        expert_stage_share=0.5,
        expert_cut_size=2,
    ),
    truth(
        p.state_sharding_size,
        8,
        state_group_size=8,
        expert_cut_size=1,
        tensor_parallel_size=1,
        expert_parallel_size=1,
        rank_expert_parameters=50,
        rank_parameters=100,
    ),
    truth(
        p.state_sharding_size,
        8 / 4.5,
        state_group_size=8,
        expert_cut_size=1,
        tensor_parallel_size=1,
        expert_parallel_size=8,
        rank_expert_parameters=50,
        rank_parameters=100,
    ),
    truth(p.parameter_shards, 8, shards_parameters=1, state_sharding_size=8),
    truth(p.parameter_shards, 1, shards_parameters=0, state_sharding_size=8),
    truth(p.gradient_shards, 8, shards_gradients=1, state_sharding_size=8),
    truth(p.gradient_shards, 1, shards_gradients=0, state_sharding_size=8),
    truth(p.optimizer_shards, 8, shards_optimizer=1, state_sharding_size=8),
    truth(p.optimizer_shards, 1, shards_optimizer=0, state_sharding_size=8),
    truth(
        p.tokens_per_micro_batch,
        8192,
        micro_batch_size=4,
        sequences_per_sample=2,
        sequence_length=2048,
        context_parallel_size=2,
        prompts_in_sequence=0,
        num_virtual_tokens=20,
    ),
    truth(p.global_batch_size, 64, micro_batch_size=4, gradient_accumulation_steps=8, data_parallel_size=2),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(p)}


def test_tensor_parallelism_cuts_everything_but_norms(tmp_path: Path) -> None:
    hardware = "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}"
    computed = run(tmp_path, scenario_text(hardware=hardware, training="{tensor_parallel_size: 8}"))
    norms = 65 * 4096
    assert value(computed, "rank_parameters") == (6_738_415_616 - norms) / 8 + norms
    assert value(computed, "data_parallel_size") == 1


def test_a_pipeline_of_four_holds_eight_layers_and_one_end(tmp_path: Path) -> None:
    hardware = "{accelerator: a100-80gb-sxm, count: 4, host: dgx-a100}"
    computed = run(tmp_path, scenario_text(hardware=hardware, training="{pipeline_parallel_size: 4}"))
    inner, end = 6_738_415_616 - 2 * 131_072_000, 131_072_000
    assert value(computed, "rank_parameters") == inner / 4 + end
    assert value(computed, "layers_per_stage") == 8


def test_expert_parallelism_cuts_routed_experts_alone(tmp_path: Path) -> None:
    hardware = "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}"
    blocks = {"model": "mixtral-8x7b", "hardware": hardware, "training": "{expert_parallel_size: 8}"}
    computed = run(tmp_path, scenario_text(**blocks))
    experts = 32 * 8 * 3 * 4096 * 14_336
    assert value(computed, "rank_parameters") == 46_702_792_704 - experts + experts / 8


RACK = "accelerator: gb200, host: gb200-nvl72-tray"
LAYOUTS = {
    f"{{{RACK}, count: 32}}": (32, 0, 0),
    f"{{{RACK}, count: 32, link_domain: 8}}": (8, 1 / 8, 1),
    f"{{{RACK}, count: 144}}": (72, 0, 1 / 4.5),
    "{accelerator: h100-80gb-sxm, host: dgx-h100, count: 32}": (8, 1 / 8, 1),
    "{accelerator: h100-80gb-sxm, host: dgx-h100, count: 32, link_domain: 32}": (32, 0, 0),
}
"""Sixteen tensor ranks of one job: cards of a domain, and what leaves it of tensor and of data-parallel traffic."""


@pytest.mark.parametrize("hardware", LAYOUTS)
def test_a_link_that_spans_nodes_keeps_traffic_off_the_network(hardware: str, tmp_path: Path) -> None:
    """Of 144 cards with 16 tensor ranks, 9 share states; 72 / 16 = 4.5 of them lie in one rack."""
    text = scenario_text(model="llama-3.1-405b", hardware=hardware, training="{tensor_parallel_size: 16}")
    computed = run(tmp_path, text)
    names = ("accelerators_per_domain", "tensor_parallel_network_share", "data_parallel_network_share")
    domain, tensor, data = LAYOUTS[hardware]
    assert tuple(value(computed, name) for name in names) == pytest.approx((domain, tensor, data))
    assert (value(computed, "network_traffic_seconds") > 0) == (domain < value(computed, "accelerators"))
    assert value(computed, "accelerators_per_node") == (4 if "gb200" in hardware else 8)
