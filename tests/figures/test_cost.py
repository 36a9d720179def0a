from __future__ import annotations

from collections.abc import Callable

import pytest

from memreport.figures.money import billing, cost, service_cost
from memreport.formula.printing import to_excel
from memreport.formula.recording import figures_in

Values = Callable[..., dict[str, float]]
RENT = {
    "rents": 1,
    "buys": 0,
    "accelerators": 8,
    "hours": 72,
    "goodput": 0.9,
    "reserved_hours": 0,
    "usd_per_accelerator_hour": 3.5,
    "price_discount": 0,
    "price_multiplier": 1,
    "rent_extras_share": 0,
    "usd_per_accelerator": 30_000,
    "purchase_discount": 0,
    "adder_share": 0.1,
    "freight_tax_share": 0.05,
    "installation_usd_per_accelerator": 350,
    "discount_rate": 0,
    "depreciation_years": 5,
    "residual_share": 0.2,
    "annuity": 0,
    "owned_utilisation": 0.8,
    "node_power_watts": 10_200,
    "host_accelerators": 8,
    "board_power_watts": 700,
    "host_power_share": 0.45,
    "load_factor": 0.8,
    "pue": 1.5,
    "power_included": 0,
    "colocation_has_power": 0,
    "usd_per_kilowatt_hour": 0.1,
    "usd_per_kilowatt_month": 200,
    "support_share": 0.05,
    "staff_usd_per_month": 0,
    "storage_usd_per_month": 0,
    "contingency": 0.15,
    "tax_share": 0,
    "price_low_multiplier": 0.8,
    "price_high_multiplier": 1.3,
    "tokens_per_second": 10_000,
    "grid_kg_per_kwh": 0.4,
}
LINES = (
    "rent_usd", "extras_usd", "hardware_usd", "energy_usd", "facility_usd", "support_usd", "staff_usd", "storage_usd"
)  # fmt: skip


@pytest.fixture
def priced(evaluate: Values) -> Values:
    def values(**changed: float) -> dict[str, float]:
        return evaluate((*figures_in(cost), *figures_in(service_cost)), {**RENT, **changed})

    return values


def test_rent_is_count_times_hours_times_rate_over_goodput(priced: Values) -> None:
    values = priced()
    assert values["wall_hours"] == 80
    assert values["rent_usd"] == 8 * 80 * 3.5
    assert values["contingency_usd"] == pytest.approx(336)
    assert values["cost_total_usd"] == pytest.approx(8 * 72 * 3.5 / 0.9 * 1.15)
    assert values["hardware_usd"] + values["energy_usd"] + values["facility_usd"] + values["support_usd"] == 0


def test_reserved_hours_are_billed_used_or_not(priced: Values) -> None:
    assert priced(reserved_hours=730)["rent_usd"] == 8 * 730 * 3.5
    assert priced(reserved_hours=10)["rent_usd"] == 8 * 80 * 3.5


def test_discount_price_case_extras_and_tax(priced: Values) -> None:
    values = priced(price_discount=0.25, price_multiplier=2, rent_extras_share=0.4, tax_share=0.2, contingency=0.1)
    rent = 2240 * 0.75 * 2
    assert values["list_rent_usd"] == 2240
    assert values["extras_usd"] == pytest.approx(0.4 * rent)
    assert values["cost_total_usd"] == pytest.approx(1.4 * rent * 1.1 * 1.2)


def test_buying_bears_its_part_of_the_life(priced: Values) -> None:
    values = priced(rents=0, buys=1)
    capital = 8 * (30_000 * 1.1 * 1.05 + 350)
    assert values["rent_usd"] == 0
    assert values["capital_usd"] == pytest.approx(capital)
    assert values["straight_line_usd"] == pytest.approx(capital * 0.8 / 5)
    assert values["hardware_usd"] == pytest.approx(capital * 0.8 / 5 * 80 / 8760 / 0.8)
    assert values["support_usd"] == pytest.approx(capital * 0.05 * 80 / 8760)
    assert values["facility_usd"] == pytest.approx(10.2 * 200 * 80 / 730)


def test_a_purchase_in_its_parts(priced: Values) -> None:
    values = priced(purchase_discount=0.1)
    assert values["purchase_usd"] == pytest.approx(8 * 27_000)
    assert values["adders_usd"] == pytest.approx(21_600)
    assert values["freight_tax_usd"] == pytest.approx((216_000 + 21_600) * 0.05)
    assert values["installation_usd"] == 2800
    assert values["capital_usd"] == pytest.approx(216_000 + 21_600 + 11_880 + 2800)


