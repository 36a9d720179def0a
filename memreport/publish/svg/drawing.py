"""A drawing as SVG, made by hand: real text, an alternative text, and the box of every label, so that none overlap."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from memreport.escaping import html
from memreport.publish.svg.typefaces import FAMILIES, readable, text_width

INK, MUTED, RULE, BAD = "#1a1f26", "#5b6470", "#dfe3e8", "#b3261e"
PALETTE = ("#17365d", "#6f9fd8", "#1d6b66", "#8fd0c4", "#a8480a", "#f4bd78", "#565b63", "#c9ccd1", "#7a3b7e", "#d9a8dc")
"""Dark and light in turn, so that neighbours differ in greyscale too; workbook charts use the same."""


class Box(NamedTuple):
    """A rectangle; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Whether two boxes share any area."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def within(self, other: Box) -> bool:
        """Whether this box lies inside another."""
        return (
            self.left >= other.left
            and self.top >= other.top
            and self.right <= other.right
            and self.bottom <= other.bottom
        )


def text_box(x: float, y: float, text: str, size: float, anchor: str = "start", weight: int = 400) -> Box:
    """The box of a text whose baseline begins, has its middle or ends at x, y."""
    width = text_width(text, size, weight)
    left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
    return Box(left, y - 0.78 * size, left + width, y + 0.24 * size)


class Drawing:
    """Elements in the order of drawing; `labels` holds the box of every text."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.elements: list[str] = []
        self.labels: list[tuple[Box, str]] = []
        self.obstacles: list[Box] = []

    @property
    def frame(self) -> Box:
        """The whole area."""
        return Box(0, 0, self.width, self.height)

    def text(
        self, x: float, y: float, text: str, size: float = 8, anchor: str = "start", fill: str = INK, weight: int = 400
    ) -> None:
        """A label; its box is remembered."""
        drawn = readable(text)
        self.labels.append((text_box(x, y, drawn, size, anchor, weight), drawn))
        self.elements.append(
            f'<text x="{short(x)}" y="{short(y)}" font-family="{FAMILIES}" font-size="{short(size)}" '
            f'text-anchor="{anchor}" fill="{fill}" font-weight="{weight}">{html(drawn)}</text>'
        )

    def is_free(self, box: Box) -> bool:
        """Whether a label may stand there: inside the drawing, on no other label and no obstacle."""
        taken = [label for label, _ in self.labels] + self.obstacles
        return box.within(self.frame) and not any(box.overlaps(other) for other in taken)

    def text_if_free(
        self, x: float, y: float, text: str, size: float = 8, anchor: str = "start", fill: str = INK, weight: int = 400
    ) -> bool:
        """A label where there is room for it; says whether it was drawn."""
        free = self.is_free(text_box(x, y, readable(text), size, anchor, weight))
        if free:
            self.text(x, y, text, size, anchor, fill, weight)
        return free

    def line(
        self, x1: float, y1: float, x2: float, y2: float, stroke: str = RULE, width: float = 0.6, dash: str = ""
    ) -> None:
        """A straight line."""
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.elements.append(
            f'<line x1="{short(x1)}" y1="{short(y1)}" x2="{short(x2)}" y2="{short(y2)}" '
            f'stroke="{stroke}" stroke-width="{short(width)}"{dashed}/>'
        )

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, stroke: str = "none", line: float = 1
    ) -> None:
        """A rectangle."""
        self.elements.append(
            f'<rect x="{short(x)}" y="{short(y)}" width="{short(width)}" height="{short(height)}" '
            f'fill="{fill}" stroke="{stroke}" stroke-width="{short(line)}"/>'
        )

    def circle(self, x: float, y: float, radius: float, fill: str, stroke: str = "none", line: float = 1) -> None:
        """A dot."""
        self.elements.append(
            f'<circle cx="{short(x)}" cy="{short(y)}" r="{short(radius)}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="{short(line)}"/>'
        )

    def path(
        self,
        points: list[tuple[float, float]],
        stroke: str,
        width: float,
        fill: str = "none",
        dash: str = "",
        close: bool = False,
    ) -> None:
        """A line through points, or an area."""
        route = "L".join(f"{short(x)} {short(y)}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.elements.append(
            f'<path d="M{route}{"Z" if close else ""}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{short(width)}" stroke-linejoin="round"{dashed}/>'
        )

    def svg(self) -> str:
        """The whole drawing; its title is the alternative text."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {short(self.width)} {short(self.height)}" '
            f'width="{short(self.width)}" height="{short(self.height)}" role="img">'
            f"<title>{html(readable(self.title))}</title>{''.join(self.elements)}</svg>"
        )


def short(value: float) -> str:
    """A coordinate without needless digits."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def round_steps(highest: float, most: int) -> Iterator[float]:
    """Round values from 0 up to `highest`, at most about `most` of them."""
    raw = highest / most
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * (1 - 1e-9))
    for count in range(int(highest / step + 1e-9) + 1):
        yield count * step


def powers_of(base: int, lowest: float, highest: float) -> list[float]:
    """Powers of `base` from the one at or below `lowest` to the one at or above `highest`."""
    first = math.floor(math.log(lowest, base) + 1e-9)
    last = max(math.ceil(math.log(highest, base) - 1e-9), first + 1)
    return [float(base) ** power for power in range(first, last + 1)]
