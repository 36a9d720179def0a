"""Page 1 where a question is asked of every variant, and the inputs on the last page."""

from __future__ import annotations

import pytest

from memreport.advise.deciding.shown import MOST_SHOWN
from tests.built import published_files
from tests.publish.pages import text_of


def words(id_: str, page: int) -> str:
    return " ".join(text_of(published_files(id_).sheet, page).split())


@pytest.mark.parametrize(
    ("id_", "said"),
    [("min-gpus-7b-to-700b", "GPUs: 18 for weights, 21 with allowance"), ("serving-mi300x", "93 users")],
)
def test_every_variant_that_is_asked_of_is_on_page_1_with_its_answer_and_the_signatures(id_: str, said: str) -> None:
    report, first = published_files(id_).report, words(id_, 0)
    assert report.answer
    options = report.answer.options
    assert [row.name for row in options] == [row.name for row in report.rows][:MOST_SHOWN]
    assert all(row.title in first and row.takes.cost_text in first for row in options)
    assert said in first
    assert "Date, signature" in first


def test_a_question_of_one_job_has_no_rows_of_other_variants() -> None:
    report = published_files("llama3-70b-8xa100").report
    assert report.answer
    assert "variant" not in {row.role for row in report.answer.options}


def test_what_is_stated_comes_before_what_is_assumed() -> None:
    last = words("llama3-70b-8xa100", 3)
    for title in ("Framework", "Sequence length", "Training tokens"):
        assert title in last
