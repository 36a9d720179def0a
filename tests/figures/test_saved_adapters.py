"""What adapters save beside the layer that they adapt, against hand-computed sizes."""

from __future__ import annotations

import pytest

from memreport.figures.training.saved import mlp as m
from memreport.figures.training.saved import norms as n
from memreport.figures.training.saved.adapters import at_work as a
from memreport.figures.training.saved.adapters import inputs as f
from memreport.figures.training.saved.adapters import low_rank as d
from memreport.formula.recording import Figure, figures_in
from tests.figures.test_adapters_at_work import TYPES, UP_OF_WIDE, F, H
from tests.support import named, truth

ATTENTION_LORA = {"trains_adapters": 1.0, "lora_q_proj": 1.0, "lora_k_proj": 0.0, "lora_v_proj": 1.0} | {
    "q_lora_rank": 0.0, "names_both_queries": 1.0,
}  # fmt: skip
EAGER_MLP = {"layers_fused": 0, "torch_compile": 0, "activation_saves_result": 0, "mlp_element_bytes": 2} | {
    "frozen_function_values": 0,
}  # fmt: skip
PLACED = {
    "trains_adapters": 1.0,
    "lora_q_proj": 1.0,
    "lora_k_proj": 0.0,
    "lora_v_proj": 1.0,
    "query_size": float(H),
    "key_value_size": float(H),
}
WIDE = {"adapter_element_bytes": 4, "activation_element_bytes": 2}
NORM = {"adapters_fused": 0, "activation_element_bytes": 2}
SHARES = {"trains_adapters": 1, "lora_down_proj": 1, "separate_down_inputs": 0}
NARROW = {"adapters_per_layer": 4, "lora_rank": 16, "adapter_value_element_bytes": 4} | {
    "adapter_input_element_bytes": 5, "magnitude_activation_bytes": 0,
}  # fmt: skip
PROJECTIONS = ("q", "k", "v", "gate", "up", "down")
LLAMA_LAYERS = {
    "gated_mlp": 1, "mixture_layers": 0, "attention_bias": 0, "attention_output_bias": 0, "mlp_bias": 0,
    "fused_qkv": 0, "fused_gate_up": 0,
}  # fmt: skip
ONE_FUNCTION = {
    "fuses_adapters": 1, "trains_adapters": 1, "use_dora": 0, "lora_dropout": 0, "plain_gated_layers": 1,
    "adapted_groups_whole": 1, "residual_element_bytes": 2, "activation_element_bytes": 2,
}  # fmt: skip


def adapted(*names: str) -> dict[str, float]:
    """Which of the six projections of the two groups have adapters."""
    return {f"adapts_{name}_proj": float(name in names) for name in PROJECTIONS}


