"""What one setting saves, gains or costs is weighed with it and without, all else alike."""

from __future__ import annotations

import re
from typing import Any

import pytest

from memreport.catalogue.question.switches import is_weighed, switch_weighed
from tests.conftest import Asked

NAMED: tuple[tuple[str, str, str, list[Any]], ...] = (
    (
        "How much memory does gradient checkpointing save with LoRA?",
        "training",
        "gradient_checkpointing",
        ["none", "full"],
    ),
    ("What does FlashAttention gain at 16k?", "training", "attention", ["eager", "flash"]),
    ("What is the speedup from torch.compile with FSDP?", "training", "torch_compile", [False, True]),
    ("How much slower is QLoRA?", "training", "method", ["lora", "qlora"]),
    ("How much time does 8-bit Adam cost?", "training", "optimizer", ["adamw", "adamw-8bit"]),
    ("Should we use ZeRO-3 to train Llama 2 7B?", "training", "zero_stage", [0, 3]),
    ("How much VRAM does Liger save?", "training", "use_liger_kernel", [False, True]),
    ("How much memory does FP8 KV cache save?", "serving", "kv_cache_dtype", ["bf16", "fp8"]),
    ("Does speculative decoding help?", "serving", "speculative_tokens", [0, 3]),
)
ASKED_OTHERWISE = (
    "How much VRAM do I need in 4-bit?",
    "How much memory does it take with FSDP?",
    "What does it cost to train with LoRA?",
    "Do we need checkpointing?",
)


@pytest.mark.parametrize(("question", "workload", "field", "values"), NAMED)
def test_a_setting_is_weighed_with_it_and_without(question: str, workload: str, field: str, values: list[Any]) -> None:
    found = switch_weighed(question.lower(), workload)
    assert [each.value[f"{workload}.{field}"] for each in found.values()] == values


@pytest.mark.parametrize("question", ASKED_OTHERWISE)
def test_a_setting_that_a_job_has_is_weighed_against_nothing(question: str) -> None:
    assert not is_weighed(question.lower())


def test_what_is_saved_of_the_peak_is_said_first(asked: Asked) -> None:
    said = asked("How much memory does FP8 KV cache save for Llama 3 70B on 4 H100 with 32 users?")
    assert "✓ With TP 4, FP8 cache saves 5 GiB: 41 of 72.9 GiB per GPU" in said


def test_a_link_is_weighed_against_the_bus_that_is_there_without_it(asked: Asked) -> None:
    said = asked("Do I need NVLink to serve Llama 3 70B on 4 H100?")
    assert "✓ NVLink gives the most tokens: 930 tokens/s; PCIe 5" in said


def test_by_how_much_is_said_where_it_is_asked(asked: Asked) -> None:
    said = asked("How much faster is training Llama 3 8B with LoRA on an H100 compared to an A100?")
    assert re.search(r"✓ h100 is 2\.\d+ times as fast as a100: h100 \S+ h", said)
    said = asked("Is H100 twice as fast as A100 for training Llama 3 8B?")
    assert re.search(r"✓ 4 × h100 is 2\.\d+ times as fast as 4 × a100:", said)


def test_what_alone_fits_is_no_fastest(asked: Asked) -> None:
    said = asked("Should I use ZeRO-3 for Llama 2 7B on 8 A100?")
    assert "✓ Only ZeRO-3 fits:" in said
    assert "no sharding does not fit" in said


def test_what_a_training_needs_is_told_with_recomputed_layers_and_without(asked: Asked) -> None:
    """Most programs recompute layers and some do not: five to six times the memory, which the question leaves open."""
    said = asked("How much VRAM do I need to fine-tune Mistral 7B with QLoRA at 8k context?")
    assert re.search(r"✓ 12\.8 of \S+ GiB per GPU with full checkpointing; 71\.6 of \S+ GiB per GPU with no", said)


def test_what_is_compared_is_not_among_what_lets_both_fit(asked: Asked) -> None:
    said = asked("Should I use ZeRO-3 for Gemma 3 27B on 8 H100?")
    assert "with full checkpointing and gradients reduced each micro-batch, only ZeRO-3 fits" in said


def test_memory_is_what_is_saved_where_no_time_is_named(asked: Asked) -> None:
    assert "✓ QLoRA saves 39.9 GiB" in asked("How much does QLoRA save for Qwen3 30B A3B?")
    said = asked("How much time does torch.compile save training Llama 3 8B on 8 H100 with FSDP?")
    assert re.search(r"✓ torch\.compile is 1\.\d+ times as fast", said)
