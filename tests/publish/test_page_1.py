from __future__ import annotations

import pytest

from memreport.publish.pdf.page_1 import MOST_OPTIONS, options_of
from memreport.publish.pdf.sheet import sheet_pdf
from tests.publish.pages import text_of
from tests.publish.test_sheet import of


def words(pdf: bytes, page: int) -> str:
    return " ".join(text_of(pdf, page).split())


@pytest.mark.parametrize("id_", ["min-gpus-7b-to-700b", "serving-mi300x"])
def test_page_1_has_the_variants_that_a_question_is_asked_of_and_the_signatures(id_: str) -> None:
    report = of(id_)
    assert report.answer
    shown, asked = words(sheet_pdf(report), 0), options_of(report.answer, report.rows)
    assert len(asked) == MOST_OPTIONS
    for row in asked:
        assert row.title in shown
        assert row.cost_text in shown
    assert "Date, signature" in shown


def test_inputs_that_are_stated_stand_before_those_that_are_assumed() -> None:
    shown = words(sheet_pdf(of("llama3-70b-8xa100")), 3)
    for title in ("Framework", "Sequence length", "Training tokens"):
        assert title in shown
