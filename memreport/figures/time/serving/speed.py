"""Bounds of serving: the least that a prefill, a decode step and an answer take, with the whole bandwidth and peak."""

from memreport.figures.constants import ONE_TOKEN, REDUCTIONS_PER_LAYER
from memreport.figures.constants.times import PRODUCTS_PER_LAYER, SHORTEST_ALL_REDUCE_SECONDS, SHORTEST_PRODUCT_SECONDS
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
from memreport.formula.words import larger, where


@figure(
    "t_lat", source="ai-dynamo/aiconfigurator's operator tables (095f58a), shortest latencies of any data-centre GPU"
)
def decode_latency_seconds(num_hidden_layers: Count, decode_layer_share: Share, tensor_parallel_size: Count) -> Seconds:
    """Floor of a decode step: four products a layer, and two all-reduces where GPUs share layers."""
    return num_hidden_layers * decode_layer_share * PRODUCTS_PER_LAYER * SHORTEST_PRODUCT_SECONDS + where(
        tensor_parallel_size > 1, num_hidden_layers * REDUCTIONS_PER_LAYER * SHORTEST_ALL_REDUCE_SECONDS, 0
    )


@figure("t_pre", scope="one replica")
def prefill_seconds_bound(
    prefill_seconds_at_roof: Seconds, summing_factor: Share, prefill_communication_seconds: Seconds
) -> Seconds:
    """Lower bound of a prefill: one stage's work or all-reduces; the stages of a pipeline may overlap by chunks.

    Source: 004 'Mental Model: The Roofline'; sums in 16 bit may be faster than the peak, which is of wider ones.
    """
    return larger(prefill_seconds_at_roof / summing_factor, prefill_communication_seconds)


@figure("Q_dec")
def decode_layer_bytes(
    qkv_projection_weights: Count,
    output_projection_weights: Count,
    attention_element_bytes: Bytes,
    plain_mlp_weights: Count,
    decode_expert_weights: Count,
    weight_element_bytes: Bytes,
    decode_layer_share: Share,
) -> Bytes:
    """Weights of the layers that one GPU reads for one decode step.  Source: 002 'KV Cache Dominates'."""
    return decode_layer_share * (
        (qkv_projection_weights + output_projection_weights) * attention_element_bytes
        + (plain_mlp_weights + decode_expert_weights) * weight_element_bytes
    )


@figure("Q_head")
def head_weight_bytes(head_matrix_parameters: Count, tensor_parallel_size: Count, other_element_bytes: Bytes) -> Bytes:
    """The head's matrix, which the last stage alone reads.  Source: arXiv:2104.04473, section 2.2."""
    return head_matrix_parameters * other_element_bytes / tensor_parallel_size


@figure("t_dbw", source="002 'KV Cache Dominates'")
def decode_traffic_seconds(
    decode_layer_bytes: Bytes,
    pipeline_parallel_size: Count,
    head_weight_bytes: Bytes,
    decoding_sequences: Count,
    mean_sequence_bytes: Bytes,
    memory_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """Time to read weights and cache once at the whole bandwidth, stage after stage, the head once."""
    return (
        decode_layer_bytes * pipeline_parallel_size + head_weight_bytes + decoding_sequences * mean_sequence_bytes
    ) / memory_bytes_per_second


@figure("W_dnh")
def decode_layer_flop(decode_step_kernel_flop: Flop, decode_head_flop: Flop) -> Flop:
    """Work of one stage's layers in a decode step.  Source: subtraction."""
    return decode_step_kernel_flop - decode_head_flop


@figure("t_dec", scope="one replica", source="004 'Mental Model: The Roofline'")
def decode_step_seconds_bound(
    decode_traffic_seconds: Seconds,
    decode_layer_flop: Flop,
    decode_latency_seconds: Seconds,
    pipeline_parallel_size: Count,
    peak_flop_per_second: FlopPerSecond,
    decode_communication_seconds: Seconds,
) -> Seconds:
    """Lower bound of one token for every running sequence: the longest of traffic, work, all-reduces and launches."""
    return larger(
        decode_traffic_seconds,
        decode_layer_flop * pipeline_parallel_size / peak_flop_per_second,
        decode_communication_seconds * pipeline_parallel_size,
        decode_latency_seconds,
    )


@figure("v_dec", scope="one replica")
def decode_tokens_per_second_bound(
    decoding_sequences: Count, accepted_tokens: Count, decode_step_seconds_bound: Seconds
) -> TokensPerSecond:
    """Tokens decoded per second by one copy of the model: an upper bound.  Source: division."""
    return decoding_sequences * accepted_tokens * ONE_TOKEN / decode_step_seconds_bound


@figure("v_dec1", scope="one user")
def sequence_tokens_per_second_bound(accepted_tokens: Count, decode_step_seconds_bound: Seconds) -> TokensPerSecond:
    """Tokens per second that one user sees: an upper bound.  Source: division."""
    return accepted_tokens * ONE_TOKEN / decode_step_seconds_bound


@figure("TTFT_b")
def time_to_first_token_bound(prefill_seconds_bound: Seconds, prompts_ahead: Count) -> Seconds:
    """Lower bound of the wait for the first token, behind the given number of prompts.  Source: addition."""
    return prefill_seconds_bound * (1 + prompts_ahead)


@figure("t_req_b")
def request_seconds_bound(
    time_to_first_token_bound: Seconds, output_tokens: Tokens, sequence_tokens_per_second_bound: TokensPerSecond
) -> Seconds:
    """Lower bound of a whole answer, whose first token the prefill gives.  Source: addition."""
    return time_to_first_token_bound + (output_tokens - ONE_TOKEN) / sequence_tokens_per_second_bound


@figure(
    "v*_b", scope="all GPUs", source="an answer takes the arithmetic of its prefill and its part of every decode step"
)
def tokens_per_second_bound(
    sharding_size: Count,
    output_tokens: Tokens,
    prefill_kernel_flop: Flop,
    peak_flop_per_second: FlopPerSecond,
    summing_factor: Share,
    prompts_together: Count,
    decode_tokens_per_second_bound: TokensPerSecond,
) -> TokensPerSecond:
    """Tokens generated per second by all GPUs, prefill included: an upper bound at full load."""
    return (
        sharding_size * output_tokens
        / (
            prefill_kernel_flop / (peak_flop_per_second * summing_factor) / prompts_together
            + (output_tokens - ONE_TOKEN) / decode_tokens_per_second_bound
        )
    )  # fmt: skip
