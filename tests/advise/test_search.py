"""The search: every row is what a scenario with its changes gives, nothing is lost, and nothing better is missed."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memreport.advise.plan import job_at
from memreport.advise.rerun import Job, rerun
from memreport.advise.search.combinations import SearchResult, find, limits_of
from memreport.advise.search.pareto import front
from memreport.advise.search.ranking import STAGES, complexity
from memreport.advise.search.search import SearchLimits, SearchPart, blocks, evaluate, merged
from memreport.advise.search.space import Space, space_of
from memreport.catalogue.fields.search import SearchFields
from tests.support import ROOT, SCENARIOS, scenario_text

LARGE = ROOT / "scenarios/llama3-70b-8xa100.yaml"
LISTS = ("best", "on_same_hardware", "on_same_accelerator", "fewest_changes", "pareto", "other_kinds", "most_headroom")


@cache
def searched(path: Path) -> tuple[Job, SearchResult]:
    job = job_at(path)
    return job, find(job)


def with_search(job: Job, **fields: Any) -> Job:
    block = SearchFields.model_validate(fields)
    return replace(job, loaded=replace(job.loaded, scenario=job.loaded.scenario.model_copy(update={"search": block})))


SMALL: dict[str, list[Any]] = {
    "accelerator": ["a100-80gb-sxm", "h200-141gb-sxm"],
    "count": [8, 16],
    "method": ["full", "lora"],
    "optimizer": ["adamw", "adamw-8bit"],
    "zero_stage": [0, 3],
    "optimizer_offload": ["none", "cpu"],
    "parameter_offload": ["none"],
    "gradient_checkpointing": ["none", "full"],
    "tensor_parallel_size": [1, 8],
    "pipeline_parallel_size": [1],
    "micro_batch_size": [1, 4],
}


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_row_gives_the_same_figures_as_a_variant(path: Path) -> None:
    job, found = searched(path)
    rows = [row for name in LISTS for row in getattr(found, name)]
    assert rows
    variants = {str(at): {**job.changes, **row.changes} for at, row in enumerate(rows)}
    values = rerun(job.loaded, job.catalogue, variants).values
    for at, row in enumerate(rows):
        known = {name: figure for name, figure in row.figures.items() if name in values and not math.isnan(figure)}
        assert {"peak_bytes", "headroom_bytes", "cost_total_usd"} <= set(known)
        for name, figure in known.items():
            assert float(values[name][at]) == pytest.approx(figure, rel=1e-12), name


def test_a_few_gpus_of_a_kind_stand_in_another_host_than_many(tmp_path: Path) -> None:
    """One card for games is in a workstation, two in a larger one, whose link both share, more in a server."""
    path = tmp_path / "case.yaml"
    block = "{accelerator: [rtx-4090], count: [1, 2, 4], weight_dtype: [awq], limit: 100}"
    blocks = {"model": "llama-3-8b", "hardware": "{accelerator: rtx-4090, count: 1}", "workload": "serving"}
    path.write_text(scenario_text(serving="{max_num_seqs: 8, weight_dtype: awq}", search=block, **blocks))
    job = job_at(path)
    rows = find(job).best
    hosts = {row.settings["count"]: row.changes.get("hardware.host", "workstation") for row in rows}
    assert hosts == {1: "workstation", 2: "workstation-two", 4: "server"}
    assert {row.settings["tensor_parallel_size"] for row in rows if row.settings["count"] == 2} == {1, 2}
    variants = {str(at): {**job.changes, **row.changes} for at, row in enumerate(rows)}
    times = rerun(job.loaded, job.catalogue, variants).values["time_per_output_token_seconds"]
    assert [row.figures["time_per_output_token_seconds"] for row in rows] == pytest.approx(times.tolist(), rel=1e-12)


def test_a_stated_utilisation_rescales_the_computed_time_of_other_settings(tmp_path: Path) -> None:
    """What was stated for 16 stages holds for these; one stage recomputes, waits and sends otherwise."""
    path = tmp_path / "case.yaml"
    layout = "pipeline_parallel_size: 16, gradient_accumulation_steps: 16, gradient_checkpointing: full"
    path.write_text(
        scenario_text(
            model="llama-3-8b",
            hardware="{accelerator: h100-80gb-sxm, count: 32, host: dgx-h100}",
            training=f"{{framework: deepspeed, model_flop_utilization: 0.15, {layout}}}",
            search="{accelerator: [h100-80gb-sxm], count: [32], method: [full], pipeline_parallel_size: [1, 2, 16]}",
        )
    )
    job, found = searched(path)
    assert job.value("achieved_model_flop_utilization") == pytest.approx(0.15)
    factor = job.value("step_seconds") / job.value("step_seconds_computed")
    rows = [row for name in LISTS for row in getattr(found, name)]
    values = rerun(job.loaded, job.catalogue, {str(at): row.changes for at, row in enumerate(rows)}).values
    for at, row in enumerate(rows):
        assert float(values["step_seconds"][at]) == pytest.approx(row.figures["step_seconds"], rel=1e-12)
        assert row.figures["step_seconds"] == pytest.approx(factor * float(values["step_seconds_computed"][at]))
        assert ("training.measured_time_factor" in row.changes) == bool(row.changes)
    assert {row.settings["pipeline_parallel_size"] for row in rows} >= {1, 2}
    smaller = job.changed({"training.gradient_accumulation_steps": 32})
    assert smaller.value("step_seconds") == pytest.approx(factor * smaller.value("step_seconds_computed"))


def test_the_large_job_fits_on_its_own_cards_only_with_offloading_or_other_methods(tmp_path: Path) -> None:
    """In a machine with enough memory, that is: the one that is rented has 1,152 GiB."""
    assert not searched(LARGE)[1].on_same_hardware
    path = tmp_path / LARGE.name
    memory = "overrides: {host_memory_bytes: 2 TiB, instance_memory_bytes: 2 TiB}\n"
    path.write_text(LARGE.read_text(encoding="utf-8") + memory, encoding="utf-8")
    found = find(job_at(path))
    assert found.on_same_hardware
    for row in found.on_same_hardware:
        assert row.settings["method"] == "full"
        assert row.settings["optimizer_offload"] == "cpu"
    assert {row.settings["method"] for row in found.other_kinds} == {"lora", "qlora"}
    costs = [row.figures["cost_total_usd"] for row in found.on_same_hardware]
    assert costs == sorted(costs)


def test_zero_3_alone_is_not_among_what_fits() -> None:
    job, _ = searched(LARGE)
    only = with_search(
        job, accelerator=["a100-80gb-sxm"], count=[8], method=["full"], optimizer=["adamw"], optimizer_offload=["none"],
        parameter_offload=["none"], zero_stage=[3], tensor_parallel_size=[1], pipeline_parallel_size=[1],
    )  # fmt: skip
    found = find(only)
    assert found.counts.fitting == 0
    assert found.best == found.pareto == ()
    assert found.most_headroom[0].figures["headroom_bytes"] < 0


def test_counts_add_up() -> None:
    _, found = searched(LARGE)
    excluded = sum(one.count for one in found.counts.excluded)
    assert excluded + found.counts.too_large + found.counts.too_slow + found.counts.fitting == found.counts.combinations
    assert any("pipeline" in one.reason for one in found.counts.excluded)


def every(job: Job) -> list[tuple[dict[str, Any], bool, float]]:
    """All allowed combinations of the small space as variants of the engine: settings, fits, cost of the run."""
    combinations = [dict(zip(SMALL, values, strict=True)) for values in itertools.product(*SMALL.values())]
    kept = [(chosen, changes) for chosen in combinations if (changes := _variant(job, chosen))]
    made = rerun(job.loaded, job.catalogue, {str(at): changes for at, (_, changes) in enumerate(kept)}).values
    columns = {name: np.broadcast_to(column, len(kept)) for name, column in made.items()}
    return [
        (chosen, *_result({name: float(column[at]) for name, column in columns.items()}))
        for at, (chosen, _) in enumerate(kept)
    ]


def _variant(job: Job, chosen: dict[str, Any]) -> dict[str, Any] | None:
    hardware = {"hardware.accelerator": chosen["accelerator"], "hardware.count": chosen["count"]}
    if chosen["accelerator"] != "a100-80gb-sxm":
        hardware |= {
            "hardware.host": "dgx-h200",
            "hardware.per_node": 0,
            "hardware.link_domain": 0,
            "cost.price": "aws-p5en-on-demand",
            "cost.purchase_price": "none",
        }
    fields = {f"training.{name}": chosen[name] for name in SMALL if name not in ("accelerator", "count")}
    shares = chosen["count"] / chosen["tensor_parallel_size"]
    accumulation = job.value("global_batch_size") / (chosen["micro_batch_size"] * shares)
    allowed = [
        accumulation >= 1 and accumulation.is_integer(),
        chosen["zero_stage"] == 0 or shares > 1,
        chosen["optimizer_offload"] == "none" or chosen["zero_stage"] > 0 or shares == 1,
        chosen["optimizer_offload"] == "none" or chosen["optimizer"] == "adamw",
        chosen["method"] == "full" or chosen["tensor_parallel_size"] == 1,
    ]
    return {**hardware, **fields, "training.gradient_accumulation_steps": accumulation} if all(allowed) else None


def _result(values: dict[str, float]) -> tuple[bool, float]:
    hours = values["training_steps"] * values["step_seconds"] / 3600
    usable = values["usable_bytes"]
    fits = values["fits"] > 0 and values["peak_bytes_high"] <= usable and values["headroom_bytes"] >= 0.05 * usable
    return fits, hours / 0.85 * values["count"] * values["usd_per_accelerator_hour"] * 1.15


def test_the_table_agrees_with_a_loop_over_the_engine() -> None:
    job = with_search(job_at(LARGE), **SMALL)
    looped = every(job)
    found = find(job)
    assert found.evaluated == len(looped)
    assert found.counts.fitting == sum(fits for _, fits, _ in looped)
    cheapest = min(cost for chosen, fits, cost in looped if fits and chosen["method"] == "full")
    assert found.best[0].figures["cost_total_usd"] == pytest.approx(cheapest, rel=1e-9)


@settings(max_examples=60)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(1, 50))
def test_blocks_cover_the_space_once_and_in_order(shape: list[int], limit: int) -> None:
    numbers = np.arange(math.prod(shape)).reshape(shape)
    pieces = [numbers[block].reshape(-1) for block in blocks(shape, limit)]
    assert all(piece.size <= limit for piece in pieces)
    assert np.concatenate(pieces).tolist() == list(range(math.prod(shape)))


def test_small_blocks_give_the_same_answer_as_large_ones() -> None:
    job = with_search(job_at(LARGE), **SMALL)

    def in_pieces(space: Space, limits: SearchLimits) -> list[SearchPart]:
        return [evaluate(space, block, limits) for block in reversed(list(blocks(space.shape, 37)))]

    assert find(job, in_pieces) == find(job)


def test_what_a_worker_is_sent_and_sends_back_can_be_pickled() -> None:
    job = with_search(job_at(LARGE), **SMALL)
    space, limits = pickle.loads(pickle.dumps((space_of(job), limits_of(job))))  # noqa: S301  # our own bytes
    part = pickle.loads(pickle.dumps(evaluate(space, next(blocks(space.shape)), limits)))  # noqa: S301
    assert merged(space, [part], limits).fitting == find(job).counts.fitting


@settings(max_examples=80)
@given(st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=1, max_size=40))
def test_the_front_is_what_nothing_dominates(points: list[tuple[int, int, int]]) -> None:
    columns = np.asarray(points, dtype=np.float64).T
    found = front(*columns)
    chosen = {points[at] for at in found}
    assert len(chosen) == len(found)
    for point in set(points):
        beaten = any(other != point and all(a <= b for a, b in zip(other, point, strict=True)) for other in set(points))
        assert (point in chosen) != beaten


@pytest.mark.parametrize(("rank", "figure"), [("step_time", "planned_step_seconds"), ("accelerators", "count")])
def test_other_ranks_put_other_rows_first(rank: str, figure: str) -> None:
    job = with_search(job_at(LARGE), **SMALL, rank_by=rank, limit=20)
    found = find(job)
    keys = [np.float32(row.figures[figure]) for row in found.best]
    assert keys == sorted(keys)
    assert keys[0] == min(np.float32(row.figures[figure]) for row in find(with_search(job, **SMALL, limit=1000)).best)


def test_of_equal_answers_the_simplest_is_shown_and_the_others_are_counted(tmp_path: Path) -> None:
    """At a stated time of a step ZeRO stages and widths take the same time and money: ZeRO-3 alone says it simplest."""
    stated = tmp_path / LARGE.name
    text = LARGE.read_text(encoding="utf-8")
    stated.write_text(text.replace("\ntraining:\n", "\noverrides: {step_seconds: 30 s}\ntraining:\n"), encoding="utf-8")
    job = with_search(
        job_at(stated), accelerator=["mi300x"], count=[8], method=["full"], optimizer=["adamw-8bit"],
        optimizer_offload=["none"], parameter_offload=["none"], zero_stage=[0, 1, 2, 3],
        gradient_checkpointing=["full"],
        tensor_parallel_size=[1, 2, 4, 8], pipeline_parallel_size=[1], micro_batch_size=[1, 2, 4], limit=1000,
    )  # fmt: skip
    found = find(job)
    alike: dict[tuple[float, ...], int] = {}
    for row in rows_of(job):
        alike[row] = alike.get(row, 0) + 1
    shown = [answer(row.figures) for row in found.best]
    assert len(shown) == len(set(shown)) == len(alike)
    assert [row.equals + 1 for row in found.best] == [alike[one] for one in shown]
    first = found.best[0]
    assert first.equals > 0
    assert (first.settings["zero_stage"], first.settings["tensor_parallel_size"]) == (3, 1)


def answer(figures: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(float(np.float32(figures[name])) for name in ("cost_total_usd", "planned_step_seconds", "count"))


def rows_of(job: Job) -> list[tuple[float, ...]]:
    """The answers of all that fits, each combination looked at by itself."""
    space, limits = space_of(job), limits_of(job)
    parts = [evaluate(space, block, limits) for block in blocks(space.shape, 1)]
    return [answer({name: column[0] for name, column in part.rows.figures.items()}) for part in parts if part.fitting]


SIMPLE: dict[str, int] = {
    "shards_optimizer": 0, "shards_gradients": 0, "shards_parameters": 0, "tensor_parallel_size": 1,
    "context_parallel_size": 1, "expert_parallel_size": 1, "pipeline_parallel_size": 1, "optimizer_offloaded": 0,
    "parameters_offloaded": 0,
}  # fmt: skip
ONE, TWO, THREE = (dict.fromkeys(STAGES[:stage], 1) for stage in (1, 2, 3))


def test_simpler_is_lower() -> None:
    """In the order of the stated rule, the simplest first."""
    rising: list[dict[str, int]] = [
        {}, ONE, TWO, THREE, {"tensor_parallel_size": 8}, {"context_parallel_size": 2}, {"expert_parallel_size": 2},
        {"pipeline_parallel_size": 2}, ONE | {"tensor_parallel_size": 2}, ONE | {"pipeline_parallel_size": 2},
        THREE | {"tensor_parallel_size": 2, "pipeline_parallel_size": 2}, {"optimizer_offloaded": 1},
        THREE | {"optimizer_offloaded": 1, "parameters_offloaded": 1},
    ]  # fmt: skip
    columns = {name: np.asarray([(SIMPLE | row)[name] for row in rising], dtype=np.float64) for name in SIMPLE}
    once, never = np.ones(len(rising)), np.zeros(len(rising))
    values = complexity(columns, once, never)
    assert list(values) == sorted(values)
    assert len(set(values)) == len(rising)
    assert complexity(columns, never, never).max() < values.min(), "the scenario as it is stands first"
    assert complexity(columns, once, once).min() > values.max(), "another optimizer or format stands last"


def test_tensor_parallelism_goes_as_wide_as_the_link(tmp_path: Path) -> None:
    """Trays of four GPUs, 72 in a rack: eight tensor ranks are allowed, unless the link is said to end at the tray."""
    path = tmp_path / "case.yaml"
    widest = {}
    for domain in (0, 4):
        hardware = f"{{accelerator: gb200, host: gb200-nvl72-tray, count: 16, link_domain: {domain}}}"
        block = "{accelerator: [gb200], count: [16], tensor_parallel_size: [1, 4, 8], method: [full], "
        block += "rank_by: accelerators}"
        path.write_text(scenario_text(hardware=hardware, search=block))
        found = find(job_at(path))
        widest[domain] = [one.count for one in found.counts.excluded if "wider than what the link joins" in one.reason]
    assert widest[0] == []
    assert widest[4]
