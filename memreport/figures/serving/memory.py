"""Serving: the pool that is left for the cache, and how many sequences it holds."""

from memreport.figures.constants import ONE_BYTE, ONE_TOKEN, STATE_SHARE, STATES_OF_A_SLOT, TWO, WINDOW_RATIO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import ceil, floor, larger, smaller, total, where


@figure("C_use", title="Usable capacity", shown=("main",))
def usable_bytes(
    capacity_bytes: Bytes,
    driver_reserved_bytes: Bytes,
    gpu_memory_utilization: Share,
    utilization_of_free: Switch,
    utilization_of_static: Switch,
) -> Bytes:
    """Share of the GPU that the engine may take, of what its driver leaves; all of it where the share is not of all.

    Source: vLLM `gpu_memory_utilization`; TensorRT-LLM `free_gpu_memory_fraction`; SGLang `mem_fraction_static`.
    """
    return (capacity_bytes - driver_reserved_bytes) * where(
        utilization_of_free + utilization_of_static > 0, 1, gpu_memory_utilization
    )


@figure("M_sz", source="vLLM pull request 30515, default since 0.21")
def sized_overhead_bytes(overhead_bytes: Bytes, cuda_graph_bytes: Bytes, graphs_in_budget: Switch) -> Bytes:
    """What the engine knows of when it sizes the pool; some capture their graphs afterwards, out of what is left."""
    return overhead_bytes - (1 - graphs_in_budget) * cuda_graph_bytes


@figure("M_free")
def kv_budget_bytes(
    usable_bytes: Bytes,
    weight_bytes: Bytes,
    sized_overhead_bytes: Bytes,
    gpu_memory_utilization: Share,
    utilization_of_free: Switch,
    utilization_of_static: Switch,
    framework_bytes: Bytes,
) -> Bytes:
    """Memory left for the cache, or its share of what is left, or what weights leave of a share for both.

    Source: arXiv:2309.06180, section 4; TensorRT-LLM `free_gpu_memory_fraction`; SGLang `mem_fraction_static`.
    """
    return where(
        utilization_of_static * (gpu_memory_utilization < 1) > 0,
        larger((usable_bytes - framework_bytes) * gpu_memory_utilization - weight_bytes, 0),
        larger(usable_bytes - weight_bytes - sized_overhead_bytes, 0)
        * (1 - utilization_of_free * (1 - gpu_memory_utilization)),
    )


@figure("M_pool", title="KV cache pool", shown=("main",))
def kv_pool_bytes(
    kv_budget_bytes: Bytes, max_cached_tokens: Tokens, block_size: Tokens, kv_block_bytes: Bytes
) -> Bytes:
    """What is left for the cache, or less where its tokens are stated.  Source: SGLang `max_total_tokens`."""
    return where(
        max_cached_tokens > 0,
        smaller(kv_budget_bytes, ceil(max_cached_tokens / block_size) * kv_block_bytes),
        kv_budget_bytes,
    )


@figure("M_blk", source="003 'KV Cache Memory in LLM Inference', pages")
def kv_block_bytes(
    layer_kv_bytes_per_token: BytesPerToken,
    kv_layers: Count,
    grouped_kv_layers: Count,
    groups_hybrid_layers: Switch,
    splits_pool: Switch,
    pooled_layers: Count,
    block_size: Tokens,
) -> Bytes:
    """One block of the cache in all layers, with its part of what a split pool keeps for others."""
    return (
        layer_kv_bytes_per_token
        * larger(where(splits_pool > 0, pooled_layers, kv_layers), groups_hybrid_layers * grouped_kv_layers)
        * block_size
    )


@figure("n_blk")
def kv_pool_blocks(kv_pool_bytes: Bytes, kv_block_bytes: Bytes, kv_layers: Count) -> Count:
    """Whole blocks in the pool, none where no layer caches.  Source: 003 'KV Cache Memory in LLM Inference', pages."""
    return where(kv_layers > 0, floor(kv_pool_bytes / larger(kv_block_bytes, ONE_BYTE)), 0)


@figure("T_pool", title="Tokens that the cache pool holds", shown=("main",), scope="one replica")
def kv_pool_tokens(
    kv_pool_blocks: Count,
    block_size: Tokens,
    counts_requests: Switch,
    pool_groups: Count,
    request_pool_tokens: Tokens,
    max_model_len: Tokens,
) -> Tokens:
    """Tokens that the pool holds when every layer grows with the context, or those of as many longest requests as fit.

    Source: 003, same section; vLLM since 0.21, v1/core/kv_cache_utils.py `get_kv_cache_capacity`.
    """
    return where(
        counts_requests > 0,
        kv_pool_blocks * block_size * pool_groups / larger(request_pool_tokens, ONE_TOKEN) * max_model_len,
        kv_pool_blocks * block_size,
    )


