"""Rent against purchase: the words, the curves and their crossing, in a drawing on which nothing overlaps."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from memreport.publish.ownership import crossing_words, ownership_note, rent_or_buy
from memreport.publish.ownership_chart import ownership_drawing
from memreport.publish.shown import RentOrBuy
from memreport.publish.view import View
from tests.support import run, scenario_text, value

HARDWARE = "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"
BOTH = "price: aws-p5-on-demand, purchase_price: h100-street-low, hours: 10"


def compared(folder: Path, cost: str = BOTH, **blocks: Any) -> View:
    return View(run(folder, scenario_text(cost=f"{{basis: rent, {cost}}}", hardware=HARDWARE, **blocks)))


def test_the_curves_meet_where_the_engine_says(tmp_path: Path) -> None:
    view = compared(tmp_path)
    made = rent_or_buy(view, 0)
    assert made is not None
    month = value(view.computed, "break_even_months")
    assert made.crossing == month
    assert made.sentence.startswith(
        "Compared over 5 years with the hardware used in 70 % of all hours; the bill is for 10 hours (0.4 days). Buying"
    )
    assert made.crossing_usd == pytest.approx(value(view.computed, "yearly_rent_usd") * month / 12)
    bought = value(view.computed, "capital_usd") + value(view.computed, "yearly_operating_usd") * month / 12
    assert made.crossing_usd == pytest.approx(bought)
    assert made.months[0] == 0
    assert made.months[-1] == pytest.approx(60)
    assert made.rented[0] == 0
    assert made.bought[0] == value(view.computed, "capital_usd")


def test_a_purchase_that_never_pays_says_so(tmp_path: Path) -> None:
    view = compared(tmp_path, f"{BOTH}, owned_utilisation: 0.01")
    made = rent_or_buy(view, 0)
    assert made is not None
    assert made.crossing is None
    assert crossing_words(view, 0) == "Buying does not pay within 60 months"


@pytest.mark.parametrize(
    ("cost", "lacking"),
    [
        ("price: aws-p5-on-demand, hours: 10", "no purchase price is named. The price book has a purchase price of"),
        ("basis: buy, purchase_price: h100-street-low, hours: 10", "no rental price is named"),
    ],
)
def test_a_price_that_lacks_is_said_in_words(tmp_path: Path, cost: str, lacking: str) -> None:
    plain = cost if cost.startswith("basis") else f"basis: rent, {cost}"
    view = View(run(tmp_path, scenario_text(cost=f"{{{plain}}}", hardware=HARDWARE)))
    assert rent_or_buy(view, 0) is None
    assert lacking in ownership_note(view, 0)


def curves(rent: float, capital: float, running: float) -> RentOrBuy:
    months = tuple(3.0 * at for at in range(21))
    cross = capital * 12 / max(rent - running, 1)
    return RentOrBuy(
        months,
        tuple(rent / 12 * month for month in months),
        tuple(capital + running / 12 * month for month in months),
        cross if cross <= 60 else None,
        rent / 12 * min(cross, 60),
        f"Buying is cheaper from month {cross:.1f}",
        "",
        (),
    )


@pytest.mark.parametrize("capital", [100, 21_135, 121_135, 160_000, 1e9])
def test_no_label_covers_another_or_leaves_the_drawing(capital: float) -> None:
    drawing = ownership_drawing(curves(36_792, capital, 2871))
    assert all(box.within(drawing.frame) for box, _ in drawing.labels)
    touching = [(one, two) for (a, one), (b, two) in combinations(drawing.labels, 2) if a.overlaps(b)]
    assert not touching
