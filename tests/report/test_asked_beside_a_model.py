"""Questions that a scenario asks beside what it has to state anyhow: each has an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.commands.main import main
from memreport.errors import DONE
from tests.support import scenario_text

LARGEST = "What is the largest model we can fine-tune with LoRA?"


def answered(folder: Path, capsys: pytest.CaptureFixture[str], question: str, **blocks: str) -> str:
    file = folder / "mine.yaml"
    text = scenario_text(id="mine", question=question, hardware="{accelerator: rtx-4090}", **blocks)
    file.write_text(text, encoding="utf-8")
    assert main(["show", str(file)]) == DONE
    return " ".join(capsys.readouterr().out.split())


def test_the_largest_model_is_sought_among_sizes_though_one_is_stated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lora = "{method: lora, micro_batch_size: 1, sequence_length: 2048}"
    assert "Up to llama-3.1-8b with" in answered(tmp_path, capsys, LARGEST, model="llama-2-7b", training=lora)


def test_variants_of_which_none_is_recommended_answer_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    variants = "{a: {training.sequence_length: 4096}, b: {training.sequence_length: 8192}}"
    said = answered(tmp_path, capsys, LARGEST, model="llama-2-7b", training="{method: full}", variants=variants)
    assert "none of 2 fits" in said.lower()


def test_carbon_that_is_asked_for_and_not_known_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = "How much energy and CO2 does it use?"
    run = "{training_tokens: 1e9}"
    assert "its CO2 is counted where" in answered(
        tmp_path, capsys, asked, model="gpt2", training=run, cost="{basis: rent}"
    )
    assert " kg of CO2" in answered(tmp_path, capsys, asked, model="gpt2", training=run), "the mean of all grids"
