"""Traffic that autocast adds in a training step: an FP32 residual stream, cast for each product that reads it."""

from memreport.figures.constants import FOUR, ONE_TOKEN, THREE, TWO
from memreport.figures.constants.times import RESIDUAL_SUMS
from memreport.figures.quantities import Bytes, Count, Share, Switch, Tokens
from memreport.formula.recording import figure


@figure("b_wcv")
def cast_pair_bytes(residual_element_bytes: Bytes, activation_element_bytes: Bytes) -> Bytes:
    """Moved when one value is cast: read in one width, written in the other.  Source: counting."""
    return residual_element_bytes + activation_element_bytes


@figure("b_wdr")
def wider_bytes(residual_element_bytes: Bytes, activation_element_bytes: Bytes) -> Bytes:
    """What a value of the residual stream takes more than one that is saved.  Source: difference."""
    return residual_element_bytes - activation_element_bytes


@figure("Q_wrs")
def wide_residual_bytes(
    hidden_size: Count, layers_per_stage: Count, mlp_matrices: Count, wider_bytes: Bytes, cast_pair_bytes: Bytes
) -> Bytes:
    """More of a token in one pass: norms and sums read and write it wide; query, key, value, gate and up each cast it.

    Source: PyTorch automatic mixed precision; HF `LlamaDecoderLayer`, counted.
    """
    return (
        hidden_size * layers_per_stage
        * (RESIDUAL_SUMS * (FOUR * wider_bytes) + (THREE + mlp_matrices - 1) * cast_pair_bytes)
    )  # fmt: skip


@figure("Q_wan", source="bitsandbytes `Linear4bit.forward`; HF `LlamaAttention`, `LlamaMLP`, counted")
def wide_answer_bytes(
    base_quantised: Switch,
    qkv_projection_outputs: Count,
    rank_mlp_width: Count,
    mlp_matrices: Count,
    wider_bytes: Bytes,
    cast_pair_bytes: Bytes,
) -> Bytes:
    """More of a token where 4-bit layers answer in FP32: answers cast, rotated and activated wide, and cast again."""
    return base_quantised * (
        cast_pair_bytes * (TWO * qkv_projection_outputs + mlp_matrices * rank_mlp_width)
        + wider_bytes * (TWO * qkv_projection_outputs + mlp_matrices * rank_mlp_width)
    )


@figure("Q_wd")
def widened_stream_bytes(
    torch_compile: Switch,
    rank_tokens_per_step: Tokens,
    recompute_share: Share,
    wider_bytes: Bytes,
    wide_residual_bytes: Bytes,
    wide_answer_bytes: Bytes,
) -> Bytes:
    """Both, forward and, as much, backward; compiled, casts are part of other kernels.  Source: counting."""
    return (
        (wider_bytes > 0) * (1 - torch_compile)
        * (rank_tokens_per_step / ONE_TOKEN) * (TWO + recompute_share)
        * (wide_residual_bytes + wide_answer_bytes)
    )  # fmt: skip