@figure("L_poo")
def pooled_layers(
    splits_pool: Switch, linear_state_bytes: Bytes, window_kv_layers: Count, full_kv_layers: Count
) -> Count:
    """Layers that a token takes room for.  Source: SGLang `set_num_tokens_hybrid_swa`."""
    return (full_kv_layers + splits_pool * WINDOW_RATIO * window_kv_layers) / (
        1 - splits_pool * STATE_SHARE * (linear_state_bytes > 0)
    )


@figure("M_poo")
def pooled_bytes(
    paged_sequence_bytes: Bytes,
    splits_pool: Switch,
    layer_kv_bytes_per_token: BytesPerToken,
    pooled_layers: Count,
    full_kv_layers: Count,
    paged_tokens: Tokens,
    window_kv_layers: Count,
    paged_window_tokens: Tokens,
    linear_state_bytes: Bytes,
    shared_prefix_bytes: Bytes,
) -> Bytes:
    """Part of the pool of a sequence.  Source: SGLang `_calculate_mamba_ratio`."""
    return where(
        splits_pool > 0,
        larger(
            layer_kv_bytes_per_token
            * pooled_layers
            * larger(paged_tokens * (full_kv_layers > 0), paged_window_tokens * (window_kv_layers > 0) / WINDOW_RATIO),
            shared_prefix_bytes + linear_state_bytes * STATES_OF_A_SLOT / STATE_SHARE,
        ),
        paged_sequence_bytes,
    )


pooled_mean_bytes = pooled_bytes.row(
    "pooled_mean_bytes",
    "M_pm",
    "Mean part of the pool.  Source: the same.",
    {
        "paged_sequence_bytes": "mean_sequence_bytes",
        "paged_tokens": "mean_cached_tokens",
        "paged_window_tokens": "mean_windowed_tokens",
        "shared_prefix_bytes": 0,
    },
)


@figure("n_page", scope="one replica", source="003, same section")
def paged_concurrent_sequences(kv_pool_bytes: Bytes, pooled_bytes: Bytes, shared_prefix_bytes: Bytes) -> Count:
    """Sequences of the given context that blocks hold, one of which holds what all share."""
    return floor(larger(kv_pool_bytes - shared_prefix_bytes, 0) / larger(pooled_bytes - shared_prefix_bytes, ONE_BYTE))


@figure("n_cont", scope="one replica")
def contiguous_concurrent_sequences(kv_pool_bytes: Bytes, contiguous_sequence_bytes: Bytes) -> Count:
    """Sequences where each reserves the longest allowed length.  Source: arXiv:2309.06180, section 3.1."""
    return floor(kv_pool_bytes / contiguous_sequence_bytes)


@figure("n_seq", title="Sequences that fit at once", shown=("main", "in short", "summary"), scope="one replica")
def max_concurrent_sequences(
    makes_tokens: Switch,
    texts_at_once: Count,
    paged: Switch,
    paged_concurrent_sequences: Count,
    contiguous_concurrent_sequences: Count,
    engine_starts: Switch,
) -> Count:
    """Sequences that fit at once, as the engine reserves its cache; none where it does not start.

    Source: arXiv:2309.06180.
    """
    return engine_starts * (
        makes_tokens * paged * paged_concurrent_sequences
        + makes_tokens * (1 - paged) * contiguous_concurrent_sequences
        + (1 - makes_tokens) * texts_at_once
    )


@figure("w_p")
def paged_waste_share(kv_sequence_bytes: Bytes, paged_sequence_bytes: Bytes) -> Share:
    """Share of a sequence's blocks that holds no token.  Source: 003 'KV cache and PagedAttention'."""
    return 1 - kv_sequence_bytes / paged_sequence_bytes


@figure("w_pm")
def average_paged_waste_share(context_length: Tokens, block_size: Tokens) -> Share:
    """The same on average over all lengths near this one.  Source: 003 'KV cache and PagedAttention', under 4 %."""
    return (block_size - ONE_TOKEN) / (TWO * context_length + block_size - ONE_TOKEN)


@figure("w_c")
def contiguous_waste_share(kv_sequence_bytes: Bytes, contiguous_sequence_bytes: Bytes) -> Share:
    """Share of a contiguous reservation that holds no token.  Source: 003 'KV cache and PagedAttention'."""
    return 1 - kv_sequence_bytes / contiguous_sequence_bytes


@figure("M_each")
def pool_bytes_per_sequence(
    kv_pool_bytes: Bytes, shared_prefix_bytes: Bytes, max_num_seqs: Count, linear_state_bytes: Bytes
) -> Bytes:
    """Cache that each running sequence may fill, what it shares included, after its fixed state.  Source: division."""
    return larger((kv_pool_bytes + (max_num_seqs - 1) * shared_prefix_bytes) / max_num_seqs - linear_state_bytes, 0)


@figure("T_in")
def tokens_inside_window(
    pool_bytes_per_sequence: Bytes, kv_bytes_per_token: BytesPerToken, max_model_len: Tokens
) -> Tokens:
    """Context that fits while every layer grows; all that the engine admits where none does.  Source: division."""
    return where(
        kv_bytes_per_token > 0,
        pool_bytes_per_sequence / larger(kv_bytes_per_token * ONE_TOKEN, ONE_BYTE) * ONE_TOKEN,
        max_model_len,
    )