INPUTS = [
    truth(f.adapted_groups_whole, 1, **adapted(*PROJECTIONS)),
    truth(f.adapted_groups_whole, 1, **adapted("q", "k", "v")),
    truth(f.adapted_groups_whole, 0, **adapted("q", "v")),
    truth(f.adapted_groups_whole, 0, **adapted("q", "k", "v", "gate", "up")),
    truth(f.plain_gated_layers, 1, **LLAMA_LAYERS),
    *(truth(f.plain_gated_layers, 0, **LLAMA_LAYERS | {name: 1 - value}) for name, value in LLAMA_LAYERS.items()),
    truth(f.adapters_fused, 1, **ONE_FUNCTION),
    truth(f.adapters_fused, 0, **ONE_FUNCTION | {"fuses_adapters": 0}),
    truth(f.adapters_fused, 0, **ONE_FUNCTION | {"use_dora": 1}),
    truth(f.adapters_fused, 0, **ONE_FUNCTION | {"lora_dropout": 0.1}),
    truth(f.adapters_fused, 0, **ONE_FUNCTION | {"residual_element_bytes": 4}),
    truth(
        a.gate_up_adapter_forward_bytes,
        0,
        fused_gate_up=0,
        adapters_fused=1,
        **UP_OF_WIDE,
        trains_adapters=1,
        adapter_result_bytes=8,
    ),
    truth(a.cast_input_element_bytes, 0, adapters_fused=1, autocast=1, lora_dropout=0, **TYPES, shares_matrices=0),
    truth(
        d.adapter_activation_bytes,
        H * 5,
        adapters_fused=1,
        separate_adapter_size=H,
        placed_adapter_size=0,
        **NARROW,
        keeps_rank_vectors=1,
        scaled_activation_bytes=0,
    ),
    truth(f.casts_adapter_inputs, 1, autocast=1, base_quantised=0, base_casts_rest=1),
    truth(f.casts_adapter_inputs, 1, autocast=0, base_quantised=1, base_casts_rest=1),
    truth(f.casts_adapter_inputs, 0, autocast=1, base_quantised=1, base_casts_rest=1),  # bitsandbytes
    truth(f.casts_adapter_inputs, 1, autocast=1, base_quantised=1, base_casts_rest=0),  # GPTQ
    truth(f.separate_output_inputs, 1, adapters_fused=0, casts_adapter_inputs=1, **WIDE, lora_dropout=0),
    truth(f.separate_output_inputs, 0, adapters_fused=0, casts_adapter_inputs=0, **WIDE, lora_dropout=0),
    truth(f.separate_output_inputs, 1, adapters_fused=0, casts_adapter_inputs=0, **WIDE, lora_dropout=0.05),
    truth(f.separate_output_inputs, 0, adapters_fused=1, casts_adapter_inputs=1, **WIDE, lora_dropout=0),
    truth(f.separate_adapter_inputs, 1, separate_output_inputs=1, **NORM, residual_element_bytes=2),
    truth(f.separate_adapter_inputs, 0, separate_output_inputs=0, **NORM, residual_element_bytes=2),
    truth(f.separate_adapter_inputs, 1, separate_output_inputs=0, **NORM, residual_element_bytes=4),
    truth(f.separate_down_inputs, 0, separate_output_inputs=0, **NORM, mlp_element_bytes=2),
    truth(f.separate_down_inputs, 1, separate_output_inputs=0, **NORM, mlp_element_bytes=4),
    truth(f.adapter_value_element_bytes, 4, autocast=0, adapters_fused=0, **WIDE),
    truth(f.adapter_value_element_bytes, 2, autocast=1, adapters_fused=0, **WIDE),
    truth(f.adapter_value_element_bytes, 2, autocast=0, adapters_fused=1, **WIDE),
    truth(f.adapter_input_element_bytes, 5, adapter_value_element_bytes=4, lora_dropout=0.05),
]
NO_LINEAR = {"linear_mixer_share": 0, "linear_attention_input_matrices": 0}
ADAPTERS = [
    truth(
        d.adapted_mlp_width,
        (3 * F + 29 * 2048) / 32,
        dense_layers=3,
        intermediate_size=F,
        mixture_layers=29,
        shared_expert_intermediate_size=2048,
        num_hidden_layers=32,
    ),
    truth(
        d.adapted_mlp_share,
        1,
        mlp_layer_share=1,
        mixture_layers=24,
        shared_expert_intermediate_size=2048,
        num_hidden_layers=32,
    ),
    truth(
        d.adapted_mlp_share,
        0.25,
        mlp_layer_share=1,
        mixture_layers=24,
        shared_expert_intermediate_size=0,
        num_hidden_layers=32,
    ),
    truth(
        d.separate_down_input_bytes,
        5,
        trains_adapters=1,
        separate_down_inputs=1,
        lora_down_proj=1,
        adapter_input_element_bytes=5,
    ),
    truth(d.attention_input_adapters, 2, fused_qkv=0, joins_projections=0, **ATTENTION_LORA),
    truth(d.attention_input_adapters, 1, fused_qkv=1, joins_projections=0, **ATTENTION_LORA),
    truth(d.mlp_input_adapters, 2, trains_adapters=1, gate_up_adapters=2, keeps_adapter_inputs=1, adapter_density=1),
    truth(d.mlp_input_adapters, 0, trains_adapters=0, gate_up_adapters=2, keeps_adapter_inputs=1, adapter_density=1),
    truth(
        d.attention_adapter_copies,
        2,
        separate_adapter_inputs=1,
        attention_input_adapters=2,
        attention_mixer_share=1,
        adapter_density=1,
        **NO_LINEAR,
    ),
    truth(
        d.attention_adapter_copies,
        2,
        separate_adapter_inputs=1,
        attention_input_adapters=3,
        attention_mixer_share=2 / 3,
        adapter_density=1,
        **NO_LINEAR,
    ),
    truth(  # of four layers three with four matrices, one with three
        d.attention_adapter_copies,
        0.25 * 3 + 0.75 * 4,
        separate_adapter_inputs=1,
        attention_input_adapters=3,
        attention_mixer_share=0.25,
        adapter_density=1,
        linear_mixer_share=0.75,
        linear_attention_input_matrices=4,
    ),
    truth(
        d.attention_adapter_copies,
        1,
        separate_adapter_inputs=0,
        attention_input_adapters=2,
        attention_mixer_share=1,
        adapter_density=1,
        **NO_LINEAR,
    ),
    truth(
        d.mlp_adapter_copies,
        2,
        separate_adapter_inputs=1,
        mlp_input_adapters=2,
        attention_input_adapters=2,
        norms_per_layer=1,
        adapted_mlp_share=1,
        mixer_share=1,
        adapter_density=1,
    ),
    truth(
        d.mlp_adapter_copies,
        0,
        separate_adapter_inputs=0,
        mlp_input_adapters=2,
        attention_input_adapters=2,
        norms_per_layer=1,
        adapted_mlp_share=1,
        mixer_share=1,
        adapter_density=1,
    ),
    truth(d.output_input_saved, 1, keeps_linear_inputs=1, trains_adapters=0, lora_o_proj=0, separate_output_inputs=0),
    truth(d.output_input_saved, 0, keeps_linear_inputs=0, trains_adapters=1, lora_o_proj=1, separate_output_inputs=1),
    truth(d.down_adapter_shares, 1, adapters_fused=0, **SHARES),
    truth(d.down_adapter_shares, 0, adapters_fused=1, **SHARES),
    # gate, up, down and output, each with a copy of its input of its own in BF16 and dropout's mask
    truth(
        d.freed_adapter_bytes_per_token,
        (2 * H / 2 + (H + F) / 4) * 3,
        hidden_size=H,
        mlp_adapter_copies=2,
        input_shards=2,
        separate_adapter_size=H + F,
        tensor_parallel_size=4,
        adapter_input_element_bytes=3,
    ),
    truth(
        d.separate_adapter_size,
        H + F,
        trains_adapters=1,
        separate_output_inputs=1,
        separate_down_inputs=1,
        lora_o_proj=1,
        value_size=H,
        lora_down_proj=1,
        adapted_mlp_width=F,
        attention_mixer_share=1,
        linear_output_share=0,
        linear_attention_output_size=0,
    ),
    truth(
        d.adapters_per_layer,
        4,
        attention_input_adapters=2,
        mlp_input_adapters=1,
        trains_adapters=1,
        lora_o_proj=1,
        lora_down_proj=0,
        adapted_mlp_share=1,
        attention_mixer_share=1,
        linear_output_share=0,
        **NO_LINEAR,
    ),
    truth(
        d.adapters_per_layer,
        0.25 * 4 + 3 + 0.75 * 5,
        attention_input_adapters=3,
        mlp_input_adapters=2,
        trains_adapters=1,
        lora_o_proj=1,
        lora_down_proj=1,
        adapted_mlp_share=1,
        attention_mixer_share=0.25,
        linear_mixer_share=0.75,
        linear_attention_input_matrices=4,
        linear_output_share=0.75,
    ),
    truth(d.placed_adapter_size, 2 * H, joins_projections=1, **PLACED),
    truth(d.placed_adapter_size, 0, joins_projections=0, **PLACED),
    truth(n.keeps_linear_inputs, 1, trains_base=0, base_quantised=1, quantised_layers_keep_inputs=1),
    truth(n.keeps_linear_inputs, 0, trains_base=0, base_quantised=0, quantised_layers_keep_inputs=1),
    truth(m.activation_function_values, 1, gated_mlp=0, native_activations=1, activation_saved_values=5, **EAGER_MLP),
    truth(
        d.adapter_activation_bytes,
        4 * 16 * 4 + H * 5 + 100 * 4,
        adapters_fused=0,
        placed_adapter_size=100,
        separate_adapter_size=H,
        **NARROW,
        keeps_rank_vectors=1,
        scaled_activation_bytes=0,
    ),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(ADAPTERS + INPUTS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_of_inputs_has_a_truth() -> None:
    assert {one[0].name for one in INPUTS} > {one.name for one in figures_in(f)}
