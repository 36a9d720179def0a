"""Blocks as pieces of HTML, for sheets and pages: drawings as SVG, tables by their template, every text escaped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from memreport.publish.pdf.bars import stacked_bar
from memreport.publish.pdf.render import environment
from memreport.publish.svg.ownership import ownership_chart
from memreport.publish.svg.portfolio import commitment_curve, month_bars
from memreport.publish.svg.roofline import roofline_chart
from memreport.publish.svg.serving_curve import serving_curve
from memreport.publish.svg.tornado import tornado_drawing
from memreport.report.records.advice import Sensitivity
from memreport.report.records.blocks import Block
from memreport.report.records.money.ownership import RentOrBuy
from memreport.report.records.peak import StackedBar
from memreport.report.records.portfolio import CountedCost, MonthBars
from memreport.report.records.speed import ReportCurve, Roofline

DRAWINGS: Mapping[type, Callable[[Any], str]] = {
    StackedBar: stacked_bar,
    ReportCurve: serving_curve,
    Roofline: roofline_chart,
    RentOrBuy: ownership_chart,
    Sensitivity: lambda made: tornado_drawing(made).svg(),
    MonthBars: month_bars,
    CountedCost: commitment_curve,
}
"""Kinds that are drawn; of every other one there is a macro that is called like it."""


def block_html(block: Block) -> Markup:
    """A block of any kind."""
    macros = environment().get_template("blocks.html.j2").module
    draw = DRAWINGS.get(type(block)) or getattr(macros, type(block).__name__)
    return Markup(draw(block))  # noqa: S704  # made by us, every text escaped
