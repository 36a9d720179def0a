"""Key-value cache: what one token, one sequence and all running sequences take on one GPU."""

from memreport.figures.constants import KEY_AND_VALUE, LIKE_GROUPS, ONE_BYTE, ONE_TOKEN, STATES_OF_A_REQUEST
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import ceil, floor, larger, smaller, total, where


@figure("c_d", source="vLLM; DeepSeek-V3, multi-token prediction")
def draft_layer_kv_values(
    draft_num_key_value_heads: Count, tensor_parallel_size: Count, draft_head_dim: Count, layer_kv_values: Count
) -> Count:
    """Values that one layer of a draft model caches per token; those of the model's own where nothing else is said."""
    return where(
        draft_num_key_value_heads > 0,
        KEY_AND_VALUE * ceil(draft_num_key_value_heads / tensor_parallel_size) * draft_head_dim,
        layer_kv_values,
    )


@figure("L_dr")
def draft_kv_layers(
    draft_num_hidden_layers: Count,
    draft_layer_kv_values: Count,
    kv_element_bytes: Bytes,
    cache_shards: Count,
    layer_kv_bytes_per_token: BytesPerToken,
) -> Count:
    """Layers of a draft model, in layers of the model's own width.  Source: division."""
    return (
        draft_num_hidden_layers * draft_layer_kv_values * kv_element_bytes
        / ONE_TOKEN / cache_shards / layer_kv_bytes_per_token
    )  # fmt: skip


@figure("f_gl", source="llama.cpp, src/llama-model.cpp `load_tensors`, `i_gpu_start`")
def gpu_layer_share(n_gpu_layers: Count, num_hidden_layers: Count) -> Share:
    """Share of the layers that are on GPUs, the rest on the host; the output layer is the first to go there."""
    return smaller(larger(n_gpu_layers - 1, 0), num_hidden_layers) / num_hidden_layers


@figure("L_w")
def window_kv_layers(num_sliding_window_layers: Count, stage_share: Share, gpu_layer_share: Share) -> Count:
    """Layers of this GPU that cache a sliding window only.  Source: HF config `layer_types`."""
    return num_sliding_window_layers * stage_share * gpu_layer_share


@figure("f_wide")
def global_layer_width(
    global_head_dim: Count,
    num_global_key_value_heads: Count,
    tensor_parallel_size: Count,
    kv_heads_per_rank: Count,
    head_dim: Count,
) -> Share:
    """Cache of a layer without a window over that of one with it, on one GPU.  Source: HF code of Gemma 4."""
    return where(
        global_head_dim > 0,
        ceil(num_global_key_value_heads / tensor_parallel_size) * global_head_dim / (kv_heads_per_rank * head_dim),
        1,
    )


@figure("L_f", source="HF config `layer_types`")
def full_kv_layers(
    global_layer_width: Share,
    cached_layers: Count,
    num_sliding_window_layers: Count,
    stage_share: Share,
    gpu_layer_share: Share,
    draft_kv_layers: Count,
) -> Count:
    """Layers of this GPU that cache the whole context, a draft's too, in layers of the common width."""
    return (
        cached_layers - num_sliding_window_layers
    ) * global_layer_width * stage_share * gpu_layer_share + draft_kv_layers


@figure("L_kv")
def kv_layers(full_kv_layers: Count, window_kv_layers: Count) -> Count:
    """Layers of this GPU that cache keys and values at all.  Source: HF config `layer_types`."""
    return full_kv_layers + window_kv_layers


@figure("M_kvT", title="KV cache per token", shown=("main",), source="003 'KV Cache Memory in LLM Inference'")
def kv_bytes_per_token(layer_kv_bytes_per_token: BytesPerToken, kv_layers: Count) -> BytesPerToken:
    """Cache of one token in all layers of this GPU, while the context is inside the window."""
    return layer_kv_bytes_per_token * kv_layers


