"""The page as people use it: with and without script, by keyboard, on paper, on a phone, with hostile texts in it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from axe_playwright_python.sync_playwright import Axe

import memreport
from memreport.advise.decide import decide
from memreport.catalogue import quantities
from memreport.catalogue.cards import model_values
from memreport.catalogue.huggingface.card import read_config
from memreport.catalogue.quantities import QuantityError, brief, display, parse_quantity
from memreport.catalogue.tables.prices import KINDS
from memreport.commands.main import main
from memreport.paths import data_root
from memreport.publish.web.page.calculator import calculator_html
from memreport.publish.web.page.confidential import without_prices
from memreport.publish.web.page.number_words import number_words
from memreport.publish.web.page.render import inert_json
from memreport.publish.web.page.scenario_page import scenario_page
from memreport.report.answer.answered import answered
from memreport.report.view import pair_in_gib
from tests.browser import browser, browser_needed
from tests.built import IDS, KNOWN, once
from tests.publish.web_page import opened, page_of, values_of
from tests.support import run, scenario_text

__all__ = ["browser"]
TRAINED, SERVED = "llama3-70b-8xa100", "serving-mi300x"
MOST_BYTES, MOST_BYTES_CALCULATOR = 400_000, 900_000
FRAME_MS, EDIT_MS = 16.0, 5.0
HOSTILE = "</script><script>window.hit=1</script><img src=x onerror=window.hit=2>{{7*7}}${window.hit=3}"


def calculator() -> str:
    made: str = once("calculator.html", calculator_html)
    return made


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
    trained.locator("#buttons").get_by_role("button", name="Reset").click(force=True, timeout=1000)


@pytest.mark.parametrize("id_", IDS)
def test_it_is_small(id_: str) -> None:
    assert len(page_of(id_).encode()) <= MOST_BYTES


def test_the_calculator_is_small() -> None:
    assert len(calculator().encode()) <= MOST_BYTES_CALCULATOR


def test_nothing_is_fetched_kept_or_evaluated() -> None:
    for html in (page_of(TRAINED), calculator()):
        script = html.split("<script>")[1]
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
    answer = answered(decide(KNOWN[TRAINED]))[0]
    assert answer.headline in page.locator(".as-built").inner_text()
    assert not page.locator("#live").is_visible()
    rows = page.locator("#built table").first.locator("tbody tr")
    assert rows.count() == len(answer.options)
    assert all(one.peak.text in rows.nth(at).inner_text() for at, one in enumerate(answer.options))
    context.close()


@browser_needed
def test_a_page_that_cannot_start_says_so(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, page_of(TRAINED).replace('"engines":', '"engine":'))
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
    page = opened(browser, tmp_path, scenario_page(decision, answered(decision)[0]))
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
    page.wait_for_function("location.hash.includes('sequence_length')")
    after, address = page.locator("#now").inner_text(), page.url
    assert after != before
    page.get_by_role("button", name="Undo").click()
    assert page.locator("#now").inner_text() == before
    page.goto("about:blank")
    page.goto(address)
    assert page.locator("#now").inner_text() == after
    page.goto("about:blank")
    page.goto(address.split("#")[0] + "#training.zero_stage=9&nonsense=1&training.micro_batch_size=%222%22")
    assert page.locator("#now").inner_text() == before
    assert "training.zero_stage, nonsense" in page.locator("#faults").inner_text()


@browser_needed
def test_what_may_not_be_is_said_beside_its_field(page: Any) -> None:
    box = page.locator("#lever-training-micro-batch-size")
    for text, said in (
        ("0", "at least 1"),
        ("2.5", "whole number"),
        ("4 GB", "measures byte, but 1 is wanted"),
        ("", "finite number"),
    ):
        box.fill(text)
        box.press("Enter")
        assert said in page.locator("#lever-training-micro-batch-size-fault").inner_text()
        assert box.get_attribute("aria-invalid") == "true"
    box.fill("8")
    box.press("Enter")
    assert box.get_attribute("aria-invalid") is None


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
    page.wait_for_function("document.querySelector('canvas').hasAttribute('aria-label')")
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
def test_it_prints_on_two_pages(page: Any) -> None:
    assert len(pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True))) <= 2


TIMED = """node => {
  const times = [], event = new Event("change");
  for (let at = 0; at < 25; at++) {
    const began = performance.now();
    node.dispatchEvent(event);
    times.push(performance.now() - began);
  }
  return Math.min(...times.slice(5));
}"""
"""The least of many times, which is what the page takes where nothing else runs."""


@browser_needed
def test_it_keeps_up_with_a_dragged_slider(page: Any) -> None:
    assert page.locator("#map-figure").evaluate(TIMED) <= FRAME_MS
    assert page.locator("#lever-training-micro-batch-size").evaluate(TIMED) <= EDIT_MS


@browser_needed
def test_no_price_leaves_the_house(browser: Any, tmp_path: Path) -> None:
    decision = decide(without_prices(KNOWN[TRAINED]))
    html = scenario_page(decision, answered(decision)[0])
    tables = KNOWN[TRAINED].resolved.catalogue.tables
    kinds = [kind.table for kind in KINDS if kind.id in ("rent", "buy", "energy", "colocation")]
    ids = [str(id_) for kind in kinds for id_ in tables[kind].ids if "-" in str(id_)]
    left = html.replace('"electricity-us-industrial"', "")  # the default, which nobody pays here
    assert not [id_ for id_ in ids if f'"{id_}"' in left]
    page = opened(browser, tmp_path, html)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert "$" not in page.locator("body").inner_text()
    page.evaluate("memreport.state.startFrom(0)")
    hours = next(float(one) for one in KNOWN[TRAINED].values["training_hours"])
    assert values_of(page)["training_hours"] == pytest.approx(hours, rel=1e-12)
    page.close()


@browser_needed
@pytest.mark.parametrize("job", ["training", "serving"])
def test_the_calculator_equals_the_scenario_that_it_saves(browser: Any, tmp_path: Path, job: str) -> None:
    page = opened(browser, tmp_path, calculator())
    page.select_option("#job", job)
    page.select_option("#lever-model", index=17)
    page.fill("#lever-hardware-count", "4")
    page.keyboard.press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save scenario").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    found, wanted = values_of(page), memreport.estimate(path).loc["what if"]
    for name in ("peak_bytes", "parameters", "cost_total_usd"):
        assert found[name] == pytest.approx(wanted[name], rel=1e-12)
    assert page.faults == []
    page.close()


def written(browser: Any, expression: str, given: Any) -> Any:
    """What the page's own reader and writer of numbers makes of something."""
    page = browser.new_page()
    page.set_content(f'<template id="data">{inert_json({"numbers": number_words()})}</template>')
    source = (data_root() / "templates" / "page" / "numbers.js").read_text(encoding="utf-8")
    found = json.loads(
        page.evaluate(
            f"text => {{{source}\nreturn JSON.stringify(JSON.parse(text).map({expression}))}}", json.dumps(given)
        )
    )
    page.close()
    return found


