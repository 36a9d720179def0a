"""The records of a report that hold rooflines: kernels, the roof over them, and other roofs beside it."""

from __future__ import annotations

from memreport.frozen import frozen
from memreport.report.records.amounts import Amount


@frozen
class RoofKernel:
    """A kernel under the roof: FLOP per byte, the rate it can attain, what limits it, and its time at best.

    `reached` is the rate in the computed time, 0 where that is not known of this kernel alone.
    """

    number: int
    id: str
    title: str
    intensity: Amount
    attainable: Amount
    bound: str
    seconds: Amount
    share: Amount
    reached: Amount

    @property
    def limit(self) -> str:
        """What limits it, in a word."""
        return self.bound.removesuffix(" bandwidth")


@frozen
class OtherRoof:
    """A roof beside the main one: the rate of other data types (FLOP/s), or a slower memory or wire (byte/s)."""

    title: str
    value: float
    text: str
    is_rate: bool


@frozen
class Roofline:
    """The roof of one GPU and the kernels of one phase: FLOP/s, byte/s, FLOP/byte, seconds."""

    id: str
    title: str
    peak: Amount
    bandwidth: Amount
    ridge: Amount
    seconds: float
    kernels: tuple[RoofKernel, ...]
    peak_title: str = "arithmetic"
    others: tuple[OtherRoof, ...] = ()

    @property
    def slowest(self) -> tuple[RoofKernel, ...]:
        """Its kernels, the one that takes longest first."""
        return tuple(sorted(self.kernels, key=lambda kernel: -kernel.seconds.value))
