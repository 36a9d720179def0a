"""A workbook of a demand says live whether the load is carried and how many GPUs it takes; its checks fail if not."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.publish.xlsx.common.titles import CHECKS, SUMMARY
from tests.publish.workbook_cases import input_cell, saved
from tests.slim import slim
from tests.support import run, scenario_text
from tests.typed_workbook import recalculate_with

SERVED = {
    "workload": "serving",
    "model": "llama-3.1-8b",
    "hardware": "{accelerator: h100-80gb-sxm, count: 4}",
    "serving": "{max_num_seqs: 64, max_model_len: 4096}",
    "cost": "{basis: rent, price: aws-p5-on-demand}",
}


def said(folder: Path, users: float) -> tuple[list[str], float]:
    """What cells of the Summary say once so many users are typed in place of 100, and how many checks fail."""
    made = run(folder, scenario_text(**SERVED, demand="{users: 100}"), catalogue=slim())
    path = saved(made, folder)
    found = recalculate_with(path, {input_cell(path, "users"): users})
    texts = [value for (sheet, _), value in found.items() if sheet == SUMMARY and isinstance(value, str)]
    failing = found[CHECKS, "F5"]
    assert isinstance(failing, float)
    return texts, failing


@pytest.mark.parametrize(("users", "carried"), [(100.0, True), (3000.0, False)])
def test_a_load_that_is_not_carried_is_said_and_fails_a_check(tmp_path: Path, users: float, carried: bool) -> None:
    texts, failing = said(tmp_path, users)
    assert (failing == 0) is carried
    assert any("4 of " in text and "GPUs needed" in text for text in texts) is not carried
