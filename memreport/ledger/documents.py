"""Figures that only published documents speak of: sums, shares and rates of parts, each named as they name it."""

from __future__ import annotations

from typing import Annotated

from memreport.figures.constants import BITS_PER_BYTE, CHANNEL_BYTES, FLOP_PER_MULTIPLY_ADD, ONE_TOKEN, SIX, TWO
from memreport.figures.quantities import (
    Bytes,
    BytesPerSecond,
    BytesPerToken,
    Count,
    FlopPerSecond,
    Seconds,
    Share,
    Tokens,
)
from memreport.formula.recording import Figure, figure
from memreport.ledger import listings

PerSecond = Annotated[float, "/s"]


@figure("b_P")
def state_bytes_per_parameter(model_state_bytes: Bytes, rank_parameters: Count) -> Bytes:
    """Weights, gradients, optimizer states and master copy per parameter.  Source: arXiv:1910.02054, section 3.1."""
    return model_state_bytes / rank_parameters


@figure("M_WGOA")
def state_and_activation_bytes(model_state_bytes: Bytes, activation_bytes: Bytes) -> Bytes:
    """The sum that documents call total training memory.  Source: 000 'Total Training Memory'."""
    return model_state_bytes + activation_bytes


@figure("M_WAK")
def inference_bytes(weight_bytes: Bytes, activation_bytes: Bytes, kv_cache_bytes: Bytes) -> Bytes:
    """The sum that documents call total inference memory.  Source: 001 'Training vs Inference Memory Profile'."""
    return weight_bytes + activation_bytes + kv_cache_bytes


@figure("B_ch")
def channel_bytes_per_second(memory_channels: Count, memory_transfers_per_second: PerSecond) -> BytesPerSecond:
    """Bandwidth of host memory from its channels, eight bytes wide each.  Source: JEDEC JESD79-4 (DDR4), JESD79-5."""
    return memory_channels * CHANNEL_BYTES * memory_transfers_per_second


@figure("B_bus")
def bus_bytes_per_second(memory_bus_bits: Count, pin_bits_per_second: PerSecond) -> BytesPerSecond:
    """Bandwidth of a GPU's memory from its bus width and rate per pin.  Source: JEDEC JESD235 (HBM)."""
    return memory_bus_bits / BITS_PER_BYTE * pin_bits_per_second


@figure("F_unit")
def unit_flop_per_second(
    arithmetic_units: Count, unit_multiply_adds: Count, clock_per_second: PerSecond
) -> FlopPerSecond:
    """Peak rate from the number of units, what each does in a cycle, and the clock.  Source: NVIDIA A100 whitepaper."""
    return FLOP_PER_MULTIPLY_ADD * arithmetic_units * unit_multiply_adds * clock_per_second


@figure("t_lat")
def latency_seconds(latency_cycles: Count, clock_per_second: PerSecond) -> Seconds:
    """Time to the first byte, from the cycles that a micro-benchmark counts.  Source: definition."""
    return latency_cycles / clock_per_second


@figure("B_dem")
def demanded_bytes_per_second(demand_bytes: Bytes, demand_seconds: Seconds) -> BytesPerSecond:
    """Bandwidth that so many bytes in so long a time ask for.  Source: definition."""
    return demand_bytes / demand_seconds


@figure("S_kv")
def cached_generation_scores(generated_tokens: Tokens) -> Count:
    """Scores per head that are computed while tokens are generated one by one with a cache.  Source: sum of 1 to S."""
    return (generated_tokens / ONE_TOKEN) * (generated_tokens / ONE_TOKEN + 1) / TWO


@figure("S_0")
def uncached_generation_scores(generated_tokens: Tokens) -> Count:
    """The same without a cache, where each token's whole square is recomputed.  Source: sum of squares, 1 to S."""
    return (
        (generated_tokens / ONE_TOKEN)
        * (generated_tokens / ONE_TOKEN + 1)
        * (TWO * generated_tokens / ONE_TOKEN + 1)
        / SIX
    )


@figure("C_act")
def activation_values_per_hidden_unit(
    layer_activation_bytes_per_token: BytesPerToken, hidden_size: Count, activation_element_bytes: Bytes
) -> Count:
    """Activations of a layer as values per token and hidden unit.  Source: 001 'Activations', the constant C."""
    return layer_activation_bytes_per_token * ONE_TOKEN / (hidden_size * activation_element_bytes)


@figure("s_page")
def paging_saving_share(contiguous_waste_share: Share, average_paged_waste_share: Share) -> Share:
    """Cache that paging saves against contiguous reservations.  Source: arXiv:2309.06180, section 6."""
    return 1 - (1 - contiguous_waste_share) / (1 - average_paged_waste_share)


COMMON: tuple[Figure, ...] = (
    channel_bytes_per_second,
    bus_bytes_per_second,
    unit_flop_per_second,
    latency_seconds,
    demanded_bytes_per_second,
    cached_generation_scores,
    uncached_generation_scores,
)
FIGURES = {
    "training": (state_bytes_per_parameter, state_and_activation_bytes, activation_values_per_hidden_unit),
    "serving": (inference_bytes, paging_saving_share),
}


def figures_of(workload: str) -> tuple[Figure, ...]:
    """The documents' own figures of a workload."""
    return (*COMMON, *FIGURES[workload], *listings.COMMON, *listings.FIGURES[workload])
