"""The checklist and the decision tree on the job that started it all, and on jobs that test their turns."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from memreport.advise.moves import Halved, Stage, StageKind, Traded, fits_with_margin, stage
from memreport.advise.plan import job_at
from memreport.advise.procedures.checklist import CHECKLIST, Procedure, each_alone, run_checklist
from memreport.advise.procedures.tree import NO_FIT, READY, TREE, Action, Question, run_tree
from memreport.advise.rerun import Job, rerun
from memreport.errors import InputError
from memreport.report.advice.words import alone_words
from tests.support import ROOT, SCENARIOS, scenario_text

LARGE = ROOT / "scenarios/llama3-70b-8xa100.yaml"
GIB = 2**30


@cache
def large(variant: str = "") -> Job:
    return job_at(LARGE, variant)


def made(folder: Path, **blocks: str) -> Job:
    path = folder / "case.yaml"
    path.write_text(scenario_text(**blocks), encoding="utf-8")
    return job_at(path)


def test_the_large_job_fails_with_zero_3_and_fits_with_offloading() -> None:
    found = run_checklist(large())
    sharded = next(one for one in found.stages if "ZeRO-3" in one.title)
    assert not sharded.fits
    assert sharded.job.value("peak_bytes") / GIB > 100
    assert found.fits
    assert found.stages[-1].step == "offload"
    assert found.changes["training.optimizer_offload"] == "nvme"  # 18 bytes each are 1,183 GiB of 1,152
    assert all(not one.fits for one in found.stages[:-1])


def test_no_single_change_is_enough_for_the_large_job() -> None:
    alone = each_alone(large())
    assert not any(one.fits for one in alone)
    titles = {one.title for one in alone}
    assert {"ZeRO-3: cut weights too", "8-bit moments"} <= titles
    assert "optimizer states in host memory" not in titles  # on eight cards that goes with ZeRO alone


def test_the_scenario_s_own_variant_has_the_same_peak() -> None:
    """After checkpointing, ZeRO-3 and offloading the GPU holds what it does in a variant of the file."""
    last = run_tree(large()).stages[-1]
    assert last.job.value("peak_bytes") == large("zero3 + optimizer offload").value("peak_bytes")


@pytest.mark.parametrize("procedure", [run_checklist, run_tree])
@pytest.mark.parametrize(
    "path", [one for one in SCENARIOS if "workload: training" in one.read_text()], ids=lambda p: p.stem
)
def test_every_stage_is_what_the_engine_computes(path: Path, procedure: type[Procedure]) -> None:
    job = job_at(path)
    found = procedure(job)  # type: ignore[call-arg, arg-type]  # both take a job
    for one in found.stages:
        again = rerun(job.loaded, job.catalogue, {"again": {**job.changes, **one.changes}})
        assert again.values["peak_bytes"][0] == one.job.value("peak_bytes")


def test_a_job_that_fits_is_left_alone() -> None:
    job = large("QLoRA r=16")
    found = run_checklist(job)
    assert len(found.stages) == 1
    assert found.changes == {}
    assert "No change is needed" in found.sentence


def test_the_checklist_stops_at_the_first_change_that_fits(tmp_path: Path) -> None:
    job = made(tmp_path, training="{micro_batch_size: 4, precision: bf16-pure, gradient_accumulation_steps: 2}")
    found = run_checklist(job)
    assert found.fits
    assert [one.step for one in found.stages] == ["start", "micro-batch", "micro-batch"]
    assert found.changes == {"training.micro_batch_size": 1, "training.gradient_accumulation_steps": 8}


def test_smaller_micro_batches_keep_the_global_batch(tmp_path: Path) -> None:
    job = made(tmp_path, training="{micro_batch_size: 6, gradient_accumulation_steps: 3}")
    smaller = job.changed(CHECKLIST[0].moves[0].on(job))
    assert smaller.value("micro_batch_size") == 3
    assert smaller.value("global_batch_size") == job.value("global_batch_size") == 18


def test_one_accelerator_has_nothing_to_share_between(tmp_path: Path) -> None:
    found = run_checklist(made(tmp_path, training="{micro_batch_size: 4}"))
    sharding = next(one for one in found.stages if one.step == "sharding")
    assert sharding.kind is StageKind.PASSED_OVER
    assert "one GPU" in sharding.sentence


def test_a_pipeline_says_why_zero_3_is_passed_over(tmp_path: Path) -> None:
    job = made(
        tmp_path,
        model="llama-3-70b",
        hardware="{accelerator: a100-40gb-sxm, count: 4, host: hgx-a100-40gb}",
        training="{pipeline_parallel_size: 2, zero_stage: 1, gradient_accumulation_steps: 4, framework: deepspeed}",
    )
    sharding = next(one for one in run_checklist(job).stages if one.step == "sharding")
    assert sharding.kind is StageKind.PASSED_OVER
    assert "pipeline" in sharding.sentence


def test_what_never_fits_ends_in_an_exit_that_says_so(tmp_path: Path) -> None:
    job = made(tmp_path, model="llama-3.1-405b", hardware="{accelerator: t4, count: 1, host: workstation}")
    checklist, tree = run_checklist(job), run_tree(job)
    assert not checklist.fits
    assert checklist.sentence.startswith("Nothing on the checklist")
    assert not tree.fits
    assert tree.sentence.startswith("Does not fit")


def test_weights_that_fit_are_not_yet_ready(tmp_path: Path) -> None:
    """The published tree says `ready` here; the budget of this job is far too large."""
    tree = run_tree(made(tmp_path, training="{micro_batch_size: 4}"))
    assert tree.stages[0].sentence.startswith("Yes")
    assert not tree.stages[0].fits
    assert len(tree.stages) > 1


def test_the_budget_is_asked_again_after_sharding_and_offloading() -> None:
    steps = [one.step for one in run_tree(large()).stages]
    for action in ("sharding", "offload"):
        at = next(
            at
            for at, (step, one) in enumerate(zip(steps, run_tree(large()).stages, strict=True))
            if step == action and one.kind is StageKind.CHANGED
        )
        assert steps[at + 1] == "budget"


def test_every_edge_of_the_tree_leads_somewhere() -> None:
    ends = [
        edge
        for node in TREE.values()
        for edge in ((node.yes, node.no) if isinstance(node, Question) else (node.then, node.otherwise))
    ]
    assert set(ends) == (set(TREE) - {"weights"}) | {READY, NO_FIT}
    assert isinstance(TREE["offload"], Action)


def test_every_move_names_fields_that_exist(tmp_path: Path) -> None:
    job = made(tmp_path)
    for step in CHECKLIST:
        for move in step.moves:
            for key, value in {**move.changes, **move.when}.items():
                section, _, name = key.partition(".")
                assert section == "training"
                assert name in job.case.settings
                assert isinstance(value, (str, int, float, tuple, Halved, Traded))


def test_the_margin_of_the_search_block_counts(tmp_path: Path) -> None:
    blocks = {"training": "{gradient_checkpointing: full, precision: bf16-no-master, micro_batch_size: 4}"}
    without = made(tmp_path, **blocks, search="{safety_margin: 0}")
    share = without.value("headroom_bytes") / without.value("usable_bytes")
    assert 0 < share < 0.05, "the case must be a tight one"
    assert not fits_with_margin(without), "a tight one has no room for the high end of its estimate"
    start = run_checklist(made(tmp_path, **blocks)).stages[0]
    assert "(less than the margin of 5 %)" in start.sentence


def test_what_fits_keeps_a_margin_up_to_its_headroom(tmp_path: Path) -> None:
    blocks = {"training": "{gradient_checkpointing: full, method: lora}"}
    job = made(tmp_path, **blocks)
    share = job.value("headroom_bytes") / job.value("usable_bytes")
    assert job.word == "Fits"
    assert fits_with_margin(made(tmp_path, **blocks, search=f"{{safety_margin: {share - 1e-3}}}"))
    assert not fits_with_margin(made(tmp_path, **blocks, search=f"{{safety_margin: {share + 1e-3}}}"))


def test_a_word_is_the_verdict_s_own_and_the_margin_is_where_it_stops(tmp_path: Path) -> None:
    """0.6 of 80 GiB free, high end 90: tight, never `does not fit`; also without a margin it goes on until it fits."""
    tight = {"training": "{gradient_checkpointing: full, precision: bf16-no-master, micro_batch_size: 4}"}
    job = made(tmp_path, **tight)
    found, tree = run_checklist(job), run_tree(job)
    start = found.stages[0]
    assert (job.word, start.word, start.fits, start.with_margin) == ("Tight", "Tight", True, False)
    assert start.sentence.startswith("Tight: 79.4 GiB of 80 GiB, 0.59 GiB free")
    assert {one.word for one in found.stages[1:] if one.kind is StageKind.PASSED_OVER} == {"Tight"}
    assert (found.word, found.with_margin) == ("Fits", True)
    assert all(one.word == again(job, one).word for one in (*found.stages, *tree.stages, *each_alone(job)))
    stopped = run_checklist(made(tmp_path, **tight, search="{safety_margin: 0}"))
    assert [stopped.stages[0].word, stopped.word] == ["Tight", "Fits"]
    assert "No change is needed" not in stopped.sentence


def again(job: Job, one: Stage) -> Job:
    return job.changed(one.changes) if one.changes else job


def test_what_leaves_too_little_free_is_said_so_and_not_that_it_does_not_fit(tmp_path: Path) -> None:
    tight = "{gradient_checkpointing: full, precision: bf16-no-master, micro_batch_size: 1}"
    job = made(tmp_path, training=tight, search="{safety_margin: 0.98}")
    assert run_checklist(job).sentence.startswith("Nothing on the checklist ends with 98 % left free. Fits")
    assert run_tree(job).sentence.startswith("Nothing the tree knows ends with 98 % left free. Fits")
    said = alone_words(job, each_alone(job))
    assert said.startswith("None of these is enough by itself (98 % left free); the closest is:")
    assert said.endswith(" GiB free.")


def test_an_unknown_variant_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'zero3'"):
        large("zero33")


def test_layers_are_recomputed_where_activations_and_states_fit_but_not_together(tmp_path: Path) -> None:
    """One card: 13 GiB of states beside the weights fit, 60 GiB of activations fit, both do not."""
    job = made(
        tmp_path,
        training="{precision: bf16-no-master, optimizer: adamw-8bit, micro_batch_size: 4, sequence_length: 2048}",
    )
    tree = run_tree(job)
    answers = {one.step: one.sentence for one in tree.stages}
    assert answers["activations"].startswith("Yes")
    assert answers["states"].startswith("Yes")
    assert not tree.stages[2].with_margin
    assert tree.fits
    assert tree.changes == {"training.gradient_checkpointing": "full"}
    assert [one.step for one in tree.stages] == ["weights", "activations", "states", "budget", "recomputing", "budget"]


def test_what_is_passed_over_is_said_once() -> None:
    titles = [one.title for one in run_tree(large()).stages if one.sentence.startswith("Passed over")]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize(
    ("card", "host", "policy"), [("t4", "workstation", "fp16-mixed"), ("l4", "workstation", "bf16-mixed")]
)
def test_sixteen_bits_are_those_that_the_card_has(tmp_path: Path, card: str, host: str, policy: str) -> None:
    job = made(tmp_path, hardware=f"{{accelerator: {card}, count: 1, host: {host}}}", training="{precision: fp32}")
    assert run_checklist(job).changes["training.precision"] == policy
    assert run_tree(job).changes["training.precision"] == policy
    alone = [one.title for one in each_alone(job) if one.step == "16-bit"]
    assert alone == [f"{policy[:4].upper()} with FP32 master copy"]


def test_a_full_disk_is_called_a_disk(tmp_path: Path) -> None:
    job = made(
        tmp_path,
        hardware="{accelerator: a100-80gb-sxm, count: 1, host: dgx-a100}",
        overrides="{nvme_bytes: 1e9}",
        training="{optimizer_offload: nvme, gradient_checkpointing: full}",
    )
    said = stage("start", "", job, {}).sentence
    assert "of disk" in said
    assert "of memory" not in said
    short = stage(
        "start", "", job.changed({"training.optimizer_offload": "cpu", "overrides.host_memory_bytes": 1e9}), {}
    )
    assert "of memory" in short.sentence
