"""Axes of the drawings: the lines, titles and numbers beside a plot.  Nothing else in a drawing writes a number."""

from __future__ import annotations

from collections.abc import Iterable

from memreport.frozen import frozen
from memreport.publish.svg.drawing import INK, MUTED, RULE, Drawing

TICK, TITLE = 7.0, 7.4
"""Sizes of numbers and of titles, where a drawing names no other."""
MILLION, THOUSANDTH = 1e6, 1e-3


@frozen
class Plot:
    """Where a plot lies in its drawing; points from the drawing's top left corner."""

    left: float
    top: float
    right: float
    floor: float
    size: float = TICK
    title_size: float = TITLE

    def x(self, value: float, end: float) -> float:
        """Where a value lies across, from 0 at the left to `end` at the right."""
        return self.left + (self.right - self.left) * value / end

    def y(self, value: float, end: float) -> float:
        """Where a value lies upwards, from 0 on the floor to `end` at the top."""
        return self.floor - (self.floor - self.top) * value / end

    def rows(self, drawing: Drawing, ticks: Iterable[tuple[float, float]]) -> None:
        """Lines across the plot at heights, with their values at the left."""
        for y, value in ticks:
            drawing.line(self.left, y, self.right, y, RULE)
            drawing.text(self.left - 5, y + 2.5, tick_text(value), self.size, "end", MUTED)

    def columns(self, drawing: Drawing, ticks: Iterable[tuple[float, float]], *, through: bool = False) -> None:
        """Marks below the plot, or lines through it, with their values beneath where there is room."""
        start, end, ink = (self.top, self.floor, RULE) if through else (self.floor, self.floor + 3, MUTED)
        for x, value in ticks:
            drawing.line(x, start, x, end, ink)
            drawing.text_if_free(x, self.floor + self.size + 3.5, tick_text(value), self.size, "middle", MUTED)

    def titles(self, drawing: Drawing, upwards: str, across: str, y: float) -> None:
        """What is drawn upwards, above the plot, and across, at height `y` below it; the floor between them."""
        drawing.line(self.left, self.floor, self.right, self.floor, INK, 0.9)
        drawing.text(2, 9, upwards, self.title_size, fill=MUTED)
        drawing.text((self.left + self.right) / 2, y, across, self.title_size, "middle", MUTED)


def tick_text(value: float) -> str:
    """The number of a tick: 1/8 as 0.125, a thousandth as 0.001, millions as 1.5 M; beyond that a power of ten."""
    if value == 0 or 1 <= value < MILLION:
        return f"{value:,.10g}"
    if value >= MILLION:
        return f"{value / MILLION:,.3g} M"
    return f"{value:.3g}" if value >= THOUSANDTH else f"{value:.0e}".replace("e-0", "e-")
