"""Native charts: memory in stacked columns, scaling curves, tornado, roofline; with titles and a description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from openpyxl.chart import BarChart, LineChart, ScatterChart
from openpyxl.chart.axis import ChartLines
from openpyxl.chart.data_source import AxDataSource, NumDataSource, NumRef, StrRef
from openpyxl.chart.label import DataLabel, DataLabelList
from openpyxl.chart.legend import Legend, LegendEntry
from openpyxl.chart.marker import Marker
from openpyxl.chart.series import Series, SeriesLabel, XYSeries
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText, Text
from openpyxl.chart.title import Title
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import CharacterProperties, Paragraph, ParagraphProperties, RegularTextRun

from memreport.frozen import frozen
from memreport.publish.svg.drawing import PALETTE
from memreport.publish.xlsx.sheet.book import Sheet
from memreport.publish.xlsx.sheet.styles import INK, RULE

COLOURS = tuple(colour.lstrip("#") for colour in PALETTE)
Chart = BarChart | LineChart | ScatterChart
Symbol = Literal["circle", "square", "diamond", "triangle", "x", "plus", "star", "dash"]
MARKERS: tuple[Symbol, ...] = ("circle", "square", "diamond", "triangle", "x", "plus", "star", "dash")
"""With the colours, so that no series is told by its colour alone."""
LIMIT_MARK = 24
"""Points of a limit that is one mark."""
NAMED_LINE = "5B6470"
SMALL = 1000
"""Hundredths of a point of all words but titles: print scales them down with the cells."""
Side = Literal["l", "r", "t", "b"]
POINTS = 12700  # drawing units of one point


@frozen
class Curve:
    """A series: where its title, its values and, on a scatter chart, its x values stand."""

    title: str
    values: str
    across: str = ""


@frozen
class Frame:
    """A chart's words and size: what a screen reader says must hold whatever the numbers become."""

    title: str
    across: str
    up: str
    description: str
    anchor: str
    width: float = 24.0
    height: float = 10.0


@frozen
class NamedLine:
    """A thin line of two points: which of them carries its name, and on which side (l, r, t, b)."""

    curve: Curve
    point: int
    side: Side


