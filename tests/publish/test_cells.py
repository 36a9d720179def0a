"""Nothing is lost, shortened or brought to life on its way into a cell."""

from __future__ import annotations

import io
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import Cell

from memreport.errors import PublishingError
from memreport.publish.xlsx.file.cells import put_formula, put_number, put_text, valid_defined_name, valid_sheet_name


def reread(cell: Cell) -> Cell:
    """The cell as the next reader finds it."""
    out = io.BytesIO()
    assert cell.parent.parent is not None
    cell.parent.parent.save(out)
    read = load_workbook(out).worksheets[0]["A1"]
    assert isinstance(read, Cell)
    return read


@pytest.fixture
def cell() -> Cell:
    return new_cell()


def new_cell() -> Cell:
    made = Workbook().worksheets[0]["A1"]
    assert isinstance(made, Cell)
    return made


@pytest.mark.parametrize(
    "text", ["=1+1", "=cmd|'/C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "'quoted", "#N/A", "#REF!"]
)
def test_a_text_never_becomes_a_formula_or_an_error(cell: Cell, text: str) -> None:
    put_text(cell, text)
    read = reread(cell)
    assert (read.value, read.data_type, bool(read.quotePrefix)) == (text, "s", True)


@pytest.mark.parametrize("text", ["plain", "0.5", "A & B <c>", "two\nlines", "Ω · 内存 · 😀", "# heading"])
def test_plain_text_is_kept_without_a_quote_mark(cell: Cell, text: str) -> None:
    put_text(cell, text)
    read = reread(cell)
    assert (read.value, read.data_type, bool(read.quotePrefix)) == (text, "s", False)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("_x0041_", "_x005F_x0041_"),
        ("_x0041_x0042_", "_x005F_x0041_x005F_x0042_"),
        ("_x41_ and_xyzw_", "_x41_ and_xyzw_"),
    ],
)
def test_what_looks_like_an_escape_is_escaped(cell: Cell, text: str, stored: str) -> None:
    put_text(cell, text)
    assert cell.value == stored


@pytest.mark.parametrize("character", ["\0", "\a", "\x0b", "\r", "\x1f", "\x7f", "\x85", "\ud800", "\ufffe", "\uffff"])
def test_a_character_that_xml_cannot_carry_is_refused(cell: Cell, character: str) -> None:
    with pytest.raises(PublishingError, match=f"U\\+{ord(character):04X}"):
        put_text(cell, f"a{character}b")


def test_the_longest_text_is_kept_and_a_longer_one_refused(cell: Cell) -> None:
    put_text(cell, "x" * 32_767)
    assert len(str(reread(cell).value)) == 32_767
    with pytest.raises(PublishingError, match="32768"):
        put_text(cell, "x" * 32_768)
    with pytest.raises(PublishingError, match="32768"):
        put_text(cell, "😀" * 16_384)


@given(st.text() | st.from_regex("(_x[0-9A-F]{4}_?|=|#N/A)+", fullmatch=True))
def test_any_text_is_kept_or_refused(text: str) -> None:
    made = new_cell()
    try:
        put_text(made, text)
    except PublishingError:
        return
    read = reread(made)
    stored = "" if read.value is None else str(read.value)
    assert re.sub("_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), stored) == text
    assert read.data_type not in ("f", "e")


@pytest.mark.parametrize("number", [0, -1.5, 0.1 + 0.2, 2**53, 1e300, np.float64(2.5), np.int64(7)])
def test_a_number_is_kept_as_a_float(cell: Cell, number: float) -> None:
    put_number(cell, number)
    assert type(cell.value) is float
    assert cell.value == number
    assert math.isclose(float(str(reread(cell).value)), number, rel_tol=1e-15)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 2**53 + 1, -(2**60), 1e308, True, "1", None, 1j])
def test_what_is_no_exact_number_is_refused(cell: Cell, number: float) -> None:
    with pytest.raises(PublishingError):
        put_number(cell, number)


def test_a_formula_is_live(cell: Cell) -> None:
    put_formula(cell, "=SUM(B1:B9)")
    assert (reread(cell).value, cell.data_type) == ("=SUM(B1:B9)", "f")


@pytest.mark.parametrize("formula", ["", "=", "= ", "1+1", "=1+\n1", "=1+\t1", "=A1&\x07", "=" + "1" * 8_192])
def test_what_is_no_formula_is_refused(cell: Cell, formula: str) -> None:
    with pytest.raises(PublishingError):
        put_formula(cell, formula)


def test_the_longest_formula_is_kept(cell: Cell) -> None:
    put_formula(cell, "=" + "1" * 8_191)
    assert len(str(cell.value)) == 8_192


@pytest.mark.parametrize("name", ["Cover", "Peak by batch", "x" * 31, "Größe", "O'Neil"])
def test_a_good_sheet_name_is_returned(name: str) -> None:
    assert valid_sheet_name(name, ["Inputs"]) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x" * 32,
        "😀" * 16,
        "a/b",
        "a\\b",
        "[a]",
        "a:b",
        "a*",
        "a?",
        "'a",
        "a'",
        " a",
        "History",
        "INPUTS",
        "a\nb",
        "a\x07",
    ],
)
def test_a_bad_sheet_name_is_refused(name: str) -> None:
    with pytest.raises(PublishingError):
        valid_sheet_name(name, ["Inputs"])


@pytest.mark.parametrize("name", ["in_hidden_size", "hw_A100", "out_peak_bytes", "_a", "capacity.bytes", "LLAMA3"])
def test_a_good_defined_name_is_returned(name: str) -> None:
    assert valid_defined_name(name, ["in_other"]) == name


@pytest.mark.parametrize(
    "name", ["A100", "H100", "B200", "GB200", "L40", "V100", "FP8", "TP8", "BF16", "INT8", "a1", "XFD1048576"]
)
def test_a_name_that_reads_as_a_cell_is_refused(name: str) -> None:
    with pytest.raises(PublishingError, match=f"hw_{name}"):
        valid_defined_name(name)


@pytest.mark.parametrize("name", ["R", "c", "RC", "R1C1", "r2", "C3", "RC5", "R1C"])
def test_a_name_that_reads_as_row_and_column_is_refused(name: str) -> None:
    with pytest.raises(PublishingError, match="address of a cell"):
        valid_defined_name(name)


@pytest.mark.parametrize("name", ["", "a b", "1a", "a-b", "=a", "x" * 256, "TRUE", "_xlnm.Print_Area", "in_OTHER", "ä"])
def test_a_bad_defined_name_is_refused(name: str) -> None:
    with pytest.raises(PublishingError):
        valid_defined_name(name, ["in_other"])
