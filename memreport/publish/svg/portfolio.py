"""A portfolio as SVG: parts stacked by month against what is there, and the cost by GPUs committed to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memreport.publish.svg.axes import Plot
from memreport.publish.svg.drawing import INK, MUTED, PALETTE, Drawing, round_steps
from memreport.publish.svg.typefaces import text_width
from memreport.report.records.portfolio import CountedCost, MonthBars

WIDTH, HEIGHT = 505.0, 118.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, 6.0, 30.0, 18.0
GAP = 0.24
"""Share of a month's width between bars."""
CURVE_WIDTH, CURVE_HEIGHT, CURVE_SAMPLES = 505.0, 120.0, 20
PLOT = Plot(LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)
CURVE_PLOT = Plot(LEFT, TOP - 8, CURVE_WIDTH - RIGHT, CURVE_HEIGHT - 26)
HEADROOM, NOTHING = 1.12, 1e-9
"""Over the highest bar, for its number; what stands for a portfolio without any."""


def month_bars(made: MonthBars) -> str:
    """The bars as SVG."""
    return month_drawing(made).svg()


def month_drawing(made: MonthBars) -> Drawing:
    """The drawing, with labels that can be measured."""
    drawing = Drawing(WIDTH, HEIGHT, f"{made.title}: {made.said}")
    limit = made.limit.values if made.limit else ()
    highest = max(*_totals(made), *limit, NOTHING) * HEADROOM
    PLOT.rows(drawing, ((PLOT.y(tick, highest), tick) for tick in round_steps(highest, 4)))
    step = (WIDTH - LEFT - RIGHT) / len(made.months)
    for index, month in enumerate(made.months):
        _bar(drawing, made, index, LEFT + index * step, step, highest)
        if index % max(1, round(34 / step)) == 0:
            drawing.text(LEFT + (index + 0.5) * step, HEIGHT - 6, month, 7, "middle", MUTED)
    _limit(drawing, limit, step, highest)
    _legend(drawing, made)
    return drawing


def _totals(made: MonthBars) -> list[float]:
    return [sum(part.values[index] for part in made.parts) for index in range(len(made.months))]


def _bar(drawing: Drawing, made: MonthBars, index: int, x: float, step: float, highest: float) -> None:
    """One month: its parts from below, and the sum over them."""
    base = 0.0
    for number, part in enumerate(made.parts):
        top = PLOT.y(base + part.values[index], highest)
        height = PLOT.y(base, highest) - top
        if height > 0:
            drawing.box(x + step * GAP / 2, top, step * (1 - GAP), height, PALETTE[number], "#ffffff", 0.4)
        base += part.values[index]
    drawing.text_if_free(x + step / 2, PLOT.y(base, highest) - 3, made.texts[index], 7, "middle", weight=600)


def _limit(drawing: Drawing, limit: Sequence[float], step: float, highest: float) -> None:
    """What is there, as a line over each month."""
    for index, value in enumerate(limit):
        y = PLOT.y(value, highest)
        drawing.line(LEFT + index * step, y, LEFT + (index + 1) * step, y, INK, 1.6)


def _legend(drawing: Drawing, made: MonthBars) -> None:
    x = LEFT
    for number, part in enumerate(made.parts):
        drawing.box(x, 4, 8, 8, PALETTE[number])
        drawing.text(x + 11, 11, part.title, 8)
        x += 11 + text_width(part.title, 8) + 12
    if made.limit:
        drawing.line(x, 8, x + 12, 8, INK, 1.6)
        drawing.text(x + 15, 11, made.limit.title, 8)
    drawing.text(LEFT - 36, TOP - 6, made.unit, 7, fill=MUTED)


def commitment_curve(made: CountedCost) -> str:
    """The cost by count as SVG, with the least marked."""
    return commitment_drawing(made).svg()


def commitment_drawing(made: CountedCost) -> Drawing:
    """The drawing, with labels that can be measured."""
    drawing = Drawing(CURVE_WIDTH, CURVE_HEIGHT, f"{made.title}: {made.said}")
    highest, last = max(made.costs) * HEADROOM, len(made.costs) - 1

    CURVE_PLOT.rows(drawing, ((CURVE_PLOT.y(tick, highest), tick) for tick in round_steps(highest, 4)))
    CURVE_PLOT.columns(
        drawing, ((CURVE_PLOT.x(count, last), count) for count in round_steps(last, 8) if count == int(count))
    )
    CURVE_PLOT.titles(drawing, made.unit, "GPUs committed to", CURVE_HEIGHT - 4)
    curve = [(CURVE_PLOT.x(index, last), CURVE_PLOT.y(cost, highest)) for index, cost in enumerate(made.costs)]
    drawing.path(curve, PALETTE[0], 1.8)
    x, y = curve[made.best]
    drawing.circle(x, y, 3.2, INK)
    wide = text_width(made.best_text, 8, 600)
    begin = max(LEFT + 4, min(x + 6, CURVE_WIDTH - RIGHT - wide))
    over = np.interp(np.linspace(begin, begin + wide, CURVE_SAMPLES), *np.array(curve).T)
    drawing.text(begin, min(y - 9, float(over.min()) - 5), made.best_text, 8, weight=600)
    return drawing
