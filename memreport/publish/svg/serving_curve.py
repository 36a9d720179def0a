"""A curve of a served model as SVG: points with labels, and a ring around what is planned."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from memreport.publish.svg.axes import Plot
from memreport.publish.svg.drawing import INK, PALETTE, Box, Drawing, round_steps, text_box
from memreport.report.records.speed import ReportCurve

WIDTH, HEIGHT = 244.0, 146.0
LEFT, RIGHT, TOP, BOTTOM = 42.0, 14.0, 26.0, 34.0
ROOM, SMALLEST = 1.08, 1e-12
SMALL, STEP = 9.2, 3.0
"""Size of all words, which are printed as large as they are drawn; and between the boxes along a line."""
RING = PALETTE[4]
PLOT = Plot(LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM, SMALL, SMALL)
Place = tuple[float, float]


def serving_curve(made: ReportCurve) -> str:
    """The drawing as SVG."""
    return serving_curve_drawing(made).svg()


def serving_curve_drawing(made: ReportCurve) -> Drawing:
    """The drawing, with labels that can be measured."""
    drawing = Drawing(WIDTH, HEIGHT, _in_words(made))
    across, up = (max(*values, SMALLEST) * ROOM for values in _amounts(made))
    _axes(drawing, made, across, up)
    places = [(PLOT.x(x, across), PLOT.y(y, up)) for x, y in zip(*_amounts(made), strict=True)]
    drawing.path(places, PALETTE[0], 1.6)
    for index, (x, y) in enumerate(places):
        drawing.circle(x, y, 2.2, PALETTE[0])
        if index == made.planned:
            drawing.circle(x, y, 4.6, "none", RING, 1.6)
    drawing.obstacles += [part for pair in pairwise(places) for part in _along(*pair)]
    _labels(drawing, made, places)
    return drawing


def _along(start: Place, end: Place) -> Iterator[Box]:
    """Small boxes along a line, on which no label may stand."""
    steps = max(2, int(math.dist(start, end) / STEP))
    for step in range(steps + 1):
        x, y = (first + (last - first) * step / steps for first, last in zip(start, end, strict=True))
        yield Box(x - 1, y - 1, x + 1, y + 1)


def _amounts(made: ReportCurve) -> tuple[list[float], list[float]]:
    across, up = made.scales
    return [point.across / across for point in made.points], [point.up / up for point in made.points]


def _axes(drawing: Drawing, made: ReportCurve, across: float, up: float) -> None:
    PLOT.rows(drawing, ((PLOT.y(tick, up), tick) for tick in round_steps(up, 5)))
    PLOT.columns(drawing, ((PLOT.x(tick, across), tick) for tick in round_steps(across, 6)))
    PLOT.titles(drawing, made.up_title, made.across_title, HEIGHT - 6)


def _labels(drawing: Drawing, made: ReportCurve, places: list[Place]) -> None:
    """The planned point is named first, so that it always has its label; the others where there is room."""
    order = sorted(range(len(places)), key=lambda position: (position != made.planned, -position))
    for index in order:
        x, y = places[index]
        planned = index == made.planned
        weight, fill = (600, RING) if planned else (400, INK)
        spots = ((x, y - 6, "middle"), (x + 5, y + 9, "start"), (x - 4, y - 3, "end"), (x + 7, y + 3, "start"))
        for left, baseline, anchor in spots:
            label = made.points[index].label
            if drawing.is_free(text_box(left, baseline, f" {label} ", SMALL, anchor, weight)):
                drawing.text(left, baseline, label, SMALL, anchor, fill, weight)
                break


def _in_words(made: ReportCurve) -> str:
    points = "; ".join(
        f"{point.across_text}, {point.up_text} ({point.label} {made.varied_title})" for point in made.points
    )
    planned = f" Planned: {made.points[made.planned].label} {made.varied_title}." if made.planned >= 0 else ""
    return f"{made.title}. {made.across_title}, {made.up_title}: {points}.{planned}"