@figure("L_lin")
def linear_kv_layers(num_linear_attention_layers: Count, stage_share: Share, gpu_layer_share: Share) -> Count:
    """Layers of this GPU that keep a state of one length.  Source: HF config `layer_types`."""
    return num_linear_attention_layers * stage_share * gpu_layer_share


@figure("L_gf")
def full_page_layers(full_kv_layers: Count, global_layer_width: Share) -> Count:
    """Layers without a window by pages of one length.  Source: vLLM `unify_kv_cache_spec_page_size`."""
    return full_kv_layers / smaller(global_layer_width, 1)


@figure("L_g0")
def rarest_kv_layers(
    full_page_layers: Count, window_kv_layers: Count, linear_kv_layers: Count, kv_layers: Count
) -> Count:
    """Layers of the kind that a model has fewest of.  Source: vLLM hybrid KV cache manager."""
    return smaller(
        smaller(
            where(full_page_layers > 0, full_page_layers, window_kv_layers + linear_kv_layers),
            where(window_kv_layers > 0, window_kv_layers, full_page_layers + linear_kv_layers),
        ),
        where(linear_kv_layers > 0, linear_kv_layers, kv_layers),
    )


@figure("L_g2")
def commonest_kv_layers(full_page_layers: Count, window_kv_layers: Count, linear_kv_layers: Count) -> Count:
    """Layers of the kind that a model has most of.  Source: vLLM hybrid KV cache manager."""
    return larger(full_page_layers, window_kv_layers, linear_kv_layers)


@figure("L_g1", source="vLLM 0.17, v1/core/kv_cache_utils.py `_get_kv_cache_groups_uniform_page_size`")
def kv_group_layers(rarest_kv_layers: Count, commonest_kv_layers: Count) -> Count:
    """Layers of one group where kinds of layers share a pool: of the rarest kind, of the commonest if little more."""
    return larger(where(commonest_kv_layers < LIKE_GROUPS * rarest_kv_layers, commonest_kv_layers, rarest_kv_layers), 1)


@figure("L_g")
def grouped_kv_layers(
    full_page_layers: Count, window_kv_layers: Count, linear_kv_layers: Count, kv_group_layers: Count
) -> Count:
    """Layers of all kinds in groups of one size, the last ones filled up.  Source: vLLM hybrid KV cache manager."""
    return kv_group_layers * (
        ceil(full_page_layers / kv_group_layers)
        + ceil(window_kv_layers / kv_group_layers)
        + ceil(linear_kv_layers / kv_group_layers)
    )


@figure("n_grp")
def pool_groups(grouped_kv_layers: Count, kv_group_layers: Count) -> Count:
    """Groups of layers that share the blocks of the pool.  Source: vLLM hybrid KV cache manager."""
    return grouped_kv_layers / kv_group_layers


@figure("T_st")
def state_tokens(
    linear_attention_state_bytes: Bytes,
    tensor_parallel_size: Count,
    layer_kv_bytes_per_token: BytesPerToken,
    block_size: Tokens,
) -> Tokens:
    """Tokens whose keys and values of a layer are as long as its state.  Source: vLLM models/config.py."""
    return (
        ceil(linear_attention_state_bytes / tensor_parallel_size / layer_kv_bytes_per_token / block_size) * block_size
    )


@figure("T_rf")
def full_request_tokens(
    full_page_layers: Count,
    kv_group_layers: Count,
    global_layer_width: Share,
    max_model_len: Tokens,
    block_size: Tokens,
) -> Tokens:
    """The longest request in groups without a window.  Source: vLLM `FullAttentionSpec`."""
    return (
        ceil(full_page_layers / kv_group_layers)
        * ceil(max_model_len * smaller(global_layer_width, 1) / block_size)
        * block_size
    )


