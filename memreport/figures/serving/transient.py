"""Memory that passes: scores of attention that is not fused, loading, one request of the longest length."""

from memreport.figures.constants import HALF, ONE_TOKEN
from memreport.figures.quantities import Bytes, Count, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, smaller, where


@figure("T_sc", source="llama.cpp `llama_kv_cache_unified`, `n_kv`; a mask hides the other sequences")
def scored_tokens(paged: Switch, context_length: Tokens, max_num_seqs: Count, max_model_len: Tokens) -> Tokens:
    """Cached tokens that a batched token has scores of: of its own sequence, or of one cache for all of them."""
    return where(paged > 0, context_length, max_num_seqs * max_model_len)


@figure("M_sc", basis="measured", source="llama.cpp's logged compute buffers; llama-graph.cpp, `self_kq_mask_cnv`")
def unfused_attention_bytes(
    flash_attention: Switch,
    holds_mask: Switch,
    max_num_batched_tokens: Tokens,
    scored_tokens: Tokens,
    num_attention_heads: Count,
    tensor_parallel_size: Count,
    unfused_score_bytes: Bytes,
    unfused_residual_copies: Count,
    hidden_size: Count,
    live_element_bytes: Bytes,
) -> Bytes:
    """Scores of a full batch in one layer, and the mask of all heads; fused, the mask and its 16-bit copy."""
    return (
        larger(1 - flash_attention, holds_mask)
        * max_num_batched_tokens / ONE_TOKEN
        * (
            scored_tokens / ONE_TOKEN
            * (where(flash_attention > 0, HALF, num_attention_heads / tensor_parallel_size) + 1)
            * unfused_score_bytes
            + unfused_residual_copies * hidden_size * live_element_bytes
        )
    )  # fmt: skip


@figure(
    "T_msk", source="llama.cpp, src/llama-graph.cpp `build_attn_inp_kv_iswa`; src/llama-kv-cache-iswa.cpp, `size_swa`"
)
def masked_tokens(
    scored_tokens: Tokens,
    max_num_seqs: Count,
    sliding_window: Tokens,
    num_sliding_window_layers: Count,
    step_tokens: Tokens,
    block_size: Tokens,
) -> Tokens:
    """Cached tokens of both masks: of all layers that see everything, and of those that see a window of each slot."""
    return scored_tokens + (num_sliding_window_layers > 0) * smaller(
        scored_tokens, ceil((max_num_seqs * sliding_window + step_tokens) / block_size) * block_size
    )


@figure("M_msk", basis="measured", source="llama.cpp, src/llama-graph.cpp `build_attn_inp_kq_mask`")
def attention_mask_bytes(
    flash_attention: Switch, mask_element_bytes: Bytes, step_tokens: Tokens, masked_tokens: Tokens
) -> Bytes:
    """Which cached tokens each batched one may read, as fused attention is told, while all layers run."""
    return flash_attention * mask_element_bytes * step_tokens / ONE_TOKEN * masked_tokens / ONE_TOKEN


@figure("M_ck")
def checkpoint_bytes(rank_parameters: Count, checkpoint_element_bytes: Bytes) -> Bytes:
    """Weights of one GPU in the type in which they are read.  Source: 001 'Training vs Inference'."""
    return rank_parameters * checkpoint_element_bytes


@figure("M_ckl", source="vLLM `process_weights_after_loading`")
def checkpoint_layer_bytes(
    rank_matrix_parameters: Count, layers_per_stage: Count, checkpoint_element_bytes: Bytes
) -> Bytes:
    """One layer in that type, while it is turned into another or put into the order that kernels want."""
    return rank_matrix_parameters / layers_per_stage * checkpoint_element_bytes


@figure("M_ld", title="Weights while they are loaded")
def loading_bytes(
    weight_bytes: Bytes,
    loads_whole: Switch,
    checkpoint_bytes: Bytes,
    loads_copy: Switch,
    loads_layer: Switch,
    checkpoint_layer_bytes: Bytes,
) -> Bytes:
    """Weights at their most while they are loaded.  Source: the mode's row; vLLM, model_executor/model_loader."""
    return (
        larger(weight_bytes, loads_whole * checkpoint_bytes)
        + loads_copy * weight_bytes + loads_layer * checkpoint_layer_bytes
    )  # fmt: skip


@figure("M_ldp", title="Peak while loading")
def loading_peak_bytes(loading_bytes: Bytes, communication_buffer_bytes: Bytes, framework_bytes: Bytes) -> Bytes:
    """Memory of one GPU while weights are loaded; cache and graphs come later.  Source: sum."""
    return loading_bytes + communication_buffer_bytes + framework_bytes


@figure("M_long", title="One request of max_model_len")
def longest_request_bytes(holds_longest_request: Switch, is_decoder: Switch, contiguous_sequence_bytes: Bytes) -> Bytes:
    """Cache of one request as long as `max_model_len`, without which the engine does not start; 0 where it does.

    Source: vLLM, v1/core/kv_cache_utils.py `_check_enough_kv_cache_memory`; vLLM pull request 2163.
    """
    return holds_longest_request * is_decoder * contiguous_sequence_bytes


@figure("M_lngx", title="For one request of max_model_len")
def longest_request_excess_bytes(longest_request_bytes: Bytes, kv_cache_bytes: Bytes) -> Bytes:
    """What that request takes beyond all that is planned.  Source: subtraction."""
    return larger(longest_request_bytes - kv_cache_bytes, 0)


@figure("M_ldx", title="While loading alone")
def loading_excess_bytes(
    loading_peak_bytes: Bytes,
    weight_bytes: Bytes,
    kv_cache_bytes: Bytes,
    longest_request_excess_bytes: Bytes,
    overhead_bytes: Bytes,
) -> Bytes:
    """What loading takes beyond what serving takes afterwards.  Source: subtraction."""
    return larger(loading_peak_bytes - weight_bytes - kv_cache_bytes - longest_request_excess_bytes - overhead_bytes, 0)
