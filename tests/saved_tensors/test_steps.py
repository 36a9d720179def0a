"""Whole random steps, optimizer included, as torch counts their tensors on the CPU: what is told beside them.

Each row is a model card, settings and the most bytes of two steps of transformers 5.24 with torch 2.13 on fake tensors:
all encoders and encoder-decoders that were drawn, and some of the decoders.  Nothing is fitted on them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.saved_tensors.test_counts import flow
from tests.support import run, scenario_text, value

STEPS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("steps.jsonl").read_text(encoding="utf-8").splitlines()
]
TOLERANCE, BY_DISTANCE, MEDIAN = 0.06, 0.1, 0.01
ADDS_DISTANCES = {"deberta", "deberta-v2", "mpnet", "mt5", "t5"}
"""What their scores by distance take is computed for the larger terms alone, and the range of the answer is wider."""
INSTANTS = ("forward_end_bytes", "backward_start_bytes", "backward_end_bytes", "optimizer_instant_bytes")


def error(folder: Path, step: Mapping[str, Any]) -> float:
    """How far the worst instant lies from the counted one."""
    computed = run(folder, scenario_text(model=flow(step["card"]), training=flow(step["training"])))
    return max(value(computed, name) for name in INSTANTS) / float(step["bytes"]) - 1


def test_random_steps_are_predicted(tmp_path: Path) -> None:
    errors = [(error(tmp_path, step), step["family"]) for step in STEPS]
    wrong = [one for one in errors if abs(one[0]) > (BY_DISTANCE if one[1] in ADDS_DISTANCES else TOLERANCE)]
    assert not wrong
    assert median(abs(found) for found, _ in errors) < MEDIAN


@pytest.mark.parametrize("family", ["bert", "bart", "t5"])
def test_kinds_of_encoders_are_among_them(family: str) -> None:
    assert any(step["family"] == family for step in STEPS)
