"""Times that a question asks for: a run that has to end, a service that has to answer soon and fast."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from memreport.advise.asks import asks_of
from memreport.advise.decide import decide
from memreport.advise.plan import job_at
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
    ("question", "asks", "first", "pace"),
    [
        ("How many users can it serve at 30 tokens/s each?", "how_many_users", None, 30),
        ("How many users, with 12.5 tokens per second per user?", "how_many_users", None, 12.5),
        ("What batch keeps a token under 50 ms?", "how_many_users", None, 20),
        ("How many users with a TTFT below 2 s and 40 tokens/s a user?", "how_many_users", 2, 40),
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
    assert answer.options[0].lacks == "too slow"
