"""Questions for memory: the peak or its parts, and why it runs out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memreport.advise.decide import decide
from memreport.advise.verdict import DOES_NOT_FIT, FITS
from memreport.compute import compute
from memreport.report.answer.answered import answered
from memreport.resolve import resolve_all
from tests.report.answers import answer_to
from tests.support import scenario_text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much memory does it need?", "32 of 79.6 GiB per GPU."),
        (
            "How big are the gradients and the optimizer?",
            "Gradients 0.0508 GiB and optimizer states 0.102 GiB, at a peak of ",
        ),
        ("Why does it run out of memory?", "It fits as submitted: "),
        ("Will it run out of memory?", "No, as submitted: "),
    ],
)
def test_memory_is_answered_by_its_parts_and_no_yes_is_said_to_a_question_for_none(
    tmp_path: Path, question: str, said: str
) -> None:
    """LoRA of rank 16 on the attention of Llama 3 8B: 13,631,488 parameters, of 4 and of 8 bytes."""
    path = tmp_path / "memory.yaml"
    hardware, training = "{accelerator: h100-80gb-sxm, count: 1}", "{method: lora, lora_rank: 16}"
    blocks = {"model": "llama-3-8b", "hardware": hardware, "training": training, "question": question}
    path.write_text(scenario_text("memory", **blocks), encoding="utf-8")
    assert answered(decide(compute(resolve_all([path]))[0], sensitivity=False))[0].headline.startswith(said)


def test_users_of_a_model_that_does_not_fit_are_none(tmp_path: Path) -> None:
    path = tmp_path / "none.yaml"
    blocks = {"model": "deepseek-v3", "hardware": "8xH100", "workload": "serving", "serving": "{weight_dtype: fp8}"}
    path.write_text(scenario_text("none", **blocks, question="How many users can it serve?"))
    answer = answer_to(path)[0]
    assert answer.word == DOES_NOT_FIT
    assert answer.headline.startswith("None: it does not fit; the nearest that fits is 16 × ")


def test_long_sequences_are_cut_over_the_gpus(tmp_path: Path) -> None:
    path = tmp_path / "long.yaml"
    blocks = {"model": "qwen2.5-32b", "hardware": "8xH200", "training": "{sequence_length: 65536}"}
    path.write_text(scenario_text("long", **blocks, question="Does it fit?"))
    answer = answer_to(path)[0]
    assert answer.word == FITS
    assert "CP 8" in answer.headline


def test_an_engine_that_does_not_start_serves_no_users(tmp_path: Path) -> None:
    """Llama 3.1 8B leaves 5 GiB of an RTX 4090; a request of 131,072 tokens takes 16, sequences of 2,048 a quarter."""
    path = tmp_path / "longest.yaml"
    variants = "{short: {serving.max_model_len: 4096}, long: {serving.max_model_len: 131072}}"
    blocks = {"model": "llama-3.1-8b", "hardware": "rtx-4090", "workload": "serving", "variants": variants}
    serving = "{context_length: 2048, max_num_seqs: 8}"
    path.write_text(scenario_text("longest", **blocks, serving=serving, question="How many users can each serve?"))
    answer, rows = answer_to(path)
    assert re.fullmatch(r"\d\d users at once with short; 0 with long\.", answer.headline), answer.headline
    assert [(row.name, row.serves.users, row.word) for row in rows if row.name == "long"] == [
        ("long", "0", DOES_NOT_FIT)
    ]
