"""What a commitment saves is of what the plan rents: not of GPUs that are paid anyway, nor at a rate nobody pays."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.portfolio.commitment import Commitment
from memreport.portfolio.plan import Planned, plan
from tests.support import scenario_text

OWN_RATE, ASKED_RATE, COMMITTED, GPUS = 2.0, 5.0, 1.5, 4
YEAR = 365 * 24


def planned(folder: Path, more: str = "", entry: str = "") -> Planned:
    """Four GPUs that serve for a year, rented at their scenario's own rate, and an offer that names a higher one."""
    text = scenario_text(
        id="service",
        owner="ml",
        hardware=f"{{accelerator: a100-80gb-sxm, count: {GPUS}, host: dgx-a100}}",
        workload="serving",
        serving="{max_num_seqs: 1, max_model_len: 512}",
        cost="{basis: rent, price: aws-p4de-on-demand, contingency: 0}",
        overrides=f"{{usd_per_accelerator_hour: {OWN_RATE}}}",
    )
    (folder / "service.yaml").write_text(text, encoding="utf-8")
    path = folder / "portfolio.yaml"
    path.write_text(
        f"schema: 1\nid: p\ntitle: p\nhorizon: {{start: 2027-01, months: 12}}\n{more}"
        f"commitments: [{{accelerator: a100-80gb-sxm, committed: {COMMITTED}, on_demand: {ASKED_RATE}}}]\n"
        f"entries: [{{scenario: service.yaml, start: 2027-01{entry}}}]\n",
        encoding="utf-8",
    )
    return plan(path)


def offer(made: Planned) -> Commitment:
    (found,) = made.commitments
    return found


def test_the_entries_own_rate_is_what_is_saved_of(tmp_path: Path) -> None:
    found = offer(made := planned(tmp_path))
    assert (found.best, found.on_demand) == (GPUS, OWN_RATE)
    assert found.savings == pytest.approx(1 - COMMITTED / OWN_RATE)
    assert found.costs[0] == pytest.approx(OWN_RATE * GPUS * YEAR)
    assert found.costs[0] <= float(made.spend.effective.sum()) * 1.001


def test_what_is_reserved_already_is_not_paid_twice(tmp_path: Path) -> None:
    reserved = "reserved: [{accelerator: a100-80gb-sxm, count: 4, first: 2027-01, last: 2027-06, price: 1.4}]\n"
    found = offer(planned(tmp_path, reserved))
    assert found.costs[0] == pytest.approx(OWN_RATE * GPUS * 184 * 24)  # July to December
    assert found.best == 0  # half of the hours at 1.5 cost more than the rest at 2
