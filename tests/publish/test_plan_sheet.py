"""Ways out, sensitivity and documented figures of a scenario: in the report, the workbook and the sheet."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import pytest

from memreport.advise.deciding import Word
from memreport.advise.plan import Plan, plan
from memreport.advise.report_text import as_text
from memreport.advise.rerun import job_of, rerun
from memreport.audit.recalculate import recalculate
from memreport.catalogue.quantities import GIB
from memreport.command import main
from memreport.compute import Computed
from memreport.publish.answers import MARKS
from memreport.publish.report import report_of
from memreport.publish.shown import Build, Report
from memreport.publish.tornado_chart import tornado_drawing
from memreport.publish.view import in_gib, shown
from memreport.publish.ways_out import MOVERS, with_advice
from memreport.publish.ways_shown import Way
from memreport.publish.workbook import workbook_bytes
from tests.built import IDS, KNOWN, published_files
from tests.publish.pages import text_of
from tests.publish.workbook_cases import cached, case, differing, opened
from tests.support import ROOT


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
    assert made.ways[0].title == "Cheapest on 8 × NVIDIA A100 80 GB SXM4"


@pytest.mark.parametrize("id_", ["llama3-70b-8xa100", "serving-mi300x"])
def test_amounts_are_those_of_the_plan(id_: str) -> None:
    made, report = made_of(id_), advised(id_)
    assert made.found
    assert report.plan
    best = next(one for one in report.plan.ways if one.title.endswith("any accelerators considered"))
    assert [one.headroom.value for one in best.rows] == [one.figures["headroom_bytes"] for one in made.found.best]
    assert report.tornado
    assert made.tornado
    assert [one.name for one in report.tornado.swings] == [one.name for one in made.tornado.swings]
    assert report.tornado.headroom.value == made.tornado.headroom_bytes


def test_a_way_pasted_into_the_scenario_gives_its_numbers() -> None:
    made = advised("llama3-70b-8xa100").plan
    assert made
    for way in (one for ways in made.ways for one in ways.rows[:2]):
        assert again(KNOWN["llama3-70b-8xa100"], way) == pytest.approx(way.headroom.value, rel=1e-12)


def again(computed: Computed, way: Way) -> float:
    import yaml

    resolved = computed.resolved
    made = rerun(resolved.loaded, resolved.catalogue, {"again": yaml.safe_load(way.variant)})
    return float(made.values["headroom_bytes"][0])


def test_sheets_stand_in_their_places(book: tuple[Report, Path]) -> None:
    names = opened(book[1]).sheetnames
    assert names[names.index("Plan") + 1 : names.index("Plan") + 3] == ["Sensitivity", "Roofline"]
    assert names[names.index("Documented") - 1] in ("Cost", "FOCUS")
    assert names[names.index("Documented") + 1] == "Documented calculation"
    assert names[names.index("Documented") + 2] == "Checks"
    links = [cell.hyperlink.location for row in opened(book[1])["Cover"] for cell in row if cell.hyperlink]
    assert "Plan!A1" in links
    assert {"Documented!A1", "'Documented calculation'!A1"} <= set(links)


def test_nothing_in_the_workbook_breaks(book: tuple[Report, Path]) -> None:
    path = book[1]
    assert not differing(recalculate(path, opened(path)), cached(path))
    assert all(cell.protection.locked for row in opened(path)["Plan"].iter_rows() for cell in row)
    for name in ("Plan", "Documented", "Documented calculation"):
        assert opened(path)[name].protection.sheet
    for name in ("Documented", "Documented calculation"):
        assert not opened(path)[name].protection.autoFilter
        open_cells = [cell for row in opened(path)[name].iter_rows() for cell in row if not cell.protection.locked]
        assert {cell.fill.fgColor.rgb for cell in open_cells} <= {"00FFF4CC", "00FDFBF0"}
        assert open_cells


def test_every_step_way_and_input_stands_on_the_plan_sheet(book: tuple[Report, Path]) -> None:
    report, path = book
    assert report.plan
    assert report.tornado
    titles = column(path, "Plan", "A")
    steps = [one.title for part in (report.plan.checklist, report.plan.tree, report.plan.alone) if part
             for one in part.rows]  # fmt: skip
    wanted = [*steps, *(way.changes for ways in report.plan.ways for way in ways.rows)]
    wanted += [one.title for one in report.plan.arrangements]
    assert not set(wanted) - set(titles)
    assert "because a search is not a formula" in str(titles[1])
    inputs = column(path, "Sensitivity", "B")
    assert [one.title for one in report.tornado.swings] == inputs[6 : 6 + len(report.tornado.swings)]


def test_every_statement_stands_on_the_documented_sheet(book: tuple[Report, Path]) -> None:
    report, path = book
    assert report.documented
    assert column(path, "Documented", "C")[5:] == [one.statement for one in report.documented]
    seen, row = cached(path), 6
    for at, one in enumerate(report.documented, row):
        assert seen.get(("Documented", f"M{at}"), opened(path)["Documented"][f"M{at}"].value) == one.words


def test_without_advice_and_documents_there_are_no_such_sheets(tmp_path: Path) -> None:
    computed = case(tmp_path, "training")
    path = tmp_path / "plain.xlsx"
    path.write_bytes(workbook_bytes(computed, report_of(computed, Build("0"))))
    assert not {"Plan", "Documented"} & set(opened(path).sheetnames)


@pytest.mark.parametrize("kind", ["training", "serving", "priced"])
def test_any_scenario_can_be_advised_on(kind: str, tmp_path: Path) -> None:
    computed = case(tmp_path, kind)
    report = with_advice(report_of(computed, Build("0")), computed)
    assert report.plan
    assert report.tornado
    costed = computed.resolved.loaded.scenario.cost is not None
    assert (report.tornado.cost is not None) is costed
    path = tmp_path / "advised.xlsx"
    path.write_bytes(workbook_bytes(computed, report))
    assert not differing(recalculate(path, opened(path)), cached(path))
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
def test_the_first_page_says_what_moves_the_answer(id_: str) -> None:
    """Beside the variants: the inputs that change the verdict, or else move free memory most."""
    report, first = advised(id_), " ".join(text_of(published_files(id_).sheet, 0).split())
    assert report.tornado
    assert 0 < len(report.tornado.movers) <= MOVERS
    changing = [one for one in report.tornado.swings if set(one.words) != {report.tornado.word}]
    shown = [one.title.partition(",")[0] for one in report.tornado.movers]
    assert shown[: len(changing)] == [one.title for one in changing][:MOVERS]
    assert all(one.effect.split()[-1] in first for one in report.tornado.movers)
    by_name = {one.title: one.words for one in report.tornado.swings}
    for one in report.tornado.movers:
        assert one.words == by_name[one.title.partition(",")[0]], "low end, then high end"
        assert f"{one.effect} {_ends(one.words)}" in first
    assert ", most by " in first


def _ends(words: tuple[Word, Word]) -> str:
    low, high = words
    return f"{MARKS[low]} {low}" if low == high else f"{MARKS[low]} to {MARKS[high]}"


LARGE = ROOT / "scenarios/llama3-70b-8xa100.yaml"


def test_plan_and_plan_sheet_and_pdf_give_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """End to end for 70B: what the command prints, what the workbook holds, what the pages say."""
    main(["plan", str(LARGE), "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    plan_sheet = opened(published_files("llama3-70b-8xa100").workbook)["Plan"]
    rows = [[cell.value for cell in row] for row in plan_sheet.iter_rows()]
    pages = " ".join(text_of(published_files("llama3-70b-8xa100").sheet).split())
    zero_3 = next(one for one in told["each_alone"] if one["title"] == "ZeRO-3: cut weights too")
    assert not zero_3["fits"]
    for part in ("checklist", "each_alone"):
        for one in told[part]["stages"] if part == "checklist" else told[part]:
            if not one["sentence"].startswith("Passed over"):
                amounts = [one["peak_bytes"] / GIB, one["headroom_bytes"] / GIB, one["step_seconds"]]
                assert [one["title"], *amounts] in [[row[0], *row[2:5]] for row in rows]
                assert f"{in_gib(one['peak_bytes'])} {in_gib(one['headroom_bytes'])}" in pages
    for part in ("best", "on_same_hardware", "fewest_changes", "other_kinds"):
        for one in told["search"][part]:
            figures = one["figures"]
            amounts = [figures["headroom_bytes"] / GIB, figures["planned_step_seconds"], figures["cost_total_usd"]]
            assert [one["equals"] or None, *amounts] in [row[2:6] for row in rows]
        for one in told["search"][part][:5]:
            figures = one["figures"]
            cost = shown(figures["cost_total_usd"], "USD")
            words = (in_gib(figures["headroom_bytes"]), shown(figures["planned_step_seconds"], "s"), cost)
            assert " ".join(words) in pages
    costs = [one["figures"]["cost_total_usd"] for one in told["search"]["on_same_hardware"]]
    assert costs == sorted(costs), "cheapest first"
    assert all(one["fits"] for one in told["search"]["on_same_hardware"])


@pytest.mark.parametrize("id_", ["llama3-70b-8xa100", "serving-mi300x"])
def test_the_sheet_says_what_the_advice_says(id_: str) -> None:
    report, shown = advised(id_), " ".join(text_of(published_files(id_).sheet).split())
    assert "Sensitivity: what moves the answer" in shown
    assert report.plan
    assert all(ways.title in shown for ways in report.plan.ways)


@pytest.mark.parametrize(("id_", "at_best"), [("llama3-70b-8xa100", False), ("serving-mi300x", True)])
def test_times_of_serving_are_named_as_bounds(id_: str, at_best: bool) -> None:
    report, shown = advised(id_), " ".join(text_of(published_files(id_).sheet).split())
    assert report.plan
    assert report.tornado
    assert report.plan.step_title == report.tornado.step_title
    assert report.plan.step_title.endswith(", at best") == at_best
    assert ("Time per step, at best" in shown) == at_best
    heads = column(published_files(id_).workbook, "Plan", "E")
    assert ("Time per step, at best (s)" in heads, "Time per step (s)" in heads) == (at_best, not at_best)
    assert ("step, at best" in as_text(made_of(id_))) == at_best


def made_of(id_: str) -> Plan:
    resolved = KNOWN[id_].resolved
    return plan(job_of(resolved.loaded, resolved.catalogue))
