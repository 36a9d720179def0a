"""Kernels of a prefill and of a decode step on one accelerator.

Traffic is what the algorithm cannot avoid: weights and cache read once per step, each result written once.
"""

from __future__ import annotations

from memreport.figures.constants import ELEMENTWISE_FLOP, FLOP_PER_MULTIPLY_ADD, KEY_AND_VALUE, NORM_FLOP, ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Flop, Share, Tokens
from memreport.figures.roofline import Kernel, kernel
from memreport.formula.recording import Figure, Line, figure
from memreport.formula.words import larger, power, smaller, where


@figure("T_pre")
def prefill_tokens(prefill_sequences: Count, prompt_tokens: Tokens) -> Tokens:
    """Prompt tokens that one prefill works on.  Source: arXiv:2309.06180, section 2.2."""
    return prefill_sequences * prompt_tokens


@figure("T_dec")
def decode_tokens(max_num_seqs: Count) -> Tokens:
    """Tokens of a decode step: one per running sequence.  Source: arXiv:2309.06180, section 2.2."""
    return max_num_seqs * ONE_TOKEN


@figure("e_pre")
def prefill_expert_share(num_experts_per_tok: Count, num_local_experts: Count, prefill_tokens: Tokens) -> Share:
    """Share of the experts that a prefill touches when tokens choose evenly.  Source: probability of no choice."""
    return 1 - power(1 - num_experts_per_tok / larger(num_local_experts, 1), prefill_tokens / ONE_TOKEN)


@figure("e_dec")
def decode_expert_share(num_experts_per_tok: Count, num_local_experts: Count, decode_tokens: Tokens) -> Share:
    """Share of the experts that a decode step touches when tokens choose evenly.  Source: probability of no choice."""
    return 1 - power(1 - num_experts_per_tok / larger(num_local_experts, 1), decode_tokens / ONE_TOKEN)


@figure("W_exp")
def rank_expert_weights(
    routed_expert_parameters: Count, expert_parallel_size: Count, stage_share: Share, tensor_parallel_size: Count
) -> Count:
    """Routed experts on one accelerator.  Source: arXiv:2006.16668 (GShard), section 2."""
    return routed_expert_parameters / expert_parallel_size * stage_share / tensor_parallel_size


@figure("W_pmlp")
def prefill_mlp_weights(mlp_weights: Count, rank_expert_weights: Count, prefill_expert_share: Share) -> Count:
    """MLP matrices that a prefill reads.  Source: arXiv:2401.04088, section 2.1."""
    return mlp_weights - rank_expert_weights * (1 - prefill_expert_share)


@figure("W_dmlp")
def decode_mlp_weights(mlp_weights: Count, rank_expert_weights: Count, decode_expert_share: Share) -> Count:
    """MLP matrices that a decode step reads: few experts at batch 1, nearly all at large batch.

    Source: arXiv:2401.04088, section 2.1.
    """
    return mlp_weights - rank_expert_weights * (1 - decode_expert_share)


@figure("W")
def serving_matmul_flop(kernel_active_weights: Count, kernel_tokens: Tokens) -> Flop:
    """Work of a layer's matrices.  Source: arXiv:2001.08361, section 2.1."""
    return FLOP_PER_MULTIPLY_ADD * kernel_active_weights * (kernel_tokens / ONE_TOKEN)


@figure("Q_l")
def serving_matmul_load_bytes(
    kernel_weights: Count,
    weight_element_bytes: Bytes,
    kernel_inputs: Count,
    kernel_tokens: Tokens,
    other_element_bytes: Bytes,
) -> Bytes:
    """Weights once, and the tokens' values.  Source: counting."""
    return kernel_weights * weight_element_bytes + kernel_inputs * (kernel_tokens / ONE_TOKEN) * other_element_bytes


@figure("Q_s")
def serving_matmul_store_bytes(kernel_outputs: Count, kernel_tokens: Tokens, other_element_bytes: Bytes) -> Bytes:
    """The tokens' results.  Source: counting."""
    return kernel_outputs * (kernel_tokens / ONE_TOKEN) * other_element_bytes


@figure("S_pre")
def prefill_attended_tokens(
    full_kv_layers: Count,
    window_kv_layers: Count,
    prompt_tokens: Tokens,
    attention_computed_share: Share,
    sliding_window: Tokens,
) -> Tokens:
    """Keys that a prompt token meets on average, added over the accelerator's layers.  Source: arXiv:2307.08691."""
    return full_kv_layers * prompt_tokens * attention_computed_share + window_kv_layers * smaller(
        prompt_tokens * attention_computed_share, sliding_window
    )


