"""The roofline as SVG: log axes, the knee, numbered kernels with labels that never overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence

from memreport.frozen import frozen
from memreport.publish.svg.axes import Plot
from memreport.publish.svg.drawing import INK, MUTED, Box, Drawing, powers_of, text_box
from memreport.publish.svg.typefaces import text_width
from memreport.report.records.speed import OtherRoof, RoofKernel, Roofline

WIDTH, HEIGHT = 390.0, 168.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 104.0, 20.0, 34.0
PLOT = Plot(LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)
TERA = 1e12
_DOT, _RING, _PLACE = 5.2, 2.4, 2.0
_ASIDE = (0, 12, -12, 24, -24)
"""How far beside its place a dot may stand where its column is full."""
_SEEN = 4.0
"""A sloping line that spans less of the intensities than this is not drawn."""
_NAME_PLACES = (
    (8.0, 2.5, "start"), (8.0, 11.0, "start"), (-8.0, -7.0, "end"), (3.0, -9.0, "end"), (0.0, 13.0, "middle"),
    (0.0, 22.0, "middle"), (-8.0, 11.0, "end"), (-8.0, 2.5, "end"), (8.0, -7.0, "start"), (6.0, 20.0, "start"),
    (-7.0, -9.0, "start"), (-7.0, -18.0, "start"),
)  # fmt: skip
"""Where a kernel's name may stand beside its dot, the best place first."""
_Ends = tuple[tuple[float, float], tuple[float, float]]
_MARK = "#a8480a"


