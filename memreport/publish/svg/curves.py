"""A scaling table as curves: one line a column, told apart by dash and mark as well as by colour."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from memreport.catalogue.names import title_of
from memreport.catalogue.quantities import GIB
from memreport.publish.svg.drawing import BAD, INK, MUTED, PALETTE, RULE, Drawing, round_steps
from memreport.publish.svg.typefaces import fitted
from memreport.report.records.report import Grid

WIDTH, HEIGHT = 520.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 120.0, 22.0, 32.0
MOST_CURVES = 8
_DASHES = ("", "6 2.5", "2 2", "8 2 2 2", "1 2.5", "10 3", "4 1.5 1 1.5", "12 2 3 2")
_INKS = (0, 4, 2, 8, 6, 1, 3, 5)
Places = list[tuple[float, float]]


def can_be_drawn(grid: Grid) -> bool:
    """Whether a grid is of amounts, with two or more rows in rising order, finite values, and not too many columns."""
    rows = grid.row_values
    rising = all(first < second for first, second in pairwise(rows))
    finite = all(math.isfinite(value) and value >= 0 for row in grid.values for value in row)
    some = any(value / GIB > 0 for row in grid.values for value in row)  # what is too small for a float is nothing
    return (
        not grid.labelled
        and len(rows) > 1
        and rising
        and finite
        and some
        and len(grid.column_labels) <= MOST_CURVES
        and rows[0] > 0
    )


def scaling_curves(grid: Grid) -> str:
    """The figure over the rows, one curve a column; a line at the capacity where the figure is the peak."""
    return curves_drawing(grid).svg()


def curves_drawing(grid: Grid) -> Drawing:
    """The same as a drawing whose labels can be measured."""
    drawing = Drawing(WIDTH, HEIGHT, _in_words(grid))
    factor, unit = (GIB, "GiB") if grid.unit == "byte" else (1.0, grid.unit if grid.unit not in ("1", "share") else "")
    top = max(value for row in grid.values for value in row) / factor
    if grid.name.startswith("peak_bytes"):
        top = min(max(top, grid.capacity / factor), 4 * grid.capacity / factor)
    end = top * 1.06
    _axes(drawing, grid, end, unit)
    if grid.name.startswith("peak_bytes"):
        _capacity(drawing, grid.capacity / factor, end)
    ends: list[tuple[float, int]] = []
    for at in range(len(grid.column_labels)):
        points = [
            (_x(grid, row), row_values[at] / factor)
            for row, row_values in zip(grid.row_values, grid.values, strict=True)
        ]
        ends.append((_curve(drawing, points, end, at), at))
    _names(drawing, grid, ends, end * factor)
    return drawing


def _x(grid: Grid, value: float) -> float:
    low, high = grid.row_values[0], grid.row_values[-1]
    scaled: Callable[[float], float] = math.log if high / low >= 8 else float
    return LEFT + (WIDTH - LEFT - RIGHT) * (scaled(value) - scaled(low)) / (scaled(high) - scaled(low))


def _y(value: float, end: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(value / end, 1)


def _axes(drawing: Drawing, grid: Grid, end: float, unit: str) -> None:
    for tick in round_steps(end, 5):
        drawing.line(LEFT, _y(tick, end), WIDTH - RIGHT, _y(tick, end), RULE)
        drawing.text(LEFT - 5, _y(tick, end) + 2.5, _tick(tick), 7, "end", MUTED)
    for value, label in zip(grid.row_values, grid.row_labels, strict=True):
        drawing.line(_x(grid, value), HEIGHT - BOTTOM, _x(grid, value), HEIGHT - BOTTOM + 3, MUTED)
        drawing.text_if_free(_x(grid, value), HEIGHT - BOTTOM + 11, label.removesuffix(" tokens"), 7, "middle", MUTED)
    drawing.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, INK, 0.9)
    suffix = f", {unit}" if unit else ""
    drawing.text(2, 9, fitted(f"{_short_title(grid)}{suffix}", WIDTH - 4, 7.4), 7.4, fill=MUTED)
    tokens = ", tokens" if grid.row_labels[0].endswith(" tokens") else ""
    drawing.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, grid.row_title + tokens, 7.4, "middle", MUTED)


def _tick(value: float) -> str:
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if value >= size:
            return f"{value / size:,.4g} {letter}"
    return f"{value:,.4g}"


def _short_title(grid: Grid) -> str:
    return title_of(grid.name) + (" per accelerator" if grid.unit == "byte" else "")


def _capacity(drawing: Drawing, capacity: float, end: float) -> None:
    y = _y(capacity, end)
    drawing.line(LEFT, y, WIDTH - RIGHT, y, BAD, 1.4)
    drawing.text_if_free(LEFT + 4, y - 3.5, "usable capacity", 7, fill=BAD, weight=600)


def _curve(drawing: Drawing, points: Places, end: float, at: int) -> float:
    """Draw one curve, cut at the top of the plot; the y at which it ends is returned."""
    colour = PALETTE[_INKS[at]]
    for (x0, v0), (x1, v1) in pairwise(points):
        start, stop = _cut((x0, v0), (x1, v1), end), _cut((x1, v1), (x0, v0), end)
        if start and stop:
            drawing.path([(x, _y(value, end)) for x, value in (start, stop)], colour, 1.7, dash=_DASHES[at])
    for x, value in points:
        if value <= end:
            drawing.circle(x, _y(value, end), 2.1, colour)
    return _y(points[-1][1], end)


def _cut(point: tuple[float, float], other: tuple[float, float], end: float) -> tuple[float, float] | None:
    """The point itself, or where the line to the other one comes into the plot; None where it never does."""
    (x0, v0), (x1, v1) = point, other
    if v0 <= end:
        return point
    return (x0 + (x1 - x0) * (v0 - end) / (v0 - v1), end) if v1 <= end else None


def _names(drawing: Drawing, grid: Grid, ends: Sequence[tuple[float, int]], end: float) -> None:
    """Names at the right, at the height at which the curves end, moved apart; `end` is the value at the top."""
    if len(ends) == 1 and not grid.column_title:
        return
    x = WIDTH - RIGHT + 34
    ordered = sorted(ends)
    drawing.text(x - 26, TOP - 4, fitted(grid.column_title, RIGHT - 8, 7, 600), 7, fill=MUTED, weight=600)
    free = TOP + 7.0
    room = (HEIGHT - BOTTOM - free) / max(len(ordered), 1)
    for position, (y, at) in enumerate(ordered):
        latest = HEIGHT - BOTTOM - (len(ordered) - 1 - position) * min(room, 10)
        free = min(max(free, y + 2.5), latest)
        drawing.line(x - 26, free - 2.5, x - 4, free - 2.5, PALETTE[_INKS[at]], 1.7, _DASHES[at])
        drawing.text(x, free, fitted(grid.column_labels[at] + _beyond(grid, at, end), RIGHT - 38, 7), 7)
        free += 10


def _beyond(grid: Grid, at: int, end: float) -> str:
    """Where a curve is above the plot: all of it, or its last point, with the value there."""
    if all(row[at] > end for row in grid.values):
        return " (above)"
    return f" (to {grid.texts[-1][at]})" if grid.values[-1][at] > end else ""


def _in_words(grid: Grid) -> str:
    rows = "; ".join(f"{label}: {', '.join(texts)}" for label, texts in zip(grid.row_labels, grid.texts, strict=True))
    across = f" by {grid.column_title} ({', '.join(grid.column_labels)})" if grid.column_title else ""
    return f"{grid.title}. {grid.row_title}{across}. {rows}."
