"""What is another way to work, and what only another number: assumptions, layers that are recomputed, other GPUs."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.advise.candidates import Role
from memreport.advise.decide import Decision, decide
from memreport.report.answer.sentences import answer_of
from memreport.report.records.decision import Answer
from tests.support import run, scenario_text

TRAINED = "{sequence_length: 4096, zero_stage: 3, gradient_checkpointing: full, training_tokens: 2e9}"
SMALL = (
    "{framework: unsloth, method: qlora, target_modules: all-linear, optimizer: adamw-8bit, sequence_length: 2048, "
    "gradient_checkpointing: true}"
)
ON_FOUR = "{accelerator: h100-80gb-sxm, count: 4, host: dgx-h100}"
DEEP = (
    "{{framework: megatron, sequence_length: 8192, global_batch_size: 2048, tensor_parallel_size: 8, "
    "pipeline_parallel_size: 16, virtual_pipeline_parallel_size: 4, zero_stage: 2, training_tokens: 15.6e12{}}}"
)


def _decided(folder: Path, **blocks: str) -> tuple[Decision, Answer]:
    made = decide(run(folder, scenario_text(**blocks)), sensitivity=False)
    return made, answer_of(made)


@pytest.mark.parametrize("expected", ["model_flop_utilization: 0.6", "measured_time_factor: 0.5"])
def test_who_only_expects_more_of_a_job_has_no_cheaper_way_to_work(tmp_path: Path, expected: str) -> None:
    decision, answer = _decided(
        tmp_path,
        model="llama-3-8b",
        question="Does it fit, and what does it cost?",
        hardware=ON_FOUR,
        training=TRAINED,
        cost="{price: 2.50 USD/h}",
        variants=f"{{plain: {{}}, hoped: {{training.{expected}}}}}",
    )
    cost = decision.computed.values["whole_cost_usd"]
    assert cost[1] < cost[0] * 0.8
    assert decision.chosen == "plain"
    assert "hoped" not in {row.name for row in answer.options}
    assert answer.chosen.takes.cost
    assert answer.chosen.takes.cost.amount.text in answer.detail


def test_a_variant_that_works_otherwise_may_also_expect_something_else(tmp_path: Path) -> None:
    decision, _ = _decided(
        tmp_path,
        model="llama-3-8b",
        hardware=ON_FOUR,
        training="{sequence_length: 4096}",
        variants="{naive: {}, cut: {training.zero_stage: 3, training.gradient_checkpointing: full, "
        "training.model_flop_utilization: 0.4}}",
    )
    assert decision.chosen == "cut"


def _deep(folder: Path, more: str = "", **blocks: str) -> tuple[Decision, Answer]:
    hardware = "{accelerator: h100-80gb-sxm, count: 16384, host: dgx-h100}"
    asked = {"model": "llama-3.1-405b", "question": "How long does it take?", "training": DEEP.format(more)}
    return _decided(folder, hardware=hardware, **asked, **blocks)


def test_no_more_layers_are_recomputed_than_it_takes(tmp_path: Path) -> None:
    decision, answer = _deep(tmp_path)
    chosen = decision.options.chosen
    settings = chosen.case.settings
    assert settings["gradient_checkpointing"] == "full"
    layers = settings["recompute_num_layers"]
    assert 0 < layers < decision.plan.job.value("layers_per_stage")
    less = f", gradient_checkpointing: full, recompute_num_layers: {layers - 1:.0f}"
    fewer = _deep(tmp_path, less)[0].options.submitted
    assert not fewer.headroom_kept
    assert f"{layers:.0f} layers of each stage recomputed" in answer.headline


def test_a_variant_is_one_change_and_loses_to_no_dearer_one(tmp_path: Path) -> None:
    variants = (
        "{plain: {}, all: {training.gradient_checkpointing: full}, "
        "some: {training.gradient_checkpointing: full, training.recompute_num_layers: 2}}"
    )
    decision, _ = _deep(tmp_path, variants=variants)
    by_name = {each.case.name: each for each in decision.options.candidates}
    assert by_name["some"].headroom_kept
    assert by_name["some"].cost < by_name["all"].cost
    assert decision.options.chosen.cost <= by_name["some"].cost


def test_adapters_are_no_other_job_of_a_pretraining(tmp_path: Path) -> None:
    assert Role.DIFFERENT_JOB not in {row.role for row in _deep(tmp_path)[1].options}


def test_the_nearest_gpu_is_the_smallest_that_holds_the_job(tmp_path: Path) -> None:
    decision, _ = _decided(
        tmp_path, model="qwen3-32b", question="Does it fit?", hardware="{accelerator: rtx-4090}", training=SMALL
    )
    assert decision.options.nearest
    assert decision.options.nearest.case.settings["accelerator"] == "rtx-5090"


SERVED = (
    "{weight_dtype: bf16, tensor_parallel_size: 4, max_model_len: 8192, context_length: 8192, prompt_tokens: 7000, "
    "output_tokens: 500, max_num_seqs: 64}"
)


def test_users_at_a_pace_are_those_that_the_stated_gpus_serve(tmp_path: Path) -> None:
    decision, answer = _decided(
        tmp_path,
        workload="serving",
        model="llama-3.1-70b",
        question="How many users at 20 tokens/s each?",
        hardware=ON_FOUR,
        serving=SERVED,
        cost="{price: 3.0 USD/h, months: 12}",
        variants="{bf16: {}, fp8: {serving.weight_dtype: fp8, serving.kv_cache_dtype: fp8}}",
    )
    assert answer.chosen.gpus.count == 4
    users = {name: f"{limit.value:,.0f}" for name, limit in decision.limits.users.items()}
    assert answer.headline.startswith(f"{users['bf16']} users at once with bf16; {users['fp8']} with fp8")
    slow = next(row for row in answer.options if row.name == "fp8")
    assert (slow.serves.lacks, slow.word, slow.mark) == ("too slow", "Fits", "!")


def test_a_variant_may_be_called_as_what_is_found(tmp_path: Path) -> None:
    """It is shown as what somebody stated, beside the GPUs that are tried because none of its own holds the job."""
    decision, _ = _decided(
        tmp_path,
        model="qwen3-32b",
        question="Does it fit?",
        hardware="{accelerator: rtx-4090}",
        training=SMALL,
        variants="{plain: {}, on rtx-5090: {hardware.accelerator: rtx-5090, training.sequence_length: 1024}}",
    )
    [stated] = [each for each in decision.options.candidates if each.case.name == "on rtx-5090"]
    assert stated.own
    assert stated.case.settings["sequence_length"] == 1024
    others = [each.case.name for each in decision.options.candidates if each.case.name.startswith("on ")]
    assert len(others) <= 2  # of all GPUs that were tried the nearest alone is told
