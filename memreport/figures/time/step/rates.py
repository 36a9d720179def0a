"""Rates that kernels of training reach of the GPU's peaks.  Source of all shares: hardware/efficiency.yaml."""

from memreport.figures.constants import TWO
from memreport.figures.constants.times import (
    ALIGNED_VALUES,
    ATTENTION_BY_POWER,
    LEAST_POWER,
    MOST_SUSTAINED,
    PRESENT_CUDA,
    PRODUCTS_BY_POWER,
)
from memreport.figures.quantities import Count, FlopPerSecond, Share, Switch, Watts
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, power, smaller, where


@figure("v_w", basis="measured")
def sixteen_bit_flop_per_second(
    half_precision_flop_per_second: FlopPerSecond, single_precision_flop_per_second: FlopPerSecond
) -> FlopPerSecond:
    """Peak where products run in 16 bit or wider, else nothing.  Source: the GPU's data sheet."""
    return half_precision_flop_per_second + single_precision_flop_per_second


@figure("p_W", basis="measured", source="data sheets; hardware/efficiency.yaml")
def power_per_peak(
    board_power_watts: Watts,
    reference_power_watts: Watts,
    bf16_flop_per_second: FlopPerSecond,
    reference_flop_per_second: FlopPerSecond,
) -> Share:
    """Power that a GPU has for its peak, over that of the GPU on which its architecture's shares were fitted."""
    return where(
        reference_power_watts > 0,
        (board_power_watts / larger(reference_power_watts, LEAST_POWER))
        / (bf16_flop_per_second / reference_flop_per_second),
        1,
    )


@figure("x_W", basis="measured")
def product_power_share(power_per_peak: Share) -> Share:
    """Rate of products by that power: clocks fall to what the board may take.  Source: fitted steps of three GPUs."""
    return power(power_per_peak, PRODUCTS_BY_POWER)


@figure("x_Wa", basis="measured")
def attention_power_share(power_per_peak: Share) -> Share:
    """The same of attention, which does more beside its products.  Source: fitted steps of three GPUs."""
    return power(power_per_peak, ATTENTION_BY_POWER)


@figure("x_cu", basis="measured", source="steps of 2023 and 2024 against those since, tests/calibration")
def library_factor(cuda_version: Count, older_products_factor: Share) -> Share:
    """Rate of 16-bit products with the libraries of a version of CUDA, over that with the present ones."""
    return where(cuda_version < PRESENT_CUDA, older_products_factor, 1)


@figure("x_16", basis="measured")
def reached_share_16bit(sustained_share_16bit: Share, product_power_share: Share, library_factor: Share) -> Share:
    """Share of the 16-bit peak that large products of training reach over hours.  Source: product."""
    return smaller(sustained_share_16bit * product_power_share * library_factor, MOST_SUSTAINED)


@figure("v_P", basis="measured")
def sustained_flop_per_second(
    sixteen_bit_flop_per_second: FlopPerSecond,
    reached_share_16bit: Share,
    eight_bit_flop_per_second: FlopPerSecond,
    sustained_share_8bit: Share,
    four_bit_flop_per_second: FlopPerSecond,
    sustained_share_4bit: Share,
    product_power_share: Share,
    fp8_rate_factor: Share,
) -> FlopPerSecond:
    """Rate that large matrix products of training reach over hours.  Source: hardware/efficiency.yaml."""
    return (
        sixteen_bit_flop_per_second * reached_share_16bit
        + eight_bit_flop_per_second
        * smaller(sustained_share_8bit * product_power_share * fp8_rate_factor, MOST_SUSTAINED)
        + four_bit_flop_per_second * smaller(sustained_share_4bit * product_power_share, MOST_SUSTAINED)
    )


@figure("v_16", basis="measured")
def unquantised_flop_per_second(
    sixteen_bit_flop_per_second: FlopPerSecond, bf16_flop_per_second: FlopPerSecond
) -> FlopPerSecond:
    """Peak of what stays in 16 bit where products run in 8 or 4: attention and head.  Source: Transformer Engine."""
    return where(sixteen_bit_flop_per_second > 0, sixteen_bit_flop_per_second, bf16_flop_per_second)


@figure("p_hd", basis="measured")
def head_alignment_share(head_outputs: Count, even_columns_loss: Share, odd_columns_loss: Share) -> Share:
    """Rate of the head's products where rows of logits are no multiple of 16 bytes.  Source: CUTLASS `align1`."""
    return (
        1
        - even_columns_loss * (ceil(head_outputs / ALIGNED_VALUES) > head_outputs / ALIGNED_VALUES)
        - odd_columns_loss * (ceil(head_outputs / TWO) > head_outputs / TWO)
    )


@figure("v_H", basis="measured")
def sustained_head_flop_per_second(
    unquantised_flop_per_second: FlopPerSecond,
    reached_share_16bit: Share,
    head_alignment_share: Share,
    single_precision_flop_per_second: FlopPerSecond,
    torch_compile: Switch,
) -> FlopPerSecond:
    """Rate of the head, which stays in 16 bit.  Source: Transformer Engine recipes."""
    return (
        unquantised_flop_per_second
        * reached_share_16bit
        * where(larger(torch_compile, single_precision_flop_per_second > 0) > 0, 1, head_alignment_share)
    )
