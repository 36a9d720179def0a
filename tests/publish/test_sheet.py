from __future__ import annotations

import io
import os
import re
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
import pytest
from weasyprint.urls import FatalURLFetchingError

from memreport.publish.curves import can_be_drawn
from memreport.publish.outputs import reported
from memreport.publish.report import report_of
from memreport.publish.sheet import Attached, sheet_html, sheet_pdf, stamp
from memreport.publish.shown import Build, DocumentedEntry, Report
from memreport.publish.standards import DataOnly
from memreport.publish.typefaces import FAMILY
from tests.built import IDS, KNOWN, published_files
from tests.publish.pages import misplaced, text_of
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


SMALL = "min-gpus-7b-to-700b"
"""The scenario whose sheet is the shortest."""


def of(id_: str) -> Report:
    return published_files(id_).report


def brief(report: Report) -> Report:
    """With fewer worked figures, which are many and all alike."""
    few = tuple(replace(group, figures=group.figures[:3]) for group in report.worked[-2:])
    return replace(report, worked=few)


def whole(id_: str) -> bytes:
    return published_files(id_).sheet


@cache
def short() -> bytes:
    return sheet_pdf(brief(of(SMALL)), FILES)


def faults(pdf: bytes) -> list[str]:
    found = [(profile, page.validate_pdf_bytes(pdf, profile=profile)) for profile in ("ua1", "3a")]
    return [f"{profile} {one.rule_id}: {one.message}" for profile, result in found for one in result.failures]


@pytest.mark.parametrize("id_", IDS)
def test_every_sheet_is_accessible_archivable_and_tidy(id_: str) -> None:
    pdf = whole(id_)
    assert faults(pdf) == []
    assert misplaced(pdf) == []
    the_first_page_holds_its_part_and_nothing_more(pdf)
    the_cost_of_page_1_is_the_total_of_the_table(of(id_), pdf)


def the_first_page_holds_its_part_and_nothing_more(pdf: bytes) -> None:
    assert "Provenance." in text_of(pdf, 0)
    assert "Attached to this file" in text_of(pdf, 0), "the last words of the page have gone to the next one"
    assert text_of(pdf, 1).startswith("Variants side by side")


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
    assert faults(sheet_pdf(brief(of(SMALL)), MANY)) == []


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
}


@pytest.mark.parametrize("blocks", ODD.values(), ids=list(ODD))
def test_odd_scenarios_make_clean_sheets(blocks: dict[str, str], tmp_path: Path) -> None:
    report = reported(run(tmp_path, scenario_text(**blocks)))
    names = tuple(one.name for one in FILES)
    pdf = sheet_pdf(replace(brief(report), identity=replace(report.identity, attachments=names)), FILES)
    assert faults(pdf) == []
    assert misplaced(pdf) == []
    assert "Attached to this file: case.xlsx, case.yaml, case.json." in " ".join(text_of(pdf, 0).split())


def test_page_1_alone_lets_a_reader_decide() -> None:
    report = of("llama3-70b-8xa100")
    shown = " ".join(text_of(whole("llama3-70b-8xa100"), 0).split())
    first = report.verdicts[0]
    for words in (report.identity.question, "✗ Does not fit", first.peak_text, report.headline.fitting_variant):
        assert words in shown
    assert all(key.text in shown for key in report.key_figures)
    tight = shown.replace(" ", "")  # letters of a drawing stand so close that blanks are lost in reading back
    assert all(text.replace(" ", "") in tight for bar in report.bars for text in (bar.variant, bar.text))
    said = [one.title for one in report.assumptions if one.decisive] + [one.variant for one in report.outcomes]
    assert {word for words in said for word in words.split()} <= set(shown.split())
    assert report.identity.sha256 in shown
    assert "prepared by (open)" in shown


def test_every_part_is_there_and_every_number_is_the_report_s() -> None:
    report = of("llama2-7b-1xa100")
    documented = DocumentedEntry("003", "Memory", "7B at 16 bytes", "112 GB", "112 GB", "reproduces")
    shown = sheet_text(replace(report, documented=(documented,)))
    for heading in (
        "side by side",
        "How far does it scale?",
        "Speed: what",
        "What it costs",
        "Worked figures",
        "Documented",
    ):
        assert heading in shown
    texts = [cell for row in report.side_by_side.figures for cell in row.cells]
    texts += [text for grid in report.grids for row in grid.texts for text in row]
    texts += [line.text for line in report.cost] + [
        row.seconds_text for roof in report.rooflines for row in roof.kernels
    ]
    texts += [one.result for group in report.worked for one in group.figures]
    assert [text for text in texts if " ".join(text.split()) not in shown] == []


