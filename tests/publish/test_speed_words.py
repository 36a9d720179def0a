"""What a report says of times: which is an estimate, which a bound, and what binds where the bound is longer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memreport.advise.decide import decide
from memreport.advise.plan import plan
from memreport.advise.rerun import job_of
from memreport.catalogue.names import ONE_REPLICA, scope_of, title_of
from memreport.commands.main import main
from memreport.compute import Computed, compute
from memreport.figures.registry import figures_by_name
from memreport.formula.recording import SCOPES
from memreport.report.answer.answered import answered
from memreport.report.build import report_of
from memreport.report.money.bill import how
from memreport.report.records.report import Build, Report
from memreport.report.speed.limits import speed_words
from memreport.report.view import View
from memreport.resolve import resolve_all
from tests.support import run, scenario_text, value

ZERO_3 = "{zero_stage: 3, gradient_checkpointing: full, training_tokens: 1e8, model_flop_utilization: 0.4}"
TWO_NODES = "{accelerator: a100-80gb-sxm, count: 16, host: dgx-a100}"
CASES = {
    "the network": {"hardware": TWO_NODES, "training": ZERO_3, "overrides": "{network_bytes_per_second: 0.1 GB/s}"},
    "the link between GPUs": {
        "hardware": "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}",
        "training": ZERO_3,
        "overrides": "{link_bytes_per_second: 1 GB/s}",
    },
    "the host's memory": {
        "training": "{optimizer_offload: cpu, gradient_checkpointing: full, model_flop_utilization: 1}",
        "overrides": "{host_memory_bytes_per_second: 1 GB/s}",
    },
}


def reported(computed: Computed) -> Report:
    return report_of(computed, Build("0"))


@pytest.mark.parametrize("limit", CASES)
def test_where_a_bound_is_the_longer_one_the_report_says_what_binds(tmp_path: Path, limit: str) -> None:
    computed = run(tmp_path, scenario_text(**CASES[limit]))
    report = reported(computed)
    assert f"what binds is {limit}." in report.speed.words
    assert "Rates, hours and cost are those of the bound." in report.speed.words
    bound = value(computed, "step_seconds_bound")
    assert value(computed, "step_seconds") == bound > value(computed, "step_seconds_at_utilization")
    steps = value(computed, "training_steps")
    assert value(computed, "training_hours") == pytest.approx(steps * bound / 3600)


def test_where_the_estimate_is_the_longer_one_both_are_called_what_they_are(tmp_path: Path) -> None:
    report = reported(run(tmp_path, scenario_text()))
    assert "computed from its kernels, traffic and host, with rates measured on this GPU" in report.speed.words
    assert "cannot take less than" in report.speed.words
    low, high = (title_of(f"step_seconds_{end}") for end in ("low", "high"))
    assert (low, high) == ("Time per step, low", "Time per step, high")
    assert title_of("step_seconds_bound").endswith("a lower bound")


def test_a_stated_utilisation_is_named_as_it_is_stated(tmp_path: Path) -> None:
    training = "{pipeline_parallel_size: 4, gradient_accumulation_steps: 4, model_flop_utilization: 0.4}"
    report = reported(run(tmp_path, scenario_text(hardware=TWO_NODES, training=training)))
    assert "at the stated utilisation of 40 %" in report.speed.words


def test_serving_times_have_a_range_and_a_bound(tmp_path: Path) -> None:
    report = reported(run(tmp_path, scenario_text(workload="serving")))
    assert "by measured errors" in report.speed.words
    assert "the lower bound" in report.speed.words


def test_the_plan_goes_by_the_same_time_as_the_report(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(**CASES["the network"]))
    made = plan(job_of(computed.resolved.loaded, computed.resolved.catalogue))
    assert made.tornado
    assert made.tornado.step_seconds == value(computed, "step_seconds")
    assert all(one.job.value("step_seconds") > 0 for one in made.alone)


RATES = ("token/s", "1/s")
WORKLOADS = ("training", "serving")


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_speed_and_concurrency_says_of_how_much_it_is(workload: str) -> None:
    """Figures of one replica stand beside figures of all GPUs: 3,663 tokens a second beside 19,695, of one server."""
    figures = figures_by_name(workload)
    named = {name for name, one in figures.items() if str(one.unit) in RATES or name.endswith("_sequences")}
    assert {"tokens_per_second"} <= named
    assert not {name for name in named if scope_of(name) not in SCOPES}
    assert all(title_of(name).endswith(SCOPES) for name in named)


def test_replicas_that_share_experts_are_told_from_all_gpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    serving = (
        "{weight_dtype: fp8, expert_parallel_size: 8, max_model_len: 4096, context_length: 2048, max_num_seqs: 64}"
    )
    hardware = "{accelerator: h200-141gb-sxm, count: 8}"
    text = scenario_text(model="deepseek-v3", hardware=hardware, workload="serving", serving=serving)
    computed = run(tmp_path, text)
    replicas = value(computed, "sharding_size")
    assert replicas == 8
    for name in ("tokens_per_second", "tokens_per_second_bound"):
        assert value(computed, name) > value(computed, "decode_tokens_per_second_bound")
    assert value(computed, "tokens_per_second_bound") < replicas * value(computed, "decode_tokens_per_second_bound")
    assert main(["show", "--all", str(tmp_path / "case.yaml")]) == 0
    said = {line.split("  ")[0] for line in capsys.readouterr().out.splitlines()}
    for name, scope in (("decode_tokens_per_second_bound", ONE_REPLICA), ("tokens_per_second", "all GPUs")):
        assert f"{name}, {scope}" in said
        assert name not in said


def test_an_encoder_reads_texts_in_every_sentence(tmp_path: Path) -> None:
    """Rates and the cost of a million are of texts, in headline, page of time and bill."""
    text = scenario_text(
        "read", model="bert-base-uncased", workload="serving", hardware="{accelerator: l4, count: 2}",
        serving="{max_model_len: 512, context_length: 512, prompt_tokens: 512, output_tokens: 1}",
        cost="{price: aws-g6-xlarge-on-demand}",
    )  # fmt: skip
    path = tmp_path / "read.yaml"
    path.write_text(f"{text}asks: [how_fast]\n", encoding="utf-8")
    decision = decide(compute(resolve_all([path]))[0])
    number = r"[0-9,.]+"
    headline = answered(decision)[0].headline
    assert re.fullmatch(rf"{number} texts/s \({number} to {number}\) as submitted\.", headline), headline
    view = View(decision.computed)
    assert "tokens" not in speed_words(view, 0)
    assert how(view, 0, "cost_per_million_tokens_usd") == "of texts that are read at full load"
