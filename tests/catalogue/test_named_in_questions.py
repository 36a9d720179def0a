"""Model, hardware and variants that a question names, of a scenario that states none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memreport.advise.comparisons.counts import on_enough_gpus
from memreport.compute import Computed
from tests.support import run, scenario_text

OPEN = {"model": None, "hardware": None, "workload": None}


def asked(folder: Path, question: str, **stated: Any) -> Computed:
    return on_enough_gpus(run(folder, scenario_text(**(OPEN | stated), question=f'"{question}"')))


HARDWARE = [
    ("Does a 7B model fit on a 24 GB GPU?", "rtx-4090", 1),
    ("Can two 24 GB cards run a 13B model?", "rtx-4090", 2),
    ("Is 48 GB enough for a 13B model?", "l40s", 1),
    ("Does Phi-4 run with 8 GB of VRAM?", "rtx-4060", 1),
    ("Does gpt-oss-20b run on a MacBook with 32 GB?", "m4", 1),
    ("Does Gemma 3 27B run on a 24 GB MacBook?", "m2", 1),
    ("Does gpt-oss-20b run on an M2 Ultra?", "m2-ultra", 1),
    ("Does Llama 3.1 70B fit on a DGX H100?", "h100-80gb-sxm", 8),
    ("Can we train a 3B model on 16 A100s?", "a100-80gb-sxm", 16),
    ("Does Qwen3-30B-A3B run on CPU with 64 GB RAM?", "ryzen-7950x", 1),
    ("How many GPU hours to fine-tune Gemma 2 9B?", "h100-80gb-sxm", 8),
    ("How many T4 to serve Mistral 7B to 20 users?", "t4", 1),
    ("Which GPU do we need to fine-tune Llama 3 8B?", "h100-80gb-sxm", 1),
    ("What does LoRA of Llama 3 8B cost?", "h100-80gb-sxm", 1),
    ("Does Llama 3.1 8B with 8k context fit in 24 GB?", "rtx-4090", 1),
    ("Can a DGX Spark run gpt-oss-20b?", "gb10", 1),
    ("Is it cheaper to use an API than to host Llama 3.3 70B for 1 million requests a month?", "h100-80gb-sxm", 1),
    ("Can a 5090 run Gemma 3 27B?", "rtx-5090", 1),
    ("How many A10G do we need to fine-tune Llama 3.1 8B with LoRA?", "a10g", 1),
    ("What does it cost to fine-tune Mistral 7B on 100k examples?", "h100-80gb-sxm", 8),
    ("Can 8 spot H100 train Llama 3 70B with LoRA?", "h100-80gb-sxm", 8),
    ("Can two used 3090 run Qwen2.5 32B in 4-bit?", "rtx-3090", 2),
]


@pytest.mark.parametrize(("question", "gpu", "count"), HARDWARE)
def test_hardware_is_read_by_name_by_memory_or_stands_for_a_search(
    tmp_path: Path, question: str, gpu: str, count: int
) -> None:
    settings = asked(tmp_path, question).resolved.cases[0].settings
    assert (settings["accelerator"], settings["count"]) == (gpu, count)


def test_a_gpu_of_less_memory_than_any_known_has_that_memory(tmp_path: Path) -> None:
    values = asked(tmp_path, "Does Phi-4 run with 6 GB of VRAM?").values
    assert values["capacity_bytes"][0] == 6 * 2**30


def test_the_gpu_of_a_mac_takes_a_part_of_its_memory(tmp_path: Path) -> None:
    small = asked(tmp_path, "Does gpt-oss-20b run on a MacBook with 32 GB?").values["capacity_bytes"][0]
    large = asked(tmp_path, "Does gpt-oss-20b run on a Mac Studio with 64 GB?").values["capacity_bytes"][0]
    assert (small, large) == (pytest.approx(32 * 2 / 3 * 2**30), 48 * 2**30)


MODELS = [
    ("Can one L4 serve Llama 3.1 8B?", "llama-3.1-8b"),
    ("Can one L4 serve meta-llama/Llama-3.1-8B-Instruct to 3 users?", "llama-3.1-8b"),
    ("How fast is Qwen 2.5 7B on an L4?", "qwen2.5-7b"),
    ("Can 8 H200 serve DeepSeek-V3's weights?", "deepseek-v3"),
    ("Can one L4 serve it?", "llama-3-8b"),
]


@pytest.mark.parametrize(("question", "card"), MODELS)
def test_the_model_is_read_from_the_question_or_else_the_title(tmp_path: Path, question: str, card: str) -> None:
    assert asked(tmp_path, question, title="Llama 3 8B, a service").resolved.cases[0].card.id == card


def test_a_size_alone_is_a_model_of_that_size(tmp_path: Path) -> None:
    found = asked(tmp_path, "Can we train a 3B model on 60 billion tokens with 8 H100?")
    assert 2.5e9 < found.values["parameters"][0] < 3.5e9


def test_a_size_is_of_the_whole_model_not_of_its_active_parameters(tmp_path: Path) -> None:
    found = asked(tmp_path, "How long to pretrain a 1B model on 100B tokens with 8 H100?")
    assert found.values["parameters"][0] < 2e9


def test_an_offloaded_optimizer_is_read_and_host_memory_is_of_no_service(tmp_path: Path) -> None:
    found = asked(tmp_path, "How much host RAM do I need to fine-tune Llama 2 13B with ZeRO-3 offload on 2 A100?")
    assert found.resolved.workload == "training"
    assert found.values["host_bytes_per_node"][0] > 100 * 2**30


WORKLOADS = [
    ("How long does it take to fine-tune Llama 3 8B on 50 million tokens on one H100?", "training"),
    ("Can we serve our fine-tuned Llama 3 8B on one L4?", "serving"),
    ("Can we summarise 2,000-token documents with Llama 3 8B on one L4?", "serving"),
    ("How many H100 to train a chat model of 8B?", "training"),
    ("How much memory do the optimizer states of Llama 3 8B take?", "training"),
    ("On what GPU is Llama 3 8B cheapest?", "serving"),
]


@pytest.mark.parametrize(("question", "workload"), WORKLOADS)
def test_what_is_done_with_the_model_is_told_by_the_verb(tmp_path: Path, question: str, workload: str) -> None:
    assert asked(tmp_path, question).resolved.workload == workload


COMPARED = [
    ("Should we use LoRA or full fine-tuning for Llama 3 8B on one H200?", ["lora", "full"]),
    ("Is QLoRA slower than LoRA for Llama 3 8B on one H200?", ["qlora", "lora"]),
    ("Is Llama 3 8B faster in FP8 than in BF16 on one H100?", ["fp8", "bf16"]),
    ("vLLM or SGLang for Llama 3 8B on one L40S?", ["vllm", "sglang"]),
    ("Is it cheaper to serve Llama 3.3 70B on H100 or on MI300X?", ["4 × h100", "mi300x"]),
    ("How much faster is H200 than H100 for training Llama 3.1 8B?", ["4 × h100", "4 × h200"]),
    ("2x4090 vs 1x A6000 for Llama 3.3 70B in 4-bit?", ["2x4090", "1x a6000"]),
    ("Do we need 4 or 8 H100 for full fine-tuning of Llama 3 8B?", ["4 × h100 with ZeRO-3", "8 × h100 with ZeRO-3"]),
    ("Is a 7B LoRA faster on one H100 or on four RTX 4090?", ["one h100", "four rtx 4090 with full checkpointing"]),
    (
        "What is the largest model we can fully fine-tune with 8-bit Adam on one H100?",
        [
            *("qwen2.5-0.5b", "llama-3.2-1b", "llama-3.2-3b", "llama-3.1-8b", "qwen2.5-14b", "qwen2.5-32b"),
            *("llama-3.3-70b", "mistral-large-123b", "llama-3.1-405b"),
        ],
    ),
    (
        "Compare QLoRA on a 4090 with LoRA on an A100 for Llama 3 8B.",
        ["qlora, 4090 with full checkpointing", "lora, a100"],
    ),
    (
        "Is QLoRA or LoRA faster on one H100 or on one A100 for Llama 3 8B?",
        ["one h100, qlora", "one h100, lora", "one a100, qlora", "one a100, lora"],
    ),
    (
        "Which is cheaper: Llama 3.1 8B on one L4 or Llama 3.3 70B on four H100?",
        ["Llama-3.1-8B, one l4", "Llama-3.3-70B, four h100"],
    ),
    ("DDP or FSDP for a 3B full fine-tune on 4 A100 40GB?", ["ddp", "fsdp"]),
    (
        "How much memory does gradient checkpointing save for Qwen2.5 7B LoRA on one A100?",
        ["no checkpointing", "full checkpointing"],
    ),
    ("Is Qwen3 8B faster than Llama 3.1 8B on one L40S?", ["Qwen3-8B", "Llama-3.1-8B"]),
    ("Is Llama 3 8B fast enough on one L4?", ["base"]),
]


@pytest.mark.parametrize(("question", "variants"), COMPARED)
def test_what_a_question_compares_are_variants(tmp_path: Path, question: str, variants: list[str]) -> None:
    assert sorted(case.name for case in asked(tmp_path, question).resolved.variants) == sorted(variants)


def test_gpus_that_are_compared_hold_the_job(tmp_path: Path) -> None:
    """The smaller number that holds it, over all of which the model is spread; what is stated stays."""
    found = asked(tmp_path, "Is it cheaper to serve Llama 3.3 70B on H100 or on MI300X?")
    settings = {case.name: case.settings for case in found.resolved.variants}
    assert settings["4 × h100"]["tensor_parallel_size"] == settings["4 × h100"]["count"] == 4
    assert settings["mi300x"]["count"] == 1
    stated = asked(tmp_path, "Which is cheaper to serve Llama 3.3 70B: 1x H100 or 1x MI300X?")
    assert [case.settings["count"] for case in stated.resolved.variants] == [1, 1]


def test_users_with_a_context_fill_it(tmp_path: Path) -> None:
    settings = asked(tmp_path, "How many users can 8 H100 serve with Llama 3.1 8B at 32k context?").resolved.cases[0]
    assert (settings.settings["max_model_len"], settings.settings["prompt_tokens"]) == (32_768, 32_768 - 256)
    alone = asked(tmp_path, "How much memory does Qwen3-14B need at 32k context?").resolved.cases[0].settings
    assert (alone["max_num_seqs"], alone["prompt_tokens"]) == (1, 32_768 - 256)


def test_variants_of_a_file_stay_as_they_are(tmp_path: Path) -> None:
    variants = "{h100: {hardware.accelerator: h100-80gb-sxm}, mi300x: {hardware.accelerator: mi300x}}"
    found = asked(tmp_path, "Is it cheaper to serve Llama 3.3 70B on H100 or on MI300X?", variants=variants)
    assert [case.name for case in found.resolved.variants] == ["h100", "mi300x"]


def test_gpus_are_paid_as_the_question_says(tmp_path: Path) -> None:
    found = asked(tmp_path, "Should we rent an H100 or buy two RTX 4090 to run Llama 3.3 70B in 4-bit?")
    assert {case.name: case.settings["basis"] for case in found.resolved.variants} == {
        "h100": "rent",
        "two rtx 4090": "buy",
    }
