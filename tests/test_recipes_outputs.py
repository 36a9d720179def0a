"""Recipes of CONTRIBUTING for what is published: blocks and pages of the PDF, parts of the page, sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pypdfium2
import pytest
from playwright.sync_api import Page

from tests.browser import browser, browser_needed
from tests.lazily import lazily_read
from tests.recipes import Followed, Recipe, case, recipe

__all__ = ["browser", "recipe"]


RECORD = '''

@frozen
class Pledge:
    """What the owner promises."""

    promises: tuple[str, ...]
'''
SAID_BLOCK = """
def _pledge(pledge: Pledge) -> SaidTable:
    return SaidTable("Pledge", ("Promise",), tuple((promise,) for promise in pledge.promises))


SAID: Mapping"""
MACRO = """{% macro Pledge(pledge) %}
{% for promise in pledge.promises %}<p>Promised: {{ promise }}</p>{% endfor %}
{% endmacro %}
"""
PLEDGED = """

def _pledged(draft: Draft, sheet: Sheet) -> None:
    for promise in draft.report.budget.pledge.promises if draft.report.budget else ():
        sheet.put(1, 7, promise, LABEL)
"""
RENDERERS = "tests/test_renderers.py"


def with_record(followed: Recipe) -> None:
    """A kind of block that no renderer knows."""
    records = "memreport/report/records"
    followed.add(f"{records}/budget.py", RECORD)
    before = "    @property\n    def breaks_nothing"
    followed.edit(f"{records}/budget.py", before, f"    pledge: Pledge\n\n{before}")
    followed.edit(f"{records}/blocks.py", "import KeyFact, Risk\n", "import KeyFact, Pledge, Risk\n")
    followed.edit(f"{records}/blocks.py", "| StartLine | Notes |", "| StartLine | Notes | Pledge |")
    answer = "memreport/report/answer/budget.py"
    followed.edit(answer, "import Budget, KeyFact, Risk\n", "import Budget, KeyFact, Pledge, Risk\n")
    before = "        stale=_stale(view, index),\n"
    followed.edit(answer, before, f'{before}        pledge=Pledge(("no GPU idles",)),\n')


def test_a_block_and_its_page_of_the_pdf(recipe: Followed) -> None:
    followed = recipe("Add a page or a block to the PDF")
    with_record(followed)
    kind = "test_every_kind_of_block_is"
    assert followed.failed(RENDERERS, "-k", "every_kind") >= {f"{kind}_text", f"{kind}_html", f"{kind}_in_a_workbook"}
    said = "memreport/report/said_blocks.py"
    record = "from memreport.report.records.speed import ReportCurve, RoofKernel, Roofline\n"
    followed.edit(said, record, f"from memreport.report.records.budget import Pledge\n{record}")
    followed.edit(said, "\nSAID: Mapping", SAID_BLOCK)
    followed.edit(said, "    StackedBar: _bar,\n", "    StackedBar: _bar,\n    Pledge: _pledge,\n")
    followed.add("templates/blocks.html.j2", MACRO)
    last = "<section>\n{% if tornado %}"
    page = '<section><h2 id="pledge">Pledge</h2>{{ block(budget.pledge) }}</section>\n'
    followed.edit("templates/sheet.html.j2", last, page + last)
    followed.edit(RENDERERS, "SHEETS = {\n", 'SHEETS = {\n    "Pledge": "scenario.sources.write",\n')
    followed.add("memreport/publish/xlsx/scenario/sources.py", PLEDGED)
    before = "    row = _listed(draft, sheet, FIRST_ROW)\n"
    followed.edit("memreport/publish/xlsx/scenario/sources.py", before, f"    _pledged(draft, sheet)\n{before}")
    assert not followed.failed(RENDERERS, "-k", "every_kind")
    followed.ran("build", str(case(followed)), "--out", "out", "--formats", "pdf,xlsx")
    pages = [
        one.get_textpage().get_text_range() for one in pypdfium2.PdfDocument(followed.folder / "out/case/case.pdf")
    ]
    assert sum("Promised: no GPU idles" in page for page in pages[1:]) == 1
    assert lazily_read(followed.folder / "out/case/case.xlsx")["Sources"]["G1"].value == "no GPU idles"


PART = """// What the adapters, the gradients and the states need, in one line.
function showStates(engine, values) {
  const places = engine.data.shown.states.map(name => engine.at.get(name));
  const said = places.map(place => `${engine.about(place).title} ${texted(engine, place)}`);
  fill(byId("states"), element("h2", {}, "States"), element("p", {}, said.join("; ")));
}
"""


@pytest.fixture
def page(browser: Any) -> Iterator[Page]:
    opened = browser.new_page()
    yield opened
    opened.close()


@browser_needed
def test_a_part_of_the_page_for_the_browser(recipe: Followed, page: Page) -> None:
    followed = recipe("Add a part to the page for the browser")
    shown = "memreport/publish/web/page/shown.py"
    followed.edit(
        shown,
        '        "speed": [',
        '        "states": ["gradient_bytes", "optimizer_state_bytes"],\n        "speed": [',
    )
    followed.write("templates/page/states.js", PART)
    render = "memreport/publish/web/page/render.py"
    followed.edit(render, '    "start.js",\n', '    "states.js",\n    "start.js",\n')
    before = '<section id="step"'
    followed.edit("templates/page.html.j2", before, f'<section id="states"></section>\n{before}')
    before = "  showNumbers(engine, values);\n"
    followed.edit("templates/page/start.js", before, f"{before}  showStates(engine, values);\n")
    followed.ran("build", str(case(followed)), "--out", "out", "--formats", "html")
    assert followed.untouched() == set()
    page.goto((followed.folder / "out" / "case" / "case.html").as_uri())
    page.locator("#live").wait_for()
    assert re.search(r"Optimizer states [0-9.]+\sGiB", page.locator("#states").inner_text())


SHEET = '''"""The sheet "Peaks": the peak of each variant."""

from memreport.publish.xlsx.sheet.book import Formula
from memreport.publish.xlsx.sheet.styles import LABEL

TITLE = "Peaks"


def write(draft, sheet):
    sheet.put(1, 1, Formula(f"SUM({draft.calculated('peak_bytes')})", draft.view.value("peak_bytes", 0)), LABEL)
'''


def test_a_sheet(recipe: Followed) -> None:
    followed = recipe("Add a sheet of the workbook")
    followed.write("memreport/publish/xlsx/scenario/peaks.py", SHEET)
    book, before = "memreport/publish/xlsx/workbook.py", "    yield Page(SOURCES"
    line = '    yield Page(peaks.TITLE, "the peak of each variant", peaks.write, (CALCULATION,))\n'
    followed.edit(book, before, line + before)
    taken = "from memreport.publish.xlsx.scenario import plan as plan_sheet\n"
    followed.edit(book, taken, f"{taken}from memreport.publish.xlsx.scenario import peaks\n")
    followed.ran("build", str(case(followed)), "--out", "out", "--formats", "xlsx")
    assert lazily_read(followed.folder / "out/case/case.xlsx", data_only=True)["Peaks"]["A1"].value > 0
