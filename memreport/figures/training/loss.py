"""The loss: what its backward pass keeps, and what is in memory at once of logits and their gradients."""

from __future__ import annotations

from memreport.figures.constants import FP32_BYTES, ONE_TOKEN, TOKEN_ID_BYTES, TWO
from memreport.figures.quantities import Bytes, Count, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, smaller, where


@figure("s_log")
def logit_shards(keeps_gathered: Switch, loss_cut: Switch, tensor_parallel_size: Count) -> Count:
    """Parts into which tensor parallelism cuts the logits: one where the head's are gathered before the loss.

    Source: HF `_tp_plan` of the head, `colwise_gather_output`; torchtitan `disable_loss_parallel`; Megatron-LM.
    """
    return where(keeps_gathered * (1 - loss_cut) > 0, 1, tensor_parallel_size)


@figure("M_loss", basis="measured")
def loss_activation_bytes(
    tokens_per_micro_batch: Tokens,
    vocab_size: Count,
    logit_softcap: Switch,
    activation_element_bytes: Bytes,
    logit_shards: Count,
    counts_saved_tensors: Switch,
    head_and_loss_fused: Switch,
    makes_logits: Switch,
) -> Bytes:
    """Saved for the backward pass of the loss: FP32 log-softmax, labels, tanh of a soft cap; nothing by Liger's.

    Source: PyTorch cross-entropy; torch 2.13, counted.
    """
    return (
        counts_saved_tensors * makes_logits * (1 - head_and_loss_fused) * tokens_per_micro_batch / ONE_TOKEN
        * (vocab_size * (FP32_BYTES + logit_softcap * activation_element_bytes) / logit_shards + TOKEN_ID_BYTES)
    )  # fmt: skip


@figure("M_chk")
def loss_chunk_bytes(
    tokens_per_micro_batch: Tokens, vocab_size: Count, hidden_size: Count, activation_element_bytes: Bytes
) -> Bytes:
    """Logits of one of the parts, as many as the vocabulary is wider than the model, that Liger's loss goes through.

    Liger rounds the tokens of a part up to a power of two, which may double it.
    Source: Liger Kernel 0.8, ops/fused_linear_cross_entropy.py.
    """
    return (
        tokens_per_micro_batch / ceil(vocab_size / hidden_size)
        * vocab_size * activation_element_bytes / ONE_TOKEN
    )  # fmt: skip


@figure("b_hgt")
def head_gradient_copy_bytes(weight_element_bytes: Bytes, activation_element_bytes: Bytes, autocast: Switch) -> Bytes:
    """Beside each value of the head's gradient while Liger adds a part's: its product, and that in FP32.

    An FP32 head adds in place under autocast.  Source: Liger Kernel 0.8 (since 0.6.1) on PyTorch 2.8 and later.
    """
    return where(weight_element_bytes < FP32_BYTES, activation_element_bytes + FP32_BYTES, (1 - autocast) * FP32_BYTES)


@figure("M_flc")
def fused_linear_loss_bytes(
    trains_head: Switch,
    head_matrix_parameters: Count,
    weight_element_bytes: Bytes,
    head_gradient_copy_bytes: Bytes,
    residual_gradient_bytes: Bytes,
    loss_chunk_bytes: Bytes,
) -> Bytes:
    """Liger's loss, which holds the head: gradients of head and hidden states, made in the forward pass, and two parts.

    Source: Liger Kernel 0.8, ops/fused_linear_cross_entropy.py.
    """
    return (
        trains_head * head_matrix_parameters * (weight_element_bytes + head_gradient_copy_bytes)
        + residual_gradient_bytes + TWO * loss_chunk_bytes
    )  # fmt: skip


@figure("b_log", basis="measured")
def loss_peak_bytes(
    loss_whole_bytes: Bytes,
    loss_part_bytes: Bytes,
    loss_chunks: Count,
    logit_peak_bytes: Bytes,
    logit_chunk_tokens: Tokens,
    sequence_length: Tokens,
) -> Bytes:
    """In memory per logit where the backward pass begins: the chosen loss's, else the framework's own.

    A framework that cuts sequences into chunks has two gradients of one chunk in FP32 beside it.
    Source: torch 2.13, tensors in memory counted for each form; LitGPT `chunked_cross_entropy`.
    """
    return where(
        loss_whole_bytes + loss_part_bytes > 0,
        loss_whole_bytes + loss_part_bytes / loss_chunks,
        logit_peak_bytes + smaller(logit_chunk_tokens / sequence_length, 1) * FP32_BYTES * TWO,
    )


@figure("o_flc")
def head_and_loss_fused(use_liger_kernel: Switch, fuses_head_and_loss: Switch) -> Switch:
    """1 where no logits are kept.  Source: transformers `use_liger_kernel`; Liger `LigerFusedLinearCrossEntropy`."""
    return larger(use_liger_kernel, fuses_head_and_loss)


@figure("M_log", basis="measured")
def logits_bytes(
    tokens_per_micro_batch: Tokens,
    vocab_size: Count,
    loss_peak_bytes: Bytes,
    logit_softcap: Switch,
    activation_element_bytes: Bytes,
    logit_shards: Count,
    counts_saved_tensors: Switch,
    head_and_loss_fused: Switch,
    fused_linear_loss_bytes: Bytes,
    makes_logits: Switch,
) -> Bytes:
    """Logits and loss in memory as the backward pass begins, with a soft cap's tanh; or the most that Liger's takes.

    Source: torch 2.13 cross-entropy in FP32, counted.
    """
    return counts_saved_tensors * makes_logits * where(
        head_and_loss_fused > 0,
        fused_linear_loss_bytes,
        tokens_per_micro_batch / ONE_TOKEN * vocab_size
        * (loss_peak_bytes + logit_softcap * activation_element_bytes) / logit_shards,
    )  # fmt: skip
