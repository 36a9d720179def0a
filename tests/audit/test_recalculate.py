"""Two independent programs compute a workbook again; neither trusts the values that it finds there."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.workbook.defined_name import DefinedName

from memreport.audit.recalculate import Value, Values
from memreport.errors import InputError, MachineError
from memreport.publish.xlsx.file.package import finish
from tests.libreoffice import libreoffice_recalculate, libreoffice_recalculate_all, render_pngs
from tests.support import by_sheet
from tests.typed_workbook import recalculate_with, recalculated

office = pytest.mark.skipif(
    shutil.which("soffice") is None and os.environ.get("CI") != "true", reason="LibreOffice is not installed"
)
ROWS = [("a100", 80.0, 2.0), ("h100", 94.0, 3.0), ("b200", 192.0, 4.0)]
FORMULAS = {
    "B1": "=INDEX(Hardware!B1:B3,MATCH(in_card,Hardware!A1:A3,0))",
    "B2": "=SUMPRODUCT(Hardware!B1:B3,Hardware!C1:C3)",
    "B3": "=IF(ISNUMBER(in_limit),in_limit,B1)",
    "B4": "=ROUNDUP(ROUND(in_part*3/in_part,9),0)",
    "B5": "=B1>in_need",
    "B6": '=IF(B5,"fits","does not fit")',
    "B7": "=MATCH(7,Hardware!B1:B3,0)",
    "B8": "=1/(B1-B1)",
    "B9": "=in_part+0.2",
    "B10": "=DATE(2026,11,20)",
    "B11": '=IF(B5,"","x")',
    "B12": "=in_nothing*2",
}
EXPECTED: dict[str, Value] = {
    "B1": 94.0,
    "B2": 160.0 + 282.0 + 768.0,
    "B3": 94.0,
    "B4": 3.0,
    "B5": True,
    "B6": "fits",
    "B7": "#N/A",
    "B8": "#DIV/0!",
    "B9": 0.1 + 0.2,
    "B10": 46346.0,
    "B11": "",
    "B12": 0.0,
}
INPUTS: dict[str, Value | None] = {
    "in_card": "h100",
    "in_limit": "none",
    "in_part": 0.1,
    "in_need": 90.0,
    "in_nothing": None,
}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A small workbook in which every stored value is wrong."""
    made = Workbook()
    inputs, hardware, calculation = made.worksheets[0], made.create_sheet("Hardware"), made.create_sheet("Calculation")
    inputs.title = "Our inputs"
    for row, (name, value) in enumerate(INPUTS.items(), 1):
        inputs.cell(row, 2, value)
        made.defined_names[name] = DefinedName(name, attr_text=f"'Our inputs'!$B${row}")
    for line in ROWS:
        hardware.append(line)
    for cell, formula in FORMULAS.items():
        calculation[cell] = formula
    made.save(tmp_path / "draft.xlsx")
    return _with_wrong_values(tmp_path / "draft.xlsx", tmp_path / "book.xlsx")


def _with_wrong_values(draft: Path, target: Path) -> Path:
    wrong: dict[tuple[str, str], Value] = {("Calculation", cell): 12345.0 for cell in FORMULAS}
    target.write_bytes(finish(load_workbook(draft), by_sheet(wrong), alt_texts={}, created="2026-11-20"))
    return target


def _differences(found: Values, expected: dict[str, Value], relative: float) -> list[tuple[str, Value, Value]]:
    assert found.keys() == {("Calculation", cell) for cell in expected}
    pairs = [(cell, found["Calculation", cell], value) for cell, value in expected.items()]
    return [pair for pair in pairs if type(pair[1]) is not type(pair[2]) or not _close(pair[1], pair[2], relative)]


def _close(found: Value, expected: Value, relative: float) -> bool:
    if isinstance(found, float) and isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=relative)
    return found == expected


def test_formualizer_computes_its_own_values(book: Path) -> None:
    assert _differences(recalculated(book), EXPECTED, 0) == []


@office
def test_libreoffice_computes_its_own_values_of_several_workbooks(book: Path, tmp_path: Path) -> None:
    twin = Path(shutil.copy(book, tmp_path / "twin.xlsx"))
    found = libreoffice_recalculate_all([book, twin], tmp_path / "office")
    assert _differences(found[book], EXPECTED, 1e-14) == []
    assert found[book] == found[twin]


def test_an_edit_is_computed_through(book: Path) -> None:
    found = recalculate_with(book, {("Our inputs", "B1"): "a100", ("Our inputs", "B2"): 5.0})
    changed: dict[str, Value] = {"B1": 80.0, "B3": 5.0, "B5": False, "B6": "does not fit", "B11": "x"}
    assert _differences(found, EXPECTED | changed, 0) == []


def test_an_edit_leaves_the_file_alone(book: Path) -> None:
    before = book.read_bytes()
    recalculate_with(book, {("Our inputs", "B4"): 1.0})
    assert book.read_bytes() == before


def test_an_edit_of_a_formula_or_of_no_sheet_is_refused(book: Path) -> None:
    edits: dict[tuple[str, str], Value] = {("Calculation", "B1"): 1.0, ("Our input", "B1"): 2.0}
    with pytest.raises(InputError) as refused:
        recalculate_with(book, edits)
    assert "Calculation!B1: holds a formula" in str(refused.value)
    assert "did you mean 'Our inputs'" in str(refused.value)


@office
def test_the_pages_are_drawn_in_order(book: Path, tmp_path: Path) -> None:
    pages = render_pngs(book, tmp_path / "pages")
    assert len(pages) == 3
    assert pages == sorted(pages)
    assert all(page.read_bytes().startswith(b"\x89PNG") for page in pages)


def test_a_machine_without_formualizer_is_told_what_to_install(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "formualizer", None)
    with pytest.raises(MachineError, match="python -m pip install formualizer"):
        recalculated(book)


@pytest.mark.parametrize("act", [libreoffice_recalculate, render_pngs])
def test_a_machine_without_libreoffice_is_told_what_to_install(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Path, Path], object]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match=r"apt-get install .*libreoffice-calc-nogui poppler-utils"):
        act(book, tmp_path / "office")


@office
def test_a_file_that_libreoffice_cannot_read_is_reported(book: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "office" / "recalculated"
    earlier.mkdir(parents=True)
    book.rename(earlier / book.name)  # the earlier result must not pass for a new one
    with pytest.raises(MachineError, match=r"soffice wrote no book\.xlsx"):
        libreoffice_recalculate(book, tmp_path / "office")
