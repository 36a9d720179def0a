"""Choices that nobody stated: a workbook whose GPU or number is switched says which of them a scenario would change."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.publish.xlsx.file.cells import Value
from memreport.publish.xlsx.scenario.front.page import FOLLOWED, TYPE_IT
from tests.publish.workbook_cases import input_cell, opened, saved
from tests.slim import slim
from tests.support import run, scenario_text
from tests.typed_workbook import recalculate_with

TRAINED = {"hardware": "{accelerator: h100-80gb-sxm, count: 1}", "training": "{framework: torchtitan}"}
SERVED = {
    "workload": "serving",
    "model": "llama-3-8b",
    "hardware": "{accelerator: h100-80gb-sxm, count: 1}",
    "serving": "{engine: vllm}",
}
LOCAL = SERVED | {"serving": "{engine: llama.cpp, weight_dtype: q4_k_m}"}
SHOWN = "What nobody stated"
CASES: list[tuple[dict[str, str], dict[str, Value], dict[str, Value]]] = [
    (TRAINED, {"count": 8.0}, {"zero_stage": 3.0}),
    (TRAINED, {"accelerator": "v100-32gb-sxm"}, {"precision": "fp16-mixed"}),
    (SERVED, {"accelerator": "v100-32gb-sxm"}, {"weight_dtype": "fp16", "kv_cache_dtype": "fp16"}),
    (LOCAL, {"count": 2.0}, {"pipeline_parallel_size": 2.0}),
    (TRAINED, {"accelerator": "l40s"}, {}),
]


def words(path: Path, typed: dict[str, Value]) -> str:
    """What the Summary says beside the answer, once something is typed."""
    sheet = opened(path)["Summary"]
    row = next(row for row in range(1, 20) if sheet.cell(row, 2).value == SHOWN)
    found = recalculate_with(path, {input_cell(path, name): value for name, value in typed.items()})
    return str(found["Summary", f"C{row}"])


@pytest.mark.parametrize(("parts", "typed", "others"), CASES, ids=[str([*typed.items()]) for _, typed, _ in CASES])
def test_a_switch_says_what_a_scenario_would_take_instead(
    parts: dict[str, str], typed: dict[str, Value], others: dict[str, Value], tmp_path: Path
) -> None:
    path = saved(run(tmp_path, scenario_text(**parts), catalogue=slim()), tmp_path)
    assert words(path, {}) == FOLLOWED
    said = words(path, typed)
    assert said.count(" would be ") == len(others)
    changes = ", ".join(f"{name}: {value}" for name, value in typed.items())
    case = run(tmp_path, scenario_text(**parts, variants=f"{{base: {{{changes}}}}}"), catalogue=slim()).resolved.cases[
        0
    ]
    assert {name: case.settings[name] for name in others} == others
    for value in others.values():
        assert f" would be {value:g}; " in said if isinstance(value, float) else f" would be {value}; " in said
    assert said.endswith(TYPE_IT) is bool(others)
    assert words(path, typed | others) == FOLLOWED


def test_what_is_stated_stays_and_is_not_told(tmp_path: Path) -> None:
    stated = SERVED | {"serving": "{engine: vllm, weight_dtype: bf16, kv_cache_dtype: bf16}"}
    path = saved(run(tmp_path, scenario_text(**stated), catalogue=slim()), tmp_path)
    assert words(path, {"accelerator": "v100-32gb-sxm"}) == FOLLOWED


def test_the_answer_for_changed_inputs_points_to_it(tmp_path: Path) -> None:
    path = saved(run(tmp_path, scenario_text(**SERVED), catalogue=slim()), tmp_path)
    found = recalculate_with(path, {input_cell(path, "accelerator"): "v100-32gb-sxm"})
    assert any(str(value).startswith("Inputs changed, and what nobody stated") for value in found.values())
