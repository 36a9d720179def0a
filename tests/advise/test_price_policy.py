"""One price policy: a price is of the GPU it was quoted for, others are billed in the scenario's own tier."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memreport.advise.plan import job_at
from memreport.advise.rerun import Job
from memreport.advise.search.combinations import find
from memreport.advise.search.prices import price_of, price_warnings, price_words
from memreport.advise.search.space import space_of
from memreport.errors import InputError
from memreport.figures.time.serving.speed import decode_latency_seconds
from tests.support import run, scenario_text, value

H100 = "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"
DATED = '[{version: 1, date: 2026-11-20, note: "first"}]'
TYPED = "{usd_per_accelerator_hour: 2.1}"


def job(folder: Path, cost: str = "{basis: rent, price: aws-p5-on-demand}", **blocks: str) -> Job:
    path = folder / "case.yaml"
    made = {"changes": DATED, "hardware": H100, "cost": cost, "training": "{zero_stage: 3}"} | blocks
    path.write_text(scenario_text(**made), encoding="utf-8")
    return job_at(path)


def test_a_typed_price_stays_with_its_accelerator(tmp_path: Path) -> None:
    variants = (
        "{asked: {}, other: {hardware.accelerator: b200, cost.price: coreweave-b200-on-demand}, "
        "own: {hardware.accelerator: b200, overrides.usd_per_accelerator_hour: 7}, more: {hardware.count: 16}}"
    )
    text = scenario_text(hardware=H100, cost="{basis: rent, hours: 100}", overrides=TYPED, variants=variants)
    computed = run(tmp_path, text)
    prices = np.broadcast_to(computed.values["usd_per_accelerator_hour"], 4).tolist()
    assert prices == [2.1, 8.6, 7, 2.1]
    assert [value(computed, "cost_total_usd", at) for at in (0, 1)] == pytest.approx([1680, 6880])
    (said,) = [one for one in computed.resolved.warnings if one.field == "usd_per_accelerator_hour"]
    assert "was quoted for h100-80gb-sxm: b200 keeps its own price" in said.sentence
    assert "usd_per_accelerator_hour" not in computed.resolved.cases[1].origins


@pytest.mark.parametrize(
    ("card", "count", "price"),
    [
        ("a100-80gb-sxm", 1, "gcp-a2-ultragpu-1g-on-demand"),  # $5.07 for one, where AWS rents eight for $27.45
        ("a100-80gb-sxm", 4, "aws-p4de-on-demand"),  # four of one instance, not four instances of one
        ("h100-80gb-sxm", 1, "aws-p5-4xlarge-on-demand"),
        ("h100-80gb-sxm", 8, "aws-p5-on-demand"),
    ],
)
def test_clouds_rent_whole_instances(tmp_path: Path, card: str, count: int, price: str) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(hardware=f"{{accelerator: {card}, count: {count}}}"), encoding="utf-8")
    made = job_at(path)
    assert price_of(made, card).fields["price"] == price


def test_an_attribute_stays_with_its_accelerator(tmp_path: Path) -> None:
    variants = (
        "{asked: {}, other: {hardware.accelerator: b200}, own: {hardware.accelerator: b200, capacity_bytes: 9e9}}"
    )
    given = "{capacity_bytes: 40e9, memory_bytes_per_second: 1e12, bf16_flop_per_second: 1e15, weight_bytes: 5e9}"
    text = scenario_text(hardware=H100, overrides=given, variants=variants)
    computed = run(tmp_path, text)
    capacity, speed, peak, weights = (
        np.broadcast_to(computed.values[name], 3).tolist()
        for name in ("capacity_bytes", "memory_bytes_per_second", "bf16_flop_per_second", "weight_bytes")
    )
    assert [capacity[0], capacity[2], capacity[1] > 180e9] == [40e9, 9e9, True]
    assert [speed[0], speed[1] == speed[2] > 7e12] == [1e12, True]
    assert [peak[0], peak[1] == peak[2] > 2e15] == [1e15, True]
    assert weights == [5e9] * 3, "a figure that is given is given of every variant"
    said = [one.sentence for one in computed.resolved.warnings if "was given for h100-80gb-sxm" in one.sentence]
    assert len(said) == 3
    assert "b200 keeps its own" in said[0]


def test_a_search_gives_no_other_accelerator_the_attributes_of_this_one(tmp_path: Path) -> None:
    made = job(tmp_path, overrides="{capacity_bytes: 1e12}")
    axis = next(one for one in space_of(made).axes if one.name == "accelerator")
    book = made.catalogue.tables["accelerators"]
    given = dict(zip(axis.values, axis.columns["capacity_bytes"].tolist(), strict=True))
    assert given.pop("h100-80gb-sxm") == 1e12
    assert given == {card: book.numbers("capacity_bytes")[book.row(str(card))] for card in given}
    moved = made.changed({"hardware.accelerator": "b200", "cost.price": "coreweave-b200-on-demand"})
    assert moved.value("capacity_bytes") < 2e11


def test_another_accelerator_without_a_price_is_one_clear_fault(tmp_path: Path) -> None:
    variants = "{asked: {}, other: {hardware.accelerator: b200}}"
    text = scenario_text(hardware=H100, cost="{basis: rent, hours: 100}", overrides=TYPED, variants=variants)
    with pytest.raises(InputError, match="under overrides was quoted for h100-80gb-sxm") as caught:
        run(tmp_path, text)
    assert len(caught.value.faults) == 1


def test_a_search_bills_no_other_accelerator_at_a_typed_price(tmp_path: Path) -> None:
    made = job(tmp_path, "{basis: rent, hours: 100}", overrides=TYPED)
    found = find(made)
    for row in (*found.best, *found.fewest_changes):
        own = row.settings["accelerator"] == "h100-80gb-sxm"
        assert row.price.startswith("the scenario's own quote: $2.10/h") == own
        billed = made.changed(row.changes)
        assert billed.value("cost_total_usd") == pytest.approx(row.figures["cost_total_usd"])


@pytest.mark.parametrize(
    ("cost", "search", "card", "billed"),
    [
        ("{basis: rent, price: aws-p5-on-demand}", "{}", "mi300x", "azure-nd96isr-mi300x-v5-on-demand"),
        ("{basis: rent, price: aws-p5-on-demand}", "{}", "h200-141gb-sxm", "aws-p5en-on-demand"),
        ("{basis: rent, price: lambda-h100-on-demand}", "{}", "h200-141gb-sxm", "hyperstack-h200-on-demand"),
        (
            "{basis: rent, price: aws-p5-on-demand}", "{price_tier: community}", "h200-141gb-sxm",
            "runpod-h200-community-on-demand",
        ),
        (
            "{basis: rent, price: aws-p5-on-demand}", "{price_tier: specialised-cloud, price_term: spot}", "mi300x",
            "crusoe-mi300x-spot",
        ),
    ],
)  # fmt: skip
def test_other_accelerators_are_billed_in_the_scenarios_own_tier(
    tmp_path: Path, cost: str, search: str, card: str, billed: str
) -> None:
    assert price_of(job(tmp_path, cost, search=search), card).fields["price"] == billed


def test_a_purchase_has_no_tier_the_lowest_is_taken_and_old_ones_come_last(tmp_path: Path) -> None:
    cost = "{basis: buy, purchase_price: dgx-h200-loaded, hours: 10}"
    made = job(tmp_path, cost, hardware="{accelerator: h200-141gb-sxm, count: 8}", search="{price_term: spot}")
    assert price_of(made, "h200-141gb-sxm").fields["purchase_price"] == "dgx-h200-loaded", "the scenario's own"
    assert price_of(made, "mi300x").fields["purchase_price"] == "mi300x-street-low"
    a100 = price_of(made, "a100-40gb-sxm")
    assert a100.fields["purchase_price"] == "dgx-a100-launch", "an old one where there is no other"
    assert price_warnings(made, a100)
    book, h100 = made.catalogue.tables["purchase_prices"], price_of(made, "h100-80gb-sxm").fields["purchase_price"]
    assert h100 == "h100-street-low"
    assert book.texts["date"][book.row(h100)] == "2026", "and not the equal price of 2023"


def test_what_the_scenario_says_of_a_card_wins_on_every_page(tmp_path: Path) -> None:
    variants = "{asked: {}, amd: {hardware.accelerator: mi300x, cost.price: vultr-mi300x-on-demand}}"
    assert price_of(job(tmp_path, variants=variants), "mi300x").fields["price"] == "vultr-mi300x-on-demand"


def test_a_marketplace_bills_one_machine_only(tmp_path: Path) -> None:
    search = "{price_tier: community, accelerator: [h200-141gb-sxm], count: [8, 64]}"
    found = find(job(tmp_path, search=search))
    by_count = {row.settings["count"]: row for row in (*found.best, *found.fewest_changes, *found.pareto)}
    assert np.isfinite(by_count[8].figures["cost_total_usd"])
    for row in (*found.best, *found.fewest_changes):
        assert np.isnan(row.figures["cost_total_usd"]) == (float(row.settings["count"]) > 8)
        assert (row.price == "no price known") == (float(row.settings["count"]) > 8)


def test_an_old_price_is_warned_of_wherever_it_decides(tmp_path: Path) -> None:
    made = job(tmp_path, "{basis: rent, price: lambda-h100-on-demand}")
    price = price_of(made, "mi300x")
    assert price_words(made, price).startswith("tensorwave-mi300x-on-demand: $1.50/h")
    assert price_warnings(made, price) == ("186 days old on 2026-11-20, over the limit of 180 days",)


def test_no_decode_step_is_shorter_than_its_launches() -> None:
    assert decode_latency_seconds.formula(36, 1, 1) == pytest.approx(36 * 4 * 2.5e-6)
    assert decode_latency_seconds.formula(36, 1, 8) == pytest.approx(36 * (4 * 2.5e-6 + 2 * 3.8e-6))
