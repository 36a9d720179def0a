"""Rent against purchase as SVG: cash paid so far by month, with the month from which buying is cheaper."""

from __future__ import annotations

from collections.abc import Iterator

from memreport.publish.svg.drawing import INK, MUTED, PALETTE, RULE, Drawing, round_steps
from memreport.publish.svg.typefaces import text_width
from memreport.report.records.report import RentOrBuy
from memreport.report.view import shown

WIDTH, HEIGHT = 390.0, 140.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 74.0, 34.0, 30.0
BAND = 26.0
"""The baseline of the words above the curves."""
RENT_INK, BUY_INK, BUY_DASH = PALETTE[0], PALETTE[4], "6 2.5"
LABEL = 7.4


def ownership_chart(made: RentOrBuy) -> str:
    """The drawing as SVG."""
    return ownership_drawing(made).svg()


def ownership_drawing(made: RentOrBuy) -> Drawing:
    """The drawing, with labels that can be measured."""
    drawing = Drawing(WIDTH, HEIGHT, _in_words(made))
    end = max(*made.rented, *made.bought) * 1.06
    _axes(drawing, made, end)
    for values, ink, dash in ((made.rented, RENT_INK, ""), (made.bought, BUY_INK, BUY_DASH)):
        points = [(_x(made, month), _y(value, end)) for month, value in zip(made.months, values, strict=True)]
        drawing.path(points, ink, 1.8, dash=dash)
    _crossing(drawing, made, end)
    _names(drawing, made, end)
    return drawing


def _x(made: RentOrBuy, month: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * month / made.months[-1]


def _y(value: float, end: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / end


def _axes(drawing: Drawing, made: RentOrBuy, end: float) -> None:
    """Amounts upwards, months to the right."""
    for tick in round_steps(end, 5):
        drawing.line(LEFT, _y(tick, end), WIDTH - RIGHT, _y(tick, end), RULE)
        drawing.text(LEFT - 5, _y(tick, end) + 2.5, _tick(tick), 7, "end", MUTED)
    for month in round_steps(made.months[-1], 8):
        drawing.line(_x(made, month), HEIGHT - BOTTOM, _x(made, month), HEIGHT - BOTTOM + 3, MUTED)
        drawing.text(_x(made, month), HEIGHT - BOTTOM + 11, f"{month:g}", 7, "middle", MUTED)
    drawing.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, INK, 0.9)
    drawing.text(2, 9, "US dollars paid so far", LABEL, fill=MUTED)
    drawing.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, "Months since the purchase", LABEL, "middle", MUTED)


def _crossing(drawing: Drawing, made: RentOrBuy, end: float) -> None:
    """The mark, and its words in the band above the curves, where they never meet a line."""
    if made.crossing is None:
        drawing.text((LEFT + WIDTH - RIGHT) / 2, BAND, made.words, 8, "middle", weight=600)
        return
    x, y = _x(made, made.crossing), _y(made.crossing_usd, end)
    text = f"{made.words}, at {shown(made.crossing_usd, 'USD')}"
    room = WIDTH - RIGHT - text_width(text, 8, 600)
    drawing.line(x, BAND + 4, x, HEIGHT - BOTTOM, MUTED, 0.7, "2 2")
    drawing.circle(x, y, 3.2, INK)
    drawing.text(max(LEFT, min(x - 4, room)), BAND, text, 8, weight=600)


def _names(drawing: Drawing, made: RentOrBuy, end: float) -> None:
    """Each curve's name at its end, moved apart where they end together."""
    ends = sorted([(made.rented[-1], "rented", RENT_INK), (made.bought[-1], "bought", BUY_INK)])
    below, above = (_y(value, end) + 2.5 for value, _, _ in ends)
    above = min(above, below - 10)
    for y, (value, name, ink) in zip((below, above), ends, strict=True):
        drawing.text(WIDTH - RIGHT + 5, y, f"{name}, {_brief(value)}", 7, fill=ink, weight=600)


def _tick(value: float) -> str:
    return f"{value / 1e6:,.3g} M" if value >= 1e6 else f"{value:,.0f}"


def _brief(value: float) -> str:
    return f"${value / 1e6:,.3g} M" if value >= 1e6 else f"${value / 1e3:,.3g} k" if value >= 1e4 else f"${value:,.0f}"


def _in_words(made: RentOrBuy) -> str:
    return f"Cash paid so far by month. {'; '.join(_points(made))}. {made.words}."


def _points(made: RentOrBuy) -> Iterator[str]:
    """The values at the purchase, the crossing and the end."""
    for at in (0, len(made.months) // 2, -1):
        amounts = f"rented {shown(made.rented[at], 'USD')}, bought {shown(made.bought[at], 'USD')}"
        yield f"month {made.months[at]:g}: {amounts}"
