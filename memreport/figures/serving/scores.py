"""Attention scores of engines whose attention is not fused, as they are in memory."""

from __future__ import annotations

from memreport.figures.constants import ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import where


@figure("T_sc")
def scored_tokens(paged: Switch, context_length: Tokens, max_num_seqs: Count, max_model_len: Tokens) -> Tokens:
    """Cached tokens that a batched token has scores of: of its own sequence, or of one cache for all of them.

    Source: llama.cpp `llama_kv_cache_unified`, `n_kv`; a mask hides the other sequences.
    """
    return where(paged > 0, context_length, max_num_seqs * max_model_len)


@figure("a_sc")
def score_bytes_per_token(
    scored_tokens: Tokens, num_attention_heads: Count, tensor_parallel_size: Count, unfused_score_bytes: Bytes
) -> BytesPerToken:
    """Scores of one layer per batched token, with the mask, which all heads share.  Source: the engine's profile."""
    return (
        scored_tokens / ONE_TOKEN * (num_attention_heads / tensor_parallel_size + 1) * unfused_score_bytes / ONE_TOKEN
    )


@figure("M_sc", basis="measured")
def unfused_attention_bytes(
    flash_attention: Switch,
    max_num_batched_tokens: Tokens,
    score_bytes_per_token: BytesPerToken,
    unfused_residual_copies: Count,
    hidden_size: Count,
    live_element_bytes: Bytes,
) -> Bytes:
    """Scores of a full batch and the tensors of hidden width beside them; nothing with fused attention.

    Source: llama.cpp's logged compute buffers.
    """
    return (
        (1 - flash_attention) * max_num_batched_tokens
        * (score_bytes_per_token + unfused_residual_copies * hidden_size * live_element_bytes / ONE_TOKEN)
    )  # fmt: skip
