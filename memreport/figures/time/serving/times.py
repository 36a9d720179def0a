"""Computed times of serving in steady state: per token, to the first token, per answer, each with its range."""

from memreport.figures.constants import ONE_TOKEN, TWO
from memreport.figures.constants.times import HOST_COPY_SHARE, HOST_READ_SHARE, SAMPLING_BYTES
from memreport.figures.quantities import (
    Bytes,
    BytesPerSecond,
    Count,
    PerSecond,
    Seconds,
    Share,
    Switch,
    Tokens,
    TokensPerSecond,
)
from memreport.figures.time.reached import above, below
from memreport.formula.recording import Figure, Line, bound_line, figure
from memreport.formula.words import ceil, larger, power, smaller, total, where


@figure("T_mean")
def mean_cached_tokens(prompt_tokens: Tokens, output_tokens: Tokens) -> Tokens:
    """Tokens of a running sequence in the mean of its life.  Source: the output grows from nothing to its length."""
    return prompt_tokens + output_tokens / TWO


@figure("S_run", scope="one replica")
def decoding_sequences(
    max_num_seqs: Count,
    cuda_graph_padding: Switch,
    kv_pool_bytes: Bytes,
    pooled_mean_bytes: Bytes,
    makes_tokens: Switch,
) -> Count:
    """Sequences in a step of one replica: as many as allowed, or as the cache admits at their mean length.

    Source: arXiv:2309.06180, section 4.3; TensorRT-LLM `CUDAGraphRunner`, whose dummy request takes a place.
    """
    return smaller(
        larger(max_num_seqs - cuda_graph_padding, 1),
        larger(where(makes_tokens > 0, kv_pool_bytes / pooled_mean_bytes, max_num_seqs), 1),
    )


@figure("n_acc", source="arXiv:2211.17192, equation 1")
def accepted_tokens(acceptance_rate: Share, speculative_tokens: Count) -> Count:
    """Tokens that a sequence gains in one step: one, and the drafted ones that are accepted."""
    return (1 - power(acceptance_rate, speculative_tokens + 1)) / (1 - acceptance_rate)


@figure("t_smp", basis="measured")
def sampling_seconds(decode_rows: Count, vocab_size: Count, value_bytes_per_second: BytesPerSecond) -> Seconds:
    """Logits on their way through the sampler, whole on every rank.  Source: vLLM V1 sampler."""
    return decode_rows * vocab_size * SAMPLING_BYTES / value_bytes_per_second


@figure("t_hst", basis="measured")
def host_seconds(host_step_seconds: Seconds, host_sequence_seconds: Seconds, decoding_sequences: Count) -> Seconds:
    """Host time of a step that the GPU waits for: scheduling, detokenising.  Source: the engine's row, fitted."""
    return host_step_seconds + host_sequence_seconds * decoding_sequences


@figure("f_rd", source="arXiv:2401.04088, section 2.1")
def hosted_read_share(
    qkv_projection_weights: Count,
    output_projection_weights: Count,
    plain_mlp_weights: Count,
    decode_expert_weights: Count,
    rank_expert_weights: Count,
    nominal_factor: Count,
) -> Share:
    """Share of the layers' matrices that a decode step reads: of routed experts those that are chosen."""
    return total(qkv_projection_weights, output_projection_weights, plain_mlp_weights, decode_expert_weights) / total(
        qkv_projection_weights, output_projection_weights, plain_mlp_weights, rank_expert_weights * nominal_factor
    )


@figure("B_hw", basis="rule of thumb")
def hosted_bytes_per_second(
    embeds_on_host: Switch, host_memory_bytes_per_second: BytesPerSecond, host_link_bytes_per_second: BytesPerSecond
) -> BytesPerSecond:
    """Rate at which weights on the host are read: by its processor, which multiplies with them, or over the link.

    Source: llama.cpp runs layers where they lie; vLLM `cpu_offload_gb` reads them from each GPU.
    """
    return where(
        embeds_on_host > 0, host_memory_bytes_per_second * HOST_READ_SHARE, host_link_bytes_per_second * HOST_COPY_SHARE
    )


@figure("t_hw", basis="rule of thumb", source="division; llama.cpp `--n-cpu-moe`")
def hosted_step_seconds(
    host_layer_bytes: Bytes,
    hosted_read_share: Share,
    offloaded_weight_bytes: Bytes,
    rank_expert_weights: Count,
    decode_expert_share: Share,
    hosted_bytes_per_second: BytesPerSecond,
    pipeline_parallel_size: Count,
) -> Seconds:
    """What weights on the host add to a decode step; of a mixture it is experts that are offloaded."""
    return (
        total(
            host_layer_bytes * hosted_read_share,
            offloaded_weight_bytes * where(rank_expert_weights > 0, decode_expert_share, 1),
        )
        / hosted_bytes_per_second * pipeline_parallel_size
    )  # fmt: skip


