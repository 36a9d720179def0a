"""Rates that kernels of training reach of the GPU's peaks.  Source of all shares: hardware/efficiency.yaml."""

from __future__ import annotations

from memreport.figures.quantities import FlopPerSecond, Share
from memreport.formula.recording import figure
from memreport.formula.words import where


@figure("v_w", basis="measured")
def sixteen_bit_flop_per_second(
    half_precision_flop_per_second: FlopPerSecond, single_precision_flop_per_second: FlopPerSecond
) -> FlopPerSecond:
    """Peak where products run in 16 bit or wider, else nothing.  Source: the GPU's data sheet."""
    return half_precision_flop_per_second + single_precision_flop_per_second


@figure("v_P", basis="measured")
def sustained_flop_per_second(
    sixteen_bit_flop_per_second: FlopPerSecond,
    sustained_share_16bit: Share,
    eight_bit_flop_per_second: FlopPerSecond,
    sustained_share_8bit: Share,
    four_bit_flop_per_second: FlopPerSecond,
    sustained_share_4bit: Share,
) -> FlopPerSecond:
    """Rate that large matrix products of training reach over hours.  Source: hardware/efficiency.yaml."""
    return (
        sixteen_bit_flop_per_second * sustained_share_16bit
        + eight_bit_flop_per_second * sustained_share_8bit
        + four_bit_flop_per_second * sustained_share_4bit
    )


@figure("v_16", basis="measured")
def unquantised_flop_per_second(
    sixteen_bit_flop_per_second: FlopPerSecond, bf16_flop_per_second: FlopPerSecond
) -> FlopPerSecond:
    """Peak of what stays in 16 bit where products run in 8 or 4: attention and head.  Source: Transformer Engine."""
    return where(sixteen_bit_flop_per_second > 0, sixteen_bit_flop_per_second, bf16_flop_per_second)


@figure("v_H", basis="measured")
def sustained_head_flop_per_second(
    unquantised_flop_per_second: FlopPerSecond, sustained_share_16bit: Share
) -> FlopPerSecond:
    """Rate of the head, which stays in 16 bit.  Source: Transformer Engine recipes."""
    return unquantised_flop_per_second * sustained_share_16bit
