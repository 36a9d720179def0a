"""Scores that attention adds by the distance of two tokens, and whether scores are stored at all."""

from memreport.figures.constants import HALF_BYTES, INT64_BYTES, MASK_BYTES, ONE_TOKEN, TWO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("o_sc", source="HF `_supports_sdpa`, `_supports_flash_attn`")
def scores_stored(
    kernel_stores_scores: Switch, unfused_attention: Switch, runs_transformers_layers: Switch, no_fused_kernel: Switch
) -> Switch:
    """1 where the score matrix is stored: by the kernel, or by a model whose code in transformers has no other."""
    return larger(kernel_stores_scores, runs_transformers_layers * larger(unfused_attention, no_fused_kernel))


@figure("o_nfk")
def no_fused_kernel(
    windows_as_masks: Switch,
    activation_element_bytes: Bytes,
    num_attention_heads: Count,
    num_key_value_heads: Count,
    padding_mask: Switch,
) -> Switch:
    """1 where PyTorch has none: FP32 with keys that heads share and no mask.  Source: PyTorch 2.13; an H100."""
    return (
        windows_as_masks
        * (activation_element_bytes > HALF_BYTES)
        * (num_attention_heads > num_key_value_heads)
        * (1 - padding_mask)
    )


@figure("n_row", source="HF `DebertaV2Model`, all; `DebertaModel`, `att_span`")
def distance_rows_used(distance_rows: Count, distance_rows_follow: Switch, sequence_length: Tokens) -> Count:
    """Rows of the table of distances that are projected: all, or as many as two tokens can lie apart either way."""
    return where(distance_rows_follow > 0, smaller(distance_rows, TWO * (sequence_length / ONE_TOKEN)), distance_rows)


@figure("M_row", basis="measured")
def distance_table_bytes(distance_rows_used: Count, hidden_size: Count, activation_element_bytes: Bytes) -> Bytes:
    """A projected table of distances.  Source: HF `DisentangledSelfAttention.disentangled_attention_bias`."""
    return distance_rows_used * hidden_size * activation_element_bytes


@figure("a_gat", basis="measured", source="HF `DisentangledSelfAttention`; torch 2.13, counted")
def distance_term_bytes(
    distance_rows_used: Count,
    num_attention_heads: Count,
    activation_element_bytes: Bytes,
    distance_table_bytes: Bytes,
    sequence_length: Tokens,
) -> BytesPerToken:
    """One kind of scores by distance: a score for every row, of which a part is taken, and the table, per sequence."""
    return (
        distance_rows_used * num_attention_heads * activation_element_bytes / ONE_TOKEN
        + distance_table_bytes / sequence_length
    )


@figure("a_dsh", basis="measured", source="HF `DisentangledSelfAttention`; torch 2.13, counted")
def distance_shared_bytes(
    distance_table_bytes: Bytes,
    tokens_per_micro_batch: Tokens,
    sequence_length: Tokens,
    hidden_size: Count,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """What a layer keeps once for all kinds: the table before it is projected, a mask, and the keys once more."""
    return (
        distance_table_bytes / tokens_per_micro_batch
        + ((sequence_length / ONE_TOKEN) * MASK_BYTES + hidden_size * activation_element_bytes) / ONE_TOKEN
    )


@figure("a_dis", basis="measured", source="torch 2.13, counted")
def distance_activation_bytes(
    distance_terms: Count,
    distance_term_bytes: BytesPerToken,
    sequence_length: Tokens,
    micro_batch_size: Count,
    distance_shared_bytes: BytesPerToken,
) -> BytesPerToken:
    """What a layer keeps for scores by distance: each kind with its indices, and what all kinds share."""
    return (
        distance_terms
        * (distance_term_bytes + (sequence_length / ONE_TOKEN) * INT64_BYTES / micro_batch_size / ONE_TOKEN)
        + (distance_terms > 0) * distance_shared_bytes
    )


@figure("a_disb", basis="measured")
def distance_backward_bytes(distance_terms: Count, distance_term_bytes: BytesPerToken) -> BytesPerToken:
    """Gradients of one kind of those scores on their way.  Source: torch 2.13, counted."""
    return (distance_terms > 0) * distance_term_bytes


@figure("M_dis", basis="measured")
def distance_bias_bytes(
    distance_biases: Count,
    distance_biases_repeated: Switch,
    micro_batch_size: Count,
    num_attention_heads: Count,
    sequence_length: Tokens,
    residual_element_bytes: Bytes,
    counts_saved_tensors: Switch,
    checkpoints: Switch,
    trains_base: Switch,
    distance_index_bytes: Bytes,
) -> Bytes:
    """Biases by distance that all layers share, in memory where copied or arguments of checkpoints, and gradients.

    Source: HF `T5Attention.compute_bias`, `MPNetEncoder.compute_position_bias`; torch 2.13, counted.
    """
    return (
        distance_biases * (1 + distance_biases_repeated * (micro_batch_size - 1))
        * num_attention_heads * (sequence_length / ONE_TOKEN) * (sequence_length / ONE_TOKEN)
        * residual_element_bytes * counts_saved_tensors
        * (larger(checkpoints, distance_biases_repeated) + trains_base)
        + distance_index_bytes
    )  # fmt: skip


@figure(
    "M_dix", basis="measured", source="HF `T5Attention.compute_bias`, `UMT5Attention.compute_bias`; torch 2.13, counted"
)
def distance_index_bytes(
    distance_index_layers: Count,
    sequence_length: Tokens,
    counts_saved_tensors: Switch,
    checkpoints: Switch,
    trains_base: Switch,
) -> Bytes:
    """Which row of their table each pair of tokens takes, as the gradient of the table needs it."""
    return (
        counts_saved_tensors * trains_base * (1 - checkpoints) * distance_index_layers
        * (sequence_length / ONE_TOKEN) * (sequence_length / ONE_TOKEN) * INT64_BYTES
    )  # fmt: skip
