"""What GPUs cost, whatever runs on them: bought at a stated price, owned for years, rented from several for a time."""

from __future__ import annotations

import pytest

from memreport.build.asking import asked

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
        "Rented as long it is $",
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
