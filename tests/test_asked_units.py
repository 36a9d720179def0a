"""Units beside numbers: rates beside sizes of models and names of GPUs, requests by short names, money an hour."""

from __future__ import annotations

import re

import pytest

from memreport.catalogue.question.demand import rates_of_tokens, requests_sent, users_said
from memreport.catalogue.question.hardware import gpus_said
from memreport.catalogue.question.model import names_said
from memreport.catalogue.question.stated import question_of
from tests.conftest import Asked


@pytest.mark.parametrize(
    ("question", "rates"),
    [
        ("llama 3.1 70b tokens per second on 4 h100?", []),
        ("gpt-oss-120b tokens/s on h100?", []),
        ("rtx 4090 tokens per second for qwen3 14b awq?", []),
        ("tokens/s of a 5090: 4090 tokens/s?", []),
        ("how many h100 for 1m tokens per second?", [1e6]),
        ("how many h100 for 2 billion tokens a day?", [2e9]),
        ("at 30 tokens/s each on an rtx 4090", [30]),
    ],
)
def test_neither_a_model_s_size_nor_a_gpu_s_name_is_a_rate(question: str, rates: list[float]) -> None:
    assert [said.value[0] for said, _ in rates_of_tokens(question)] == rates


@pytest.mark.parametrize("gpu", ["RTX 4090", "5090", "RTX 6000 Ada", "H100"])
def test_a_rate_behind_a_gpu_s_name_is_asked_for(asked: Asked, gpu: str) -> None:
    said = asked(f"{gpu} tokens per second for Qwen3 8B AWQ?")
    assert re.search(r"[\d,]+ tokens/s", said.split(".")[0])
    assert "requests_per_second" not in said


@pytest.mark.parametrize(
    ("question", "a_second"),
    [
        ("10 req/s", 10),
        ("20 req/min", 1 / 3),
        ("600 rpm", 10),
        ("12 rps", 12),
        ("12 QPS", 12),
        ("30 reqs per minute", 0.5),
        ("3,600 requests/hour", 1),
    ],
)
def test_requests_go_by_their_short_names(question: str, a_second: float) -> None:
    sent = requests_sent(question_of({"question": question}))
    seconds = {"s": 1, "minute": 60, "hour": 3600}
    assert sent is not None
    assert sent.value.number / seconds[sent.value.period] == pytest.approx(a_second)


def test_users_are_not_the_number_of_a_gpu_s_name() -> None:
    assert users_said("an rtx 3090 users") is None
    said = users_said("two 4090 for 8 users")
    assert said is not None
    assert said.value == 8


@pytest.mark.parametrize("price", ["$2/h", "$0.7/h", "6 $/h", "$2.50/hr", "2 USD/h"])
def test_a_price_is_no_name_of_a_model(price: str) -> None:
    assert all("h" not in said.value for said in names_said(f"a 7b on an l4 at {price}"))


def test_a_price_by_the_hour_leaves_the_model_alone(asked: Asked) -> None:
    said = asked("What does a 7B model cost to serve on an L4 at 0.7 $/h?")
    assert "mistral-7b-v0.1 as model" in said
    assert "$0.7 an hour as rent" in said


@pytest.mark.parametrize(
    ("question", "number", "per_node"),
    [
        ("on 2 nodes of 4 a100", 8, 4),
        ("on 64 h100 nodes", 512, 8),
        ("one of 64 h100 nodes fails", 512, 8),
        ("on four 8xh100 servers", 32, 8),
        ("16 h100 on 2 nodes", 16, 8),
        ("8x a100 over 10 gbe 2 nodes", 8, 4),
        ("on 3 nodes of h100", 24, 8),
        ("two nodes for a 405b with 8 h100 each", 16, 8),
        ("on two l4 servers", 2, 0),
        ("8 h100 on one node", 8, 0),
        ("on a v5e-8", 8, 0),
        ("on tpu v6e-16", 16, 0),
        ("on a tpu v4-16", 8, 0),
        ("on 8 tpu v5e chips", 8, 0),
    ],
)
def test_gpus_are_spread_over_nodes_and_slices(question: str, number: int, per_node: int) -> None:
    said = next(gpus_said(question)).value
    assert (said.number, said.per_node) == (number, per_node)


def test_throughput_is_of_the_gpus_that_are_named(asked: Asked) -> None:
    said = asked("throughput of Llama 3.1 70B on 2 H100?")
    assert re.search(r"with PP 2 and \d+ sequences at once", said)
