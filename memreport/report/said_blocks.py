"""Drawings and lists as tables of texts: what a renderer shows that has nothing better for their kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from memreport.report.records.advice import Sensitivity, StepRow, Steps, SwingShown
from memreport.report.records.blocks import Drawn, Listed, SourceList
from memreport.report.records.curves import ReportCurve
from memreport.report.records.peak import StackedBar
from memreport.report.records.portfolio import CountedCost, MonthBars, SaidTable
from memreport.report.records.report import RentOrBuy, WorkedGroup
from memreport.report.records.roofline import RoofKernel, Roofline

_TAG = re.compile(r"<[^>]+>")


def said_table_of(block: Drawn | Listed) -> SaidTable:
    """The block in the report's own words and texts, a row for each of its parts.  Raises KeyError for no block."""
    return SAID[type(block)](block)


def _bar(one: StackedBar) -> SaidTable:
    return SaidTable(one.title, ("Part", ""), tuple((part.title, part.text) for part in one.parts))


def _curve(one: ReportCurve) -> SaidTable:
    heads = (one.varied_title, one.across_title, one.up_title)
    rows = tuple((point.label, point.across_text, point.up_text) for point in one.points)
    return SaidTable(one.title, heads, rows, one.sentence)


def _roofline(one: Roofline) -> SaidTable:
    heads = ("Kernel", "FLOP per byte", "Limited by", "Time at best", "Share")
    return SaidTable(one.title, heads, tuple(map(_kernel, one.kernels)), f"{one.peak_text}, {one.bandwidth_text}")


def _kernel(one: RoofKernel) -> tuple[str, ...]:
    return one.title, one.intensity_text, one.bound, one.seconds_text, one.share_text


def _ownership(one: RentOrBuy) -> SaidTable:
    return SaidTable(one.words, ("Rent or buy", "", "Meaning"), one.rows, one.sentence)


def _sensitivity(one: Sensitivity) -> SaidTable:
    heads = ("Input", "From", "To", "Headroom", "")
    return SaidTable(one.named, heads, tuple(map(_swing, one.swings)), f"As planned: {one.headroom.text}")


def _swing(one: SwingShown) -> tuple[str, ...]:
    return one.title, one.low.text, one.high.text, *(end.text for end in one.headroom)


def _months(one: MonthBars) -> SaidTable:
    return SaidTable(one.title, ("Month", one.unit), tuple(zip(one.months, one.texts, strict=True)), one.said)


def _commitment(one: CountedCost) -> SaidTable:
    return SaidTable(one.title, ("GPUs", one.unit), ((str(one.best), one.best_text),), one.said)


def _steps(one: Steps) -> SaidTable:
    return SaidTable(one.title, ("Step", "Peak", ""), tuple(map(_step, one.rows)), one.sentence)


def _step(one: StepRow) -> tuple[str, ...]:
    return one.title, one.peak.text if one.peak else "", one.says


def _derivation(one: WorkedGroup) -> SaidTable:
    rows = ((_TAG.sub("", line.symbol), line.meaning, line.result) for line in one.figures)
    return SaidTable(one.title, ("Symbol", "Meaning", "Result"), tuple(rows))


def _sources(one: SourceList) -> SaidTable:
    rows = ((str(source.number), source.title, source.date) for source in one.sources)
    return SaidTable("Sources", ("Number", "Title", "Date"), tuple(rows))


SAID: Mapping[type, Callable[[Any], SaidTable]] = {
    StackedBar: _bar,
    ReportCurve: _curve,
    Roofline: _roofline,
    RentOrBuy: _ownership,
    Sensitivity: _sensitivity,
    MonthBars: _months,
    CountedCost: _commitment,
    Steps: _steps,
    WorkedGroup: _derivation,
    SourceList: _sources,
}
"""By kind; a test demands every kind of drawing and of list."""
