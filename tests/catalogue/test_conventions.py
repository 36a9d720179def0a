"""Energy prices and conventions of cost: named by a scenario, replaced by its own numbers, dated and sourced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.tables.conventions import KINDS, convention_tables
from memreport.errors import Fault
from memreport.publish.json.scenario import record
from memreport.report.money.prices import prices_used
from memreport.report.view import View
from tests.catalogue.test_prices import EUR, book, planned, row
from tests.support import packaged, value

HARDWARE = "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"
BOUGHT = "basis: buy, purchase_price: h100-street-low, hours: 100, load_factor: 1, owned_utilisation: 1"
NODE_KWH = 10.2 * 100


def bought(folder: Path, more: str = "", **blocks: Any) -> Any:
    return planned(folder, f"{{{BOUGHT}{more}}}", hardware=HARDWARE, **blocks)


def test_every_row_of_the_packaged_book_has_a_table_that_a_scenario_can_name() -> None:
    tables = packaged().tables
    for kind in KINDS:
        column = tables[kind.table].columns[kind.column]
        named = [at for at, key in enumerate(tables[kind.table].ids) if key != "none"]
        assert named
        assert all(column.sources[at].title and tables[kind.table].texts["date"][at] for at in named)


def test_a_named_tariff_site_and_grid_make_the_energy_line(tmp_path: Path) -> None:
    computed = bought(tmp_path, ", energy_price: electricity-planning-low, site: pue-hyperscale, grid: grid-france")
    kwh = NODE_KWH * 1.09
    assert value(computed, "energy_kwh") == pytest.approx(kwh)
    assert value(computed, "energy_usd") == pytest.approx(kwh * 0.06)
    assert value(computed, "carbon_kg") == pytest.approx(kwh * 0.056)


def test_what_the_cost_rests_on_is_listed_with_source_and_date(tmp_path: Path) -> None:
    used = {one.field: one for one in prices_used(View(bought(tmp_path, ", adders: adders-low")), 0)}
    assert list(used) == ["purchase_price", "energy_price", "site", "depreciation", "adders"]
    assert used["site"].source.title.startswith("Uptime Institute")
    assert (used["depreciation"].id, used["depreciation"].counted.value) == ("life-amazon", 5)
    data = record(bought(tmp_path), {})["prices"]["used"]
    assert data["electricity-us-industrial"]["date"] == "2026-04-27"
    assert data["electricity-us-industrial"]["unit"] == "USD/kWh"


def test_a_tariff_is_not_listed_where_nothing_can_be_bought(tmp_path: Path) -> None:
    computed = planned(tmp_path, "{basis: rent, price: aws-p4de-on-demand, hours: 10, extras: extras-low}")
    assert [one.field for one in prices_used(View(computed), 0)] == ["price", "extras"]
    assert value(computed, "extras_usd") == pytest.approx(0.3 * value(computed, "rent_usd"))


def test_an_own_number_replaces_the_row_and_is_an_assumption(tmp_path: Path) -> None:
    computed = bought(tmp_path, ", usd_per_kilowatt_hour: 0.2, pue: 1")
    assert value(computed, "energy_usd") == pytest.approx(NODE_KWH * 0.2)
    fields = [one.field for one in prices_used(View(computed), 0)]
    assert "energy_price" not in fields
    assert "site" not in fields


def test_colocation_with_power_has_no_second_energy_bill(tmp_path: Path) -> None:
    computed = bought(tmp_path, ", colocation: colocation-planning-low")
    assert value(computed, "energy_usd") == 0
    assert value(computed, "facility_usd") == pytest.approx(10.2 * 150 * 100 / 730)
    fields = [one.field for one in prices_used(View(computed), 0)]
    assert "colocation" in fields
    assert "energy_price" not in fields


def test_an_energy_price_in_another_currency_is_converted_at_the_stated_rate(tmp_path: Path) -> None:
    amount = "kind: energy, price_per_kilowatt_hour: 0.19 EUR/kWh, currency: EUR"
    own = f"{{id: site, {amount}, date: 2026-11-01, source: {{title: bill}}}}"
    book(tmp_path / "hardware", own, currencies=EUR)
    computed = bought(tmp_path, ", energy_price: site", price_terms="{as_of: 2026-11-20}")
    assert value(computed, "usd_per_kilowatt_hour") == pytest.approx(0.2375)
    used = next(one for one in prices_used(View(computed), 0) if one.field == "energy_price")
    assert (used.offer.amount, used.flags) == ("0.19 EUR/kWh", ())


def test_reserved_hours_that_nobody_states_are_flagged(tmp_path: Path) -> None:
    hardware = "{accelerator: a100-40gb-sxm, count: 1}"
    stated, silent = (
        planned(tmp_path, f"{{basis: rent, price: aws-p4d-reserved-1y, hours: 10{more}}}", hardware=hardware)
        for more in (", reserved_hours: 8760", "")
    )
    words = "no reserved_hours are stated"
    assert words in " ".join(prices_used(View(silent), 0)[0].flags)
    assert words not in " ".join(prices_used(View(stated), 0)[0].flags)
    assert value(silent, "committed") == 1


CONVENTION = {"id": "ours", "kind": "pue", "value": 1.2, "date": "2026-01", "source": "{title: meter}"}


def conventions(folder: Path, **changed: Any) -> list[Fault]:
    faults: list[Fault] = []
    path = folder / "prices.yaml"
    path.write_text(f"schema: 1\nconventions:\n  - {row(**dict.fromkeys(ROW_FIELDS), **CONVENTION | changed)}\n")
    convention_tables([path], faults)
    return faults


ROW_FIELDS = ("accelerator", "usd_per_accelerator_hour", "currency")


def test_an_own_convention_is_without_fault(tmp_path: Path) -> None:
    assert not conventions(tmp_path)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"kind": "wind"}, "conventions.0.kind: is not one of the allowed words"),
        ({"kind": None}, "conventions.0.kind: is required"),
        ({"value": 0.5}, "conventions.0.value: is out of bounds (found 0.5; allowed: 1 to 4)"),
        ({"value": "much"}, "conventions.0.value"),
        ({"date": None}, "conventions.0.date: is required"),
        ({"source": None}, "conventions.0.source: is required"),
        ({"colour": "red"}, "conventions.0.colour: is not a field of a convention"),
    ],
)
def test_a_bad_convention_is_one_clear_fault(tmp_path: Path, changed: dict[str, Any], words: str) -> None:
    (fault,) = conventions(tmp_path, **changed)
    assert words in str(fault)
    assert str(fault).startswith(f"{tmp_path / 'prices.yaml'}:3:")
