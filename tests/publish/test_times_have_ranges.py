"""No time or speed without its range, the sentence that says how far times may lie off, or the word bound."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from memreport.commands.main import main
from memreport.figures.registry import figures_by_name, shown_in
from memreport.portfolio.plan import plan
from memreport.publish.text.changes.difference import as_markdown, as_text
from memreport.publish.text.changes.screen import as_screen
from memreport.report.changes.difference import difference
from memreport.report.portfolio.said import portfolio_report
from tests.browser import browser, browser_needed
from tests.built import KNOWN, published_files
from tests.lazily import lazily_read
from tests.publish.web_page import opened, page_of
from tests.support import ROOT

__all__ = ["browser"]
SCENARIOS = ("llama3-70b-8xa100", "serving-mi300x")
PLACES = ("in short", "main", "with verdicts", "summary")
STATED = {"demanded_requests_per_second"}
"""Rates that a user states."""
TIME = re.compile(r"\d (?:ms|µs|s|min|h|days|tokens/s)\b")
SAID = re.compile(r" to [\d.,]+ ?(?:ms|µs|s|min|h|days|tokens/s)?\)?|% longer|bound|at best|stated|month of service")
TIMED = re.compile(r"\((?:s|h)\)$|^Tokens/s$|seconds computed")
"""Heads of columns of times."""
LOOKED_UP = {"Calculation", "Inputs", "Reference", "Checks", "Hardware", "Sources", "FOCUS"}
"""Sheets of every figure, the ends of times among them, and of what is given."""


def unsaid(text: str) -> list[str]:
    """Lines with a time of a document that nowhere says how far times may lie off, and not beside it either."""
    if "% longer" in text:
        return []
    lines = text.splitlines()
    pairs = zip(["", *lines], lines, strict=False)  # a range may begin on the line before
    return [line for before, line in pairs if TIME.search(line) and not SAID.search(f"{before} {line}")]


@pytest.mark.parametrize("workload", ["training", "serving"])
def test_every_time_in_the_register_that_is_shown_has_ends_or_is_a_bound(workload: str) -> None:
    figures = figures_by_name(workload)
    shown = {name for place in PLACES for name in shown_in(place, workload)} - STATED
    times = [name for name in shown if str(figures[name].unit) in ("s", "h", "token/s", "1/s")]
    bare = [name for name in times if f"{name}_low" not in figures and not name.endswith(("_bound", "_low", "_high"))]
    assert len(times) > 4
    assert bare == []


@pytest.mark.parametrize("id_", SCENARIOS)
@pytest.mark.parametrize("command", [("show",), ("show", "--all"), ("plan", "--why")], ids=" ".join)
def test_texts_of_the_terminal(command: tuple[str, ...], id_: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, *options = command
    assert main([name, str(ROOT / "scenarios" / f"{id_}.yaml"), *options]) == 0
    said = capsys.readouterr().out
    assert TIME.search(said)
    assert unsaid(said.split("IN SHORT")[-1]) == []  # every figure above it stands beside its own ends


@pytest.mark.parametrize("write", [as_text, as_markdown, as_screen])
def test_what_changed_between_versions(write: Any) -> None:
    first, second = (KNOWN[id_] for id_ in ("llama3-70b-8xa100", "llama2-7b-1xa100"))
    said = write([difference(second, first), difference(first, first)][:1], "They differ.", {})
    assert "% longer" in said


@pytest.mark.parametrize("id_", SCENARIOS)
def test_sheets_of_the_workbook(id_: str) -> None:
    book = lazily_read(published_files(id_).workbook, data_only=True)
    for title in book.sheetnames:
        if title not in LOOKED_UP:
            sheet = book[title]
            texts = [one for row in sheet.iter_rows(values_only=True) for one in row if isinstance(one, str)]
            timed = [one for one in texts if TIMED.search(one)]
            assert not timed or any("% longer" in one for one in texts), (title, timed)


def test_gpu_hours_of_a_portfolio(tmp_path: Path) -> None:
    given = "schema: 1\nid: one\ntitle: One run\nhorizon: {start: 2027-01, months: 3}\nentries:\n"
    entry = f"  - {{scenario: {ROOT}/scenarios/llama2-7b-1xa100.yaml, start: 2027-01, owner: ml}}\n"
    (tmp_path / "portfolio.yaml").write_text(given + entry, encoding="utf-8")
    report = portfolio_report(plan(tmp_path / "portfolio.yaml"))
    hours = [one for one in report.tables if one.title.startswith("GPU-hours")]
    assert hours
    assert all("% longer" in one.about for one in hours)
    assert any("% longer" in one for one in report.said.answer)


@pytest.mark.parametrize("id_", SCENARIOS)
def test_the_derivation_works_out_both_ends_of_its_times(id_: str) -> None:
    workload = KNOWN[id_].resolved.loaded.scenario.workload
    figures = figures_by_name(workload)
    ends = {f"{name}_{end}" for name in shown_in("main", workload) for end in ("low", "high")} & figures.keys()
    names = {one.name for group in published_files(id_).report.derivation.groups for one in group.figures}
    assert len(ends) > 4
    assert ends <= names


@pytest.mark.parametrize("id_", SCENARIOS)
def test_pages_of_the_budget_sheet(id_: str) -> None:
    for page in pypdfium2.PdfDocument(published_files(id_).sheet):
        text = " ".join(page.get_textpage().get_text_range().split())
        assert not TIME.search(text) or SAID.search(text)


@browser_needed
@pytest.mark.parametrize("id_", SCENARIOS)
def test_numbers_of_the_page(browser: Any, tmp_path: Path, id_: str) -> None:
    page = opened(browser, tmp_path, page_of(id_))
    numbers = page.locator("#numbers dd").all_inner_texts()
    captions = page.locator("#seconds caption").all_inner_texts()
    assert [one for one in [*numbers, *captions] if TIME.search(one) and not SAID.search(one)] == []
    page.close()
