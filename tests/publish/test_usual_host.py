"""The host of a GPU that nobody stated follows the GPU in a workbook, one that is stated stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.publish.xlsx.file.cells import Value
from tests.publish.test_levers import differing
from tests.publish.workbook_cases import input_cell, saved
from tests.slim import slim
from tests.support import run, scenario_text
from tests.typed_workbook import recalculate_with

TRAINED = {"training": "{framework: torchtitan, zero_stage: 3}"}
OPEN, STATED = "{accelerator: h100-80gb-sxm, count: 16}", "{accelerator: h100-80gb-sxm, count: 16, host: dgx-h100}"
TYPED: list[tuple[str, dict[str, Value]]] = [
    (OPEN, {"accelerator": "l40s"}),
    (OPEN, {"accelerator": "rtx-4090", "count": 1.0}),
    (OPEN, {"accelerator": "rtx-4090", "count": 4.0}),
    (OPEN, {"host": "dgx-a100"}),
    (STATED, {"accelerator": "l40s"}),
]


@pytest.mark.parametrize(("hardware", "typed"), TYPED)
def test_a_host_gives_what_a_scenario_with_it_gives(hardware: str, typed: dict[str, Value], tmp_path: Path) -> None:
    path = saved(run(tmp_path, scenario_text(**TRAINED, hardware=hardware), catalogue=slim()), tmp_path)
    found = recalculate_with(path, {input_cell(path, name): value for name, value in typed.items()})
    changes = ", ".join(f"{name}: {value}" for name, value in typed.items())
    changed = scenario_text(**TRAINED, hardware=hardware, variants=f"{{base: {{{changes}}}}}")
    assert not differing(path, tmp_path, found, changed)


def test_the_usual_host_may_be_picked_in_place_of_one_that_is_stated(tmp_path: Path) -> None:
    hardware = "{accelerator: l40s, count: 16, host: dgx-h100}"
    path = saved(run(tmp_path, scenario_text(**TRAINED, hardware=hardware), catalogue=slim()), tmp_path)
    found = recalculate_with(path, {input_cell(path, "host"): "usual"})
    assert not differing(path, tmp_path, found, scenario_text(**TRAINED, hardware="{accelerator: l40s, count: 16}"))
