"""The charts of a sheet as SVG: memory bars against capacity, the roofline, scaling curves."""

from __future__ import annotations

from collections.abc import Sequence

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT, Word
from memreport.publish.svg.drawing import BAD, CAUTION, GOOD, INK, MUTED, PALETTE, RULE, Drawing, round_steps
from memreport.publish.svg.typefaces import fitted, text_width, wrapped
from memreport.report.peak.parts import MOST_TIMES_CAPACITY
from memreport.report.records.answers import MARKS
from memreport.report.records.peak import Bar

GIB = 2.0**30
COLOURS: dict[Word, str] = {FITS: GOOD, TIGHT: CAUTION, QUEUES: CAUTION, DOES_NOT_FIT: BAD}
WIDTH = 520.0
_LABEL, _RESULT = 116.0, 150.0
_BAR = 11.0


def memory_bars(bars: Sequence[Bar]) -> str:
    """One bar a variant, in parts, against a black line at its capacity; red outlines what is too much."""
    return memory_bars_drawing(bars).svg()


def memory_bars_drawing(bars: Sequence[Bar]) -> Drawing:
    """The same as a drawing whose labels can be measured."""
    parts = [segment.title for segment in bars[0].segments]
    used = [at for at in range(len(parts)) if any(bar.segments[at].value > 0 for bar in bars)]
    keys = _key_rows([parts[at] for at in used])
    top, row = 8 + 12 * (1 + max(line for line, _ in keys)), _row(bars)
    drawing = Drawing(WIDTH, top + row * len(bars) + 22, _bars_in_words(bars))
    for (line, x), at in zip(keys, used, strict=False):
        drawing.box(x, 3 + 12 * line, 7, 7, PALETTE[at])
        drawing.text(x + 10, 9.5 + 12 * line, parts[at], 7, fill=MUTED)
    line, x = keys[-1]
    drawing.line(x + 3, 2 + 12 * line, x + 3, 11 + 12 * line, INK, 1.8)
    drawing.text(x + 10, 9.5 + 12 * line, _CAPACITY, 7, fill=MUTED)
    end = _axis(drawing, bars, top)
    for at, bar in enumerate(bars):
        _bar(drawing, bar, top + 4 + at * row, end)
    return drawing


def _row(bars: Sequence[Bar]) -> float:
    """Few bars stand well apart; many close together, closer still where no name needs two lines."""
    if len(bars) <= 6:
        return 21.0
    return 16.0 if any(len(_label(bar)) > 1 for bar in bars) else 14.5


def _label(bar: Bar) -> list[str]:
    return wrapped(bar.variant, _LABEL - 8, 7.4, 600)


_CAPACITY = "usable capacity"


def _key_rows(titles: Sequence[str]) -> list[tuple[int, float]]:
    """Line and x of each key, the last for capacity; a new line where the width is used up."""
    places, line, x = [], 0, 0.0
    for title in (*titles, _CAPACITY):
        width = 10 + text_width(title, 7) + 12
        if x + width > WIDTH and x:
            line, x = line + 1, 0.0
        places.append((line, x))
        x += width
    return places


def _axis(drawing: Drawing, bars: Sequence[Bar], top: float) -> float:
    """Draw the axis; the bytes at its end are returned."""
    capacity = max(bar.capacity for bar in bars)
    end = min(max(max(bar.peak, bar.capacity) for bar in bars), MOST_TIMES_CAPACITY * capacity) * 1.03
    bottom = drawing.height - 18
    for tick in round_steps(end / GIB, 7):
        x = _x(tick * GIB, end)
        drawing.line(x, top, x, bottom, RULE)
        drawing.text(x, bottom + 9, f"{tick:,g}", 7, "middle", MUTED)
    drawing.text(WIDTH - _RESULT + 8, bottom + 9, "GiB per accelerator", 7, fill=MUTED)
    return end


def _x(value: float, end: float) -> float:
    return _LABEL + (WIDTH - _LABEL - _RESULT) * min(value / end, 1)


def _bar(drawing: Drawing, bar: Bar, y: float, end: float) -> None:
    lines = _label(bar)
    for at, line in enumerate(lines):
        drawing.text(_LABEL - 6, y + 8.4 + (at - (len(lines) - 1) / 2) * 8, line, 7.4, "end", weight=600)
    start = 0.0
    for at, segment in enumerate(bar.segments):
        left, right = _x(start, end), _x(start + max(segment.value, 0), end)
        if right > left:
            drawing.box(left, y, right - left, _BAR, PALETTE[at], "#ffffff", 0.5)
        start += max(segment.value, 0)
    _capacity(drawing, bar, y, end)
    colour = COLOURS[bar.word]
    drawing.text(WIDTH - _RESULT + 8, y + 8.2, f"{MARKS[bar.word]} {bar.word}", 7.4, fill=colour, weight=700)
    drawing.text(WIDTH, y + 8.2, fitted(bar.text, _RESULT - 66, 6.9), 6.9, "end", MUTED)


def _capacity(drawing: Drawing, bar: Bar, y: float, end: float) -> None:
    line, last = _x(bar.capacity, end), _x(bar.peak, end)
    if bar.peak > bar.capacity:
        drawing.box(line, y - 1.5, last - line, _BAR + 3, "none", BAD, 1.2)
    if bar.peak > end:  # cut off: two white strokes say so
        for x in (last - 9, last - 5):
            drawing.line(x, y + _BAR + 2, x + 4, y - 2, "#ffffff", 1.8)
    drawing.line(line, y - 3.5, line, y + _BAR + 3.5, INK, 1.8)


def _bars_in_words(bars: Sequence[Bar]) -> str:
    each = "; ".join(f"{bar.variant}: {bar.text}, {bar.word.lower()}" for bar in bars)
    return f"Peak memory per accelerator against usable capacity. {each}."
