"""The answer and the key figures are the same in every output: the same words, the same names, the same texts."""

from __future__ import annotations

import json
from html import unescape

import pytest

from memreport.build.outputs import summary
from memreport.publish.text.answer import answer_text, one_line, options_text
from memreport.report.records.decision import Answer, OptionRow
from memreport.report.records.report import Report
from tests.built import published_files
from tests.publish.pages import text_of
from tests.publish.test_same_numbers import agrees, cells
from tests.publish.workbook_cases import cached

IDS = ("llama2-7b-1xa100", "serving-mi300x")
each = pytest.mark.parametrize("id_", IDS)


def plain(text: str) -> str:
    """A text in one line, without the spaces that only keep words together."""
    return " ".join(unescape(text).replace("\u00a0", " ").split())


def answer_of(report: Report) -> Answer:
    assert report.answer is not None
    return report.answer


def texts_of(one: OptionRow) -> list[str]:
    """What every output says of an option, beside its name."""
    money = [part.amount.text for part in (one.time, one.cost) if part]
    return [one.word, one.headroom.text, f"{one.peak.text.removesuffix(' GiB')} of {one.usable.text}", *money]


@each
def test_a_terminal_says_the_answer_and_every_option(id_: str) -> None:
    report = published_files(id_).report
    answer = answer_of(report)
    shown, options = plain(answer_text(answer, report.rows, ())), plain(options_text(answer, ()))
    for said in (shown, options):
        assert plain(f"{answer.mark} {answer.headline} {answer.detail}") in said
    assert all(text in options for one in answer.options for text in texts_of(one))
    room = [one.users if answer.counts_users else one.headroom.text for one in report.rows]
    rows = [*room, *(text for one in report.rows for text in texts_of(one)[2:])]
    assert all(text in shown for text in rows)
    assert answer.headline.startswith(one_line("", answer).partition(": ")[2].rstrip("…\n "))


@each
def test_the_sheet_says_the_answer_and_the_key_figures(id_: str) -> None:
    made = published_files(id_)
    report = made.report
    assert report.budget is not None
    told = dict(cells(id_)[: len(report.budget.facts)])
    assert told == {(one.name, report.chosen): one.text for one in report.budget.facts}
    page = plain(text_of(made.sheet, 0))
    assert all(plain(one.text) in page for one in report.budget.facts)
    assert plain(answer_of(report).headline) in page


@each
def test_the_workbook_says_the_answer_and_the_key_figures(id_: str) -> None:
    made = published_files(id_)
    answer = answer_of(made.report)
    texts = [str(text) for (sheet, _), text in cached(made.workbook).items() if sheet == "Summary"]
    assert plain(answer.headline)[:60] in plain(" ".join(texts))
    for amount in (answer.chosen.peak, answer.chosen.headroom):
        assert any(text.endswith(" GiB") and agrees(text, "byte", amount.value) for text in texts), amount.text


@each
def test_the_data_and_the_index_say_the_same(id_: str) -> None:
    made = published_files(id_)
    answer, data = answer_of(made.report), json.loads(made.data)["answer"]
    assert (data["headline"], data["word"]) == (answer.headline, answer.word)
    assert [one["peak_bytes"] for one in data["options"]] == [one.peak.value for one in answer.options]
    listed = summary(made.report)
    assert (listed["answer"], listed["answer_word"]) == (answer.headline, answer.word)
    assert listed["cost_text"] == (answer.chosen.cost.text if answer.chosen.cost else "")
