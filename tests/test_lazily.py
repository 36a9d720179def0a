"""A sheet that is read when it is looked at holds what openpyxl reads of it at once."""

from __future__ import annotations

from typing import Any

from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from tests.lazily import lazily_read
from tests.publish.workbook_cases import shared_case


def told(sheet: Any) -> tuple[object, ...]:
    """What a sheet holds, and how it is printed, typed into and folded."""
    cells = {place: (one.value, one.data_type, one._style.tolist()) for place, one in sheet._cells.items()}
    links = [one.hyperlink.location for one in sheet._cells.values() if one.hyperlink]
    rows = {at: (row.height, row.hidden, row.outlineLevel) for at, row in sheet.row_dimensions.items()}
    widths = {at: column.width for at, column in sheet.column_dimensions.items()}
    printed = sheet.print_area, sheet.print_title_rows, vars(sheet.page_setup), sheet.oddFooter.left.text
    rules = [str(one.sqref) for one in sheet.data_validations.dataValidation]
    marks = [str(one.sqref) for one in sheet.conditional_formatting]
    return cells, links, rows, widths, str(printed), rules, marks, len(sheet._charts), sheet.freeze_panes


def test_a_sheet_is_the_same_whenever_it_is_read() -> None:
    _, path = shared_case("serving")
    for data_only in (False, True):
        found, expected = lazily_read(path, data_only=data_only), load_workbook(path, data_only=data_only)
        assert found.sheetnames == expected.sheetnames
        assert {type(one) for one in found.worksheets}.isdisjoint({Worksheet}), "nobody has looked at one"
        assert [told(one) for one in found.worksheets] == [told(one) for one in expected.worksheets]
        assert {type(one) for one in found.worksheets} == {Worksheet}
