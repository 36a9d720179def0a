from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import page
import pikepdf
import pypdfium2
import pytest
from weasyprint.urls import FatalURLFetchingError

from memreport.advise.decide import decide
from memreport.advise.verdict import DOES_NOT_FIT, FITS
from memreport.build.outputs import reported
from memreport.catalogue.quantities import brief as quantity
from memreport.publish.pdf.derivation import derivation_html, derivation_pdf
from memreport.publish.pdf.render import Attached, stamp
from memreport.publish.pdf.sheet import sheet_html, sheet_pdf
from memreport.publish.pdf.standards import DataOnly
from memreport.publish.svg.typefaces import FAMILY
from memreport.report.build import report_of
from memreport.report.records.report import Build, NotStated, OtherChoice, Report
from tests.built import IDS, KNOWN, published_files
from tests.part import part
from tests.publish.pages import misplaced, text_of, words_of
from tests.support import run, scenario_text

HOSTILE = (
    "<b>bold</b> {{ 7*7 }} <script>alert(1)</script> <img src=file:///etc/passwd> "
    "<link rel=attachment href=/etc/hostname>"
)
FILES = (
    Attached("case.xlsx", b"PK\x05\x06" + bytes(18), "workbook"),
    Attached("case.yaml", b"schema: 1\n", "the scenario", "Source"),
    Attached("case.json", b'{"schema": 1}', "figures"),
)
# Of 256 contents, one ends in the carriage return that makes a stream's length doubtful; these do not all avoid it.
MANY = tuple(Attached(f"{at}.txt", f"number {at}\n".encode(), "padding") for at in range(300))


MOST_PAGES = 5
LEAST_FILLED, FOOT = 0.5, 0.94
SMALL = "min-gpus-7b-to-700b"
"""The scenario whose sheet is the shortest."""


def of(id_: str) -> Report:
    return published_files(id_).report


def whole(id_: str) -> bytes:
    return published_files(id_).sheet


@cache
def short() -> bytes:
    return sheet_pdf(of(SMALL), FILES)


def faults(pdf: bytes) -> list[str]:
    found = [(profile, page.validate_pdf_bytes(pdf, profile=profile)) for profile in ("ua1", "3a")]
    return [f"{profile} {one.rule_id}: {one.message}" for profile, result in found for one in result.failures]


@pytest.mark.parametrize("id_", part(IDS, 3, 1))
def test_every_sheet_is_accessible_archivable_and_tidy(id_: str) -> None:
    pdf = whole(id_)
    assert faults(pdf) == []
    assert misplaced(pdf) == []
    the_first_page_holds_its_part_and_nothing_more(pdf)
    assert min(filled(pdf)[:-1]) > LEAST_FILLED
    the_cost_of_page_1_is_the_total_of_the_table(of(id_), pdf)


def the_first_page_holds_its_part_and_nothing_more(pdf: bytes) -> None:
    pages = pdf_pages(pdf)
    assert pages <= MOST_PAGES
    assert "Date, signature" in text_of(pdf, 0), "the last words of the page have gone to the next one"
    assert "All variants" in text_of(pdf, 1)
    assert "Attached: " in text_of(pdf, pages - 1)


def filled(pdf: bytes) -> list[float]:
    """How far down its text goes on each page, as a share of the page; the line at the foot left out."""
    pages = [(page.get_height(), words_of(page)) for page in pypdfium2.PdfDocument(pdf)]
    return [max(word.bottom / high for word in words if word.bottom < FOOT * high) for high, words in pages]


def pdf_pages(pdf: bytes) -> int:
    with pikepdf.open(io.BytesIO(pdf)) as document:
        return len(document.pages)


