"""A server that starts and queues is not out of memory: how many requests run at once, in every output."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT, deciding, verdict_of
from memreport.report.build import report_of
from memreport.report.money.prices import cost_caveat
from memreport.report.records.report import Build
from memreport.report.view import View
from tests.support import run, scenario_text

ONE_H100 = scenario_text(
    workload="serving",
    model="gpt-oss-120b",
    hardware="{accelerator: h100-80gb-sxm, count: 1, host: dgx-h100}",
    serving="{weight_dtype: mxfp4-experts, max_model_len: 8192, context_length: 8192, max_num_seqs: 64}",
    cost="{basis: rent, price: aws-p5-on-demand}",
    variants="{asked: {}, few: {serving.max_num_seqs: 8}, whole: {serving.weight_dtype: bf16}}",
)


def test_what_does_not_fit_at_once_waits(tmp_path: Path) -> None:
    computed = run(tmp_path, ONE_H100)
    values = computed.values
    assert values["running_sequences"].tolist() == [19, 8, 0]
    assert values["running_sequences"][0] == values["max_concurrent_sequences"][0]
    assert values["waiting_sequences"].tolist() == [45, 0, 64]
    assert values["fits"].tolist() == [1, 1, 0]


def test_the_verdict_says_how_many_run_and_how_many_wait(tmp_path: Path) -> None:
    computed = run(tmp_path, ONE_H100)
    view = View(computed)
    report = report_of(computed, Build("0"))
    assert [one.word for one in report.verdicts] == [QUEUES, FITS, DOES_NOT_FIT]
    assert cost_caveat(view, 0) == "starts, but queues: 19 of 64 requests run at once, 45 wait"
    assert "cannot start" in cost_caveat(view, 2)


def test_replicas_queue_each_for_itself(tmp_path: Path) -> None:
    four = ONE_H100.replace("count: 1,", "count: 4,")
    assert "19 of 64 requests run at once on each replica" in cost_caveat(View(run(tmp_path, four)), 0)


@pytest.mark.parametrize(
    ("figures", "word"),
    [((1, 5, 6, 7), FITS), ((1, 5, 8, 7), TIGHT), ((1, 8, 9, 7), QUEUES), ((0, 5, 6, 7), DOES_NOT_FIT)],
)
def test_one_rule_judges(figures: tuple[float, float, float, float], word: str) -> None:
    assert verdict_of(*figures) == word


def test_a_variant_that_runs_everything_is_preferred_to_one_that_queues() -> None:
    assert deciding([QUEUES, TIGHT, FITS]) == 2
    assert deciding([QUEUES, DOES_NOT_FIT]) == 0
    assert deciding([DOES_NOT_FIT, QUEUES]) == 1
