"""Quotes computed by hand: two of the same GPUs in different currency and term, a purchase, and what is not in them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from memreport.advise.comparisons.quotes import TERMS, quoted_costs, scenario_inputs
from memreport.figures.money.quotes import QUOTE_FIGURES
from memreport.report.money.quotes import pays_words

JOB = {
    "accelerators": 8.0, "wall_hours": 100.0, "owned_utilisation": 0.5, "depreciation_years": 5.0,
    "residual_share": 0.1, "annuity": 0.0, "finite_rate": 0.08, "growth_factor": 1.08**5, "adder_share": 0.2,
    "freight_tax_share": 0.05, "pays_energy": 1.0, "energy_kwh": 700.0, "usd_per_kilowatt_hour": 0.1,
    "watts_per_accelerator": 1000.0, "usd_per_kilowatt_month": 146.0, "support_share": 0.05, "staff_usd": 50.0,
    "storage_usd": 30.0, "contingency": 0.1, "tax_share": 0.2, "delivered_tokens": 2e9, "cost_total_usd": 3168.0,
}  # fmt: skip


def figures(job: Mapping[str, float] = JOB, /, **terms: float) -> dict[str, float]:
    plain = dict.fromkeys(TERMS, 0.0) | {"quoted_exchange_rate": 1.0}
    stated = plain | {f"quoted_{name}": value for name, value in terms.items()}
    return quoted_costs(stated, {name: np.asarray([value]) for name, value in job.items()}).figures_at(0)


def test_every_input_of_the_job_is_stated_here() -> None:
    assert set(scenario_inputs()) == set(JOB)


def test_rented_on_demand() -> None:
    """800 GPU-hours at 2 USD, staff and storage, then a tenth of contingency and a fifth of tax."""
    found = figures(price=2.0)
    assert found["quote_rent_usd"] == pytest.approx(1600)
    assert found["quote_total_usd"] == pytest.approx((1600 + 50 + 30) * 1.1 * 1.2)
    assert found["quote_signed_usd"] == found["quote_total_usd"]
    assert found["quote_million_tokens_usd"] == pytest.approx(1680 * 1.32 / 2000)


def test_the_same_gpus_in_another_currency_and_for_a_term() -> None:
    """A month of 16 GPUs at 1.50 EUR of 1.10 USD, 73 EUR a GPU and month beside, 100 GB at 0.05 EUR, with storage."""
    found = figures(price=1.5, exchange_rate=1.1, term_months=1, minimum_accelerators=16, extras=73, egress=0.05,
                    egress_gb=100, has_storage=1)  # fmt: skip
    rent, extras = 16 * 730 * 1.65, (16 * 73 + 5) * 1.1
    assert found["quote_price_usd"] == pytest.approx(1.65)
    assert found["quote_total_usd"] == pytest.approx((rent + extras + 50) * 1.32)
    assert found["quote_break_even_share"] == pytest.approx((rent + extras + 50) * 1.32 / 3168 / (16 * 730 / 800))


def test_a_purchase_bears_idle_time_and_is_signed_whole() -> None:
    """8 GPUs at 20,000 with hosts (a fifth) and freight; 200 of 43,800 hours; energy, space and support beside."""
    found = figures(purchase=1, price=20_000, lacks_hosts=1)
    order = 8 * 20_000 * 1.2 * 1.05
    written_off = order * 0.9 / 5 * (100 / 8760) / 0.5
    running = 700 * 0.1 + 8 * 146 * (100 / 730) + order * 0.05 * 100 / 8760
    assert found["quote_hours"] == 200
    assert found["quote_purchase_usd"] == pytest.approx(order)
    assert found["quote_total_usd"] == pytest.approx((written_off + running + 50 + 30) * 1.32)
    assert found["quote_signed_usd"] == pytest.approx(order * 1.32)


def test_what_a_purchase_contains_is_not_counted_twice() -> None:
    bare = figures(purchase=1, price=20_000, lacks_hosts=1)
    whole = figures(purchase=1, price=20_000, has_power=1, has_support=1)
    assert whole["quote_purchase_usd"] == pytest.approx(bare["quote_purchase_usd"] / 1.2)
    assert (whole["quote_energy_usd"], whole["quote_support_usd"]) == (0, 0)


def test_an_annuity_repays_with_interest() -> None:
    found = figures(JOB | {"annuity": 1.0}, purchase=1, price=1000)
    yearly = 8 * 1000 * 1.05 * 0.08 * (1.08**5 - 0.1) / (1.08**5 - 1)
    assert found["quote_hardware_usd"] == pytest.approx(yearly * (100 / 8760) / 0.5)


@pytest.mark.parametrize(
    ("terms", "said"),
    [({"price": 2.0}, "at any use"), ({"price": 9.0}, "never"), ({"price": 1.0, "term_months": 1}, "from 33.8 %")],
)
def test_from_which_use_a_quote_pays(terms: dict[str, float], said: str) -> None:
    assert pays_words(figures(**terms), JOB["accelerators"] * JOB["wall_hours"]) == said


def test_their_recordings_keep_their_units() -> None:
    for one in QUOTE_FIGURES:
        assert one.expression.unit == one.unit, one.name
        assert one.source, one.name
