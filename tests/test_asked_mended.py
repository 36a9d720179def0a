"""Questions that were read as another one: nodes, dozens, runs, lengths, layouts, prefixes."""

from __future__ import annotations

import pytest

from memreport.catalogue.question.hardware import gpus_said
from memreport.catalogue.question.lexer import asking_first
from memreport.catalogue.question.run import tokens_asked
from tests.conftest import Asked


def test_nodes_of_another_size_have_as_many_gpus_as_is_said() -> None:
    found = next(gpus_said("8 h100 nodes of 4 gpus each")).value
    assert (found.number, found.per_node) == (32, 4)
    assert next(gpus_said("8 h100 nodes with 16 sequences each")).value.number == 64


@pytest.mark.parametrize(("words", "number"), [("a dozen", 12), ("two dozen", 24), ("3 dozen", 36), ("thirty", 30)])
def test_dozens_are_counted(words: str, number: int) -> None:
    assert asking_first(f"Who serves {words} users?") == f"Who serves {number} users?"


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("fine-tune llama 3.1 8b, context length 1m tokens, on 64 h100", 0),
        ("train llama 3.1 8b with 4m tokens a step on 64 h100", 0),
        ("train llama 3.1 8b with a sequence length of 1m tokens", 0),
        ("train llama 3.1 8b on 4m tokens with 64 h100", 4e6),
        ("train llama 3.1 8b, 5 billion tokens, 64 h100", 5e9),
    ],
)
def test_a_length_and_a_step_are_no_run(question: str, tokens: float) -> None:
    said = tokens_asked({"workload": "training", "question": question})
    assert (said.value if said else 0) == tokens


def test_a_layout_that_is_made_is_no_fault_of_the_question(asked: Asked) -> None:
    said = asked("At 50 ms a token, how many users can 8 H200 serve with DeepSeek R1?")
    assert "users at once" in said
    assert "20 tokens/s or more for each" in said


def test_learned_positions_are_not_scaled(asked: Asked) -> None:
    assert "✓ Yes, as submitted" in asked("Can one L4 serve whisper-large-v3?")
    assert "Only with rope scaling beyond the 131,072" in asked("Can an H100 serve Llama 3.1 8B with 200k context?")


def test_a_prefix_that_is_weighed_is_not_told_to_be_passed_over(asked: Asked) -> None:
    asks = "Does prefix caching help Llama 3.1 8B on an H100 with a system prompt of 2,000 tokens?"
    assert "nothing here takes into account" not in asked(asks)
    assert "system prompt of 2,000 tokens as 2" not in asked(asks)


def test_what_each_of_many_handles_is_of_each(asked: Asked) -> None:
    said = asked("300 support agents each handle 40 tickets a day with Llama 3.1 8B on L4: how many GPUs?")
    assert "requests_per_second 0.138889" in said


def test_a_benchmark_offline_never_lacks_requests(asked: Asked) -> None:
    assert "with TP 8 and 256 sequences at once" in " ".join(
        asked("MLPerf Llama 2 70B offline on 8 H100: tokens per second?").split()
    )


def test_memory_may_be_asked_for_each_gpu(asked: Asked) -> None:
    assert "of 80 GiB per GPU, which does not fit." in asked(
        "Full fine-tuning of Llama 3.1 8B with torchtune on 2 A100 80GB: memory per GPU?"
    )
