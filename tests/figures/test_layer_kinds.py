"""Layers of two kinds by hand: 3 dense layers and 9 mixtures, whose MLP keeps 400 bytes per token more."""

from __future__ import annotations

import pytest

from memreport.figures.training import layer_backward as b
from memreport.figures.training import layer_kinds as k
from memreport.figures.training.saved import mlp_at_work as w
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

B = {figure.name: figure for figure in figures_in(b)}
DIFFER = {"counts_saved_tensors": 1, "dense_layers": 3, "mixture_layers": 9, "num_layers_without_mlp": 0}
LEADING = {"mixture_layers": 9, "dense_layers": 3}
SURPLUS = {"merged_expert_bytes": 60, "tokens_per_micro_batch": 10, "mixture_layers": 9, "num_hidden_layers": 12} | {
    "tensor_parallel_size": 2,
}  # fmt: skip
ELEMENT = {
    "scaled_input_bytes": 0.0,
    "mlp_backward_values": 2,
    "mlp_element_bytes": 2,
    "widened_backward_bytes": 1,
    "fp8_down_input_bytes": 0,
}
SHARED = {"tokens_per_micro_batch": 10, "hidden_size": 8, "activation_element_bytes": 2} | {
    "shared_gradient_share": 0.25, "mixture_mlp_gradient_bytes": 400,
}  # fmt: skip
FREED = {"shared_expert_intermediate_size": 20, "mlp_saved_element_bytes": 8, "separate_down_input_bytes": 4} | {
    "tensor_parallel_size": 2, "hidden_size": 8, "mlp_input_copies": 1, "router_in_fp32": 1,
    "linear_input_element_bytes": 2,    "mlp_adapter_copies": 2, "adapter_input_element_bytes": 4, "input_shards": 1,
}  # fmt: skip
TURNS = {"tokens_per_micro_batch": 10, "mlp_backward_element_bytes": 4, "tensor_parallel_size": 1} | {
    "shared_gradient_share": 0.25, "mixture_mlp_gradient_bytes": 360, "mlp_matrices": 3,
}  # fmt: skip
ROUTED = TURNS | {"routed_down_surplus_bytes": -2, "separate_down_input_bytes": 0} | {
    "routed_answer_bytes": 7, "merged_gradient_bytes": 5,
}  # fmt: skip
MIXTURE = TURNS | {"shared_expert_freed_bytes": 3, "shared_expert_done_bytes": 50}
MADE = {"layer_gradient_bytes": 120, "mlp_parameters": 3, "attention_parameters": 1} | {
    "mixture_surplus_gradient_bytes": 40,
}  # fmt: skip
TURN = {"tokens_per_micro_batch": 10, "output_gradient_bytes": 7} | {
    "freed_beside_mlp_bytes_per_token": 1, "attention_backward_bytes": 3,
}  # fmt: skip
LAST_STEP = {"layer_gradient_bytes": 5000, "mixture_surplus_gradient_bytes": 40, "tokens_per_micro_batch": 10} | {
    "input_norm_bytes_per_token": 24, "layer_activation_bytes_per_token": 300, "mixture_surplus_bytes": 40,
    "attention_adapter_forward_bytes": 0,
}  # fmt: skip
LAYER = {"answer_norm_freed_bytes": 2, "answer_norm_working_bytes": 3} | {
    "counts_saved_tensors": 1, "residual_gradient_bytes": 1000, "tokens_per_micro_batch": 10} | {
    "dense_mlp_working_bytes": 100, "checkpoints": 1, "recomputed_module_bytes": 5,
}  # fmt: skip
WORK = {"tokens_per_micro_batch": 10, "mixture_surplus_bytes": 400, "layer_unit_parameters": 120} | {
    "mean_layer_parameters": 100, "mixture_surplus_parameters": 80, "unit_work_element_bytes": 2,
}  # fmt: skip
UNIT = {"releases_gathered": 1, "gathered_units": 2, "layer_unit_bytes": 240} | {
    "layer_unit_gradient_bytes": 120, "layer_unit_parameters": 120,
}  # fmt: skip
LAST = {"mixture_work_surplus_bytes": 5000, "mixture_surplus_share": 0.25, "dense_surplus_share": -0.75} | {
    "held_dense_layers": 3, "mixture_done_surplus_bytes": 90,
}  # fmt: skip
FIRST = {"mixture_surplus_share": 0.25, "mixture_surplus_gradient_bytes": 40, "leading_dense_layers": 3} | {
    "dense_surplus_share": -0.75, "held_dense_layers": 3, "held_mixture_layers": 9,
    "num_interleaved_dense_layers": 0, "dense_surplus_bytes": 20, "dense_reduction_surplus_bytes": 7,
    "mixture_reduction_surplus_bytes": 5,
}  # fmt: skip
REDUCED = {"dense_reduction_surplus_bytes": 7, "mixture_reduction_surplus_bytes": 5}
UNITS = {"reduces_by_layer": 1, "layer_unit_parameters": 120, "mean_layer_parameters": 100} | {
    "mixture_surplus_parameters": 80, "reduced_element_bytes": 4,
}  # fmt: skip
DONE = {"layer_gradient_bytes": 120, "mixture_surplus_gradient_bytes": 40, "stored_layer_bytes": 3500} | {
    "tokens_per_micro_batch": 10, "mixture_surplus_bytes": 400,
}  # fmt: skip
TRUTHS = [
    truth(k.layers_differ, 1, recomputed_module_bytes=0, **DIFFER),
    truth(k.layers_differ, 0, recomputed_module_bytes=4, **DIFFER),
    truth(k.layers_differ, 0, recomputed_module_bytes=0, **(DIFFER | {"dense_layers": 0})),
    truth(k.dense_surplus_share, -0.75, layers_differ=1, mixture_layers=9, num_hidden_layers=12),
    truth(k.mixture_surplus_share, 0.25, layers_differ=1, dense_layers=3, num_hidden_layers=12),
    truth(k.held_mixture_layers, 6, expert_stage_share=6 / 9, mixture_layers=9),
    truth(k.held_dense_layers, 3, held_layers=9, held_mixture_layers=6),
    truth(k.leading_dense_layers, 3, num_interleaved_dense_layers=0, held_dense_layers=3, **LEADING),
    truth(k.leading_dense_layers, 1, num_interleaved_dense_layers=2, held_dense_layers=3, **LEADING),
    truth(k.leading_dense_layers, 2, num_interleaved_dense_layers=0, held_dense_layers=2, **LEADING),
    truth(
        k.mixture_mlp_surplus_bytes,
        40 * 8 - 120 * 2 - 80 * 4,
        mixture_width_per_token=140,
        intermediate_size=100,
        mlp_saved_element_bytes=8,
        shared_expert_intermediate_size=20,
        routed_down_surplus_bytes=-2,
        separate_down_input_bytes=4,
    ),
    truth(
        k.mixture_surplus_bytes,
        (320 + (30 + 6) * 12 / 9) / 2 + 9 * 12 / 9,
        mixture_mlp_surplus_bytes=320,
        routing_activation_bytes=30,
        router_activation_bytes=9,
        input_shards=1,
        **SURPLUS,
    ),
    truth(
        k.mixture_surplus_parameters,
        (10 + 30 - 200) / 2 + 8 * 50 / 4 / 2,
        router_parameters=10,
        shared_expert_parameters=30,
        dense_mlp_parameters=200,
        tensor_parallel_size=2,
        num_local_experts=8,
        expert_parameters=50,
        expert_parallel_size=4,
        expert_cut_size=2,
    ),
    truth(
        k.mixture_surplus_gradient_bytes,
        96,
        trains_base=1,
        layer_gradient_bytes=120,
        mixture_surplus_parameters=80,
        mean_layer_parameters=100,
    ),
    truth(
        w.routed_backward_width,
        2 * 50,
        experts_in_turn=0,
        routed_copies=2,
        moe_intermediate_size=50,
        num_local_experts=4,
    ),
    truth(
        w.routed_backward_width,
        2 * 50 / 4,
        experts_in_turn=1,
        routed_copies=2,
        moe_intermediate_size=50,
        num_local_experts=4,
    ),
    truth(
        w.shared_gradient_share,
        20 / (20 + 4 * 30 / 2),
        shared_expert_intermediate_size=20,
        num_local_experts=4,
        moe_intermediate_size=30,
        expert_parallel_size=2,
    ),
    truth(w.mlp_backward_element_bytes, 5, separate_down_input_bytes=0, **ELEMENT),
    truth(w.mlp_backward_element_bytes, 3, separate_down_input_bytes=3, **ELEMENT),  # a gradient of 3 is more
    truth(
        w.dense_mlp_working_bytes,
        10 * (100 * 5 + 20) / 4 + 90 / 3,
        tokens_per_micro_batch=10,
        intermediate_size=100,
        mlp_backward_element_bytes=5,
        adapter_backward_bytes=20,
        tensor_parallel_size=4,
        dense_mlp_gradient_bytes=90,
        mlp_matrices=3,
    ),
    # last in the forward pass and first in the backward pass, its gradients are there; else that of its answer alone
    truth(
        w.shared_expert_done_bytes, 160 + 100, shared_expert_intermediate_size=20, shared_expert_first=0, **SHARED
    ),
    truth(w.shared_expert_done_bytes, 160, shared_expert_intermediate_size=20, shared_expert_first=1, **SHARED),
    truth(w.shared_expert_freed_bytes, 20 * 12 / 2 + 8 * (2 + 8), shared_expert_first=0, **FREED),
    truth(  # the router keeps the very input
        w.shared_expert_freed_bytes, 20 * 12 / 2 + 8 * 8, shared_expert_first=0, **(FREED | {"router_in_fp32": 0})
    ),
    truth(w.shared_expert_freed_bytes, 0, shared_expert_first=1, **FREED),
    truth(w.routed_working_bytes, 10 * 400, routed_backward_width=10, routed_backward_bytes=400, **ROUTED),
    truth(
        w.routed_working_bytes,
        10 * (100 * 6 - 7) + 270 / 3 + 5,
        routed_backward_width=100,
        routed_backward_bytes=40,
        **ROUTED,
    ),
    truth(
        w.mixture_mlp_working_bytes,
        10 * 100 * 4 + 90 / 3,
        shared_expert_intermediate_size=100,
        routed_working_bytes=400,
        **MIXTURE,
    ),
    truth(
        w.mixture_mlp_working_bytes,
        4000 + 50 - 30,
        shared_expert_intermediate_size=0,
        routed_working_bytes=4000,
        **MIXTURE,
    ),
    truth(B["dense_mlp_gradient_bytes"], 90 - 30, reduces_by_layer=0, dense_surplus_share=-0.75, **MADE),
    truth(B["mixture_mlp_gradient_bytes"], 90 + 10, reduces_by_layer=0, mixture_surplus_share=0.25, **MADE),
    truth(B["mixture_mlp_gradient_bytes"], 0, reduces_by_layer=1, mixture_surplus_share=0.25, **MADE),
    truth(
        B["mixture_freed_bytes_per_token"], 3 + 100, freed_mlp_bytes_per_token=3, mixture_surplus_share=0.25,
        mixture_surplus_bytes=400,
    ),
    truth(
        B["dense_freed_bytes_per_token"], 0, freed_mlp_bytes_per_token=3, dense_surplus_share=-0.75,
        mixture_surplus_bytes=400,
    ),
    truth(
        B["mixture_attention_working_bytes"],
        10 * (200 - 103 - 1) + 3 + 7 + 5,
        score_backward_bytes_per_token=150,
        distance_backward_bytes=50,
        norm_backward_bytes_per_token=1,
        mixture_freed_bytes_per_token=103,
        mixture_input_norm_working_bytes=90,
        mixture_mlp_gradient_bytes=5,
        **TURN,
    ),
    truth(
        B["dense_attention_working_bytes"],
        10 * 9 + 5,
        score_backward_bytes_per_token=0,
        distance_backward_bytes=0,
        norm_backward_bytes_per_token=12,
        dense_freed_bytes_per_token=3,
        dense_mlp_gradient_bytes=5,
        dense_input_norm_working_bytes=90,
        **TURN,
    ),
    truth(
        B["dense_attention_working_bytes"],
        97,
        score_backward_bytes_per_token=0,
        distance_backward_bytes=0,
        norm_backward_bytes_per_token=12,
        dense_freed_bytes_per_token=3,
        dense_mlp_gradient_bytes=5,
        dense_input_norm_working_bytes=97,
        **TURN,
    ),
    truth(
        B["dense_input_norm_working_bytes"],
        5000 - 0.75 * 40 + 10 * (24 - 300 + 0.75 * 40),
        reduces_by_layer=0,
        dense_surplus_share=-0.75,
        **LAST_STEP,
    ),
    truth(  # an adapter of attention's inputs, beside which nothing else is there
        B["dense_input_norm_working_bytes"],
        10 * (900 - 300 + 0.75 * 40),
        reduces_by_layer=1,
        dense_surplus_share=-0.75,
        **LAST_STEP | {"attention_adapter_forward_bytes": 900},
    ),
    truth(B["mixture_input_norm_working_bytes"], 0, reduces_by_layer=1, mixture_surplus_share=0.25, **LAST_STEP),
    truth(
        B["dense_backward_bytes"],
        1000 + 10 * 5 + 80,
        dense_attention_working_bytes=60,
        dense_adapter_forward_bytes=7,
        reentrant_checkpoints=0,
        **LAYER,
        made_gradient_bytes=0,
    ),
    truth(
        B["dense_backward_bytes"],
        1000 + 10 * 5 + 10 * 70,
        dense_attention_working_bytes=60,
        dense_adapter_forward_bytes=7,
        reentrant_checkpoints=0,
        **(LAYER | {"answer_norm_working_bytes": 70}),
        made_gradient_bytes=0,
    ),
    truth(
        B["dense_backward_bytes"],
        2000 + 10 * 5 + 90,
        dense_attention_working_bytes=90,
        dense_adapter_forward_bytes=7,
        reentrant_checkpoints=1,
        **LAYER,
        made_gradient_bytes=0,
    ),
    truth(
        B["dense_backward_bytes"],
        1000 + 10 * 5 + 10 * (11 - 2),  # without what the norm behind the MLP saves later
        dense_attention_working_bytes=60,
        dense_adapter_forward_bytes=11,
        reentrant_checkpoints=0,
        **LAYER,
        made_gradient_bytes=0,
    ),
    truth(
        B["dense_backward_bytes"],
        1000 + 10 * 5 + 10 * (190 - 2),  # the output that a reentrant checkpoint holds does not exist yet
        dense_attention_working_bytes=60,
        dense_adapter_forward_bytes=190,
        reentrant_checkpoints=1,
        **LAYER,
        made_gradient_bytes=0,
    ),
    truth(
        B["mixture_work_surplus_bytes"], 300 + 0.25 * 4000 - 0, mixture_backward_bytes=300, mixture_surplus_share=0.25,
        **WORK,
    ),
    truth(
        B["dense_work_surplus_bytes"], 300 - 0.75 * 4000 - 80 * 2, dense_backward_bytes=300, dense_surplus_share=-0.75,
        **WORK,
    ),
    truth(b.unit_work_element_bytes, 2 + 1, shards_parameters=1, **UNIT),
    truth(b.unit_work_element_bytes, 1, shards_parameters=0, **UNIT),
    truth(b.unlived_surplus_bytes, 4000, live_layers=0, tokens_per_micro_batch=10, mixture_surplus_bytes=400),
    truth(b.unlived_surplus_bytes, 0, live_layers=2, tokens_per_micro_batch=10, mixture_surplus_bytes=400),
    truth(
        b.dense_surplus_bytes, 3500 - 0.75 * 4000 - (120 - 30), checkpointed_share=0, dense_surplus_share=-0.75, **DONE
    ),
    truth(
        b.mixture_done_surplus_bytes, 130 - 3500 - 1000 + 30, checkpointed_share=0, mixture_surplus_share=0.25,
        last_reduction_bytes=30, **DONE,
    ),
    truth(
        b.last_layer_backward_bytes, 5000, held_mixture_layers=9, num_interleaved_dense_layers=0,
        dense_work_surplus_bytes=6000, unlived_surplus_bytes=0, **LAST,
    ),
    truth(
        b.last_layer_backward_bytes, 5000 - 1000, held_mixture_layers=9, num_interleaved_dense_layers=0,
        dense_work_surplus_bytes=6000, unlived_surplus_bytes=4000, **LAST,
    ),
    truth(
        b.last_layer_backward_bytes, 6000 + 3000, held_mixture_layers=0, num_interleaved_dense_layers=0,
        dense_work_surplus_bytes=6000, unlived_surplus_bytes=4000, **LAST,
    ),
    truth(  # a dense layer below the last mixture
        b.last_layer_backward_bytes, 6000 + 90, held_mixture_layers=9, num_interleaved_dense_layers=2,
        dense_work_surplus_bytes=6000, unlived_surplus_bytes=0, **LAST,
    ),
    truth(
        b.first_layer_backward_bytes, 5000 - 10 + 3 * 20 - 5, mixture_work_surplus_bytes=5000,
        dense_work_surplus_bytes=1000, leading_surplus_bytes=35, **FIRST,
    ),
    truth(
        b.first_layer_backward_bytes, 6000 + 30 + 35, mixture_work_surplus_bytes=5000,
        dense_work_surplus_bytes=6000, leading_surplus_bytes=35, **FIRST,
    ),
    truth(  # the last of the leading ones, while the first mixture is reduced
        b.leading_surplus_bytes, 2 * 20 - 5, held_mixture_layers=9, leading_dense_layers=3, dense_surplus_bytes=20,
        **REDUCED,
    ),
    truth(  # the first, while the second is reduced
        b.leading_surplus_bytes, -7, held_mixture_layers=9, leading_dense_layers=3, dense_surplus_bytes=-20, **REDUCED
    ),
    truth(
        B["mixture_reduction_surplus_bytes"], 0, mixture_surplus_share=0.25, **UNITS
    ),
    truth(
        B["dense_reduction_surplus_bytes"], 80 * 4, dense_surplus_share=-0.75, **UNITS
    ),
    truth(b.last_reduction_bytes, 400 - 5, layer_reduction_bytes=400, held_mixture_layers=9, **REDUCED),
    truth(b.last_reduction_bytes, 400 - 7, layer_reduction_bytes=400, held_mixture_layers=0, **REDUCED),
]  # fmt: skip


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected, rel=1e-12)


def test_every_figure_has_a_truth() -> None:
    rows = {"dense_attention_working_bytes", "mixture_backward_bytes"}
    assert {one[0].name for one in TRUTHS} | rows == {
        figure.name for figure in (*figures_in(k), *figures_in(w), *figures_in(b))
    }
