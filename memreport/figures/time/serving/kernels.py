"""Kernels of a prefill and of a decode step on one GPU.

Traffic is what the algorithm cannot avoid: weights and cache read once per step, each result written once.
"""

from memreport.figures.constants import FLOP_PER_MULTIPLY_ADD, KEY_AND_VALUE, ONE_TOKEN
from memreport.figures.constants.times import ELEMENTWISE_FLOP, NORM_FLOP
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Flop, Share, Switch, Tokens
from memreport.figures.time.roofline import Kernel, kernel
from memreport.formula.recording import Figure, Line, bound_line, figure
from memreport.formula.words import larger, smaller, where


@figure("W", family=True)
def serving_matmul_flop(kernel_active_weights: Count, kernel_tokens: Tokens) -> Flop:
    """Work of a layer's matrices.  Source: arXiv:2001.08361, section 2.1."""
    return FLOP_PER_MULTIPLY_ADD * kernel_active_weights * (kernel_tokens / ONE_TOKEN)


@figure("Q_l", family=True)
def serving_matmul_load_bytes(
    kernel_weights: Count,
    weight_element_bytes: Bytes,
    kernel_inputs: Count,
    kernel_tokens: Tokens,
    other_element_bytes: Bytes,
) -> Bytes:
    """Weights once, and the tokens' values.  Source: counting."""
    return kernel_weights * weight_element_bytes + kernel_inputs * (kernel_tokens / ONE_TOKEN) * other_element_bytes


@figure("Q_s", family=True)
def serving_matmul_store_bytes(kernel_outputs: Count, kernel_tokens: Tokens, other_element_bytes: Bytes) -> Bytes:
    """The tokens' results.  Source: counting."""
    return kernel_outputs * (kernel_tokens / ONE_TOKEN) * other_element_bytes


@figure("S_p1", source="arXiv:2307.08691, section 3.1; counting")
def attended_prompt_tokens(
    prompt_tokens: Tokens, attention_computed_share: Share, prefix_cached_share: Share
) -> Tokens:
    """Keys that a computed prompt token meets in one layer: all that are cached, and its share of the rest."""
    return prompt_tokens * (prefix_cached_share + (1 - prefix_cached_share) * attention_computed_share)


@figure("S_pre")
def prefill_attended_tokens(
    full_kv_layers: Count,
    window_kv_layers: Count,
    attended_prompt_tokens: Tokens,
    sliding_window: Tokens,
    is_encoder_decoder: Switch,
    encoder_layers: Count,
    stage_share: Share,
) -> Tokens:
    """Keys that a prompt token meets on average, added over the GPU's layers.  Source: arXiv:2307.08691."""
    return where(
        is_encoder_decoder > 0, encoder_layers * stage_share, full_kv_layers
    ) * attended_prompt_tokens + window_kv_layers * smaller(attended_prompt_tokens, sliding_window)


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
    """Keys that a new token meets, added over the GPU's layers.  Source: counting."""
    return full_kv_layers * context_length + window_kv_layers * windowed_tokens


@figure("D_dec", source="arXiv:2405.04434, section 2.1.2 (absorbed projections)")
def decode_attention_width(
    kv_lora_rank: Count, qk_rope_head_dim: Count, num_attention_heads: Count, query_size: Count, value_size: Count
) -> Count:
    """Products per cached token and layer; with a latent cache each head works on the latent itself."""
    return where(
        kv_lora_rank > 0,
        num_attention_heads * (KEY_AND_VALUE * kv_lora_rank + qk_rope_head_dim),
        query_size + value_size,
    )


@figure("W_da")
def decode_attention_flop(
    decode_tokens: Tokens, decode_attended_tokens: Tokens, decode_attention_width: Count, tensor_parallel_size: Count
) -> Flop:
    """Scores and weighted values of one new token per sequence.  Source: counting."""
    return (
        FLOP_PER_MULTIPLY_ADD
        * (decode_tokens / ONE_TOKEN)
        * (decode_attended_tokens / ONE_TOKEN)
        * (decode_attention_width / tensor_parallel_size)
    )


