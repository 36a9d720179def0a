"""Rates of memory that kernels reach, and how two times that overlap on the same device add up."""

from memreport.figures.constants import SHORTEST_TIME, THREE
from memreport.figures.constants.times import OVERLAP_LOSS, THIRD
from memreport.figures.quantities import BytesPerSecond, Share
from memreport.formula.recording import figure
from memreport.formula.words import larger, power, smaller


def soft_maximum(first: float, second: float, order: float = THREE, root: float = THIRD) -> float:
    """The longer of two times that overlap, a little more where they are alike: cubic, as in operator fits.

    Of order 1 it is their sum, as of times that do not overlap.
    """
    return larger(first, second) * power(
        1 + power(smaller(first, second) / larger(first, second, SHORTEST_TIME), order), root
    )


def beyond(busy: float, other: float) -> float:
    """What another activity adds to a busy time that it runs beside."""
    return soft_maximum(busy, other) - busy


def shared(busy: float, traffic: float) -> float:
    """What collectives add to arithmetic that they run beside: they take multiprocessors and bandwidth from it."""
    return larger(traffic - busy, 0) + OVERLAP_LOSS * smaller(busy, traffic)


@figure("B_p", basis="measured")
def product_bytes_per_second(memory_bytes_per_second: BytesPerSecond, product_bandwidth_share: Share) -> BytesPerSecond:
    """Rate at which matrix products read their weights.  Source: hardware/efficiency.yaml."""
    return memory_bytes_per_second * product_bandwidth_share


@figure("B_s", basis="measured")
def stream_bytes_per_second(memory_bytes_per_second: BytesPerSecond, stream_bandwidth_share: Share) -> BytesPerSecond:
    """Rate of kernels that treat each element alone.  Source: hardware/efficiency.yaml."""
    return memory_bytes_per_second * stream_bandwidth_share


def above(value: float, error: float) -> float:
    """The high end of a time that may lie off by an error."""
    return value * (1 + error)


def below(value: float, error: float) -> float:
    """The low end of it."""
    return value / (1 + error)
