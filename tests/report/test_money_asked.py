"""What GPUs cost, whatever runs on them: bought at a stated price, owned for years, rented from several for a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.advise.decide import Decision, decide
from memreport.build.asking import asked
from memreport.report.answer.answered import answered
from memreport.report.answer.notes import notes_of
from memreport.report.money.prices import flags
from memreport.report.view import View
from tests.support import run, scenario_text

SAID = {
    "Should I buy an H100 for $25,000 or rent at $2.49 an hour for 12 hours a day?": (
        "Buy: buying is cheaper from month",
        "in use 50 % of the hours",
        "the purchase, $25,000,",
    ),
    "Should I buy 8 H100 for $250,000 or rent them at $2 an hour?": ("the purchase, $250,000,",),
    "two RTX 3090 at $700 each versus renting at $0.22": ("Buy:", "the purchase, $1,400,"),
    "two RTX 3090 at $7,000 each versus renting at $0.02": ("Rent:", "the purchase, $14,000,"),
    "Total cost of ownership of 8 H100 over 3 years with electricity at 15 cents per kWh?": (
        "to own over 3 years: the purchase, $",
        "Rented as long, at $",
    ),
    "AWS or Azure 8 H100 for a month": ("AWS costs least", "less than Azure", "a month at $6.88/h a GPU (2026-09-25)"),
    "8 H100 for 3 months on Lambda": ("for 3 months, rented at $",),
    "What does 1 hour of 8 H100 on RunPod cost?": ("✓ $",),
    "How many kW do 8 H100 draw?": (" kW in the mean, hosts and cooling included (PUE 1.54), ", "MWh a month"),
}


@pytest.mark.parametrize("question", SAID)
def test_money_is_told_without_a_model(question: str) -> None:
    text, code = asked(question)
    answer = " ".join(text.split())
    assert code == 0
    assert not [words for words in SAID[question] if words not in answer], answer


def test_ownership_is_the_purchase_and_what_is_paid_each_year() -> None:
    """At twice the price of electricity three years cost more by three times what a year does."""
    first, second = (
        asked(f"Total cost of ownership of 8 H100 over 3 years with electricity at {cents} cents per kWh?")[0]
        for cents in (10, 20)
    )
    (owned, yearly), (more, each) = map(amounts, (first, second))
    assert more - owned == pytest.approx(3 * (each - yearly), rel=0.02)
    assert each > yearly


def amounts(text: str) -> tuple[float, float]:
    """Dollars to own, and those of a year beside the purchase."""
    words = " ".join(text.replace(",", "").split())
    owned, yearly = (words.partition(before)[0].rpartition("$")[2] for before in (" to own", " a year"))
    return float(owned), float(yearly)


BOUGHT = "basis: buy, price: 3 USD/h, purchase_price: h100-street-low, months: 36"


def told(folder: Path, cost: str, question: str = "Does it fit?", **blocks: str) -> Decision:
    """What is decided of eight H100 that serve."""
    gpus = "{accelerator: h100-80gb-sxm, count: 8}"
    return decide(run(folder, scenario_text(
        workload="serving", training=None, hardware=gpus, cost=f"{{{cost}}}", question=question, **blocks
    )))  # fmt: skip


def test_amounts_of_a_purchase_say_what_they_hold(tmp_path: Path) -> None:
    """The order, and what is approved with allowances; rent names its price, as nobody submitted it."""
    question = "What does it cost to own over 3 years?"
    answer, _ = answered(told(tmp_path, f"{BOUGHT}, contingency: 0.1", question))
    assert "the purchase, $200,000," in answer.headline
    assert "With 10 % contingency the hardware is bought for $220,000; this use costs $" in answer.detail
    assert "Rented as long, at $3.00 a GPU-hour, it is $" in answer.headline
    assert "as submitted" not in answer.headline
    plain, _ = answered(told(tmp_path, BOUGHT, question))
    assert "bought for" not in plain.detail, "that is the purchase which the headline names"


def test_a_purchase_and_rent_in_one_column_say_so(tmp_path: Path) -> None:
    made = told(tmp_path, BOUGHT, "Should we rent or buy?", variants="{buy: {}, rent: {cost.basis: rent}}")
    bought, rented = (row.takes.cost_text for row in answered(made)[1])
    assert bought == "$200,000 to buy"
    assert rented.endswith(" to rent for 36 months")
    assert answered(told(tmp_path, BOUGHT))[1][0].takes.cost_text == "$200,000"


def test_hours_reserved_beyond_the_use_are_told(tmp_path: Path) -> None:
    cost, said = (
        "basis: rent, price: 3 USD/h, reserved_hours: 8760",
        "of each GPU are reserved and billed for 30.4 days",
    )
    made = told(tmp_path, cost)
    assert said in " ".join(notes_of(made))
    assert said in " ".join(flag.text for flag in flags(View(made.computed)))
    year = told(tmp_path, f"{cost}, months: 12")
    assert said not in " ".join(notes_of(year))
    assert not flags(View(year.computed))
