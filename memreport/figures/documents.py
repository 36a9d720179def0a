"""Figures that only published documents speak of: sums, shares and rates of parts, each named as they name it."""

from __future__ import annotations

from typing import Annotated

from memreport.figures.constants import BITS_PER_BYTE, CHANNEL_BYTES, FLOP_PER_MULTIPLY_ADD
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, FlopPerSecond
from memreport.formula.recording import Figure, figure

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
    """Bandwidth of an accelerator's memory from its bus width and rate per pin.  Source: JEDEC JESD235 (HBM)."""
    return memory_bus_bits / BITS_PER_BYTE * pin_bits_per_second


@figure("F_unit")
def unit_flop_per_second(
    arithmetic_units: Count, unit_multiply_adds: Count, clock_per_second: PerSecond
) -> FlopPerSecond:
    """Peak rate from the number of units, what each does in a cycle, and the clock.  Source: NVIDIA A100 whitepaper."""
    return FLOP_PER_MULTIPLY_ADD * arithmetic_units * unit_multiply_adds * clock_per_second


COMMON: tuple[Figure, ...] = (channel_bytes_per_second, bus_bytes_per_second, unit_flop_per_second)
FIGURES = {
    "training": (state_bytes_per_parameter, state_and_activation_bytes),
    "serving": (inference_bytes,),
}


def figures_of(workload: str) -> tuple[Figure, ...]:
    """The documents' own figures of a workload."""
    return (*COMMON, *FIGURES[workload])