def drawn_values() -> list[tuple[float, str]]:
    rng = random.Random(5)  # noqa: S311  numbers of a test
    sizes = [0.0, 1.0, 0.5, 2.5, 999.5, 1023.999 * 2**30, 0.995, 9.995, 99.95, 1234.5]
    values = [
        rng.choice([*sizes, round(rng.uniform(0, 2000), rng.randint(0, 4)), 10 ** rng.uniform(-8, 18)])
        for _ in range(1500)
    ]
    return [(value, rng.choice([*quantities.LADDERS, "GiB"])) for value in values]


@browser_needed
def test_numbers_are_written_as_reports_write_them(browser: Any) -> None:
    values = drawn_values()
    got = written(browser, "([value, unit]) => [display(value, unit), brief(value, unit)]", values)
    assert [tuple(one) for one in got] == [(display(*one), brief(*one)) for one in values]
    ends = [(value * 0.7, unit, value) for value, unit in values]
    got = written(browser, "([low, unit, value]) => brief(low, unit, value)", ends)
    assert got == [brief(*one) for one in ends]
    pairs = [(value, value * (1 + 10.0 ** -(1 + at % 9))) for at, (value, _) in enumerate(values[:300])]
    got = written(browser, "([a, b]) => pairInGib(a, b)", pairs)
    assert [tuple(one) for one in got] == [pair_in_gib(*one) for one in pairs]


TEXTS = (
    "80 GB",
    "80GiB",
    "1e9",
    "81920 MiB",
    "2.0 TB/s",
    "100 Gbit/s",
    "3.43 USD/h",
    "5 %",
    "12 days",
    "1,000",
    "$3",
    "",
    "80 gb",
    "4 GBq",
    "80 Gb",
    "70 bn",
    "2 TFLOPS",
    "3 secs",
    "-3",
    ".5 s",
    "1e999",
)


