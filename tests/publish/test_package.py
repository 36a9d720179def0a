"""The workbook's last step: values, exact numbers, descriptions, dates, and the same bytes everywhere."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook
from openpyxl.chart import BarChart, Reference, ScatterChart, Series
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from memreport.errors import PublishingError
from memreport.publish.xlsx.file.cells import LARGEST_NUMBER, Place, Value
from memreport.publish.xlsx.file.package import finish
from tests.bench_workbook import writing
from tests.support import by_sheet

CREATED = "2026-11-20T00:00:00Z"
FORMULAS: dict[Place, tuple[str, Value]] = {
    ("Calculation", "B1"): ("=in_a+Inputs!B2", 0.1 + 0.2),
    ("Calculation", "B2"): ('="fits "&"<all> & more"', "fits <all> & more"),
    ("Calculation", "B3"): ("=B1>0", True),
    ("Calculation", "B4"): ("=1/0", "#DIV/0!"),
    ("Calculation", "B5"): ("=B1*10", 3.0),
    ("Calculation", "B6"): ('=IF(B3,"","x")', ""),
}
NUMBERS: dict[Place, float] = {("Inputs", "B1"): 0.1, ("Inputs", "B2"): 0.1 + 0.2 - 0.1, ("Inputs", "B3"): 2 / 3}
ALT_TEXTS = {"Memory by variant": "Stacked columns of memory & capacity", "Roofline": "Attainable speed by intensity"}


def draft() -> Workbook:
    """A workbook with everything that must survive, as openpyxl has it before the last step."""
    book = Workbook()
    inputs, calculation = book.worksheets[0], book.create_sheet("Calculation")
    inputs.title = "Inputs"
    for (_, cell), number in NUMBERS.items():
        inputs[cell] = number
    inputs["A1"] = "  kept spaces\nand lines "
    for (_, cell), (formula, _) in FORMULAS.items():
        calculation[cell] = formula
    book.defined_names["in_a"] = DefinedName("in_a", attr_text="Inputs!$B$1")
    choice = DataValidation(type="list", formula1='"a,b"', allow_blank=False)
    choice.add("A2")
    inputs.add_data_validation(choice)
    red = CellIsRule(operator="lessThan", formula=["0"], fill=PatternFill(bgColor="FFC7CE"))  # type: ignore[no-untyped-call]  # the stubs lack it
    calculation.conditional_formatting.add("B1:B5", red)
    _add_charts(book)
    return book


def calculation_of(book: Workbook) -> Worksheet:
    sheet = book["Calculation"]
    assert isinstance(sheet, Worksheet)
    return sheet


def _add_charts(book: Workbook) -> None:
    sheet = calculation_of(book)
    values = Reference(sheet, min_col=2, min_row=1, max_row=5)
    bars, points = BarChart(), ScatterChart()
    bars.title, points.title = ALT_TEXTS
    bars.add_data(values)
    points.series.append(Series(values, values))
    points.x_axis.scaling.logBase = 10
    sheet.add_chart(bars, "D1")
    sheet.add_chart(points, "D20")


def values() -> dict[Place, Value]:
    return {place: value for place, (_, value) in FORMULAS.items()}


def published(book: Workbook | None = None, changes: dict[str, Any] | None = None) -> bytes:
    arguments: dict[str, Any] = {"values": values(), "alt_texts": ALT_TEXTS, "created": CREATED} | (changes or {})
    return finish(book or draft(), **arguments | {"values": by_sheet(arguments["values"])})


def part(data: bytes, name: str) -> str:
    return zipfile.ZipFile(io.BytesIO(data)).read(name).decode()


@pytest.fixture(scope="module")
def book() -> bytes:
    return published()


def test_openpyxl_reads_every_value_to_the_last_bit(book: bytes) -> None:
    read = load_workbook(io.BytesIO(book), data_only=True)
    for (sheet, cell), value in values().items():
        assert (read[sheet][cell].value or "") == value
    assert [read["Inputs"][cell].value for _, cell in NUMBERS] == list(NUMBERS.values())
    assert read["Inputs"]["A1"].value == "  kept spaces\nand lines "


def test_formulas_stay_live(book: bytes) -> None:
    read = load_workbook(io.BytesIO(book))
    assert {place: read[place[0]][place[1]].value for place in FORMULAS} == {p: f for p, (f, _) in FORMULAS.items()}


@pytest.mark.parametrize("engine", ["openpyxl", "calamine"])
def test_pandas_reads_the_values(book: bytes, engine: str) -> None:
    frame = pd.read_excel(io.BytesIO(book), "Calculation", header=None, engine=engine)  # type: ignore[call-overload]
    column = frame[frame.columns[-1]].to_list()
    assert column[:3] == [0.1 + 0.2, "fits <all> & more", True]
    assert pd.isna(column[3])
    assert column[4] == 3


def test_charts_checks_names_and_colours_survive(book: bytes) -> None:
    read = load_workbook(io.BytesIO(book))
    charts = [name for name in zipfile.ZipFile(io.BytesIO(book)).namelist() if name.startswith("xl/charts/chart")]
    read_charts = calculation_of(read)._charts  # type: ignore[attr-defined]  # the stubs lack it
    assert len(charts) == len(read_charts) == 2
    assert [str(v.sqref) for v in read["Inputs"].data_validations.dataValidation] == ["A2"]
    assert [str(ranges.sqref) for ranges in read["Calculation"].conditional_formatting] == ["B1:B5"]
    assert read.defined_names["in_a"].attr_text == "Inputs!$B$1"
    assert 'logBase val="10' in "".join(part(book, name) for name in charts)


def test_excel_is_still_told_to_recalculate(book: bytes) -> None:
    assert 'fullCalcOnLoad="1"' in part(book, "xl/workbook.xml")


def test_charts_are_described(book: bytes) -> None:
    drawing = part(book, "xl/drawings/drawing1.xml")
    assert 'descr="Stacked columns of memory &amp; capacity"' in drawing
    assert drawing.count("descr=") == 2


def test_dates_are_the_given_one(book: bytes) -> None:
    assert part(book, "docProps/core.xml").count(f">{CREATED}<") == 2
    assert {member.date_time[0] for member in zipfile.ZipFile(io.BytesIO(book)).infolist()} == {1980}


@pytest.mark.parametrize("written", ["2026-11-20", "2026-11-20T01:00:00+01:00"])
def test_a_date_means_its_moment_in_utc(written: str) -> None:
    assert f">{CREATED}<" in part(published(changes={"created": written}), "docProps/core.xml")


def test_two_builds_give_the_same_bytes(book: bytes) -> None:
    assert published() == book


@pytest.mark.parametrize("lxml", ["True", "False"])
def test_the_bytes_do_not_depend_on_lxml(book: bytes, lxml: str) -> None:
    root = Path(__file__).parents[2]
    environment = os.environ | {"OPENPYXL_LXML": lxml, "PYTHONPATH": str(root)}
    run = subprocess.run([sys.executable, __file__], env=environment, cwd=root, capture_output=True, check=True)
    used, _, rest = run.stdout.partition(b"\n")
    assert used == lxml.encode()
    assert rest == book


@given(st.floats(-LARGEST_NUMBER, LARGEST_NUMBER))
def test_any_number_reads_back_the_same(number: float) -> None:
    small = Workbook()
    small.worksheets[0]["A1"], small.worksheets[0]["A2"] = number, "=A1"
    arguments = {"alt_texts": {}, "values": {("Sheet", "A2"): number}}
    read = load_workbook(io.BytesIO(published(small, arguments)), data_only=True).worksheets[0]
    assert read["A1"].value == read["A2"].value == number


def _without(place: Place) -> dict[Place, Value]:
    return {key: value for key, value in values().items() if key != place}


PLACE = ("Calculation", "B1")


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("formulas without a value: Calculation!B1", {"values": _without(PLACE)}),
        ("values without a formula: Nowhere!B1", {"values": values() | {("Nowhere", "B1"): 1.0}}),
        ("values without a formula: Inputs!B1", {"values": values() | {("Inputs", "B1"): 0.1}}),
        ("Calculation!B1: nan is not finite", {"values": values() | {PLACE: float("nan")}}),
        ("Calculation!B1: -inf is not finite", {"values": values() | {PLACE: float("-inf")}}),
        ("Calculation!B1: 9007199254740993 loses digits", {"values": values() | {PLACE: 2**53 + 1}}),
        ("Calculation!B1: None is not a number", {"values": values() | {PLACE: None}}),
        (r"U\+0007", {"values": values() | {PLACE: "bell \a"}}),
        ("charts without a description: 'Roofline'", {"alt_texts": {"Memory by variant": "x"}}),
        ("charts without a description: 'Roofline'", {"alt_texts": ALT_TEXTS | {"Roofline": " "}}),
        ("no such charts: 'Cost'", {"alt_texts": ALT_TEXTS | {"Cost": "x"}}),
        ("'soon' is not an ISO 8601 date", {"created": "soon"}),
    ],
)
def test_a_fault_is_named(message: str, changes: dict[str, Any]) -> None:
    with pytest.raises(PublishingError, match=message):
        published(changes=changes)


def test_many_faults_are_counted() -> None:
    with pytest.raises(PublishingError, match=r"Calculation!B5 and 1 more"):
        published(changes={"values": {}})


def _untitled(book: Workbook) -> None:
    calculation_of(book)._charts[0].title = None  # type: ignore[attr-defined]  # the stubs lack it


def _noted(book: Workbook) -> None:
    book["Inputs"]["A1"].comment = Comment("a note", "somebody")


def _dated(book: Workbook) -> None:
    book["Inputs"]["B9"] = date(2026, 11, 20)


def _endless(book: Workbook) -> None:
    book["Inputs"]["B9"] = float("inf")


@pytest.mark.parametrize(
    ("message", "spoil"),
    [
        ("charts without a description: ''", _untitled),
        ("Inputs carries cell notes", _noted),
        (r"Inputs!B9: .*datetime.*is no text, number or formula", _dated),
        ("Inputs!B9: inf is not finite", _endless),
    ],
)
def test_a_spoilt_draft_is_refused(message: str, spoil: Callable[[Workbook], None]) -> None:
    draft_book = draft()
    spoil(draft_book)
    with pytest.raises(PublishingError, match=message):
        published(draft_book)


def test_ten_thousand_formulas_take_little_more_than_bare_openpyxl() -> None:
    def timed(work: Callable[[], object]) -> float:
        started = time.process_time()
        work()
        return time.process_time() - started

    assert writing(timed).endswith(": kept.")


if __name__ == "__main__":  # run by the test above, with and without lxml
    import openpyxl

    sys.stdout.buffer.write(f"{openpyxl.LXML}\n".encode() + published())
