"""What layers with linear attention keep where attention keeps queries, keys and values; a gate after attention."""

from __future__ import annotations

from memreport.figures.constants import FP32_BYTES, ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("f_attl")
def attention_mixer_share(
    linear_attention_kept_values: Count, attention_layers: Count, num_hidden_layers: Count, mixer_share: Share
) -> Share:
    """Share of the layers that keep what attention keeps.  Source: HF config `layer_types`."""
    return where(linear_attention_kept_values > 0, attention_layers / num_hidden_layers, mixer_share)


@figure("a_lin", basis="measured")
def linear_attention_activation_bytes(
    num_linear_attention_layers: Count,
    num_hidden_layers: Count,
    linear_attention_kept_values: Count,
    linear_attention_trained_values: Count,
    linear_attention_kept_fp32_values: Count,
    keeps_linear_inputs: Switch,
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
        )
        / ONE_TOKEN
    )


@figure("D_gate")
def gate_saved_size(
    attention_output_gate: Switch,
    value_size: Count,
    output_input_saved: Switch,
    head_major_query: Switch,
    scores_stored: Switch,
) -> Count:
    """Width of a gate after its sigmoid, and of what it multiplies, which nothing else keeps.

    Source: HF `Qwen3NextAttention.forward`; torch 2.13, counted.
    """
    return attention_output_gate * value_size * (1 + larger(output_input_saved, head_major_query, scores_stored))
