"""A question without a file: the answer as `show` gives it, what was read, and the scenario behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from memreport.commands.main import main
from memreport.errors import BAD_INPUT, DONE

QUESTION = "Can two RTX 4090 serve a 70B in 4-bit?"


def test_a_question_is_answered_and_says_what_was_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", *QUESTION.split()]) == DONE
    said = capsys.readouterr().out
    question, _, headline, *_ = said.splitlines()
    assert question == QUESTION
    assert headline.startswith("✓ Yes, with ")
    assert "Read in the question: llama-3.3-70b as model, two rtx 4090 as hardware, int4 as weight_dtype" in " ".join(
        said.split()
    )


def test_the_saved_scenario_states_what_was_read_and_gives_the_same_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["ask", QUESTION, "--save", "job.yaml"]) == DONE
    asked = capsys.readouterr().out.splitlines()[:5]
    scenario = yaml.safe_load(Path("job.yaml").read_text(encoding="utf-8"))
    assert scenario["hardware"] == {"accelerator": "rtx-4090", "count": 2}
    assert scenario["serving"] == {"weight_dtype": "int4"}
    assert main(["show", "job.yaml"]) == DONE
    assert capsys.readouterr().out.splitlines()[:5] == asked
    assert main(["ask", QUESTION, "--save", "job.yaml"]) == BAD_INPUT
    assert "job.yaml: exists already" in capsys.readouterr().err


def test_a_saved_comparison_keeps_the_gpus_on_which_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["ask", "Is Llama 3.3 70B cheaper to serve on H100 or on MI300X?", "--save", "job.yaml"]) == DONE
    asked = capsys.readouterr().out.splitlines()[:8]
    assert main(["show", "job.yaml"]) == DONE
    assert capsys.readouterr().out.splitlines()[:8] == asked


@pytest.mark.parametrize(
    "question",
    [
        "What does it cost to fine-tune a 7B on 100 million tokens?",
        "How much does it cost to serve Llama 3.3 70B?",
        "cheapest GPU to QLoRA 8B",
        "How much does it cost to fine-tune Llama 3 8B with LoRA for 24 hours?",
        "How many GPUs to train a 7B?",
        "Which GPU for Qwen3 8B with 100 users?",
    ],
)
def test_a_gpu_that_nobody_named_is_not_saved_as_if_it_were(
    question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["ask", question, "--save", "job.yaml"]) == DONE
    asked = capsys.readouterr().out.split("\n\n")[1]
    assert main(["show", "job.yaml"]) == DONE
    assert capsys.readouterr().out.split("\n\n")[1] == asked


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does it fit one H100?", "the question names no model that is known (allowed: memreport list models)"),
        (" ", 'the question is empty (allowed: such as memreport ask "Can two RTX 4090 serve a 70B in 4-bit?")'),
        ("Does Llama 3 8B fit?", "the question names no GPU that is known (allowed: memreport list accelerators)"),
    ],
)
def test_what_a_question_leaves_out_is_said(question: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", question]) == BAD_INPUT
    assert capsys.readouterr().err == f"memreport: {said}\n"