@frozen
class _Scale:
    """Log axes: FLOP per byte to x, FLOP/s to y."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        return PLOT.x(math.log(value / self.x_low) / math.log(self.x_high / self.x_low), 1)

    def y(self, value: float) -> float:
        return PLOT.y(math.log(value / self.y_low) / math.log(self.y_high / self.y_low), 1)


def roofline_chart(roof: Roofline) -> str:
    """What bandwidth and arithmetic allow at each intensity, with the kernels on the roof."""
    return roofline_drawing(roof).svg()


def roofline_drawing(roof: Roofline) -> Drawing:
    """The same as a drawing whose labels can be measured."""
    drawing = Drawing(WIDTH, HEIGHT, _in_words(roof))
    kernels = [row for row in roof.kernels if row.intensity.value > 0]
    scale = _scale(roof, kernels)
    _areas(drawing, roof, scale)
    _axes(drawing, scale)
    dots = _places(drawing, kernels, scale)
    _roof(drawing, roof, scale)
    others = _others(roof, scale)
    drawing.obstacles += [part for _, ends in others for part in _along(*ends)]
    _flat_lines(drawing, others)
    for row, (x, y) in zip(kernels, dots, strict=True):
        _name(drawing, f"{row.number} {row.title}", (x, y), dots)
    _sloping_lines(drawing, others)
    _dots(drawing, kernels, dots, scale)
    _rings(drawing, kernels, dots, scale)
    return drawing


def _scale(roof: Roofline, kernels: Sequence[RoofKernel]) -> _Scale:
    intensities = [row.intensity.value for row in kernels] + [roof.ridge.value]
    low, high = min(intensities) / 2, max(*intensities, 4 * roof.ridge.value) * 2
    x = powers_of(2, low, high)
    top = max([roof.peak.value, *(other_roof.value for other_roof in roof.others if other_roof.is_rate)])
    y = powers_of(10, min(roof.bandwidth.value * x[0], roof.peak.value / 100), top * 1.3)
    return _Scale(x[0], x[-1], y[0], min(y[-1], top * 3))


def _areas(drawing: Drawing, roof: Roofline, scale: _Scale) -> None:
    x, y, floor = scale.x(roof.ridge.value), scale.y(roof.peak.value), PLOT.floor
    low = max(scale.x_low, scale.y_low / roof.bandwidth.value)
    corner = (scale.x(low), scale.y(low * roof.bandwidth.value))
    drawing.path([(scale.x(low), floor), corner, (x, y), (x, floor)], "none", 0, "#e6f1f0", close=True)
    drawing.path([(x, floor), (x, y), (WIDTH - RIGHT, y), (WIDTH - RIGHT, floor)], "none", 0, "#e9edf3", close=True)


def _axes(drawing: Drawing, scale: _Scale) -> None:
    ticks = powers_of(2, scale.x_low, scale.x_high)
    every = max(1, math.ceil(len(ticks) / 9))
    PLOT.columns(drawing, ((scale.x(tick), tick) for tick in ticks[::every]), through=True)
    powers = (tick for tick in powers_of(10, scale.y_low, scale.y_high) if scale.y_low <= tick <= scale.y_high)
    PLOT.rows(drawing, ((scale.y(tick), tick / TERA) for tick in powers))
    drawing.line(LEFT, TOP, LEFT, PLOT.floor, INK, 0.9)
    title = "Arithmetic intensity, FLOP per byte of memory traffic (log scale)"
    PLOT.titles(drawing, "Rate at best, TFLOP/s (log scale)", title, HEIGHT - 8)


def _roof(drawing: Drawing, roof: Roofline, scale: _Scale) -> None:
    low = max(scale.x_low, scale.y_low / roof.bandwidth.value)
    x, y = scale.x(roof.ridge.value), scale.y(roof.peak.value)
    start = (scale.x(low), scale.y(low * roof.bandwidth.value))
    drawing.line(x, y, x, PLOT.floor, MUTED, 0.8, "3 2.5")
    drawing.path([start, (x, y), (WIDTH - RIGHT, y)], INK, 1.8)
    drawing.circle(x, y, 3, "#ffffff", INK, 1.6)
    drawing.obstacles += _along(start, (x, y)) + _along((x, y), (WIDTH - RIGHT, y)) + _along((x, y), (x, PLOT.floor))
    _beside(drawing, roof.peak_title, roof.peak.text, y, INK, 600)
    _bandwidth(drawing, roof, scale, low)
    ridge = f"ridge {roof.ridge.text.removesuffix(' FLOP/byte')}"
    for across, anchor in ((x + 5, "start"), (x - 5, "end")):
        if drawing.text_if_free(across, PLOT.floor - 5, ridge, 7.4, anchor, weight=600):
            break


def _others(roof: Roofline, scale: _Scale) -> list[tuple[OtherRoof, _Ends]]:
    """Where other data types lie, as flat, and slower memories, as sloping lines, as far as they are in the plot."""
    ends = [
        (other_roof, _flat(other_roof, roof, scale) if other_roof.is_rate else _slope(other_roof, roof, scale))
        for other_roof in roof.others
    ]
    return [(other_roof, both) for other_roof, both in ends if both]


def _flat_lines(drawing: Drawing, others: Sequence[tuple[OtherRoof, _Ends]]) -> None:
    """Other data types, each with its label or not at all."""
    for roof, ends in others:
        if roof.is_rate and _beside(drawing, roof.title, roof.text, ends[1][1], MUTED, 400):
            drawing.line(*ends[0], *ends[1], MUTED, 0.7)


def _sloping_lines(drawing: Drawing, others: Sequence[tuple[OtherRoof, _Ends]]) -> None:
    """Slower memories, each with its label or not at all."""
    for roof, ends in others:
        if not roof.is_rate and _along_slope(drawing, f"{roof.title}: {roof.text}", *ends):
            drawing.line(*ends[0], *ends[1], MUTED, 0.7, "5 2")


def _flat(other_roof: OtherRoof, roof: Roofline, scale: _Scale) -> _Ends | None:
    """From the slope to the right edge; nothing where that lies below the plot."""
    start = other_roof.value / roof.bandwidth.value
    if not (scale.y_low < other_roof.value < scale.y_high and scale.x_low < start < scale.x_high):
        return None
    return (scale.x(start), scale.y(other_roof.value)), (WIDTH - RIGHT, scale.y(other_roof.value))


def _slope(other_roof: OtherRoof, roof: Roofline, scale: _Scale) -> _Ends | None:
    """From the floor or the left edge up to the flat roof or the right edge; nothing where little of it is seen."""
    low = max(scale.x_low, scale.y_low / other_roof.value)
    high = min(scale.x_high, roof.peak.value / other_roof.value)
    if low * _SEEN > high:
        return None
    return (scale.x(low), scale.y(low * other_roof.value)), (scale.x(high), scale.y(high * other_roof.value))


def _beside(drawing: Drawing, title: str, text: str, y: float, fill: str, weight: int) -> bool:
    """What a flat roof is and how high, at its right end; nothing where another one stands there."""
    x, y = WIDTH - RIGHT + 4, y + 2.4
    beside = x + text_width(title, 7, weight) + 4
    places = ((x, title), (beside, text))
    free = all(drawing.is_free(text_box(left, y, words, 7, weight=weight)) for left, words in places)
    if free:
        for left, words in places:
            drawing.text(left, y, words, 7, fill=fill, weight=weight)
    return free


def _along_slope(drawing: Drawing, text: str, start: tuple[float, float], stop: tuple[float, float]) -> bool:
    """A label under a sloping line, else above it, as far left as there is room."""
    for dx, dy, anchor in ((6, 9, "start"), (-6, -3, "end")):
        for step in range(1, 40):
            x, y = (first + (last - first) * step / 40 for first, last in zip(start, stop, strict=True))
            box = text_box(x + dx, y + dy, text, 7, anchor)
            inside = box.left > LEFT + 2 and box.right < WIDTH - RIGHT + 2 and box.bottom < PLOT.floor
            if inside and drawing.text_if_free(x + dx, y + dy, text, 7, anchor, MUTED):
                return True
    return False


def _bandwidth(drawing: Drawing, roof: Roofline, scale: _Scale, low: float) -> None:
    """The bandwidth's label stands left of the slope, above it."""
    text = f"memory: {roof.bandwidth.text}"
    for share in (0.75, 0.85, 0.6, 0.95, 0.45):
        value = low * (roof.ridge.value / low) ** share
        x, y = scale.x(value) - 6, scale.y(value * roof.bandwidth.value) - 3
        if x - text_width(text, 7.6, 600) > LEFT and drawing.text_if_free(x, y, text, 7.6, "end", weight=600):
            return