def stacked(sheet: Sheet, frame: Frame, categories: str, parts: Sequence[Curve], limit: Curve | None) -> None:
    """Stacked columns, with a limit as a line over them."""
    bars = BarChart(gapWidth=60, overlap=100)
    bars.type, bars.grouping = "col", "stacked"
    for index, part in enumerate(parts):
        series = _series(part, categories)
        series.graphicalProperties = GraphicalProperties(solidFill=COLOURS[index % len(COLOURS)])
        series.graphicalProperties.line = LineProperties(solidFill="FFFFFF", w=POINTS // 2)
        bars.series.append(series)
    _words(bars, frame)
    bars.y_axis.scaling.min = 0  # stacked parts mean nothing over a cut axis
    if limit is not None:
        line = LineChart()
        line.series.append(_dashed(limit, categories))
        bars += line
    _place(sheet, bars, frame)


def curves(sheet: Sheet, frame: Frame, categories: str, series: Sequence[Curve], limit: Curve | None) -> None:
    """Lines over categories; a limit is dashed."""
    chart = LineChart()
    for index, curve in enumerate(series):
        drawn = _series(curve, categories)
        drawn.smooth = False
        drawn.graphicalProperties = _stroke(COLOURS[index * 2 % len(COLOURS)])
        _mark(drawn, index, COLOURS[index * 2 % len(COLOURS)])
        chart.series.append(drawn)
    if limit is not None:
        chart.series.append(_dashed(limit, categories))
    _words(chart, frame)
    _place(sheet, chart, frame)


def tornado(sheet: Sheet, frame: Frame, categories: str, ends: Sequence[Curve], shown_as: str) -> None:
    """Bars to either side of zero, the first category on top; two ends of one input share a line."""
    chart = BarChart(gapWidth=45, overlap=100)
    chart.type, chart.grouping = "bar", "clustered"
    for index, curve in enumerate(ends):
        series = _series(curve, categories)
        series.graphicalProperties = GraphicalProperties(solidFill=COLOURS[index])
        series.invertIfNegative = False  # Excel would draw what is below zero in white
        chart.series.append(series)
    _words(chart, frame)
    chart.x_axis.scaling.orientation = "maxMin"
    chart.x_axis.tickLblPos = "low"  # beside the bars, not under them
    chart.y_axis.crosses = "max"
    chart.y_axis.number_format = shown_as
    _place(sheet, chart, frame)


def roofline(
    sheet: Sheet, frame: Frame, roof: Curve, kernels: Sequence[Curve], reached: Curve, others: Sequence[NamedLine] = ()
) -> None:
    """The roof as a line, other roofs as thin ones with their names, each kernel as a point; both axes logarithmic.

    What kernels are computed to reach are rings below their points.
    """
    chart = ScatterChart()
    chart.scatterStyle, chart.style = "lineMarker", 13
    points = [_point(curve, index) for index, curve in enumerate(kernels)]
    chart.series += [_roof_line(roof), *points, _rings(reached), *map(_named_line, others)]
    _words(chart, frame)
    for axis in (chart.x_axis, chart.y_axis):
        axis.scaling.logBase = 10
        axis.number_format = "0E+00"
    chart.x_axis.majorGridlines = ChartLines(spPr=_hairline())
    chart.legend = Legend(legendPos="r", txPr=_rich(SMALL))
    first = 2 + len(kernels)
    chart.legend.legendEntry = [LegendEntry(idx=first + position, delete=True) for position in range(len(others))]
    _place(sheet, chart, frame)


def _roof_line(roof: Curve) -> XYSeries:
    drawn = _pair(roof)
    drawn.graphicalProperties = GraphicalProperties(ln=LineProperties(solidFill=INK, w=2 * POINTS))
    drawn.marker = Marker(symbol="none")
    return drawn


def _point(kernel: Curve, index: int) -> XYSeries:
    """A kernel as a mark without a line."""
    drawn = _pair(kernel)
    drawn.graphicalProperties = GraphicalProperties(ln=LineProperties(noFill=True))
    _mark(drawn, index, COLOURS[index % len(COLOURS)], size=9)
    return drawn


def _rings(reached: Curve) -> XYSeries:
    drawn = _pair(reached)
    drawn.graphicalProperties = GraphicalProperties(ln=LineProperties(noFill=True))
    drawn.marker = Marker(symbol="circle", size=5)
    drawn.marker.graphicalProperties = GraphicalProperties(noFill=True, ln=LineProperties(solidFill=INK, w=POINTS))
    return drawn


def _named_line(line: NamedLine) -> XYSeries:
    drawn = _pair(line.curve)
    stroke = LineProperties(solidFill=NAMED_LINE, w=POINTS, prstDash="dash")
    drawn.graphicalProperties = GraphicalProperties(ln=stroke)
    drawn.marker = Marker(symbol="none")
    shows: dict[str, Any] = {"showVal": False, "showLegendKey": False, "showCatName": False, "showPercent": False}
    name = DataLabel(
        idx=line.point, dLblPos=line.side, showSerName=True, showBubbleSize=False, txPr=_rich(SMALL), **shows
    )
    drawn.dLbls = DataLabelList(dLbl=[name], showSerName=False, showBubbleSize=False, **shows)
    return drawn


def crossing(sheet: Sheet, frame: Frame, lines: Sequence[Curve], point: Curve) -> None:
    """Lines over numbers, and the point at which they cross as a mark of its own."""
    chart = ScatterChart()
    chart.scatterStyle, chart.style = "lineMarker", 13
    for index, line in enumerate(lines):
        drawn = _pair(line)
        drawn.graphicalProperties = _stroke(COLOURS[index * 4 % len(COLOURS)], dash="dash" if index else None)
        drawn.marker = Marker(symbol="none")
        chart.series.append(drawn)
    drawn = _pair(point)
    drawn.graphicalProperties = GraphicalProperties(ln=LineProperties(noFill=True))
    _mark(drawn, 2, INK, size=10)
    chart.series.append(drawn)
    _words(chart, frame)
    for axis in (chart.x_axis, chart.y_axis):
        axis.scaling.min = 0
        axis.number_format = "#,##0"
    _place(sheet, chart, frame)


def _series(curve: Curve, categories: str) -> Series:
    series = Series(val=NumDataSource(numRef=NumRef(f=curve.values)))
    series.cat = AxDataSource(strRef=StrRef(f=categories))
    series.tx = SeriesLabel(strRef=StrRef(curve.title))
    return series


def _dashed(curve: Curve, categories: str) -> Series:
    """A limit: a dashed line without markers; of one point, of which no line is drawn, a wide dash."""
    drawn = _series(curve, categories)
    drawn.smooth = False
    drawn.graphicalProperties = GraphicalProperties(ln=LineProperties(solidFill=INK, w=2 * POINTS, prstDash="dash"))
    drawn.marker = Marker(symbol="none")
    first, _, last = curve.values.rpartition("!")[2].partition(":")
    if first == (last or first):
        _mark(drawn, MARKERS.index("dash"), INK, size=LIMIT_MARK)
    return drawn


def _pair(curve: Curve) -> XYSeries:
    series = XYSeries()
    series.yVal = NumDataSource(numRef=NumRef(f=curve.values))
    series.xVal = AxDataSource(numRef=NumRef(f=curve.across))
    series.tx = SeriesLabel(strRef=StrRef(curve.title))
    series.smooth = False
    return series


def _mark(series: Series, index: int, colour: str, size: int = 7) -> None:
    series.marker = Marker(symbol=MARKERS[index % len(MARKERS)], size=size)
    series.marker.graphicalProperties = GraphicalProperties(solidFill=colour, ln=LineProperties(solidFill=colour))


def _stroke(colour: str, dash: Literal["dash"] | None = None) -> GraphicalProperties:
    return GraphicalProperties(ln=LineProperties(solidFill=colour, w=2 * POINTS, prstDash=dash))


def _hairline() -> GraphicalProperties:
    return GraphicalProperties(ln=LineProperties(solidFill=RULE, w=POINTS // 2))


def _words(chart: Chart, frame: Frame) -> None:
    chart.title = _titled(frame.title, 1200, bold=True)
    for axis, words in ((chart.x_axis, frame.across), (chart.y_axis, frame.up)):
        axis.title = _titled(words, SMALL, bold=False)
        axis.delete = False  # Excel hides axes that do not say so
        axis.txPr = _rich(SMALL)
    chart.y_axis.majorGridlines = ChartLines(spPr=_hairline())
    chart.y_axis.number_format = "#,##0"
    chart.legend = Legend(legendPos="b", txPr=_rich(SMALL))


def _titled(words: str, size: int, *, bold: bool) -> Title:
    font = _font(size, bold=bold)
    run = RegularTextRun(rPr=font, t=words)
    rich = RichText(p=[Paragraph(pPr=ParagraphProperties(defRPr=font), r=[run])])
    return Title(tx=Text(rich=rich), overlay=False)


def _rich(size: int) -> RichText:
    return RichText(p=[Paragraph(pPr=ParagraphProperties(defRPr=_font(size)), endParaRPr=_font(size))])


def _font(size: int, *, bold: bool = False) -> CharacterProperties:
    return CharacterProperties(sz=size, b=bold, solidFill=INK)


def _place(sheet: Sheet, chart: Chart, frame: Frame) -> None:
    chart.width = frame.width  # type: ignore[assignment]  # the stubs read a type off the default
    chart.height = frame.height
    sheet.worksheet.add_chart(chart, frame.anchor)
    sheet.book.alt_texts[frame.title] = frame.description