def test_annuity_repays_with_interest(priced: Values) -> None:
    values = priced(rents=0, buys=1, annuity=1, discount_rate=0.08, residual_share=0)
    capital = values["capital_usd"]
    assert values["yearly_capital_usd"] == pytest.approx(capital * 0.08 / (1 - 1.08**-5))
    left = capital
    for _ in range(5):
        left = left * 1.08 - values["yearly_capital_usd"]
    assert left == pytest.approx(0, abs=1e-6)


def test_annuity_without_interest_is_the_straight_line(priced: Values) -> None:
    values = priced(annuity=1)
    assert values["annuity_usd"] == pytest.approx(values["straight_line_usd"], rel=1e-5)


def test_energy_of_a_node_and_its_fallback(priced: Values) -> None:
    values = priced(rents=0, buys=1)
    assert values["energy_kwh"] == pytest.approx(10.2 * 0.8 * 1.5 * 80)
    assert values["energy_usd"] == pytest.approx(97.92)
    assert priced(rents=0, buys=1, power_included=1)["energy_usd"] == 0
    assert priced(rents=0, buys=1, colocation_has_power=1)["energy_usd"] == 0
    assert priced(rents=1, buys=0)["energy_usd"] == 0
    assert priced(node_power_watts=0)["watts_per_accelerator"] == pytest.approx(1015)
    assert values["carbon_kg"] == pytest.approx(979.2 * 0.4)


@pytest.mark.parametrize("buys", [0, 1])
def test_the_total_is_the_sum_of_its_lines(priced: Values, buys: int) -> None:
    values = priced(buys=buys, rents=1 - buys, staff_usd_per_month=5000, storage_usd_per_month=365, tax_share=0.1)
    assert values["storage_usd"] == pytest.approx(40)
    lines = sum(values[name] for name in LINES) + values["contingency_usd"] + values["tax_usd"]
    assert values["cost_total_usd"] == pytest.approx(lines, rel=1e-12)


def test_range_month_and_million_tokens(priced: Values) -> None:
    values = priced()
    total = values["cost_total_usd"]
    assert values["cost_low_usd"] == pytest.approx(0.8 * total)
    assert values["cost_high_usd"] == pytest.approx(1.3 * total)
    assert values["cost_per_month_usd"] == pytest.approx(total * 730 / 80)
    assert values["cost_per_accelerator_hour_usd"] == pytest.approx(3.5 * 1.15)
    assert values["cost_per_million_tokens_usd"] == pytest.approx(total / (10_000 * 3600 * 72 / 1e6))


def test_formulas_as_excel_shows_them() -> None:
    assert to_excel(cost.cost_total_usd.expression) == "SUM(subtotal_usd,contingency_usd,tax_usd)"
    assert to_excel(cost.rent_usd.expression) == "list_rent_usd*(1-price_discount)*price_multiplier"


BILLED = (cost.agreed_usd_per_accelerator_hour, cost.accelerator_hours, *figures_in(billing))
BILL = {
    "rents": 1,
    "buys": 0,
    "accelerators": 8,
    "wall_hours": 80,
    "billed_accelerator_hours": 8 * 100,
    "usd_per_accelerator_hour": 3.5,
    "price_discount": 0.2,
    "price_multiplier": 1,
    "capital_usd": 280_000,
    "pays_energy": 1,
    "energy_kwh": 900,
}


def test_an_invoice_of_rent_splits_into_used_and_unused_hours(evaluate: Values) -> None:
    values = evaluate(BILLED, BILL)
    assert values["agreed_usd_per_accelerator_hour"] == pytest.approx(2.8)
    assert (values["rented_used_hours"], values["rented_unused_hours"]) == (640, 160)
    assert (values["used_list_usd"], values["unused_list_usd"]) == (2240, 560)
    assert values["used_rent_usd"] == pytest.approx(640 * 2.8)
    assert values["unused_rent_usd"] == pytest.approx(160 * 2.8)
    assert values["bought_accelerators"] == values["ordered_capital_usd"] == values["billed_kwh"] == 0


def test_an_invoice_of_a_purchase_has_no_rented_hours(evaluate: Values) -> None:
    values = evaluate(BILLED, BILL | {"rents": 0, "buys": 1})
    assert values["rented_used_hours"] == values["rented_unused_hours"] == 0
    assert values["bought_accelerators"] == 8
    assert values["installed_usd_per_accelerator"] == 35_000
    assert values["ordered_capital_usd"] == 280_000
    assert values["billed_kwh"] == 900


@pytest.mark.parametrize(
    ("rents", "instance", "held", "wanted"),
    [(0, 1e11, 8, 2e12), (1, 0, 8, 2e12), (1, 1e11, 8, 1e11), (1, 1e11, 1, 8e11), (1, 3e12, 8, 2e12)],
)
def test_a_node_has_no_more_memory_than_its_rented_instances(
    rents: float, instance: float, held: float, wanted: float
) -> None:
    assert billing.node_memory_bytes.formula(2e12, rents, instance, held, 8) == wanted
