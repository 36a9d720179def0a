"""What PEFT's methods train and keep, by hand: Llama 3 8B's widths, and what PEFT itself counts."""

from __future__ import annotations

import pytest

from memreport.figures.model.adapters import peft
from memreport.figures.training.saved.adapters import peft as saved
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

H, F, KV, L, V = 4096.0, 14_336.0, 1024.0, 32.0, 128_256.0
PLAIN = {"dense_layers": L, "mixture_layers": 0.0, "shared_expert_intermediate_size": 0.0, "hidden_size": H}
ALL = {f"adapts_{name}_proj": 1.0 for name in ("q", "k", "v", "o")} | {"adapts_down_proj": 1.0}
ROWS = {row.name: row for row in (*peft.ADAPTED, *peft.LOW_RANK)}
PREFIX = {"prompts_in_cache": 1.0, "num_hidden_layers": L}
NO_SHARE = {"lowest_transformed_layer": 28.0, "num_hidden_layers": 32.0, "leading_frozen_layers": 3.0}
TRUTHS = [
    *(
        truth(ROWS[f"adapts_{name}"], 1, adapts_matrices=1, **{peft.TARGETS[name]: 1.0})
        for name in peft.MATRICES
        if name not in peft.MLP
    ),
    *(
        truth(
            ROWS[f"adapts_{name}"], 1 - reaches, adapts_matrices=1, names_reach_experts=reaches,
            **{f"targets_{name}": 1.0},
        )
        for name in peft.MLP
        for reaches in (0, 1)
    ),
    *(
        truth(
            ROWS[f"lora_{name}"], 0.5, adapter_density=0.5,
            **{f"adapts_{name}": 1.0, "keeps_down_inputs" if name == "down_proj" else "keeps_adapter_inputs": 1.0},
        )
        for name in peft.MATRICES
    ),
    truth(peft.adapted_layer_share, 0.125, transformed_layers=4, num_hidden_layers=L),
    truth(peft.adapted_layer_share, 1, transformed_layers=0, num_hidden_layers=L),
    truth(
        peft.gradient_from_below, 1, checkpoints=0, base_quantised=0, saves_embed_tokens=0, adapts_embed_tokens=1,
        prompts_in_sequence=0,
    ),
    truth(peft.layers_above_share, 4 / 32, trains_adapters=1, gradient_from_below=0, **NO_SHARE),
    truth(peft.layers_above_share, 1, trains_adapters=1, gradient_from_below=1, **NO_SHARE),
    truth(  # three delta nets before the first attention
        peft.layers_above_share, 29 / 32, trains_adapters=1, gradient_from_below=0,
        **NO_SHARE | {"lowest_transformed_layer": 0.0},
    ),
    truth(peft.adapter_density, 0.5, adapted_layer_share=0.125, layers_above_share=0.25),
    truth(peft.keeps_down_inputs, 1, keeps_adapter_inputs=0, scales_outputs=1, shares_matrices=0),  # IA3
    truth(peft.keeps_down_inputs, 0, keeps_adapter_inputs=0, scales_outputs=1, shares_matrices=1),  # VeRA
    truth(peft.targets_queries, 1, targets_q_proj=0, targets_q_a_proj=0, targets_q_b_proj=1),
    truth(
        peft.low_rank_parameters, 2 * 8 * 1000, adapter_pairs=2, lora_rank=8, adapted_widths=1000,
        expert_adapter_widths=0, use_dora=0, adapted_outputs=5,
    ),
    truth(  # IA3 on keys, values and the down projection: PEFT counts 524,288 for Llama 3 8B
        peft.scaled_widths, L * (2 * KV + F), adapted_outputs=L * (2 * KV + H), shares_matrices=0, adapts_down_proj=1,
        intermediate_size=F, **PLAIN,
    ),
    truth(
        peft.scaled_widths, L * (2 * KV + H), adapted_outputs=L * (2 * KV + H), shares_matrices=1, adapts_down_proj=1,
        intermediate_size=F, **PLAIN,
    ),
    truth(
        peft.adapter_vector_parameters, 256 * 64 + 1000, trains_rank_vectors=1, lora_rank=256, adapted_matrices=64,
        scales_outputs=1, scaled_widths=1000,
    ),
    truth(  # blocks of 32 of a matrix that reads 4096: 128 of 32 x 31 / 2
        peft.rotation_parameters, 128 * 496, rotates_inputs=1, adapted_widths=H + KV, adapted_outputs=KV,
        oft_block_size=32,
    ),
    truth(  # one matrix of 4096 by 4096: 64 x 64, and of the other 64 x 64 two factors of rank 8
        peft.kronecker_parameters, 64 * 64 + 8 * 2 * 64, makes_kronecker_products=1, lora_rank=8, adapted_matrices=1,
        adapted_widths=2 * H,
    ),
    truth(
        peft.importance_bytes, 3 * 100 * 4, trains_adapters=1, trains_importances=1, adapter_parameters=100,
        adapter_element_bytes=4,
    ),
    truth(peft.prompt_vector_size, KV, prompts_in_cache=1, key_value_size=KV, hidden_size=H),
    truth(peft.prompt_vector_size, H, prompts_in_cache=0, key_value_size=KV, hidden_size=H),
    truth(peft.prompt_token_size, KV * 2 * L, prompt_vector_size=KV, prefix_projection=0, **PREFIX),
    truth(peft.prompt_token_size, KV, prompt_vector_size=KV, prefix_projection=1, **PREFIX),
    truth(peft.prompt_encoder_width, 128, encoder_hidden_size=128, prompt_vector_size=H),
    truth(peft.prompt_encoder_width, H, encoder_hidden_size=0, prompt_vector_size=H),
    truth(  # a projected prefix: 1024 to 128, 128 to keys and values of 32 layers, with biases
        peft.prompt_encoder_parameters, 128 * (KV + 1) + 64 * KV * (128 + 1), prefix_projection=1, encodes_prompts=0,
        prompt_token_size=KV, prompt_encoder_width=128, **PREFIX,
    ),
    truth(  # p-tuning: 4096 to 128, 128 to 128, 128 to 4096, with biases
        peft.prompt_encoder_parameters, 128 * (H + 1) + 128 * 129 + H * 129, prefix_projection=0, encodes_prompts=1,
        prompt_token_size=H, prompt_encoder_width=128, prompts_in_cache=0, num_hidden_layers=L,
    ),
    truth(
        peft.prompt_parameters, 20 * H + 7, prompts_in_cache=0, prompts_in_sequence=1, num_virtual_tokens=20,
        is_encoder_decoder=0, prompt_token_size=H, prompt_encoder_parameters=7,
    ),
    truth(
        peft.edge_adapter_parameters, 16 * (H + V), adapts_matrices=1, lora_rank=16, adapts_embed_tokens=1,
        adapts_lm_head=0, hidden_size=H, vocab_size=V,
    ),
    truth(
        peft.adapter_parameters, 0.5 * 10 + 111, adapted_layer_share=0.5, low_rank_parameters=1,
        adapter_vector_parameters=2, rotation_parameters=3, kronecker_parameters=4, edge_adapter_parameters=1,
        prompt_parameters=10, trained_bias_parameters=100,
    ),
    truth(peft.adapts_attention_inputs, 1, adapts_q_proj=0, adapts_k_proj=1, adapts_v_proj=0),
    truth(
        peft.widest_adapted_input, F, value_size=H, intermediate_size=F, dense_layers=L, hidden_size=H,
        gate_up_adapters=0, adapts_attention_inputs=1, adapts_o_proj=0, adapts_down_proj=1,
    ),
    truth(
        peft.widest_adapted_output, H, intermediate_size=F, dense_layers=L, hidden_size=H, query_size=H,
        gate_up_adapters=0, key_value_size=KV, **ALL,
    ),
    truth(
        peft.shared_matrix_parameters, 256 * 5120, shares_matrices=1, lora_rank=256, widest_adapted_input=4096,
        widest_adapted_output=1024,
    ),
]  # fmt: skip
ROTATED = {"trains_adapters": 1.0, "rotates_inputs": 1.0, "adapted_widths": 5120.0, "adapted_outputs": 1024.0}
DOWN = {"trains_adapters": 1.0, "adapts_down_proj": 1.0, "shares_matrices": 0.0, "mlp_element_bytes": 2.0}
UNBIASED = {"attention_bias": 0.0, "adapts_attention_inputs": 0.0}
SAVED = [
    truth(
        saved.scaled_outputs, 1000 - 32 * H, adapted_outputs=1000, adapts_down_proj=1, shares_matrices=0, **PLAIN
    ),
    truth(  # IA3: as the matrix gives them, in 16 bit
        saved.scaled_activation_bytes, 2 * KV * 2, trains_adapters=1, scales_outputs=1, adapted_layer_share=1,
        num_hidden_layers=L, layers_above_share=1, scaled_outputs=L * 2 * KV, shares_matrices=0,
        adapter_value_element_bytes=4, activation_element_bytes=2, shared_matrix_bytes_per_token=0,
    ),
    truth(
        saved.shared_matrix_bytes_per_token, 64 * 256 * 4 + 1 * 100, shares_matrices=1, adapted_matrices=64,
        lora_rank=256, adapter_value_element_bytes=4, lora_dropout=0.1, adapted_widths=150, adapted_outputs=50,
    ),
    truth(
        saved.rotation_copy_bytes, 4 * H * 32 * 4 / 32, oft_block_size=32, adapter_element_bytes=4,
        num_hidden_layers=L, adapter_density=1, **ROTATED,
    ),
    truth(
        saved.keys_per_sequence, 2068, sequence_length=2048, prompts_in_cache=1, prompts_in_sequence=0,
        num_virtual_tokens=20, trains_adapters=1, joined_batches=0, micro_batch_size=4,
    ),
    truth(  # four sequences in one row
        saved.keys_per_sequence, 8192, sequence_length=2048, prompts_in_cache=0, prompts_in_sequence=0,
        num_virtual_tokens=0, trains_adapters=1, joined_batches=1, micro_batch_size=4,
    ),
    truth(
        saved.prefixed_key_share, 1.5, sequence_length=40, trains_adapters=1, prompts_in_cache=1, num_virtual_tokens=20
    ),
    truth(
        saved.prompt_activation_bytes, 2 * 20 * 2 * 32 * KV * 2, trains_adapters=1, micro_batch_size=2,
        num_virtual_tokens=20, key_value_size=KV, activation_element_bytes=2, prompts_in_sequence=0, checkpoints=0,
        sequence_length=10, hidden_size=H, residual_element_bytes=2, **PREFIX,
    ),
    truth(
        saved.edge_adapter_bytes, H * 4 + 16 * 4, trains_adapters=1, adapts_matrices=1, adapts_lm_head=1,
        hidden_size=H, separate_adapter_inputs=1, adapter_input_element_bytes=4, trains_head=0,
        activation_element_bytes=2, adapts_embed_tokens=0, lora_rank=16, adapter_value_element_bytes=4,
    ),
    truth(
        saved.made_gradient_bytes, 4 * 4 * H * F, trains_adapters=1, adapter_gradient_copies=4,
        adapter_value_element_bytes=4, query_matrix_parameters=H * H, key_value_matrix_parameters=2 * H * KV,
        output_matrix_parameters=H * H, gate_up_adapters=0, hidden_size=H, adapted_mlp_width=F, **ALL,
    ),
    truth(saved.trains_attention_inputs, 1, prompts_in_cache=1, trains_biases=0, **UNBIASED),
    truth(saved.trains_attention_inputs, 0, prompts_in_cache=0, trains_biases=1, **UNBIASED),
    truth(
        saved.adapter_result_bytes, 2 * 4, adapter_results=2, adapter_value_element_bytes=4, trains_importances=0,
        activation_element_bytes=2,
    ),
    truth(  # AdaLoRA: two in FP32 and one as the matrix's
        saved.adapter_result_bytes, 10, adapter_results=0, adapter_value_element_bytes=4, trains_importances=1,
        activation_element_bytes=2,
    ),
    truth(saved.scaled_input_bytes, 2, adapter_element_bytes=2, scales_outputs=1, rotates_inputs=0, **DOWN),
    truth(saved.scaled_input_bytes, 4 + 2 + 4, adapter_element_bytes=4, scales_outputs=1, rotates_inputs=0, **DOWN),
    truth(saved.scaled_input_bytes, 2 + 4 + 4, adapter_element_bytes=4, scales_outputs=0, rotates_inputs=1, **DOWN),
    truth(saved.trains_keys, 1, adapts_k_proj=0, prompts_in_cache=1, trains_biases=0),
    truth(saved.trains_values, 0, adapts_v_proj=0, prompts_in_cache=0, trains_biases=0),
    truth(saved.trains_queries, 1, adapts_q_proj=0, trains_biases=1),
]  # fmt: skip


@pytest.mark.parametrize(("figure", "expected", "inputs"), named([*TRUTHS, *SAVED]))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected)


def test_every_figure_has_a_truth() -> None:
    listed = {figure.name for module in (peft, saved) for figure in figures_in(module)}
    assert {one[0].name for one in (*TRUTHS, *SAVED)} == listed
