"""Gradients on their way by hand: a layer of 100 parameters, a matrix of 1000 at either end, 4 processes of FSDP."""

from __future__ import annotations

import pytest

from memreport.figures.training import reduction as r
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

WIDTHS = {"gathered_weight_element_bytes": 2, "reduced_element_bytes": 4}
SHARDED = {"reduces_by_layer": 1, "gathered_weight_element_bytes": 2, "reduced_element_bytes": 4}
ONE = {"pipeline_parallel_size": 1, "tensor_parallel_size": 1}
HEAD = {"used_head_parameters": 1000} | ONE
WAITS = {"rank_parameters": 600, "reduced_element_bytes": 4}
LATE = {"optimizer_offloaded": 0, "fsdp_offload": 0, "reduces_by_layer": 1}
EDGES = {"last_unit_parameters": 2000, "embedding_parameters": 1000, "tensor_parallel_size": 1}
STARTED = {"layer_unit_gradient_bytes": 200, "last_reduction_bytes": 400, "layer_result_bytes": 350} | {
    "waiting_edge_gradient_bytes": 2000, "stored_activation_bytes": 1200, "held_layers": 2, "held_micro_batches": 2,
    "shares_used_head": 0,
}  # fmt: skip
SHARED = {"shares_used_head": 1}
TIED = SHARED | {"head_and_loss_fused": 0}
TRUTHS = [
    truth(
        r.gathered_weight_element_bytes,
        2,
        autocast=1,
        shards_parameters=1,
        activation_element_bytes=2,
        other_weight_element_bytes=4,
    ),
    truth(
        r.gathered_weight_element_bytes,
        4,
        autocast=1,
        shards_parameters=0,
        activation_element_bytes=2,
        other_weight_element_bytes=4,
    ),
    truth(r.reduced_element_bytes, 4, reduce_element_bytes=2, gathered_weight_element_bytes=4, reduces_in_fp32=0),
    truth(r.reduced_element_bytes, 4, reduce_element_bytes=2, gathered_weight_element_bytes=2, reduces_in_fp32=1),
    truth(r.reduces_by_layer, 1, shards_gradients=1, gathered_units=2, trains_base=1, sharding_size=4),
    truth(r.reduces_by_layer, 0, shards_gradients=1, gathered_units=0, trains_base=1, sharding_size=4),
    truth(r.reduces_by_layer, 0, shards_gradients=1, gathered_units=2, trains_base=1, sharding_size=1),
    truth(
        r.mean_layer_parameters,
        (40 / 2 + 320 / 4 / 1) / 2,
        inner_parameters=360,
        routed_expert_parameters=320,
        expert_parallel_size=4,
        num_hidden_layers=2,
        tensor_parallel_size=2,
        expert_cut_size=1,
    ),
    truth(  # of 3 mixtures and one dense layer of 80 fewer
        r.layer_unit_parameters, 100 + 20, mean_layer_parameters=100, mixture_surplus_parameters=80,
        dense_surplus_share=-0.75, mixture_surplus_share=0.25,
    ),
    truth(
        r.layer_unit_parameters, 100 + 60, mean_layer_parameters=100, mixture_surplus_parameters=-80,
        dense_surplus_share=-0.75, mixture_surplus_share=0.25,
    ),
    truth(
        r.layer_unit_gradient_bytes,
        200,
        reduces_by_layer=1,
        layer_unit_parameters=100,
        gathered_weight_element_bytes=2,
    ),
    truth(r.layer_reduction_bytes, 400, reduces_by_layer=1, layer_unit_parameters=100, reduced_element_bytes=4),
    truth(r.waiting_head_gradient_bytes, 2000, separate_edge_units=0, **SHARDED, **HEAD),
    truth(r.waiting_head_gradient_bytes, 4000, separate_edge_units=1, **SHARDED, **HEAD),
    truth(r.last_unit_parameters, 2000, separate_edge_units=0, embedding_parameters=1000, edge_parameters=2000),
    truth(r.last_unit_parameters, 1000, separate_edge_units=1, embedding_parameters=1000, edge_parameters=2000),
    truth(r.reduced_share, 1.25, reduced_element_bytes=2, trained_gradient_element_bytes=4, gradient_shards=4),
    truth(r.reduced_share, 1, reduced_element_bytes=4, trained_gradient_element_bytes=4, gradient_shards=4),
    # the first of three: 12 before it is copied, less the sharded result of 3 that is still to come
    truth(
        r.root_reduction_bytes, 12 - 3, reduces_by_layer=1, last_unit_gradient_bytes=12, last_copy_bytes=11,
        last_sum_bytes=8, last_result_bytes=3, carried_gradient_bytes=0,
    ),
    truth(
        r.root_reduction_bytes, 10 + 3, reduces_by_layer=1, last_unit_gradient_bytes=12, last_copy_bytes=11,
        last_sum_bytes=10, last_result_bytes=3, carried_gradient_bytes=9,
    ),
    # weights and gradients of 2 bytes, the tied matrix's twice; the first layer's on their way: 400
    truth(
        r.last_unit_gradient_bytes, 2000 * 2 * 2 + 1000 * 2 + 400, waits_beside=0, adds_in_place=0,
        shares_used_head=1, layer_reduction_bytes=400, **EDGES, **WIDTHS,
    ),
    truth(
        r.last_unit_gradient_bytes, 2000 * (2 * 2 + 4), waits_beside=1, adds_in_place=0,
        shares_used_head=0, layer_reduction_bytes=0, **EDGES, **WIDTHS,
    ),
    truth(
        r.last_copy_bytes, 2000 * (4 + 2), last_unit_parameters=2000, reduced_element_bytes=4,
        whole_gradient_element_bytes=2, tensor_parallel_size=1,
    ),
    # a copy of 2000 x 4, and the head's gradient of 1000 x 2; the embedding's where that is all of the unit
    truth(
        r.last_sum_bytes, 8000 + 2000, reduced_element_bytes=4, reduced_share=1, separate_edge_units=0,
        whole_gradient_element_bytes=2, **EDGES,
    ),
    truth(
        r.last_sum_bytes, 4000 + 2000, reduced_element_bytes=4, reduced_share=1, separate_edge_units=1,
        whole_gradient_element_bytes=2, **(EDGES | {"last_unit_parameters": 1000}),
    ),
    truth(
        r.last_result_bytes, 2000, last_unit_parameters=2000, trained_gradient_element_bytes=4, gradient_shards=4,
        tensor_parallel_size=1,
    ),
    truth(r.whole_gradient_element_bytes, 4, unreduced_gradient_bytes=9, **WIDTHS),
    truth(r.whole_gradient_element_bytes, 2, unreduced_gradient_bytes=0, **WIDTHS),
    truth(r.adds_in_place, 0, unreduced_gradient_bytes=9, **WIDTHS),
    truth(r.adds_in_place, 1, unreduced_gradient_bytes=9, **(WIDTHS | {"reduced_element_bytes": 2})),
    truth(r.waits_beside, 1, unreduced_gradient_bytes=9, adds_in_place=0),
    truth(r.waits_beside, 0, unreduced_gradient_bytes=9, adds_in_place=1),
    truth(  # FP32 shards of 100 parameters over 4, and the sum in 16 bit that they are cast from
        r.layer_result_bytes, 100 + 50, reduces_by_layer=1, layer_unit_parameters=100,
        trained_gradient_element_bytes=4, reduced_element_bytes=2, gradient_shards=4,
    ),
    truth(r.reduces_once, 1, accumulates_unsharded=1, sync_each_batch=0, pipeline_parallel_size=1, **LATE),
    truth(  # DeepSpeed, by which transformers offloads, reduces each
        r.reduces_once, 0, accumulates_unsharded=1, sync_each_batch=0, pipeline_parallel_size=1,
        **LATE | {"optimizer_offloaded": 1},
    ),
    truth(  # FSDP's own offloading does not
        r.reduces_once, 1, accumulates_unsharded=1, sync_each_batch=0, pipeline_parallel_size=1,
        **LATE | {"optimizer_offloaded": 1, "fsdp_offload": 1},
    ),
    truth(r.reduces_once, 0, accumulates_unsharded=1, sync_each_batch=1, pipeline_parallel_size=1, **LATE),
    truth(r.reduces_once, 1, accumulates_unsharded=0, sync_each_batch=0, pipeline_parallel_size=2, **LATE),
    truth(r.unreduced_gradient_bytes, 2400, reduces_once=1, gradient_accumulation_steps=2, **WAITS),
    truth(r.unreduced_gradient_bytes, 0, reduces_once=0, gradient_accumulation_steps=2, **WAITS),
    truth(r.unreduced_gradient_bytes, 0, reduces_once=1, gradient_accumulation_steps=1, **WAITS),
    truth(
        r.shared_matrix_gradient_bytes, 1000, trains_edges=1, reduces_by_layer=0, embedding_parameters=1000,
        weight_element_bytes=2, tensor_parallel_size=2,
    ),
    truth(
        r.waiting_head_gradients, 1, shares_used_head=1, carried_gradient_bytes=9, placeholder_element_bytes=0
    ),
    truth(
        r.waiting_head_gradients, 0, shares_used_head=1, carried_gradient_bytes=0, placeholder_element_bytes=0
    ),
    truth(
        r.waiting_head_gradients, 0, shares_used_head=1, carried_gradient_bytes=9, placeholder_element_bytes=2
    ),
    # the embedding's own beside the head's, which is counted: 1; beside gradients of before, both: 2
    truth(r.edge_sum_apart, 1, placeholder_element_bytes=0, loss_part_bytes=0, **TIED),
    truth(r.edge_sum_apart, 0, placeholder_element_bytes=2, loss_part_bytes=0, **TIED),
    truth(r.edge_sum_apart, 0, placeholder_element_bytes=0, loss_part_bytes=4, **TIED),
    truth(r.edge_sum_apart, 0, placeholder_element_bytes=0, loss_part_bytes=0, **TIED | {"head_and_loss_fused": 1}),
    truth(r.last_edge_gradients, 2, waiting_head_gradients=0, carried_gradient_bytes=0, edge_sum_apart=1, **SHARED),
    truth(r.last_edge_gradients, 3, waiting_head_gradients=1, carried_gradient_bytes=9, edge_sum_apart=1, **SHARED),
    truth(r.last_edge_gradients, 1, waiting_head_gradients=0, carried_gradient_bytes=0, edge_sum_apart=0, **SHARED),
    truth(
        r.last_edge_gradients, 0, waiting_head_gradients=0, carried_gradient_bytes=0, edge_sum_apart=0,
        shares_used_head=0,
    ),
    truth(
        r.waiting_edge_gradient_bytes, 2100, waiting_head_gradient_bytes=2000, waiting_head_gradients=1,
        shared_matrix_gradient_bytes=100,
    ),
    truth(
        r.last_edge_gradient_bytes, 10_000 - 700 + 200, root_reduction_bytes=10_000, reduces_by_layer=1,
        gathered_parameter_bytes=900, released_unit_bytes=200, shared_matrix_gradient_bytes=100, last_edge_gradients=2,
    ),
    truth(
        r.first_reduction_bytes, 200 + 400 + 2000, layer_unit_gradient_bytes=200, layer_reduction_bytes=400,
        waiting_edge_gradient_bytes=2000, separate_edge_units=0, waiting_head_gradient_bytes=2000,
    ),
    truth(
        r.start_reduction_bytes, 200 + 2000 + 400 - 300, unreduced_gradient_bytes=0, adds_in_place=0,
        freed_head_bytes=0, **STARTED,
    ),
    truth(
        r.start_reduction_bytes, 200 + 2000 + 350 - 300 - 50, unreduced_gradient_bytes=9, adds_in_place=0,
        freed_head_bytes=50, **STARTED,
    ),
    truth(  # only the head's own gradient, while it is added
        r.start_reduction_bytes, 2000, unreduced_gradient_bytes=9, adds_in_place=1, freed_head_bytes=0, **STARTED,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_gradients_on_their_way_by_hand(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected, rel=1e-12)


def test_every_figure_of_reduction_has_a_truth() -> None:
    assert {one.name for one in figures_in(r)} == {one.name for one, _, _ in TRUTHS}
