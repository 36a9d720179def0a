"""Speed of serving: bounds of prefill, decoding and whole answers, each called what it is."""

from __future__ import annotations

from memreport.figures.constants import ONE_TOKEN
from memreport.figures.quantities import (
    Bytes,
    BytesPerSecond,
    Count,
    Flop,
    FlopPerSecond,
    Seconds,
    Share,
    Tokens,
    TokensPerSecond,
)
from memreport.formula.recording import figure
from memreport.formula.words import larger


@figure("t_pre")
def prefill_seconds_bound(
    prefill_seconds_at_roof: Seconds, prefill_communication_seconds: Seconds, pipeline_parallel_size: Count
) -> Seconds:
    """Lower bound of a prefill: every stage in turn, at the roof or by its all-reduces where those take longer.

    Source: 004 'Mental Model: The Roofline'.
    """
    return larger(prefill_seconds_at_roof, prefill_communication_seconds) * pipeline_parallel_size


@figure("Q_dec")
def decode_weight_bytes(
    qkv_projection_weights: Count,
    output_projection_weights: Count,
    decode_mlp_weights: Count,
    weight_element_bytes: Bytes,
    head_matrix_parameters: Count,
    other_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> Bytes:
    """Weights that one accelerator reads for one decode step.  Source: 002 'KV Cache Dominates'."""
    return (
        (qkv_projection_weights + output_projection_weights + decode_mlp_weights) * weight_element_bytes
        + head_matrix_parameters * other_element_bytes / tensor_parallel_size
    )  # fmt: skip


@figure("t_dbw")
def decode_traffic_seconds(
    decode_weight_bytes: Bytes,
    pipeline_parallel_size: Count,
    max_num_seqs: Count,
    kv_sequence_bytes: Bytes,
    memory_bytes_per_second: BytesPerSecond,
    memory_bandwidth_share: Share,
) -> Seconds:
    """Time to read weights and cache once at the bandwidth that is really reached.

    Source: 002 'KV Cache Dominates'; NVIDIA aiconfigurator plans with 0.8 of the peak.
    """
    return (
        (decode_weight_bytes * pipeline_parallel_size + max_num_seqs * kv_sequence_bytes)
        / (memory_bytes_per_second * memory_bandwidth_share)
    )  # fmt: skip


@figure("t_dec")
def decode_step_seconds_bound(
    decode_traffic_seconds: Seconds,
    decode_step_kernel_flop: Flop,
    decode_communication_seconds: Seconds,
    pipeline_parallel_size: Count,
    peak_flop_per_second: FlopPerSecond,
) -> Seconds:
    """Lower bound of one token for every running sequence: memory traffic, arithmetic or all-reduces, the longest.

    Source: 004 'Mental Model: The Roofline'.
    """
    return larger(
        decode_traffic_seconds,
        decode_step_kernel_flop * pipeline_parallel_size / peak_flop_per_second,
        decode_communication_seconds * pipeline_parallel_size,
    )


@figure("v_dec")
def decode_tokens_per_second_bound(max_num_seqs: Count, decode_step_seconds_bound: Seconds) -> TokensPerSecond:
    """Tokens decoded per second by one copy of the model: an upper bound.  Source: division."""
    return max_num_seqs * ONE_TOKEN / decode_step_seconds_bound


@figure("v_dec1")
def sequence_tokens_per_second_bound(decode_step_seconds_bound: Seconds) -> TokensPerSecond:
    """Tokens per second that one user sees: an upper bound.  Source: division."""
    return ONE_TOKEN / decode_step_seconds_bound


@figure("TTFT")
def time_to_first_token_bound(prefill_seconds_bound: Seconds, prompts_ahead: Count) -> Seconds:
    """Lower bound of the wait for the first token, behind the given number of prompts.  Source: addition."""
    return prefill_seconds_bound * (1 + prompts_ahead)


@figure("t_req")
def request_seconds_bound(
    time_to_first_token_bound: Seconds, output_tokens: Tokens, decode_step_seconds_bound: Seconds
) -> Seconds:
    """Lower bound of a whole answer, whose first token the prefill gives.  Source: addition."""
    return time_to_first_token_bound + (output_tokens - ONE_TOKEN) / ONE_TOKEN * decode_step_seconds_bound


@figure("v*")
def tokens_per_second(
    sharding_size: Count,
    output_tokens: Tokens,
    prefill_seconds_bound: Seconds,
    prefill_sequences: Count,
    decode_step_seconds_bound: Seconds,
    max_num_seqs: Count,
) -> TokensPerSecond:
    """Tokens generated per second by all accelerators, prefill included: an upper bound at full load.

    Source: time per answer is its prefill, which gives the first token, and its part of every decode step.
    """
    return (
        sharding_size * output_tokens
        / (
            prefill_seconds_bound / prefill_sequences
            + (output_tokens - ONE_TOKEN) / ONE_TOKEN * decode_step_seconds_bound / max_num_seqs
        )
    )  # fmt: skip


FIGURES = (
    prefill_seconds_bound,
    decode_weight_bytes,
    decode_traffic_seconds,
    decode_step_seconds_bound,
    decode_tokens_per_second_bound,
    sequence_tokens_per_second_bound,
    time_to_first_token_bound,
    request_seconds_bound,
    tokens_per_second,
)
