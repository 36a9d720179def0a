"""Curves of a served model: in the report, drawn without labels upon each other, in the workbook and in the data."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from memreport.advise.decide import decide
from memreport.build.outputs import reported
from memreport.compute import compute
from memreport.publish.json.answer import answer_data
from memreport.publish.svg.serving_curve import serving_curve_drawing
from memreport.report.records.report import Report
from memreport.resolve import resolve_all

CHAT = """schema: 1
id: chat
version: 1
title: Chat
model: llama-3.1-8b
hardware: {accelerator: h100-80gb-sxm, count: 1, host: dgx-h100}
workload: serving
serving: {engine: ENGINE, weight_dtype: fp8, max_num_seqs: 40, prompt_tokens: 1000, output_tokens: 300}
"""
DEMAND = "demand: {requests_per_second: 20, first_token_seconds: 2}\ncost: {basis: rent, price: aws-p5-on-demand}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("curves")


@cache
def report(folder: Path, engine: str = "vllm", rest: str = DEMAND) -> Report:
    path = folder / "chat.yaml"
    path.write_text(CHAT.replace("ENGINE", engine) + rest, encoding="utf-8")
    return reported(decide(compute(resolve_all([path]))[0]), derived=False)


def planned(folder: Path) -> str:
    """The sequences at once of what is recommended, which carries the demand."""
    path = folder / "chat.yaml"
    path.write_text(CHAT.replace("ENGINE", "vllm") + DEMAND, encoding="utf-8")
    decision = decide(compute(resolve_all([path]))[0])
    at = [case.name for case in decision.computed.resolved.variants].index(decision.chosen)
    assert decision.computed.values["meets_demand"][at] > 0
    return f"{decision.computed.values['max_num_seqs'][at]:.0f}"


def test_both_curves_mark_what_is_planned(folder: Path) -> None:
    frontier, costs = report(folder).speed.curves
    assert frontier.points[frontier.planned].label == planned(folder)
    across = [one.across for one in frontier.points]
    assert across == sorted(across)
    assert costs.points[costs.planned].across == pytest.approx(20)
    assert [one.up for one in costs.points] == sorted(one.up for one in costs.points)


def test_without_a_demand_there_is_the_frontier_alone(folder: Path) -> None:
    assert [one.id for one in report(folder, rest="").speed.curves] == ["frontier"]


def test_labels_of_a_curve_stand_apart(folder: Path) -> None:
    for curve in report(folder).speed.curves:
        drawing = serving_curve_drawing(curve)
        boxes = [box for box, _ in drawing.labels]
        assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]
        assert all(box.within(drawing.frame) for box in boxes)
        assert curve.points[curve.planned].label in {text for _, text in drawing.labels}


def test_the_data_hold_the_points_in_base_units(folder: Path) -> None:
    made = report(folder)
    data = answer_data(made)["curves"]["frontier"]
    assert data["points"][data["planned"]]["across"] == made.speed.curves[0].points[made.speed.curves[0].planned].across
    assert data["points"][data["planned"]]["sequences at once"] == planned(folder)


@pytest.mark.parametrize(
    ("engine", "program", "sequences"),
    [("vllm", "vllm serve", "--max-num-seqs 40"), ("sglang", "sglang.launch_server", "--max-running-requests 40"),
     ("trtllm", "trtllm-serve", "--max_batch_size 40")],
)  # fmt: skip
def test_the_line_that_starts_the_engine_has_its_numbers(
    folder: Path, engine: str, program: str, sequences: str
) -> None:
    line = report(folder, engine, "").speed.command
    assert program in line
    assert sequences in line


def test_of_a_demand_the_line_is_that_of_the_first_option(folder: Path) -> None:
    made = report(folder)
    assert made.answer is not None
    width = made.speed.command.partition("--tensor-parallel-size ")[2].split(" ")[0] or "1"
    assert f"replicas of TP {width}" in made.answer.headline or f"replica of TP {width}" in made.answer.headline
