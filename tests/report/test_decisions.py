"""What has to be decided is what the question asks: the batch, not a month; the offer, not the price book's rent."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.advise.decide import Decision, decide
from memreport.compute import compute
from memreport.report.advice.plan import with_advice
from memreport.report.answer.screen import screen_of
from memreport.report.build import report_of
from memreport.report.records.budget import Budget
from memreport.report.records.report import Build, Report
from memreport.resolve import resolve_all
from tests.report.test_offers import HOSTS, YEAR, asked
from tests.report.test_quotes import BUY, EUROS, RENT, written
from tests.support import ROOT, scenario_text

SERVED = {"model": "llama-3-8b", "hardware": "{accelerator: h100-80gb-sxm, count: 1}", "workload": "serving"}


def budget_of(path: Path) -> Budget:
    budget = report_with_advice(decide(compute(resolve_all([path]))[0])).budget
    assert budget is not None
    return budget


def report_with_advice(decision: Decision) -> Report:
    built = Build("0", comparisons=decision.comparisons)
    return with_advice(report_of(decision.computed, built, decision.chosen, derived=False), decision)


def asked_for_an_offer(folder: Path) -> Path:
    path = written(folder, dollars=RENT, dear=RENT.replace("price: 2", "price: 2.5"))
    path.write_text(f"{path.read_text(encoding='utf-8')}question: Which offer should we sign?\n", encoding="utf-8")
    return path


def test_a_batch_is_approved_as_a_batch(tmp_path: Path) -> None:
    path = tmp_path / "batch.yaml"
    question = "How long do 1 million documents take, and what do they cost?"
    blocks = SERVED | {"serving": "{output_tokens: 100}", "cost": "{basis: rent, price: aws-p5-4xlarge-on-demand}"}
    path.write_text(scenario_text("batch", question=question, **blocks), encoding="utf-8")
    budget = budget_of(path)
    (fact,) = [one for one in budget.facts if one.title == "Cost of the batch"]
    assert f" of service for 1 million requests on 1 × H100 80 GB SXM5, {fact.text} (" in budget.decisions[0]
    assert "month" not in budget.decisions[0]


def test_the_offer_that_is_asked_for_is_the_one_to_sign(tmp_path: Path) -> None:
    said = budget_of(asked_for_an_offer(tmp_path)).decisions
    assert said[0].startswith(
        "Sign the offer of dollars cloud (dollars): 1 × A100 80 GB SXM4 at 2 USD a GPU and hour, $200"
    )
    assert said[1].startswith("All else in this budget is counted at $3.00/h per GPU: $")
    assert not [line for line in said if line.startswith(("Approve", "Quotes:"))]


def test_of_rented_and_bought_offers_one_is_signed(tmp_path: Path) -> None:
    hosts = BUY.replace("[network, storage]", "[network, hosts]")
    path = written(tmp_path, euros=EUROS, hosts=hosts)
    path.write_text(f"{path.read_text(encoding='utf-8')}question: Which offer should we sign?\n", encoding="utf-8")
    said = budget_of(path).decisions
    assert said[0].startswith("Sign either the offer of euros cloud (euros): 1 × A100 80 GB SXM4 at 2 EUR")
    assert ", $1,820 for 1 month, without support, egress; $1,520 more than budgeted; valid until" in said[0]
    assert "; or the offer of hosts cloud (hosts): " in said[0]
    assert " for the order; the job bears $" in said[0]
    assert sum(line.startswith("Sign") for line in said) == 1


@pytest.mark.parametrize(("months", "first", "other"), [(18, "year", "hosts"), (36, "hosts", "year")])
def test_what_is_signed_is_what_the_answer_on_rent_or_buy_says(
    months: int, first: str, other: str, tmp_path: Path
) -> None:
    asked(tmp_path, f"Should we rent or buy for {months} months?", year=YEAR, hosts=HOSTS)
    said = budget_of(tmp_path / "job.yaml").decisions
    assert said[0].startswith(f"Sign the offer of {first} cloud ({first}): ")
    assert said[1].startswith(f"Or, to {'rent' if other == 'year' else 'buy'} instead, the offer of {other} cloud")
    assert not [line for line in said if line.startswith(("Approve", "Quotes:")) or "ask for an offer" in line]


def test_offers_are_said_once_on_the_screen(tmp_path: Path) -> None:
    decision = decide(compute(resolve_all([asked_for_an_offer(tmp_path)]))[0])
    shown = " ".join(str(block) for block in screen_of(decision, ()))
    assert shown.count("cheapest of 2") == 1


def test_why_an_engine_does_not_start_stands_on_page_1(tmp_path: Path) -> None:
    path = tmp_path / "long.yaml"
    serving = "{engine: vllm, max_model_len: 131072, context_length: 8192, max_num_seqs: 4}"
    blocks = SERVED | {"hardware": "{accelerator: l4, count: 1}", "model": "llama-3.1-8b", "serving": serving}
    path.write_text(scenario_text("long", question="Does it fit?", **blocks), encoding="utf-8")
    assert "does not start: vLLM keeps room for one request of max_model_len 131,072" in budget_of(path).unstarted


def test_a_variant_whose_host_lacks_memory_is_explained_beside_a_peak_that_fits() -> None:
    said = budget_of(ROOT / "scenarios/llama3-70b-8xa100.yaml").unstarted
    assert said == "zero3 + optimizer offload does not fit: its host lacks 200 GiB of memory for what is offloaded."


def test_sequences_that_a_variant_states_are_among_what_it_changes() -> None:
    decision = decide(compute(resolve_all([ROOT / "scenarios/serving-mi300x.yaml"]))[0])
    settings = {row.name: row.changes.words for row in report_with_advice(decision).rows}
    assert settings["13B, 64 sequences, BF16 cache"] == ("64 sequences at once",)
    assert settings["70B, FP8 weights and cache at 8k"][-1] == "64 sequences at once"
