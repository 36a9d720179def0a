"""The loss: what its backward pass keeps, and what is in memory at once of logits and their gradients."""

from memreport.figures.constants import (
    FP32_BYTES,
    GRADIENTS_AT_A_SUM,
    LOSS_PARTS_AT_ONCE,
    ONE_TOKEN,
    TOKEN_ID_BYTES,
    TWO,
)
from memreport.figures.quantities import Bytes, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, smaller, where


@figure("s_log", source="HF `colwise_gather_output`; torchtitan `disable_loss_parallel`")
def logit_shards(keeps_gathered: Switch, loss_cut: Switch, tensor_parallel_size: Count) -> Count:
    """Parts into which tensor parallelism cuts the logits: one where the head's are gathered before the loss."""
    return where(keeps_gathered * (1 - loss_cut) > 0, 1, tensor_parallel_size)


@figure("b_lse")
def loss_element_bytes(
    loss_in_logit_dtype: Switch, runs_transformers_layers: Switch, logit_element_bytes: Bytes
) -> Bytes:
    """Width in which cross-entropy is computed: FP32, or that of logits that the model's own code hands it unchanged.

    Source: HF `BertForMaskedLM`, `T5ForConditionalGeneration`; torch 2.13, counted.
    """
    return where(loss_in_logit_dtype * runs_transformers_layers > 0, logit_element_bytes, FP32_BYTES)


@figure("M_loss", basis="measured", source="PyTorch cross-entropy; torch 2.13, counted")
def loss_activation_bytes(
    tokens_per_micro_batch: Tokens,
    vocab_size: Count,
    logit_softcap: Switch,
    activation_element_bytes: Bytes,
    loss_element_bytes: Bytes,
    logit_shards: Count,
    counts_saved_tensors: Switch,
    head_and_loss_fused: Switch,
    makes_logits: Switch,
) -> Bytes:
    """Saved for the backward pass of the loss: log-softmax, labels, tanh of a soft cap; nothing by Liger's."""
    return (
        counts_saved_tensors * makes_logits * (1 - head_and_loss_fused) * tokens_per_micro_batch / ONE_TOKEN
        * (vocab_size * (loss_element_bytes + logit_softcap * activation_element_bytes) / logit_shards + TOKEN_ID_BYTES)
    )  # fmt: skip


@figure("M_chk", source="Liger Kernel 0.8, ops/fused_linear_cross_entropy.py")
def loss_chunk_bytes(
    tokens_per_micro_batch: Tokens, vocab_size: Count, hidden_size: Count, activation_element_bytes: Bytes
) -> Bytes:
    """Logits of one of the parts, as many as the vocabulary is wider than the model, that Liger's loss goes through."""
    # Liger rounds the tokens of a part up to a power of two, which may double it.
    return (
        tokens_per_micro_batch / ceil(vocab_size / hidden_size)
        * vocab_size * activation_element_bytes / ONE_TOKEN
    )  # fmt: skip


@figure("M_prt")
def largest_loss_part_bytes(
    loss_part_limit_bytes: Bytes,
    loss_free_share: Share,
    capacity_bytes: Bytes,
    framework_bytes: Bytes,
    model_weight_bytes: Bytes,
    adapter_bytes: Bytes,
    vocab_size: Count,
) -> Bytes:
    """Logits of one part in FP32 at most where their bytes limit a part: a share of what is free at the first step.

    Never less than one token's.  Source: unsloth_zoo, fused_losses/cross_entropy_loss.py.
    """
    return larger(
        smaller(
            loss_part_limit_bytes,
            loss_free_share * (capacity_bytes - framework_bytes - model_weight_bytes - adapter_bytes),
        ),
        vocab_size * FP32_BYTES,
    )


@figure("M_l32")
def wide_logits_bytes(tokens_per_micro_batch: Tokens, vocab_size: Count) -> Bytes:
    """All logits of a micro-batch in FP32.  Source: tokens times vocabulary."""
    return tokens_per_micro_batch * vocab_size * FP32_BYTES / ONE_TOKEN


@figure("n_prt", source="unsloth_zoo, fused_losses/cross_entropy_loss.py, `get_chunk_size`")
def parts_of_limited_loss(wide_logits_bytes: Bytes, largest_loss_part_bytes: Bytes) -> Count:
    """Parts of a loss whose parts are limited in bytes: one, or as many fours as it takes."""
    return where(
        wide_logits_bytes <= largest_loss_part_bytes,
        1,
        LOSS_PARTS_AT_ONCE * ceil(wide_logits_bytes / largest_loss_part_bytes / LOSS_PARTS_AT_ONCE),
    )


