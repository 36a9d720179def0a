"""What people read in a workbook and on page 1: units, pages, sentences that fit the job; found by looking."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.advise.decide import decide
from memreport.audit.contained import contained
from memreport.build.outputs import reported
from memreport.publish.pdf.bars import SHADES
from memreport.publish.xlsx.common.titles import CALCULATION, REFERENCE
from memreport.publish.xlsx.sheet.styles import format_of
from memreport.report.records.report import Report
from tests.built import IDS, published_files
from tests.part import part
from tests.publish.pages import text_of
from tests.publish.workbook_cases import cached, opened, row_of
from tests.support import ROOT, run, scenario_text

LARGEST = "llama3-70b-8xa100"
MOST_REFERENCE_PAGES = 7
SERVED = {"workload": "serving", "model": "llama-3.1-405b", "hardware": "{accelerator: h100-80gb-sxm, count: 8}"}


def report_of(folder: Path, **parts: str) -> Report:
    return reported(decide(run(folder, scenario_text(**parts))))


@pytest.mark.parametrize(
    ("unit", "values", "ending"),
    [
        ("byte", [46_786_244_470.0, 0.0], '" GB"'),
        ("byte", [411_041_792.0], '" MB"'),
        ("byte", [-1.36e12, 2.5e9], '" GB"'),
        ("byte/s", [31.5e9], '" GB/s"'),
        ("byte", [320.0], "0.00000E+00"),
    ],
)
def test_bytes_are_shown_in_a_unit_that_is_read(unit: str, values: list[float], ending: str) -> None:
    assert format_of(unit, values).endswith(ending)


def test_no_operations_are_a_plain_zero() -> None:
    assert format_of("FLOP", [0.0, 3.5e15]).startswith("[=0]0;")


@pytest.mark.parametrize("id_", part(IDS, 2))
def test_main_memory_stands_on_calculation_in_gib(id_: str) -> None:
    path = published_files(id_).workbook
    values = cached(path)
    for name in ("peak_bytes_low", "peak_bytes_high", "usable_bytes", "headroom_bytes"):
        row, whole = (row_of(path, CALCULATION, each) for each in (f"{name} in GiB", name))
        assert values[CALCULATION, f"F{row}"] == pytest.approx(float(values[CALCULATION, f"F{whole}"]) / 2**30)


@pytest.mark.parametrize("id_", part(IDS, 2))
def test_reference_prints_on_few_pages(id_: str) -> None:
    sheet = opened(published_files(id_).workbook)[REFERENCE]
    assert len(sheet.row_breaks.brk) + 1 <= MOST_REFERENCE_PAGES


def test_the_largest_workbook_can_be_audited_within_the_memory_of_an_audit() -> None:
    answer = contained("audit", published_files(LARGEST).workbook, style="table")
    assert (answer.code, "no findings" in answer.text) == (0, True)


def test_parts_of_memory_differ_in_shade() -> None:
    css = (ROOT / "templates" / "sheet.css").read_text(encoding="utf-8")
    shades = {css.partition(f".p{shade} {{ background: ")[2][:7] for shade in range(SHADES)}
    assert len(shades) == SHADES
    assert max(len(published_files(id_).report.parts_of_peak.parts) for id_ in IDS) <= SHADES


def test_other_gpus_than_submitted_are_named_with_their_figures_and_in_the_decision(tmp_path: Path) -> None:
    report = report_of(tmp_path, **SERVED, serving="{engine: vllm, weight_dtype: bf16, tensor_parallel_size: 8}")
    assert report.answer
    assert report.answer.headline.startswith("No, not on 8 × H100")
    assert report.answer.detail.startswith(f"On {report.answer.chosen.gpus.hardware} the peak memory is")
    assert report.budget
    assert " instead of 8 × H100 80 GB SXM5" in report.budget.decisions[0]


@pytest.mark.parametrize(("gpu", "engine"), [("h100-80gb-sxm", "vllm"), ("mi300x", "vllm"), ("m2-ultra", "llama.cpp")])
def test_a_monitor_is_named_for_any_vendor(tmp_path: Path, gpu: str, engine: str) -> None:
    report = report_of(
        tmp_path,
        workload="serving",
        model="llama-3-8b",
        hardware=f"{{accelerator: {gpu}, count: 1}}",
        serving=f"{{engine: {engine}, max_num_seqs: 4}}",
    )
    assert report.budget
    assert report.budget.monitor.startswith("A monitor will show about ")
    varied = {swing.name for swing in report.tornado.swings} if report.tornado else set()
    assert ("gpu_memory_utilization" in varied) is (engine == "vllm")


def test_a_longer_time_is_longer_and_a_higher_price_higher() -> None:
    budget = published_files(LARGEST).report.budget
    assert budget
    titles = [risk.title for risk in budget.risks]
    assert any(title.startswith("Time ") and title.endswith(" longer than planned") for title in titles)
    assert any(title.startswith("Prices ") and title.endswith(" higher than planned") for title in titles)


def test_fields_read_in_a_question_have_its_line(tmp_path: Path) -> None:
    question = '"How many H100 for 200 users with 8k context?"'
    found = run(tmp_path, scenario_text(workload="serving", model="llama-3-8b", question=question, hardware=None))
    line = str(found.resolved.cases[0].origins["max_model_len"].place).partition(":")[2]
    text = found.resolved.loaded.path.read_text(encoding="utf-8").splitlines()
    assert text[int(line) - 1].startswith("question:")


def test_what_is_cheaper_on_other_gpus_is_decided_beside_the_budget() -> None:
    report = published_files(LARGEST).report
    assert report.answer
    assert report.budget
    elsewhere = next(row for row in report.answer.options if row.role_words == "cheapest elsewhere")
    assert elsewhere.takes.cost
    said = f"Or, cheaper on other GPUs: {elsewhere.title}, {elsewhere.takes.cost.text}."
    assert said in report.budget.decisions


@pytest.mark.parametrize("id_", IDS)
def test_signatures_stand_on_page_1(id_: str) -> None:
    assert "Date, signature" in text_of(published_files(id_).sheet, 0)