def said(found: dict[str, str]) -> tuple[str, str]:
    return found["message"], found.get("near") or ""


def read_or_said(text: str, unit: str) -> float | tuple[str, str]:
    """The number, or what is wrong and the nearest unit."""
    try:
        return parse_quantity(text, unit)
    except QuantityError as error:
        return error.message, error.nearest


@browser_needed
def test_numbers_are_read_as_files_are(browser: Any) -> None:
    given = [(text, unit) for text in TEXTS for unit in quantities.UNITS]
    for (text, unit), found in zip(
        given, written(browser, "([text, unit]) => parseQuantity(text, unit)", given), strict=True
    ):
        assert (said(found) if isinstance(found, dict) else found) == read_or_said(text, unit), (text, unit)


def test_the_command_writes_the_calculator_with_a_model_of_ones_own(tmp_path: Path) -> None:
    config = {"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32}
    sizes = {"num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256, "max_position_embeddings": 8192}
    (tmp_path / "config.json").write_text(json.dumps(config | sizes | {"_name_or_path": HOSTILE}), encoding="utf-8")
    out = tmp_path / "calculator.html"
    assert main(["page", "--model", str(tmp_path / "config.json"), "--out", str(out)]) == 0
    html = out.read_text(encoding="utf-8")
    data = json.loads(html.split('<template id="data">')[1].split("</template>")[0])
    first, *values = next(iter(data["cards"]["rows"].values()))
    assert first == HOSTILE
    assert dict(zip(data["cards"]["fields"], values, strict=True))["num_hidden_layers"] == 16
    assert html.count("<script>") == 1


@pytest.mark.parametrize("model", ["no-such-model", "missing/config.json"])
def test_an_unknown_model_is_said_in_a_line(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["page", "--model", model, "--out", str(tmp_path / "x.html")]) == 2
    assert model in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()


PASTED = """texts => {
  const box = document.getElementById("config"), button = box.nextElementSibling, said = button.nextElementSibling;
  const found = texts.map(text => {
    box.value = text;
    button.click();
    return [said.textContent, memreport.cards.rows.pasted];
  });
  return {fields: memreport.cards.fields, found};
}"""
CONFIGS = sorted((Path(__file__).parents[1] / "data" / "configs").rglob("*.json"))


@browser_needed
def test_a_pasted_configuration_is_read_as_the_program_reads_it(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, calculator())
    page.get_by_text("paste its config.json").click()
    parts = tmp_path / "of-several-parts.json"
    inner = json.loads(next(path for path in CONFIGS if path.stem == "gemma-3-1b").read_text(encoding="utf-8"))
    parts.write_text(json.dumps({"model_type": "gemma3", "text_config": inner}), encoding="utf-8")
    configs = [*CONFIGS, parts]
    made = page.evaluate(PASTED, [path.read_text(encoding="utf-8") for path in configs])
    for path, (said, row) in zip(configs, made["found"], strict=True):
        assert said.startswith("Read."), (path.name, said)
        found, config = dict(zip(made["fields"], row[1:], strict=True)), read_config(path)
        assert found.pop("weight_dtype") == (config.weight_dtype or "bf16"), path.name
        assert found == model_values(config.record()), path.name
    with page.expect_download() as download:
        page.get_by_role("button", name="Save scenario").click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert memreport.estimate(saved).loc["what if"]["parameters"] == values_of(page)["parameters"]
    assert page.faults == []
    page.close()


@browser_needed
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "no JSON object"),
        ("[1]", "no JSON object"),
        ('{"model_type": "gpt_osss"}', "did you mean 'gpt_oss'?"),
        ('{"model_type": "llama", "hidden_size": "x"}', "must be a whole number"),
        ('{"model_type": "mistral", "sliding_window": -1}', "sliding_window must be a whole number"),
        ('{"model_type": "starcoder2", "mlp_type": "gated"}', "another kind of MLP is not known"),
        ('{"model_type": "qwen3_moe", "mlp_only_layers": "all"}', "mlp_only_layers must be a list"),
    ],
)
def test_what_is_no_plain_configuration_is_refused_in_words(browser: Any, tmp_path: Path, text: str, said: str) -> None:
    page = opened(browser, tmp_path, calculator())
    page.get_by_text("paste its config.json").click()
    page.fill("#config", text)
    page.get_by_role("button", name="Read it").click()
    assert said in page.locator("#config-said").inner_text()
    page.close()
