"""A demand in a scenario: other names, lengths that follow, and contradictions with file, line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.compute import Computed, compute
from memreport.errors import InputError
from memreport.report.engine_command import engine_command
from memreport.report.view import View
from memreport.resolve import resolve_all

HEAD = """schema: 1
id: chat
version: 1
title: Chat
model: llama-3.1-8b
hardware: {accelerator: h100-80gb-sxm, count: 2, host: dgx-h100}
workload: serving
"""
CHAT = "demand: {users: 300, prompt_tokens: 2000, output_tokens: 300, first_token_seconds: 1 s, cached_share: 50 %}\n"


def computed(folder: Path, rest: str) -> Computed:
    path = folder / "chat.yaml"
    path.write_text(HEAD + rest, encoding="utf-8")
    return compute(resolve_all([path]))[0]


def test_a_demand_sets_lengths_and_what_it_calls_by_other_names(tmp_path: Path) -> None:
    found = computed(tmp_path, CHAT)
    values = {name: float(found.values[name][0]) for name in found.resolved.inputs}
    assert values["prompt_tokens"] == 2000
    assert values["prefix_cached_share"] == 0.5
    assert values["context_length"] == 2300
    assert values["max_model_len"] == 4096
    assert "needed_replicas" in {line.name for line in found.lines}


def test_without_a_demand_nothing_is_said_of_one(tmp_path: Path) -> None:
    found = computed(tmp_path, "serving: {max_num_seqs: 8}\n")
    assert "needed_replicas" not in {line.name for line in found.lines}


def test_a_variant_may_change_the_demand(tmp_path: Path) -> None:
    found = computed(tmp_path, CHAT + "variants: {a: {}, b: {demand.prompt_tokens: 8000, demand.users: 10}}\n")
    assert found.values["prompt_tokens"].tolist() == [2000, 8000]
    assert found.values["context_length"].tolist() == [2300, 8300]
    assert found.values["max_model_len"].tolist() == [4096, 8300]


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (CHAT + "serving: {prompt_tokens: 100}\n", "demand.prompt_tokens: contradicts serving.prompt_tokens"),
        ("demand: {prompt_tokens: 100}\n", "demand: needs users or requests_per_second"),
        ("demand: {users: 1, cached_share: 1.5}\n", "cached_share"),
        ("demand: {users: -1}\n", "demand.users"),
        ("demand: {users: 1, peak_to_mean: 0.5}\n", "demand.peak_to_mean"),
        ("demand: {user: 1}\n", "did you mean 'users'"),
        (
            "demand: {users: 10, requests_per_second: 5, output_tokens: 300, tokens_per_second_per_user: 30}\n",
            "demand.requests_per_second: contradicts users",
        ),
        (CHAT + "serving: {max_model_len: 2048}\n", "with output_tokens may not be more than max_model_len"),
    ],
)
def test_a_wrong_demand_is_a_clear_fault(tmp_path: Path, rest: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        computed(tmp_path, rest)
    assert words in str(raised.value)
    assert "chat.yaml:" in str(raised.value)


def test_training_reads_no_demand(tmp_path: Path) -> None:
    path = tmp_path / "chat.yaml"
    path.write_text(HEAD.replace("serving", "training") + "demand: {users: 3}\n", encoding="utf-8")
    with pytest.raises(InputError, match="is not read by a training scenario"):
        resolve_all([path])


LINES = {
    "vllm": "vllm serve meta-llama/Llama-3.1-8B --quantization fp8 --tensor-parallel-size 2 --max-model-len 4096 "
    "--max-num-seqs 48 --max-num-batched-tokens 8192 --gpu-memory-utilization 0.92 --kv-cache-dtype fp8",
    "sglang": "python -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B --quantization fp8 --tp-size 2 "
    "--context-length 4096 --max-running-requests 48 --chunked-prefill-size 8192 --kv-cache-dtype fp8_e4m3",
    "trtllm": "trtllm-serve ./Llama-3.1-8B-fp8 --tp_size 2 --max_seq_len 4096 --max_batch_size 48 "
    "--max_num_tokens 8192 --kv_cache_free_gpu_memory_fraction 0.9 --kv_cache_dtype fp8",
    "transformers": "",
}


@pytest.mark.parametrize("engine", LINES)
def test_the_line_that_starts_a_replica(tmp_path: Path, engine: str) -> None:
    serving = (
        f"serving: {{engine: {engine}, weight_dtype: fp8, kv_cache_dtype: fp8, tensor_parallel_size: 2, "
        "max_num_seqs: 48}\n"
    )
    view = View(computed(tmp_path, serving))
    assert engine_command(view, 0) == LINES[engine]
