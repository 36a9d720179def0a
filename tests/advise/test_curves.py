"""The frontier and the curve of cost: each point is what the engine computes for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.advise.comparisons.curves import cost_by_load, frontier
from memreport.advise.plan import job_at
from memreport.advise.rerun import Job

CHAT = """schema: 1
id: chat
version: 1
title: Chat
model: llama-3.1-8b
hardware: {accelerator: h100-80gb-sxm, count: 1, host: dgx-h100}
workload: serving
serving: {engine: vllm, max_num_seqs: 40, prompt_tokens: 1000, output_tokens: 300}
"""
DEMAND = "demand: {requests_per_second: 20, first_token_seconds: 2}\ncost: {basis: rent, price: aws-p5-on-demand}\n"


def job(folder: Path, rest: str = DEMAND) -> Job:
    path = folder / "chat.yaml"
    path.write_text(CHAT + rest, encoding="utf-8")
    return job_at(path)


def test_the_frontier_trades_speed_of_one_for_tokens_of_all(tmp_path: Path) -> None:
    made = job(tmp_path)
    curve = frontier(made)
    assert curve.values[curve.planned] == 40
    times, rates = curve.figures["time_per_output_token_seconds"], curve.figures["tokens_per_second"]
    assert list(times) == sorted(times)
    assert rates[curve.planned] == pytest.approx(made.value("tokens_per_second"))
    other = made.changed({"serving.max_num_seqs": 8})
    assert rates[curve.values.index(8)] == pytest.approx(other.value("tokens_per_second"))


def test_cost_rises_in_steps_with_the_load(tmp_path: Path) -> None:
    made = job(tmp_path)
    curve = cost_by_load(made)
    assert curve is not None
    assert curve.values[curve.planned] == pytest.approx(20)
    assert curve.figures["needed_accelerators"][curve.planned] == made.value("needed_accelerators")
    cost = curve.figures["service_usd_per_month"]
    assert list(cost) == sorted(cost)
    each = curve.figures["usd_per_million_output_tokens"]
    assert each[0] >= each[-1] * 0.99
    double = made.changed({"demand.requests_per_second": 40})
    assert cost[-1] == pytest.approx(double.value("service_usd_per_month"))


def test_without_a_cost_there_is_no_curve_of_it(tmp_path: Path) -> None:
    assert cost_by_load(job(tmp_path, "demand: {users: 3}\n")) is None
    assert cost_by_load(job(tmp_path, "cost: {basis: rent, price: aws-p5-on-demand}\n")) is None
