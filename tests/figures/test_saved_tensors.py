"""Each tensor that a layer saves, sub-layer by sub-layer, against hand-computed sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures.training.saved import attention as a
from memreport.figures.training.saved import mlp as m
from memreport.figures.training.saved import norms as n
from memreport.figures.training.saved.adapters import low_rank as d
from memreport.formula.recording import Figure, figures_in
from tests.figures.test_adapted import SAVED
from tests.figures.test_saved_adapters import ADAPTERS
from tests.figures.test_saved_norms import NORMS, F, H
from tests.support import named, run, scenario_text, truth, value

WINDOWS = {"windows_as_masks": 1.0, "sliding_window": 1024.0, "num_sliding_window_layers": 26.0}
MASKS = {"prefix_mask_share": 0, "compiled_mask": 0, "padding_mask": 0, "document_mask": 0}
ROWS = {"batch_of_one_row": 0, "num_key_value_heads": 8}
KEYS = {"saved_key_value_size": 24_576, "padded_value_size": 0}
SCORES = {"num_attention_heads": 32.0, "keys_per_sequence": 2048.0}
IN_16_BIT = {"down_adapter_shares": 0, "fp8_kept_element_bytes": 0, "torch_compile": 0}
ROUTED = {"keeps_linear_inputs": 0, "fp8_kept_element_bytes": 0, "trains_adapters": 1, "gated_mlp": 1} | {
    "activation_saves_result": 0, "torch_compile": 0, "mlp_element_bytes": 2,
}  # fmt: skip
IN_FP8 = {**IN_16_BIT, "fp8_kept_element_bytes": 1}
RELU_READ = {"keeps_linear_inputs": 0, "gated_mlp": 0, "activation_saves_result": 1}
LAID_OUT = {"head_major_query": 0, "joins_projections": 0, "layers_fused": 0, "fp8_kept_element_bytes": 0} | {
    "padded_batches": 0, "padding_mask": 0, "given_mask_share": 0, "padded_values": 0,
}  # fmt: skip
MASKED = LAID_OUT | {"padded_batches": 1, "head_major_query": 1, "padding_mask": 1, "given_mask_share": 1}
PROJECTED = {
    "value_keeps_projections": 1, "joins_projections": 0, "scores_stored": 0, "batch_of_one_row": 0, "fuses_layers": 0,
    "query_size": 4096, "key_value_size": 1024, "latent_key_size": 0, "trains_adapters": 1, "prompts_in_cache": 0,
    "repeated_key_share": 0, "padded_values": 0,
}  # fmt: skip
"""What decides whether a projection is kept: two of 4,096 and 1,024 values, of four sequences."""
EXPANDED = {"expands_key_values": 1, "repeated_key_share": 0, "runs_transformers_layers": 1, "query_size": 4096}
EXPANDED |= {"key_value_size": 1024, "prefixed_key_share": 1, "repeated_global_size": 0}
ATTENTION = [
    truth(a.windowed_mask_share, 0.5, sequence_length=1024, num_hidden_layers=52, **WINDOWS),
    truth(a.windowed_mask_share, 0, sequence_length=1023, num_hidden_layers=52, **WINDOWS),
    truth(a.saved_key_value_size, 4096, **ROWS, scores_stored=1, repeats_key_values=0, **EXPANDED),
    truth(  # Falcon 40B, with any kernel
        a.saved_key_value_size, 4096, **ROWS, scores_stored=0, repeats_key_values=1, **EXPANDED
    ),
    truth(  # one head of one row is viewed as many
        a.saved_key_value_size,
        1024,
        **ROWS | {"batch_of_one_row": 1, "num_key_value_heads": 1},
        scores_stored=1,
        repeats_key_values=0,
        **EXPANDED,
    ),
    truth(  # Falcon 40B, with any kernel
        a.saved_key_value_size,
        4096,
        **ROWS | {"batch_of_one_row": 1, "num_key_value_heads": 1},
        scores_stored=0,
        repeats_key_values=1,
        **EXPANDED,
    ),
    truth(
        a.saved_key_value_size,
        2560,
        **ROWS,
        scores_stored=0,
        repeats_key_values=0,
        **EXPANDED | {"expands_key_values": 1, "repeated_key_share": 0.5},
    ),
    truth(a.repeated_key_share, 0.5, windowed_mask_share=0.5, num_key_value_heads=8, **MASKS),
    truth(a.repeated_key_share, 1, windowed_mask_share=0.5, num_key_value_heads=8, **MASKS | {"padding_mask": 1}),
    truth(a.repeated_key_share, 1, windowed_mask_share=0, num_key_value_heads=8, **MASKS | {"document_mask": 1}),
    truth(a.repeated_key_share, 0, windowed_mask_share=0.5, num_key_value_heads=1, **MASKS),
    truth(a.padded_batches, 1, pads_batches=1, micro_batch_size=2, runs_transformers_layers=1),
    truth(a.padded_batches, 0, pads_batches=1, micro_batch_size=1, runs_transformers_layers=1),
    truth(a.padding_mask, 0, padded_batches=1, windows_as_masks=0),
    truth(a.joined_batches, 1, joins_batches=1, runs_transformers_layers=1),
    truth(a.joined_batches, 0, joins_batches=1, runs_transformers_layers=0),
    truth(a.batch_of_one_row, 1, joined_batches=1, micro_batch_size=2),
    truth(a.batch_of_one_row, 1, joined_batches=0, micro_batch_size=1),
    truth(a.batch_of_one_row, 0, joined_batches=0, micro_batch_size=2),
    truth(a.document_mask, 1, joined_batches=1, packs_samples=1, micro_batch_size=1, windows_as_masks=1),
    truth(a.document_mask, 0, joined_batches=1, packs_samples=0, micro_batch_size=1, windows_as_masks=1),
    truth(a.document_mask, 1, joined_batches=1, packs_samples=0, micro_batch_size=2, windows_as_masks=1),
    truth(a.document_mask, 0, joined_batches=1, packs_samples=1, micro_batch_size=2, windows_as_masks=0),
    truth(
        a.given_mask_share,
        0.5,
        document_mask=0,
        windowed_mask_share=0.5,
        gives_causal_mask=0,
        windows_as_masks=1,
        runs_transformers_layers=1,
        prefix_mask_share=0,
        padding_mask=0,
    ),
    truth(
        a.given_mask_share,
        1,
        document_mask=0,
        windowed_mask_share=0,
        gives_causal_mask=1,
        windows_as_masks=1,
        runs_transformers_layers=1,
        prefix_mask_share=0,
        padding_mask=0,
    ),
    truth(
        a.narrow_output_surplus_bytes,
        100 * (1.5 - 2) - 100,
        attention_output_element_bytes=1.5,
        value_size=100,
        attention_output_values=1,
        activation_element_bytes=2,
        fp8_output_input_bytes=100,
    ),
    truth(a.prefix_mask_share, 1, trains_adapters=1, prompts_in_cache=1, windows_as_masks=1),
    truth(
        a.mask_activation_bytes,
        0.5 * 2048 * 2,
        given_mask_share=0.5,
        compiled_mask=0,
        keys_per_sequence=2048,
        activation_element_bytes=2,
    ),
    truth(a.compiled_mask, 1, torch_compile=1, windows_as_masks=1, runs_transformers_layers=1),
    truth(a.compiled_mask, 0, torch_compile=1, windows_as_masks=0, runs_transformers_layers=1),
    truth(  # one mask of all tokens, one of a window
        a.shared_mask_bytes,
        2 * 2048 * 2,
        compiled_mask=1,
        windowed_mask_share=0.5,
        keys_per_sequence=2048,
        activation_element_bytes=2,
    ),
    truth(a.attention_output_values, 1, scores_stored=0, output_input_saved=1, **LAID_OUT),
    truth(a.attention_output_values, 2, scores_stored=0, output_input_saved=1, **LAID_OUT | {"head_major_query": 1}),
    truth(a.attention_output_values, 2, scores_stored=0, output_input_saved=1, **LAID_OUT | {"joins_projections": 1}),
    truth(a.attention_output_values, 1, scores_stored=1, output_input_saved=1, **LAID_OUT | {"head_major_query": 1}),
    truth(a.attention_output_values, 0, scores_stored=1, output_input_saved=0, **LAID_OUT),
    truth(a.attention_output_values, 2, scores_stored=0, output_input_saved=1, **LAID_OUT | {"padded_batches": 1}),
    truth(a.attention_output_values, 1, scores_stored=0, output_input_saved=1, **MASKED),
    truth(a.kept_projection_size, 5120, **PROJECTED),
    truth(a.kept_projection_size, 0, **PROJECTED | {"repeated_key_share": 1}),  # fewer heads are copied for a mask
    # unfused products copy values, unless they are those of one sequence and of as many heads
    truth(a.kept_projection_size, 0, **PROJECTED | {"scores_stored": 1, "key_value_size": 4096}),
    truth(
        a.kept_projection_size, 8192, **PROJECTED | {"scores_stored": 1, "key_value_size": 4096, "batch_of_one_row": 1}
    ),
    # DeepSeek-V3: keys without position, 128 heads of 128, lie in one matrix with the values of the same width
    truth(a.latent_key_size, 128 * 128, kv_lora_rank=512, num_attention_heads=128, qk_nope_head_dim=128),
    truth(a.saved_value_size, 128 * 128, kv_lora_rank=512, value_size=16_384, **KEYS),
    truth(a.saved_value_size, 1024, kv_lora_rank=0, value_size=4096, **KEYS | {"saved_key_value_size": 1024}),
    truth(  # of 1,536 for queries and 512: FP32 input and 16-bit value of the norm, 16-bit input of the projection
        n.latent_activation_bytes,
        2048 * (4 + 2 + 2) + 2 * 4,
        q_lora_rank=1536,
        kv_lora_rank=512,
        qk_norm_element_bytes=6,
        keeps_linear_inputs=1,
        linear_input_element_bytes=2,
    ),
    truth(
        a.attention_saved_size,
        4096 + 2 * 1024 + 2 * 4096 + 5120 + 30 + 7,
        query_size=4096,
        saved_key_value_size=1024,
        saved_value_size=1024,
        value_size=4096,
        attention_output_values=2,
        kept_projection_size=5120,
        gate_saved_size=30,
        padded_value_size=7,
    ),
    truth(
        a.attention_activation_bytes,
        4 * H * 2 + 32 * 4,
        attention_saved_size=4 * H,
        activation_element_bytes=2,
        num_attention_heads=32,
        scores_stored=0,
        scores_in_fp32=1,
        query_size=H,
        saved_key_value_size=H,
        fp8_output_input_bytes=0,
        narrow_output_surplus_bytes=0,
    ),
    truth(  # GPT-J without a fused kernel: queries and keys in FP32
        a.attention_activation_bytes,
        4 * H * 2 + 2 * H * 2,
        attention_saved_size=4 * H,
        activation_element_bytes=2,
        num_attention_heads=32,
        scores_stored=1,
        scores_in_fp32=1,
        query_size=H,
        saved_key_value_size=H,
        fp8_output_input_bytes=0,
        narrow_output_surplus_bytes=0,
    ),
    truth(a.softmax_element_bytes, 4, softmax_in_fp32=0, autocast=1, softmax_type_named=0, activation_element_bytes=2),
    truth(a.softmax_element_bytes, 2, softmax_in_fp32=0, autocast=1, softmax_type_named=1, activation_element_bytes=2),
    truth(a.softmax_element_bytes, 2, softmax_in_fp32=0, autocast=0, softmax_type_named=0, activation_element_bytes=2),
    truth(
        a.score_bytes,
        4 + 2,
        softmax_element_bytes=4,
        activation_element_bytes=2,
        attention_dropout=0,
        attention_softcap=0,
        fuses_layers=0,
        fused_score_bytes=0,
    ),
    truth(
        a.score_bytes,
        2 + 2 + 1 + 2,
        softmax_element_bytes=2,
        activation_element_bytes=2,
        attention_dropout=0.1,
        attention_softcap=1,
        fuses_layers=0,
        fused_score_bytes=0,
    ),
    truth(
        a.score_bytes,
        5,
        softmax_element_bytes=4,
        activation_element_bytes=2,
        attention_dropout=0,
        attention_softcap=0,
        fuses_layers=1,
        fused_score_bytes=5,
    ),
    truth(a.score_activation_bytes, 32 * 2048 * 6, score_bytes=6, scores_stored=1, recomputes_scores=0, **SCORES),
    truth(a.score_activation_bytes, 0, score_bytes=6, scores_stored=1, recomputes_scores=1, **SCORES),
    truth(a.score_activation_bytes, 0, score_bytes=6, scores_stored=0, recomputes_scores=0, **SCORES),
]
SQUARED = {"activation_widened_values": 3, "mlp_element_bytes": 2}
OF_HF = {"native_activations": 0, "mlp_element_bytes": 2, "frozen_function_values": 0}
EAGER, FUSED = ({"layers_fused": fused, "torch_compile": 0, "activation_saves_result": 0, **OF_HF} for fused in (0, 1))
RELU = {"activation_saves_result": 1, "activation_saved_values": 0, "gated_mlp": 0}
COMPILED_RELU = {**RELU, "layers_fused": 1, "torch_compile": 1}
MLP = [
    truth(m.activation_function_values, 3, gated_mlp=1, activation_saved_values=1, **EAGER),
    truth(m.activation_function_values, 2, gated_mlp=1, activation_saved_values=1, **FUSED),
    truth(m.activation_function_values, 4, gated_mlp=0, activation_saved_values=4, **EAGER),
    truth(m.activation_function_values, 0, **{**EAGER, **RELU}),
    truth(m.activation_function_values, 0, **{**FUSED, **RELU}),
    truth(m.activation_function_values, 1 / 2, **{**OF_HF, **COMPILED_RELU}),  # a mask of a byte beside two of a value
    truth(m.down_input_values, 0, **{**IN_16_BIT, **RELU_READ, "torch_compile": 1}),
    truth(m.down_input_values, 1, keeps_linear_inputs=1, gated_mlp=1, activation_saves_result=0, **IN_16_BIT),
    truth(m.down_input_values, 0, keeps_linear_inputs=0, gated_mlp=1, activation_saves_result=1, **IN_16_BIT),
    truth(m.down_input_values, 1, **RELU_READ, **IN_16_BIT),
    truth(m.down_input_values, 0, keeps_linear_inputs=1, gated_mlp=1, activation_saves_result=0, **IN_FP8),
    truth(m.mlp_saved_values, 4, activation_function_values=3, down_input_values=1),
    truth(m.widened_backward_bytes, 3 * 2, autocast=1, layers_fused=0, **SQUARED),
    truth(m.widened_backward_bytes, 0, autocast=1, layers_fused=1, **SQUARED),
    truth(m.widened_backward_bytes, 0, autocast=0, layers_fused=0, **SQUARED),
    truth(
        m.widened_activation_bytes,
        6,
        autocast=1,
        layers_fused=0,
        activation_wide_values=4,
        frozen_function_values=1,
        mlp_element_bytes=2,
    ),
    truth(m.frozen_function_values, 1, trains_base=0, activation_parameter_values=1),
    truth(m.frozen_function_values, 0, trains_base=1, activation_parameter_values=1),
    truth(m.mlp_element_bytes, 4, base_quantised=1, residual_element_bytes=4, activation_element_bytes=2),
    truth(m.mlp_element_bytes, 2, base_quantised=0, residual_element_bytes=4, activation_element_bytes=2),
    truth(
        m.mlp_activation_bytes,
        F * 16 + (F - 1000) * 2,
        mlp_width_per_token=F,
        mlp_saved_element_bytes=16,
        adapted_mlp_width=1000,
        routed_down_surplus_bytes=2,
    ),
    truth(m.routed_down_surplus_bytes, -2, adapts_expert_down=0, down_input_values=1, **ROUTED),
    truth(m.routed_down_surplus_bytes, 2, adapts_expert_down=1, down_input_values=0, **ROUTED),
    truth(
        m.mlp_saved_element_bytes,
        5 * 2 + 6,
        mlp_saved_values=5,
        mlp_element_bytes=2,
        widened_activation_bytes=6,
        fp8_down_input_bytes=0,
        activation_func_fp8_input_store=0,
        activation_function_values=4,
    ),
    truth(  # DeepSeek-V3: gate and up in FP8, the down projection's input with its scales
        m.mlp_saved_element_bytes,
        1 + 1 + 1.03125,
        mlp_saved_values=2,
        mlp_element_bytes=2,
        widened_activation_bytes=0,
        fp8_down_input_bytes=1.03125,
        activation_func_fp8_input_store=1,
        activation_function_values=2,
    ),
]
TRUTHS = ATTENTION + MLP


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    parts, told = (figures_in(n), figures_in(a), figures_in(m), figures_in(d)), NORMS + TRUTHS + ADAPTERS + SAVED
    assert {one[0].name for one in told} == {figure.name for part in parts for figure in part}


LITGPT = (
    "{method: lora, framework: litgpt, lora_rank: 8, target_modules: [q_proj, v_proj], adapter_dtype: bf16, "
    "lora_dropout: 0.05, precision: bf16-pure, sequence_length: 256}"
)
PHI = (
    "{%s, num_attention_heads: 8, intermediate_size: 2048, gated_mlp: false, norms_per_layer: 1, "
    "parallel_residual: true, hidden_act: gelu_new, norm: layernorm, norm_bias: true}"
)


@pytest.mark.parametrize(
    ("model", "counted"),
    [  # LitGPT at 8641822 on torch 2.13, one byte a mask as on a GPU, without the index that all tokens share;
        # each of two norms as change 606 has it, counted alone: 2,052 bytes a token in FP32 for 1,026 in 16 bits
        ("{%s, num_attention_heads: 8, intermediate_size: 1376}", 20_100 + 2 * (2052 - 1026)),
        (PHI, 14_916),
    ],
)
def test_litgpt_saves_what_its_code_was_counted_to_save(tmp_path: Path, model: str, counted: int) -> None:
    sizes = "hidden_size: 512, num_hidden_layers: 2, num_key_value_heads: 8, head_dim: 64, vocab_size: 2048"
    text = scenario_text(model=model % f"{sizes}, max_position_embeddings: 2048", training=LITGPT)
    found = value(run(tmp_path, text), "layer_activation_bytes_per_token")
    assert found == pytest.approx(counted, rel=0.001)


@pytest.mark.parametrize(
    ("settings", "counted"),
    [
        ("precision: bf16-pure", 13_608),
        ("precision: bf16-pure, torch_compile: true", 10_280),
        ("precision: bf16-autocast, torch_compile: true", 15_016 - 3712),  # less 16-bit copies of the layer's weights
    ],
)
def test_layers_of_grouped_queries_keep_what_torch_counts(tmp_path: Path, settings: str, counted: int) -> None:
    """A small Llama of transformers 5.24 on torch 2.13, four layers less two; compiled through AOTAutograd."""
    sizes = "hidden_size: 256, num_hidden_layers: 4, num_attention_heads: 8, num_key_value_heads: 2, head_dim: 32"
    model = f"{{{sizes}, intermediate_size: 1024, vocab_size: 512, max_position_embeddings: 1024}}"
    job = "attention: sdpa, micro_batch_size: 2, sequence_length: 256"
    found = run(tmp_path, scenario_text(model=model, training=f"{{{job}, {settings}}}"))
    assert value(found, "layer_activation_bytes_per_token") == counted
