"""The bill in FOCUS columns: it adds up to the headline, and says of each line what a cost team needs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from memreport.compute import Computed
from memreport.publish.json.scenario import record, to_json
from memreport.report.money.focus import CHARGES, COLUMNS, OWN_QUOTE, focus_rows
from memreport.report.money.prices import COST_PARTS
from tests.support import published, run, scenario_text, value

SPECIFIED: dict[str, set[str | None]] = {
    "PricingCategory": {None, "Standard", "Dynamic", "Committed", "Other"},
    "ChargeCategory": {"Usage", "Purchase", "Tax", "Adjustment", "Credit"},
    "ChargeFrequency": {"One-Time", "Recurring", "Usage-Based"},
    "CommitmentDiscountCategory": {None, "Usage", "Spend"},
    "CommitmentDiscountStatus": {None, "Used", "Unused"},
    "CapacityReservationStatus": {None, "Used", "Unused"},
}


def planned(folder: Path, cost: str, **blocks: Any) -> Computed:
    return run(folder, scenario_text(cost=cost, **blocks))


def by_line(computed: Computed) -> dict[str, dict[str, Any]]:
    return {row["x_Line"]: row for row in focus_rows(computed, "base")}


def summed(rows: list[dict[str, Any]], column: str) -> float:
    return float(sum(row[column] for row in rows))


def test_every_part_of_the_bill_has_its_kind() -> None:
    assert {charge.line for charge in CHARGES} - {"ordered_capital_usd"} == set(COST_PARTS)


@pytest.mark.parametrize("computed", published(), ids=lambda one: one.resolved.loaded.scenario.id)
def test_effective_cost_is_the_headline_in_every_scenario(computed: Computed) -> None:
    for at, case in enumerate(computed.resolved.variants):
        rows = focus_rows(computed, case.name)
        assert bool(rows) == (computed.resolved.loaded.scenario.cost is not None)
        if rows:
            assert summed(rows, "EffectiveCost") == pytest.approx(value(computed, "cost_total_usd", at), rel=1e-12)
            assert summed(rows, "x_CostShare") == pytest.approx(1)
        for row in rows:
            assert tuple(row) == COLUMNS
            keeps_the_rules(row)
            assert row["BillingCurrency"] == "USD"
            assert all(row[column] in allowed for column, allowed in SPECIFIED.items())


def keeps_the_rules(row: dict[str, Any]) -> None:
    """What FOCUS 1.2 says of nulls, products and commitments, column by column."""
    counted = row["ChargeCategory"] in ("Usage", "Purchase")
    for name in ("PricingQuantity", "PricingUnit", "ListUnitPrice", "ContractedUnitPrice", "PricingCategory"):
        assert (row[name] is not None) == counted, name
    for name in ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost", "ProviderName", "ChargeFrequency"):
        assert row[name] is not None
    if counted:
        assert row["ListUnitPrice"] * row["PricingQuantity"] == pytest.approx(row["ListCost"], rel=1e-12)
        assert row["ContractedUnitPrice"] * row["PricingQuantity"] == pytest.approx(row["ContractedCost"], rel=1e-12)
    consumed = row["ChargeCategory"] == "Usage" and row["CommitmentDiscountStatus"] != "Unused"
    if row["CapacityReservationStatus"] is None:
        assert (row["ConsumedQuantity"] is not None) == (row["ConsumedUnit"] is not None) == consumed
    assert not (row["ChargeCategory"] == "Purchase" and row["ChargeFrequency"] == "Usage-Based")
    committed = row["CommitmentDiscountId"] is not None
    assert committed == (row["PricingCategory"] == "Committed")
    for name in ("Category", "Type", "Status", "Quantity", "Unit"):
        assert (row[f"CommitmentDiscount{name}"] is not None) == committed
    assert (row["CapacityReservationId"] is None) == (row["CapacityReservationStatus"] is None)


def test_rent_at_list_and_at_the_agreed_price(tmp_path: Path) -> None:
    cost = "{basis: rent, price: aws-p4de-on-demand, hours: 90, goodput: 0.9, price_discount: 0.2, contingency: 0.1}"
    lines = by_line(planned(tmp_path, cost))
    rent = lines["rent_usd"]
    assert (rent["PricingQuantity"], rent["PricingUnit"]) == (pytest.approx(100), "Accelerator-Hours")
    assert rent["ListUnitPrice"] == 3.43088125
    assert rent["ListCost"] == pytest.approx(343.088125)
    assert rent["ContractedUnitPrice"] == pytest.approx(3.43088125 * 0.8)
    assert rent["ContractedCost"] == rent["EffectiveCost"] == rent["BilledCost"] == pytest.approx(343.088125 * 0.8)
    assert rent["PricingCategory"] == "Standard"
    assert (rent["ProviderName"], rent["RegionName"], rent["SkuPriceId"]) == ("AWS", "us-east-1", "aws-p4de-on-demand")
    assert lines["contingency_usd"]["ChargeCategory"] == "Adjustment"
    assert lines["contingency_usd"]["BilledCost"] == pytest.approx(27.44705)


def test_reserved_hours_that_nobody_uses_are_a_row_of_their_own(tmp_path: Path) -> None:
    hardware = "{accelerator: a100-40gb-sxm, count: 1}"
    cost = "{basis: rent, price: aws-p4d-reserved-1y, hours: 300, reserved_hours: 400}"
    used, unused = focus_rows(planned(tmp_path, cost, hardware=hardware), "base")
    assert used["PricingCategory"] == unused["PricingCategory"] == "Committed"
    assert used["CommitmentDiscountType"] == "Reservation"
    assert used["CommitmentDiscountId"] == "aws-p4d-reserved-1y"
    keeps_the_rules(used)
    keeps_the_rules(unused)
    assert (used["CommitmentDiscountStatus"], unused["CommitmentDiscountStatus"]) == ("Used", "Unused")
    assert (used["PricingQuantity"], unused["PricingQuantity"]) == (pytest.approx(300), pytest.approx(100))
    assert unused["EffectiveCost"] == pytest.approx(100 * 1.740125)
    assert unused["ConsumedQuantity"] is None


def test_what_is_bought_is_billed_once_and_depreciated(tmp_path: Path) -> None:
    hardware = "{accelerator: rtx-4090, count: 2, host: workstation}"
    computed = planned(tmp_path, "{basis: buy, purchase_price: rtx-4090-launch, hours: 100}", hardware=hardware)
    rows = focus_rows(computed, "base")
    lines = {row["x_Line"]: row for row in rows}
    assert lines["ordered_capital_usd"]["ChargeCategory"] == "Purchase"
    assert lines["ordered_capital_usd"]["BilledCost"] == value(computed, "capital_usd")
    assert lines["ordered_capital_usd"]["EffectiveCost"] == 0
    assert (lines["ordered_capital_usd"]["PricingQuantity"], lines["ordered_capital_usd"]["PricingUnit"]) == (
        2,
        "Accelerators",
    )
    assert lines["hardware_usd"]["BilledCost"] == 0
    assert lines["hardware_usd"]["EffectiveCost"] == value(computed, "hardware_usd")
    assert lines["energy_usd"]["PricingUnit"] == "kWh"
    assert lines["energy_usd"]["ContractedUnitPrice"] == pytest.approx(0.0861)
    assert summed(rows, "EffectiveCost") == pytest.approx(value(computed, "cost_total_usd"))


def test_an_own_quote_is_not_attributed_to_the_price_book(tmp_path: Path) -> None:
    cost = "{basis: rent, price: aws-p4de-on-demand, hours: 10}"
    rent = by_line(planned(tmp_path, cost, overrides="{usd_per_accelerator_hour: 2}"))["rent_usd"]
    assert rent["ListUnitPrice"] == 2
    assert rent["SkuPriceId"] == rent["ProviderName"] == OWN_QUOTE
    assert rent["x_PriceSource"] is None


def test_the_record_carries_the_rows_as_plain_json() -> None:
    for computed in published():
        data = json.loads(to_json(record(computed, {})))
        assert list(data["focus"]) == [case.name for case in computed.resolved.variants]
        numbers = [
            cell for rows in data["focus"].values() for row in rows for cell in row.values() if isinstance(cell, float)
        ]
        assert all(math.isfinite(number) for number in numbers)
