"""A demand is answered with how many of which GPUs, their cost a month, or with what comes nearest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memreport.advise.candidates import Role
from memreport.advise.decide import decide
from memreport.advise.verdict import DOES_NOT_FIT, FITS
from memreport.compute import compute
from memreport.report.answer.answered import answered
from memreport.report.engine_command import start_command
from memreport.report.records.decision import Answer
from memreport.resolve import resolve_all
from tests.advise.test_demand_plan import CHAT, COST, TARGETS

MOST_SAID = 480


def said(folder: Path, targets: str) -> Answer:
    path = folder / "chat.yaml"
    path.write_text(CHAT.format(targets=targets) + COST, encoding="utf-8")
    return answered(decide(compute(resolve_all([path]))[0]))[0]


def test_a_demand_is_answered_with_gpus_and_a_months_cost(tmp_path: Path) -> None:
    answer = said(tmp_path, TARGETS)
    assert answer.word == FITS
    assert answer.headline[0].isdigit()
    assert "replicas of TP" in answer.headline
    assert " a month (" in answer.headline
    assert "does not carry the demand" in answer.detail
    assert answer.detail.startswith("What was submitted ")
    assert " A million tokens cost $" in answer.detail
    assert len(answer.detail) <= MOST_SAID, "five lines of a page"
    assert " Asked: 300 users" in answer.detail
    assert " for 95 in 100" in answer.detail


def test_gpus_without_a_price_cost_nothing_that_is_said(tmp_path: Path) -> None:
    changes = {
        "llama-3.3-70b": "llama-3.1-8b",
        "{accelerator: h100-80gb-sxm, count: 4, host: dgx-h100}": "{accelerator: rtx-4090, count: 2, host: server}",
        "[h100-80gb-sxm, b200]": "[rtx-4090]",
    }
    text = CHAT.format(targets=TARGETS)
    for before, after in changes.items():
        text = text.replace(before, after)
    path = tmp_path / "chat.yaml"
    path.write_text(text, encoding="utf-8")
    answer = answered(decide(compute(resolve_all([path]))[0]))[0]
    assert "GeForce RTX 4090" in answer.headline
    assert "$" not in f"{answer.headline} {answer.detail}"


def test_what_is_recommended_is_the_answer_and_carries_the_demand(tmp_path: Path) -> None:
    path = tmp_path / "chat.yaml"
    path.write_text(CHAT.format(targets=TARGETS) + COST, encoding="utf-8")
    decision = decide(compute(resolve_all([path]))[0])
    answer, _ = answered(decision)
    at = [case.name for case in decision.computed.resolved.variants].index(decision.chosen)
    values = decision.computed.values
    assert values["meets_demand"][at] == 1
    assert values["accelerators"][at] == values["needed_accelerators"][at]
    assert answer.headline.startswith(f"{values['accelerators'][at]:.0f} × H100")
    assert answer.chosen.takes.cost is not None
    assert answer.chosen.takes.cost.amount.text in answer.headline
    others = [one for one in decision.options.shown if one.role != Role.AS_SUBMITTED]
    assert all(decision.options.computed.values["meets_demand"][one.candidate.column] for one in others)
    assert f"--max-num-seqs {values['max_num_seqs'][at]:.0f} " in start_command(decision)


def test_a_target_that_nothing_meets_names_what_comes_nearest_and_no_number_of_gpus(tmp_path: Path) -> None:
    answer = said(tmp_path, "first_token_seconds: 1, tokens_per_second_per_user: 30000")
    assert answer.word == DOES_NOT_FIT
    assert "The nearest, TP " in answer.headline
    assert "replicas" not in answer.headline


def test_an_api_that_is_named_is_compared_at_its_break_even_load(tmp_path: Path) -> None:
    path = tmp_path / "api.yaml"
    priced = "cost: {basis: rent, price: lambda-h100-on-demand, api_price: llama-3.3-70b-groq}\n"
    path.write_text(API + priced, encoding="utf-8")
    (computed,) = compute(resolve_all([path]))
    hour, request = computed.values["needed_accelerators"][0] * 4.29, (2000 * 0.59 + 300 * 0.79) / 1e6
    assert computed.values["api_break_even_requests_per_second"][0] == pytest.approx(hour / 3600 / request, rel=0.01)
    answer, _ = answered(decide(computed))
    month = 10 * request * 3600 * 730
    assert f"The same load at Groq, Llama 3.3 70B versatile (2025-08-12) is ${month / 1e3:.1f},"[:-4] in answer.detail


def test_an_api_that_nobody_named_is_the_one_that_offers_the_model_for_least(tmp_path: Path) -> None:
    path = tmp_path / "api.yaml"
    path.write_text(API + "cost: {basis: rent, price: aws-p5-on-demand}\n", encoding="utf-8")
    (computed,) = compute(resolve_all([path]))
    assert computed.resolved.cases[0].settings["api_price"] == "llama-3.3-70b-deepinfra"
    even = re.search(r"cheaper from ([0-9.]+) requests/s, but carry ([0-9.]+)\.", answered(decide(computed))[0].detail)
    assert even
    assert float(even[1]) > float(even[2])


API = """schema: 1
id: api
version: 1
title: Chat
model: llama-3.3-70b
hardware: {accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}
workload: serving
serving: {engine: vllm, weight_dtype: fp8, tensor_parallel_size: 4, max_num_seqs: 64}
demand: {requests_per_second: 10, prompt_tokens: 2000, output_tokens: 300, first_token_seconds: 1}
"""


@pytest.mark.parametrize("limits", ["time_to_first_token_seconds: 1", "sequence_tokens_per_second: 30"])
def test_times_under_search_are_targets_of_a_demand(tmp_path: Path, limits: str) -> None:
    """They were limits of the job as submitted, which then carried the demand with 8 of 152 GPUs."""
    path = tmp_path / "chat.yaml"
    searched = CHAT.replace("search: {{", f"search: {{{{{limits}, ")
    path.write_text(searched.format(targets="cached_share: 0") + COST, encoding="utf-8")
    decision = decide(compute(resolve_all([path]))[0])
    answer, _ = answered(decision)
    assert answer.word == FITS
    assert decision.options.chosen.carries
    assert answer.headline[0].isdigit()
    target = "first_token_seconds" if "first" in limits else "tokens_per_second_per_user"
    assert decision.plan.job.value(target) == float(limits.rpartition(" ")[2])


def test_what_carries_no_demand_is_never_said_to_and_nothing_of_it_is_approved(tmp_path: Path) -> None:
    path = tmp_path / "chat.yaml"
    tight = CHAT.replace("search: {{", "search: {{most_cost_usd: 100, ")
    path.write_text(tight.format(targets=TARGETS) + COST, encoding="utf-8")
    (computed,) = compute(resolve_all([path]))
    decision = decide(computed)
    answer, _ = answered(decision)
    assert answer.word == DOES_NOT_FIT
    assert answer.headline.startswith("Nothing that was tried carries it within the budget")
    assert "A million tokens" not in answer.detail
