"""The price book: whose row wins, what a currency needs, how old a price may be, and a fault for each slip."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memreport.advise.comparisons.unstated import unstated_of_cost
from memreport.catalogue.fields.blocks import first_day
from memreport.catalogue.load import catalogue_for
from memreport.catalogue.records import Table
from memreport.catalogue.tables.prices import price_tables
from memreport.compute import Computed
from memreport.errors import Fault, InputError
from memreport.publish.json.scenario import record
from memreport.report.money.prices import NO_PRICE, cost_shares, flags, prices_used, share_texts
from memreport.report.view import View
from tests.support import packaged, run, scenario_text, value

ROW = {
    "id": "ours",
    "kind": "rent",
    "accelerator": "a100-80gb-sxm",
    "usd_per_accelerator_hour": 2.5,
    "currency": "USD",
    "date": "2026-11-01",
    "source": "{title: offer 17, address: https://example.org}",
}
EUR = "{id: EUR, usd: 1.25, date: 2026-11-02, source: {title: central bank}}"


def row(**changed: Any) -> str:
    """A row as one line of YAML; None leaves a field out."""
    fields = {name: each for name, each in (ROW | changed).items() if each is not None}
    return f"{{{', '.join(f'{name}: {each}' for name, each in fields.items())}}}"


def book(folder: Path, *rows: str, currencies: str = "", name: str = "prices.yaml") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(
        "schema: 1\n"
        + (f"currencies: [{currencies}]\n" if currencies else "")
        + "prices:\n"
        + "".join(f"  - {one}\n" for one in rows)
    )
    return path


def rental(*paths: Path) -> tuple[Table, list[Fault]]:
    faults: list[Fault] = []
    return price_tables(paths, faults)["rental_prices"], faults


def usd(table: Table, id_: str) -> float:
    return table.columns["usd_per_accelerator_hour"].values[table.row(id_)]


def planned(folder: Path, cost: str = "{basis: rent, price: ours, hours: 10}", **blocks: Any) -> Computed:
    return run(folder, scenario_text(cost=cost, **blocks))


def test_the_packaged_book_is_without_fault() -> None:
    for name in ("rental_prices", "purchase_prices"):
        table = packaged().tables[name]
        column = next(iter(table.columns.values()))
        assert len(table.ids) > 20
        assert all(price > 0 for price in column.values[1:])
        assert all(first_day(day) for day in table.texts["date"][1:])
        assert all(source.title for source in column.sources[1:])


def test_rows_merge_by_id_and_the_later_file_wins(tmp_path: Path) -> None:
    first = book(tmp_path / "a", row(), row(id="theirs", usd_per_accelerator_hour=9))
    second = book(tmp_path / "b", row(usd_per_accelerator_hour=2.25), row(id="new"))
    table, faults = rental(first, second)
    assert not faults
    assert table.ids == ("none", "ours", "theirs", "new")
    assert (usd(table, "ours"), usd(table, "theirs")) == (2.25, 9)
    assert table.files == (str(first), str(second))


def test_a_book_beside_the_scenarios_adds_to_the_packaged_one(tmp_path: Path) -> None:
    mine = row(id="aws-p4de-on-demand", usd_per_accelerator_hour=1.5, source="{title: contract}")
    book(tmp_path / "hardware", mine, row())
    table = catalogue_for([tmp_path]).tables["rental_prices"]
    assert set(table.ids) == {*packaged().tables["rental_prices"].ids, "ours"}
    assert usd(table, "aws-p4de-on-demand") == 1.5
    assert usd(table, "aws-p5-on-demand") == usd(packaged().tables["rental_prices"], "aws-p5-on-demand")
    computed = planned(tmp_path, "{basis: rent, price: aws-p4de-on-demand, hours: 10}")
    assert value(computed, "cost_total_usd") == 15
    assert prices_used(View(computed), 0)[0].source.title == "contract"


def test_a_currency_is_converted_at_its_stated_rate_and_says_so(tmp_path: Path) -> None:
    own = row(usd_per_accelerator_hour=None, price_per_accelerator_hour="2.00 EUR/h", currency="EUR")
    book(tmp_path / "hardware", own, currencies=EUR)
    computed = planned(tmp_path)
    assert value(computed, "usd_per_accelerator_hour") == 2.5
    assert value(computed, "cost_total_usd") == 25
    used = prices_used(View(computed), 0)[0]
    assert (used.offer.currency, used.offer.amount) == ("EUR", "2.00 EUR/h")
    assert used.offer.rate == "1.25 USD per EUR, central bank, 2026-11-02"
    (row_,) = record(computed, {})["focus"]["base"]
    assert (row_["PricingCurrency"], row_["BillingCurrency"]) == ("EUR", "USD")


BAD_ROWS = [
    (row(currency=None), "prices.0.currency: is required"),
    (row(date=None), "prices.0.date: is required"),
    (row(source=None), "prices.0.source: is required"),
    (row(accelerator=None), "prices.0.accelerator: is required"),
    (row(id=None), "prices.0.id: is required"),
    (row(usd_per_accelerator_hour=None), "prices.0.usd_per_accelerator_hour: is required of a price in USD"),
    (row(usd_per_accelerator_hour=0), "prices.0.usd_per_accelerator_hour: must be more than 0"),
    (row(usd_per_accelerator_hour=-1), "prices.0.usd_per_accelerator_hour: must be more than 0"),
    (row(usd_per_accelerator_hour="2.5 EUR/h"), "prices.0.usd_per_accelerator_hour: 'EUR/h' is no known unit"),
    (row(currency="EUR"), "prices.0.usd_per_accelerator_hour: does not go with a price in EUR"),
    (row(date="2026-13-01"), "prices.0.date: is no date"),
    (row(date="soon"), "prices.0.date: is no date"),
    (row(valid_until="2026-02-30"), "prices.0.valid_until: is no date"),
    (row(kind="lease"), "prices.0.kind: is not one of the allowed words"),
    (row(term="reserved-2y"), "prices.0.term: is not one of the allowed words"),
    (row(instance_accelerators=0), "prices.0.instance_accelerators: is a whole number from 1 to"),
    (row(instance_accelerators="eight"), "prices.0.instance_accelerators: is a whole number from 1 to"),
    (row(colour="red"), "prices.0.colour: is not a field of a price"),
]


@pytest.mark.parametrize(("bad", "words"), BAD_ROWS, ids=[words for _, words in BAD_ROWS])
def test_a_bad_row_is_one_clear_fault(tmp_path: Path, bad: str, words: str) -> None:
    _, faults = rental(book(tmp_path, bad, currencies=EUR))
    assert len(faults) == 1
    assert words in str(faults[0])
    assert str(faults[0]).startswith(f"{tmp_path / 'prices.yaml'}:4:")


def test_a_currency_without_rate_is_a_fault_and_never_taken_for_dollars(tmp_path: Path) -> None:
    own = row(usd_per_accelerator_hour=None, price_per_accelerator_hour=2, currency="CHF")
    _, faults = rental(book(tmp_path, own, currencies=EUR))
    (fault,) = faults
    assert "prices.0.currency: has no rate; state one" in str(fault)


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        ("{id: EUR, date: 2026-11-02, source: {title: bank}}", "currencies.0.usd: is required"),
        ("{id: EUR, usd: 1.2, source: {title: bank}}", "currencies.0.date: is required"),
        ("{id: EUR, usd: 1.2, date: 2026-11-02}", "currencies.0.source: is required"),
        ("{id: EUR, usd: -1, date: 2026-11-02, source: {title: bank}}", "currencies.0.usd: must be more than 0"),
    ],
)
def test_a_rate_needs_number_date_and_source(tmp_path: Path, rate: str, words: str) -> None:
    _, faults = rental(book(tmp_path, row(), currencies=rate))
    assert [words in str(fault) for fault in faults] == [True]


def test_an_id_twice_in_one_file_is_a_fault(tmp_path: Path) -> None:
    _, faults = rental(book(tmp_path, row(), row()))
    assert ["is the id of another row" in str(fault) for fault in faults] == [True]


BAD_COSTS = [
    ("{basis: rent, price: ours, hours: 0}", "cost.hours: must be more than 0"),
    ("{basis: rent, price: ours, hours: -5}", "cost.hours: must be more than 0"),
    ("{basis: rent, price: ours, price_discount: 1.01}", "cost.price_discount: must be at most 1"),
    ("{basis: rent, price: ours, price_discount: 101 %}", "cost.price_discount: must be at most 1"),
    ("{basis: rent, price: none}", "cost.price: is needed to bill a100-80gb-sxm"),
    ("{basis: buy, purchase_price: none}", "cost.purchase_price: is needed to bill a100-80gb-sxm"),
    ("{basis: rent, price: aws-p5-on-demand}", "cost.price: is the price of h100-80gb-sxm, not of a100-80gb-sxm"),
    ("{basis: rent, price: ours, token_utilisation: 0.4}", "is not a field here"),
]


@pytest.mark.parametrize(("cost", "words"), BAD_COSTS, ids=[words for _, words in BAD_COSTS])
def test_a_bad_cost_block_is_one_clear_fault(tmp_path: Path, cost: str, words: str) -> None:
    book(tmp_path / "hardware", row())
    with pytest.raises(InputError) as raised:
        planned(tmp_path, cost, variants="{one: {}, two: {training.micro_batch_size: 2}}")
    assert words in str(raised.value)
    assert len(raised.value.faults) == 1


def test_a_missing_price_names_those_that_the_book_has(tmp_path: Path) -> None:
    book(tmp_path / "hardware", row())
    with pytest.raises(InputError, match=r"allowed: .*aws-p4de-on-demand.*ours"):
        planned(tmp_path, "{basis: rent, price: none}")


def test_a_price_that_nobody_states_is_the_lowest_of_a_large_cloud_for_the_gpu_of_each_variant(tmp_path: Path) -> None:
    """Whole instances: one H100 in one of 1, eight in one of 8; a typed price leaves none to be looked up."""
    variants = (
        "{a100: {}, one: {hardware: {accelerator: h100-80gb-sxm, count: 1}}, "
        "eight: {hardware: {accelerator: h100-80gb-sxm, count: 8}}, own: {overrides.usd_per_accelerator_hour: 2}}"
    )
    found = planned(tmp_path, "{basis: rent}", variants=variants)
    book_, prices = packaged().tables["rental_prices"], [case.settings["price"] for case in found.resolved.variants]
    for case, price in zip(found.resolved.variants[:3], prices, strict=False):
        of = book_.row(price)
        assert book_.texts["accelerator"][of] == case.settings["accelerator"]
        assert (book_.texts["tier"][of], book_.texts["term"][of]) == ("major-cloud", "on-demand")
    assert book_.columns["instance_accelerators"].values[book_.row(prices[1])] <= 1
    assert prices[3] == "none"
    assert found.values["usd_per_accelerator_hour"].tolist()[3] == 2
    assert "price" in unstated_of_cost(found, 0)
    assert "price" not in unstated_of_cost(found, 3)


def test_a_card_without_any_price_says_where_to_add_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no purchase price of t4 is known: state overrides: .usd_per_accelerator"):
        planned(tmp_path, "{basis: buy}", hardware="{accelerator: t4, count: 1}")


def test_without_a_price_a_report_says_so_and_no_zero(tmp_path: Path) -> None:
    data = record(run(tmp_path, scenario_text()), {})
    assert data["prices"]["used"] == NO_PRICE == "no price"
    assert data["focus"] == {"base": []}
    assert not [name for name in data["variants"]["base"]["figures"] if name.endswith("_usd")]


def test_an_own_quote_may_replace_a_price(tmp_path: Path) -> None:
    computed = planned(tmp_path, "{basis: rent, hours: 10}", overrides="{usd_per_accelerator_hour: 4 USD/h}")
    assert value(computed, "cost_total_usd") == 40


def warnings_of(view: View) -> list[str]:
    """What is said about prices, as people read it."""
    return [flag.text for flag in flags(view)]


@pytest.mark.parametrize(
    ("priced", "terms", "warning"),
    [
        ("2026-11-01", "{as_of: 2026-11-20}", ""),
        ("2026-05-24", "{as_of: 2026-11-20}", ""),
        ("2026-05-23", "{as_of: 2026-11-20}", "181 days old on 2026-11-20, over the limit of 180 days"),
        ("2026-05-23", "{as_of: 2026-11-20, age_limit_days: 200}", ""),
        ('"2026"', "{as_of: 2026-11-20}", "up to 323 days old on 2026-11-20, over the limit of 180 days"),
        ("2026-06", "{as_of: 2026-11-20, age_limit_days: 30}", "up to 172 days old on 2026-11-20"),
    ],
)
def test_old_prices_are_flagged(tmp_path: Path, priced: str, terms: str, warning: str) -> None:
    book(tmp_path / "hardware", row(date=priced))
    computed = planned(tmp_path, price_terms=terms)
    found = warnings_of(View(computed))
    assert len(found) == bool(warning)
    assert warning in "".join(found)
    assert record(computed, {})["prices"]["flags"] == list(found)


def test_prices_are_judged_at_the_last_change(tmp_path: Path) -> None:
    book(tmp_path / "hardware", row(date="2026-01-01"))
    changes = "[{version: 1, date: 2026-02-01, note: first}, {version: 2, date: 2026-08-01, note: later}]"
    assert "212 days old on 2026-08-01" in warnings_of(View(planned(tmp_path, changes=changes)))[0]
    assert "its age is not judged, as the budget states no date" in warnings_of(View(planned(tmp_path)))[0]


def test_what_is_no_longer_valid_is_flagged(tmp_path: Path) -> None:
    book(tmp_path / "hardware", row(valid_until="2026-11-10"))
    (own, late) = warnings_of(View(planned(tmp_path, price_terms="{as_of: 2026-11-20, valid_until: 2026-11-15}")))
    assert own == "the budget's prices were valid until 2026-11-15"
    assert late == "price ours: valid only until 2026-11-10"
    assert not warnings_of(View(planned(tmp_path, price_terms="{as_of: 2026-11-10, valid_until: 2026-11}")))


def test_an_old_rate_of_exchange_is_flagged(tmp_path: Path) -> None:
    own = row(usd_per_accelerator_hour=None, price_per_accelerator_hour=2, currency="EUR")
    book(tmp_path / "hardware", own, currencies=EUR.replace("2026-11-02", "2026-01-02"))
    (flag,) = warnings_of(View(planned(tmp_path, price_terms="{as_of: 2026-11-20}")))
    assert "rate of exchange 322 days old" in flag


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026", date(2026, 1, 1)),
        ("2026-08", date(2026, 8, 1)),
        ("2026-08-09", date(2026, 8, 9)),
        ("2026-8", None),
        ("", None),
        ("2026-01-01-01", None),
    ],
)
def test_dates_are_as_exact_as_their_source(text: str, day: date | None) -> None:
    assert first_day(text) == day


def test_shares_add_up_also_when_printed(tmp_path: Path) -> None:
    shares_of_rent = "contingency: 0.1, tax_share: 0.07, rent_extras_share: 0.3"
    cost = f"{{basis: rent, price: aws-p4de-on-demand, {shares_of_rent}, staff_usd_per_month: 7000}}"
    view = View(planned(tmp_path, cost))
    shares = cost_shares(view, 0)
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["rent_usd"] == pytest.approx(view.value("rent_usd", 0) / view.value("cost_total_usd", 0))
    for decimals in (0, 1, 2):
        printed = [float(text.removesuffix(" %")) for text in share_texts(shares, decimals).values()]
        assert sum(printed) == pytest.approx(100, abs=1e-9)


def test_thirds_are_rounded_so_that_they_add_up() -> None:
    assert list(share_texts({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}, 0).values()) == ["34 %", "33 %", "33 %"]
    assert share_texts({"a": 0.0, "b": 0.0}) == {"a": "0.0 %", "b": "0.0 %"}
