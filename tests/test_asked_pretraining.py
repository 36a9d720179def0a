"""Questions about pretraining at scale, against what was published of such runs."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Asked

HOURS = re.compile(r"✓ [\d,]+ \(([\d,]+) to ([\d,]+)\) GPU-hours")


@pytest.mark.parametrize(
    ("question", "published"),
    [  # Llama 1, table 15; Llama 3.1 and Llama 4 Scout, model cards; DeepSeek-V3, table 1; SmolLM3, its blog
        ("GPU hours to pretrain Llama 1 65B on 1.4T tokens with 2048 A100", 1_022_362),
        ("GPU hours to pretrain Llama 3.1 405B on 15.6T tokens on 16384 H100", 30_840_000),
        ("GPU hours to pretrain Llama 4 Scout on 40T tokens with 16384 H100", 5_000_000),
        ("GPU hours to pretrain DeepSeek V3 on 14.8T tokens on 2048 H800 in FP8, global batch of 15360", 2_664_000),
        ("GPU hours to pretrain SmolLM3 3B on 11.2T tokens with 384 H100", 24 * 24 * 384),
        ("How many H800 GPU hours does DeepSeek-V3 pretraining on 14.8T tokens need in FP8?", 2_664_000),
    ],
)
def test_published_gpu_hours_are_in_the_range_that_is_told(asked: Asked, question: str, published: float) -> None:
    low, high = (float(found.replace(",", "")) for found in HOURS.findall(asked(question))[0])
    assert low < published < high < 2.1 * low


def test_a_mixture_on_many_gpus_is_trained_with_spread_experts(asked: Asked) -> None:
    """transformers computes every expert of Llama 4 for every token, 16 where one is chosen: nobody pretrains so."""
    said = asked("GPU hours to pretrain Llama 4 Scout on 40T tokens with 16384 H100")
    assert "pretraining of a mixture as framework megatron" in " ".join(said.split())
    assert "EP 16" in said


@pytest.mark.parametrize(
    ("question", "length"),
    [
        ("Pretrain Llama 2 7B on 2T tokens with 64 A100, how long?", True),
        ("Train a 70B on 15T tokens on 1024 H100, how long?", True),
        ("Pretrain GPT-2 1.5B on 100B tokens with 64 A100, how long?", False),  # it reads 1,024
        ("Fine-tune the pretrained Llama 2 7B on 200B tokens with 64 A100, how long?", False),
        ("Is fine-tuning Llama 3.1 8B on 1B tokens cheaper than pretraining it on 8 H100?", False),
        ("Pretrain Llama 2 7B at 2048 tokens with 64 A100, how long?", False),
    ],
)
def test_pretraining_has_longer_sequences(asked: Asked, question: str, *, length: bool) -> None:
    said = " ".join(asked(question).split())
    assert ("pretraining as 4,096 tokens of sequence_length" in said) == length


def test_fsdp_that_is_named_trains_a_mixture(asked: Asked) -> None:
    assert "megatron" not in asked("Pretrain Mixtral 8x7B with FSDP on 64 H100 on 1T tokens, how long?")


def test_replicas_of_one_sequence_give_the_tokens_of_all(asked: Asked) -> None:
    """32 replicas of 83.1 tokens/s give 2,660, less what prompts take."""
    said = " ".join(asked("DeepSeek R1 on 256 H800: tokens per second?").split())
    assert "✓ 2,520 tokens/s" in said
    assert "1 at once on each of 32 replicas; each user sees 83.1 tokens/s" in said


@pytest.mark.parametrize(
    ("question", "hardware"),
    [
        ("How long does it take to pretrain a 13B on 1T tokens on H100s?", r"\b\d\d × H100"),
        ("How much does it cost to pretrain a 7B model on 2T tokens?", r"\b\d\d × Instinct MI300X"),
        ("Qwen3-30B-A3B pretraining on 36T tokens on H800: GPU hours?", r"\b\d\d\d × H800 .* EP 8"),
    ],
)
def test_gpus_that_nobody_counts_end_a_pretraining_in_a_usual_time(asked: Asked, question: str, hardware: str) -> None:
    """On one H100 with offloaded states a 13B took 13 years, a mixture on fewest GPUs ten times the hours."""
    said = " ".join(asked(question).split())
    assert re.search(hardware, said)
    assert "within 90 days" in said
    assert "as submitted" not in said.partition("Times may be")[0]


def test_gpus_that_are_counted_are_not_those_of_a_unit(asked: Asked) -> None:
    """Hours of an H100 name one, which was taken for the GPUs of the run."""
    assert "on 384 × A100" in " ".join(asked("A100 hours for BLOOM 176B on 366B tokens on 384 A100 80GB").split())
    said = asked("How many H100 GPU-hours to train Llama 3 8B on 15T tokens on 64 nodes of 8 H100?")
    assert "on 512 × H100" in " ".join(said.split())


def test_a_large_model_is_pretrained_in_stages(asked: Asked) -> None:
    """Published: 7 million hours (arXiv:2311.16867, table 15), where ZeRO-3 alone was told 20 million."""
    said = " ".join(asked("Falcon 180B on 3.5T tokens on 4096 A100 40GB: GPU-hours?").split())
    assert "with TP 8 and PP 16" in said
    low, high = (float(found.replace(",", "")) for found in HOURS.findall(said)[0])
    assert low < 7e6 < high


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("GRPO of Qwen2.5-7B, 1,000 steps on 8 H100: how long?", "1,000 steps as max_steps"),
        ("LoRA on Llama 3.1 8B, batch 16, max_steps 3000, one A100 80GB: how long?", "3,000 steps as max_steps"),
        ("GRPO of Qwen2.5-7B with 128 prompts, 8 rollouts each, on 8 H100: how long?", "1024 sequences a step"),
    ],
)
def test_steps_and_what_they_sample_are_read(asked: Asked, question: str, read: str) -> None:
    assert read in " ".join(asked(question).split())
