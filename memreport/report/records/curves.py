"""The records of a report that hold curves of a served model."""

from __future__ import annotations

from memreport.frozen import frozen


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
