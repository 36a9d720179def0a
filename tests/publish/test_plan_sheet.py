"""Ranking out, sensitivity and documented figures of a scenario: in the report, the workbook and the sheet."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import pytest

from memreport.advise.decide import decide
from memreport.advise.rerun import rerun
from memreport.build.ledger_files import documented_of
from memreport.catalogue.quantities import GIB
from memreport.commands.main import main
from memreport.compute import Computed
from memreport.publish.svg.tornado import tornado_drawing
from memreport.publish.xlsx.workbook import workbook_bytes
from memreport.report.advice.plan import with_advice
from memreport.report.build import report_of
from memreport.report.records.advice import RankedCombination
from memreport.report.records.answers import MARKS
from memreport.report.records.report import Build, Report
from tests.built import IDS, KNOWN, decided, published_files
from tests.part import part
from tests.publish.pages import text_of
from tests.publish.workbook_cases import cached, case, differing, opened
from tests.support import ROOT
from tests.typed_workbook import recalculated


def advised(id_: str) -> Report:
    return published_files(id_).report


@pytest.fixture(params=["llama3-70b-8xa100", "serving-mi300x"])
def book(request: pytest.FixtureRequest) -> tuple[Report, Path]:
    return advised(request.param), published_files(request.param).workbook


def column(path: Path, sheet: str, letter: str) -> list[object]:
    return [cell.value for cell in opened(path)[sheet][letter]]


def test_the_plan_of_70b_names_that_zero_3_alone_fails_and_what_fits() -> None:
    made = advised("llama3-70b-8xa100").plan
    assert made is not None
    assert made.checklist is not None
    assert made.alone is not None
    zero = next(one for one in made.checklist.rows if "ZeRO-3" in one.title)
    assert zero.word == "Does not fit"
    assert made.checklist.rows[-1].word == "Fits"
    assert "None of these is enough by itself" in made.alone.sentence
    assert made.search
    assert made.search.rankings[0].title == "Cheapest on NVIDIA A100 80 GB SXM4, any number"  # none fits on eight


@pytest.mark.parametrize("id_", ["llama3-70b-8xa100", "serving-mi300x"])
def test_amounts_are_those_of_the_plan(id_: str) -> None:
    made, report = decided(id_).plan, advised(id_)
    assert made.found
    assert report.plan
    assert report.plan.search
    best = next(one for one in report.plan.search.rankings if one.title.endswith("any GPUs considered"))
    assert [one.headroom.value for one in best.rows] == [one.figures["headroom_bytes"] for one in made.found.best]
    decision = decided(id_)
    assert report.tornado
    assert decision.plan.tornado
    assert [one.name for one in report.tornado.swings] == [one.name for one in decision.plan.tornado.swings]
    assert report.tornado.headroom.value == decision.plan.tornado.headroom_bytes


def test_a_way_pasted_into_the_scenario_gives_its_numbers() -> None:
    made = advised("llama3-70b-8xa100").plan
    assert made
    assert made.search
    for way in (one for ways in made.search.rankings for one in ways.rows[:2]):
        assert again(KNOWN["llama3-70b-8xa100"], way) == pytest.approx(way.headroom.value, rel=1e-12)


def again(computed: Computed, way: RankedCombination) -> float:
    import yaml

    resolved = computed.resolved
    made = rerun(resolved.loaded, resolved.catalogue, {"again": yaml.safe_load(way.variant)})
    return float(made.values["headroom_bytes"][0])


def test_sheets_stand_in_their_places(book: tuple[Report, Path]) -> None:
    names = opened(book[1]).sheetnames
    assert names[:3] == ["Summary", "Inputs", "Options"]
    assert names[names.index("Sensitivity") + 1] == "Roofline"
    assert "Documented" not in names, "the cited documents have a workbook of their own"
    links = [cell.hyperlink.location for row in opened(book[1])["Summary"] for cell in row if cell.hyperlink]
    assert "Options!A1" in links


def test_nothing_in_the_workbook_breaks(book: tuple[Report, Path]) -> None:
    path = book[1]
    assert not differing(recalculated(path), cached(path))
    assert all(cell.protection.locked for row in opened(path)["Options"].iter_rows() for cell in row)
    assert opened(path)["Options"].protection.sheet


def test_every_step_way_and_input_stands_on_the_plan_sheet(book: tuple[Report, Path]) -> None:
    report, path = book
    assert report.plan
    assert report.tornado
    titles = column(path, "Options", "A")
    steps = [one.title for part in (report.plan.checklist, report.plan.tree, report.plan.alone) if part
             for one in part.rows]  # fmt: skip
    ways = report.plan.search.rankings if report.plan.search else ()
    wanted = [*steps, *(way.changes for ranking in ways for way in ranking.rows)]
    wanted += [one.title for one in report.plan.serving.arrangements] if report.plan.serving else []
    assert not set(wanted) - set(titles)
    assert "because a search is not a formula" in str(titles[1])
    inputs = column(path, "Sensitivity", "B")
    assert [one.title for one in report.tornado.swings] == inputs[6 : 6 + len(report.tornado.swings)]


def test_one_line_on_sources_says_where_the_documented_figures_stand(book: tuple[Report, Path]) -> None:
    report, path = book
    judged = [one for one in report.documented.entries if not one.own]
    assert judged
    (line,) = [str(said) for said in column(path, "Sources", "B") if "documented.xlsx" in str(said)]
    assert line.startswith(f"Of {len(judged)} figures that the cited document prints")


def test_figures_that_a_scenario_states_itself_stand_in_its_workbook(tmp_path: Path) -> None:
    own = "[{id: own-1, says: states, value: 112 GB, figure: model_state_bytes, expect: reproduces}]"
    computed = case(tmp_path, "training", documented=own)
    report = report_of(computed, Build("0", documented=documented_of(computed.resolved)))
    path = tmp_path / "stated.xlsx"
    path.write_bytes(workbook_bytes(computed, report))
    book = opened(path)
    assert [row[2].value for row in book["Documented"].iter_rows(min_row=6)] == ["states"]
    open_cells = [
        cell for row in book["Documented calculation"].iter_rows() for cell in row if not cell.protection.locked
    ]
    assert open_cells
    assert {cell.fill.fgColor.rgb for cell in open_cells} <= {"00FFF4CC", "00FDFBF0"}
    assert not differing(recalculated(path), cached(path))


def test_without_advice_and_documents_there_are_no_such_sheets(tmp_path: Path) -> None:
    computed = case(tmp_path, "training")
    path = tmp_path / "plain.xlsx"
    path.write_bytes(workbook_bytes(computed, report_of(computed, Build("0"))))
    assert not {"Options", "Documented"} & set(opened(path).sheetnames)


@pytest.mark.parametrize("kind", part(["training", "serving", "priced"], 2, 1))
def test_any_scenario_can_be_advised_on(kind: str, tmp_path: Path) -> None:
    computed = case(tmp_path, kind)
    decision = decide(computed)
    computed = decision.computed
    report = with_advice(report_of(computed, Build("0"), decision.chosen), decision)
    assert report.plan
    assert report.tornado
    costed = computed.resolved.loaded.scenario.cost is not None
    assert (report.tornado.cost is not None) is costed
    path = tmp_path / "advised.xlsx"
    path.write_bytes(workbook_bytes(computed, report))
    assert not differing(recalculated(path), cached(path))
    assert workbook_bytes(computed, report) == path.read_bytes()


@pytest.mark.parametrize("id_", IDS)
def test_no_label_of_a_tornado_covers_another(id_: str) -> None:
    made = advised(id_).tornado
    assert made
    drawing = tornado_drawing(made)
    assert not [(one, other) for (a, one), (b, other) in combinations(drawing.labels, 2) if a.overlaps(b)]
    assert not [text for box, text in drawing.labels if not box.within(drawing.frame)]
    assert all(one.title in drawing.title for one in made.swings)
    assert all(math.isfinite(end.value) for one in made.swings for end in one.headroom)


@pytest.mark.parametrize("id_", IDS)
def test_the_first_page_says_what_could_break_it(id_: str) -> None:
    """The inputs that change the verdict come first, each at its worse end, with what is then left."""
    report, first = advised(id_), " ".join(text_of(published_files(id_).sheet, 0).split())
    assert report.tornado
    assert report.budget
    assert report.budget.risks
    memory = {one.title for one in report.tornado.swings if one.headroom[0].value != one.headroom[1].value}
    changing = [one.title for one in report.tornado.swings if one.changes_verdict and one.title in memory]
    named = [one.title for one in report.budget.risks]
    for title in changing[:2]:
        assert any(one.startswith(title) for one in named)
    for one in report.budget.risks:
        assert f"{one.headroom} {MARKS[one.word]} {one.word}" in first


LARGE = ROOT / "scenarios/llama3-70b-8xa100.yaml"


def test_plan_and_options_sheet_give_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """End to end for 70B: what the command prints, and what the workbook holds."""
    main(["plan", str(LARGE), "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    plan_sheet = opened(published_files("llama3-70b-8xa100").workbook)["Options"]
    rows = [[cell.value for cell in row] for row in plan_sheet.iter_rows()]
    zero_3 = next(one for one in told["each_alone"] if one["title"] == "ZeRO-3: cut weights too")
    assert not zero_3["fits"]
    for policy in ("checklist", "each_alone"):
        for one in told[policy]["stages"] if policy == "checklist" else told[policy]:
            if not one["sentence"].startswith("Passed over"):
                amounts = [one["peak_bytes"] / GIB, one["headroom_bytes"] / GIB, one["step_seconds"]]
                assert [one["title"], *amounts] in [[row[0], *row[2:5]] for row in rows]
    for found in ("best", "on_same_hardware", "fewest_changes", "other_kinds"):
        for one in told["search"][found]:
            figures = one["figures"]
            amounts = [figures["headroom_bytes"] / GIB, figures["planned_step_seconds"], figures["cost_total_usd"]]
            assert [one["equals"] or None, *amounts] in [row[2:6] for row in rows]
    costs = [one["figures"]["cost_total_usd"] for one in told["search"]["on_same_hardware"]]
    assert costs == sorted(costs), "cheapest first"
    assert all(one["fits"] for one in told["search"]["on_same_hardware"])


@pytest.mark.parametrize("id_", IDS)
def test_the_sheet_says_what_the_answer_says(id_: str) -> None:
    report, shown = advised(id_), " ".join(text_of(published_files(id_).sheet).replace("\u00a0", " ").split())
    assert report.answer
    assert report.answer.headline in shown
    for one in report.answer.options:
        assert one.role.value[1:] in shown
        assert not one.takes.cost or one.takes.cost.amount.text in shown


@pytest.mark.parametrize(
    ("id_", "title"), [("llama3-70b-8xa100", "Time per step"), ("serving-mi300x", "Time per token")]
)
def test_what_a_time_is_of_is_named_the_same_everywhere(id_: str, title: str) -> None:
    report = advised(id_)
    assert report.plan
    assert report.tornado
    assert report.plan.step_title == report.tornado.step_title == title
    assert f"{title} (s)" in column(published_files(id_).workbook, "Options", "E")
