"""Every option that a printed command line may hold is one that the engine's own parser declares."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.yaml import strict as strict_yaml
from memreport.compute import compute
from memreport.errors import InputError
from memreport.report.engine_command import engine_command
from memreport.report.view import View
from memreport.resolve import resolve_all
from tests.support import ROOT, packaged, run, scenario_text

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


@pytest.mark.parametrize("engine", OPTIONS)
def test_options_are_those_that_were_looked_up(engine: str) -> None:
    table = packaged().tables["engines"]
    said = set(OPTION.findall(" ".join(texts[table.row(engine)] for texts in table.texts.values())))
    assert said | ({"--config"} if engine == "trtllm" else set()) == OPTIONS[engine]


def test_every_engine_that_has_a_command_was_looked_up() -> None:
    table = packaged().tables["engines"]
    assert {engine for engine in table.ids if table.text("command.program", engine)} == set(OPTIONS)


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


def own_engines(folder: Path, changed: str) -> str:
    """What starts a server where the folder has a table of engines of its own."""
    (folder / "reference").mkdir()
    (folder / "reference" / "engines.yaml").write_text(changed, encoding="utf-8")
    blocks = {"workload": "serving", "serving": "{engine: vllm, weight_dtype: fp8}"}
    return engine_command(View(run(folder, scenario_text(**blocks))), 0)


ENGINES = (ROOT / "scenarios" / "reference" / "engines.yaml").read_text(encoding="utf-8")


def test_a_table_from_before_there_were_commands_keeps_those_of_the_packaged_one(tmp_path: Path) -> None:
    before, after = ENGINES.split("commands:")[0], ENGINES.partition("\nrows:")[2]
    older = re.sub(r"(?m)^    command: .*\n", "", f"{before}rows:{after}")
    assert own_engines(tmp_path, older).startswith("vllm serve meta-llama/Llama-2-7b-hf --quantization fp8")


def test_a_command_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    said = (
        r"engines\.yaml:\d+:\d+: rows\.0\.command: names no command of this file \(found 'vlm'\)\s+did you mean 'vllm'"
    )
    with pytest.raises(InputError, match=said):
        own_engines(tmp_path, ENGINES.replace("command: vllm\n", "command: vlm\n", 1))
