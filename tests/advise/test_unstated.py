"""What a scenario does not state: which inputs, under which choices, and that every output says it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memreport.advise.comparisons.unstated import DECIDING, unstated, unstated_of_cost
from memreport.catalogue.scenario import dictionary
from memreport.publish.json.scenario import record
from memreport.report.assumed import not_stated, text_rows
from memreport.report.speed.limits import speed_words
from memreport.report.view import View
from tests.support import run, scenario_text, value

STATED = "{framework: huggingface, attention: flash, precision: bf16-mixed, optimizer: adamw, %s}"


def test_a_default_is_found_with_every_other_choice(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(training=STATED % "sequence_length: 2048"))
    (found,) = unstated(computed)["base"]
    assert (found.field, found.assumed) == ("optimizer_implementation", "fused")
    assert [one.choice for one in found.choices] == ["foreach", "for-loop"]


@pytest.mark.parametrize("stated", [False, True])
def test_dropout_that_the_makers_trained_with_is_asked_for(stated: bool, tmp_path: Path) -> None:
    told = "optimizer_implementation: fused, sequence_length: 1024" + ", attention_dropout: 0" * stated
    training = (STATED % told).replace("flash", "eager")
    variants = "{open: {}, with: {training.attention_dropout: 0.1, training.hidden_dropout: 0}}"
    computed = run(tmp_path, scenario_text(model="gpt2", training=training, variants=variants))
    found = {one.field: one for one in unstated(computed)["open"]}
    assert list(found) == ["hidden_dropout", *(["attention_dropout"] if not stated else [])]
    assert unstated(computed)["with"] == ()
    assert {one.assumed for one in found.values()} == {"0"}
    if not stated:
        (other,) = found["attention_dropout"].choices
        assert other.choice == "0.1"
        assert other.peak_bytes == pytest.approx(value(computed, "peak_bytes", 1))
        assert other.peak_bytes > value(computed, "peak_bytes", 0)


def test_what_is_stated_is_not_asked(tmp_path: Path) -> None:
    said = "optimizer_implementation: fused, model_flop_utilization: 0.4, training_tokens: 1e9, sequence_length: 2048"
    computed = run(tmp_path, scenario_text(training=STATED % said))
    assert unstated(computed) == {"base": ()}
    assert not_stated(View(computed), unstated(computed)) is None
    assert text_rows(computed, [0], unstated(computed)) == []
    assert record(computed, unstated(computed))["assumptions"] == {"base": []}


def test_what_decides_time_and_cost_and_nobody_stated_is_named(tmp_path: Path) -> None:
    plain = run(tmp_path, scenario_text(cost="{basis: rent, price: aws-p4de-on-demand}"))
    (heading,) = next(row for row in text_rows(plain, [0], unstated(plain)) if row)
    assert heading.startswith("NOT STATED, SO ASSUMED")
    assert all(word in heading for word in ("training tokens 1 billion", "goodput 100 %"))
    made = not_stated(View(plain), unstated(plain))
    assert made
    assert View(plain).text("step_limit", 0) == "the sum over kernels, traffic and host"
    assert "computed from its kernels" in speed_words(View(plain), 0)
    stated = run(tmp_path, scenario_text(training="{model_flop_utilization: 0.4}"))
    assert View(stated).text("step_limit", 0) == "the stated utilisation"
    assert "at the stated utilisation of" in speed_words(View(stated), 0)


def test_another_choice_is_what_a_variant_with_it_would_be(tmp_path: Path) -> None:
    variants = "{open: {}, said: {training.attention: eager}}"
    computed = run(tmp_path, scenario_text(training="{sequence_length: 2048}", variants=variants))
    found = {one.field: one for one in unstated(computed)["open"]}
    eager = next(one for one in found["attention"].choices if one.choice == "eager")
    assert eager.peak_bytes == pytest.approx(value(computed, "peak_bytes", 1))
    assert "attention" not in {one.field for one in unstated(computed)["said"]}
    assert set(found) == {*DECIDING["training"]} - {"rollout_memory_share"}


def test_a_choice_that_breaks_a_rule_is_left_out(tmp_path: Path) -> None:
    text = scenario_text(training="{zero_stage: 3, framework: huggingface}", hardware="{accelerator: h100-80gb-sxm}")
    assert all(one.choices for one in unstated(run(tmp_path, text))["base"])


def test_an_engine_that_is_not_stated(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(workload="serving", serving="{max_model_len: 4096}", training=None))
    found = {one.field: one for one in unstated(computed)["base"]}
    assert set(found) == set(DECIDING["serving"])
    assert [one.choice for one in found["gpu_memory_utilization"].choices] == ["0.85", "0.95"]


def test_every_deciding_input_has_a_default() -> None:
    for workload, names in DECIDING.items():
        assert not [name for name in names if dictionary(workload)[name].required]


def test_the_sentence_says_how_far_and_whether_the_verdict_turns(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(training="{sequence_length: 2048}"))
    said = not_stated(View(computed), unstated(computed))
    assert said is not None
    assert said.sentence.startswith(
        "Assumed, not stated: framework, attention and 3 more. Another choice moves the peak as submitted"
    )
    assert {one.assumed for one in said.rows} == {True, False}
    json.dumps([one.peak for one in said.rows], allow_nan=False)


def test_what_generates_its_answers_says_that_no_engine_is_counted(tmp_path: Path) -> None:
    open_ = {
        stated: [each for each in unstated(generated)["base"] if each.field == "rollout_memory_share"]
        for stated in ("", ", rollout_memory_share: 0.3")
        for generated in [run(tmp_path, scenario_text(training=f"{{objective: grpo{stated}}}"))]
    }
    assert [choice.choice for choice in open_[""][0].choices] == ["0.3", "0.5"]
    assert not open_[", rollout_memory_share: 0.3"]
    tuned = run(tmp_path, scenario_text(training="{objective: dpo}"))
    assert not [each for each in unstated(tuned)["base"] if each.field == "rollout_memory_share"]
    assert "rollout_tokens" not in unstated_of_cost(tuned, 0)
