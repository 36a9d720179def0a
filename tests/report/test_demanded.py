"""A demand is answered with how many of which GPUs, their cost a month, or with what comes nearest."""

from __future__ import annotations

from pathlib import Path

from memreport.advise.decide import decide
from memreport.advise.verdict import DOES_NOT_FIT, FITS
from memreport.compute import compute
from memreport.report.answer.answered import answered
from memreport.report.records.decision import Answer
from memreport.resolve import resolve_all
from tests.advise.test_demand_plan import CHAT, COST, TARGETS


def said(folder: Path, targets: str) -> Answer:
    path = folder / "chat.yaml"
    path.write_text(CHAT.format(targets=targets) + COST, encoding="utf-8")
    return answered(decide(compute(resolve_all([path]))[0]))[0]


def test_a_demand_is_answered_with_gpus_and_a_months_cost(tmp_path: Path) -> None:
    answer = said(tmp_path, TARGETS)
    assert answer.word == FITS
    assert answer.headline[0].isdigit()
    assert "replicas of TP" in answer.headline
    assert " a month (" in answer.headline
    assert "does not carry the demand" in answer.detail


def test_a_target_that_nothing_meets_names_what_comes_nearest_and_no_number_of_gpus(tmp_path: Path) -> None:
    answer = said(tmp_path, "first_token_seconds: 1, tokens_per_second_per_user: 30000")
    assert answer.word == DOES_NOT_FIT
    assert "The nearest, TP " in answer.headline
    assert "replicas" not in answer.headline