def _along(start: tuple[float, float], stop: tuple[float, float]) -> list[Box]:
    """Small boxes along a line, which labels keep clear of."""
    steps = max(1, int(math.dist(start, stop) / 4))
    points = [
        (start[0] + (stop[0] - start[0]) * index / steps, start[1] + (stop[1] - start[1]) * index / steps)
        for index in range(steps + 1)
    ]
    return [Box(x - 2.2, y - 2.2, x + 2.2, y + 2.2) for x, y in points]


def _places(drawing: Drawing, kernels: Sequence[RoofKernel], scale: _Scale) -> list[tuple[float, float]]:
    """Where the dots go: on the roof, where that is taken below it, then above it, and beside where all of that is."""
    places: list[tuple[float, float]] = []
    for row in kernels:
        x, y = scale.x(row.intensity.value), scale.y(row.attainable.value)
        below = [y + step for step in range(0, 400, 3) if y + step < PLOT.floor - _DOT]
        above = [y - step for step in range(0, 400, 3) if y - step > TOP + _DOT]
        around = ((x + aside, height) for aside in _ASIDE for height in below + above)
        free = (place for place in around if all(math.dist(place, other) > 2 * _DOT + 1 for other in places))
        places.append(next(free, (x, y)))
    drawing.obstacles += [Box(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in places]
    return places


def _dots(
    drawing: Drawing, kernels: Sequence[RoofKernel], places: Sequence[tuple[float, float]], scale: _Scale
) -> None:
    """Numbered dots; a stem leads from one that is beside the roof to its place on it."""
    for row, (x, y) in zip(kernels, places, strict=True):
        across, high = scale.x(row.intensity.value), scale.y(row.attainable.value)
        drawing.line(across, high, x, y, _MARK, 1)
        drawing.circle(across, high, _PLACE, _MARK, "#ffffff", 0.6)
    for row, (x, y) in zip(kernels, places, strict=True):
        drawing.circle(x, y, _DOT, _MARK, "#ffffff", 0.8)
        drawing.text(x, y + 2.4, str(row.number), 7, "middle", "#ffffff", 700)


def _rings(
    drawing: Drawing, kernels: Sequence[RoofKernel], places: Sequence[tuple[float, float]], scale: _Scale
) -> None:
    """What each kernel is computed to reach: a ring below its place on the roof, within the plot."""
    for row, (x, y) in zip(kernels, places, strict=True):
        if row.reached.value > scale.y_low and scale.y(row.reached.value) > y + _DOT + _RING:
            drawing.line(x, y + _DOT, x, scale.y(row.reached.value) - _RING, _MARK, 0.7)
            drawing.circle(x, scale.y(row.reached.value), _RING, "#ffffff", _MARK, 1.2)


def _name(drawing: Drawing, title: str, dot: tuple[float, float], dots: Sequence[tuple[float, float]]) -> None:
    """The kernel's name beside its dot where there is room, no nearer to another; the table below has all names."""
    x, y = dot
    for dx, dy, anchor in _NAME_PLACES:
        box = text_box(x + dx, y + dy, title, 7, anchor)
        inside = box.left > LEFT + 2 and box.right < WIDTH - RIGHT and box.bottom < PLOT.floor
        nearest = all(pair == dot or _apart(box, pair) > _apart(box, dot) + _DOT for pair in dots)
        if inside and nearest and drawing.text_if_free(x + dx, y + dy, title, 7, anchor):
            return


def _apart(box: Box, dot: tuple[float, float]) -> float:
    """How far a dot lies from a box."""
    x, y = dot
    return math.hypot(max(box.left - x, 0, x - box.right), max(box.top - y, 0, y - box.bottom))


def _in_words(roof: Roofline) -> str:
    rows = "; ".join(
        f"{row.number} {row.title}: {row.intensity.text}, {row.attainable.text}"
        + (f", reached {row.reached.text}" if row.reached.value else "")
        for row in roof.kernels
    )
    others = "".join(f"; {other_roof.title} {other_roof.text}" for other_roof in roof.others)
    return (
        f"Roofline of the {roof.title}: {roof.peak.text} of arithmetic, {roof.bandwidth.text} of memory bandwidth, "
        f"ridge at {roof.ridge.text}{others}. Kernels: {rows}."
    )