def the_cost_of_page_1_is_the_total_of_the_table(report: Report, pdf: bytes) -> None:
    """Read back by another program: the headline with its range and the mark of its source, then the table's total."""
    program = shutil.which("pdftotext") or "pdftotext"
    if shutil.which(program) is None and not os.environ.get("CI"):
        pytest.skip("pdftotext is not installed")
    pages = subprocess.run([program, "-layout", "-", "-"], input=pdf, capture_output=True, check=True).stdout
    first, *later = (" ".join(page.split()) for page in pages.decode().split("\f"))
    (total,) = [line for line in report.cost if line.name == "cost_total_usd"]
    assert total.text in first
    assert all(line.text in first for line in report.cost if line.name in ("cost_low_usd", "cost_high_usd"))
    (key,) = [one for one in report.key_figures if one.name == "cost_total_usd"]
    assert f"[{key.source}]" in first
    assert any(f"Total cost {total.text} 100 %" in page for page in later)


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
    assert len(reader.tables) > 10
    assert all(reader.tables)
    assert {head.get("scope") for head in reader.heads} == {"col", "row"}


@pytest.mark.parametrize("id_", IDS)
def test_the_contents_name_every_section_in_the_order_of_the_pages(id_: str) -> None:
    html = sheet_html(replace(of(id_), documented=(DocumentedEntry("003", "s", "says", "1", "1", "reproduces"),)))
    named = re.findall(r'<a href="#([a-z]+)"', html[html.index('class="toc"') : html.index("Provenance.")])
    assert named == re.findall(r'<h2 id="([a-z]+)"', html[html.index('class="toc"') :])


def test_a_table_of_one_figure_is_headed_by_its_title_with_the_name_beside_it() -> None:
    html = sheet_html(of("qlora-7b-rtx4070"))
    assert '<th scope="col">Trainable parameters<br><span class="field">trainable_parameters</span></th>' in html
    assert '<span class="field">(peak_bytes)</span>' in html


@pytest.mark.parametrize(("figure", "cell"), [("peak_instant", "backward pass"), ("fits", "Fits")])
def test_a_figure_that_is_a_choice_of_words_is_no_curve(figure: str, cell: str, tmp_path: Path) -> None:
    table = f"[{{title: when, figure: {figure}, rows: {{training.sequence_length: [64, 128]}}}}]"
    (grid,) = report_of(run(tmp_path, scenario_text(tables=table, training="{method: lora}")), Build("0")).grids
    assert not can_be_drawn(grid)
    assert all(cell in text or "pass" in text for row in grid.texts for text in row)


def test_headings_skip_no_level() -> None:
    levels = [int(tag[1]) for tag in parsed(sheet_html(of("serving-mi300x"))).tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_bookmarks_title_language_and_tags() -> None:
    with pikepdf.open(io.BytesIO(whole("llama3-70b-8xa100"))) as pdf:
        with pdf.open_outline() as outline:
            (top,) = outline.root
            titles = [str(item.title) for item in top.children]
        assert "Does it fit?" in titles
        assert any(title.startswith("Worked figures") for title in titles)
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
        assert all(one.get_file().creation_date == stamp("2026-11-20") for one in found.values())
        assert str(pdf.docinfo["/CreationDate"]).startswith("D:20261120")


def test_fonts_are_embedded_and_ours() -> None:
    with pikepdf.open(io.BytesIO(whole("serving-mi300x"))) as pdf:
        names = {str(font.BaseFont) for one in pdf.pages for font in one.Resources.Font.values()}
    assert names
    assert all("+" + FAMILY in name for name in names)


def test_equal_input_gives_equal_bytes_in_another_process(tmp_path: Path) -> None:
    text = scenario_text()
    report = brief(report_of(run(tmp_path, text), Build("0")))
    again = (
        "import sys; from pathlib import Path; from tests.publish.test_sheet import *; "
        "report = brief(report_of(run(Path(sys.argv[1]), scenario_text()), Build('0'))); "
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
    report = report_of(run(tmp_path, scenario_text(**blocks)), Build(HOSTILE))
    reader = parsed(sheet_html(report))
    assert {"script", "img", "link", "b{"}.isdisjoint(reader.tags)
    shown = " ".join(text_of(sheet_pdf(brief(report)), 0).split())
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
