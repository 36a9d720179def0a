"""The front page as people use it: in a browser, by mouse, keyboard and screen reader, and on paper."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from axe_playwright_python.sync_playwright import Axe
from markupsafe import escape
from playwright.sync_api import Page
from tinyhtml5.parser import HTMLParser

from memreport.build.outputs import summary
from memreport.catalogue.quantities import brief
from memreport.publish.pdf.sheet import sheet_html
from memreport.publish.web.index import WIDEST, index_html
from memreport.report.records.report import Report
from tests.browser import browser, browser_needed
from tests.built import IDS, told
from tests.publish.pages import text_of, words_of

__all__ = ["browser"]
RENTED_MOST = "A100 80 GB SXM4"
WORST = {"Does not fit": 0, "Queues": 1, "Tight": 2, "Fits": 3}


def rank(report: Report) -> tuple[int, str]:
    assert report.answer
    return WORST[report.answer.word], report.identity.title.lower()


def reports() -> list[Report]:
    return [told(id_) for id_ in IDS]


def titles() -> list[str]:
    return [one.identity.title for one in sorted(reports(), key=rank)]


@cache
def html() -> str:
    made = sorted(((one.identity.id, summary(one)) for one in reports()), key=lambda pair: pair[0])
    entries = [
        {"summary": line, "files": {f"{id_}/{id_}.{kind}": "" for kind in ("pdf", "xlsx")}} for id_, line in made
    ]
    return index_html(entries, "0", ("documented.pdf",))


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Iterator[Page]:
    (tmp_path / "index.html").write_text(html(), encoding="utf-8")
    opened = browser.new_page(viewport={"width": 1400, "height": 900})
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto((tmp_path / "index.html").as_uri())
    yield opened
    assert errors == []
    opened.close()


def shown(page: Page) -> list[str]:
    rows = page.locator("#scenarios tbody tr:visible th")
    return [text.split("\n")[0] for text in rows.all_inner_texts()]


@browser_needed
def test_a_click_sorts_and_another_turns_it_round(page: Page) -> None:
    assert shown(page) == titles()
    button = page.get_by_role("button", name="Scenario")
    button.click()
    assert shown(page) == sorted(titles(), key=str.lower)
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("Scenario")
    button.click()
    assert shown(page) == sorted(titles(), key=str.lower, reverse=True)
    page.get_by_role("button", name="Cost").click()
    costs = [
        float(row) for row in page.locator("#scenarios tbody tr").evaluate_all("all => all.map(r => r.dataset.cost)")
    ]
    assert costs == sorted(costs)
    assert page.locator("th[aria-sort]").count() == 1
    page.set_viewport_size({"width": 390, "height": 900})
    page.get_by_role("button", name="Scenario").click()
    assert shown(page) == sorted(titles(), key=str.lower)


@browser_needed
@pytest.mark.parametrize("width", [1400, 390])
def test_a_search_keeps_what_has_all_words_and_says_how_many(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.get_by_label("Search").fill("llama MI300X")
    found = shown(page)
    assert 0 < len(found) < len(titles())
    assert page.get_by_role("status").inner_text().strip() == f"{len(found)} of {len(titles())} shown"
    page.get_by_label("Search").fill("no such words")
    assert shown(page) == []
    page.get_by_label("Search").fill("")
    assert shown(page) == titles()


@browser_needed
def test_the_keyboard_reaches_everything_in_order(page: Page) -> None:
    reached = []
    details = page.locator("summary").first.inner_text()
    for _ in range(2 + 3 + 3):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.innerText || document.activeElement.id"))
    assert reached == ["PDF", "search", "Scenario", "Answer", "Cost", details, "PDF", "XLSX"]
    page.get_by_role("button", name="Answer").focus()
    page.keyboard.press("Enter")
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("Answer")


@browser_needed
def test_costs_of_millions_have_room_on_a_phone(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "index.html"
    answer, large = reports()[0].answer, "$5,410,000 ($3,230,000 to $9,060,000)"
    assert answer
    assert answer.chosen.takes.cost
    cost = brief(answer.chosen.takes.cost.amount.value, "USD")
    path.write_text(re.sub(rf"{re.escape(cost)} \([^)]*\)", large, html()), encoding="utf-8")
    assert large in path.read_text(encoding="utf-8")
    phone = browser.new_page(viewport={"width": 390, "height": 900})
    phone.goto(path.as_uri())
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    phone.close()


@browser_needed
@pytest.mark.parametrize("width", [1400, 390])
def test_a_checker_of_accessibility_finds_nothing(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    result = Axe().run(page)
    assert result.violations_count == 0, result.generate_report()
    assert len(result.response["passes"]) > 20
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@browser_needed
def test_the_checker_would_find_a_fault(page: Page) -> None:
    page.evaluate("document.querySelector('label').remove(); document.querySelector('input').placeholder = ''")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == ["label"]


@browser_needed
def test_it_prints_whole(page: Page) -> None:
    pdf = page.pdf(prefer_css_page_size=True, print_background=True)
    printed = pypdfium2.PdfDocument(pdf)
    words = [word for sheet in printed for word in words_of(sheet)]
    assert all(word.left > 20 and word.right < printed[0].get_width() - 20 for word in words)
    text = " ".join(text_of(pdf).split())
    assert all(one.answer and one.answer.headline.split(":")[0] in text for one in reports())
    assert f"Page 1 of {len(printed)}" in text


def test_a_row_says_question_answer_option_and_cost_of_it() -> None:
    made = html().replace("\u00a0", " ")
    assert re.search("[0-9]\u00a0h", html()), "no line ends between a number and its unit"
    for one in reports():
        assert one.answer
        for text in (one.answer.question, one.answer.headline, one.answer.chosen.gpus.hardware):
            assert str(escape(text)) in made
        assert one.answer.chosen.takes.cost
        assert one.answer.chosen.takes.cost.text in made
    cut = sum(verdict.room.peak > WIDEST * verdict.room.capacity for one in reports() for verdict in one.verdicts)
    assert made.count("<path") == cut > 0


def test_totals_are_sums_of_the_rows() -> None:
    lines = [summary(one) for one in reports()]
    for title, period in (("All runs", "a run"), ("All purchases", "the purchase")):
        costs = [float(str(line["cost_usd"])) for line in lines if line["period"] == period]
        assert costs
        low, high = (sum(line["cost_ends_usd"][end] for line in lines if line["period"] == period) for end in (0, 1))  # type: ignore[index]
        assert f"{title}<b>{brief(sum(costs), 'USD')}</b>" in html()
        assert low == high or f"{brief(low, 'USD')} to {brief(high, 'USD')}" in html()
    hours = [float(str(line["accelerator_hours"])) for line in lines if line["recommended_accelerator"] == RENTED_MOST]
    assert f"{brief(sum(hours), '1')} of {RENTED_MOST}" in html().replace("\u00a0", " ")


@browser_needed
def test_it_reads_in_the_dark(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    result = Axe().run(page)
    assert result.violations_count == 0, result.generate_report()


@browser_needed
def test_it_looks_like_something(page: Page) -> None:
    picture = page.screenshot(full_page=True)
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 50_000


@pytest.mark.parametrize("made", [html, lambda: sheet_html(told(IDS[0]))], ids=["front page", "sheet"])
def test_the_html_is_valid(made: Callable[[], str]) -> None:
    assert faults_of(made()) == []


def test_the_validator_would_find_a_fault() -> None:
    assert faults_of(html().replace("</caption>", "", 1))


def faults_of(made: str) -> list[Any]:
    """What a strict reading of the standard objects to, and names that are given twice."""
    parser = HTMLParser()
    tree = parser.parse(made)
    ids = [one.get("id") for one in tree.iter() if one.get("id")]
    return [*parser.errors, *(one for one in set(ids) if ids.count(one) > 1)]
