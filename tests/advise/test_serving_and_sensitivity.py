"""Serving arrangements and the tornado, against the engine itself."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from memreport.advise import serving
from memreport.advise.decide import decide
from memreport.advise.moves import _smallest_factor as smallest_factor
from memreport.advise.plan import job_at
from memreport.advise.rerun import Job, rerun
from memreport.advise.search.combinations import find
from memreport.advise.sensitivity import RANGES, tornado
from memreport.advise.serving import longest_context, most_sequences, most_words, serving_plan
from memreport.advise.verdict import QUEUES
from memreport.catalogue.names import attributes_of
from memreport.catalogue.scenario import dictionary
from memreport.commands.plan import planned as run
from memreport.compute import compute
from memreport.errors import InputError
from memreport.figures.registry import figures_by_name
from memreport.report.advice.plan import with_advice
from memreport.report.build import report_of
from memreport.report.records.report import Build
from memreport.resolve import resolve_all
from tests.support import ROOT, SCENARIOS, scenario_text

SERVED = ROOT / "scenarios/llama2-13b-serving-batch32.yaml"


def served(folder: Path, **search: float) -> Job:
    block = "{" + ", ".join(f"{name}: {value}" for name, value in search.items()) + "}"
    text = scenario_text(
        workload="serving",
        model="llama-3.1-8b",
        hardware="{accelerator: h100-80gb-sxm, count: 4, host: dgx-h100}",
        serving="{max_model_len: 32768, context_length: 8192, max_num_seqs: 16}",
        search=block,
    )
    (folder / "case.yaml").write_text(text, encoding="utf-8")
    return job_at(folder / "case.yaml")


def headroom_share(job: Job, **changes: float) -> float:
    fields = {f"serving.{name}": value for name, value in changes.items()}
    values = rerun(job.loaded, job.catalogue, {"one": {**job.changes, **fields}}).values
    return float(values["headroom_bytes"][0] / values["usable_bytes"][0])


def test_one_more_sequence_than_the_most_does_not_fit() -> None:
    job = job_at(SERVED)
    most = most_sequences(job)
    assert headroom_share(job, max_num_seqs=most) >= 0.05 > headroom_share(job, max_num_seqs=most + 1)


def test_one_more_block_than_the_longest_context_does_not_fit(tmp_path: Path) -> None:
    job = served(tmp_path)
    longest = longest_context(job)
    block = job.value("block_size")
    assert longest % block == 0
    assert headroom_share(job, context_length=longest) >= 0.05 > headroom_share(job, context_length=longest + block)


def test_the_context_ends_where_the_model_does() -> None:
    assert longest_context(job_at(SERVED)) == 4096


def test_arrangements_share_the_target_between_replicas(tmp_path: Path) -> None:
    plan = serving_plan(served(tmp_path, concurrency=50, context_length=4096))
    assert [(one.tensor_parallel_size, one.replicas, one.sequences_each) for one in plan.arrangements] == [
        (1, 4, 13),
        (2, 2, 25),
        (4, 1, 50),
    ]
    soonest = min(plan.arrangements, key=lambda one: one.decode_step_seconds)
    assert soonest.tensor_parallel_size > 1, "one GPU alone is not the quickest"
    assert f"{soonest.tensor_parallel_size}" in plan.sentence.partition(" answers soonest")[0]


def test_fewest_cards_serve_the_target(tmp_path: Path) -> None:
    job = served(tmp_path, concurrency=200, context_length=8192)
    plan = serving_plan(job)
    assert plan.fewest_accelerators
    counts = [row.figures["count"] for row in find(job).best]
    assert plan.fewest_accelerators.figures["count"] <= min(counts)
    values = rerun(job.loaded, job.catalogue, {"one": dict(plan.fewest_accelerators.changes)}).values
    replicas = values["sharding_size"][0]
    assert values["fits"][0] == 1
    assert replicas * values["max_num_seqs"][0] >= 200
    assert values["context_length"][0] == 8192


def test_deadlines_take_rows_away(tmp_path: Path) -> None:
    free = find(served(tmp_path))
    tight = find(served(tmp_path, sequence_tokens_per_second=90))
    assert tight.counts.too_slow > 0
    assert tight.counts.fitting + tight.counts.too_slow == free.counts.fitting
    assert tight.best
    assert all(row.figures["sequence_tokens_per_second"] >= 90 for row in tight.best)


def test_a_deadline_that_nothing_meets_leaves_no_row(tmp_path: Path) -> None:
    none = find(served(tmp_path, sequence_tokens_per_second=30000))
    assert none.counts.too_slow > 0
    assert none.counts.fitting == 0
    assert none.best == ()


def test_where_the_given_cards_are_too_few_the_cheapest_number_of_them_is_named(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        scenario_text(
            workload="serving",
            model="gpt-oss-120b",
            hardware="{accelerator: h100-80gb-sxm, count: 1, host: dgx-h100}",
            serving="{weight_dtype: mxfp4, max_model_len: 131072, context_length: 8192, max_num_seqs: 32}",
            cost="{basis: rent, price: aws-p5-on-demand}",
        )
    )
    job = job_at(path)
    found = find(job)
    assert job.word == QUEUES
    assert (len(found.on_same_hardware), len(found.on_same_accelerator)) == (0, job.search.limit)
    assert {row.settings["accelerator"] for row in found.on_same_accelerator} == {"h100-80gb-sxm"}
    costs = [row.figures["cost_total_usd"] for row in found.on_same_accelerator]
    assert costs == sorted(costs)
    two = {"hardware.count": 2, "serving.tensor_parallel_size": 2}
    assert two in [row.changes for row in found.on_same_accelerator]
    assert costs[0] == pytest.approx(job.changed(two).value("cost_total_usd"))
    assert "Cheapest on NVIDIA H100 80 GB SXM5, any number\n" in run(path, policy="search")[0]
    computed = compute(resolve_all([path]))[0]
    made = with_advice(report_of(computed, Build("0")), decide(computed)).plan
    assert made
    assert made.search
    assert made.search.rankings[0].title == "Cheapest on NVIDIA H100 80 GB SXM5, any number"
    assert made.search.counts.endswith(" fit. None of these on 1 × NVIDIA H100 80 GB SXM5.")
    assert find(served(tmp_path)).on_same_accelerator == ()


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_tornado_is_sorted_and_encloses_the_plan(path: Path) -> None:
    found = tornado(job_at(path))
    widths = [abs(one.headroom_bytes[1] - one.headroom_bytes[0]) for one in found.swings]
    assert widths == sorted(widths, reverse=True)
    for swing in found.swings:
        assert swing.values.low <= swing.values.given <= swing.values.high
        low, high = sorted(swing.headroom_bytes)
        assert low <= found.headroom_bytes <= high


def test_a_swing_is_what_the_engine_gives() -> None:
    job = job_at(ROOT / "scenarios/gpt2-760m-mi300x.yaml")
    found = {swing.name: swing for swing in tornado(job).swings}
    halved = job.changed({"training.sequence_length": 512})
    assert found["sequence_length"].headroom_bytes[0] == halved.value("headroom_bytes")
    assert found["sequence_length"].values.high == 1024, "the model reads no more"
    assert found["micro_batch_size"].fits == (True, False)
    assert found["micro_batch_size"].changes_verdict
    dearer = job.changed({"cost.price_multiplier": 1.25})
    ratio = found["price_multiplier"].cost_usd[1] / tornado(job).cost_usd
    assert ratio == pytest.approx(dearer.value("cost_total_usd") / job.value("cost_total_usd"), rel=1e-12)


@pytest.mark.parametrize("workload", ["training", "serving"])
def test_every_range_names_an_input_or_a_figure(workload: str) -> None:
    catalogue = job_at(SERVED).catalogue
    fields = dictionary(workload)
    attributes = {name for entry in fields.values() for name in attributes_of(entry, catalogue)}
    known = {*fields, *attributes, *figures_by_name(workload)}
    assert {one.name for one in RANGES[workload]} <= known


def test_words_say_what_ends_the_context() -> None:
    job = job_at(SERVED)
    plan = serving_plan(job)
    assert "sequences of at most 4,096 tokens each, which is all that the model reads" in most_words(job, plan)
    assert "with the safety margin of 5 % of the usable memory left free (37 without it)" in most_words(job, plan)
    assert plan.most_sequences < 37 == job.value("max_concurrent_sequences")
    single = replace(plan, most_sequences=1)
    assert "at most 1 sequence of 4,096" in most_words(job, single)
    none = replace(plan, most_sequences=0)
    assert "not one sequence of 4,096 tokens fits" in most_words(job, none)


def test_no_longer_sequences_are_sought_than_the_model_reads(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"search.context_length: is more than the model reads \(found 200,000"):
        find(served(tmp_path, context_length=200_000))


def test_a_single_arrangement_is_compared_with_nothing() -> None:
    plan = serving_plan(job_at(ROOT / "scenarios/serving-mi300x.yaml"))
    assert len(plan.arrangements) == 1
    assert plan.sentence == "These GPUs can be arranged in no other way."


def test_a_range_that_is_looked_at_coarsely_has_the_same_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = served(tmp_path)
    at_once = longest_context(job), most_sequences(job)
    for probes in (2, 7, 100):
        monkeypatch.setattr(serving, "PROBES", probes)
        assert (longest_context(job), most_sequences(job)) == at_once


def test_the_longest_context_that_can_be_asked_for_is_searched_in_moments(tmp_path: Path) -> None:
    text = scenario_text(
        workload="serving",
        model="{hidden_size: 64, num_hidden_layers: 1, num_attention_heads: 1, num_key_value_heads: 1, head_dim: 1, "
        "intermediate_size: 64, vocab_size: 10, max_position_embeddings: 1000000000}",
        hardware="{accelerator: b300, count: 1}",
        serving="{max_model_len: 1000000000, context_length: 16, max_num_seqs: 1, max_num_batched_tokens: 1000000}",
    )
    (tmp_path / "case.yaml").write_text(text, encoding="utf-8")
    job = job_at(tmp_path / "case.yaml")
    began = time.process_time()
    longest, most = longest_context(job), most_sequences(job)
    assert time.process_time() - began < 2
    assert longest > 10**8
    assert most > 10**5


@pytest.mark.parametrize(
    ("number", "factor"), [(1, 1), (6, 2), (35, 5), (999_983, 999_983), (99_999_999_999_973, None)]
)
def test_a_factor_is_found_without_walking_to_the_end(number: int, factor: int | None) -> None:
    assert smallest_factor(number) == (factor or number)


def test_the_tornado_of_a_purchase_swings_what_is_signed(tmp_path: Path) -> None:
    """The whole order moves with prices alone: a slower step or more tokens sign nothing more."""
    path = tmp_path / "case.yaml"
    cost = "{basis: buy, purchase_price: h100-street-low, contingency: 0.1}"
    hardware = "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"
    text = scenario_text(hardware=hardware, training="{zero_stage: 3, training_tokens: 1e9}", cost=cost)
    path.write_text(text, encoding="utf-8")
    job = job_at(path)
    made = tornado(job)
    assert made.cost_usd == pytest.approx(job.value("approval_total_usd"))
    moved = [one for one in made.swings if one.cost_usd[0] != one.cost_usd[1]]
    assert [one.name for one in moved] == ["price_multiplier"]
    low, high = (job.value(f"price_{end}_multiplier") for end in ("low", "high"))
    assert moved[0].cost_usd == pytest.approx((made.cost_usd * low, made.cost_usd * high))
