"""The search block of a scenario: what it may say, how large it may be, and every axis of it."""

from __future__ import annotations

import math
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from memreport.advise.plan import job_at
from memreport.advise.rerun import rerun
from memreport.advise.search.combinations import find, limits_of
from memreport.advise.search.ranking import sorting_key
from memreport.advise.search.search import BLOCK, search
from memreport.advise.search.space import space_of
from memreport.catalogue.fields.search import AXES
from memreport.commands.plan import planned as run
from memreport.errors import FINDING, InputError
from tests.advise.test_search import LARGE, searched, with_search
from tests.support import scenario_text


def test_a_price_of_another_card_is_named() -> None:
    _, found = searched(LARGE)
    rows = (*found.best, *found.fewest_changes, *found.pareto)
    others = {row.price.split(", ")[0] for row in rows if row.settings["accelerator"] != "a100-80gb-sxm"}
    assert others
    assert others <= {
        "aws-p5-on-demand: $6.88/h", "aws-p5en-on-demand: $7.91/h", "aws-p6-b200-on-demand: $14.24/h",
        "oci-b200-on-demand: $14.00/h", "azure-nd96isr-mi300x-v5-on-demand: $6.00/h",
    }  # fmt: skip
    assert all(row.price.startswith("aws-p4de-on-demand: $3.43/h") for row in found.on_same_hardware)


def test_unknown_names_are_faults_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(search="{optimizer: [adamw, adamv], hosts: {b200: dgx}}"), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        find(job_at(path))
    optimizer, host = sorted(caught.value.faults, key=lambda fault: fault.column)
    assert (optimizer.field, optimizer.line, optimizer.found) == ("search.optimizer", 8, "'adamv'")
    assert (host.field, host.found) == ("search.hosts", "'dgx'")


@pytest.mark.parametrize(
    "wrong", ["{zero_stage: [4]}", "{count: []}", "{count: [8, 8]}", "{ranked: cost}", "{safety_margin: 1}"]
)
def test_a_wrong_search_block_is_a_fault(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(search=wrong), encoding="utf-8")
    with pytest.raises(InputError, match="search"):
        job_at(path)


def test_a_space_without_end_is_refused() -> None:
    job = with_search(job_at(LARGE), count=list(range(1, 65)), micro_batch_size=list(range(1, 65)),
                      tensor_parallel_size=list(range(1, 65)), pipeline_parallel_size=list(range(1, 65)))  # fmt: skip
    with pytest.raises(InputError, match="too many combinations"):
        find(job)


def test_a_quarter_of_a_million_combinations_take_little_time_and_memory() -> None:
    job = job_at(LARGE)
    space, limits = space_of(job), limits_of(job)
    search(space, limits)
    tracemalloc.start()
    search(space, limits)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    started = time.perf_counter()
    search(space, limits)
    assert space.size > 200_000
    assert time.perf_counter() - started < 2
    assert held < 100e6 + BLOCK


EVERY_AXIS = """{
  accelerator: [h100-80gb-sxm, mi300x], count: [16, 32], method: [full, lora, qlora], base_weight_dtype: [nf4, int8],
  precision: [bf16-mixed, fp8], optimizer: [adamw, adamw-8bit], optimizer_offload: [none, cpu],
  parameter_offload: [none, cpu], zero_stage: [0, 3], gradient_checkpointing: [none, full],
  tensor_parallel_size: [1, 8], pipeline_parallel_size: [1, 2], context_parallel_size: [1, 2],
  expert_parallel_size: [1, 8], micro_batch_size: [1, 2], limit: 1000}"""
MIXTURE = {
    "model": "mixtral-8x7b",
    "hardware": "{accelerator: h100-80gb-sxm, count: 16, host: dgx-h100}",
    "training": "{precision: bf16-mixed, gradient_accumulation_steps: 8}",
    "cost": "{basis: rent, price: aws-p5-on-demand}",
}


def test_every_axis_of_the_block_is_searched_and_every_row_is_what_the_engine_gives(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(**MIXTURE, search=EVERY_AXIS), encoding="utf-8")
    job = job_at(path)
    found = find(job)
    block = job.search
    assert set(AXES["training"]) <= block.model_fields_set
    assert found.counts.combinations == math.prod(len(getattr(block, name)) for name in AXES["training"])
    rows = [*found.best, *found.other_kinds, *found.pareto]
    for name in AXES["training"]:
        tried = {row.settings[name] for row in rows}
        assert tried <= set(getattr(block, name)), name
    assert not [
        row for row in rows if row.settings["method"] != "qlora" and "training.base_weight_dtype" in row.changes
    ]
    sample = rows[:: max(1, len(rows) // 40)]
    values = rerun(job.loaded, job.catalogue, {str(at): row.changes for at, row in enumerate(sample)}).values
    for at, row in enumerate(sample):
        for name in ("peak_bytes", "step_seconds", "cost_total_usd", "global_batch_size"):
            wanted = row.figures.get(name, job.value("global_batch_size"))
            assert float(np.broadcast_to(values[name], len(sample))[at]) == pytest.approx(wanted, rel=1e-12), name
    assert {one.field for one in found.counts.excluded} >= {"count", "expert_parallel_size", "base_weight_dtype"}


def test_a_space_of_broken_rules_says_so(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(search="{expert_parallel_size: [3]}"), encoding="utf-8")
    text, code = run(path, policy="search")
    assert code == FINDING
    assert "every combination breaks a rule" in text
    assert "expert_parallel_size must divide the experts" in text


def test_a_figure_that_is_too_large_for_a_key_comes_last_without_a_warning() -> None:
    assert np.argsort(sorting_key(np.array([1e300, np.nan, 1.0, 2.0])), kind="stable").tolist() == [2, 3, 0, 1]
