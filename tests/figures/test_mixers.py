"""What layers with linear attention keep, and kernels that do not take heads as they are; computed by hand."""

from __future__ import annotations

import pytest

from memreport.figures.training.saved import mixers as m
from memreport.figures.training.saved import wide_heads as w
from memreport.formula.recording import Figure
from tests.support import named, truth

LAYERS = {"num_hidden_layers": 32.0, "mixer_share": 1.0, "attention_layers": 8.0}
QWEN = {"linear_attention_kept_values": 22560, "linear_attention_trained_values": 8192} | {
    "linear_attention_kept_fp32_values": 12448, "num_linear_attention_layers": 24, "num_hidden_layers": 32,
}  # fmt: skip
UNSCALED = {"linear_attention_scaled_values": 4096, "residual_element_bytes": 2}
ADAPTED_NETS = {"linear_attention_adapter_widths": 36_928, "num_linear_attention_layers": 24, "num_hidden_layers": 32}
MIXERS = {"separate_linear_copies": 3, "attention_layers": 8, "num_linear_attention_layers": 24}
STREAMS = {"num_residual_streams": 4, "residual_stream_values": 100, "hidden_size": 4096} | {
    "residual_element_bytes": 2, "activation_element_bytes": 2,
}  # fmt: skip
GATE = {
    "gate_per_head": 0,
    "num_attention_heads": 32,
    "value_size": 4096,
    "output_input_saved": 0,
    "head_major_query": 0,
    "scores_stored": 0,
}
DEEPSEEK = {"runs_transformers_layers": 1, "kv_lora_rank": 512, "query_size": 24_576, "value_size": 16_384} | {
    "scores_stored": 0, "windows_as_masks": 0,
}  # fmt: skip
GEMMA = {"runs_transformers_layers": 1, "windows_as_masks": 1, "repeated_key_share": 0, "global_layer_share": 1 / 6} | {
    "num_attention_heads": 32, "num_global_key_value_heads": 4,
}  # fmt: skip
TRUTHS = [
    truth(w.padded_values, 1, **DEEPSEEK),
    truth(w.padded_values, 0, **DEEPSEEK | {"windows_as_masks": 1}),
    truth(w.padded_values, 0, **DEEPSEEK | {"scores_stored": 1}),
    truth(w.padded_value_size, 8192, padded_values=1, query_size=24_576, value_size=16_384),
    truth(w.repeated_global_size, 28 * 512 / 6, global_head_dim=512, **GEMMA),
    truth(w.repeated_global_size, 0, global_head_dim=256, **GEMMA),
    truth(m.attention_mixer_share, 0.25, linear_attention_kept_values=22560, **LAYERS),
    truth(m.attention_mixer_share, 1, linear_attention_kept_values=0, **LAYERS),
    truth(  # Qwen3.5 9B: three of four layers; frozen ones keep no input of their last matrix
        m.linear_attention_activation_bytes,
        0.75 * ((22560 + 8192) * 2 + 12448 * 4),
        keeps_linear_inputs=1,
        activation_element_bytes=2,
        **QWEN | UNSCALED,
    ),
    truth(
        m.linear_attention_activation_bytes,
        0.75 * (22560 * 2 + 12448 * 4),
        keeps_linear_inputs=0,
        activation_element_bytes=2,
        **QWEN | UNSCALED,
    ),
    truth(  # under autocast what FP32 weights scale is FP32
        m.linear_attention_activation_bytes,
        0.75 * (22560 * 2 + 4096 * 2 + 12448 * 4),
        keeps_linear_inputs=0,
        activation_element_bytes=2,
        **QWEN | UNSCALED | {"residual_element_bytes": 4},
    ),
    truth(m.linear_mixer_share, 0.75, trains_adapters=1, lora_linear_attn=1, **ADAPTED_NETS),
    truth(m.linear_mixer_share, 0, trains_adapters=1, lora_linear_attn=0, **ADAPTED_NETS),
    truth(
        m.linear_output_share,
        0.75,
        trains_adapters=1,
        lora_linear_out=1,
        linear_attention_output_size=4096,
        linear_attention_joins_output=0,
        num_linear_attention_layers=24,
        num_hidden_layers=32,
    ),
    truth(  # DeepSeek-V3: 1,536 and 512 instead of 7,168
        m.latent_input_surplus,
        1536 + 512 - 2 * 7168,
        lora_q_proj=1,
        names_both_queries=1,
        targets_q_b_proj=0,
        q_lora_rank=1536,
        lora_v_proj=1,
        kv_lora_rank=512,
        hidden_size=7168,
        attention_mixer_share=1,
        trains_adapters=1,
        separate_adapter_inputs=1,
    ),
    truth(
        m.latent_input_surplus,
        0,
        lora_q_proj=1,
        names_both_queries=1,
        targets_q_b_proj=0,
        q_lora_rank=0,
        lora_v_proj=1,
        kv_lora_rank=0,
        hidden_size=7168,
        attention_mixer_share=1,
        trains_adapters=1,
        separate_adapter_inputs=1,
    ),
    truth(m.mixer_input_matrices, 3, linear_attention_input_matrices=0, **MIXERS),
    truth(m.mixer_input_matrices, (8 * 3 + 24 * 4) / 32, linear_attention_input_matrices=4, **MIXERS),
    truth(m.stream_activation_bytes, 2 * (4 * 4096 * 10 + 4096 * 2 + 400), trains_base=1, **STREAMS),
    truth(m.stream_activation_bytes, 2 * (4 * 4096 * 6 + 4096 * 2 + 400), trains_base=0, **STREAMS),
    truth(m.stream_activation_bytes, 0, trains_base=1, **STREAMS | {"num_residual_streams": 0}),
    truth(m.gate_saved_size, 3 * 32 + 4096, attention_output_gate=1, **GATE | {"gate_per_head": 1, "scores_stored": 1}),
    truth(m.gate_saved_size, 0, attention_output_gate=0, **GATE),
    truth(m.gate_saved_size, 4096, attention_output_gate=1, **GATE),
    truth(m.gate_saved_size, 2 * 4096, attention_output_gate=1, **GATE | {"head_major_query": 1}),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_linear_attention(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == pytest.approx(expected, rel=1e-12)