@figure("t_hp", basis="rule of thumb")
def hosted_prompt_seconds(
    host_layer_bytes: Bytes,
    offloaded_weight_bytes: Bytes,
    host_link_bytes_per_second: BytesPerSecond,
    prefill_chunks: Count,
) -> Seconds:
    """What they add to the prompts of one pass: each chunk takes them all over the link.

    Source: llama.cpp copies weights to the GPU for batches of 32 and more (`ggml_backend_cuda_device_offload_op`).
    """
    return (host_layer_bytes + offloaded_weight_bytes) / (host_link_bytes_per_second * HOST_COPY_SHARE) * prefill_chunks


@figure("t_stg", basis="measured", family=True)
def decode_passing_seconds(
    decode_stage_seconds: Seconds,
    all_reduce_seconds: Seconds,
    waited_exchange_seconds: Seconds,
    copied_cache_seconds: Seconds,
    spread_weight_seconds: Seconds,
    recurrent_kernel_seconds: Seconds,
    launching_seconds: Seconds,
    pipeline_parallel_size: Count,
    network_latency_seconds: Seconds,
) -> Seconds:
    """Time of a step in the layers, stage after stage.  Source: arXiv:2104.04473, section 2.2."""
    return (
        pipeline_parallel_size
        * larger(
            total(
                *(decode_stage_seconds, all_reduce_seconds, waited_exchange_seconds, copied_cache_seconds),
                *(spread_weight_seconds, recurrent_kernel_seconds),
            ),
            launching_seconds,
        )
        + (pipeline_parallel_size - 1) * network_latency_seconds
    )


@figure("t_step", basis="measured", family=True, scope="one replica", source="sum of its parts")
def decode_step_seconds(
    decode_passing_seconds: Seconds,
    head_seconds: Seconds,
    exposed_unpacking_seconds: Seconds,
    sampling_seconds: Seconds,
    host_seconds: Seconds,
    hosted_step_seconds: Seconds,
    speculative_tokens: Count,
    draft_step_share: Share,
    measured_time_factor: Share,
) -> Seconds:
    """A decode step: layers, head, unpacking, sampling, host, weights on it, and what drafting adds."""
    return (
        total(
            *(decode_passing_seconds, head_seconds, exposed_unpacking_seconds, sampling_seconds, host_seconds),
            hosted_step_seconds,
        )
        * (1 + speculative_tokens * draft_step_share)
        * measured_time_factor
    )


@figure("t_pst", basis="measured", family=True)
def prefill_work_seconds(
    prefill_stage_seconds: Seconds,
    all_reduce_seconds: Seconds,
    waited_exchange_seconds: Seconds,
    launching_seconds: Seconds,
    head_seconds: Seconds,
    conversion_seconds: Seconds,
    hosted_prompt_seconds: Seconds,
    makes_tokens: Switch,
    pooling_host_seconds: Seconds,
    prompts_together: Count,
    measured_time_factor: Share,
) -> Seconds:
    """What one prompt costs each stage.  Source: sum of its parts."""
    return (
        total(
            larger(prefill_stage_seconds + all_reduce_seconds + waited_exchange_seconds, launching_seconds),
            makes_tokens * head_seconds,
            *(conversion_seconds, hosted_prompt_seconds, pooling_host_seconds),
        )
        / prompts_together
        * measured_time_factor
    )


@figure("n_ch")
def prefill_chunks(prefill_tokens: Tokens, step_tokens: Tokens) -> Count:
    """Steps in which a prompt is worked on.  Source: arXiv:2308.16369 (SARATHI), section 4."""
    return larger(ceil(prefill_tokens / step_tokens), 1)


@figure("t_pre", basis="measured", scope="one replica", source="arXiv:2104.04473, section 2.2")
def prefill_seconds(
    prefill_work_seconds: Seconds,
    prompts_together: Count,
    pipeline_parallel_size: Count,
    prefill_chunks: Count,
    prompt_launching_seconds: Seconds,
    measured_time_factor: Share,
) -> Seconds:
    """A prefill alone: chunks follow each other through the stages, no sooner than the host starts their kernels."""
    return larger(prefill_work_seconds * prompts_together, prompt_launching_seconds * measured_time_factor) * (
        1 + (pipeline_parallel_size - 1) / prefill_chunks
    )


