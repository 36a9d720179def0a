"""The answer and the key figures are the same in every output: the same words, the same names, the same texts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape

import pytest

from memreport.build.outputs import summary
from memreport.publish.markdown.blocks import blocks_markdown
from memreport.publish.text.answer import blocks_text, one_line
from memreport.report.records.blocks import Notes, OptionTable
from memreport.report.records.decision import Answer
from memreport.report.records.report import Report
from tests.built import published_files
from tests.publish import same_pairs
from tests.publish.pages import text_of
from tests.publish.test_same_numbers import agrees, cells
from tests.publish.web_page import page_of
from tests.publish.workbook_cases import cached

DRAWN = ("word", "peak", "time", "cost")
IDS = ("llama2-7b-1xa100", "serving-mi300x")
each = pytest.mark.parametrize("id_", IDS)


def plain(text: str) -> str:
    """A text in one line, without the spans and spaces that only keep words together."""
    return " ".join(unescape(re.sub(r"</?span[^>]*>", "", text)).replace("\u00a0", " ").split())


def answer_of(report: Report) -> Answer:
    assert report.answer is not None
    return report.answer


LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    "text": (),
    "Markdown": (),
    "page": ("headroom",),  # its own line says it, which follows the inputs
    "sheet": ("usable", "headroom"),  # drawn as a bar with a line at what may be used
    "notebook": ("usable", "headroom"),
    "workbook": (),
}
"""What an output does not say in words of each option."""


@each
@pytest.mark.parametrize("output", LEFT_OUT)
def test_every_output_says_the_same_of_every_option(id_: str, output: str) -> None:
    made = published_files(id_)
    answer = answer_of(made.report)
    told = {
        "text": lambda: same_pairs.of_text(answer),
        "Markdown": lambda: same_pairs.of_markdown(answer),
        "page": lambda: same_pairs.of_page(page_of(id_), answer),
        "sheet": lambda: same_pairs.of_sheet(made.report, answer),
        "notebook": lambda: same_pairs.of_notebook(made.report, answer),
        "workbook": lambda: same_pairs.of_workbook(made.workbook, answer),
    }[output]()
    texts = same_pairs.expected(answer.options)
    assert told == {key: text for key, text in texts.items() if key[1] not in LEFT_OUT[output]}


@each
def test_a_screen_says_the_answer_and_every_variant(id_: str) -> None:
    report = published_files(id_).report
    answer = answer_of(report)
    blocks = (answer, OptionTable(report.rows, answer.counts_users), Notes(()))
    for said in (plain(blocks_text(blocks)), plain(blocks_markdown(blocks).replace("\\", ""))):
        assert all(plain(part) in said for part in (answer.mark, answer.headline, answer.detail))
        assert all(
            text in said for one in report.rows for text in (one.memory.text, one.takes.time_text, one.takes.cost_text)
        )
        rooms = (one.serves.users if answer.counts_users else one.memory.headroom.text for one in report.rows)
        assert all(room in said for room in rooms)
    assert answer.headline.startswith(one_line("", answer).partition(": ")[2].rstrip("…\n "))


@each
def test_the_sheet_says_the_answer_and_the_key_figures(id_: str) -> None:
    made = published_files(id_)
    report = made.report
    assert report.budget is not None
    told = dict(cells(id_)[: len(report.budget.facts)])
    assert told == {(one.name, report.chosen): one.text for one in report.budget.facts}
    page = plain(text_of(made.sheet, 0))
    assert all(
        text in page for (_, kind), text in same_pairs.expected(answer_of(report).options).items() if kind in DRAWN
    )
    assert all(plain(one.text) in page for one in report.budget.facts)
    assert plain(answer_of(report).headline) in page


@each
def test_the_workbook_says_the_answer_and_the_key_figures(id_: str) -> None:
    made = published_files(id_)
    answer = answer_of(made.report)
    texts = [str(text) for (sheet, _), text in cached(made.workbook).items() if sheet == "Summary"]
    assert plain(answer.headline)[:60] in plain(" ".join(texts))
    for amount in (answer.chosen.memory.peak, answer.chosen.memory.headroom):
        assert any(text.endswith(" GiB") and agrees(text, "byte", amount.value) for text in texts), amount.text


@each
def test_the_data_and_the_index_say_the_same(id_: str) -> None:
    made = published_files(id_)
    answer, data = answer_of(made.report), json.loads(made.data)["answer"]
    assert (data["headline"], data["word"]) == (answer.headline, answer.word)
    assert [one["peak_bytes"] for one in data["options"]] == [one.memory.peak.value for one in answer.options]
    listed = summary(made.report)
    assert (listed["answer"], listed["answer_word"]) == (answer.headline, answer.word)
    assert listed["cost_text"] == (answer.chosen.takes.cost.text if answer.chosen.takes.cost else "")
