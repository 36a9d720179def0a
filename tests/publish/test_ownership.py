"""Rent against purchase: the words, the curves and their crossing, in a drawing on which nothing overlaps."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from openpyxl.utils import get_column_letter

from memreport.advise.decide import decide
from memreport.build.outputs import reported, summary
from memreport.catalogue.quantities import brief
from memreport.publish.svg.ownership import ownership_drawing
from memreport.report.changes.difference import difference
from memreport.report.money.rent_or_buy import crossing_words, ownership_note, rent_or_buy
from memreport.report.records.money.ownership import Crossing, PaidByMonth, RentOrBuy
from memreport.report.view import View
from tests.publish.workbook_cases import cached, input_cell, opened, row_of, saved
from tests.slim import slim
from tests.support import run, scenario_text, value
from tests.typed_workbook import recalculate_with

HARDWARE = "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"
ASKED = "hours: 10, rent_or_buy: true"
BOTH = f"price: aws-p5-on-demand, purchase_price: h100-street-low, {ASKED}, horizon_years: 5, horizon_use: 0.7"


def compared(folder: Path, cost: str = BOTH, **blocks: Any) -> View:
    return View(run(folder, scenario_text(cost=f"{{basis: rent, {cost}}}", hardware=HARDWARE, **blocks)))


def test_the_curves_meet_where_the_engine_says(tmp_path: Path) -> None:
    view = compared(tmp_path)
    made = rent_or_buy(view, 0)
    assert made is not None
    month = value(view.computed, "break_even_months")
    assert made.crossing.month == month
    assert made.sentence.startswith(
        "Compared from year 0 to 5 with the hardware used in 70 % of all hours; the bill is for 10 h. Buying"
    )
    assert made.crossing.usd == pytest.approx(value(view.computed, "yearly_rent_usd") * month / 12)
    bought = value(view.computed, "capital_usd") + value(view.computed, "yearly_operating_usd") * month / 12
    assert made.crossing.usd == pytest.approx(bought)
    assert made.paid.months[0] == 0
    assert made.paid.months[-1] == pytest.approx(60)
    assert made.paid.rented[0] == 0
    assert made.paid.bought[0] == value(view.computed, "capital_usd")


def test_a_purchase_that_never_pays_says_so(tmp_path: Path) -> None:
    view = compared(tmp_path, BOTH.replace("0.7", "0.01"))
    made = rent_or_buy(view, 0)
    assert made is not None
    assert made.crossing.month is None
    assert crossing_words(view, 0) == "Buying does not pay by month 60"


@pytest.mark.parametrize(
    ("cost", "lacking"),
    [
        (
            f"price: aws-p5-on-demand, purchase_price: none, {ASKED}",
            "no purchase price is stated; the price book has some of this GPU for cost.purchase_price.",
        ),
        (
            f"basis: buy, price: none, purchase_price: h100-street-low, {ASKED}",
            "no rental price is stated; the price book has some of this GPU for cost.price.",
        ),
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
    paid = PaidByMonth(
        months,
        tuple(rent / 12 * month for month in months),
        tuple(capital + running / 12 * month for month in months),
        ("$1.2 M", "$3.4 M"),
    )
    words = f"Buying is cheaper from month {cross:.1f}"
    meets = Crossing(cross if cross <= 60 else None, rent / 12 * min(cross, 60), "$1,234", words)
    return RentOrBuy(paid, meets, "", (), "Cash paid so far by month.")


@pytest.mark.parametrize("capital", [100, 21_135, 121_135, 160_000, 1e9])
def test_no_label_covers_another_or_leaves_the_drawing(capital: float) -> None:
    drawing = ownership_drawing(curves(36_792, capital, 2871))
    assert all(box.within(drawing.frame) for box, _ in drawing.labels)
    touching = [(one, two) for (a, one), (b, two) in combinations(drawing.labels, 2) if a.overlaps(b)]
    assert not touching


def test_nothing_is_compared_unasked(tmp_path: Path) -> None:
    view = compared(tmp_path, "price: aws-p5-on-demand, purchase_price: h100-street-low, hours: 10")
    assert rent_or_buy(view, 0) is None
    assert ownership_note(view, 0) == ""


def test_a_short_job_is_compared_over_its_own_time(tmp_path: Path) -> None:
    cost = "price: aws-p5-on-demand, purchase_price: h100-street-low, hours: 1080, rent_or_buy: true"
    view = compared(tmp_path, cost)
    made = rent_or_buy(view, 0)
    assert made
    assert view.value("present_value_saving_usd", 0) < 0, "45 days of rent do not pay eight GPUs"
    assert "Buying is counted without network and cabling" in made.sentence


def test_what_procurement_signs_is_the_purchase(tmp_path: Path) -> None:
    cost = "{basis: buy, purchase_price: h100-street-low, hours: 100, contingency: 0.1}"
    computed = run(tmp_path, scenario_text(cost=cost, hardware=HARDWARE))
    assert value(computed, "approval_total_usd") == pytest.approx(8 * 25_000 * 1.1)
    budget = reported(decide(computed)).budget
    assert budget
    (key,) = [one for one in budget.facts if one.name == "approval_total_usd"]
    assert key.text == "$220,000"
    assert key.note.startswith("this use costs $")
    rented = run(tmp_path, scenario_text(cost="{basis: rent, price: aws-p5-on-demand, hours: 10}", hardware=HARDWARE))
    assert value(rented, "approval_total_usd") == value(rented, "cost_total_usd")


def test_the_purchase_is_the_amount_everywhere(tmp_path: Path) -> None:
    """The answer, its options, the catalogue, a comparison and the Summary speak of what page 1 asks to sign."""
    cost = "{{basis: buy, purchase_price: h100-street-low, hours: {}, contingency: 0.25}}"
    made = [
        run(tmp_path, scenario_text(cost=cost.format(hours), hardware=HARDWARE, training="{zero_stage: 3}"))
        for hours in (100, 200)
    ]
    report = reported(decide(made[0]))
    assert report.answer
    assert {one.takes.cost.amount.text for one in report.answer.options if one.takes.cost and one.own} == {"$250,000"}
    used = brief(value(made[0], "cost_total_usd"), "USD")
    assert f"bought for $250,000; this use costs {used}" in report.answer.detail
    told = summary(report)
    assert (told["cost_usd"], told["period"]) == (250_000, "the purchase")
    assert "purchase to approve stays at $250,000" in difference(*made).sentence.lower()
    path = saved(made[0], tmp_path)
    row, cells = row_of(path, "Summary", "Variant"), cached(path)
    titles = {str(cell.value): get_column_letter(cell.column or 0) for cell in opened(path)["Summary"][row]}
    assert cells["Summary", f"{titles['Purchase to approve (USD)']}{row + 1}"] == 250_000
    assert not [title for title in titles if title.startswith(("Cost of the run", "To be approved"))]


def test_the_comparison_is_as_long_as_what_is_billed_unless_its_years_are_typed(tmp_path: Path) -> None:
    """Twelve months in place of 24 are compared over one year, in use all of it; the horizon stands among the first."""
    text = scenario_text(
        workload="serving",
        hardware="{accelerator: h100-80gb-sxm, count: 8}",
        serving="{max_num_seqs: 8}",
        cost="{basis: rent, price: aws-p5-on-demand, purchase_price: h100-street-low, rent_or_buy: true, months: 24}",
    )
    path = saved(run(tmp_path, text, catalogue=slim()), tmp_path)
    years, use = (
        ("Calculation", f"F{row_of(path, 'Calculation', name)}") for name in ("comparison_years", "comparison_use")
    )
    found = recalculate_with(path, {input_cell(path, "months"): 12.0})
    assert (found[years], found[use]) == (1.0, 1.0)
    found = recalculate_with(path, {input_cell(path, "months"): 12.0, input_cell(path, "horizon_years"): 4.0})
    assert (found[years], found[use]) == (4.0, 0.25)