BROKEN = {
    "no title shown": lambda pdf: pdf.Root.__delitem__("/ViewerPreferences"),
    "no language": lambda pdf: pdf.Root.__delitem__("/Lang"),
    "not tagged": lambda pdf: pdf.Root.__delitem__("/StructTreeRoot"),
    "no metadata": lambda pdf: pdf.Root.__delitem__("/Metadata"),
    "no colour profile": lambda pdf: pdf.Root.__delitem__("/OutputIntents"),
    "a program to run": lambda pdf: pdf.Root.__setitem__(
        "/OpenAction", pikepdf.Dictionary(S=pikepdf.Name("/JavaScript"), JS="app.alert(1)")
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_the_validator_finds_what_is_broken(fault: str) -> None:
    spoilt = io.BytesIO()
    with pikepdf.open(io.BytesIO(short())) as pdf:
        BROKEN[fault](pdf)
        pdf.save(spoilt, compress_streams=False)
    assert len(faults(spoilt.getvalue())) > len(faults(resaved()))


@cache
def resaved() -> bytes:
    same = io.BytesIO()
    with pikepdf.open(io.BytesIO(short())) as pdf:
        pdf.save(same, compress_streams=False)
    return same.getvalue()


def test_no_attached_file_makes_a_length_doubtful() -> None:
    assert faults(sheet_pdf(of(SMALL), MANY)) == []


ODD = {
    "one variant, no table, no cost": {},
    "thirty variants with long names": {
        "title": '"' + "A long title " * 12 + '"',
        "variants": "{"
        + ", ".join(
            f"variant {at} whose name is as long as letters allow it: {{training.micro_batch_size: {at}}}"
            for at in range(1, 31)
        )
        + "}",
    },
    "a title, a question and names without a blank": {
        "title": "W" * 160,
        "question": "w" * 2000,
        "variants": "{"
        + ", ".join(f"{'M' * 57}{at:03}: {{training.micro_batch_size: {at}}}" for at in range(1, 31))
        + "}",
    },
    "a question of 2,000 characters": {"question": f"'{'Who pays for it, and when? ' * 74}'"},
    "many scripts": {
        "title": "'訓練 モデル 한국어 הכשרת מודל شرح نموذج 🚀 Ελλ ж'",
        "owner": "équipe",
        "question": f"'{HOSTILE}'",
    },
    "a table of twenty columns": {
        "tables": "[{title: wide, figure: peak_bytes, rows: {training.sequence_length: [512, 1024]}, columns: "
        f"{{training.micro_batch_size: {list(range(1, 21))}}}}}]"
    },
    "four layers": {
        "model": "{hidden_size: 64, num_hidden_layers: 4, num_attention_heads: 4, num_key_value_heads: 4, "
        "head_dim: 16, intermediate_size: 128, vocab_size: 1000, max_position_embeddings: 512}"
    },
    "126 layers, served": {"model": "llama-3.1-405b", "workload": "serving"},
    "a demand with much to say": {
        "title": "Mixtral 8x7B for the chat of all departments, bought for three years",
        "question": "How many GPUs do the requests of all departments need, and what do they cost in three years?",
        "model": "mixtral-8x7b",
        "hardware": "{accelerator: h200-141gb-sxm, count: 2, host: dgx-h200}",
        "workload": "serving",
        "serving": "{max_model_len: 8192, prompt_tokens: 2000, output_tokens: 500, tensor_parallel_size: 2}",
        "demand": "{requests_per_second: 20, first_token_seconds: 2, tokens_per_second_per_user: 15}",
        "cost": "{basis: buy, purchase_price: dgx-h200-street-low, price: together-h200-on-demand, hours: 26280}",
        "variants": "{TP 2: {}, FP8: {serving.weight_dtype: fp8}}",
    },
}


@pytest.mark.parametrize("blocks", part([*ODD.values()], 2), ids=part([*ODD], 2))
def test_odd_scenarios_make_clean_sheets(blocks: dict[str, str], tmp_path: Path) -> None:
    report = reported(decide(run(tmp_path, scenario_text(**blocks))))
    made = replace(report.identity.made, attachments=tuple(one.name for one in FILES))
    pdf = sheet_pdf(replace(report, identity=replace(report.identity, made=made)), FILES)
    assert faults(pdf) == []
    assert misplaced(pdf) == []
    assert pdf_pages(pdf) <= MOST_PAGES
    assert "Date, signature" in text_of(pdf, 0)
    assert "Attached: case.xlsx, case.yaml, case.json." in " ".join(text_of(pdf).split())


def test_one_variant_stands_on_page_1_alone_and_what_follows_leaves_no_page_half_empty(tmp_path: Path) -> None:
    small = reported(decide(run(tmp_path, scenario_text())))
    assert "All variants" not in sheet_html(small)
    assert min(filled(sheet_pdf(small))[:-1]) > LEAST_FILLED
    assert "All variants: page 2." in sheet_html(of("serving-mi300x"))


def test_page_1_alone_lets_a_reader_decide() -> None:
    """Enough? what to change? how long? how much, from to? what could break it? what must I decide?"""
    report = of("llama3-70b-8xa100")
    assert report.answer
    assert report.budget
    shown = " ".join(text_of(whole("llama3-70b-8xa100"), 0).split())
    chosen = report.answer.chosen
    for words in (report.identity.question, report.answer.headline, report.answer.detail):
        assert words in shown.replace("\u00a0", " ")
    assert chosen.takes.time
    assert chosen.takes.cost
    for text in (
        chosen.memory.peak.text,
        chosen.takes.time.amount.text,
        chosen.takes.cost.amount.text,
        chosen.takes.cost.low,
        chosen.takes.cost.high,
    ):
        assert text in shown
    assert all(one.text in shown for one in report.budget.facts)
    assert report.budget.risks
    assert all(one.headroom in shown for one in report.budget.risks)
    assert all(one in shown.replace("\u00a0", " ") for one in report.budget.decisions)
    for option in report.answer.options:
        assert option.memory.peak.text.removesuffix(" GiB") in shown


def test_page_1_says_what_was_assumed_where_another_choice_turns_the_verdict() -> None:
    rows = [OtherChoice("Engine", name, False, 1.0, "1 GiB", word) for name, word in (("a", FITS), ("b", DOES_NOT_FIT))]
    report = replace(of(SMALL), not_stated=NotStated("Assumed, not stated: engine.", tuple(rows)))
    assert "Assumed, not stated: engine." in sheet_html(report)
    assert not replace(report, chosen="another").doubt, "the sentence is of the first variant"
    assert not replace(report, not_stated=NotStated("Assumed.", tuple(rows[:1]))).doubt


def test_every_part_is_there_and_every_number_is_the_report_s() -> None:
    report = of("llama2-7b-1xa100")
    shown = sheet_text(report)
    for heading in (
        "Options",
        "Decision needed",
        "All variants",
        "Each change alone",
        "Time: where",
        "Money",
        "Sources",
    ):
        assert heading in shown
    texts = [text for grid in report.grids[:1] for row in grid.points.texts for text in row]
    texts += [row.seconds.text for roof in report.speed.rooflines for row in roof.kernels]
    texts += [text for row in report.rows for text in (row.name, row.memory.peak.text.removesuffix(" GiB"))]
    assert [text for text in texts if " ".join(text.split()) not in shown] == []


def the_cost_of_page_1_is_the_total_of_the_table(report: Report, pdf: bytes) -> None:
    """Read back by another program: the amount on page 1, and the table's total."""
    program = shutil.which("pdftotext") or "pdftotext"
    if shutil.which(program) is None and not os.environ.get("CI"):
        pytest.skip("pdftotext is not installed")
    pages = subprocess.run([program, "-layout", "-", "-"], input=pdf, capture_output=True, check=True).stdout
    first, *later = (" ".join(page.split()) for page in pages.decode().split("\f"))
    assert report.answer
    cost = report.answer.chosen.takes.cost
    assert cost
    assert cost.amount.text in first
    (total,) = [line for line in report.money.lines if line.name == "cost_total_usd"]
    assert any(f"Total cost {quantity(total.value, 'USD')} 100 %" in page for page in later)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.heads: list[dict[str, str | None]] = []
        self.tags: list[str] = []
        self.tables: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "table":
            self.tables.append(0)
        if tag == "th":
            self.heads.append(dict(attrs))
            self.tables[-1] += 1

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def parsed(html: str) -> _Page:
    reader = _Page()
    reader.feed(html)
    return reader


def sheet_text(report: Report) -> str:
    return " ".join(" ".join(parsed(sheet_html(report)).words).split())


def test_every_table_has_header_cells_that_say_what_they_head() -> None:
    reader = parsed(sheet_html(of("llama3-70b-8xa100")))
    assert len(reader.tables) > 7
    assert all(reader.tables)
    assert {head.get("scope") for head in reader.heads} == {"col", "row"}


@pytest.mark.parametrize("id_", part([SMALL, "qlora-7b-rtx4070"], 2))
def test_the_derivation_is_a_file_of_its_own(id_: str) -> None:
    report = of(id_)
    pdf = derivation_pdf(report)
    assert faults(pdf) == []
    assert misplaced(pdf) == []
    shown = " ".join(" ".join(parsed(derivation_html(report)).words).split())
    results = [one.working.result for group in report.derivation.groups for one in group.figures]
    assert results
    assert [text for text in results if " ".join(text.split()) not in shown] == []


@pytest.mark.parametrize(("figure", "cell"), [("peak_instant", "backward pass"), ("fits", "Fits")])
def test_a_figure_that_is_a_choice_of_words_reads_as_words(figure: str, cell: str, tmp_path: Path) -> None:
    table = f"[{{title: when, figure: {figure}, rows: {{training.sequence_length: [64, 128]}}}}]"
    (grid,) = report_of(run(tmp_path, scenario_text(tables=table, training="{method: lora}")), Build("0")).grids
    assert all(cell in text or "pass" in text for row in grid.points.texts for text in row)


def test_headings_skip_no_level() -> None:
    levels = [int(tag[1]) for tag in parsed(sheet_html(of("serving-mi300x"))).tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_bookmarks_title_language_and_tags() -> None:
    with pikepdf.open(io.BytesIO(whole("llama3-70b-8xa100"))) as pdf:
        with pdf.open_outline() as outline:
            (top,) = outline.root
            titles = [str(item.title) for item in top.children]
        assert "Options" in titles
        assert "Decision needed" in titles
        assert str(pdf.Root.Lang) == "en"
        assert str(pdf.docinfo["/Title"]).startswith("Llama 3 70B, full fine-tune")
        assert bool(pdf.Root.MarkInfo.Marked)


def test_the_files_are_attached_with_fixed_dates() -> None:
    made = published_files("llama3-70b-8xa100")
    scenario = KNOWN["llama3-70b-8xa100"].resolved.loaded.path
    contents = {"llama3-70b-8xa100.xlsx": made.workbook.read_bytes(), "llama3-70b-8xa100.json": made.data,
                "llama3-70b-8xa100.yaml": scenario.read_bytes()}  # fmt: skip
    with pikepdf.open(io.BytesIO(made.sheet)) as pdf:
        found = {name: pdf.attachments[name] for name in pdf.attachments}
        assert {name: one.get_file().read_bytes() for name, one in found.items()} == contents
        kinds = {name.rpartition(".")[2]: str(one.obj.AFRelationship) for name, one in found.items()}
        assert kinds == {"xlsx": "/Data", "yaml": "/Source", "json": "/Data"}
        assert all(one.get_file().creation_date == stamp("2026-11-26") for one in found.values())
        assert str(pdf.docinfo["/CreationDate"]).startswith("D:20261126")


def test_fonts_are_embedded_and_ours() -> None:
    with pikepdf.open(io.BytesIO(whole("serving-mi300x"))) as pdf:
        names = {str(font.BaseFont) for one in pdf.pages for font in one.Resources.Font.values()}
    assert names
    assert all("+" + FAMILY in name for name in names)


def test_equal_input_gives_equal_bytes_in_another_process(tmp_path: Path) -> None:
    text = scenario_text()
    report = reported(decide(run(tmp_path, text)))
    again = (
        "import sys; from pathlib import Path; from tests.publish.test_sheet import *; "
        "report = reported(decide(run(Path(sys.argv[1]), scenario_text()))); "
        "sys.stdout.buffer.write(sheet_pdf(report, FILES))"
    )
    environment = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "PATH": "", "LC_ALL": "C"}
    root = Path(__file__).parents[2]
    other = subprocess.run(
        [sys.executable, "-c", again, str(tmp_path)], cwd=root, env=environment, capture_output=True, check=True
    )
    assert other.stdout == sheet_pdf(report, FILES)


def test_hostile_text_is_shown_as_text(tmp_path: Path) -> None:
    blocks = {"title": f'"{HOSTILE[:150]}"', "question": f"'{HOSTILE}'", "owner": f"'{HOSTILE}'"}
    report = reported(decide(run(tmp_path, scenario_text(**blocks))))
    reader = parsed(sheet_html(report))
    assert {"script", "img", "link", "b{"}.isdisjoint(reader.tags)
    shown = " ".join(text_of(sheet_pdf(report), 0).split())
    assert "<script>alert(1)</script>" in shown
    assert "{{ 7*7 }}" in shown


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "http://127.0.0.1/", "/etc/hostname", "FILE:///etc/os-release"]
)
def test_rendering_fetches_nothing_from_outside(address: str) -> None:
    with pytest.raises(FatalURLFetchingError):
        DataOnly().fetch(address)


def test_rendering_reads_what_the_page_holds() -> None:
    assert DataOnly().fetch("data:text/plain,here").read() == b"here"
