"""What adapters add while a layer of theirs is at work."""

from __future__ import annotations

import pytest

from memreport.figures.training.saved.adapters import at_work as a
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

H, F = 4096, 11_008  # Llama 2 7B
TYPES = {"adapter_element_bytes": 4.0, "mlp_element_bytes": 2.0, "casts_adapter_inputs": 1.0}
DORA = {"activation_element_bytes": 2.0, "mlp_width_per_token": F, "mlp_input_adapters": 2.0}
DOWN = {"mlp_element_bytes": 2.0} | {
    "trains_adapters": 1.0, "tensor_parallel_size": 2.0,
}  # fmt: skip
UP = {"gated_mlp": 1.0, "mlp_element_bytes": 2.0, "tensor_parallel_size": 2.0} | {
    "activation_function_values": 3.0, "down_input_values": 0.0,
}  # fmt: skip
UP_OF_WIDE = UP | {"gate_up_adapters": 2, "separate_down_input_bytes": 5}
FORWARD = {"down_adapter_gradient_bytes": 50, "hidden_size": H, "activation_element_bytes": 2.0} | {
    "cast_input_element_bytes": 4.0, "unsaved_mlp_input_bytes": 7,
    "down_adapter_result_bytes": 0,
}  # fmt: skip
RESULTS = {"hidden_size": H, "down_adapter_forward_bytes": 9, "adapters_fused": 0} | {
    "reentrant_checkpoints": 0,
}  # fmt: skip
FACTORS = {"query_size": 4096, "saved_key_value_size": 1024, "saved_value_size": 512, "activation_element_bytes": 2}
PRODUCTS = {"scores_stored": 1, "recomputes_scores": 0, "num_attention_heads": 32, "keys_per_sequence": 512} | {
    "softmax_element_bytes": 4, "activation_element_bytes": 2, "unsaved_factor_bytes": 9,
}  # fmt: skip
FIRST = {"norm_activation_bytes": 100.0} | {
    "first_norm_activation_bytes": 50.0,
    "attention_activation_bytes": 70.0, "score_activation_bytes": 5.0, "mlp_activation_bytes": 900.0,
    "gate_up_adapters": 0.0, "adapts_down_proj": 0.0, "unsaved_score_bytes": 11.0,
    "unsaved_qk_norm_bytes": 100,
}  # fmt: skip
INPUT = {"hidden_size": H, "activation_element_bytes": 2, "mlp_adapter_copies": 1, "residual_element_bytes": 4} | {
    "saves_embed_tokens": 0, "base_quantised": 0, "position_embedding_rows": 0,
}  # fmt: skip
QUERIES = {"adapters_fused": 0, "kv_lora_rank": 0, "query_size": 4096, "key_value_size": 1024} | {
    "activation_element_bytes": 2, "hidden_size": 4096,
    "adapter_input_element_bytes": 4, "first_norm_activation_bytes": 100,
}  # fmt: skip
GRADIENT = {"trains_adapters": 1, "lora_down_proj": 1, "hidden_size": H, "activation_element_bytes": 2} | {
    "adapter_value_element_bytes": 4, "answer_norm_freed_bytes": 0,
}  # fmt: skip
QK_NORMS = {"query_size": 4096, "key_value_size": 1024, "qk_norm_activation_bytes": 500}
TWO_NORMS = {"norm_activation_bytes": 100, "norms_per_layer": 2, "norm_input_copied": 0}
FORWARD_OF = {row.name.partition("_")[0]: row for row in a.ADAPTER_FORWARD}
AT_WORK = [
    truth(a.adapter_backward_bytes, F * 4 * 2.5, use_dora=1, adapter_value_element_bytes=4, **DORA),
    truth(a.adapter_backward_bytes, 0, use_dora=1, adapter_value_element_bytes=2, **DORA),
    truth(a.adapter_backward_bytes, 0, use_dora=0, adapter_value_element_bytes=4, **DORA),
    truth(a.cast_input_element_bytes, 4, adapters_fused=0, autocast=1, lora_dropout=0, **TYPES, shares_matrices=0),
    truth(a.cast_input_element_bytes, 4, adapters_fused=0, autocast=0, lora_dropout=0.1, **TYPES, shares_matrices=0),
    truth(
        a.cast_input_element_bytes, 0, adapters_fused=0, autocast=0, lora_dropout=0, **TYPES, shares_matrices=0
    ),  # it is what is saved
    truth(a.dropped_input_element_bytes, 4, autocast=1, lora_dropout=0.1, cast_input_element_bytes=4),
    truth(a.dropped_input_element_bytes, 0, autocast=0, lora_dropout=0.1, cast_input_element_bytes=4),
    truth(
        a.down_adapter_forward_bytes,
        (2 + 4 + 4) / 2,
        adapts_down_proj=1,
        down_input_values=0,
        cast_input_element_bytes=4,
        dropped_input_element_bytes=4,
        **DOWN,
    ),
    truth(
        a.gate_up_adapter_forward_bytes,
        (2 + 2 * 4 - 2 - 5) / 2,
        adapters_fused=0,
        fused_gate_up=0,
        **UP_OF_WIDE,
        trains_adapters=1,
        adapter_result_bytes=8,
    ),
    truth(
        a.gate_up_adapter_forward_bytes,
        (2 * (2 + 2 * 4) - 3 * 2) / 2,
        adapters_fused=0,
        gate_up_adapters=1,
        fused_gate_up=1,
        separate_down_input_bytes=0,
        **UP,
        trains_adapters=1,
        adapter_result_bytes=8,
    ),
    truth(a.down_adapter_gradient_bytes, H * (4 + 2), checkpoints=1, reentrant_checkpoints=0, **GRADIENT),
    truth(a.down_adapter_gradient_bytes, 0, checkpoints=1, reentrant_checkpoints=1, **GRADIENT),
    truth(a.down_adapter_gradient_bytes, 0, checkpoints=0, reentrant_checkpoints=0, **GRADIENT),
    truth(
        a.down_adapter_gradient_bytes,
        0,
        checkpoints=1,
        reentrant_checkpoints=0,
        **GRADIENT | {"answer_norm_freed_bytes": 9},
    ),
    truth(
        a.attention_adapter_forward_bytes,  # fused: 100 of the norm, its output and the adapter's input, three results
        100 + 4096 * (2 + 4) + (4096 + 2 * 1024) * (2 + 2 * 4),
        adapts_attention_inputs=1,
        fused_qkv=1,
        **QUERIES,
        trains_adapters=1,
        adapter_result_bytes=8,
    ),
    truth(
        a.attention_adapter_forward_bytes,
        100 + 4096 * (2 + 4) + 4096 * (2 + 2 * 4),
        adapts_attention_inputs=1,
        fused_qkv=0,
        **QUERIES,
        trains_adapters=1,
        adapter_result_bytes=8,
    ),
    truth(
        a.attention_adapter_forward_bytes,
        0,
        adapts_attention_inputs=0,
        fused_qkv=0,
        **QUERIES,
        trains_adapters=1,
        adapter_result_bytes=8,
    ),
    truth(
        a.unsaved_mlp_input_bytes,
        H * (2 + 4),
        separate_adapter_inputs=1,
        norm_input_copied=1,
        checkpoints=1,
        parallel_residual=0,
        **INPUT,
    ),
    truth(
        a.unsaved_mlp_input_bytes,
        0,
        separate_adapter_inputs=0,
        norm_input_copied=0,
        checkpoints=1,
        parallel_residual=0,
        **INPUT,
    ),
    truth(  # the answer of a parallel attention; results of the embedding, which no first layer saves, and of positions
        a.unsaved_mlp_input_bytes,
        H * (2 + 4 + 4),
        separate_adapter_inputs=0,
        norm_input_copied=0,
        checkpoints=0,
        parallel_residual=1,
        **INPUT | {"position_embedding_rows": 2048},
    ),
    truth(
        FORWARD_OF["dense"],
        F * 10 + H * 4 + 50 + 7,
        intermediate_size=F,
        down_adapter_forward_bytes=9,
        gate_up_adapter_forward_bytes=10,
        **FORWARD,
    ),
    truth(
        FORWARD_OF["mixture"],
        100 * 90 + H * 2 + 50 + 7,
        shared_expert_intermediate_size=100,
        shared_expert_first=0,
        down_adapter_forward_bytes=90,
        gate_up_adapter_forward_bytes=1,
        **FORWARD,
    ),
    truth(
        FORWARD_OF["mixture"],
        100 * 90 + H * 2 + 3000 + 50 + 7,
        shared_expert_intermediate_size=100,
        shared_expert_first=0,
        down_adapter_forward_bytes=90,
        gate_up_adapter_forward_bytes=1,
        **FORWARD | {"down_adapter_result_bytes": 3000},
    ),
    truth(
        a.down_adapter_result_bytes,
        2 * H * 4,
        checkpoints=0,
        answer_norm_freed_bytes=0,
        **RESULTS,
        adapter_result_bytes=8,
    ),
    truth(a.down_adapter_result_bytes, 0, checkpoints=1, answer_norm_freed_bytes=0, **RESULTS, adapter_result_bytes=8),
    truth(
        a.down_adapter_result_bytes,
        2 * H * 4,
        checkpoints=1,
        answer_norm_freed_bytes=9,
        **RESULTS,
        adapter_result_bytes=8,
    ),
    truth(
        FORWARD_OF["mixture"],  # the routed experts have not been computed by then
        0,
        shared_expert_intermediate_size=100,
        shared_expert_first=1,
        down_adapter_forward_bytes=90,
        gate_up_adapter_forward_bytes=1,
        **FORWARD,
    ),
    truth(
        FORWARD_OF["dense"],
        0,
        intermediate_size=F,
        down_adapter_forward_bytes=0,
        gate_up_adapter_forward_bytes=-5,
        **FORWARD,
    ),
    truth(a.unsaved_factor_bytes, 2 * 4096, trains_queries=1, trains_keys=0, **FACTORS),
    truth(a.unsaved_factor_bytes, 2 * (4096 + 1024 + 512), trains_queries=0, trains_keys=0, **FACTORS),
    truth(a.unsaved_score_bytes, 32 * 512 * 2 + 9, trains_queries=1, trains_keys=0, trains_values=0, **PRODUCTS),
    truth(a.unsaved_score_bytes, 32 * 512 * 4 + 9, trains_queries=0, trains_keys=0, trains_values=1, **PRODUCTS),
    truth(a.unsaved_qk_norm_bytes, 500 * 1024 / 5120, adapts_q_proj=1, adapts_k_proj=0, **QK_NORMS),
    truth(a.unsaved_qk_norm_bytes, 500, adapts_q_proj=0, adapts_k_proj=0, **QK_NORMS),
    truth(a.first_norm_activation_bytes, 50, norms_after_sublayers=0, parallel_residual=0, **TWO_NORMS),
    truth(a.first_norm_activation_bytes, 100, norms_after_sublayers=0, parallel_residual=1, **TWO_NORMS),
    truth(a.first_norm_activation_bytes, 0, norms_after_sublayers=1, parallel_residual=0, **TWO_NORMS),
    truth(
        a.unsaved_first_bytes_per_token,
        50 + 11 + 100,
        gradient_from_below=0,
        trains_attention_inputs=1,
        adapts_o_proj=0,
        parallel_residual=0,
        **FIRST,
    ),
    truth(
        a.unsaved_first_bytes_per_token,
        50 + 900 + 11 + 100,
        gradient_from_below=0,
        trains_attention_inputs=1,
        adapts_o_proj=0,
        parallel_residual=1,
        **FIRST,
    ),
    truth(
        a.unsaved_first_bytes_per_token,
        175 + 100,
        gradient_from_below=0,
        trains_attention_inputs=0,
        adapts_o_proj=0,
        parallel_residual=0,
        **FIRST,
    ),
    truth(  # the output projection alone: nothing of attention is kept before it
        a.unsaved_first_bytes_per_token,
        175 - 50 + 100,
        gradient_from_below=0,
        trains_attention_inputs=0,
        adapts_o_proj=1,
        parallel_residual=0,
        **FIRST,
    ),
    truth(
        a.unsaved_first_bytes_per_token,
        0,
        gradient_from_below=1,
        trains_attention_inputs=0,
        adapts_o_proj=0,
        parallel_residual=0,
        **FIRST,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(AT_WORK))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_at_work_has_a_truth() -> None:
    assert {one[0].name for one in AT_WORK} == {one.name for one in figures_in(a)}
