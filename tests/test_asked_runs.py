"""Questions about runs: steps, generated samples, what checkpointing costs, fewest GPUs, largest batches, layouts."""

from __future__ import annotations

import pytest

from memreport.catalogue.question.lengths import lengths_asked
from memreport.catalogue.question.lexer import asking_first
from memreport.catalogue.question.run import runs_said, steps_asked, tokens_asked
from memreport.catalogue.question.settings import settings_named
from tests.conftest import Asked


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("How long for 1000 steps?", 1000),
        ("How long do 10k steps take?", 10_000),
        ("Cost of 500 optimizer steps?", 500),
        ("How many steps a second?", 0),
        ("Run 200 steps on 1 billion tokens", 0),
        ("A warmup of 500 steps, and 2000 steps of batch 128: time?", 2000),
        ("LoRA with 2000 steps, batch 32, warmup 100 steps: time?", 2000),
        ("100 warmup steps, in 3000 steps", 3000),
    ],
)
def test_a_run_may_be_asked_for_in_steps(question: str, steps: int) -> None:
    said = steps_asked({"workload": "training", "question": question})
    assert (said.value if said else 0) == steps


def test_steps_are_as_many_tokens_as_the_gpus_take_at_once(asked: Asked) -> None:
    """1,000 steps of 8 GPUs with a sequence of 2,048 tokens each are 16.4 million tokens."""
    said = asked("How long do 1000 steps of LoRA on Llama 3 8B take on 8 A100?")
    assert "1,000 steps as max_steps" in said
    assert "a run of 1 billion tokens" not in said


def test_samples_that_are_rewarded_are_generated_first(asked: Asked) -> None:
    said = asked("GRPO of Qwen2.5 7B on 8 H100, how long for 1000 steps?")
    assert "grpo as 1024" in said


def test_what_checkpointing_costs_is_compared(asked: Asked) -> None:
    said = asked("How much longer does training take with gradient checkpointing for a 13B on 8 A100?")
    assert "checkpointing 16.6" in said
    assert "full checkpointing 21.3" in said
    assert "; both with ZeRO-3." in said


def test_fewest_gpus_move_nothing_to_the_host(asked: Asked) -> None:
    said = asked("How many RTX 3090 do I need to fine-tune Qwen2.5 14B with LoRA?")
    assert "✓ 3 × GeForce RTX 3090 with full checkpointing and ZeRO-3." in said


def test_the_largest_batch_is_told_with_checkpointing_too(asked: Asked) -> None:
    said = asked("What's the max batch size for Llama 2 7B full fine-tuning on 8x A100 40GB with FSDP at 2048?")
    assert "✓ Up to 1 sequence at once on each GPU, 16 with full checkpointing" in said


def test_layouts_are_compared(asked: Asked) -> None:
    said = asked("Should I use tensor parallel or pipeline parallel for 70B on 8 L4?")
    assert "✓ TP gives the most tokens" in said


def test_advice_is_asked_for_without_a_yes(asked: Asked) -> None:
    said = asked("My job with Mixtral 8x7B LoRA on 2 A100 80GB runs out of memory, what should I change?")
    assert "✓ It fits with one setting: EP 2." in said


@pytest.mark.parametrize(
    "said",
    [
        "seq len 1024", "max_seq_length 1024", "max length 1024", "cutoff_len: 1024", "seq=1024",
        "batch 4, 1024 tokens",
        "sequence length of 1024", "1024 tokens per sample", "1024-token samples", "1,024 tokens each, batch 4",
    ],
)  # fmt: skip
def test_the_length_of_what_is_read_is_said_in_many_ways(said: str) -> None:
    question = f"LoRA of Mistral 7B on one A100, {said}"
    found = lengths_asked({"workload": "training", "question": question})
    assert {name: length.value for name, length in found.items()} == {"sequence_length": 1024}


@pytest.mark.parametrize("said", ["batch 4", "bs=4", "batch_size: 4", "per_device_train_batch_size 4"])
def test_a_batch_is_said_in_many_ways(said: str) -> None:
    named = settings_named(asking_first(f"lora of mistral 7b, {said}, 2 epochs"), "training")
    assert dict(named)["micro_batch_size"].value == 4


def test_an_amount_to_train_on_is_no_length() -> None:
    question = "LoRA of Mistral 7B on one A100, 5 million tokens in all"
    assert not lengths_asked({"workload": "training", "question": question})


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Will a 1.5M token dataset for 3 epochs of Mistral 7B QLoRA on a T4 finish in 12 hours?", "3.42 h of 12 h"),
        ("How long for LoRA of {} with a dataset of 200k tokens on one H100?", "200,000 tokens as training_tokens"),
        (
            "How long to fine-tune {} LoRA 20,000 examples of 1,500 tokens, 2 epochs, on one H100?",
            "60,000,000 tokens as training_tokens",
        ),
        (
            "Does LoRA of {} with batch 4 and 1024 tokens fit one RTX 4090?",
            "batch 4 as 4, 1,024 tokens as sequence_length",
        ),
        (
            "Does DPO of {} with LoRA, batch 4 and 1024 tokens fit an H100?",
            "batch 4 as 4, 1,024 tokens as sequence_length",
        ),
        (
            "Does BERT large training with batch 32, 128 tokens fit a T4?",
            "batch 32 as 32, 128 tokens as sequence_length",
        ),
        ("Does LoRA of {} with 512 tokens and batch 16 fit an H100?", "batch 16 as 16, 512 tokens as sequence_length"),
        (
            "How long to train {} on 30B tokens with 64 A100 80GB at 512 batch of 2048?",
            "2,048 tokens as sequence_length, 512 batch as 512 sequences a step",
        ),
        ("Fine-tune BERT base on 1 million sentences of 128 tokens on a T4: how long?", "128,000,000 tokens as"),
        ("How long to fine-tune {} with LoRA on 10,000 tickets of 500 tokens on one H100?", "5,000,000 tokens as"),
        ("Can I RLHF a 7B with a 7B reward model on 8 A100 40GB?", "ppo as ppo"),
        ("We can spend 500 dollars: how many tokens can we fine-tune {} on with 8 H100?", "billion tokens ("),
    ],
)
def test_what_is_trained_on_is_read_wherever_it_stands(asked: Asked, question: str, said: str) -> None:
    assert said in " ".join(asked(question.format("Llama 3 8B")).split())


@pytest.mark.parametrize(
    ("question", "runs"),
    [
        ("retrain a 7b every month: cost per year?", 12),
        ("fine-tune it twelve times a year", 12),
        ("we retrain weekly", 52),
        ("train it twice a week", 104),
        ("retrain once a quarter", 4),
        ("retrain every 2 weeks", 26),
        ("fine-tune it: monthly cost?", 0),
        ("train it with checkpoints every day", 0),
    ],
)
def test_a_training_is_done_over_and_over(question: str, runs: int) -> None:
    said = runs_said(asking_first(question).lower())
    assert (said.value if said else 0) == runs


def test_what_is_trained_on_every_month_is_no_load_of_a_service(asked: Asked) -> None:
    question = "Retrain Mistral 7B on 200M tokens every month on 8 H100: cost per year?"
    said = tokens_asked({"workload": "training", "question": question})
    assert said
    assert said.value == 2e8
    assert " a year, 12 runs of $" in asked(question)