@figure("Q_lda")
def decode_attention_load_bytes(
    decoding_sequences: Count,
    pipeline_parallel_size: Count,
    kv_sequence_bytes: Bytes,
    decode_tokens: Tokens,
    qkv_projection_outputs: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """The whole cache of every sequence, and the new tokens' vectors.  Source: 002 'KV Cache Dominates'."""
    return (
        larger(decoding_sequences / pipeline_parallel_size, 1) * kv_sequence_bytes
        + decode_tokens / ONE_TOKEN * qkv_projection_outputs * other_element_bytes
    )


@figure("Q_sda")
def decode_attention_store_bytes(
    decode_tokens: Tokens,
    kv_bytes_per_token: BytesPerToken,
    linear_state_bytes: Bytes,
    output_projection_inputs: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """Attention's output, the new keys and values, and the state of linear-attention layers.  Source: counting."""
    return (decode_tokens / ONE_TOKEN) * (
        kv_bytes_per_token * ONE_TOKEN + linear_state_bytes + output_projection_inputs * other_element_bytes
    )


@figure("W", family=True)
def serving_norm_flop(norm_values: Count, kernel_tokens: Tokens) -> Flop:
    """Norms.  Source: 004 'Mental Model: The Roofline'."""
    return NORM_FLOP * norm_values * (kernel_tokens / ONE_TOKEN)


@figure("W", family=True)
def serving_pointwise_flop(pointwise_outputs: Count, kernel_tokens: Tokens) -> Flop:
    """Residual sums, rotations and activations.  Source: 004 'Mental Model: The Roofline'."""
    return ELEMENTWISE_FLOP * pointwise_outputs * (kernel_tokens / ONE_TOKEN)


@figure("Q", family=True)
def serving_value_bytes(kernel_values: Count, kernel_tokens: Tokens, other_element_bytes: Bytes) -> Bytes:
    """Values that a kernel reads or writes once.  Source: counting."""
    return kernel_values * (kernel_tokens / ONE_TOKEN) * other_element_bytes


@figure("W_h", family=True)
def head_flop(head_matrix_parameters: Count, head_rows: Count, tensor_parallel_size: Count) -> Flop:
    """The head, for the positions whose next token is sampled.  Source: arXiv:2001.08361, section 2.1."""
    return FLOP_PER_MULTIPLY_ADD * head_matrix_parameters * head_rows / tensor_parallel_size


@figure("Q_lh", family=True)
def head_load_bytes(
    head_matrix_parameters: Count,
    tensor_parallel_size: Count,
    head_rows: Count,
    hidden_size: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """The head's matrix once, and the hidden states.  Source: counting."""
    return (head_matrix_parameters / tensor_parallel_size + head_rows * hidden_size) * other_element_bytes


@figure("Q_sh", family=True)
def head_store_bytes(
    head_rows: Count, vocab_size: Count, tensor_parallel_size: Count, other_element_bytes: Bytes
) -> Bytes:
    """Logits.  Source: counting."""
    return head_rows * vocab_size / tensor_parallel_size * other_element_bytes


def _line(name: str, family: Figure, **bound: str) -> Line:
    return bound_line(name, family, bound)


def _matmul(
    phase: str, name: str, title: str, weights: str, active: str = "", values: str = "", element: str = ""
) -> Kernel:
    """A kernel of weights; `values` names what it reads and writes, `element` the bytes of a weight, if of its own."""
    id_, tokens, values = f"{phase}_{name}", f"{phase}_tokens", values or name
    own = (
        _line(f"{id_}_flop", serving_matmul_flop, kernel_active_weights=active or weights, kernel_tokens=tokens),
        _line(
            f"{id_}_load_bytes",
            serving_matmul_load_bytes,
            kernel_weights=weights,
            kernel_inputs=f"{values}_inputs",
            kernel_tokens=tokens,
            weight_element_bytes=element or "weight_element_bytes",
        ),
        _line(
            f"{id_}_store_bytes", serving_matmul_store_bytes, kernel_outputs=f"{values}_outputs", kernel_tokens=tokens
        ),
    )
    return kernel(id_, title, own)


def _attention_matmul(phase: str, name: str, title: str) -> Kernel:
    """Attention's matrices, which a format may leave alone."""
    return _matmul(phase, name, title, f"{name}_weights.{phase}", element="attention_element_bytes")


def _per_value(phase: str, name: str, title: str, work: Figure, reads: str, writes: str) -> Kernel:
    id_, tokens = f"{phase}_{name}", f"layer_tokens.{phase}"
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
        _attention_matmul(phase, "qkv_projection", "query, key and value projections"),
        kernel(f"{phase}_attention", "attention scores and values"),
        _attention_matmul(phase, "output_projection", "output projection of attention"),
        _matmul(phase, "mlp", "MLP matrices", f"plain_mlp_weights.{phase}", values="plain_mlp"),
        _matmul(
            phase, "experts", "experts that are touched", f"{phase}_expert_weights", "active_expert_weights", "expert"
        ),
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


PREFILL_KERNELS = _phase("prefill", "prompts_together")
DECODE_KERNELS = _phase("decode", "decode_rows")