@figure("W_pa")
def prefill_attention_flop(
    prefill_tokens: Tokens,
    prefill_attended_tokens: Tokens,
    query_size: Count,
    value_size: Count,
    tensor_parallel_size: Count,
) -> Flop:
    """Scores and weighted values of the prompt.  Source: arXiv:2307.08691 (FlashAttention-2), section 4.1."""
    return (
        FLOP_PER_MULTIPLY_ADD
        * (prefill_tokens / ONE_TOKEN)
        * (prefill_attended_tokens / ONE_TOKEN)
        * ((query_size + value_size) / tensor_parallel_size)
    )


@figure("Q_lpa")
def prefill_attention_load_bytes(
    prefill_tokens: Tokens, qkv_projection_outputs: Count, other_element_bytes: Bytes
) -> Bytes:
    """Query, key and value of the prompt; flash attention writes no scores.  Source: arXiv:2205.14135, section 3."""
    return (prefill_tokens / ONE_TOKEN) * qkv_projection_outputs * other_element_bytes


@figure("Q_spa")
def prefill_attention_store_bytes(
    prefill_tokens: Tokens,
    output_projection_inputs: Count,
    other_element_bytes: Bytes,
    kv_bytes_per_token: BytesPerToken,
) -> Bytes:
    """Attention's output, and the prompt's keys and values into the cache.  Source: counting."""
    return (
        prefill_tokens / ONE_TOKEN * output_projection_inputs * other_element_bytes
        + prefill_tokens * kv_bytes_per_token
    )  # fmt: skip


@figure("S_dec")
def decode_attended_tokens(
    full_kv_layers: Count, context_length: Tokens, window_kv_layers: Count, windowed_tokens: Tokens
) -> Tokens:
    """Keys that a new token meets, added over the accelerator's layers.  Source: counting."""
    return full_kv_layers * context_length + window_kv_layers * windowed_tokens


@figure("D_dec")
def decode_attention_width(
    kv_lora_rank: Count, qk_rope_head_dim: Count, num_attention_heads: Count, query_size: Count, value_size: Count
) -> Count:
    """Products per cached token and layer; with a latent cache each head works on the latent itself.

    Source: arXiv:2405.04434, section 2.1.2 (absorbed projections).
    """
    return where(
        kv_lora_rank > 0,
        num_attention_heads * (KEY_AND_VALUE * kv_lora_rank + qk_rope_head_dim),
        query_size + value_size,
    )


@figure("W_da")
def decode_attention_flop(
    max_num_seqs: Count, decode_attended_tokens: Tokens, decode_attention_width: Count, tensor_parallel_size: Count
) -> Flop:
    """Scores and weighted values of one new token per sequence.  Source: counting."""
    return (
        FLOP_PER_MULTIPLY_ADD
        * max_num_seqs
        * (decode_attended_tokens / ONE_TOKEN)
        * (decode_attention_width / tensor_parallel_size)
    )


@figure("Q_lda")
def decode_attention_load_bytes(
    max_num_seqs: Count, kv_sequence_bytes: Bytes, qkv_projection_outputs: Count, other_element_bytes: Bytes
) -> Bytes:
    """The whole cache of every sequence, and the new token's vectors.  Source: 002 'KV Cache Dominates'."""
    return max_num_seqs * (kv_sequence_bytes + qkv_projection_outputs * other_element_bytes)