@figure("b_hgt")
def head_gradient_copy_bytes(
    weight_element_bytes: Bytes, autocast: Switch, loss_part_limit_bytes: Bytes, loss_tile_tokens: Tokens
) -> Bytes:
    """Beside each value of the head's gradient while a part's is added to it.

    Source: Liger Kernel up to 0.6.1 and from 0.8.3 on; unsloth_zoo, fused_losses/cross_entropy_loss.py; TRL 1.16.
    """
    # Liger adds in place, but for FP32 products without autocast; Unsloth adds the part's own gradient, in the
    # weights' type; tiles add to an FP32 sum, of which a 16-bit copy is made at the end.
    return (loss_part_limit_bytes > 0) * weight_element_bytes + (loss_part_limit_bytes <= 0) * where(
        weight_element_bytes < FP32_BYTES,
        (loss_tile_tokens > 0) * FP32_BYTES,
        (loss_tile_tokens <= 0) * (1 - autocast) * FP32_BYTES,
    )


@figure("M_tile", source="TRL 1.16, kernels/chunked_logprob.py; torch 2.13, counted")
def loss_tile_bytes(
    tokens_per_micro_batch: Tokens,
    loss_tile_tokens: Tokens,
    loss_tile_vocabulary: Count,
    cast_part_bytes: Bytes,
    activation_element_bytes: Bytes,
) -> Bytes:
    """A tile of logits, of some tokens by a part of the vocabulary, over which kernels write its gradient."""
    return cast_part_bytes + activation_element_bytes * loss_tile_vocabulary * smaller(
        tokens_per_micro_batch, loss_tile_tokens
    ) / ONE_TOKEN  # fmt: skip


@figure("M_part")
def cast_part_bytes(
    loss_tile_vocabulary: Count,
    vocab_size: Count,
    hidden_size: Count,
    weight_element_bytes: Bytes,
    activation_element_bytes: Bytes,
) -> Bytes:
    """Two such parts of an FP32 head in 16 bit, the last one and the next.  Source: the same."""
    return (
        (weight_element_bytes > activation_element_bytes) * activation_element_bytes
        * hidden_size * smaller(vocab_size, TWO * loss_tile_vocabulary)
    )  # fmt: skip


@figure("M_hsum")
def hidden_gradient_sum_bytes(
    tokens_per_micro_batch: Tokens, hidden_size: Count, loss_tile_tokens: Tokens, activation_element_bytes: Bytes
) -> Bytes:
    """The sum over tiles of the hidden states' gradient, in FP32 beside the 16-bit one.  Source: the same."""
    return (
        (loss_tile_tokens > 0) * (activation_element_bytes < FP32_BYTES)
        * tokens_per_micro_batch / ONE_TOKEN * hidden_size * FP32_BYTES
    )  # fmt: skip


@figure("M_lwk")
def loss_at_work_bytes(
    loss_part_limit_bytes: Bytes,
    wide_logits_bytes: Bytes,
    loss_part_bytes: Bytes,
    parts_of_limited_loss: Count,
    loss_chunk_bytes: Bytes,
    loss_tile_bytes: Bytes,
) -> Bytes:
    """What a loss which holds the head works on at once: logits of one limited part, a tile, or two parts of Liger's.

    Source: Liger Kernel 0.8; unsloth_zoo, compiled; torch 2.13, counted.
    """
    return where(
        loss_part_limit_bytes > 0,
        wide_logits_bytes / FP32_BYTES * loss_part_bytes / parts_of_limited_loss,
        loss_tile_bytes + (loss_tile_bytes <= 0) * TWO * loss_chunk_bytes,
    )


@figure("M_flc")
def fused_linear_loss_bytes(
    trains_head: Switch,
    head_matrix_parameters: Count,
    weight_element_bytes: Bytes,
    head_gradient_copy_bytes: Bytes,
    residual_gradient_bytes: Bytes,
    hidden_gradient_sum_bytes: Bytes,
    loss_at_work_bytes: Bytes,
) -> Bytes:
    """A loss that holds the head: gradients of head and hidden states, and logits at work.

    Source: Liger Kernel 0.8, ops/fused_linear_cross_entropy.py; unsloth_zoo, fused_losses/cross_entropy_loss.py; TRL.
    """
    # Liger and Unsloth make them in the forward pass, TRL as the backward pass begins.
    return (
        trains_head * head_matrix_parameters * (weight_element_bytes + head_gradient_copy_bytes)
        + residual_gradient_bytes + hidden_gradient_sum_bytes + loss_at_work_bytes
    )  # fmt: skip


@figure("b_lgt")
def logit_element_bytes(autocast: Switch, activation_element_bytes: Bytes) -> Bytes:
    """One logit as the loss is handed it: in FP32 under autocast.  Source: Accelerate `convert_outputs_to_fp32`."""
    return where(autocast > 0, FP32_BYTES, activation_element_bytes)


@figure("n_lgt")
def logit_copies(loss_logit_copies: Count, second_pass_logits: Count) -> Count:
    """Copies of all logits, and those of a pass without gradient that stay beside.  Source: TRL 1.14 `KTOTrainer`."""
    return loss_logit_copies + (loss_logit_copies > 0) * second_pass_logits


