"""What is trained beside a frozen base, by hand: DoRA's magnitudes, whole modules, adapters on routed experts."""

from __future__ import annotations

import pytest

from memreport.figures.model.adapters import dora, saved_modules
from memreport.figures.training.saved.adapters import low_rank as d
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

H, F, KV = 4096.0, 14_336.0, 1024.0  # Llama 3 8B
INPUTS = {
    "query_size": H,
    "q_lora_rank": 0.0,
    "key_value_size": KV,
    "latent_key_outputs": KV,
    "latent_value_outputs": KV,
}
VALUES = {"attention_k_eq_v": 0.0, "global_layer_share": 0.5}
MLP = {"hidden_size": H, "dense_layers": 32.0, "intermediate_size": F, "adapts_down_proj": 1.0}
DENSE = {"mixture_layers": 0.0, "shared_expert_intermediate_size": 0.0}
BESIDE = {"adapter_parameters": 10.0, "adapter_element_bytes": 4.0, "saved_module_parameters": 30.0}
HEAD = {
    "used_head_parameters": 20.0,
    "trained_base_parameters": 100.0,
    "saved_module_element_bytes": 2.0,
    "beside_bytes": 100.0,
}
MODEL = [
    truth(dora.input_adapted_outputs, H + KV, fused_qkv=0, adapts_q_proj=1, adapts_k_proj=0, adapts_v_proj=1, **INPUTS),
    truth(
        dora.input_adapted_outputs, H + 2 * KV, fused_qkv=1, adapts_q_proj=1, adapts_k_proj=0, adapts_v_proj=0, **INPUTS
    ),
    truth(dora.latent_key_outputs, 576, key_adapter_size=2048 + 576, hidden_size=2048),
    truth(dora.latent_value_outputs, 4096, value_adapter_size=512 + 4096, kv_lora_rank=512, hidden_size=2048, **VALUES),
    truth(dora.latent_value_outputs, KV, value_adapter_size=H + KV, kv_lora_rank=0, hidden_size=H, **VALUES),
    truth(dora.attention_adapted_outputs, 6144 + H, input_adapted_outputs=6144, adapts_o_proj=1, hidden_size=H),
    truth(dora.mlp_adapted_outputs, 32 * (2 * F + H), gate_up_adapter_outputs=2, **MLP, **DENSE),
    truth(
        dora.adapted_outputs,
        32 * 10_240 + 7,
        attention_layers=32,
        attention_adapted_outputs=10_240,
        mlp_adapted_outputs=7,
    ),
    truth(
        dora.adapted_matrix_parameters,
        H * H + H * KV + H * H,
        adapts_q_proj=1,
        query_matrix_parameters=H * H,
        adapts_k_proj=0,
        adapts_v_proj=1,
        key_value_matrix_parameters=2 * H * KV,
        adapts_o_proj=1,
        output_matrix_parameters=H * H,
    ),
    truth(dora.adapted_mlp_parameters, 32 * 3 * H * F, gate_up_adapter_outputs=2, **MLP, **DENSE),
    truth(
        saved_modules.saved_module_parameters,
        2 * 128_256 * H + 65 * H + 21_000_000 + 3 * H,
        saves_embed_tokens=1,
        embedding_parameters=128_256 * H,
        saves_lm_head=1,
        head_matrix_parameters=128_256 * H,
        saves_norms=1,
        norm_parameters=65 * H,
        saved_parameters=21_000_000,
        trained_rows=3,
        hidden_size=H,
    ),
    truth(
        saved_modules.saved_module_bytes,
        60,
        trains_adapters=1,
        saved_module_parameters=30,
        saved_module_element_bytes=2,
    ),
    truth(saved_modules.saved_module_element_bytes, 2, other_weight_element_bytes=2),
    truth(saved_modules.beside_bytes, 40 + 60, saved_module_element_bytes=2, **BESIDE),
    truth(saved_modules.beside_element_bytes, 2.5, beside_bytes=100, adapter_parameters=10, saved_module_parameters=30),
    truth(
        saved_modules.adapter_gradient_share,
        0.4,
        trains_base=0,
        adapter_parameters=10,
        adapter_element_bytes=4,
        beside_bytes=100,
        prompt_parameters=0,
    ),
    truth(saved_modules.head_gradient_share, 0.4, trains_base=0, trains_edges=0, saves_lm_head=1, **HEAD),
    truth(
        saved_modules.prompt_gradient_share,
        0.25,
        trains_base=0,
        prompt_parameters=10,
        adapter_element_bytes=4,
        beside_bytes=160,
    ),
    truth(saved_modules.head_gradient_share, 0.2, trains_base=1, trains_edges=1, saves_lm_head=0, **HEAD),
    truth(saved_modules.head_gradient_share, 0, trains_base=1, trains_edges=0, saves_lm_head=0, **HEAD),
    truth(saved_modules.trains_head, 1, trains_edges=0, saves_lm_head=1, makes_logits=1),
    truth(saved_modules.trains_head, 0, trains_edges=1, saves_lm_head=0, makes_logits=0),
    truth(saved_modules.used_head_parameters, 20, makes_logits=1, head_matrix_parameters=20),
    truth(saved_modules.shares_used_head, 0, tie_word_embeddings=1, unties_head=0, makes_logits=0),
    truth(saved_modules.shares_used_head, 0, tie_word_embeddings=1, unties_head=1, makes_logits=1),
    truth(saved_modules.shares_used_head, 1, tie_word_embeddings=1, unties_head=0, makes_logits=1),
    truth(saved_modules.has_own_head, 1, makes_logits=1, shares_used_head=0),
    truth(saved_modules.has_own_head, 0, makes_logits=1, shares_used_head=1),
    truth(saved_modules.has_own_head, 0, makes_logits=0, shares_used_head=0),
]
COPIED = {"use_dora": 1.0, "trains_adapters": 1.0, "adapter_value_element_bytes": 4.0, "autocast": 0.0}
EXPERT_COPIES = {"trains_adapters": 1, "weight_element_bytes": 2, "lora_rank": 16, "expert_adapter_widths": 1000} | {
    "num_hidden_layers": 4,
}  # fmt: skip
QUARTER = {"num_hidden_layers": 32, "mixture_layers": 8, "merged_expert_width": 3 * F}
EXPERTS = {"adapts_expert_gate_up": 1.0, "gated_mlp": 1.0, "moe_intermediate_size": F}
FROZEN = {"trains_adapters": 1.0, "keeps_linear_inputs": 0.0}
SCALED = [
    truth(
        dora.magnitude_activation_bytes,
        32 * 10_240 / 32 * (4 + 2),
        trains_adapters=1,
        use_dora=1,
        adapted_outputs=32 * 10_240,
        num_hidden_layers=32,
        adapter_value_element_bytes=4,
        lora_dropout=0,
        activation_element_bytes=2,
    ),
    truth(
        dora.copied_weight_element_bytes,
        4,
        lora_dropout=0.05,
        base_quantised=0,
        adapter_element_bytes=4,
        weight_element_bytes=2,
        **COPIED,
        makes_adapter_weights=0,
    ),
    truth(
        dora.copied_weight_element_bytes,
        0,
        lora_dropout=0,
        base_quantised=1,
        adapter_element_bytes=4,
        weight_element_bytes=2,
        **COPIED,
        makes_adapter_weights=0,
    ),
]
SAVED = [
    truth(
        d.layer_weight_copy_bytes,
        4 * (100 + 50) + 7 + 3,
        copied_weight_element_bytes=4,
        adapted_matrix_parameters=100,
        adapted_mlp_parameters=1600,
        num_hidden_layers=32,
        merged_expert_bytes=7,
        expert_adapter_copy_bytes=0,
        dequantised_copy_bytes=3,
        adapter_density=1,
        rotation_copy_bytes=0,
    ),
    truth(
        d.dequantised_copy_bytes,
        2 * 100,
        base_quantised=1,
        base_keeps_dequantised=1,
        matrix_parameters=3200,
        num_hidden_layers=32,
        activation_element_bytes=2,
    ),
    truth(
        d.merged_expert_bytes,
        8 * H * 3 * F * 2,
        trains_adapters=1,
        mixture_layers=32,
        num_hidden_layers=32,
        num_local_experts=8,
        expert_parallel_size=1,
        merged_expert_width=3 * F,
        hidden_size=H,
        weight_element_bytes=2,
    ),
    truth(d.merged_expert_width, 3 * F, adapts_expert_down=1, **EXPERTS),
    truth(d.merged_gradient_bytes, 400, merged_expert_bytes=300, adapts_expert_down=1, **QUARTER, **EXPERTS),
    truth(d.merged_gradient_bytes, 800, merged_expert_bytes=300, adapts_expert_down=0, **QUARTER, **EXPERTS),
    truth(d.expert_adapter_copy_bytes, 16 * 1000 / 4 * 2, autocast=0, adapter_element_bytes=4, **EXPERT_COPIES),
    truth(d.expert_adapter_copy_bytes, 0, autocast=1, adapter_element_bytes=4, **EXPERT_COPIES),
    truth(d.expert_adapter_copy_bytes, 0, autocast=0, adapter_element_bytes=2, **EXPERT_COPIES),
    truth(d.routed_input_values, 1, adapts_expert_gate_up=1, experts_in_turn=0, **FROZEN),
    truth(d.routed_input_values, 0, adapts_expert_gate_up=0, experts_in_turn=0, **FROZEN),
    truth(d.routed_input_values, 1, adapts_expert_gate_up=0, experts_in_turn=1, **FROZEN),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(MODEL + SCALED + SAVED))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in MODEL + SCALED} == {
        one.name for part in (dora, saved_modules) for one in figures_in(part)
    }
