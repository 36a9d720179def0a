"""The page as people use it: with and without script, by keyboard, on paper, on a phone, with hostile texts in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from axe_playwright_python.sync_playwright import Axe

import memreport
from memreport.advise.decide import decide
from memreport.build.confidential import without_prices
from memreport.build.outputs import answered_page
from memreport.catalogue.tables.prices import KINDS
from memreport.publish.web.page.deflated import SCRIPT
from memreport.report.answer.answered import answered
from tests.browser import browser, browser_needed
from tests.built import IDS, KNOWN, decided
from tests.publish.web_page import calculator, data_of, made_page, opened, page_of, until, values_of, with_data
from tests.support import run, scenario_text

__all__ = ["browser"]
TRAINED, SERVED = "llama3-70b-8xa100", "serving-mi300x"
MOST_BYTES, MOST_BYTES_CALCULATOR = 300_000, 450_000
MOST_OF_A_FRAME, MOST_OF_AN_EDIT = 5.0, 1.6
"""Of the time of 200,000 powers, about 3 ms: 16 ms for what is drawn while a slider is dragged, 5 ms for an edit."""
HOSTILE = "</script><script>window.hit=1</script><img src=x onerror=window.hit=2>{{7*7}}${window.hit=3}"


@pytest.fixture(scope="module")
def trained(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One page for the tests that leave it as they found it."""
    page = opened(browser, tmp_path_factory.mktemp("page"), page_of(TRAINED))
    yield page
    assert page.faults == []
    page.close()


@pytest.fixture
def page(trained: Any) -> Iterator[Any]:
    yield trained
    reset = trained.locator("#buttons").get_by_role("button", name="Reset")
    reset.evaluate("button => button.click()")  # a mouse may miss it while the page finds its place on a new screen


@pytest.mark.parametrize("id_", IDS)
def test_it_is_small(id_: str) -> None:
    assert len(page_of(id_).encode()) <= MOST_BYTES


def test_the_calculator_is_small() -> None:
    assert len(calculator().encode()) <= MOST_BYTES_CALCULATOR


def test_nothing_is_fetched_kept_or_evaluated() -> None:
    for html in (page_of(TRAINED), calculator()):
        script = html.split("<script>")[1] + data_of(html)[SCRIPT]
        assert not any(
            word in script for word in ("eval(", "Function(", "localStorage", "indexedDB", "cookie", "fetch(")
        )
        assert "innerHTML" not in script
        assert not any(word in html.split("<template")[0] for word in ("src=", "href=", "url(", "@import"))


@browser_needed
def test_scripts_of_others_are_refused(browser: Any, tmp_path: Path) -> None:
    html = page_of(TRAINED).replace(
        "</body>", "<script>window.foreign=1</script><img src=x onerror=window.foreign=2></body>"
    )
    page = opened(browser, tmp_path, html)
    assert page.locator("#live").is_visible()
    assert page.evaluate("window.foreign") is None
    assert any("Content Security Policy" in fault for fault in page.faults)
    page.close()