@figure("Q_sda")
def decode_attention_store_bytes(
    max_num_seqs: Count,
    kv_bytes_per_token: BytesPerToken,
    linear_state_bytes: Bytes,
    output_projection_inputs: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """Attention's output, the new keys and values, and the state of linear-attention layers.  Source: counting."""
    return max_num_seqs * (
        kv_bytes_per_token * ONE_TOKEN + linear_state_bytes + output_projection_inputs * other_element_bytes
    )


@figure("W")
def serving_norm_flop(norm_values: Count, kernel_tokens: Tokens) -> Flop:
    """Norms.  Source: 004 'Mental Model: The Roofline'."""
    return NORM_FLOP * norm_values * (kernel_tokens / ONE_TOKEN)


@figure("W")
def serving_pointwise_flop(pointwise_outputs: Count, kernel_tokens: Tokens) -> Flop:
    """Residual sums, rotations and activations.  Source: 004 'Mental Model: The Roofline'."""
    return ELEMENTWISE_FLOP * pointwise_outputs * (kernel_tokens / ONE_TOKEN)


@figure("Q")
def serving_value_bytes(kernel_values: Count, kernel_tokens: Tokens, other_element_bytes: Bytes) -> Bytes:
    """Values that a kernel reads or writes once.  Source: counting."""
    return kernel_values * (kernel_tokens / ONE_TOKEN) * other_element_bytes


@figure("W_h")
def head_flop(head_matrix_parameters: Count, head_rows: Count, tensor_parallel_size: Count) -> Flop:
    """The head, for the positions whose next token is sampled.  Source: arXiv:2001.08361, section 2.1."""
    return FLOP_PER_MULTIPLY_ADD * head_matrix_parameters * head_rows / tensor_parallel_size


@figure("Q_lh")
def head_load_bytes(
    head_matrix_parameters: Count,
    tensor_parallel_size: Count,
    head_rows: Count,
    hidden_size: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """The head's matrix once, and the hidden states.  Source: counting."""
    return (head_matrix_parameters / tensor_parallel_size + head_rows * hidden_size) * other_element_bytes


@figure("Q_sh")
def head_store_bytes(
    head_rows: Count, vocab_size: Count, tensor_parallel_size: Count, other_element_bytes: Bytes
) -> Bytes:
    """Logits.  Source: counting."""
    return head_rows * vocab_size / tensor_parallel_size * other_element_bytes


def _line(name: str, family: Figure, **bound: str) -> Line:
    return Line(name, family, {each: bound.get(each, each) for each in family.inputs})


def _matmul(phase: str, name: str, title: str, weights: str = "", active: str = "") -> Kernel:
    id_, tokens = f"{phase}_{name}", f"{phase}_tokens"
    weights = weights or f"{name}_weights"
    own = (
        _line(f"{id_}_flop", serving_matmul_flop, kernel_active_weights=active or weights, kernel_tokens=tokens),
        _line(
            f"{id_}_load_bytes",
            serving_matmul_load_bytes,
            kernel_weights=weights,
            kernel_inputs=f"{name}_inputs",
            kernel_tokens=tokens,
        ),
        _line(f"{id_}_store_bytes", serving_matmul_store_bytes, kernel_outputs=f"{name}_outputs", kernel_tokens=tokens),
    )
    return kernel(id_, title, own)


def _per_value(phase: str, name: str, title: str, work: Figure, reads: str, writes: str) -> Kernel:
    id_, tokens = f"{phase}_{name}", f"{phase}_tokens"
    own = (
        _line(f"{id_}_flop", work, kernel_tokens=tokens),
        _line(f"{id_}_load_bytes", serving_value_bytes, kernel_values=reads, kernel_tokens=tokens),
        _line(f"{id_}_store_bytes", serving_value_bytes, kernel_values=writes, kernel_tokens=tokens),
    )
    return kernel(id_, title, own)


def _head(phase: str, rows: str) -> Kernel:
    families = (head_flop, head_load_bytes, head_store_bytes)
    own = tuple(_line(f"{phase}_{family.name}", family, head_rows=rows) for family in families)
    return kernel(f"{phase}_head", "output head", own)


def _phase(phase: str, rows: str) -> tuple[Kernel, ...]:
    return (
        _matmul(phase, "qkv_projection", "query, key and value projections"),
        kernel(f"{phase}_attention", "attention scores and values"),
        _matmul(phase, "output_projection", "output projection of attention"),
        _matmul(phase, "mlp", "MLP matrices", f"{phase}_mlp_weights", "active_mlp_weights"),
        _per_value(phase, "norm", "norms", serving_norm_flop, "norm_values", "norm_values"),
        _per_value(
            phase,
            "pointwise",
            "residual sums, rotations, activations",
            serving_pointwise_flop,
            "pointwise_inputs",
            "pointwise_outputs",
        ),
        _head(phase, rows),
    )


FIGURES = (
    prefill_tokens,
    decode_tokens,
    prefill_expert_share,
    decode_expert_share,
    rank_expert_weights,
    prefill_mlp_weights,
    decode_mlp_weights,
    prefill_attended_tokens,
    prefill_attention_flop,
    prefill_attention_load_bytes,
    prefill_attention_store_bytes,
    decode_attended_tokens,
    decode_attention_width,
    decode_attention_flop,
    decode_attention_load_bytes,
    decode_attention_store_bytes,
)
PREFILL_KERNELS = _phase("prefill", "prefill_sequences")
DECODE_KERNELS = _phase("decode", "max_num_seqs")