@figure("T_rw")
def window_request_tokens(
    window_kv_layers: Count,
    kv_group_layers: Count,
    max_model_len: Tokens,
    sliding_window: Tokens,
    step_tokens: Tokens,
    block_size: Tokens,
) -> Tokens:
    """The same with a window: it, a batch, a block more.  Source: vLLM `SlidingWindowSpec`."""
    return (
        ceil(window_kv_layers / kv_group_layers)
        * (ceil(smaller(sliding_window - ONE_TOKEN + step_tokens, max_model_len) / block_size) + 1)
        * block_size
    )


@figure("T_bs", source="vLLM 0.23, `SlidingWindowMLASpec` of windows and of compressors' states")
def batch_state_tokens(
    batch_state_bytes: BytesPerToken,
    stage_share: Share,
    step_tokens: Tokens,
    max_model_len: Tokens,
    layer_kv_bytes_per_token: BytesPerToken,
    kv_group_layers: Count,
) -> Tokens:
    """Tokens of one group of layers that take as much as pages for every token of a batch."""
    return (
        batch_state_bytes * stage_share * smaller(step_tokens, max_model_len)
        / layer_kv_bytes_per_token / kv_group_layers
    )  # fmt: skip


@figure("T_req")
def request_pool_tokens(
    full_request_tokens: Tokens,
    window_request_tokens: Tokens,
    batch_state_tokens: Tokens,
    linear_kv_layers: Count,
    kv_group_layers: Count,
    state_tokens: Tokens,
) -> Tokens:
    """The longest request in all groups, with two states.  Source: vLLM `get_max_concurrency_for_kv_cache_config`."""
    return total(
        full_request_tokens,
        window_request_tokens,
        batch_state_tokens,
        ceil(linear_kv_layers / kv_group_layers) * STATES_OF_A_REQUEST * state_tokens,
    )


@figure("M_lin")
def linear_state_bytes(
    linear_kv_layers: Count, linear_attention_state_bytes: Bytes, tensor_parallel_size: Count
) -> Bytes:
    """State of the linear-attention layers for one sequence, whatever its length.  Source: arXiv:2412.06464."""
    return linear_kv_layers * linear_attention_state_bytes / tensor_parallel_size


@figure("T_w")
def windowed_tokens(context_length: Tokens, sliding_window: Tokens) -> Tokens:
    """Tokens of a sequence that a sliding-window layer keeps.  Source: 001 'KV Cache Management Techniques'."""
    return smaller(context_length, sliding_window)


@figure("M_seq")
def kv_sequence_bytes(
    layer_kv_bytes_per_token: BytesPerToken,
    full_kv_layers: Count,
    context_length: Tokens,
    window_kv_layers: Count,
    windowed_tokens: Tokens,
    linear_state_bytes: Bytes,
) -> Bytes:
    """Cache that the tokens of one sequence really need.  Source: 003 'KV Cache Memory in LLM Inference'."""
    return (
        layer_kv_bytes_per_token * (full_kv_layers * context_length + window_kv_layers * windowed_tokens)
        + linear_state_bytes
    )


mean_windowed_tokens = windowed_tokens.row(
    "mean_windowed_tokens", "T_mw", "Its windowed tokens.  Source: the same.", {"context_length": "mean_cached_tokens"}
)
mean_sequence_bytes = kv_sequence_bytes.row(
    "mean_sequence_bytes",
    "M_mean",
    "Cache of a sequence in the mean of its life.  Source: 003 'KV Cache Memory in LLM Inference'.",
    {"context_length": "mean_cached_tokens", "windowed_tokens": "mean_windowed_tokens"},
)


@figure("T_p")
def paged_tokens(context_length: Tokens, block_size: Tokens) -> Tokens:
    """Context rounded up to whole blocks.  Source: arXiv:2309.06180 (PagedAttention), section 4."""
    return ceil(context_length / block_size) * block_size


@figure("T_pw")
def paged_window_tokens(windowed_tokens: Tokens, block_size: Tokens) -> Tokens:
    """Window rounded up to whole blocks.  Source: arXiv:2309.06180 (PagedAttention), section 4."""
    return ceil(windowed_tokens / block_size) * block_size


