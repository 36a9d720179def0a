"""Which option is recommended, on scenarios small enough to follow by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from memreport.advise.candidates import Options, Role
from memreport.advise.deciding.choosing import best
from memreport.advise.deciding.options import TIE, options_of
from memreport.advise.moves import fits_with_margin
from memreport.advise.plan import job_at, plan
from memreport.advise.search.combinations import find
from memreport.advise.sizes.largest import largest, limits_of
from memreport.advise.verdict import FITS
from tests.support import ROOT, SCENARIOS, scenario_text

FOLDER = ROOT / "scenarios"


@pytest.fixture(scope="module", params=SCENARIOS, ids=lambda path: path.stem)
def options(request: pytest.FixtureRequest) -> Options:
    return options_of(plan(job_at(request.param)))


def test_the_recommended_option_makes_the_same_on_the_same_hardware_with_headroom(options: Options) -> None:
    one = options.recommended
    if one is None:
        assert not [
            each
            for each in options.candidates
            if each.likeness.same_job and each.likeness.same_gpus and each.headroom_kept
        ]
        return
    assert one.likeness.same_job
    assert one.likeness.same_gpus
    assert one.headroom_kept
    assert one.word == FITS


def test_nothing_that_could_be_recommended_is_cheaper_beyond_a_tie(options: Options) -> None:
    if options.recommended:
        pool = [
            one for one in options.candidates if one.likeness.same_job and one.likeness.same_gpus and one.headroom_kept
        ]
        assert options.recommended.cost <= min(one.cost * one.tie for one in pool)


def test_every_option_is_shown_once_and_at_most_five(options: Options) -> None:
    shown = [one.candidate.column for one in options.shown]
    assert len(shown) == len(set(shown)) <= len(Role)
    assert options.shown[0].role is Role.AS_SUBMITTED


def test_of_a_tie_the_one_with_fewest_changes_is_best_and_beyond_it_the_cheapest(options: Options) -> None:
    plain = replace(options.submitted, own=False, cost=100.0, tie=TIE, changed=("a",), column=0)
    cheaper = replace(plain, cost=100.0 / TIE * 1.001, changed=("a", "b"), column=1)
    much_cheaper = replace(plain, cost=50.0, changed=("a", "b", "c"), column=2)
    assert best([plain, cheaper]) is plain
    assert best([plain, cheaper, much_cheaper]) is much_cheaper
    assert best([]) is None


def test_the_largest_batch_fits_and_one_more_does_not() -> None:
    job = job_at(FOLDER / "gpt2-760m-mi300x.yaml")
    limit = largest(job, "how_large_a_batch")
    field = limit.field
    margin = job.search.safety_margin
    for value, holds in ((limit.value, True), (limit.value + 1, False)):
        after = job.changed({field: value})
        free = after.value("headroom_bytes") >= margin * after.value("usable_bytes")
        assert (after.word == FITS and free) is holds


def test_a_job_of_which_not_one_sequence_fits_has_no_batch(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    text = (FOLDER / "llama3-70b-8xa100.yaml").read_text(encoding="utf-8").replace("id: llama3-70b-8xa100", "id: large")
    path.write_text(text, encoding="utf-8")
    assert largest(job_at(path), "how_large_a_batch").value == 0


def test_where_none_fits_as_submitted_the_largest_is_that_of_the_option_recommended(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(
        scenario_text("small", asks="[how_large_a_batch]", hardware="{accelerator: a10, count: 1}", model="llama-3-8b")
    )
    job = job_at(path)
    chosen = job.changed({"training.method": "qlora", "training.gradient_checkpointing": "full"})
    limit = limits_of(job, lambda: chosen).asked["how_large_a_batch"]
    assert limit.of_chosen
    assert limit == replace(largest(chosen, "how_large_a_batch"), given=1.0, of_chosen=True)
    assert limit.value >= 1


@pytest.mark.parametrize(("sequences", "read"), [(1, True), (64, False)])
def test_the_longest_context_fits_and_a_longer_one_does_not_or_is_more_than_the_model_reads(
    tmp_path: Path, sequences: int, read: bool
) -> None:
    path = tmp_path / "long.yaml"
    serving = f"{{max_num_seqs: {sequences}, weight_dtype: awq}}"
    hardware = "{accelerator: rtx-4090, count: 1}"
    path.write_text(scenario_text("long", model="qwen3-8b", hardware=hardware, workload="serving", serving=serving))
    job = job_at(path)
    limit = largest(job, "how_long_a_context")
    assert limit.all_that_is_read is read
    assert read is (limit.value == job.value("max_position_embeddings"))
    longer = job.changed({limit.field: limit.value + 128})
    assert fits_with_margin(job.changed({limit.field: limit.value}))
    assert fits_with_margin(longer) is read


@pytest.mark.parametrize(
    ("stated", "widest"), [("{method: qlora}", 1), ("{method: qlora, tensor_parallel_size: 2}", 2)]
)
def test_a_quantised_base_is_not_cut_unless_the_scenario_cuts_it(tmp_path: Path, stated: str, widest: int) -> None:
    path = tmp_path / "case.yaml"
    hardware = "{accelerator: a100-80gb-sxm, count: 4, host: dgx-a100}"
    search = "{count: [4], accelerator: [a100-80gb-sxm]}"
    path.write_text(scenario_text(model="llama-3-70b", hardware=hardware, training=stated, search=search))
    found = find(job_at(path))
    rows = [*found.best, *found.fewest_changes, *found.pareto, *found.most_headroom]
    quantised = [one.settings["tensor_parallel_size"] for one in rows if one.settings["method"] == "qlora"]
    assert quantised
    assert max(quantised) == widest


def test_a_larger_global_batch_is_another_job(tmp_path: Path) -> None:
    variants = (
        "{as given: {}, twice: {micro_batch_size: 2}, split: {micro_batch_size: 2, gradient_accumulation_steps: 4}}"
    )
    training = "{micro_batch_size: 1, gradient_accumulation_steps: 8}"
    path = tmp_path / "batch.yaml"
    path.write_text(scenario_text("batch", training=training, variants=variants), encoding="utf-8")
    found = {one.case.name: one.likeness.same_job for one in options_of(plan(job_at(path))).candidates if one.own}
    assert found == {"as given": True, "twice": False, "split": True}


TIMED = {
    "model": "llama-2-7b",
    "hardware": "{accelerator: h100-80gb-sxm, count: 64}",
    "training": "{zero_stage: 2, global_batch_size: 512, training_tokens: 100e9}",
    "cost": "{basis: rent, price: aws-p5-on-demand, goodput: 0.9}",
}


def timed(tmp_path: Path, question: str, hours: float) -> Options:
    path = tmp_path / "timed.yaml"
    path.write_text(
        scenario_text("timed", question=question, search=f"{{run_hours: {hours}}}", **TIMED), encoding="utf-8"
    )
    return options_of(plan(job_at(path)))


def test_the_fewest_gpus_that_end_in_time_are_recommended_where_their_number_is_asked_for(tmp_path: Path) -> None:
    week = timed(tmp_path, "How many GPUs finish within a week?", 168)
    chosen = week.recommended
    assert chosen is not None
    assert 1 < chosen.count < 64
    hours = float(week.computed.values["run_hours"][chosen.column])
    a_node_less = hours * chosen.count / (chosen.count - 8)
    assert hours <= 168 < a_node_less
    month = timed(tmp_path, "How many GPUs finish within a month?", 720)
    assert month.recommended is not None
    assert month.recommended.count < chosen.count


def test_fewest_gpus_are_found_of_a_job_that_is_cut_by_tensors_and_stages(tmp_path: Path) -> None:
    cut = "{framework: megatron, tensor_parallel_size: 8, pipeline_parallel_size: 4, training_tokens: 100e9}"
    path = tmp_path / "cut.yaml"
    blocks = {**TIMED, "training": cut, "question": "How many GPUs finish within a week?"}
    path.write_text(scenario_text("cut", **blocks), encoding="utf-8")
    chosen = options_of(plan(job_at(path))).recommended
    assert chosen is not None
    assert not chosen.beyond
    cut_by = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
    assert chosen.count % math.prod(chosen.case.settings[name] for name in cut_by) == 0


def test_a_run_that_takes_too_long_is_not_recommended_though_it_fits(tmp_path: Path) -> None:
    options = timed(tmp_path, "Does it fit?", 24)
    assert (options.submitted.word, options.submitted.beyond) == (FITS, "time")
    assert options.recommended is None
    assert options.nearest is not None
    assert not options.nearest.beyond
    assert float(options.computed.values["run_hours"][options.nearest.column]) <= 24


def test_the_margin_holds_for_the_memory_of_the_host(tmp_path: Path) -> None:
    """7.6e9 parameters take 152 of 153 GiB with pinned buffers: that fits on paper, and leaves nothing."""
    path = tmp_path / "filled.yaml"
    training = "{optimizer_offload: cpu, parameter_offload: cpu, gradient_checkpointing: full, sequence_length: 2048}"
    hardware = "{accelerator: rtx-4090, count: 1}"
    memory = "{host_memory_bytes: 153 GiB}"
    text = scenario_text("filled", model="qwen2.5-7b", hardware=hardware, training=training, overrides=memory)
    path.write_text(text, encoding="utf-8")
    submitted = options_of(plan(job_at(path))).submitted
    assert submitted.word == FITS
    assert not submitted.headroom_kept


def test_a_model_of_many_nodes_is_trained_in_stages_on_the_gpu_that_was_asked_for(tmp_path: Path) -> None:
    """Llama 3.1 405B on 15e12 tokens takes 3.8e25 FLOP: in 60 days 18,000 H100 at 400 TFLOP/s each."""
    path = tmp_path / "large.yaml"
    training = "{framework: megatron, sequence_length: 8192, gradient_accumulation_steps: 16, training_tokens: 15e12}"
    hardware = "{accelerator: h100-80gb-sxm, count: 1024}"
    text = scenario_text("large", model="llama-3.1-405b", hardware=hardware, training=training)
    path.write_text(f"{text}search: {{run_hours: 1440}}\nasks: [how_many_gpus]\n", encoding="utf-8")
    chosen = options_of(plan(job_at(path))).recommended
    assert chosen is not None
    assert chosen.case.settings["accelerator"] == "h100-80gb-sxm"
    assert 18_000 < chosen.count < 30_000


def test_a_small_job_that_one_gpu_does_not_hold_is_not_cut_into_stages(tmp_path: Path) -> None:
    """64 GPUs in stages keep the batch of one sequence and take many times the GPU-hours of 4 in one server."""
    path = tmp_path / "small.yaml"
    search = "{accelerator: [rtx-3090], count: [1, 2, 4]}"
    hardware = "{accelerator: rtx-3090, count: 1}"
    path.write_text(scenario_text("small", model="mistral-nemo-12b", hardware=hardware, search=search))
    nearest = options_of(plan(job_at(path))).nearest
    assert nearest is not None
    assert nearest.case.settings["pipeline_parallel_size"] == 1
    assert nearest.count < 32
