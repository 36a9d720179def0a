"""What comes nearest where GPUs do not hold a job, what starts, and for how long a service is paid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memreport.advise.verdict import DOES_NOT_FIT, QUEUES
from memreport.build.answers.fitting import fitted
from tests.conftest import Asked
from tests.report.answers import answer_to
from tests.support import scenario_text

LOCAL = "{accelerator: rtx-4090, count: 1}"


def test_the_nearest_number_of_gpus_is_the_fewest_that_share_out_the_batch() -> None:
    """24 hold it, among which 64 sequences a step are not shared out."""
    said = fitted("llama-3-70b", "a100-80gb-sxm", "x1", "full", None)[0]
    assert "the nearest that fits is 32 × A100 80 GB SXM4" in " ".join(said.split())


def test_which_gpu_names_several_where_none_holds_a_model_alone(asked: Asked) -> None:
    said = asked("Which GPU do I need to run DeepSeek R1?")
    assert "✓ 4 × Instinct MI300X with FP8 cache, TP 2 and EP 2 is the least that was found to hold it; none" in said
    assert "✗ None of " in asked("Which GPU for full fine-tuning of Llama 3.1 405B?")


@pytest.mark.parametrize(("engine", "word"), [("llama.cpp", DOES_NOT_FIT), ("vllm", QUEUES)])
def test_an_engine_that_reserves_all_caches_does_not_start_with_fewer(tmp_path: Path, engine: str, word: str) -> None:
    path = tmp_path / "served.yaml"
    serving = f"{{engine: {engine}, max_num_seqs: 32, max_model_len: 4096, kv_cache_dtype: bf16}}"
    path.write_text(scenario_text("served", workload="serving", model="Llama-3-8B", hardware=LOCAL, serving=serving))
    assert answer_to(path)[1][0].word == word


def test_a_question_says_how_long_a_service_with_a_stated_cost_is_paid_for(tmp_path: Path) -> None:
    path = tmp_path / "paid.yaml"
    blocks = {"workload": "serving", "question": "What does it cost for 12 months?"}
    path.write_text(scenario_text("paid", **blocks, cost="{basis: rent, price: aws-p4de-on-demand}"))
    assert "for 12 months" in answer_to(path)[0].headline
    path.write_text(scenario_text("paid", **blocks, cost="{basis: rent, price: aws-p4de-on-demand, hours: 100}"))
    assert "for 4.17 days" in answer_to(path)[0].headline


def test_a_size_that_fits_tightly_is_told_of_the_gpus_that_are_named(asked: Asked) -> None:
    """Unsloth's own table has 12,106 tokens for this job (unsloth.ai/blog/llama3-3)."""
    answer = asked("Unsloth QLoRA Llama 3.3 70B on 48 GB, what is the max sequence length?")
    found = re.search(r"! Up to ([\d,]+) tokens a sequence .* without the planned headroom; the nearest", answer)
    assert found
    assert 10_000 < int(found[1].replace(",", "")) < 14_000