@browser_needed
def test_it_reads_with_scripts_off(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page_of(TRAINED), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    answer = answered(decided(TRAINED))[0]
    assert answer.headline in page.locator(".as-built").inner_text()
    assert not page.locator("#live").is_visible()
    rows = page.locator("#built table").first.locator("tbody tr")
    assert rows.count() == len(answer.options)
    assert all(one.memory.peak.text in rows.nth(at).inner_text() for at, one in enumerate(answer.options))
    context.close()


@browser_needed
def test_a_page_that_cannot_start_says_so(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, with_data(page_of(TRAINED), lambda data: data.pop("engines")))
    assert "could not start" in page.locator("#stopped").inner_text()
    assert page.locator("#built").is_visible()
    page.close()


@browser_needed
def test_hostile_texts_stay_texts(browser: Any, tmp_path: Path) -> None:
    text = json.dumps(HOSTILE)
    blocks = {
        "title": text,
        "question": text,
        "owner": text,
        "variants": f'{{{text[:40]}": {{}}, two: {{training.zero_stage: 1}}}}',
    }
    decision = decide(run(tmp_path, scenario_text(**blocks)))
    page = opened(browser, tmp_path, answered_page(decision, answered(decision)[0]))
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.evaluate("window.hit") is None
    page.get_by_role("button", name="Copy as YAML").click()
    page.select_option("#start", index=1)
    page.get_by_role("button", name="Save scenario").click()
    assert page.evaluate("[window.hit, document.images.length, document.scripts.length]") == [None, 0, 1]
    assert page.faults == []
    page.close()


@browser_needed
def test_what_is_saved_is_a_scenario_with_the_same_numbers(page: Any, tmp_path: Path) -> None:
    page.select_option("#lever-hardware-accelerator", index=0)
    page.fill("#lever-training-micro-batch-size", "3")
    page.keyboard.press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save scenario").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert page.locator("#faults .no").count() == 1, "an A10 has no price in the book"
    page.select_option(
        "#lever-hardware-accelerator",
        index=page.evaluate("memreport.engine.data.tables.accelerators.ids.indexOf('h200-141gb-sxm')"),
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Save scenario").click()
    download.value.save_as(path)
    found, wanted = values_of(page), memreport.estimate(path).loc["what if"]
    assert found["peak_bytes"] == pytest.approx(wanted["peak_bytes"], rel=1e-12)
    assert found["cost_total_usd"] == pytest.approx(wanted["cost_total_usd"], rel=1e-12)


@browser_needed
def test_the_address_holds_the_changes_and_undo_takes_them_back(page: Any) -> None:
    before = page.locator("#now").inner_text()
    page.fill("#lever-training-sequence-length", "4096 tokens")
    page.keyboard.press("Enter")
    page.wait_for_url("**/*#*sequence_length*")
    after, address = page.locator("#now").inner_text(), page.url
    assert after != before
    page.get_by_role("button", name="Undo").click()
    assert page.locator("#now").inner_text() == before
    page.goto("about:blank")
    page.goto(address)
    page.locator("#live").wait_for()
    assert page.locator("#now").inner_text() == after
    page.goto("about:blank")
    page.goto(address.split("#")[0] + "#training.zero_stage=9&nonsense=1&training.micro_batch_size=%222%22")
    page.locator("#live").wait_for()
    assert page.locator("#now").inner_text() == before
    assert "training.zero_stage, nonsense" in page.locator("#faults").inner_text()


@browser_needed
def test_what_may_not_be_is_said_beside_its_field(page: Any) -> None:
    box = page.locator("#lever-training-micro-batch-size")
    for text, said in (
        ("0", "at least 1"),
        ("2.5", "whole number"),
        ("4 GB", "measures byte, but a number without a unit is wanted"),
        ("", "finite number"),
    ):
        box.fill(text)
        box.press("Enter")
        assert said in page.locator("#lever-training-micro-batch-size-fault").inner_text()
        assert box.get_attribute("aria-invalid") == "true"
    box.fill("8")
    box.press("Enter")
    assert box.get_attribute("aria-invalid") is None


def test_every_number_of_the_hardware_says_where_it_was_read() -> None:
    data = data_of(page_of(TRAINED))
    tables, checked = KNOWN[TRAINED].resolved.catalogue.tables, 0
    for name, table in data["engines"]["training"]["tables"].items():
        for column, places in table.get("sources", {"of": {}})["of"].items():
            at = table["sources"]["of"][places] if isinstance(places, str) else places
            rows = at if isinstance(at, list) else [at] * len(table["ids"])
            said = [table["sources"]["titles"][row] for row in rows]
            assert said == [one.title for one in tables[name].columns[column].sources], (name, column)
            checked += len(said)
    assert checked > 1000


@browser_needed
def test_the_derivation_of_a_rate_names_the_source_of_its_gpu(page: Any) -> None:
    page.fill("#find-figure", "Ridge")
    page.locator("#find .found .figure").first.click()
    dialog = page.locator("#derivation")
    dialog.get_by_role("button", name="Memory bandwidth", exact=True).first.click(timeout=3000)
    accelerators = KNOWN[TRAINED].resolved.catalogue.tables["accelerators"]
    said, wanted = dialog.inner_text(), accelerators.columns["memory_bytes_per_second"]
    assert wanted.sources[accelerators.row("a100-80gb-sxm")].title in said
    page.keyboard.press("Escape")


@browser_needed
def test_every_number_opens_its_derivation_down_to_the_inputs(page: Any) -> None:
    page.locator("#memory .key .figure").first.press("Enter")
    dialog = page.locator("#derivation")
    assert dialog.is_visible()
    seen = []
    for _ in range(20):
        seen.append(dialog.get_attribute("data-name"))
        deeper = dialog.locator("ul .figure")
        if not deeper.count():
            break
        deeper.first.click()
    inputs = page.evaluate("memreport.engine.data.inputs")
    assert seen[-1] in inputs
    assert len(seen) > 2
    dialog.get_by_role("button", name="Back").click()
    assert dialog.get_attribute("data-name") == seen[-2]
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    titles = page.evaluate("memreport.engine.names.map((_, at) => memreport.engine.about(at).title)")
    assert all(titles)


@browser_needed
def test_the_map_is_walked_by_keyboard_and_a_point_taken_over(page: Any) -> None:
    canvas = page.locator("canvas")
    until(page, "document.querySelector('canvas').hasAttribute('aria-label')")
    canvas.focus()
    said = canvas.get_attribute("aria-label")
    canvas.press("ArrowRight")
    assert canvas.get_attribute("aria-label") != said
    canvas.press("Enter")
    assert page.locator(".input.changed").count() == 2


@browser_needed
def test_one_change_that_makes_it_fit_is_made_by_a_press(page: Any) -> None:
    page.select_option("#start", label="zero2")
    row = page.locator("#fitting tbody tr").first
    row.wait_for()
    row.locator("button").click()
    assert page.locator("#now").inner_text().split(". ")[0].strip("✓ ") == "Fits"


@browser_needed
@pytest.mark.parametrize("width", [390, 768, 1280, 2560])
def test_it_has_room_on_every_screen(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1280, "height": 900})


@browser_needed
@pytest.mark.parametrize(
    ("which", "scheme", "width"), [(TRAINED, "light", 1280), (SERVED, "dark", 390), ("calculator", "light", 390)]
)
def test_axe_finds_nothing(browser: Any, tmp_path: Path, which: str, scheme: str, width: int) -> None:
    html = calculator() if which == "calculator" else page_of(which)
    page = opened(browser, tmp_path, html, color_scheme=scheme, bypass_csp=True)
    page.set_viewport_size({"width": width, "height": 900})
    page.locator("#hardware summary").click()
    page.evaluate("document.querySelectorAll('#all-inputs, #built').forEach(one => { one.open = true; })")
    assert Axe().run(page).response["violations"] == []
    page.locator("#memory .figure").first.click()
    assert Axe().run(page).response["violations"] == []
    assert page.faults == []
    page.close()


@browser_needed
def test_the_bill_is_rounded_as_its_sentence_is(page: Any) -> None:
    sums = page.locator("#numbers td").all_text_contents()
    digits = [re.sub(r"\D", "", text.split("(")[0]).strip("0") for text in sums if "$" in text]
    assert digits
    assert max(map(len, digits)) <= 3


def test_it_prints_on_two_pages(page: Any) -> None:
    assert len(pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True))) <= 2


