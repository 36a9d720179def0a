"""Rent or buy beside quotes of both kinds: the verdict is of these offers, over the time that the question names."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.advise.comparisons.offers import OF_THE_JOB, offers_weighed
from memreport.advise.decide import decide
from memreport.compute import compute
from memreport.report.answer.kinds.bases import rent_or_buy
from memreport.report.view import View
from memreport.resolve import resolve_all
from tests.report.test_quotes import BUY, RENT
from tests.support import scenario_text

HOSTS = BUY.replace("[network, storage]", "[network, hosts, support, power]").replace("15000", "26280")
YEAR = RENT.replace("price: 2", "price: 1.5\nterm_months: 12")
JOB = {
    "support_share": 0.1, "yearly_energy_usd": 999.0, "yearly_facility_usd": 1314.0, "residual_share": 0.0,
    "comparison_years": 4.0, "comparison_use": 0.5,
}  # fmt: skip
PURCHASE = {"quoted_has_support": 1.0, "quoted_has_power": 1.0}, {"quote_purchase_usd": 26280.0}


def asked(folder: Path, question: str, **quotes: str) -> str:
    (folder / "quotes").mkdir(exist_ok=True)
    for name, text in quotes.items():
        (folder / "quotes" / f"{name}.yaml").write_text(text.format(id=name), encoding="utf-8")
    cost = "{basis: rent, price: aws-p4de-on-demand, purchase_price: a100-80gb-new-low}"
    text = scenario_text(
        "job", workload="serving", serving="{max_num_seqs: 8}", cost=cost, question=question,
        changes="[{version: 1, date: 2026-11-20, note: first}]",
    )  # fmt: skip
    (folder / "job.yaml").write_text(text, encoding="utf-8")
    return rent_or_buy(decide(compute(resolve_all([folder / "job.yaml"]))[0]))


@pytest.mark.parametrize(("term", "months"), [(12.0, 26280 / (1.5 * 730 - 109.5)), (0.0, 26280 / (0.75 * 730 - 109.5))])
def test_a_term_is_paid_used_or_not_and_what_the_offer_contains_is_not_paid_again(term: float, months: float) -> None:
    terms = {"quoted_term_months": term, "quoted_extras": 0.0, "quoted_price": 1.2}
    found = offers_weighed((terms, {"quote_accelerators": 1.0, "quote_price_usd": 1.5}), PURCHASE, JOB)
    assert found.months == pytest.approx(months)
    assert found.use == pytest.approx((26280 / 4 + 1314) / (1.5 * 8760))


def test_extras_of_a_month_are_rent() -> None:
    terms = {"quoted_term_months": 12.0, "quoted_extras": 365.0, "quoted_price": 1.0}
    found = offers_weighed((terms, {"quote_accelerators": 1.0, "quote_price_usd": 1.0}), PURCHASE, JOB)
    assert found.months == pytest.approx(26280 / (1.5 * 730 - 109.5))


def test_the_verdict_is_of_the_offers_over_the_time_that_is_asked_for(tmp_path: Path) -> None:
    short = asked(tmp_path, "Should we rent or buy for 18 months?", year=YEAR, hosts=HOSTS)
    assert short.startswith("Rent from year cloud: $26,300 to sign at hosts cloud (hosts) has not paid by month 18, as")
    long = asked(tmp_path, "Should we rent or buy for 3 years?", year=YEAR, hosts=HOSTS)
    assert long.startswith("Buy from hosts cloud (hosts): $26,300 to sign has paid by month 24, as year cloud (year)")
    assert "rents at 1.50 USD a GPU and hour, 12 months" in long


def test_without_an_offer_of_each_kind_the_prices_of_the_scenario_decide(tmp_path: Path) -> None:
    assert "cloud" not in asked(tmp_path, "Should we rent or buy?", year=YEAR)


def test_what_is_read_of_the_scenario_is_there(tmp_path: Path) -> None:
    asked(tmp_path, "Should we rent or buy?")
    view = View(compute(resolve_all([tmp_path / "job.yaml"]))[0])
    assert all(view.value(name, 0) >= 0 for name in OF_THE_JOB)
