"""Times of jobs with a second model, against passes and products counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.catalogue.load import catalogue_for
from memreport.compute import Computed
from memreport.figures.constants.times import ROLLOUT_SAMPLE_SECONDS, ROLLOUT_STEP_SECONDS
from tests.support import run, scenario_text, value

H100 = "{accelerator: h100-80gb-sxm, count: 1, host: dgx-h100}"
PEAK = 989.4e12
TOKENS = 4 * 2048
LLAMA_32_1B = 1_235_814_400
ATTENTION = 2 * 2 * 2048 * 2048 * 16 / 2
"""FLOP of a token's scores and their product with values: 16 layers of width 2048 over half of 2,048 tokens."""


def job(folder: Path, training: str, model: str = "llama-3.2-1b") -> Computed:
    given = f"{{micro_batch_size: 4, sequence_length: 2048, {training}}}"
    return run(folder, scenario_text(model=model, hardware=H100, training=given))


def test_kto_passes_twice_as_much_as_plain_training(tmp_path: Path) -> None:
    """Forward and backward are three passes; the reference, and both of them on mismatched pairs, are three more."""
    plain, kto = job(tmp_path, "objective: sft"), job(tmp_path, "objective: kto")
    passes = value(plain, "device_seconds") - value(plain, "update_part_seconds")
    assert value(kto, "companion_seconds") == pytest.approx(passes)
    flop = 3 * (2 * LLAMA_32_1B + ATTENTION) * TOKENS
    assert 0.3 < flop / PEAK / value(kto, "companion_seconds") < 0.8


def test_kto_with_checkpoints_or_adapters(tmp_path: Path) -> None:
    """Checkpoints add a pass to the policy's three alone; adapters take one away, and the base is the reference."""
    whole = job(tmp_path, "objective: kto, gradient_checkpointing: full")
    passes = value(whole, "device_seconds") - value(whole, "update_part_seconds")
    assert value(whole, "companion_seconds") == pytest.approx(3 / 4 * passes)
    few = job(tmp_path, "objective: kto, method: lora")
    passes = value(few, "device_seconds") - value(few, "update_part_seconds")
    assert value(few, "companion_seconds") == pytest.approx(3 / 2 * passes, rel=0.02)


def test_a_teacher_passes_once_forward(tmp_path: Path) -> None:
    """Qwen2.5 7B teaches 0.5B: two FLOP for each of its parameters and tokens, at what large products reach."""
    teacher = 7_615_616_512
    found = job(tmp_path, f"loss: distillation-kl, frozen_parameters: {teacher}", "qwen2.5-0.5b")
    assert 0.3 < 2 * teacher * TOKENS / PEAK / value(found, "companion_seconds") < 0.8


@pytest.mark.parametrize(
    ("model", "samples", "most"), [("qwen2.5-0.5b", 512, 0.08), ("qwen2.5-1.5b", 64, 0.06), ("qwen2.5-7b", 64, 0.03)]
)
def test_samples_are_generated_as_fast_as_they_are_served(
    tmp_path: Path, model: str, samples: int, most: float
) -> None:
    """A token of all samples takes what a decode step of vLLM takes with as many sequences of that length."""
    given = f"{{objective: grpo, micro_batch_size: 8, gradient_accumulation_steps: {samples // 8}, "
    given += "sequence_length: 1024, rollout_tokens: 512, rollout_memory_share: 0.3}"
    trained = run(tmp_path, scenario_text(model=model, hardware=H100, training=given))
    lengths = "prompt_tokens: 512, output_tokens: 512, context_length: 768, max_model_len: 1024"
    serving = f"{{max_num_seqs: {samples}, {lengths}}}"
    served = run(tmp_path, scenario_text(model=model, hardware=H100, workload="serving", serving=serving))
    assert value(trained, "rollout_seconds") / 512 == pytest.approx(value(served, "decode_step_seconds"), rel=most)


def test_the_host_of_generation_is_that_of_the_engine() -> None:
    engines = catalogue_for([]).tables["engines"]
    row = {name: column.values[engines.row("vllm")] for name, column in engines.columns.items()}
    assert float(ROLLOUT_STEP_SECONDS) == row["host_step_seconds"]
    assert float(ROLLOUT_SAMPLE_SECONDS) == row["host_sequence_seconds"]
