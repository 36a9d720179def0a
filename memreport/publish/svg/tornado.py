"""A tornado as SVG: each uncertain input at its low and high end, beside each other for room, step time and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memreport.frozen import frozen
from memreport.publish.svg.drawing import BAD, INK, MUTED, PALETTE, RULE, Drawing
from memreport.publish.svg.typefaces import fitted, text_width
from memreport.report.records.advice import Sensitivity, SwingShown
from memreport.report.records.amounts import Amount

WIDTH, LABEL, GAP = 390.0, 120.0, 6.0
TOP, ROW, BAR = 46.0, 12.0, 7.0
LEAST = 0.05
"""Share of the longest bar that an input has to reach in some panel to have a row."""
LOW_END, HIGH_END = PALETTE[0], PALETTE[1]
KEYS = ((LOW_END, "input at its low end"), (HIGH_END, "input at its high end"))


@frozen
class Panel:
    """One effect: its value as planned, and both ends of every input; `limit` is a value that must not be passed."""

    title: str
    given: Amount
    ends: Sequence[tuple[Amount, Amount]]
    limit: float | None = None

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest value of any bar."""
        values = [self.given.value, *(amount.value for pair in self.ends for amount in pair)]
        return min(values), max(values)

    @property
    def moves(self) -> bool:
        """Whether any input moves it."""
        low, high = self.span
        return high > low


def tornado_drawing(made: Sensitivity) -> Drawing:
    """The drawing, with labels that can be measured: the longest bars first; the shortest are only in its words."""
    reach = {swing.name: _reach(made, swing) for swing in made.swings}
    seen = sorted((swing for swing in made.swings if reach[swing.name] >= LEAST), key=lambda swing: -reach[swing.name])
    words, made = _in_words(made), replace(made, swings=tuple(seen))
    panels = [panel for panel in _panels(made) if panel.moves]
    drawing = Drawing(WIDTH, TOP + ROW * len(made.swings) + 4, words)
    _key(drawing, any(_limited(panel) for panel in panels))
    for index, swing in enumerate(made.swings):
        y = TOP + ROW * index
        drawing.text(LABEL - 8, y + BAR, fitted(swing.title, LABEL - 10, 7), 7, "end")
    width = (WIDTH - LABEL - GAP * (len(panels) - 1)) / max(len(panels), 1)
    for index, panel in enumerate(panels):
        _draw(drawing, panel, LABEL + index * (width + GAP), width)
    return drawing


def _reach(made: Sensitivity, swing: SwingShown) -> float:
    """The longest bar of an input, as a share of the panel's longest."""
    return max((_longest([swing], name) / _longest(made.swings, name) for name in _moved(made)), default=0.0)


def _moved(made: Sensitivity) -> list[str]:
    """The effects that any input moves."""
    return [name for name in ("headroom", "seconds", "cost") if _longest(made.swings, name) > 0]


def _longest(swings: Sequence[SwingShown], effect: str) -> float:
    """The widest span of an effect between the two ends of an input."""
    ends = [pair for swing in swings if (pair := getattr(swing, effect))]
    return max((abs(high.value - low.value) for low, high in ends), default=0.0)


def _panels(made: Sensitivity) -> list[Panel]:
    swings = made.swings
    panels = [
        Panel("Headroom", made.headroom, [swing.headroom for swing in swings], 0.0),
        Panel(made.step_title, made.seconds, [swing.seconds for swing in swings]),
    ]
    if made.cost:
        panels.append(Panel(made.cost_title, made.cost, [swing.cost for swing in swings if swing.cost]))
    return panels


def _key(drawing: Drawing, limited: bool) -> None:
    x = 0.0
    for colour, words in KEYS:
        drawing.box(x, 3, 7, 7, colour)
        drawing.text(x + 10, 9.5, words, 7, fill=MUTED)
        x += 22 + text_width(words, 7)
    drawing.line(x + 3, 2, x + 3, 11, INK, 1)
    drawing.text(x + 8, 9.5, "as planned", 7, fill=MUTED)
    if limited:
        x += 20 + text_width("as planned", 7)
        drawing.line(x + 3, 2, x + 3, 11, BAD, 1, "2 1.5")
        drawing.text(x + 8, 9.5, "no headroom", 7, fill=MUTED)


def _limited(panel: Panel) -> bool:
    low, high = panel.span
    return panel.limit is not None and low <= panel.limit <= high


def _draw(drawing: Drawing, panel: Panel, left: float, width: float) -> None:
    low, high = panel.span

    def x(value: float) -> float:
        return left + width * (value - low) / (high - low)

    bottom = drawing.height - 4
    drawing.text(left, 24, panel.title, 7, weight=600)
    room = width - text_width(panel.title, 7, 600) - 3
    drawing.text(left + width, 24, fitted(panel.given.text, room, 7), 7, "end", MUTED)
    ends = sorted([panel.given, *(amount for pair in panel.ends for amount in pair)], key=lambda amount: amount.value)
    half = width / 2 - 2
    drawing.text(left, 36, fitted(ends[0].text, half, 7), 7, fill=MUTED)
    drawing.text(left + width, 36, fitted(ends[-1].text, half, 7), 7, "end", MUTED)
    drawing.line(left, 40, left + width, 40, RULE)
    for index, pair in enumerate(panel.ends):
        _bars(drawing, [x(amount.value) for amount in pair], x(panel.given.value), TOP + ROW * index)
    drawing.line(x(panel.given.value), 40, x(panel.given.value), bottom, INK, 1)
    if panel.limit is not None and _limited(panel):
        drawing.line(x(panel.limit), 40, x(panel.limit), bottom, BAD, 1, "2 1.5")


def _bars(drawing: Drawing, ends: Sequence[float], middle: float, y: float) -> None:
    """From the planned value to both ends, the longer bar first so that it hides none."""
    pairs = sorted(zip(ends, (LOW_END, HIGH_END), strict=True), key=lambda pair: -abs(pair[0] - middle))
    for end, colour in pairs:
        if abs(end - middle) > 0.05:
            drawing.box(min(end, middle), y, abs(end - middle), BAR, colour, "#ffffff", 0.4)


def _in_words(made: Sensitivity) -> str:
    rows = [
        f"{swing.title}: {swing.headroom[0].text} at {swing.values.low.text}, "
        f"{swing.headroom[1].text} at {swing.values.high.text}"
        for swing in made.swings
    ]
    planned = f"Headroom with one input at a time at its low and high end, as planned {made.headroom.text}."
    return f"{planned} {'; '.join(rows)}."
