"""Machines whose GPU shares the processor's memory, and models that are released in 4 bits, as desktop programs run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import run, scenario_text


@pytest.mark.parametrize(
    ("question", "engine", "weights"),
    [
        ("DGX Spark with gpt-oss-120b: how many tokens per second?", "llama.cpp", "mxfp4_moe"),
        ("How fast is Qwen3 30B A3B on a Strix Halo 128GB?", "llama.cpp", "q4_k_m"),
        ("Can a Jetson AGX Orin run Llama 3.1 8B?", "llama.cpp", "q4_k_m"),
        ("Does gpt-oss-20b run on a MacBook with 32 GB?", "llama.cpp", "mxfp4_moe"),
        ("How fast is gpt-oss-20b on an RTX 4090 with Ollama?", "llama.cpp", "mxfp4_moe"),
        ("Can a DGX Spark serve gpt-oss-120b with vLLM?", "vllm", "mxfp4-experts"),
        ("Can a DGX Spark run Llama 3.1 8B in Q8_0?", "llama.cpp", "q8_0"),
        ("Can two DGX Spark run gpt-oss-120b?", "vllm", "mxfp4-experts"),
    ],
)
def test_what_runs_on_a_desktop(tmp_path: Path, question: str, engine: str, weights: str) -> None:
    computed = run(tmp_path, scenario_text(model=None, hardware=None, workload=None, question=f'"{question}"'))
    settings = computed.resolved.cases[0].settings
    assert (settings["engine"], settings["weight_dtype"]) == (engine, weights)
