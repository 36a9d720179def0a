"""What is asked is what is answered: GPU-hours, both ends of a change, rent beside a purchase, limits, users."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memreport.advise.decide import decide
from memreport.report.answer.answered import answered
from memreport.report.answer.notes import notes_of
from memreport.report.records.decision import Answer
from memreport.resolve import resolve_given
from tests.catalogue.test_named_in_questions import asked as asked_of
from tests.report.answers import answer_to
from tests.support import run, scenario_text

NUMBER = r"[0-9,.]+"


def said(folder: Path, question: str) -> Answer:
    return answered(decide(asked_of(folder, question)))[0]


def test_gpu_hours_are_answered_in_gpu_hours(tmp_path: Path) -> None:
    headline = said(tmp_path, "How many GPU hours does LoRA of Llama 3 8B on 100M tokens take on 8 H100?").headline
    found = re.match(rf"({NUMBER}) \({NUMBER} to {NUMBER}\) GPU-hours, ({NUMBER}) (h|min) \(", headline)
    assert found, headline
    assert " on 8 × H100" in headline
    hours = float(found[2]) / (60 if found[3] == "min" else 1)
    assert float(found[1]) == pytest.approx(8 * hours, rel=0.02)


CHANGES = [
    ("What happens if we increase context from 8k to 32k for Llama 3.1 8B on an L40S?", "max_model_len", (8192, 32768)),
    ("What if the micro-batch goes from 4 to 8 in LoRA of Llama 3.1 8B on an H100?", "micro_batch_size", (4, 8)),
    ("LoRA of Llama 3.1 8B, sequence length from 2k to 4k on an H100: what changes?", "sequence_length", (2048, 4096)),
    ("Does Llama 3.1 8B still fit an L40S with context from 16k to 64k tokens?", "max_model_len", (16384, 65536)),
]


@pytest.mark.parametrize(("question", "field", "ends"), CHANGES, ids=[field for _, field, _ in CHANGES])
def test_a_change_is_answered_for_both_of_its_ends(
    tmp_path: Path, question: str, field: str, ends: tuple[int, int]
) -> None:
    computed = asked_of(tmp_path, question)
    assert tuple(case.settings[field] for case in computed.resolved.variants) == ends
    headline = answered(decide(computed))[0].headline
    assert all(case.name in headline for case in computed.resolved.variants)


def test_a_longer_context_holds_fewer_users(tmp_path: Path) -> None:
    headline = said(tmp_path, CHANGES[0][0]).headline
    first, second = map(int, re.findall(r"(\d+) (?:users at once )?with \d+k context", headline))
    assert first > 3 * second > 0


def test_what_is_compared_is_not_changed_to_make_it_fit(tmp_path: Path) -> None:
    """Neither batch fits: the answer may not say that both are as fast with a third one."""
    headline = said(tmp_path, "What if the batch goes from 64 to 128 in LoRA of Llama 3.1 8B on an H100?").headline
    assert "as fast" not in headline
    assert "None of 2 fits" in headline


def test_rent_beside_a_purchase_takes_the_prices_that_are_known_and_says_them(tmp_path: Path) -> None:
    decision = decide(asked_of(tmp_path, "Should we rent an H100 or buy two 4090s for serving Qwen2.5 14B?"))
    headline = answered(decision)[0].headline
    assert re.match(
        rf"Buy, as renting costs less only for a part of that time: h100 costs \${NUMBER} a month", headline
    ), headline
    notes = " ".join(notes_of(decision))
    assert re.search(r"price [\w-]+ \(\$[0-9.]+/h, 20\d\d-\d\d", notes)
    assert re.search(r"rtx-4090-launch of two 4090s \(\$1,599, 2022-10\)", notes)


def test_a_side_that_does_not_fit_is_named(tmp_path: Path) -> None:
    headline = said(tmp_path, "Should we rent an H100 or buy a 4090 to serve Qwen2.5 32B in BF16?").headline
    assert headline.startswith("Not known: ")
    assert "does not fit" in headline
    assert "is stated" not in headline


def test_rent_or_buy_of_one_run_speaks_of_the_run(tmp_path: Path) -> None:
    """No months of a horizon that nobody stated: the run alone lasts hours."""
    cost = "{basis: rent, price: aws-p5-on-demand, purchase_price: h100-street-low, rent_or_buy: true}"
    computed = run(
        tmp_path,
        scenario_text(
            question='"Should we rent or buy?"',
            cost=cost,
            hardware="{accelerator: h100-80gb-sxm, count: 8}",
            training="{zero_stage: 3, gradient_checkpointing: full, training_tokens: 1e8}",
        ),
    )
    headline = answered(decide(computed))[0].headline
    assert re.match(rf"Rent: rent for the run is \${NUMBER}, the purchase \${NUMBER}; buying pays after", headline)
    assert "month 0" not in headline


LIMITED = "Can we fine-tune Mistral 7B v0.3 on 4 A100 80GB within 3 days for under {} dollars?"


@pytest.mark.parametrize(("usd", "above"), [(300, True), (5000, False)])
def test_limits_of_a_question_are_answered_with_what_keeps_them(tmp_path: Path, usd: int, above: bool) -> None:
    stated = {
        "model": "mistral-7b-v0.3",
        "hardware": "{accelerator: a100-80gb-sxm, count: 4}",
        "training": "{zero_stage: 2, gradient_checkpointing: full, micro_batch_size: 2, sequence_length: 4096,"
        " training_tokens: 8e8}",
        "cost": "{basis: rent, price: aws-p4de-on-demand}",
    }
    path = tmp_path / "scenario.yaml"
    path.write_text(scenario_text("scenario", question=f'"{LIMITED.format(usd)}"', **stated), encoding="utf-8")
    answer = answer_to(path)[0]
    assert re.search(rf"{NUMBER} h of 72 h and \${NUMBER} of \${usd:,}\.", answer.headline), answer.headline
    assert ("At the high end of its range the cost" in answer.detail) is above
    assert (f"above the ${usd:,}, unless other jobs" in answer.detail) is above


def test_users_beside_a_speed_say_at_how_many_it_is(tmp_path: Path) -> None:
    served = "{engine: llama.cpp, weight_dtype: q4_k_m, max_num_seqs: 4, max_model_len: 8192, context_length: 4096}"
    computed = run(tmp_path, scenario_text(
        workload="serving", model="llama-3-8b", hardware="{accelerator: m2-ultra, count: 1}", serving=served,
        question='"How many users can it serve, and how fast is it?"'))  # fmt: skip
    answer = answered(decide(computed))[0]
    assert answer.headline.endswith(", 4 at once.")
    fast = re.search(rf"{NUMBER} tokens/s \({NUMBER} to {NUMBER}\)", answer.headline)
    assert fast
    assert fast[0] not in answer.detail  # said once


def test_warnings_of_a_question_without_a_file_name_no_mapping() -> None:
    given = {
        "schema": 1,
        "id": "asked",
        "version": 1,
        "title": "Asked",
        "question": "Is it cheaper on H100 or on MI300X?",
        "model": "llama-3-8b",
        "workload": "serving",
    }
    resolved = resolve_given(given)
    assert resolved.warnings
    assert not [warning for warning in resolved.warnings if "mapping" in f"{warning}{warning.sentence}"]
