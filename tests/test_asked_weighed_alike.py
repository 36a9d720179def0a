"""What is compared is compared alike, and what is asked of a series, a rack or one GPU is answered of it."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Asked


def test_each_objective_that_generates_does_so_beside_others_too(asked: Asked) -> None:
    said = asked("GRPO vs DPO of Llama 3.1 8B on 8 H100, which is faster?")
    times = {name: float(hours) for name, hours in re.findall(r"(Dpo is fastest:|grpo) ([\d.]+) h", said)}
    assert times["grpo"] > 1.5 * times["Dpo is fastest:"]


@pytest.mark.parametrize(("rack", "replicas"), [("GB200 NVL72", 9), ("72 B200", 9)])
def test_a_rack_beside_another_machine_holds_as_many_replicas_as_fit(asked: Asked, rack: str, replicas: int) -> None:
    said = asked(f"{rack} vs DGX H200 for DeepSeek R1")
    assert "does not fit" not in said
    assert f"32 at once on each of {replicas} replicas" in " ".join(said.split())


def test_a_layout_that_fits_a_part_of_the_gpus_is_no_lack_of_them(asked: Asked) -> None:
    said = asked("DeepSeek R1 on 248 H100: cost per million tokens?")
    assert "✓ 16 of 248 GPUs are used." in said


@pytest.mark.parametrize(
    ("job", "tokens"),
    [("Llama 3.1 70B on 4 H100", 449_216), ("Llama 3.1 405B on 16 H100", 363_360), ("Qwen3 8B on an RTX 4090", 34_944)],
)
def test_tokens_in_the_cache_are_those_of_what_fits(asked: Asked, job: str, tokens: int) -> None:
    said = asked(f"How many tokens fit in the KV cache of {job}?")
    assert f"✓ {tokens:,} tokens in the KV cache of a replica" in said
    assert "at a peak of" not in said


@pytest.mark.parametrize(
    ("series", "model", "gpu"),
    [
        ("GeForce", "Llama 3.3 70B", "8 × GeForce RTX 5090 with TP 8"),
        ("Radeon", "Qwen3 14B", "1 × Radeon PRO W7900 48 GB"),
        ("AMD", "Llama 3.3 70B", "1 × Instinct MI300X"),
        ("RTX", "Qwen3 30B A3B", "1 × RTX PRO 6000 Blackwell Workstation Edition"),
    ],
)
def test_a_series_that_is_asked_for_is_searched_alone(asked: Asked, series: str, model: str, gpu: str) -> None:
    assert f"✓ {gpu} " in " ".join(asked(f"Which {series} GPU for {model}?").split())


def test_times_of_a_token_are_compared_at_the_same_load(asked: Asked) -> None:
    said = asked("Which has the lower time per token, L40S or A100 80GB, for Llama 3.1 8B at 8k context?")
    assert "at once" not in said.partition("vllm")[0]


def test_runs_on_a_gpu_are_runs_on_one(asked: Asked) -> None:
    question = "How many fine-tuning runs of Llama 3.1 8B on 10M tokens can I do with $100 on {} H100?"
    assert "✓ 18 runs" in asked(question.format("an"))
    assert "5 × H100" in asked(question.format("").replace("  ", " "))


def test_of_other_gpus_the_cheapest_are_named_where_a_cost_is_asked(asked: Asked) -> None:
    said = " ".join(asked("What does serving Llama 3.1 405B on one H100 cost?").split())
    assert "a month with 8 × Instinct MI300X" in said


def test_energy_is_told_of_each_that_is_compared(asked: Asked) -> None:
    said = " ".join(asked("Which uses less energy per token, L4 or H100, for Llama 3.1 8B?").split())
    joules = [float(each.replace(",", "")) for each in re.findall(r"([\d.,]+) J a token", said)]
    assert len(joules) == 2
    assert joules[1] > 5 * joules[0] > 0


@pytest.mark.parametrize(
    ("asks", "said"),
    [
        ("kWh per million tokens of", r" J a token \([\d.]+ tokens a joule, \d+ Wh a million tokens\)"),
        ("Energy of one answer of", r"✓ [\d.]+ J a request and"),
        ("Electricity per request for", r"✓ [\d.]+ J a request and"),
        ("Prefill speed of", r"✓ [\d,]+ tokens/s of prompts"),
        ("How fast are prompts read by", r"✓ [\d,]+ tokens/s of prompts"),
        ("Prefill time of 32k tokens for", r"✓ Time to first token: 1\.\d+ s .* 32,768 tokens"),
        ("Requests per hour of", r"✓ 2\d,\d00 requests an hour"),
    ],
)
def test_units_are_read_in_many_words(asked: Asked, asks: str, said: str) -> None:
    assert re.search(said, " ".join(asked(f"{asks} Llama 3.1 8B on one H100?").split()))


def test_memory_that_is_compared_comes_first(asked: Asked) -> None:
    assert re.search(r"✓ [\d.]+ of 79.6 GiB per GPU with dpo", asked("DPO or SFT of Llama 3.1 8B on 8 H100: memory?"))
