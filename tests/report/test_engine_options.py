"""Every option that a printed command line may hold is one that the engine's own parser declares."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.yaml import strict as strict_yaml
from memreport.compute import compute
from memreport.report.engine_command import ENGINES, engine_command
from memreport.report.view import View
from memreport.resolve import resolve_all
from tests.support import run, scenario_text

TABLE: list[dict[str, Any]] = strict_yaml.read(Path(__file__).parents[1] / "data" / "engine_options.yaml").data
OPTIONS = {engine: set(row["options"]) for row in TABLE for engine in row["engines"]}
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
EVERYTHING = """schema: 1
id: everything
version: 1
title: Everything
model: qwen3-30b-a3b
hardware: {accelerator: h100-80gb-sxm, count: 16, host: dgx-h100}
workload: serving
serving:
  {engine: ENGINE, weight_dtype: fp8, kv_cache_dtype: CACHE, tensor_parallel_size: TP, expert_parallel_size: EP,
   speculative_tokens: 3, disaggregated: true, enforce_eager: true}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_options_are_those_that_were_looked_up(engine: str) -> None:
    said = set(OPTION.findall(str(asdict(ENGINES[engine]))))
    printed = said | ({"--ctx-size"} if engine == "llama.cpp" else {"--config"} if engine == "trtllm" else set())
    assert printed == OPTIONS[engine]


@pytest.mark.parametrize("engine", ["vllm", "sglang", "trtllm", "llama.cpp"])
def test_a_line_with_everything_holds_no_other_option(tmp_path: Path, engine: str) -> None:
    llama = engine == "llama.cpp"
    told = {
        "ENGINE": engine,
        "CACHE": "q8_0" if llama else "fp8",
        "TP": "16" if llama else "4",
        "EP": "1" if llama else "4",
    }
    path = tmp_path / "everything.yaml"
    text = EVERYTHING.replace("fp8, kv", "q4_k_m, kv") if llama else EVERYTHING
    for word, value in told.items():
        text = text.replace(word, value)
    path.write_text(text.replace("disaggregated: true, enforce_eager: true", "") if llama else text, encoding="utf-8")
    line = engine_command(View(compute(resolve_all([path]))[0]), 0)
    assert set(OPTION.findall(line)) <= OPTIONS[engine]
    assert "3" in re.findall(r"\d+", line)
    assert shlex.split(line)
    assert " config: " not in line


@pytest.mark.parametrize(
    ("gpu", "serving", "said"),
    [
        ("l40s", "{}", set()),
        ("h100-80gb-sxm", "{}", {"--max-num-batched-tokens"}),
        ("l40s", "{max_num_seqs: 32, max_num_batched_tokens: 8192}", {"--max-num-seqs", "--max-num-batched-tokens"}),
    ],
)
def test_what_the_engine_takes_for_its_gpu_is_left_to_it(
    tmp_path: Path, gpu: str, serving: str, said: set[str]
) -> None:
    """vLLM takes 256 sequences and 2,048 tokens on a small GPU, 1,024 and 8,192 on a large one: so it is counted."""
    hardware = f"{{accelerator: {gpu}, count: 1}}"
    found = run(tmp_path, scenario_text(workload="serving", model="llama-3.1-8b", hardware=hardware, serving=serving))
    options = set(OPTION.findall(engine_command(View(found), 0)))
    assert options & {"--max-num-seqs", "--max-num-batched-tokens"} == said
    assert found.values["step_tokens"][0] == (2048 if (gpu, serving) == ("l40s", "{}") else 8192)
