"""A scenario in a notebook: the answer in the first columns of a table, the decision page as its picture."""

from __future__ import annotations

import pandas as pd
import pytest

import memreport
from memreport.notebook import Estimate
from memreport.report.live.ranges import COST, TIME
from memreport.report.records.report import Report
from tests.built import published_files
from tests.publish.test_same_answer import plain
from tests.support import ROOT

ID = "qlora-7b-rtx4070"


@pytest.fixture(scope="module")
def table() -> Estimate:
    return memreport.estimate(ROOT / "scenarios" / f"{ID}.yaml")


def test_the_first_columns_are_the_answer(table: Estimate) -> None:
    answer = ["verdict", "peak_bytes", "usable_bytes", "headroom_bytes", "run_hours", "run_hours_low", "run_hours_high"]
    answer += ["whole_cost_usd", "whole_cost_low_usd", "whole_cost_high_usd"]
    assert list(table.answer) == answer
    assert set(table["verdict"]) == {"Fits", "Tight", "Does not fit"}
    assert [table.attrs["units"][name] for name in answer[1:]] == [*["byte"] * 3, *["h"] * 3, *["USD"] * 3]
    assert list(table.answer) == list(table.columns[: len(answer)])


def test_time_and_cost_are_those_of_the_answer_with_their_ends(table: Estimate) -> None:
    runs = [one for one in published_files(ID).report.rows if one.takes.time and one.takes.cost]
    assert runs
    for shown in runs:
        for said, names in ((shown.takes.time, TIME["training"].figures), (shown.takes.cost, COST["training"].figures)):
            assert said is not None
            middle = said.amount.value
            ends = [middle if end is None else end for end in (said.low_value, said.high_value)]  # a purchase has none
            assert [middle, *ends] == pytest.approx(list(table.loc[shown.name, list(names)]))


def test_the_rest_is_in_figures_and_parts_are_plain_tables(table: Estimate) -> None:
    assert {"weight_bytes", "step_seconds", "micro_batch_size"} <= set(table.figures)
    assert not set(table.answer) & set(table.figures)
    assert len(table.figures.columns) + len(table.answer.columns) == len(table.columns)
    assert type(table[["peak_bytes"]]) is pd.DataFrame


def test_a_notebook_shows_the_decision_page(table: Estimate) -> None:
    shown, report = table._repr_html_(), published_files(ID).report
    text = plain(shown)
    assert report.answer is not None
    assert report.budget is not None
    assert plain(report.answer.headline) in text
    assert all(plain(one.text) in text for one in report.budget.facts)
    assert shown.count('class="bar"') == len(report.answer.options)
    assert "<script" not in shown
    assert "http" not in shown


def test_what_a_scenario_calls_itself_is_text(table: Estimate, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from memreport import notebook

    made: Report = published_files(ID).report
    assert made.answer is not None
    asked = replace(made, answer=replace(made.answer, question="<script>alert(1)</script>"))
    monkeypatch.setattr(notebook, "reported", lambda *_, **__: asked)
    assert "<script" not in table._repr_html_()
