"""What a framework lacks is not tried by a search or a step of advice; what a scenario states itself is left to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memreport.advise.plan import job_at
from memreport.advise.rerun import Job
from memreport.advise.search.rules import allowed
from memreport.advise.search.space import Space, space_of
from memreport.advise.sizes.fewest_gpus import on_fewest_gpus
from memreport.catalogue.records import Numbers
from memreport.errors import InputError
from tests.advise.test_search import with_search
from tests.support import scenario_text

SIXTEEN = "{accelerator: h100-80gb-sxm, count: 16, host: dgx-h100}"
VARIED = {
    "method": ["full", "lora"],
    "tensor_parallel_size": [1, 2],
    "zero_stage": [0, 1, 2, 3],
    "optimizer": ["adamw", "adamw-8bit"],
}
FIXED = {
    "accelerator": ["h100-80gb-sxm"],
    "count": [16],
    "precision": ["bf16-mixed"],
    "optimizer_offload": ["none"],
    "parameter_offload": ["none"],
    "gradient_checkpointing": ["full"],
    "pipeline_parallel_size": [1],
    "micro_batch_size": [1],
}


def job_with(folder: Path, training: str) -> Job:
    path = folder / "case.yaml"
    path.write_text(scenario_text(hardware=SIXTEEN, training=training), encoding="utf-8")
    return job_at(path)


def columns_of(space: Space) -> dict[str, Numbers]:
    """Inputs with each axis as a dimension, at one micro-batch a step."""
    columns = {**space.constants, "gradient_accumulation_steps": np.asarray(1.0)}
    for index, axis in enumerate(space.axes):
        shape = [-1 if at == index else 1 for at in range(len(space.axes))]
        columns |= {name: column.reshape(shape) for name, column in axis.columns.items()}
    return columns


def tried(folder: Path, training: str) -> set[tuple[object, ...]]:
    """Methods, widths of tensor parallelism, stages of ZeRO and optimizers that a search tries together."""
    space = space_of(with_search(job_with(folder, training), **VARIED, **FIXED))
    keeps, _ = allowed("training", columns_of(space), space.shape)
    axes = {axis.name: (at, axis.values) for at, axis in enumerate(space.axes)}
    chosen = [axes[name] for name in VARIED]
    return {tuple(values[where[at]] for at, values in chosen) for where in np.argwhere(keeps)}


TRIED = {
    "huggingface": (False, True, {0, 2, 3}),
    "deepspeed": (False, True, {0, 1, 2, 3}),
    "megatron": (True, False, {0, 1, 2, 3}),
    "nanotron": (False, False, {0, 1}),
}
"""Whether adapters go on a base that is cut, whether moments may have 8 bits, and which stages of ZeRO there are."""


@pytest.mark.parametrize("framework", TRIED)
def test_a_search_tries_what_the_framework_has(tmp_path: Path, framework: str) -> None:
    cut, narrow, stages = TRIED[framework]
    found = tried(tmp_path, f"{{framework: {framework}}}")
    assert ("full", 2, 0, "adamw") in found
    assert (("lora", 2, 0, "adamw") in found) is cut
    assert (("full", 1, 0, "adamw-8bit") in found) is narrow
    assert {stage for _, _, stage, _ in found} == stages


def test_a_search_leaves_what_the_scenario_states_itself(tmp_path: Path) -> None:
    """LoRA of transformers on a base that is cut, and its ZeRO-1, stay among what is tried."""
    found = tried(tmp_path, "{method: lora, tensor_parallel_size: 2, zero_stage: 1}")
    assert {("lora", 2, stage, "adamw") for stage in range(4)} <= found
    assert ("lora", 1, 1, "adamw-8bit") in found


def test_no_step_of_advice_leads_to_what_the_framework_lacks(tmp_path: Path) -> None:
    job = job_with(tmp_path, "{framework: megatron}")
    with pytest.raises(InputError, match="does not offer the optimizers of bitsandbytes"):
        job.changed({"training.optimizer": "adamw-8bit"})
    stated = job_with(tmp_path, "{framework: megatron, optimizer: adamw-8bit}")
    assert stated.changed({"training.micro_batch_size": 2}).value("micro_batch_size") == 2


@pytest.mark.parametrize(("framework", "narrow"), [("megatron", False), ("torchtune", True)])
def test_the_fewest_gpus_are_those_of_settings_that_the_framework_has(
    tmp_path: Path, framework: str, narrow: bool
) -> None:
    """8-bit moments take fewer GPUs, where there are any."""
    path = tmp_path / "case.yaml"
    asked = {"question": "How many GPUs does it take?", "model": "llama-2-7b", "hardware": SIXTEEN}
    path.write_text(scenario_text(training=f"{{framework: {framework}}}", **asked), encoding="utf-8")
    found = on_fewest_gpus(job_at(path), [])
    assert any(one.get("training.optimizer") == "adamw-8bit" for one in found) is narrow
    assert found
