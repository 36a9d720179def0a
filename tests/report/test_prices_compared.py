"""Prices of one job side by side: the bill decides, whole instances paid, and no error of a time blurs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.advise.candidates import Role
from memreport.advise.decide import Decision, decide
from memreport.compute import compute
from memreport.report.answer.answered import answered
from memreport.resolve import resolve_all
from tests.support import scenario_text

VARIANTS = "{spot: {cost.price: azure-nd96isr-h100-v5-spot}, on-demand: {cost.price: aws-p5-4xlarge-on-demand}}"


def decided(folder: Path, count: int, **blocks: str) -> Decision:
    path = folder / "job.yaml"
    hardware = f"{{accelerator: h100-80gb-sxm, count: {count}}}"
    given = {"workload": "serving", "model": "llama-3.1-8b", "question": "Spot or on-demand, which is cheaper?"}
    text = scenario_text("job", **{**given, "hardware": hardware, "cost": "{basis: rent}", **blocks})
    path.write_text(text, encoding="utf-8")
    return decide(compute(resolve_all([path]))[0])


@pytest.mark.parametrize(("count", "first", "less"), [(8, "spot", "67 %"), (1, "on-demand", "62 %")])
def test_the_cheapest_is_named_by_whole_instances(count: int, first: str, less: str, tmp_path: Path) -> None:
    """2.27 against 6.88 dollars a GPU and hour; alone, one of eight GPUs costs 8 × 2.27 = 18.16."""
    decision = decided(tmp_path, count, variants=VARIANTS)
    headline = answered(decision)[0].headline
    assert headline.startswith(f"{first} costs least, {less} less than ")
    assert "at $2.27/h a GPU (2026-10-06)" in headline
    assert "error of the times" not in headline
    assert decision.options.chosen.case.name == first


def test_cheaper_elsewhere_is_what_whole_instances_cost(tmp_path: Path) -> None:
    """One MI300X of an instance of eight costs less than an H100 alone, and all eight more."""
    options = decided(tmp_path, 1, question="What does it cost?", search="{accelerator: [mi300x]}").options
    computed, limit = options.computed, options.chosen.cost
    others = [each for each in options.candidates if each.case.settings["accelerator"] == "mi300x"]
    assert [each for each in others if each.cost < limit]
    bill, idle = computed.values["whole_cost_usd"], computed.beside["idle_rent_usd"]
    assert min(float(bill[each.column] + idle[each.column]) for each in others) > limit
    assert Role.CHEAPEST_ELSEWHERE not in {each.role for each in options.shown}
