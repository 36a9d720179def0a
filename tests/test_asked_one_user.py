"""How many a service is asked to serve, where a question says so, or not; and what its GPUs hold so many in."""

from __future__ import annotations

import pytest

from memreport.commands.main import main
from memreport.errors import BAD_INPUT
from tests.conftest import Asked


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Can a T4 run Llama 3.1 8B?", "the nearest that fits is 2 × T4 with TP 2"),
        ("Can I run Llama 3.1 8B on 2 H100?", "✓ Yes, as submitted: 16.7 of 72.9 GiB"),
        ("Can 2 H100 run Llama 3.3 70B?", "✓ Yes, with one setting: PP 2. Peak memory falls from 135 to 68.4 GiB"),
        ("Can 4 T4 run Llama 3.1 8B for 20 people?", "At full load, 20 at once"),
        ("Can an H100 serve Llama 3.1 8B?", "At full load, 32 at once"),
    ],
)
def test_whether_a_gpu_runs_a_model_is_asked_of_one_user(asked: Asked, question: str, said: str) -> None:
    assert said in asked(question)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Can 32 H100 serve Llama 3.1 405B for 64 users?", "✓ Yes, with two settings: TP 8 and PP 4."),
        ("4 servers with 8 H100 each, Llama 3.1 405B at 100 users", "At full load, 100 at once"),
    ],
)
def test_users_that_are_stated_are_served_by_all_gpus_together(asked: Asked, question: str, said: str) -> None:
    """One replica of 756 GiB needs more than a machine of eight; users do not grow by what replicas round up."""
    assert said in asked(question)


def test_users_of_a_day_are_not_all_there_at_once(asked: Asked) -> None:
    said = asked("Is one H100 enough for 1,000 daily active users of Llama 3.1 8B?")
    assert "At full load, 32 at once" in said
    assert "found '1,000 daily'" in said


@pytest.mark.parametrize(("who", "users"), [("users", 7), ("students", 7), ("chats", 7)])
def test_whoever_is_counted_is_asked_of_alone(asked: Asked, who: str, users: int) -> None:
    assert f"✓ {users} users at once; 28 with AWQ weights." in asked(f"How many {who} fit an L4 with Llama 3.1 8B?")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Should we rent or buy 8 H100 for two years?", "at a rent of $6.88/h a GPU (aws-p5-on-demand, 2026-09-25)"),
        ("What does a 2-year reservation of 8 H100 cost?", "(digitalocean-h100-reserved-1y, 2026-10-06)"),
        ("What does 3 years of 64 H100 cost to buy with colocation at 150 USD per kW?", "✓ $3,260,000 to own over 3"),
        ("Can a MacBook with 16 GB run Llama 3.3 70B?", "the nearest that fits is 1 × M1 Ultra"),
        ("Command R+ on 4 H100", "63.5 GiB of 72.9 GiB per GPU"),
        ("How many H100 hours did 405B take?", "no batch as 64 sequences a step"),
        ("How long to train mt-nlg-530b on 2240 A100 on 270B tokens?", "mt-nlg-530b as model, 2240 a100 as"),
    ],
)
def test_what_is_named_is_taken_into_account(asked: Asked, question: str, said: str) -> None:
    assert said in asked(question)


def test_a_model_that_nobody_knows_is_no_mistake_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "What GPU do I need for a 300B model at 270B tokens of training?"]) == BAD_INPUT
    assert "names no model that is known" in capsys.readouterr().err
