"""What layers with linear attention keep where attention keeps queries, keys and values; a gate after attention."""

from __future__ import annotations

from memreport.figures.constants import FP32_BYTES, ONE_TOKEN, THREE, TWO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("f_attl")
def attention_mixer_share(
    linear_attention_kept_values: Count, attention_layers: Count, num_hidden_layers: Count, mixer_share: Share
) -> Share:
    """Share of the layers that keep what attention keeps.  Source: HF config `layer_types`."""
    return where(linear_attention_kept_values > 0, attention_layers / num_hidden_layers, mixer_share)


@figure("n_mix")
def mixer_input_matrices(
    separate_linear_copies: Count,
    linear_attention_input_matrices: Count,
    attention_layers: Count,
    num_linear_attention_layers: Count,
) -> Count:
    """Matrices that read a mixer's input, each with a copy of its own under autocast, in the mean of the layers.

    Source: HF `Qwen3_5GatedDeltaNet` (four), `BambaMixer`, `Lfm2ShortConv` (one); torch 2.13, counted.
    """
    return where(
        linear_attention_input_matrices > 0,
        (attention_layers * separate_linear_copies + num_linear_attention_layers * linear_attention_input_matrices)
        / larger(attention_layers + num_linear_attention_layers, 1),
        separate_linear_copies,
    )


@figure("a_lin", basis="measured")
def linear_attention_activation_bytes(
    num_linear_attention_layers: Count,
    num_hidden_layers: Count,
    linear_attention_kept_values: Count,
    linear_attention_trained_values: Count,
    linear_attention_kept_fp32_values: Count,
    linear_attention_scaled_values: Count,
    keeps_linear_inputs: Switch,
    residual_element_bytes: Bytes,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """What linear attention keeps, spread over all layers, with the kernels of its packages.

    Source: causal-conv1d `CausalConv1dFn`, fla `ChunkGatedDeltaRuleFunction`, mamba-ssm
    `MambaSplitConv1dScanCombinedFn`; torch 2.13, counted.
    """
    return (
        num_linear_attention_layers
        / num_hidden_layers
        * (
            (linear_attention_kept_values + keeps_linear_inputs * linear_attention_trained_values)
            * activation_element_bytes
            + linear_attention_kept_fp32_values * FP32_BYTES
            + linear_attention_scaled_values * (residual_element_bytes - activation_element_bytes)
        )
        / ONE_TOKEN
    )


@figure("a_hc", basis="measured")
def stream_activation_bytes(
    num_residual_streams: Count,
    residual_stream_values: Count,
    hidden_size: Count,
    trains_base: Switch,
    residual_element_bytes: Bytes,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """What mixing several residual streams before and after both sublayers keeps: streams, FP32 copies, answers.

    Source: HF `DeepseekV4HyperConnection`, `DeepseekV4DecoderLayer`; torch 2.13, counted.
    """
    return (
        (num_residual_streams > 0)
        * TWO
        * (
            num_residual_streams * hidden_size * ((1 + trains_base) * FP32_BYTES + residual_element_bytes)
            + hidden_size * activation_element_bytes
            + residual_stream_values * FP32_BYTES
        )
        / ONE_TOKEN
    )


@figure("D_gate")
def gate_saved_size(
    attention_output_gate: Switch,
    gate_per_head: Switch,
    num_attention_heads: Count,
    value_size: Count,
    output_input_saved: Switch,
    head_major_query: Switch,
    scores_stored: Switch,
) -> Count:
    """Width of a gate after its sigmoid, and of what it multiplies, which nothing else keeps.

    Source: HF `Qwen3NextAttention.forward`, `LagunaAttention.forward`; torch 2.13, counted.
    """
    # A gate of one number a head is kept in FP32, too, as its function reads it.
    return attention_output_gate * (
        where(gate_per_head > 0, THREE * num_attention_heads, value_size)
        + value_size * larger(output_input_saved, head_major_query, scores_stored)
    )
