"""How much a training reads: amounts wherever they stand, averages, what is best for a model's size, batches."""

from __future__ import annotations

import re

import pytest

from memreport.catalogue.question.lengths import lengths_asked
from memreport.catalogue.question.run import tokens_asked
from memreport.catalogue.question.workload import workload_asked
from tests.conftest import Asked


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("QLoRA on RTX 4090, 100M tokens, how long?", 1e8),
        ("Train 70B on 4 DGX H100, 10B tokens, how long?", 1e10),
        ("LoRA H100 50M tokens how long?", 5e7),
        ("Pretrain on 256 H100, 1T tokens, how long?", 1e12),
        ("Train with global batch of 4M tokens, 100B tokens: how long?", 1e11),
        ("Fine-tune with 1M tokens context on 16 H100?", 0),
        ("Train with 4096 tokens, batch 4", 0),
        ("SFT on 20k conversations averaging 800 tokens, 2 epochs", 32e6),
        ("SFT on 20k articles with an average length of 600 tokens", 12e6),
        ("SFT on 1000 reviews, 300 tokens on average", 3e5),
        ("LoRA on 52k examples, 3 epochs", 52e3 * 3 * 2048),
    ],
)
def test_what_is_trained_on_stands_anywhere(question: str, tokens: float) -> None:
    said = tokens_asked({"question": question, "workload": "training"})
    assert (said.value if said else 0) == tokens


@pytest.mark.parametrize("said", ["at 1M context", "with 1M tokens context", "with a 1M token context"])
def test_a_long_context_is_trained_on(said: str) -> None:
    found = lengths_asked({"question": f"Fine-tune Qwen2.5 7B {said} on 16 H100?", "workload": "training"})
    assert found["sequence_length"].value == 1_048_576


@pytest.mark.parametrize(
    ("question", "workload"),
    [
        ("How many days for Falcon 40B 1T tokens on 384 A100 40GB?", "training"),
        ("MPT-7B 1T tokens on 440 A100 40GB, days?", "training"),
        ("How long does a step take for Llama 3 8B on 8 H100?", "training"),
        ("How long to generate 10 billion tokens with Llama 3 8B?", "serving"),
        ("How many L4 for 2 billion tokens a day?", "serving"),
    ],
)
def test_days_over_a_trillion_tokens_are_a_training(question: str, workload: str) -> None:
    assert workload_asked({"question": question}) == workload


def test_examples_without_a_length_are_said_to_be_whole_sequences(asked: Asked) -> None:
    said = asked("How long does LoRA of Mistral 7B on 52k examples, 3 epochs, take on a 3090?")
    assert "over examples of 2,048 tokens (no length is stated)" in said
    assert "no length" not in asked("How long does LoRA of Mistral 7B on 52k examples of 300 tokens take on a 3090?")


def test_what_is_best_for_a_model_s_size_is_twenty_tokens_a_parameter(asked: Asked) -> None:
    said = asked("Chinchilla optimal training of a 1.3B model: how many GPU hours on A100?")
    assert "26,000,000,000" in said


def test_an_assumed_batch_is_the_one_that_is_computed(asked: Asked) -> None:
    said = asked("How long to train GPT-3 175B on 300B tokens on 1024 A100?")
    assert "no batch as 1024 sequences a step" in re.sub(r"\s+", " ", said)


def test_a_pipeline_is_filled_where_no_batch_is_stated(asked: Asked) -> None:
    said = re.sub(r"\s+", " ", asked("MFU of Llama 3.1 405B on 1024 H100 with TP 8 PP 16?"))
    assert "no batch as 512 sequences a step" in said
