from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.money import ownership, service_horizon
from memreport.formula.printing import to_excel
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
OWNED = {
    "capital_usd": 280_000,
    "support_share": 0.05,
    "pays_energy": 1,
    "committed": 0,
    "site_watts": 10_000,
    "horizon_years": 5,
    "horizon_use": 0.8,
    "wall_hours": 100,
    "usd_per_kilowatt_hour": 0.1,
    "accelerators": 8,
    "watts_per_accelerator": 1275,
    "usd_per_kilowatt_month": 200,
    "usd_per_accelerator_hour": 3,
    "price_discount": 0,
    "price_multiplier": 1,
    "rent_extras_share": 0,
    "finite_rate": 0.08,
    "residual_share": 0.2,
}


@pytest.fixture
def compared(evaluate: Values) -> Values:
    def values(**changed: float) -> dict[str, float]:
        return evaluate(figures_in(ownership), {**OWNED, **changed})

    return values


def test_a_year_of_owning_and_of_renting(compared: Values) -> None:
    values = compared()
    assert values["yearly_energy_usd"] == pytest.approx(10 * 8760 * 0.8 * 0.1)
    assert values["yearly_facility_usd"] == pytest.approx(10.2 * 200 * 12)
    assert values["yearly_owned_usd"] == pytest.approx(280_000 * 0.8 / 5 + 14_000 + 7008 + 24_480)
    assert values["yearly_full_rent_usd"] == 8 * 8760 * 3


def test_break_even(compared: Values) -> None:
    values = compared()
    assert values["break_even_utilisation"] == pytest.approx((280_000 * 0.8 / 5 + 45_488) / 210_240)
    assert values["break_even_months"] == pytest.approx(280_000 * 12 / (168_192 - 45_488))
    assert compared(usd_per_accelerator_hour=0.1)["break_even_months"] > 1e6


def test_reserved_rent_is_paid_for_hours_that_nobody_uses(compared: Values) -> None:
    assert compared()["yearly_rent_usd"] == pytest.approx(8 * 8760 * 3 * 0.8)
    assert compared(committed=1)["yearly_rent_usd"] == 8 * 8760 * 3
    assert compared(committed=1)["break_even_months"] < compared()["break_even_months"]


def test_present_values(compared: Values) -> None:
    values = compared()
    factor = sum(1.08**-year for year in range(1, 6))
    assert values["present_value_factor"] == pytest.approx(factor)
    assert values["owned_present_value_usd"] == pytest.approx(280_000 * (1 - 0.2 / 1.08**5) + 45_488 * factor)
    assert values["rented_present_value_usd"] == pytest.approx(168_192 * factor)


def test_formulas_as_excel_shows_them() -> None:
    assert (
        to_excel(ownership.break_even_utilisation.expression)
        == "yearly_owned_usd/MAX(yearly_full_rent_usd,SMALLEST_PRICE)"
    )


def test_without_a_stated_horizon_the_billed_time_is_compared_at_full_use(compared: Values) -> None:
    values = compared(horizon_years=0, horizon_use=0, wall_hours=876)
    assert values["comparison_years"] == pytest.approx(0.1)
    assert values["comparison_use"] == pytest.approx(1)
    longer = compared(horizon_years=2, horizon_use=0, wall_hours=1752)
    assert longer["comparison_use"] == pytest.approx(0.1)
    assert longer["yearly_rent_usd"] * 2 == pytest.approx(8 * 1752 * 3), "the rent of the horizon is the run's"


@pytest.mark.parametrize(("hours", "use"), [(730, 1), (876, 0.05), (438, 0.025)])
def test_a_service_that_is_billed_by_the_month_goes_on(evaluate: Values, hours: float, use: float) -> None:
    stated = {"hours": hours, "wall_hours": hours, "horizon_use": 0, "comparison_years": 2}
    made = evaluate(figures_in(service_horizon), stated)
    assert made["comparison_use"] == pytest.approx(use)
    assert made["billed_by_the_month"] == (hours == 730)


def test_points_of_the_curves_are_what_is_paid_until_a_month() -> None:
    assert ownership.drawn_months.formula(5, 20) == 3
    assert ownership.later_month.formula(6, 3) == 9
    assert [ownership.crossing_month.formula(even, 60) for even in (17.5, 80)] == [17.5, 60]
    assert ownership.rented_until_usd.formula(24_000, 3) == 6_000
    assert ownership.bought_until_usd.formula(280_000, 24_000, 3) == 286_000
