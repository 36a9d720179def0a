"""The records of a report that hold times: rooflines with their kernels, curves of a served model, both in words."""

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


@frozen
class CurvePoint:
    """A point: both amounts in base units, the texts that people read, and what is varied, in words."""

    across: float
    up: float
    across_text: str
    up_text: str
    label: str


@frozen
class ReportCurve:
    """One figure over another, or over what is varied; `planned` is the position of what the scenario plans, or -1.

    Amounts of a drawing are those of the points divided by `scales`, in the units that the titles of the axes name.
    """

    id: str
    title: str
    across_title: str
    up_title: str
    varied_title: str
    scales: tuple[float, float]
    points: tuple[CurvePoint, ...]
    planned: int
    sentence: str
    legend: str
    """What the marks of a drawing of it are."""


@frozen
class Speed:
    """Rooflines of the chosen variant, its times in words, and how a served model is started."""

    rooflines: tuple[Roofline, ...]
    words: str
    curves: tuple[ReportCurve, ...]
    """Of a served model: what is reached at which load, and what that costs."""
    command: str = ""
    """The line that starts the engine of the chosen variant."""

    @property
    def longest(self) -> Roofline | None:
        """The roofline of the phase that takes longest."""
        return max(self.rooflines, key=lambda roofline: roofline.seconds, default=None)
