"""Hours that nobody states, the cost of a token budget, and the published run that they are checked against."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memreport.compute import Computed
from memreport.figures.money import cost, ownership, run_cost, service_cost
from memreport.figures.time import ends, throughput
from memreport.formula.printing import to_excel
from tests.support import run, scenario_text, value

Values = Callable[..., dict[str, float]]
PRICE = "price: aws-p4de-on-demand"


def planned(folder: Path, cost: str, **blocks: Any) -> Computed:
    return run(folder, scenario_text(cost=cost, **blocks))


def test_a_training_without_stated_hours_bills_the_whole_run(tmp_path: Path) -> None:
    computed = planned(tmp_path, f"{{basis: rent, {PRICE}, goodput: 0.8}}", training="{training_tokens: 1e8}")
    hours = value(computed, "training_hours")
    assert value(computed, "hours") == hours > 0
    assert value(computed, "wall_hours") == pytest.approx(hours / 0.8)
    assert value(computed, "cost_total_usd") == pytest.approx(hours / 0.8 * 3.43088125)
    assert value(computed, "run_cost_usd") == pytest.approx(value(computed, "cost_total_usd"))
    assert value(computed, "delivered_tokens") == pytest.approx(1e8, rel=1e-4)  # whole steps


def test_a_service_without_stated_hours_bills_a_month(tmp_path: Path) -> None:
    computed = planned(tmp_path, f"{{basis: rent, {PRICE}}}", workload="serving")
    assert value(computed, "hours") == 730
    assert value(computed, "cost_per_month_usd") == value(computed, "cost_total_usd") == pytest.approx(730 * 3.43088125)
    tokens = value(computed, "tokens_per_second") * 3600 * 730
    assert value(computed, "cost_per_million_tokens_usd") == pytest.approx(730 * 3.43088125 / tokens * 1e6)


@pytest.mark.parametrize("workload", ["training", "serving"])
def test_stated_hours_win_also_in_a_variant(tmp_path: Path, workload: str) -> None:
    cost = f"{{basis: rent, {PRICE}, hours: 48 h}}"
    computed = planned(tmp_path, cost, workload=workload, variants="{a: {}, b: {cost.hours: 96}}")
    assert [value(computed, "hours", at) for at in (0, 1)] == [48, 96]
    assert value(computed, "cost_total_usd", 1) == pytest.approx(96 * 3.43088125)


def test_the_run_costs_the_same_whatever_hours_are_billed(tmp_path: Path) -> None:
    stated, whole = (
        planned(tmp_path, f"{{basis: rent, {PRICE}, goodput: 0.9, contingency: 0.1{hours}}}")
        for hours in (", hours: 5", "")
    )
    assert value(stated, "run_cost_usd") == pytest.approx(value(whole, "cost_total_usd"))
    assert value(stated, "cost_total_usd") == pytest.approx(5 / 0.9 * 3.43088125 * 1.1)


def test_the_ends_of_a_run_are_those_of_its_steps(evaluate: Values) -> None:
    steps = {"step_seconds": 10.0, "step_seconds_low": 8.0, "step_seconds_high": 15.0}
    figures = [throughput.run_hours, throughput.whole_accelerator_hours, *ends.TRAINING]
    run_ = {"training_hours": 90.0, "tokens_per_second": 60.0, "goodput": 0.9, "accelerators": 8}
    found = evaluate(figures, {**run_, **steps, "time_varies": 1})
    assert [found[one.name] for one in figures] == pytest.approx([100, 800, 72, 135, 40, 75, 80, 150, 640, 1200])
    stated = evaluate(figures, {**run_, **steps, "time_varies": 0})
    assert [stated[one.name] for one in figures] == pytest.approx([100, 800, 90, 90, 40, 75, 100, 100, 800, 800])


def test_hours_that_are_stated_are_not_those_of_the_steps() -> None:
    assert throughput.time_varies.formula(0.5, 1800) == 1
    assert throughput.time_varies.formula(24, 1800) == 0
    for share in (run_cost.time_low_share, run_cost.time_high_share):
        assert share.formula(24, 24, 1, 8, 10) == 0.8
        assert share.formula(24, 24, 0, 8, 10) == share.formula(12, 24, 1, 8, 10) == 1


def test_rates_of_a_service_fall_as_its_times_grow(evaluate: Values) -> None:
    times = {ends.TOKEN: 0.05, f"{ends.TOKEN}_low": 0.04, f"{ends.TOKEN}_high": 0.1}
    times |= {"first_token_error_low": 0.25, "first_token_error": 2.0}
    of = {"sequence_tokens_per_second": 20, "replica_requests_per_second": 2, "first_token_p95_seconds": 4}
    figures = [*ends.SERVING, *ends.DEMAND]
    found = evaluate(figures, {**times, **of, "first_token_service_seconds": 1.5, "time_to_first_token_seconds": 2})
    assert [found[one.name] for one in figures] == pytest.approx([10, 25, 1.6, 6, 1, 2.5, 3.2, 12, 1.2, 4.5])


def test_ends_of_what_is_signed_and_of_a_month(evaluate: Values) -> None:
    bill = {"cost_low_usd": 80.0, "cost_high_usd": 150.0, "wall_hours": 365.0, "capital_usd": 1e3}
    shares = {"contingency": 0.1, "tax_share": 0.0, "approval_total_usd": 9e3, "whole_cost_share": 1.0}
    rented, bought = (evaluate(cost.ENDS, {**bill, **shares, "buys": buys}) for buys in (0, 1))
    assert (rented["approval_total_low_usd"], rented["approval_total_high_usd"]) == (80, 150)
    assert bought["approval_total_low_usd"] == bought["approval_total_high_usd"] == pytest.approx(1100)
    assert (rented["cost_per_month_low_usd"], rented["cost_per_month_high_usd"]) == (160, 300)


@pytest.mark.parametrize(("buys", "whole"), [(0, [300, 240, 450]), (1, [9e3, 9e3, 9e3])])
def test_what_is_signed_is_the_whole_run_or_the_whole_purchase(
    evaluate: Values, buys: float, whole: list[float]
) -> None:
    bill = {"cost_total_usd": 100.0, "cost_low_usd": 80.0, "cost_high_usd": 150.0, "run_cost_usd": 300.0}
    given = {"buys": buys, "approval_total_usd": 9e3, **bill}
    ends_ = [one for one in cost.ENDS if one.name.startswith("whole_cost")]
    figures = [run_cost.whole_cost_share, cost.whole_cost_usd, *ends_]
    found = evaluate(figures, given)
    assert [found[one.name] for one in figures] == [3, *whole]
    assert evaluate(figures[:1], {**bill, "cost_total_usd": 0.0})["whole_cost_share"] == 1


def test_llama_3_1_405b_by_6nd_is_what_was_published_but_for_goodput(tmp_path: Path) -> None:
    """26.0 M H100-hours at 41 %; 30.84 M were published (arXiv:2407.21783): goodput 0.84."""
    computed = planned(
        tmp_path,
        "{basis: rent, price: coreweave-h100-on-demand, goodput: 0.8434}",
        model="llama-3.1-405b",
        hardware="{accelerator: h100-80gb-sxm, count: 16384, host: dgx-h100}",
        training="{training_tokens: 15.6e12, model_flop_utilization: 0.41, "
        "sequence_length: 8192, tensor_parallel_size: 8, pipeline_parallel_size: 16, gradient_accumulation_steps: 16, "
        "zero_stage: 1}",
    )
    hours = value(computed, "rule_accelerator_hours")
    assert hours == pytest.approx(26.01e6, rel=2e-3)
    assert hours / 30.84e6 == pytest.approx(0.84, abs=0.005)
    each = value(computed, "cost_per_accelerator_hour_usd")
    assert value(computed, "rule_run_cost_usd") == pytest.approx(30.84e6 * each, rel=2e-3)
    steps = value(computed, "run_cost_usd") / value(computed, "rule_run_cost_usd")
    assert 1 < steps < 1.1  # the time of a step also counts attention scores


def test_what_buying_saves_has_a_sign(evaluate: Values) -> None:
    given = {"rented_present_value_usd": 5e5, "owned_present_value_usd": 6e5}
    assert evaluate([ownership.present_value_saving_usd], given)["present_value_saving_usd"] == -1e5


def test_formulas_as_excel_shows_them() -> None:
    assert to_excel(service_cost.hours.expression) == "months*HOURS_PER_MONTH"
    assert to_excel(run_cost.hours.expression) == "training_hours"
    assert to_excel(run_cost.rule_run_cost_usd.expression) == (
        "rule_accelerator_hours/goodput*cost_per_accelerator_hour_usd"
    )
