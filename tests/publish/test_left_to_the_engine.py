"""What an engine takes on a GPU where nobody states it, in a workbook: it follows the GPU, and gives way to numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.publish.xlsx.file.cells import Value
from tests.publish.test_levers import differing
from tests.publish.workbook_cases import input_cell, saved
from tests.slim import slim
from tests.support import run, scenario_text
from tests.typed_workbook import recalculate_with

SERVED = {"workload": "serving", "model": "llama-3-8b"}
H100, L40S = "{accelerator: h100-80gb-sxm, count: 1, host: server}", "{accelerator: l40s, count: 1, host: server}"
ENGINE = "engine: vllm, max_model_len: 4096, context_length: 1024"
TYPED: list[tuple[str, dict[str, Value]]] = [
    (H100, {"accelerator": "l40s"}),
    (L40S, {"accelerator": "h100-80gb-sxm"}),
    (L40S, {"max_num_batched_tokens": 8192.0}),
    (L40S, {"max_num_seqs": 64.0}),
    (H100, {"max_num_seqs": 2048.0, "accelerator": "l40s"}),
    (H100, {"engine": "sglang"}),
]


@pytest.mark.parametrize(("hardware", "typed"), TYPED)
def test_a_change_gives_what_a_scenario_with_it_gives(hardware: str, typed: dict[str, Value], tmp_path: Path) -> None:
    text = scenario_text(**SERVED, hardware=hardware, serving=f"{{{ENGINE}}}")
    path = saved(run(tmp_path, text, catalogue=slim()), tmp_path)
    found = recalculate_with(path, {input_cell(path, name): value for name, value in typed.items()})
    changes = ", ".join(f"{name}: {value}" for name, value in typed.items())
    changed = scenario_text(**SERVED, hardware=hardware, serving=f"{{{ENGINE}}}", variants=f"{{base: {{{changes}}}}}")
    assert not differing(path, tmp_path, found, changed)