@figure("TPOT_low", basis="measured")
def time_per_output_token_seconds_low(time_per_output_token_seconds: Seconds, served_time_error: Share) -> Seconds:
    """Low end of the time per token.  Source: errors on measured points."""
    return below(time_per_output_token_seconds, served_time_error)


@figure("TPOT", basis="measured", title="Time per output token", shown=("main", "in short"), source="addition")
def time_per_output_token_seconds(
    makes_tokens: Switch,
    decode_step_seconds: Seconds,
    accepted_tokens: Count,
    interference_seconds: Seconds,
    text_seconds: Seconds,
) -> Seconds:
    """Time between two tokens of an answer at full load, in the mean; of an encoder, between two texts."""
    return where(makes_tokens > 0, decode_step_seconds / accepted_tokens + interference_seconds, text_seconds)


@figure("TPOT_high", basis="measured")
def time_per_output_token_seconds_high(time_per_output_token_seconds: Seconds, served_time_error: Share) -> Seconds:
    """High end of the time per token.  Source: errors on measured points."""
    return above(time_per_output_token_seconds, served_time_error)


@figure("v*_low", basis="measured", scope="all GPUs")
def tokens_per_second_low(tokens_per_second: TokensPerSecond, served_time_error: Share) -> TokensPerSecond:
    """Low end of the tokens per second.  Source: errors on measured points."""
    return below(tokens_per_second, served_time_error)


@figure(
    "v*", basis="measured", title="Tokens per second", shown=("main", "in short", "with verdicts"), scope="all GPUs"
)
def tokens_per_second(
    sharding_size: Count,
    max_num_seqs: Count,
    output_tokens: Tokens,
    request_seconds: Seconds,
    makes_tokens: Switch,
    text_seconds: Seconds,
    prefill_elsewhere_seconds: Seconds,
) -> TokensPerSecond:
    """Tokens generated per second by all GPUs at full load; texts, each counted as one, where nothing is generated.

    Source: Little's law; texts wait in a queue until a pass has room.
    """
    return (
        sharding_size * output_tokens
        / where(makes_tokens > 0, request_seconds / max_num_seqs + prefill_elsewhere_seconds, text_seconds)
    )  # fmt: skip


@figure("v*_high", basis="measured", scope="all GPUs")
def tokens_per_second_high(tokens_per_second: TokensPerSecond, served_time_error: Share) -> TokensPerSecond:
    """High end of the tokens per second.  Source: errors on measured points."""
    return above(tokens_per_second, served_time_error)


@figure("l*", basis="measured", title="Requests per second at full load", scope="all GPUs")
def full_load_requests_per_second(tokens_per_second: TokensPerSecond, output_tokens: Tokens) -> PerSecond:
    """Requests that all GPUs answer per second at full load.  Source: division."""
    return tokens_per_second / output_tokens


@figure("v_pre", basis="measured", scope="one replica")
def prefill_tokens_per_second(prefill_tokens: Tokens, prefill_seconds: Seconds) -> TokensPerSecond:
    """Prompt tokens per second while nothing is decoded, as llama-bench prints `pp`.  Source: division."""
    return prefill_tokens / prefill_seconds


@figure("v_tg", basis="measured", scope="one replica")
def decode_tokens_per_second(
    decoding_sequences: Count, accepted_tokens: Count, decode_step_seconds: Seconds
) -> TokensPerSecond:
    """Tokens per second while no prompt is worked on, as llama-bench prints `tg`.  Source: division."""
    return decoding_sequences * accepted_tokens * ONE_TOKEN / decode_step_seconds


@figure("v_1", basis="measured", scope="one user")
def sequence_tokens_per_second(time_per_output_token_seconds: Seconds) -> TokensPerSecond:
    """Tokens per second that one user sees at full load.  Source: division."""
    return ONE_TOKEN / time_per_output_token_seconds


RANGED = ("time_per_output_token_seconds", "time_to_first_token_seconds", "tokens_per_second")
"""Figures with a low and a high end."""
_OF_PHASE = ("all_reduce_seconds", "waited_exchange_seconds", "conversion_seconds")
"""What these figures read of their own phase, beside the head."""


def _phase_line(family: Figure, phase: str) -> Line:
    bound = {name: f"{name}.{phase}" for name in _OF_PHASE} | {"head_seconds": f"operator_seconds.{phase}_head"}
    return bound_line(family.name, family, bound)


LINES = (
    _phase_line(decode_passing_seconds, "decode"),
    _phase_line(decode_step_seconds, "decode"),
    _phase_line(prefill_work_seconds, "prefill"),
)