paged_sequence_bytes = kv_sequence_bytes.row(
    "paged_sequence_bytes",
    "M_page",
    "Cache of one sequence in whole blocks.  Source: arXiv:2309.06180 (PagedAttention), section 4.",
    {"context_length": "paged_tokens", "windowed_tokens": "paged_window_tokens"},
)


@figure("T_cw")
def contiguous_window_tokens(
    max_model_len: Tokens, sliding_window: Tokens, step_tokens: Tokens, block_size: Tokens
) -> Tokens:
    """Tokens that a sliding-window layer has room for where nothing is paged: its window and a batch, in whole blocks.

    Source: llama.cpp `llama_kv_cache_iswa`, read 2026-11-20.
    """
    return ceil(smaller(max_model_len, sliding_window + step_tokens) / block_size) * block_size


contiguous_sequence_bytes = kv_sequence_bytes.row(
    "contiguous_sequence_bytes",
    "M_cont",
    "Cache reserved for one sequence of the longest allowed length.  Source: arXiv:2309.06180, section 3.1.",
    {"context_length": "max_model_len", "windowed_tokens": "contiguous_window_tokens"},
)


@figure("M_held")
def reserved_sequence_bytes(paged: Switch, pooled_bytes: Bytes, contiguous_sequence_bytes: Bytes) -> Bytes:
    """Cache that the engine sets aside for one sequence.  Source: arXiv:2309.06180, sections 3.1 and 4."""
    return where(paged > 0, pooled_bytes, contiguous_sequence_bytes)


@figure("M_pfx", source="vLLM automatic prefix caching; arXiv:2312.07104, section 3")
def shared_prefix_bytes(
    paged: Switch,
    shared_prefix_tokens: Tokens,
    context_length: Tokens,
    block_size: Tokens,
    layer_kv_bytes_per_token: BytesPerToken,
    pooled_layers: Count,
) -> Bytes:
    """What sequences share of their cache: whole blocks of a common prefix, in layers that keep the whole context."""
    return (
        paged * floor(smaller(shared_prefix_tokens, context_length) / block_size) * block_size
        * layer_kv_bytes_per_token * pooled_layers
    )  # fmt: skip


@figure("M_kv", title="KV cache", shown=("main", "with verdicts"))
def kv_cache_bytes(
    makes_tokens: Switch, max_num_seqs: Count, reserved_sequence_bytes: Bytes, shared_prefix_bytes: Bytes
) -> Bytes:
    """Key-value cache of all running sequences, a common prefix once; none where nothing is decoded.

    Source: 003 'KV Cache Memory in LLM Inference'; vLLM pooling models, encoder-only attention has no cache.
    """
    return makes_tokens * (max_num_seqs * (reserved_sequence_bytes - shared_prefix_bytes) + shared_prefix_bytes)


@figure("r_kv")
def kv_to_weight_ratio(kv_cache_bytes: Bytes, weight_bytes: Bytes) -> Share:
    """Cache as a multiple of the weights; above 1 the cache dominates.  Source: 000 'KV Cache Memory Scaling'."""
    return kv_cache_bytes / weight_bytes


@figure("T_x")
def kv_crossover_tokens(weight_bytes: Bytes, kv_bytes_per_token: BytesPerToken) -> Tokens:
    """Cached tokens, over all sequences, at which the cache outgrows the weights; 0 where it never does.

    Windows are not counted.  Source: 000 'KV Cache Memory Scaling'.
    """
    return where(kv_bytes_per_token > 0, weight_bytes / larger(kv_bytes_per_token * ONE_TOKEN, ONE_BYTE) * ONE_TOKEN, 0)


@figure("T_x1")
def kv_crossover_context(kv_crossover_tokens: Tokens, max_num_seqs: Count) -> Tokens:
    """Context of each running sequence at which the cache outgrows the weights.  Source: 000, same section."""
    return kv_crossover_tokens / max_num_seqs
