"""What norms save of a layer for the backward pass."""

from __future__ import annotations

import pytest

from memreport.figures.training.saved import norms as n
from memreport.formula.recording import Figure
from tests.support import named, truth

PLAIN_BASE = {"base_quantised": 0, "base_casts_rest": 1}
H, F, HEADS, T = 4096, 11_008, 32, 2048  # Llama 2 7B at 2,048 tokens
HEADS_OF_128 = {"query_size": 4096.0, "head_dim": 128.0}
QK_NORM = {"norm_further_wide_values": 0, "num_unweighted_qk_norm_layers": 0.0, "activation_element_bytes": 2.0}
UNWEIGHTED = {"num_unweighted_qk_norm_layers": 36.0}
LLAMA_NORM = {"norm_input_wide": 1.0, "norm_saves_normalised": 1.0, "norm_normalised_wide": 0.0}
WIDE_NORM = LLAMA_NORM | {"norm_normalised_wide": 1.0}
TORCH_NORM = {"norm_input_wide": 0.0, "norm_saves_normalised": 0.0, "norm_normalised_wide": 0.0}
NORMS = [
    truth(n.layers_fused, 0, fuses_layers=0, use_liger_kernel=0, torch_compile=0),
    truth(n.layers_fused, 1, fuses_layers=0, use_liger_kernel=1, torch_compile=0),
    truth(n.layers_fused, 1, fuses_layers=0, use_liger_kernel=0, torch_compile=1),
    truth(n.layers_fused, 1, fuses_layers=1, use_liger_kernel=0, torch_compile=0),
    truth(
        n.residual_element_bytes,
        4,
        weight_element_bytes=4,
        activation_element_bytes=2,
        autocast=1,
        shards_parameters=0,
        **PLAIN_BASE,
    ),
    truth(
        n.residual_element_bytes,
        2,
        weight_element_bytes=4,
        activation_element_bytes=2,
        autocast=1,
        shards_parameters=1,
        **PLAIN_BASE,
    ),
    truth(
        n.residual_element_bytes,
        2,
        weight_element_bytes=0.5,
        activation_element_bytes=2,
        autocast=0,
        shards_parameters=1,
        **PLAIN_BASE,
    ),
    truth(
        n.residual_element_bytes,
        2,
        weight_element_bytes=4,
        activation_element_bytes=2,
        autocast=1,
        shards_parameters=0,
        base_quantised=1,
        base_casts_rest=0,
    ),
    truth(n.norm_input_copied, 1, norm_input_wide=1, autocast=0, layers_fused=0, residual_element_bytes=2),
    truth(n.norm_input_copied, 1, norm_input_wide=0, autocast=1, layers_fused=0, residual_element_bytes=2),
    truth(n.norm_input_copied, 0, norm_input_wide=1, autocast=1, layers_fused=0, residual_element_bytes=4),
    truth(n.norm_input_copied, 0, norm_input_wide=1, autocast=0, layers_fused=1, residual_element_bytes=2),
    truth(n.norm_input_element_bytes, 4, norm_input_copied=1, residual_element_bytes=2),
    truth(n.norm_input_element_bytes, 2, norm_input_copied=0, residual_element_bytes=2),
    truth(n.shared_norm_inputs, 1, parallel_residual=1, norms_per_layer=2, norm_input_copied=0),
    truth(n.shared_norm_inputs, 0, parallel_residual=1, norms_per_layer=1, norm_input_copied=0),
    truth(
        n.normalised_element_bytes,
        2,
        trains_base=1,
        norm_weight=1,
        norm_saves_normalised=1,
        norm_normalised_wide=0,
        layers_fused=0,
        residual_element_bytes=2,
    ),
    truth(
        n.normalised_element_bytes,
        0,
        trains_base=1,
        norm_weight=0,
        norm_saves_normalised=1,
        norm_normalised_wide=0,
        layers_fused=0,
        residual_element_bytes=2,
    ),
    truth(
        n.normalised_element_bytes,
        4,
        trains_base=1,
        norm_weight=1,
        norm_saves_normalised=1,
        norm_normalised_wide=1,
        layers_fused=0,
        residual_element_bytes=2,
    ),
    truth(
        n.norm_element_bytes,
        6,
        norm_input_element_bytes=4,
        normalised_element_bytes=2,
        norm_further_wide_values=0,
        layers_fused=0,
    ),
    truth(  # Cohere: three FP32 values
        n.norm_element_bytes,
        12,
        norm_input_element_bytes=4,
        normalised_element_bytes=4,
        norm_further_wide_values=1,
        layers_fused=0,
    ),
    truth(
        n.norm_activation_bytes,
        2 * (H * 6 + 4) - H * 2,
        hidden_size=H,
        norms_per_layer=2,
        norm_element_bytes=6,
        shared_norm_inputs=1,
        norm_input_element_bytes=2,
        norm_statistics=1,
    ),
    truth(n.qk_norm_share, 1, qk_norm_size=256, num_unweighted_qk_norm_layers=0, num_hidden_layers=48),
    truth(n.qk_norm_share, 0, qk_norm_size=0, num_unweighted_qk_norm_layers=0, num_hidden_layers=48),
    truth(n.qk_norm_share, 0.75, qk_norm_size=0, num_unweighted_qk_norm_layers=36, num_hidden_layers=48),
    truth(n.qk_norm_statistics, 40, key_value_size=1024, qk_norm_size=256, qk_norm_share=1, **HEADS_OF_128),
    truth(n.qk_norm_statistics, 2, key_value_size=4096, qk_norm_size=8192, qk_norm_share=1, **HEADS_OF_128),
    truth(n.qk_norm_statistics, 0, key_value_size=4096, qk_norm_size=0, qk_norm_share=0, **HEADS_OF_128),
    truth(n.qk_norm_statistics, 30, key_value_size=1024, qk_norm_size=0, qk_norm_share=0.75, **HEADS_OF_128),
    truth(n.qk_norm_element_bytes, 6, layers_fused=0, trains_base=1, autocast=0, **QK_NORM | LLAMA_NORM),
    truth(n.qk_norm_element_bytes, 8, layers_fused=0, trains_base=1, autocast=0, **QK_NORM | WIDE_NORM),
    truth(n.qk_norm_element_bytes, 4, layers_fused=0, trains_base=0, autocast=0, **QK_NORM | WIDE_NORM),
    truth(n.qk_norm_element_bytes, 2, layers_fused=1, trains_base=1, autocast=0, **QK_NORM | LLAMA_NORM),
    truth(n.qk_norm_element_bytes, 4, layers_fused=0, trains_base=1, autocast=0, **QK_NORM | LLAMA_NORM | UNWEIGHTED),
    truth(n.qk_norm_element_bytes, 2, layers_fused=0, trains_base=1, autocast=0, **QK_NORM | TORCH_NORM),
    truth(n.qk_norm_element_bytes, 4, layers_fused=0, trains_base=1, autocast=1, **QK_NORM | TORCH_NORM),
    truth(
        n.qk_norm_element_bytes,
        12,
        layers_fused=0,
        trains_base=1,
        autocast=0,
        **QK_NORM | WIDE_NORM | {"norm_further_wide_values": 1},
    ),
    truth(
        n.qk_norm_activation_bytes,
        0.75 * 5120 * 6 + 30 * 4,
        qk_norm_share=0.75,
        query_size=4096,
        key_value_size=1024,
        qk_norm_element_bytes=6,
        qk_norm_statistics=30,
    ),
    truth(n.linear_inputs_cast, 1, autocast=1, residual_element_bytes=4, activation_element_bytes=2, norm_input_wide=1),
    truth(n.linear_inputs_cast, 0, autocast=1, residual_element_bytes=2, activation_element_bytes=2, norm_input_wide=1),
    truth(n.linear_inputs_cast, 1, autocast=1, residual_element_bytes=2, activation_element_bytes=2, norm_input_wide=0),
    truth(
        n.attention_input_copies, 1, linear_inputs_cast=0, separate_linear_copies=3, fused_qkv=0, keeps_linear_inputs=1
    ),
    truth(
        n.attention_input_copies, 3, linear_inputs_cast=1, separate_linear_copies=3, fused_qkv=0, keeps_linear_inputs=1
    ),
    truth(
        n.attention_input_copies, 1, linear_inputs_cast=1, separate_linear_copies=3, fused_qkv=1, keeps_linear_inputs=1
    ),
    truth(
        n.attention_input_copies, 0, linear_inputs_cast=1, separate_linear_copies=3, fused_qkv=0, keeps_linear_inputs=0
    ),
    truth(
        n.mlp_input_copies,
        1,
        linear_inputs_cast=0,
        gated_mlp=1,
        fused_gate_up=0,
        norms_per_layer=2,
        keeps_linear_inputs=1,
    ),
    truth(
        n.mlp_input_copies,
        0,
        linear_inputs_cast=0,
        gated_mlp=0,
        fused_gate_up=0,
        norms_per_layer=1,
        keeps_linear_inputs=1,
    ),
    truth(
        n.mlp_input_copies,
        2,
        linear_inputs_cast=1,
        gated_mlp=1,
        fused_gate_up=0,
        norms_per_layer=1,
        keeps_linear_inputs=1,
    ),
    truth(
        n.mlp_input_copies,
        1,
        linear_inputs_cast=1,
        gated_mlp=1,
        fused_gate_up=1,
        norms_per_layer=2,
        keeps_linear_inputs=1,
    ),
    truth(
        n.linear_input_bytes,
        H * ((1 + 1) * 2 + (2 + 0) * 4),
        hidden_size=H,
        attention_input_copies=1,
        mlp_input_copies=1,
        linear_input_element_bytes=2,
        attention_adapter_copies=2,
        mlp_adapter_copies=0,
        adapter_input_element_bytes=4,
    ),
    truth(n.dropout_mask_bytes, 2 * H, hidden_size=H, hidden_dropout=0.1),
    truth(n.dropout_mask_bytes, 0, hidden_size=H, hidden_dropout=0),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(NORMS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected
