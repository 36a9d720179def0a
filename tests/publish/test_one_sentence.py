"""The answer to each question is one sentence in every output: PDF, workbook, index, page, JSON, terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memreport.advise.decide import decide
from memreport.build.outputs import reported, summary
from memreport.compute import compute
from memreport.publish.json.answer import answer_data
from memreport.publish.pdf.sheet import sheet_html, sheet_pdf
from memreport.publish.text.answer import answer_lines, blocks_text, options_text
from memreport.publish.web.index import index_html
from memreport.publish.web.notebook import notebook_html
from memreport.publish.xlsx.workbook import workbook_bytes
from memreport.report.answer.sentences import SENTENCES
from memreport.report.records.blocks import Notes, OptionTable
from memreport.report.records.report import Report
from memreport.resolve import resolve_given
from tests.built import IDS, published_files
from tests.lazily import lazily_read
from tests.part import part
from tests.publish.pages import text_of
from tests.publish.test_same_answer import plain
from tests.publish.web_page import made_page, page_of
from tests.publish.workbook_cases import cached
from tests.slim import slim
from tests.support import run

ASKED = {
    "gpt2-760m-mi300x": ("how_large_a_batch", "how_long"),
    "llama2-13b-serving-batch32": ("which_fit",),
    "llama2-7b-1xa100": ("fits",),
    "llama3-70b-8xa100": ("fits",),
    "min-gpus-7b-to-700b": ("how_many_gpus",),
    "qlora-7b-rtx4070": ("which_fit",),
    "serving-mi300x": ("how_many_users",),
}
DEMANDED = {
    "schema": 1, "id": "case", "version": 1, "title": "Chat", "question": "How many GPUs do 20 users need?",
    "model": "llama-3-8b", "workload": "serving", "hardware": {"accelerator": "h100-80gb-sxm", "count": 1},
    "serving": {"max_model_len": 4096}, "demand": {"users": 20}, "cost": {"price": "aws-p5-on-demand"},
}  # fmt: skip


def said_of(report: Report) -> dict[str, str]:
    """What the outputs say that are made quickly."""
    assert report.answer is not None
    entry = {"summary": summary(report), "files": []}
    return {
        "show": blocks_text((report.answer, OptionTable(report.rows), Notes(()))),
        "show --all": answer_lines(report.answer),
        "plan": options_text(report.answer, ()),
        "index": index_html([entry], "0"),
        "notebook": notebook_html(report),
        "sheet": sheet_html(report),
        "json": json.dumps(answer_data(report), ensure_ascii=False),
    }


def sentence(report: Report) -> str:
    assert report.answer is not None
    return plain(report.answer.headline)


def test_each_question_is_known() -> None:
    assert set(IDS) == set(ASKED), "a new scenario states here what it asks"


@pytest.mark.parametrize("id_", ASKED)
def test_every_output_says_the_same_sentence(id_: str) -> None:
    made = published_files(id_)
    assert made.report.answer is not None
    assert made.report.answer.asks == ASKED[id_]
    told = said_of(made.report)
    told["page"] = page_of(id_)
    told["PDF"] = text_of(made.sheet, 0)
    told["workbook"] = " ".join(str(text) for (sheet, _), text in cached(made.workbook).items() if sheet == "Summary")
    told["file"] = json.dumps(json.loads(made.data), ensure_ascii=False)
    assert not [name for name, text in told.items() if sentence(made.report) not in plain(text)]


def test_what_meets_a_demand_is_one_sentence_too() -> None:
    computed = compute([resolve_given(DEMANDED)])[0]
    decision = decide(computed)
    report = reported(decision, derived=False)
    assert report.answer is not None
    assert report.answer.asks == ("demand",)
    told = said_of(report) | {"page": made_page(decision)}
    assert not [name for name, text in told.items() if sentence(report) not in plain(text)]


LEFT = {
    "how_long": {"workload": "training", "training": {"training_tokens": 1e8, "zero_stage": 3}},
    "what_cost": {"workload": "training", "training": {"training_tokens": 1e8, "zero_stage": 3}},
    "how_much_memory": {"workload": "serving", "serving": {"max_num_seqs": 8}},
    "how_much_energy": {"workload": "training", "training": {"training_tokens": 1e8, "zero_stage": 3}},
    "which_gpu": {"workload": "training", "training": {"training_tokens": 1e8, "zero_stage": 3}},
    "how_long_a_context": {"workload": "serving", "serving": {"max_num_seqs": 8}},
    "how_large_a_model": {
        "workload": "serving",
        "serving": {"max_num_seqs": 8},
        "variants": {"8B": {}, "405B": {"model": "llama-3.1-405b"}},
    },
    "how_fast": {"workload": "serving", "serving": {"max_num_seqs": 8}},
    "what_limits": {"workload": "serving", "serving": {"max_num_seqs": 8}},
    "compare": {
        "workload": "serving",
        "serving": {"max_num_seqs": 8},
        "variants": {"16 bits": {}, "FP8": {"serving.weight_dtype": "fp8"}},
    },
    "rent_or_buy": {"workload": "serving", "serving": {"max_num_seqs": 8}},
}
"""Questions that no scenario of the repository asks alone."""


def test_every_question_is_asked_here() -> None:
    asked = {kind for kinds in ASKED.values() for kind in kinds}
    assert asked | set(LEFT) == set(SENTENCES)


@pytest.mark.parametrize("kind", part([*LEFT], 3))
def test_every_other_question_has_one_sentence_in_real_files(kind: str, tmp_path: Path) -> None:
    bought = {"purchase_price": "h100-street-low", "rent_or_buy": True} if kind == "rent_or_buy" else {}
    scenario = {
        "schema": 1, "id": "case", "version": 1, "title": "A case", "question": "What is it?", "asks": [kind],
        "model": "llama-3-8b", "hardware": {"accelerator": "h100-80gb-sxm", "count": 8},
        "cost": {"price": "aws-p5-on-demand", **bought}, **LEFT[kind],
    }  # fmt: skip
    decision = decide(run(tmp_path, json.dumps(scenario), catalogue=slim()))
    report = reported(decision, derived=False)
    book = lazily_read(workbook_bytes(decision.computed, report), data_only=True)["Summary"]
    told = said_of(report) | {
        "page": made_page(decision),
        "PDF": text_of(sheet_pdf(report), 0),
        "workbook": " ".join(str(cell) for row in book.iter_rows(values_only=True) for cell in row if cell),
    }
    assert report.answer is not None
    assert report.answer.asks == (kind,)
    assert not [name for name, text in told.items() if sentence(report) not in plain(text)]