COVERED = """svg => {
  const boxes = [...svg.querySelectorAll("text")].map(one => one.getBBox());
  const circles = [...svg.querySelectorAll("circle:not(.ring)")].map(one => one.getBBox());
  const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  return boxes.filter((one, at) => [...boxes.slice(0, at), ...circles].some(other => meet(one, other))).length;
}"""


OUTSIDE = """svg => {
  const whole = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")];
  const box = one => one.getBoundingClientRect();
  return texts.filter(one => box(one).left < whole.left || box(one).right > whole.right).map(one => one.textContent);
}"""


@browser_needed
@pytest.mark.parametrize(("which", "width"), [(TRAINED, 1280), (TRAINED, 2560), (SERVED, 390)])
def test_no_text_of_the_hardware_map_covers_a_point_or_a_text(
    browser: Any, tmp_path: Path, which: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    (tmp_path / "page.html").write_text(page_of(which), encoding="utf-8")
    page.goto((tmp_path / "page.html").as_uri())
    plot = page.locator("#hardware svg")
    plot.wait_for()
    assert plot.locator("text").count() > 6
    assert plot.evaluate(COVERED) == 0
    page.set_viewport_size({"width": 390, "height": 900})
    page.reload()
    plot.wait_for()
    assert plot.evaluate(OUTSIDE) == []
    page.close()


TIMED = """node => {
  const event = new Event("change"), least = [Infinity, Infinity];
  const work = [() => node.dispatchEvent(event), () => {
    let sum = 0;
    for (let at = 0; at < 200000; at++) sum += Math.pow(1 + at / 3, 0.3);
    return sum;
  }];
  for (let round = 0; round < 25; round++) work.forEach((run, which) => {
    const began = performance.now();
    run();
    least[which] = Math.min(least[which], performance.now() - began);
  });
  return least;
}"""
"""The least of many times, which is what the page takes where nothing else runs, and so of 200,000 powers."""


@browser_needed
def test_it_keeps_up_with_a_dragged_slider(page: Any) -> None:
    for control, most in (("#map-figure", MOST_OF_A_FRAME), ("#lever-training-micro-batch-size", MOST_OF_AN_EDIT)):
        took, powers = page.locator(control).evaluate(TIMED)
        assert took <= most * powers


@browser_needed
def test_no_price_leaves_the_house(browser: Any, tmp_path: Path) -> None:
    decision = decide(without_prices(KNOWN[TRAINED]))
    html = answered_page(decision, answered(decision)[0])
    tables = KNOWN[TRAINED].resolved.catalogue.tables
    kinds = [kind.table for kind in KINDS if kind.id in ("rent", "buy", "energy", "colocation")]
    ids = [str(id_) for kind in kinds for id_ in tables[kind].ids if "-" in str(id_)]
    said = html + json.dumps(data_of(html))
    left = said.replace('"electricity-us-industrial"', "")  # the default, which nobody pays here
    assert not [id_ for id_ in ids if f'"{id_}"' in left]
    page = opened(browser, tmp_path, html)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert "$" not in page.locator("body").inner_text()
    page.evaluate("memreport.state.startFrom(0)")
    hours = next(float(one) for one in KNOWN[TRAINED].values["training_hours"])
    assert values_of(page)["training_hours"] == pytest.approx(hours, rel=1e-12)
    page.close()


@browser_needed
def test_a_price_of_ones_own_stands_below_the_prices_and_counts(browser: Any, tmp_path: Path) -> None:
    """No list says `no price given` beside a cost; the price may be typed, and another GPU does not take it over."""
    cost, gpu = "{basis: rent, price: 2.5 USD/h}", "{accelerator: h100-80gb-sxm, count: 8}"
    page = opened(browser, tmp_path, made_page(decide(run(tmp_path, scenario_text(cost=cost, hardware=gpu)))))
    listed, own = page.locator("#lever-cost-price"), page.locator("#lever-overrides-usd-per-accelerator-hour")
    assert listed.is_disabled()
    assert listed.evaluate("one => one.selectedOptions[0].text") == "typed below"
    assert own.input_value() == "2.5"
    before = values_of(page)["cost_total_usd"]
    own.fill("5")
    own.press("Enter")
    assert values_of(page)["cost_total_usd"] == pytest.approx(2 * before)
    own.fill("")
    own.press("Enter")
    page.locator("#lever-hardware-accelerator").select_option(index=0)
    assert listed.is_enabled()
    assert not own.input_value()
    page.close()
