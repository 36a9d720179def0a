"""Every rule of a gate, failing and passing, and what waivers make of a failure."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.terms.approval import inputs_sha256
from memreport.catalogue.terms.policy import Policy
from memreport.compute import Computed
from memreport.report.gate.amounts import of_scenarios
from memreport.report.gate.judging import judged_by, unused_waivers
from memreport.report.gate.sides import Sided
from memreport.report.records.changes.gate import GateResult
from memreport.report.view import View
from tests.support import run, scenario_text

DAY = "2026-11-22"
RENT = "{basis: rent, price: aws-p4de-on-demand, hours: %s}"  # eight accelerators: 27.55 USD an hour
_folder: list[Path] = []


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    _folder[:] = [tmp_path_factory.mktemp("gate")]


@cache
def case(hours: float = 100, **blocks: str) -> Computed:
    plain = {"training": "{gradient_checkpointing: full, zero_stage: 3}", "cost": RENT % hours, "owner": "ml"}
    hardware = "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}"
    return run(_folder[0], scenario_text(**{"hardware": hardware, **plain, **blocks}))


def judge(rules: dict[str, Any], new: Computed, old: Computed | None = None, waivers: Any = ()) -> GateResult:
    policy = Policy.model_validate({"schema": 1, "rules": rules, "waivers": list(waivers)})
    side = Sided(View(new), View(old) if old else None, "case.yaml")
    results = judged_by(policy, [side], of_scenarios([side], []), DAY)
    assert len(results) == 1
    return results[0]


def status(*given: Any, **more: Any) -> str:
    return judge(*given, **more).status


def usd(computed: Computed) -> float:
    return float(computed.values["cost_total_usd"][0])


MEMORY_OUT = "{gradient_checkpointing: none, micro_batch_size: 64}"
FITS: dict[str, Any] = {"fits": {}}


def test_fits() -> None:
    out = case(training=MEMORY_OUT)
    assert status(FITS, case(), case()) == "passed"
    assert status(FITS, out, case()) == "failed"
    assert "too much" in judge(FITS, out, case()).finding.message
    assert status(FITS, out, out) == "passed"  # it never fitted
    assert status(FITS, out) == "passed"  # and a new one has nothing to turn from


def test_fits_is_asked_of_every_variant_and_of_one_that_is_gone() -> None:
    both = case(variants="{small: {}, large: {training.micro_batch_size: 512}}")
    only_large = case(variants="{large: {training.micro_batch_size: 512}}")
    assert status(FITS, both, both) == "passed"
    found = judge(FITS, only_large, both)
    assert (found.status, found.finding.message) == ("failed", "no variant fits any more: those that did are gone")


def test_fits_may_be_asked_at_the_high_end() -> None:
    tight = next(
        one
        for size in range(30, 80)
        for one in (case(training=f"{{gradient_checkpointing: full, zero_stage: 3, micro_batch_size: {size}}}"),)
        if one.values["peak_bytes"][0] <= one.values["usable_bytes"][0] < one.values["peak_bytes_high"][0]
    )
    assert status({"fits": {"on": "likely"}}, tight, case()) == "passed"
    assert status({"fits": {"on": "high"}}, tight, case()) == "failed"


def test_headroom() -> None:
    computed = case()
    usable, peak = (float(computed.values[name][0]) for name in ("usable_bytes", "peak_bytes"))
    share = (usable - peak) / usable
    assert status({"headroom": {"at_least": share - 0.001}}, computed) == "passed"
    found = judge({"headroom": {"at_least": share + 0.001}}, computed)
    assert found.status == "failed"
    assert found.finding.head == pytest.approx(share)
    assert judge({"headroom": {"at_least": "1 %", "on": "high"}}, computed).finding.head < share  # type: ignore[operator]


@pytest.mark.parametrize(
    ("limits", "hours", "expected"),
    [
        ({"share": "10 %"}, 109, "passed"),
        ({"share": "10 %"}, 111, "failed"),
        ({"amount": "20 USD"}, 100.5, "passed"),
        ({"amount": "20 USD"}, 101, "failed"),  # 27.55 USD more
        ({"share": "10 %", "amount": "1000 USD"}, 111, "passed"),  # past one of both limits
        ({"share": "10 %", "amount": "1000 USD"}, 140, "failed"),  # past both
        ({"share": "50 %", "amount": "1 USD"}, 140, "passed"),
        ({"at_most": 2600}, 90, "passed"),
        ({"at_most": 2600}, 100, "failed"),
        ({"share": "10 %"}, 50, "passed"),
    ],
)
@pytest.mark.parametrize("rule", ["cost", "total_cost"])
def test_costs(rule: str, limits: dict[str, Any], hours: float, expected: str) -> None:
    assert usd(case(100)) == pytest.approx(100 * usd(case(1)))
    assert status({rule: limits}, case(hours), case(100)) == expected


def test_a_cost_has_a_range() -> None:
    high = judge({"cost": {"at_most": 1e9, "on": "high"}}, case()).finding.head
    assert high == pytest.approx(float(case().values["cost_high_usd"][0]))


def test_a_scenario_that_is_gone_lowers_the_sum() -> None:
    policy = Policy.model_validate({"schema": 1, "rules": {"total_cost": {"share": "0 %"}}})
    side = Sided(View(case(150)), View(case(100)), "case.yaml")
    assert [one.status for one in judged_by(policy, [side], of_scenarios([side], []), DAY)] == ["failed"]
    assert [one.status for one in judged_by(policy, [side], of_scenarios([side], [View(case(60))]), DAY)] == ["passed"]


def test_budgets() -> None:
    assert status({"budgets": {"owners": {"ml": usd(case()) + 1}}}, case()) == "passed"
    found = judge({"budgets": {"owners": {"ml": usd(case()) - 1}}}, case())
    assert (found.status, found.finding.scenario) == ("failed", "ml")
    assert status({"budgets": {"owners": {"others": 0}}}, case()) == "passed"


def test_price_age() -> None:
    found = judge({"price_age": {"days": 365}}, case())
    assert found.status == "passed"
    assert found.finding.head is not None
    assert status({"price_age": {"days": int(found.finding.head)}}, case()) == "passed"
    assert status({"price_age": {"days": int(found.finding.head) - 1}}, case()) == "failed"


def test_owner() -> None:
    assert status({"owner": {}}, case()) == "passed"
    assert status({"owner": {}}, case(owner='" "')) == "failed"


APPROVAL = "{status: approved, approved: A. Person, date: 2026-11-20, sha256: '%s'}"


def approved() -> Computed:
    return case(approval=APPROVAL % inputs_sha256(case().resolved.loaded.scenario))


def test_approval() -> None:
    assert status({"approval": {"over": usd(case()) + 1}}, case()) == "passed"
    assert status({"approval": {"over": usd(case()) - 1}}, case()) == "failed"
    signed = approved()
    assert status({"approval": {"over": usd(case()) - 1}}, signed) == "passed"
    lapsed = case(101, approval=APPROVAL % inputs_sha256(case().resolved.loaded.scenario))
    found = judge({"approval": {"over": 1e9}}, lapsed, signed)
    assert (found.status, "no longer approved: inputs changed" in found.finding.message) == ("failed", True)


def test_assumed_mfu() -> None:
    stated = case(training="{gradient_checkpointing: full, zero_stage: 3, model_flop_utilization: 0.6}")
    assert status({"assumed_mfu": {"at_most": "50 %"}}, stated) == "failed"
    assert status({"assumed_mfu": {"at_most": "60 %"}}, stated) == "passed"
    assert status({"assumed_mfu": {"at_most": "1 %"}}, case()) == "passed"  # it is computed, not assumed


COST = {"cost": {"share": "10 %"}}


def waiver(until: str = "2026-12-31", **other: Any) -> list[dict[str, Any]]:
    plain = {"rule": "cost", "scenario": "case", "reason": "agreed", "by": "cfo", "value": usd(case(120))}
    return [{**plain, "until": until, **other}]


def test_a_waiver_lets_its_scenario_pass_up_to_its_value_and_day() -> None:
    assert status(COST, case(120), case(100)) == "failed"
    assert status(COST, case(120), case(100), waivers=waiver()) == "waived"
    assert status(COST, case(120), case(100), waivers=waiver(until=DAY)) == "waived"
    assert status(COST, case(120), case(100), waivers=waiver(until="2026-11-21")) == "expired"
    assert status(COST, case(121), case(100), waivers=waiver()) == "expired"
    assert status(COST, case(115), case(100), waivers=waiver()) == "waived"
    assert status(COST, case(120), case(100), waivers=waiver(scenario="other")) == "failed"


def test_less_headroom_than_was_granted_is_worse() -> None:
    rules = {"headroom": {"at_least": 0.95}}
    share = judge(rules, case()).finding.head
    assert share is not None
    for value, expected in ((share, "waived"), (share - 0.01, "waived"), (share + 0.01, "expired")):
        assert status(rules, case(), waivers=waiver(rule="headroom", value=value)) == expected


def test_levels() -> None:
    assert status({"cost": {"share": 0.1, "level": "advisory"}}, case(120), case(100), waivers=waiver()) == "warned"
    found = judge({"cost": {"share": 0.1, "level": "block"}}, case(120), case(100), waivers=waiver())
    assert (found.status, found.note) == ("failed", "a rule of level block cannot be waived")


def test_a_waiver_that_nothing_needs_is_named() -> None:
    policy = Policy.model_validate({"schema": 1, "rules": COST, "waivers": waiver()})
    side = Sided(View(case(100)), View(case(100)), "case.yaml")
    results = judged_by(policy, [side], of_scenarios([side], []), DAY)
    assert list(unused_waivers(policy, results)) == ["the waiver of cost for case is not needed any more"]
