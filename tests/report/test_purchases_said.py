"""Rent or buy: what is to be decided follows the answer, and the answer says whether hosts are in the purchase."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.compute import Computed
from memreport.report.view import View
from tests.conftest import Asked
from tests.report.test_decisions import budget_of
from tests.support import run, scenario_text

ALONE, WITH_HOSTS = "h100-street-low", "dgx-h100-street-low"
NODE_OVER_GPUS = 0.409
QUESTION = "Rent or buy 8 H100 for 24 months?"


def text_of(cost: str, name: str = "job") -> str:
    hardware = "{accelerator: h100-80gb-sxm, count: 8}"
    return scenario_text(
        name, workload="serving", hardware=hardware, serving="{max_num_seqs: 8}", cost=cost, question=QUESTION
    )


def made(folder: Path, more: str = "") -> Computed:
    return run(folder, text_of(f"{{basis: rent, rent_or_buy: true, horizon_years: 2{more}}}", "case"))


@pytest.mark.parametrize(
    ("more", "share"),
    [
        ("", NODE_OVER_GPUS),
        (", adders: adders-low", 0.1),
        (f", purchase_price: {ALONE}", 0.0),
        (f", purchase_price: {WITH_HOSTS}", 0.0),
    ],
)
def test_hosts_are_counted_where_nobody_states_the_purchase(tmp_path: Path, more: str, share: float) -> None:
    assert View(made(tmp_path, more)).value("adder_share", 0) == share


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Rent or buy 8 H100 for 24 months to serve Llama 3.3 70B?", "counts hosts and their network as 40.9 % on top"),
        (
            "Rent or buy 8 H200 for 24 months to serve Llama 3.3 70B?",
            "the purchase, $400,000 (dgx-h200-street-low, 2026), includes hosts.",
        ),
    ],
)
def test_the_answer_says_what_the_purchase_holds(asked: Asked, question: str, said: str) -> None:
    assert said in asked(question)


@pytest.mark.parametrize(
    ("horizon", "first", "before"),
    [
        ("2", "Approve the purchase of 8 × H100", "Before: ask for an offer of the purchase, with hosts and network"),
        ("0.25", "Approve ", "Before: confirm renting, as this budget does"),
    ],
)
def test_what_is_to_be_decided_follows_the_answer(tmp_path: Path, horizon: str, first: str, before: str) -> None:
    path = tmp_path / "job.yaml"
    cost = f"{{basis: rent, rent_or_buy: true, horizon_years: {horizon}, purchase_price: {ALONE}}}"
    path.write_text(text_of(cost), encoding="utf-8")
    decisions = budget_of(path).decisions
    assert decisions[0].startswith(first)
    assert ("the purchase of" in decisions[0]) is (horizon == "2")
    assert any(line.startswith(before) for line in decisions)
    if horizon == "2":
        assert "which is of GPUs alone, without hosts and network: it has paid by month" in decisions[0]
        assert decisions[1].startswith("Or, to rent instead, approve ")
