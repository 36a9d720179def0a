"""Gathered weights and buffers of gradients: truths by hand."""

from __future__ import annotations

import pytest

from memreport.figures.training import buffers as b
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

GATHERED = {"root_unit_bytes": 5e8, "layer_unit_bytes": 4e8, "rank_parameters": 7e9} | {
    "gathered_weight_element_bytes": 2.0, "releases_gathered": 1,
}  # fmt: skip
EDGES = {"edge_parameters": 60, "head_matrix_parameters": 20} | {
    "gathered_weight_element_bytes": 2, "tensor_parallel_size": 2,
}  # fmt: skip
BUCKETS = {"rank_trainable_parameters": 7e9, "trained_gradient_element_bytes": 2.0}
KEPT = {"keeps_last_logits": 1, "base_quantised": 1, "quantised_layers_keep_inputs": 1, "checkpoints": 0} | {
    "tokens_per_micro_batch": 10, "num_hidden_layers": 2, "hidden_size": 8, "value_size": 6, "intermediate_size": 20,
    "activation_element_bytes": 2,
}  # fmt: skip
HELD = {"kept_graph_bytes": 100, "dequantised_matrix_bytes": 50, "wide_logits_bytes": 40} | {
    "quantises_head": 1, "logit_chunk_tokens": 128, "sequence_length": 512,
}  # fmt: skip
TRUTHS = [
    truth(b.kept_graph_bytes, 10 * 2 * 2 * (16 + 6 + 20), norms_per_layer=2, **KEPT),
    truth(b.kept_graph_bytes, 10 * 2 * 2 * (8 + 6 + 20), norms_per_layer=1, **KEPT),
    truth(b.kept_graph_bytes, 0, norms_per_layer=2, **KEPT | {"checkpoints": 1}),
    truth(b.head_forward_excess_bytes, 100 + 50 + 40 + 15 - 80, keeps_last_logits=1, logits_bytes=80, **HELD),
    truth(b.head_forward_excess_bytes, 0, keeps_last_logits=1, logits_bytes=300, **HELD),
    truth(b.head_forward_excess_bytes, 0, keeps_last_logits=0, logits_bytes=80, **HELD),
    truth(
        b.freed_head_bytes,
        300,
        shards_parameters=1,
        separate_edge_units=1,
        root_unit_bytes=500,
        layer_unit_bytes=100,
        layer_unit_gradient_bytes=200,
    ),
    truth(
        b.layer_unit_bytes,
        25,
        layer_unit_parameters=50,
        base_quantised=1,
        matrix_element_bytes=0.5,
        gathered_layer_element_bytes=2,
    ),
    truth(b.root_unit_bytes, 60, separate_edge_units=0, **EDGES),
    truth(b.root_unit_bytes, 20, separate_edge_units=1, **EDGES),
    truth(
        b.released_unit_bytes,
        300,
        shards_parameters=1,
        releases_gathered=0,
        gathered_parameter_bytes=1000,
        root_unit_bytes=600,
        layer_unit_bytes=100,
    ),
    truth(b.releases_gathered, 1, reshard_after_forward=1, pipeline_parallel_size=1),
    truth(b.releases_gathered, 0, reshard_after_forward=1, pipeline_parallel_size=2),
    truth(b.prefetched_unit_bytes, 25, shards_parameters=1, releases_gathered=1, gathered_units=2, layer_unit_bytes=25),
    truth(b.prefetched_unit_bytes, 0, shards_parameters=1, releases_gathered=1, gathered_units=0, layer_unit_bytes=25),
    truth(b.prefetched_unit_bytes, 0, shards_parameters=0, releases_gathered=1, gathered_units=2, layer_unit_bytes=25),
    truth(b.gathered_parameter_bytes, 9e8, shards_parameters=1, gathered_units=2, live_parameters=0, **GATHERED),
    truth(b.gathered_parameter_bytes, 2e9, shards_parameters=1, gathered_units=0, live_parameters=1e9, **GATHERED),
    truth(b.gathered_parameter_bytes, 14e9, shards_parameters=1, gathered_units=0, live_parameters=9e9, **GATHERED),
    truth(
        b.gathered_parameter_bytes,
        14e9,
        shards_parameters=1,
        gathered_units=2,
        live_parameters=0,
        **(GATHERED | {"releases_gathered": 0}),
    ),
    truth(b.gathered_parameter_bytes, 0, shards_parameters=0, gathered_units=2, live_parameters=0, **GATHERED),
    truth(b.bucket_bytes, 1e9, bucket_elements=5e8, shards_optimizer=1, sharding_size=8, **BUCKETS),
    truth(b.bucket_bytes, 14e9, bucket_elements=9e9, shards_optimizer=1, sharding_size=8, **BUCKETS),
    truth(b.bucket_bytes, 0, bucket_elements=5e8, shards_optimizer=1, sharding_size=1, **BUCKETS),
    truth(
        b.replica_bucket_bytes,
        14e9,
        shards_optimizer=0,
        sharding_size=8,
        ddp_gradient_copies=1,
        whole_gradient_bytes=14e9,
    ),
    truth(
        b.replica_bucket_bytes, 0, shards_optimizer=1, sharding_size=8, ddp_gradient_copies=1, whole_gradient_bytes=14e9
    ),
    truth(
        b.communication_buffer_bytes,
        1111,
        accelerators=2,
        collective_library_bytes=1000,
        gathered_parameter_bytes=100,
        bucket_bytes=10,
        replica_bucket_bytes=1,
    ),
    truth(
        b.communication_buffer_bytes,
        0,
        accelerators=1,
        collective_library_bytes=1000,
        gathered_parameter_bytes=0,
        bucket_bytes=0,
        replica_bucket_bytes=0,
    ),
    truth(
        b.dequantised_matrix_bytes,
        4096 * 32_000 * 2,
        base_quantised=1,
        hidden_size=4096,
        intermediate_size=11_008,
        quantises_head=1,
        vocab_size=32_000,
        base_other_element_bytes=2,
    ),
    truth(
        b.dequantised_matrix_bytes,
        4096 * 11_008 * 2,
        base_quantised=1,
        hidden_size=4096,
        intermediate_size=11_008,
        quantises_head=0,
        vocab_size=32_000,
        base_other_element_bytes=2,
    ),
    truth(
        b.attention_backward_bytes,
        2048 * 4096 * 4 / 2,
        tokens_per_micro_batch=2048,
        query_size=4096,
        tensor_parallel_size=2,
        scores_stored=0,
    ),
    truth(
        b.gradient_shape_parameters,
        1 + 2 + 3 + 3 * 4 * 5 + 6,
        query_matrix_parameters=1,
        key_value_matrix_parameters=2,
        output_matrix_parameters=3,
        mlp_matrices=3,
        hidden_size=4,
        mlp_shape_width=5,
        head_matrix_parameters=6,
        pipeline_parallel_size=1,
    ),
    truth(  # in a pipeline the head is on another stage than the fullest one
        b.gradient_shape_parameters,
        1 + 2 + 3 + 3 * 4 * 5,
        query_matrix_parameters=1,
        key_value_matrix_parameters=2,
        output_matrix_parameters=3,
        mlp_matrices=3,
        hidden_size=4,
        mlp_shape_width=5,
        head_matrix_parameters=6,
        pipeline_parallel_size=2,
    ),
    truth(
        b.mlp_shape_width,
        11_008,
        dense_layers=32,
        intermediate_size=11_008,
        moe_intermediate_size=0,
        shared_expert_intermediate_size=0,
    ),
    truth(
        b.mlp_shape_width,
        1408 + 2816,
        dense_layers=0,
        intermediate_size=10_944,
        moe_intermediate_size=1408,
        shared_expert_intermediate_size=2816,
    ),
    truth(
        b.gradient_placeholder_bytes,
        50,
        placeholder_element_bytes=2,
        trains_base=1,
        gradient_shape_parameters=100,
        tensor_parallel_size=4,
    ),
    truth(
        b.library_workspace_bytes,
        2 * 32 + 4,
        matrix_workspace_bytes=32,
        optimizer_estimates_gradients=0,
        takes_engine_workspace=1,
        engine_workspace_bytes=4,
    ),
    truth(
        b.library_workspace_bytes,
        8,
        matrix_workspace_bytes=8,
        optimizer_estimates_gradients=1,
        takes_engine_workspace=0,
        engine_workspace_bytes=4,
    ),
    truth(
        b.workspace_bytes,
        15,
        library_workspace_bytes=1,
        dequantised_matrix_bytes=2,
        gradient_placeholder_bytes=4,
        fp8_weight_copy_bytes=8,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(b)}
