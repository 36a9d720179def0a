"""Curves of a served model: tokens per second against time per token, and the cost of a month against the load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memreport.advise.comparisons.curves import ServingCurve
from memreport.catalogue.quantities import brief
from memreport.report.records.speed import CurvePoint, ReportCurve
from memreport.report.shares import spread_words

TOKEN, RATE, MONTH = "time_per_output_token_seconds", "tokens_per_second", "service_usd_per_month"
MILLISECOND, THOUSAND = 1e-3, 1e3
LEAST = 2
"""Points of which a curve consists at least."""


def serving_curves(found: Iterable[ServingCurve]) -> tuple[ReportCurve, ...]:
    """The curves as they are shown; none where too few of the points fit."""
    made = (_frontier(curve) if curve.varied == "max_num_seqs" else _cost(curve) for curve in found)
    return tuple(curve for curve in made if len(curve.points) >= LEAST)


def _frontier(curve: ServingCurve) -> ReportCurve:
    kept = list(_fitting(curve))
    points = tuple(_point(curve, index, TOKEN, RATE, f"{curve.values[index]:,.0f}") for index in kept)
    return ReportCurve(
        "frontier",
        "Tokens per second against time per token",
        "Time per token, ms",
        "Tokens per second, all GPUs",
        "sequences at once",
        (MILLISECOND, 1.0),
        points,
        kept.index(curve.planned) if curve.planned in kept else -1,
        _spread(curve),
        "Numbers at the points are sequences at once on a replica (max_num_seqs); the ring is what is planned.",
    )


def _spread(curve: ServingCurve) -> str:
    low, token, high = (curve.figures[f"{TOKEN}{end}"][0] for end in ("_low", "", "_high"))
    return spread_words([(low, token, high)])


def _fitting(curve: ServingCurve) -> Iterator[int]:
    """Positions of what fits; further sequences that only wait add nothing."""
    slowest = 0.0
    for index, fits in enumerate(curve.figures["fits"]):
        if fits and (curve.figures[TOKEN][index] > slowest or index == curve.planned):
            slowest = max(slowest, curve.figures[TOKEN][index])
            yield index


def _cost(curve: ServingCurve) -> ReportCurve:
    points = tuple(_cost_point(curve, index) for index in range(len(curve.values)))
    return ReportCurve(
        "cost_by_load",
        "Cost of a month against the load",
        "Requests per second, in the mean",
        "Cost of a month, thousand US dollars",
        "GPUs",
        (1.0, THOUSAND),
        points,
        curve.planned,
        "GPUs come in whole replicas, so the cost rises in steps.",
        "Numbers at the points are GPUs; the ring is what is planned.",
    )


def _cost_point(curve: ServingCurve, index: int) -> CurvePoint:
    load, usd = curve.values[index], curve.figures[MONTH][index]
    gpus = f"{curve.figures['needed_accelerators'][index]:,.0f}"
    return CurvePoint(load, usd, brief(load, "1/s"), brief(usd, "USD"), gpus)


def _point(curve: ServingCurve, index: int, across: str, up: str, label: str) -> CurvePoint:
    first, second = curve.figures[across][index], curve.figures[up][index]
    return CurvePoint(first, second, brief(first, "s"), brief(second, "token/s"), label)
