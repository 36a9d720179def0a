"""Times that a question asks for: a run that has to end, a service that has to answer soon and fast."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from memreport.advise.asks import asks_of, requests_asked
from memreport.advise.decide import decide
from memreport.advise.plan import job_at
from memreport.catalogue.quantities import brief
from memreport.compute import compute
from memreport.report.answer.answered import answered
from memreport.report.records.decision import Answer
from memreport.resolve import resolve_all
from tests.support import run, scenario_text


def _answered(path: Path) -> Answer:
    return answered(decide(compute(resolve_all([path]))[0]))[0]


@pytest.mark.parametrize(
    ("question", "search", "hours"),
    [
        ("How many H100 train it within 30 days?", "{}", 720),
        ("Does it end in less than two weeks?", "{}", 336),
        ("Does it end within a day?", "{}", 24),
        ("Can 8 GPUs do it within 1,000.5 hours?", "{}", 1000.5),
        ("Can 8 GPUs do it within 0 hours?", "{}", None),
        ("Does it end in 1.5 days?", "{}", 36),
        ("How many tokens can we train on in two weeks?", "{}", None),
        ("How many GPUs, within 30 days?", "{run_hours: 100}", 100),
        ("How many GPUs?", "{}", None),
    ],
)
def test_a_deadline_is_the_one_stated_or_what_the_question_says(
    tmp_path: Path, question: str, search: str, hours: float | None
) -> None:
    path = tmp_path / "deadline.yaml"
    path.write_text(scenario_text("deadline", question=f'"{question}"', search=search), encoding="utf-8")
    assert job_at(path).search.run_hours == hours


@pytest.mark.parametrize(
    ("question", "hours"),
    [
        ("How many tokens can we train on in two weeks?", 336),
        ("What can we train in 10 days?", 240),
        ("How far can we get within 6 hours?", 6),
        ("How many epochs fit in a day?", 24),
    ],
)
def test_what_is_trained_in_a_time_is_answered_in_tokens(tmp_path: Path, question: str, hours: float) -> None:
    path = tmp_path / "filled.yaml"
    path.write_text(scenario_text("filled", question=f'"{question}"', training="{method: lora}"), encoding="utf-8")
    decision = decide(compute(resolve_all([path]))[0])
    pace = [decision.options.computed.values[f"run_hours{end}"][0] for end in ("", "_high", "_low")]
    tokens = decision.options.computed.values["training_tokens"][0]
    assert decision.amounts.in_time == pytest.approx([tokens * hours / each for each in pace])
    headline = answered(decision)[0].headline
    assert re.match(rf"[\d.]+ [mb]illion tokens \(.*\) in {brief(hours, 'h')} as submitted", headline), headline


@pytest.mark.parametrize(
    ("question", "asks", "first", "pace"),
    [
        ("How many users can it serve at 30 tokens/s each?", "how_many_users", None, 30),
        ("How many users, with 12.5 tokens per second per user?", "how_many_users", None, 12.5),
        ("What batch keeps a token under 50 ms?", "how_many_users", None, 20),
        ("How many users with a TTFT below 2 s and 40 tokens/s a user?", "how_many_users", 2, 40),
        ("How many users can it serve at 50 ms a token and 500 ms to the first token?", "how_many_users", 0.5, 20),
        ("How many users at 20 ms inter-token latency?", "how_many_users", None, 50),
        ("How many users get a token every 40 ms?", "how_many_users", None, 25),
        ("Does the first token come within 500 milliseconds?", "fits", 0.5, None),
        ("Is the time per output token less than 40 ms?", "fits", None, 25),
        ("How many tokens per second does it give?", "how_fast", None, None),
        ("How many users in 2 GPUs?", "how_many_users", None, None),
    ],
)
def test_times_that_a_service_has_to_keep_are_read_in_its_question(
    tmp_path: Path, question: str, asks: str, first: float | None, pace: float | None
) -> None:
    path = tmp_path / "within.yaml"
    path.write_text(scenario_text("within", question=f'"{question}"', workload="serving"), encoding="utf-8")
    job = job_at(path)
    assert asks_of(job.loaded.scenario) == (asks,)
    assert job.search.time_to_first_token_seconds == first
    assert job.search.sequence_tokens_per_second == pytest.approx(pace)


SERVED = {"model": "llama-3-8b", "hardware": "{accelerator: h100-80gb-sxm, count: 1}", "workload": "serving"}


@pytest.mark.parametrize(
    ("question", "serving", "demand"),
    [
        ("How many H100 for 200 users at once?", "{}", {"users": 200}),
        (
            "How many GPUs do twelve people need, first token within 500 ms?",
            "{}",
            {"users": 12, "first_token_seconds": 0.5},
        ),
        ("How many GPUs for 1,000 requests per minute?", "{}", {"requests_per_second": 1000 / 60}),
        ("How many nodes do we need?", "{max_num_seqs: 40}", {"users": 40}),
        ("How many GPUs do we need?", "{}", {"users": 1}),
        ("How many GPUs for 500 texts per second?", "{}", {"requests_per_second": 500}),
        ("How many GPUs for 8 users?", "{context_length: 1024}", {"users": 8, "prompt_tokens": 768}),
        ("How many GPUs for 8 users?", "{max_model_len: 4096}", {"users": 8, "prompt_tokens": 2048}),
        ("How many GPUs for 8 users?", "{prompt_tokens: 4000, max_model_len: 4096}", None),
        ("How many GPUs for 8 users?", "{prompt_tokens: 3000, max_model_len: 4096}", {"users": 8}),
        ("Does it fit for 200 users?", "{}", None),
        ("How many users can 2 GPUs serve?", "{max_num_seqs: 8}", None),
        ("Is it enough for 20 requests per second?", "{}", {"requests_per_second": 20}),
        ("Will it carry 5 QPS?", "{}", {"requests_per_second": 5}),
        ("Can it make 5,120 tokens/s?", "{}", {"requests_per_second": 20}),
        ("Can it make 128 tokens/s in all?", "{output_tokens: 128}", {"requests_per_second": 1}),
        ("What do 200 million tokens a day cost?", "{}", {"requests_per_second": 200e6 / 86400 / (2048 + 256)}),
        ("Which GPU for 100 users?", "{}", {"users": 100}),
        ("Which GPU is best?", "{}", None),
        ("Can it serve 50,000 users?", "{}", {"users": 50_000}),
        ("How many GPUs give a user 30 tokens/s?", "{}", {"users": 1, "tokens_per_second_per_user": 30}),
    ],
)
def test_a_service_whose_gpus_are_counted_has_the_load_of_its_question(
    tmp_path: Path, question: str, serving: str, demand: dict[str, float] | None
) -> None:
    path = tmp_path / "load.yaml"
    path.write_text(scenario_text("load", question=f'"{question}"', serving=serving, **SERVED), encoding="utf-8")
    found = job_at(path).loaded.scenario.demand
    assert (found and found.model_dump(exclude_unset=True)) == (demand and pytest.approx(demand))


@pytest.mark.parametrize(
    ("question", "serving", "at_once"),
    [
        ("Can it serve 100 users?", "{}", 100),
        ("How fast is it for one user?", "{}", 1),
        ("What is the latency with 64 concurrent requests?", "{}", 64),
        ("Does it reach 30 tokens/s?", "{}", 1),
        ("How long does a user wait?", "{}", 32),
        ("Can it serve 100 users?", "{max_num_seqs: 20}", 20),
        ("How many users at 30 tokens/s each?", "{}", 32),
    ],
)
def test_users_in_a_question_are_sequences_at_once_where_nothing_else_says_how_many(
    tmp_path: Path, question: str, serving: str, at_once: int
) -> None:
    path = tmp_path / "users.yaml"
    path.write_text(scenario_text("users", question=f'"{question}"', serving=serving, **SERVED), encoding="utf-8")
    assert job_at(path).value("max_num_seqs") == at_once


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("Can one carry 1 request per second?", "Yes, base carries the demand"),
        ("Can one carry 200 requests per second?", "No, it takes "),
        ("What carries 200 requests per second?", r"\d+ × H100"),
    ],
)
def test_whether_a_load_is_carried_is_answered_with_yes_or_no(tmp_path: Path, question: str, begins: str) -> None:
    path = tmp_path / "carried.yaml"
    path.write_text(scenario_text("carried", question=f'"{question}"', serving="{}", **SERVED), encoding="utf-8")
    assert re.match(begins, _answered(path).headline)


def test_requests_per_second_are_tokens_over_those_of_an_answer(tmp_path: Path) -> None:
    path, serving = tmp_path / "rate.yaml", "{output_tokens: 128, max_num_seqs: 16}"
    text = scenario_text("rate", question='"How many requests per second can it answer?"', serving=serving, **SERVED)
    path.write_text(text, encoding="utf-8")
    tokens = compute(resolve_all([path]))[0].values["tokens_per_second"][0]
    assert f"{brief(tokens / 128, '1')} requests/s" in _answered(path).headline


def test_a_variant_may_state_its_hardware_in_one_word(tmp_path: Path) -> None:
    path = tmp_path / "word.yaml"
    variants = "{a: {hardware: 2xh200-141gb-sxm}, b: {hardware: MI300X}, c: {}}"
    path.write_text(scenario_text("word", variants=variants, **SERVED), encoding="utf-8")
    settings = [case.settings for case in resolve_all([path])[0].variants]
    assert [each["accelerator"] for each in settings] == ["h200-141gb-sxm", "mi300x", "h100-80gb-sxm"]
    assert [each["count"] for each in settings] == [2, 1, 1]


def test_gpus_for_a_load_in_words_are_those_for_the_demand_in_fields(tmp_path: Path) -> None:
    question, stated = (
        "How many GPUs do 30 users need at 40 tokens/s each?",
        "{users: 30, tokens_per_second_per_user: 40}",
    )
    answers = []
    for name, blocks in (("words", {}), ("fields", {"demand": stated})):
        path = tmp_path / f"{name}.yaml"
        path.write_text(scenario_text(name, question=question, serving="{}", **SERVED, **blocks), encoding="utf-8")
        answers.append(_answered(path).headline)
    assert answers[0] == answers[1]
    assert "1 of 1 GPUs are needed" in answers[0]


PRICED = {
    "hardware": "{accelerator: h100-80gb-sxm, count: 1}",
    "training": "{method: lora, training_tokens: 1e8}",
    "cost": "{basis: rent, price: aws-p5-4xlarge-on-demand}",
    "model": "llama-3-8b",
}


@pytest.mark.parametrize(
    ("question", "usd"),
    [
        ("Can we do it for under $500?", 500),
        ("Is a budget of 2.5 thousand dollars enough?", 2500),
        ("What can we train with $1k?", 1000),
        ("Is $40 enough?", 40),
        ("Is an H100 for $2 per hour enough?", None),
        ("Can we train it for $3/h?", None),
        ("Can we train it for $32.50/h?", None),
        ("Can we train it on two servers for $30,000 each?", None),
        ("Does it fit?", None),
    ],
)
def test_a_budget_is_what_the_question_says(tmp_path: Path, question: str, usd: float | None) -> None:
    path = tmp_path / "budget.yaml"
    path.write_text(scenario_text("budget", question=f'"{question}"', **PRICED), encoding="utf-8")
    assert job_at(path).search.most_cost_usd == usd


def test_what_costs_more_than_may_be_spent_is_no_yes(tmp_path: Path) -> None:
    path = tmp_path / "budget.yaml"
    path.write_text(scenario_text("budget", question="Does it fit?", **PRICED), encoding="utf-8")
    row = _answered(path).chosen
    assert row.takes.cost
    for share, begins in ((1.01, "Yes, as submitted"), (0.05, "Over the budget on 1 × H100 80 GB SXM5; nothing")):
        block = f"{{most_cost_usd: {row.takes.cost.amount.value * share}, accelerator: [h100-80gb-sxm]}}"
        path.write_text(scenario_text("budget", question="Does it fit?", search=block, **PRICED), encoding="utf-8")
        assert _answered(path).headline.startswith(begins)


def test_what_an_amount_pays_for_are_tokens(tmp_path: Path) -> None:
    """Twice the cost of 1e8 tokens trains 2e8."""
    path = tmp_path / "budget.yaml"
    path.write_text(scenario_text("budget", question="What does it cost?", **PRICED), encoding="utf-8")
    row = _answered(path).chosen
    assert row.takes.cost
    question = f"How many tokens can we train for ${2 * row.takes.cost.amount.value:.6f}?"
    path.write_text(scenario_text("budget", question=f'"{question}"', **PRICED), encoding="utf-8")
    assert _answered(path).headline.startswith("Up to 200 million tokens (")


@pytest.mark.parametrize(
    ("question", "requests"),
    [
        ("How long does it take for 1 million documents?", 1e6),
        ("What does it cost to classify 20k customer emails?", 2e4),
        ("How long until the first token of 1,000 token prompts?", 0),
        ("How many users send 1,000 requests?", 0),
        ("What does a million tokens cost?", 0),
        ("What does it cost at 1,000 requests per minute?", 0),
    ],
)
def test_a_batch_of_a_service_is_what_the_question_counts(tmp_path: Path, question: str, requests: float) -> None:
    path = tmp_path / "batch.yaml"
    path.write_text(scenario_text("batch", question=f'"{question}"', serving="{}", **SERVED), encoding="utf-8")
    assert requests_asked(job_at(path).loaded.scenario) == requests


def test_a_batch_takes_as_long_as_its_tokens_at_full_load(tmp_path: Path) -> None:
    path = tmp_path / "batch.yaml"
    question, serving = "How long do 1 million documents take, and what do they cost?", "{output_tokens: 100}"
    blocks = {**SERVED, "serving": serving, "cost": "{basis: rent, price: aws-p5-4xlarge-on-demand}"}
    path.write_text(scenario_text("batch", question=question, **blocks), encoding="utf-8")
    decision = decide(compute(resolve_all([path]))[0], sensitivity=False)
    values, column = decision.options.computed.values, decision.options.chosen.column
    hours = 1e6 * 100 / values["tokens_per_second"][column] / 3600
    usd = hours * values["cost_total_usd"][column] / 730
    said = answered(decision)[0].headline
    assert said.startswith(f"{brief(hours, 'h')} (")
    assert f" and {brief(usd, 'USD')} (" in said
    assert said.count(" for 1 million requests") == 1


ON_TWO = "{a: {}, b: {hardware.accelerator: h200-141gb-sxm}}"


def test_users_within_a_time_are_as_many_as_are_answered_in_it(tmp_path: Path) -> None:
    path = tmp_path / "within.yaml"
    hardware, question = "{accelerator: h100-80gb-sxm, count: 1}", "How many users at 50 tokens/s each?"
    blocks = {"model": "llama-3-8b", "hardware": hardware, "workload": "serving", "serving": "{max_num_seqs: 8}"}
    path.write_text(scenario_text("within", question=question, variants=ON_TWO, **blocks), encoding="utf-8")
    said = re.fullmatch(
        r"(\d+) users at once with a; (\d+) with b, 50 tokens/s or more for each\.", _answered(path).headline
    )
    assert said
    for gpu, users in zip(("h100-80gb-sxm", "h200-141gb-sxm"), map(int, said.groups()), strict=True):
        paces = _paces(tmp_path, gpu, (users, users + 1))
        assert paces[0] >= 50 > paces[1]


def _paces(folder: Path, gpu: str, users: Sequence[int]) -> list[float]:
    """Tokens per second that one of so many users sees."""
    text = scenario_text(
        model="llama-3-8b", hardware=f"{{accelerator: {gpu}, count: 1}}", workload="serving",
        variants=f"{{{', '.join(f'u{number}: {{serving.max_num_seqs: {number}}}' for number in users)}}}",
    )  # fmt: skip
    return [float(pace) for pace in run(folder, text).values["sequence_tokens_per_second"]]


def test_a_service_that_answers_too_slowly_is_not_recommended(tmp_path: Path) -> None:
    path = tmp_path / "slow.yaml"
    hardware = "{accelerator: h100-80gb-sxm, count: 1}"
    blocks = {"model": "llama-3-8b", "hardware": hardware, "workload": "serving", "serving": "{max_num_seqs: 64}"}
    path.write_text(scenario_text("slow", question='"Is each token there in under 10 ms?"', **blocks), encoding="utf-8")
    answer = _answered(path)
    assert answer.headline.startswith("Too slow on 1 × H100 80 GB SXM5; the nearest that is fast enough is ")
    assert answer.options[0].serves.lacks == "too slow"
