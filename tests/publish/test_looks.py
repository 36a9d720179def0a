"""What a reader sees on the sheets: numbers have room in their columns, print is readable, charts are whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import eq, gt, lt

import pytest
from openpyxl import load_workbook
from openpyxl.utils import column_index_from_string, get_column_letter, range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from memreport.publish.workbook.paper import breaks
from tests.built import IDS, published_files

USUAL_WIDTH = 8.43  # characters of a column whose width is not set
POINTS = 5.25  # of a character of a column's width
ACROSS = (297 / 25.4 - 0.8) * 72  # points of landscape A4 between the margins
SMALLEST = 0.69
EMU = 12700  # drawing units of a point


HOLDS = {"<": lt, "=": eq, ">": gt}


def shown(number: float, shown_as: str) -> str:
    """A number as its format shows it; a general one takes the room that it finds."""
    part = next(one for one in shown_as.split(";") if applies(number, one)).rpartition("]")[2]
    places = part.partition(".")[2].partition("E")[0]
    if part == "General":
        return ""
    if "E" in part:
        return f"{number:.{places.count('0')}E}"
    text = f"{number * (100 if '%' in part else 1):,.{places.count('0') + places.count('#')}f}"
    text = text[: len(text) - places.count("#")] + text[len(text) - places.count("#") :].rstrip("0")
    return text + "%" * ("%" in part) + "$" * ("$" in part)


def applies(number: float, part: str) -> bool:
    """Whether a part of a format is for this number."""
    condition = re.match(r"\[([<=>])(\d+)\]", part)
    return condition is None or HOLDS[condition[1]](number, float(condition[2]))


@pytest.mark.parametrize(
    ("number", "shown_as", "text"),
    [
        (1234.5, "#,##0.00", "1,234.50"),
        (0.125, "0.0%", "12.5%"),
        (1.5e12, "0.000E+00", "1.500E+12"),
        (7, "0", "7"),
        (7.6992481, "[=0]0;[<1000]0.000##;#,##0", "7.69925"),
        (0.5, "[=0]0;[<1000]0.000##;#,##0", "0.500"),
        (2048.3, "[<1000]General;#,##0", "2,048"),
        (0, "[=0]0;0.0", "0"),
        (107.3741824, "[<1000]General;#,##0", ""),
    ],
)
def test_a_number_is_shown_by_its_format(number: float, shown_as: str, text: str) -> None:
    assert shown(number, shown_as) == text


def right_of(sheet: Worksheet, last: int) -> float:
    """Where a column ends, in points."""
    return POINTS * sum(sheet.column_dimensions[get_column_letter(at)].width for at in range(1, last + 1))


def scale_of(sheet: Worksheet, ends: list[float]) -> float:
    """How large a sheet prints: as it states, or as its printed columns and charts, which have ends, fit one page."""
    fit = sheet.sheet_properties.pageSetUpPr
    if fit is None or not fit.fitToPage:
        return float(sheet.page_setup.scale or 0) / 100
    assert sheet.page_setup.fitToWidth == 1
    printed = range_boundaries(sheet.print_area.rpartition("!")[2])[2] if sheet.print_area else None
    return min(1.0, ACROSS / max(right_of(sheet, printed or sheet.max_column), *ends, 1.0))


def misprinted(sheet: Worksheet) -> Iterator[str]:
    """What is too small to read, and charts that pages cut or repeat."""
    charts = [one.anchor for one in sheet._charts]  # type: ignore[attr-defined]  # openpyxl has no other list of them
    ends = [right_of(sheet, anchor._from.col) + anchor.ext.width / EMU for anchor in charts]
    scale = scale_of(sheet, ends)
    if scale < SMALLEST:
        yield f"prints at {scale:.0%}"
    if any(end * scale > ACROSS + 0.01 for end in ends):
        yield "a chart is wider than the page"
    repeated = column_index_from_string(sheet.print_title_cols.rpartition("$")[2]) if sheet.print_title_cols else 0
    if any(anchor._from.col < repeated for anchor in charts):
        yield "a chart lies on columns that are repeated"
    for anchor in charts:
        rows = int(anchor.ext.height / EMU / sheet.sheet_format.defaultRowHeight)
        if any(one.id - anchor._from.row in range(1, rows) for one in sheet.row_breaks.brk):
            yield "a page ends inside a chart"


@pytest.mark.parametrize("name", IDS)
def test_numbers_have_room_and_pages_are_readable(name: str) -> None:
    book = load_workbook(published_files(name).workbook, data_only=True)
    assert not [f"{sheet.title}: {fault}" for sheet in book.worksheets for fault in misprinted(sheet)]
    tight = []
    for sheet in book.worksheets:
        widths = {letter: column.width for letter, column in sheet.column_dimensions.items()}
        for cell in (cell for row in sheet.iter_rows() for cell in row):
            room = widths.get(get_column_letter(cell.column or 1), USUAL_WIDTH)
            if isinstance(cell.value, int | float) and cell.number_format != "General":
                text = shown(float(cell.value), cell.number_format)
                tight += [f"{sheet.title}!{cell.coordinate}: {text}"] if len(text) > room else []
    assert not tight


@pytest.mark.parametrize(
    ("blocks", "ends"),
    [
        ([], []),
        ([(40, 60)], [39]),
        ([(49, 52), (53, 60)], [48]),
        ([(45, 47), (50, 60)], [49]),
        ([(1, 90)], []),
    ],
    ids=["none", "one that would be cut", "two on the next page", "one just after a full page", "longer than a page"],
)
def test_pages_end_between_what_is_kept_together(blocks: list[tuple[int, int]], ends: list[int]) -> None:
    assert breaks(blocks, {}, 90, 0.7, 0.0) == ends