@figure("o_lcp")
def loss_compiled(torch_compile: Switch, compiled_logit_bytes: Bytes) -> Switch:
    """1 where the loss is compiled with the layers.  Source: transformers Trainer, torchtune, torchtitan."""
    return torch_compile * (compiled_logit_bytes > 0)


@figure("b_whl", basis="measured")
def whole_loss_bytes(loss_whole_bytes: Bytes, loss_compiled: Switch, compiled_less_whole_bytes: Bytes) -> Bytes:
    """In memory per logit of all tokens as the backward pass begins.  Source: torch 2.13, memory profiled."""
    return loss_whole_bytes - loss_compiled * compiled_less_whole_bytes


@figure("b_prl", basis="measured")
def partial_loss_bytes(loss_part_bytes: Bytes, loss_compiled: Switch, compiled_less_part_bytes: Bytes) -> Bytes:
    """In memory per logit of the part that is worked on.  Source: the same."""
    return loss_part_bytes - loss_compiled * compiled_less_part_bytes


@figure("b_own", basis="measured")
def own_loss_bytes(
    loss_compiled: Switch,
    compiled_logit_bytes: Bytes,
    logit_peak_bytes: Bytes,
    loss_element_bytes: Bytes,
    logit_chunk_tokens: Tokens,
    sequence_length: Tokens,
) -> Bytes:
    """In memory per logit as the framework computes its loss, unless one is chosen.

    Source: torch 2.13, tensors in memory counted; compiled, memory profiled; LitGPT `chunked_cross_entropy`.
    """
    # A framework that cuts sequences into chunks has two gradients of one chunk in FP32 beside it.
    return where(
        loss_compiled > 0,
        compiled_logit_bytes,
        logit_peak_bytes * loss_element_bytes / FP32_BYTES
        + smaller(logit_chunk_tokens / sequence_length, 1) * FP32_BYTES * TWO,
    )


@figure("b_log", basis="measured", source="torch 2.13, tensors in memory counted for each form")
def loss_peak_bytes(
    whole_loss_bytes: Bytes,
    logit_copies: Count,
    logit_element_bytes: Bytes,
    partial_loss_bytes: Bytes,
    loss_chunks: Count,
    own_loss_bytes: Bytes,
) -> Bytes:
    """In memory per logit where the backward pass begins: the chosen loss's, else the framework's own."""
    return where(
        whole_loss_bytes + logit_copies * logit_element_bytes + partial_loss_bytes > 0,
        whole_loss_bytes + logit_copies * logit_element_bytes + partial_loss_bytes / loss_chunks,
        own_loss_bytes,
    )


@figure("M_hpt", basis="measured", source="torch 2.13, autograd's sum of a matrix's gradients; memory profiled")
def head_parts_bytes(
    trains_head: Switch,
    loss_part_bytes: Bytes,
    whole_loss_bytes: Bytes,
    loss_part_limit_bytes: Bytes,
    loss_chunks: Count,
    tokens_per_micro_batch: Tokens,
    vocab_size: Count,
    activation_element_bytes: Bytes,
    head_matrix_parameters: Count,
    weight_element_bytes: Bytes,
) -> Bytes:
    """Parts of a loss are worked back to a trained head: the second one's gradient of it, the sum and its copy."""
    # Beside them are the other parts' gradients of logits, unless logits are made again.
    return (
        trains_head * (loss_part_bytes > 0) * (loss_part_limit_bytes <= 0)
        * (
            GRADIENTS_AT_A_SUM * head_matrix_parameters * weight_element_bytes
            + larger(loss_chunks - TWO, 0) / loss_chunks
            * tokens_per_micro_batch / ONE_TOKEN * vocab_size * smaller(activation_element_bytes, whole_loss_bytes)
        )
    )  # fmt: skip


@figure("o_flc")
def head_and_loss_fused(use_liger_kernel: Switch, fuses_head_and_loss: Switch) -> Switch:
    """1 where no logits are kept.  Source: transformers `use_liger_kernel`; Liger `LigerFusedLinearCrossEntropy`."""
    return larger(use_liger_kernel, fuses_head_and_loss)


@figure("M_log", basis="measured", source="torch 2.13 cross-entropy in FP32, counted")
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
    head_parts_bytes: Bytes,
    makes_logits: Switch,
) -> Bytes:
    """Logits and loss in memory as the backward pass begins, with a soft cap's tanh; or the most that Liger's takes."""
    return counts_saved_tensors * makes_logits * where(
        head_and_loss_fused > 0,
        fused_linear_loss_bytes,
        larger(
            tokens_per_micro_batch / ONE_TOKEN * vocab_size
            * (loss_peak_bytes + logit_softcap * activation_element_bytes) / logit_shards,
            head_parts_bytes,
        ),
    )  # fmt: skip