@figure("T_beyond", source="division")
def tokens_beyond_window(
    pool_bytes_per_sequence: Bytes,
    layer_kv_bytes_per_token: BytesPerToken,
    window_kv_layers: Count,
    sliding_window: Tokens,
    splits_pool: Switch,
    pooled_layers: Count,
) -> Tokens:
    """Context that fits once the windows are full; a model of windows only is counted as one growing layer."""
    return larger(
        pool_bytes_per_sequence / layer_kv_bytes_per_token - (1 - splits_pool) * window_kv_layers * sliding_window, 0
    ) / larger(pooled_layers, 1)


@figure("T_long", title="Longest context that fits", shown=("main",))
def longest_context_tokens(
    window_kv_layers: Count,
    sliding_window: Tokens,
    splits_pool: Switch,
    full_kv_layers: Count,
    tokens_inside_window: Tokens,
    tokens_beyond_window: Tokens,
    block_size: Tokens,
) -> Tokens:
    """Longest context, in whole blocks, at which all planned sequences fit.  Source: division."""
    return (
        floor(
            where(
                window_kv_layers * (tokens_inside_window > sliding_window) + splits_pool * full_kv_layers > 0,
                tokens_beyond_window,
                tokens_inside_window,
            )
            / block_size
        )
        * block_size
    )


@figure("M_low", basis="rule of thumb", title="Peak, low end", shown=("main", "with verdicts"))
def peak_bytes_low(peak_bytes: Bytes, peak_uncertainty: Share) -> Bytes:
    """Low end of the peak, of a given one too.  Source: the expected peak, less its uncertainty."""
    return peak_bytes * (1 - peak_uncertainty)


@figure("M_peak", basis="measured", title="Peak memory", shown=("main", "with verdicts"), source="sum of the parts")
def peak_bytes(
    weight_bytes: Bytes,
    kv_cache_bytes: Bytes,
    longest_request_excess_bytes: Bytes,
    overhead_bytes: Bytes,
    loading_excess_bytes: Bytes,
) -> Bytes:
    """Memory that the planned sequences need on one GPU, or starting the engine where that needs more."""
    return total(weight_bytes, kv_cache_bytes, longest_request_excess_bytes, overhead_bytes, loading_excess_bytes)


@figure("M_high", basis="rule of thumb", title="Peak, high end", shown=("main", "with verdicts"))
def peak_bytes_high(peak_bytes: Bytes, peak_uncertainty: Share) -> Bytes:
    """High end of the peak, of a given one too.  Source: the expected peak, and its uncertainty."""
    return peak_bytes * (1 + peak_uncertainty)


@figure("s_st")
def engine_starts(
    loading_peak_bytes: Bytes,
    usable_bytes: Bytes,
    headroom_bytes: Bytes,
    kv_cache_bytes: Bytes,
    longest_request_excess_bytes: Bytes,
    longest_request_bytes: Bytes,
) -> Switch:
    """1 where the weights can be loaded and what is left has room for the longest request, where an engine asks for it.

    Source: comparison.
    """
    return (loading_peak_bytes <= usable_bytes) * (
        headroom_bytes + kv_cache_bytes + longest_request_excess_bytes >= longest_request_bytes
    )


@figure("n_run", scope="one replica")
def running_sequences(
    headroom_bytes: Bytes,
    max_num_seqs: Count,
    kv_cache_bytes: Bytes,
    shared_prefix_bytes: Bytes,
    reserved_sequence_bytes: Bytes,
    engine_starts: Switch,
    paged: Switch,
) -> Count:
    """Planned sequences that run at once, by the memory left for the cache.

    An engine that reserves the cache of all of them before the first does not start with fewer.
    Source: arXiv:2309.06180, section 4.5; llama.cpp, llama-kv-cache.cpp, allocates all.
    """
    return where(
        headroom_bytes >= 0,
        max_num_seqs,
        paged
        * engine_starts
        * larger(
            floor(
                (headroom_bytes + kv_cache_bytes - shared_prefix_bytes)
                / larger(reserved_sequence_bytes - shared_prefix_bytes, ONE_BYTE)
            ),
            0,
        ),
    )


@figure("n_wait", scope="one replica")
def waiting_sequences(max_num_seqs: Count, running_sequences: Count) -> Count:
    """Planned sequences that wait until others are done.  Source: difference."""
    return max_num_seqs - running_sequences


@figure("ok", shown=("with verdicts",), source="comparison")
def fits(running_sequences: Count, host_headroom_bytes: Bytes) -> Switch:
    """1 where the server starts: weights, overhead and one planned sequence fit, and the host holds the rest."""
    return where((running_sequences >= 1) * (host_headroom_bytes >= 0) > 0, 1, 0)
