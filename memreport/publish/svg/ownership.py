"""Rent against purchase as SVG: cash paid so far by month, with the month from which buying is cheaper."""

from __future__ import annotations

from memreport.publish.svg.axes import Plot
from memreport.publish.svg.drawing import INK, MUTED, PALETTE, Drawing, round_steps
from memreport.publish.svg.typefaces import text_width
from memreport.report.records.money.ownership import RentOrBuy

WIDTH, HEIGHT = 390.0, 140.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 74.0, 34.0, 30.0
PLOT = Plot(LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)
BAND = 26.0
"""The baseline of the words above the curves."""
RENT_INK, BUY_INK, BUY_DASH = PALETTE[0], PALETTE[4], "6 2.5"


def ownership_chart(made: RentOrBuy) -> str:
    """The drawing as SVG."""
    return ownership_drawing(made).svg()


def ownership_drawing(made: RentOrBuy) -> Drawing:
    """The drawing, with labels that can be measured."""
    drawing = Drawing(WIDTH, HEIGHT, made.described)
    end = max(*made.paid.rented, *made.paid.bought) * 1.06
    _axes(drawing, made, end)
    for values, ink, dash in ((made.paid.rented, RENT_INK, ""), (made.paid.bought, BUY_INK, BUY_DASH)):
        points = [
            (PLOT.x(month, made.paid.months[-1]), PLOT.y(value, end))
            for month, value in zip(made.paid.months, values, strict=True)
        ]
        drawing.path(points, ink, 1.8, dash=dash)
    _crossing(drawing, made, end)
    _names(drawing, made, end)
    return drawing


def _axes(drawing: Drawing, made: RentOrBuy, end: float) -> None:
    """Amounts upwards, months to the right."""
    PLOT.rows(drawing, ((PLOT.y(tick, end), tick) for tick in round_steps(end, 5)))
    PLOT.columns(
        drawing, ((PLOT.x(month, made.paid.months[-1]), month) for month in round_steps(made.paid.months[-1], 8))
    )
    PLOT.titles(drawing, "US dollars paid so far", "Months since the purchase", HEIGHT - 5)


def _crossing(drawing: Drawing, made: RentOrBuy, end: float) -> None:
    """The mark, and its words in the band above the curves, where they never meet a line."""
    if made.crossing.month is None:
        drawing.text((LEFT + WIDTH - RIGHT) / 2, BAND, made.crossing.words, 8, "middle", weight=600)
        return
    x, y = PLOT.x(made.crossing.month, made.paid.months[-1]), PLOT.y(made.crossing.usd, end)
    text = f"{made.crossing.words}, at {made.crossing.text}"
    room = WIDTH - RIGHT - text_width(text, 8, 600)
    drawing.line(x, BAND + 4, x, HEIGHT - BOTTOM, MUTED, 0.7, "2 2")
    drawing.circle(x, y, 3.2, INK)
    drawing.text(max(LEFT, min(x - 4, room)), BAND, text, 8, weight=600)


def _names(drawing: Drawing, made: RentOrBuy, end: float) -> None:
    """Each curve's name at its end, moved apart where they end together."""
    rented, bought = made.paid.end_texts
    ends = sorted(
        [(made.paid.rented[-1], f"rented, {rented}", RENT_INK), (made.paid.bought[-1], f"bought, {bought}", BUY_INK)]
    )
    below, above = (PLOT.y(value, end) + 2.5 for value, _, _ in ends)
    above = min(above, below - 10)
    for y, (_, name, ink) in zip((below, above), ends, strict=True):
        drawing.text(WIDTH - RIGHT + 5, y, name, 7, fill=ink, weight=600)
