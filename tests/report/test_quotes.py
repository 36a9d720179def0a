"""Quotes beside a scenario: read strictly, priced for its job, ranked like with like, shown where people look."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memreport.advise.comparisons.quotes import compared_quotes
from memreport.commands.main import main
from memreport.compute import compute
from memreport.report.money.quotes import NO_HOSTS, NOT_JUDGED, NOT_ON, quotes_shown
from memreport.report.records.money.quotes import QuotesShown
from memreport.report.view import View
from memreport.resolve import resolve_all
from tests.support import scenario_text

Said = pytest.CaptureFixture[str]
RENT = """schema: 1
id: {id}
vendor: {id} cloud
accelerator: a100-80gb-sxm
basis: rent
price: 2
included: [network, storage]
quoted: 2026-11-01
valid_until: 2026-12-31
source: offer 7
"""
EUROS = (
    RENT
    + """currency: EUR
rate: {{currency: EUR, usd: 1.25, date: 2026-11-01, source: central bank}}
term_months: 1
"""
)
BUY = RENT.replace("basis: rent\nprice: 2", "basis: buy\nprice: 15000")


def written(folder: Path, **quotes: str) -> Path:
    """A scenario of 100 hours on one GPU, without contingency, and quotes beside it."""
    (folder / "quotes").mkdir(exist_ok=True)
    for name, text in quotes.items():
        (folder / "quotes" / f"{name}.yaml").write_text(text.format(id=name), encoding="utf-8")
    path = folder / "job.yaml"
    cost = "{basis: rent, price: aws-p4de-on-demand, hours: 100, goodput: 1, contingency: 0}"
    changes = "[{version: 1, date: 2026-11-20, note: first}]"
    text = scenario_text("job", cost=cost, changes=changes, overrides="{usd_per_accelerator_hour: 3}")
    path.write_text(text, encoding="utf-8")
    return path


def shown(path: Path) -> QuotesShown:
    computed = compute(resolve_all([path]))[0]
    found = quotes_shown(View(computed), compared_quotes(computed), 0)
    assert found is not None
    return found


def test_two_quotes_in_different_currency_and_term_are_comparable(tmp_path: Path) -> None:
    found = shown(written(tmp_path, dollars=RENT, euros=EUROS))
    first, second = found.rows
    assert [(one.id, one.standing.rank) for one in found.rows] == [("dollars", 1), ("euros", 2)]
    assert [one.figures["quote_total_usd"] for one in found.rows] == pytest.approx([200, 730 * 2.5])
    assert second.figures["quote_break_even_share"] == pytest.approx(2.5 / 3)
    assert second.offer.rate == "1.25 USD per EUR (central bank, 2026-11-01)"
    assert first.offer.lacking == ("support", "egress")
    assert found.sentence == (
        "Quotes: dollars cloud (dollars), cheapest of 2, rents at $200, $100 less than budgeted, "
        "without support, egress."
    )


def test_an_expired_quote_is_marked_and_not_ranked(tmp_path: Path) -> None:
    old = RENT.replace("price: 2", "price: 1").replace("2026-12-31", "2026-11-19")
    found = shown(written(tmp_path, dollars=RENT, old=old))
    assert [(one.id, one.standing.rank) for one in found.rows] == [("dollars", 1), ("old", 0)]
    assert found.rows[1].offer.state == "expired 2026-11-19"
    assert found.sentence.endswith("Expired: old.")


def test_without_a_date_validity_is_said_not_to_be_judged(tmp_path: Path) -> None:
    path = written(tmp_path, dollars=RENT.replace("2026-12-31", "2026-11-19"))
    text = path.read_text(encoding="utf-8")
    assert "still valid" not in shown(path).sentence
    kept = [line for line in text.splitlines() if not line.startswith("changes:")]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    found = shown(path)
    assert not found.rows[0].offer.is_expired
    assert found.sentence.endswith(f"Not known: {NOT_JUDGED}.")


def test_a_quote_that_is_not_ranked_is_named_with_why(tmp_path: Path) -> None:
    other = RENT.replace("a100-80gb-sxm", "h100-80gb-sxm")
    sentence = shown(written(tmp_path, dollars=RENT, alone=BUY, other=other)).sentence
    assert sentence.endswith(f"Not ranked: alone ({NO_HOSTS}), other ({NOT_ON}).")


def test_a_purchase_of_gpus_alone_is_not_ranked_with_one_of_whole_nodes(tmp_path: Path) -> None:
    hosts = BUY.replace("[network, storage]", "[network, hosts]").replace("15000", "21000")
    found = {one.id: one for one in shown(written(tmp_path, alone=BUY, hosts=hosts, dollars=RENT)).rows}
    assert (found["hosts"].standing.rank, found["alone"].standing.rank, found["dollars"].standing.rank) == (1, 0, 1)
    assert found["alone"].standing.why == NO_HOSTS


def test_a_quote_of_a_gpu_that_no_variant_runs_on_is_not_priced(tmp_path: Path) -> None:
    other = RENT.replace("a100-80gb-sxm", "h100-80gb-sxm")
    (row,) = shown(written(tmp_path, other=other)).rows
    assert (row.standing.why, row.figures, row.standing.rank) == (NOT_ON, {}, 0)


def test_people_and_programs_are_told(tmp_path: Path, capsys: Said) -> None:
    path = written(tmp_path, dollars=RENT, euros=EUROS)
    assert main(["show", str(path)]) == 0
    assert "Quotes: dollars cloud (dollars), cheapest of 2, rents at $200" in capsys.readouterr().out
    assert main(["show", str(path), "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)["quotes"]
    assert [one["id"] for one in data["rows"]] == ["dollars", "euros"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("price: 2", "price: 2\ncurrency: CHF", "currency: CHF has no rate; state one"),
        ("a100-80gb-sxm", "a100-80gb-smx", "accelerator: no such accelerator"),
        ("2026-12-31", "2026-10-31", "valid_until: is before the day of the quote"),
        ("2026-12-31", "2026-02-30", "valid_until: is no date"),
        ("price: 2", "price: -2", "price: must be more than 0"),
        ("vendor:", "vender:", "did you mean 'vendor'?"),
        ("[network, storage]", "[network, storrage]", "included.1: "),
        ("[network, storage]", "[network]\nextras: {{network: 3}}", "network is included, and billed beside the price"),
        ("id: {id}", "id: other", "id: must be the file's name"),
        ("basis: rent", "basis: buy\nterm_months: 3", "term_months: is of rented GPUs"),
    ],
)
def test_a_mistake_is_one_clear_fault(tmp_path: Path, capsys: Said, old: str, new: str, said: str) -> None:
    path = written(tmp_path, wrong=RENT.replace(old, new))
    assert main(["show", str(path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "wrong.yaml:" in error
    assert error.count("wrong.yaml") == 1 or "vender" in new


def test_the_term_of_a_service_that_goes_on_is_signed_and_not_borne_by_one_month(tmp_path: Path) -> None:
    (tmp_path / "quotes").mkdir()
    given = EUROS.replace("term_months: 1", "term_months: 6").format(id="euros")
    (tmp_path / "quotes" / "euros.yaml").write_text(given, encoding="utf-8")
    path = tmp_path / "job.yaml"
    cost, first = "{basis: rent, price: aws-p4de-on-demand}", "[{version: 1, date: 2026-11-20, note: first}]"
    text = scenario_text("job", workload="serving", cost=cost, changes=first)
    path.write_text(text, encoding="utf-8")
    (row,) = shown(path).rows
    assert row.figures["quote_total_usd"] == pytest.approx(730 * 2.5)
    assert row.figures["quote_signed_usd"] == pytest.approx(6 * 730 * 2.5)
    assert "rents at $1,820, $680 less than budgeted; $11,000 for 6 months" in shown(path).sentence
    path.write_text(text.replace("on-demand}", "on-demand, hours: 1460}"), encoding="utf-8")
    (row,) = shown(path).rows
    assert row.figures["quote_total_usd"] == row.figures["quote_signed_usd"] == pytest.approx(6 * 730 * 2.5)


def test_quotes_for_gpus_that_no_variant_runs_on_are_not_spoken_of(tmp_path: Path) -> None:
    other = RENT.replace("a100-80gb-sxm", "h100-80gb-sxm")
    assert shown(written(tmp_path, other=other)).sentence == ""
