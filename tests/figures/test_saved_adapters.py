"""What adapters save beside the layer that they adapt, against hand-computed sizes."""

from __future__ import annotations

import pytest

from memreport.figures.training.saved import adapters as d
from memreport.figures.training.saved import mlp as m
from memreport.figures.training.saved import norms as n
from memreport.formula.recording import Figure
from tests.support import named, truth

H, F = 4096, 11_008  # Llama 2 7B
ATTENTION_LORA = {"trains_adapters": 1.0, "lora_q_proj": 1.0, "lora_k_proj": 0.0, "lora_v_proj": 1.0}
EAGER_MLP = {"layers_fused": 0, "torch_compile": 0, "activation_saves_result": 0, "mlp_element_bytes": 2}
PLACED = {
    "trains_adapters": 1.0,
    "lora_q_proj": 1.0,
    "lora_k_proj": 0.0,
    "lora_v_proj": 1.0,
    "query_size": float(H),
    "key_value_size": float(H),
}
ADAPTERS = [
    truth(
        d.separate_adapter_inputs,
        1,
        adapter_element_bytes=4,
        activation_element_bytes=2,
        residual_element_bytes=2,
        lora_dropout=0,
    ),
    truth(
        d.separate_adapter_inputs,
        0,
        adapter_element_bytes=2,
        activation_element_bytes=2,
        residual_element_bytes=2,
        lora_dropout=0,
    ),
    truth(
        d.separate_adapter_inputs,
        1,
        adapter_element_bytes=2,
        activation_element_bytes=2,
        residual_element_bytes=2,
        lora_dropout=0.05,
    ),
    truth(d.adapter_value_element_bytes, 4, autocast=0, adapter_element_bytes=4, activation_element_bytes=2),
    truth(d.adapter_value_element_bytes, 2, autocast=1, adapter_element_bytes=4, activation_element_bytes=2),
    truth(d.adapter_input_element_bytes, 5, adapter_value_element_bytes=4, lora_dropout=0.05),
    truth(d.attention_input_adapters, 2, fused_qkv=0, joins_projections=0, **ATTENTION_LORA),
    truth(d.attention_input_adapters, 1, fused_qkv=1, joins_projections=0, **ATTENTION_LORA),
    truth(d.mlp_input_adapters, 2, trains_adapters=1, gate_up_adapters=2),
    truth(d.mlp_input_adapters, 0, trains_adapters=0, gate_up_adapters=2),
    truth(d.attention_adapter_copies, 2, separate_adapter_inputs=1, attention_input_adapters=2),
    truth(d.attention_adapter_copies, 1, separate_adapter_inputs=0, attention_input_adapters=2),
    truth(
        d.mlp_adapter_copies,
        2,
        separate_adapter_inputs=1,
        mlp_input_adapters=2,
        attention_input_adapters=2,
        norms_per_layer=1,
    ),
    truth(
        d.mlp_adapter_copies,
        0,
        separate_adapter_inputs=0,
        mlp_input_adapters=2,
        attention_input_adapters=2,
        norms_per_layer=1,
    ),
    truth(d.output_input_saved, 1, keeps_linear_inputs=1, trains_adapters=0, lora_o_proj=0, separate_adapter_inputs=0),
    truth(d.output_input_saved, 0, keeps_linear_inputs=0, trains_adapters=1, lora_o_proj=1, separate_adapter_inputs=1),
    truth(d.down_adapter_shares, 1, trains_adapters=1, lora_down_proj=1, separate_adapter_inputs=0),
    truth(
        d.separate_adapter_size,
        H + F,
        trains_adapters=1,
        separate_adapter_inputs=1,
        lora_o_proj=1,
        value_size=H,
        lora_down_proj=1,
        intermediate_size=F,
        dense_layers=32,
        num_hidden_layers=32,
    ),
    truth(
        d.adapters_per_layer,
        4,
        attention_input_adapters=2,
        mlp_input_adapters=1,
        trains_adapters=1,
        lora_o_proj=1,
        lora_down_proj=0,
    ),
    truth(d.placed_adapter_size, 2 * H, joins_projections=1, **PLACED),
    truth(d.placed_adapter_size, 0, joins_projections=0, **PLACED),
    truth(n.keeps_linear_inputs, 1, trains_base=0, base_quantised=1, quantised_layers_keep_inputs=1),
    truth(n.keeps_linear_inputs, 0, trains_base=0, base_quantised=0, quantised_layers_keep_inputs=1),
    truth(m.activation_function_values, 1, gated_mlp=0, native_activations=1, activation_saved_values=5, **EAGER_MLP),
    truth(
        d.adapter_activation_bytes,
        4 * 16 * 4 + H * 5 + 100 * 4,
        placed_adapter_size=100,
        adapters_per_layer=4,
        lora_rank=16,
        adapter_value_element_bytes=4,
        separate_adapter_size=H,
        adapter_input_element_bytes=5,
        magnitude_activation_bytes=0,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(ADAPTERS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected
