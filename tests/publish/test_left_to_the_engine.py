"""What an engine takes on a GPU where nobody states it gives way in a workbook to what is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.publish.workbook_cases import input_cell, row_of, saved
from tests.slim import slim
from tests.support import run, scenario_text
from tests.typed_workbook import recalculate_with, recalculated

L40S = "{accelerator: l40s, count: 1}"
SERVED = "{engine: vllm, max_model_len: 4096, context_length: 1024}"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("usual")
    text = scenario_text(workload="serving", model="llama-3-8b", hardware=L40S, serving=SERVED)
    return saved(run(folder, text, catalogue=slim()), folder)


def shown(path: Path, name: str, **typed: float) -> float:
    changed = {input_cell(path, each): value for each, value in typed.items()}
    found = recalculate_with(path, changed) if changed else recalculated(path)
    assert found["Checks", "F5"] == 0 or changed
    return float(found["Calculation", f"F{row_of(path, 'Calculation', name)}"])


def test_a_typed_batch_takes_the_place_of_the_engines_own(book: Path) -> None:
    assert shown(book, "step_tokens") == 2048
    assert shown(book, "step_tokens", max_num_batched_tokens=4096) == 4096


def test_typed_sequences_take_the_place_of_the_engines_own(book: Path) -> None:
    assert shown(book, "logits_rows") == 256
    assert shown(book, "logits_rows", max_num_seqs=64) == 64
    assert shown(book, "logits_rows", max_num_seqs=512) == 512
