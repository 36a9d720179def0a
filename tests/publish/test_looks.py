"""What a reader sees on the sheets: numbers have room in their columns, print is readable, charts are whole."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from operator import eq, ge, gt, lt
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.worksheet.worksheet import Worksheet
from pypdfium2 import PdfDocument

from memreport.publish.xlsx.sheet.paper import breaks
from memreport.publish.xlsx.sheet.styles import DECIMAL, IN_GIGA, IN_MEGA, PLAIN, format_of
from tests.built import IDS, KNOWN, published_files
from tests.part import part
from tests.publish.workbook_cases import cached, case, opened, saved

USUAL_WIDTH = 8.43  # characters of a column whose width is not set
POINTS = 5.25  # of a character of a column's width
SIDES = {"landscape": (297, 210), "portrait": (210, 297)}  # millimetres of A4, across and down
SMALLEST = 6.5  # points of the smallest letters on paper
MOST_VARIANTS = 12  # that one page takes side by side
FEWEST_ROWS = 4  # of a last page
WIDEST = "llama3-70b-8xa100"  # of the books, by its variants
LONGEST_NUMBER = 15  # characters that the column of a variant has room for
EMU = 12700  # drawing units of a point
NARROW = {",": 3, ".": 3, " ": 3, "-": 4, "/": 5, "s": 5}  # dots of letters that are not as wide as a digit, 7


HOLDS = {"<": lt, "=": eq, ">": gt, ">=": ge}


def shown(number: float, shown_as: str) -> str:
    """A number as its format shows it; a general one takes the room that it finds."""
    part = next(one for one in shown_as.split(";") if applies(number, one)).rpartition("]")[2]
    places = part.partition(".")[2].partition("E")[0]
    if part == "General":
        return ""
    if "E" in part:
        return f"{number:.{places.count('0')}E}"
    part, left_out, unit = next(iter(re.findall(r"^(.*?)(,{2,})(.*)$", part)), (part, "", ""))
    number *= 100 if "%" in part else 1000.0 ** -len(left_out)
    text = f"{number:,.{places.count('0') + places.count('#')}f}"
    text = text[: len(text) - places.count("#")] + text[len(text) - places.count("#") :].rstrip("0")
    return text + "%" * ("%" in part) + unit.replace('"', "")


def applies(number: float, part: str) -> bool:
    """Whether a part of a format is for this number."""
    condition = re.match(r"\[([<=>]+)(\d+)\]", part)
    return condition is None or HOLDS[condition[1]](number, float(condition[2]))


@pytest.mark.parametrize(
    ("number", "shown_as", "text"),
    [
        (1234.5, "#,##0.00", "1,234.50"),
        (0.125, "0.0%", "12.5%"),
        (1.5e12, "0.000E+00", "1.500E+12"),
        (7, "0", "7"),
        (7.6992481, DECIMAL, "7.69925"),
        (0.5, DECIMAL, "0.500"),
        (1234.5, DECIMAL, "1,234"),
        (0, DECIMAL, "0.000"),
        (2048.3, PLAIN, "2,048"),
        (3e13, PLAIN, "3.00000E+13"),
        (107.3741824, PLAIN, ""),
        (1_445_566_276_608, IN_GIGA["byte"], "1,445.566 GB"),
        (2.039e12, IN_GIGA["byte/s"], "2,039.000 GB/s"),
        (-411_041_792, IN_MEGA["byte"], "-411.042 MB"),
        (9.894e14, format_of("FLOP/s", [9.894e14]), "989.4 T"),
        (1.979e15, format_of("FLOP/s", [6.7e13, 1.979e15]), "1,979 T"),
        (7.89e16, format_of("FLOP/s", [7.89e16]), "78.9 P"),
        (9e6, format_of("FLOP/s", [9e6]), "9.000E+06"),
        (4646.36, format_of("USD", [4646.36]), "4,646"),
        (359.01, format_of("USD", [4646.36]), "359.01"),
    ],
)
def test_a_number_is_shown_by_its_format(number: float, shown_as: str, text: str) -> None:
    assert shown(number, shown_as) == text


@pytest.mark.parametrize(
    ("unit", "values"),
    [("byte", [-5e9, 1e9]), ("byte", [-5e11, 2]), ("", [-0.5, 3]), ("", [-3, 5000]), ("", [-1e12]), ("USD", [-1])],
)
def test_what_is_below_zero_keeps_its_sign(unit: str, values: list[float]) -> None:
    """LibreOffice drops the sign in the second and third part of a format, others may in the first."""
    assert ";" not in format_of(unit, values)
    assert len(shown(min(values), format_of(unit, values))) <= LONGEST_NUMBER


def printed(sheet: Worksheet) -> tuple[int, int, int, int]:
    """First column and row, last column and row of what is printed."""
    area = sheet.print_area.rpartition("!")[2] if sheet.print_area else sheet.dimensions
    left, top, right, bottom = range_boundaries(area)
    return int(left or 1), int(top or 1), int(right or 1), int(bottom or 1)


def width_of(sheet: Worksheet, first: int, last: int) -> float:
    """The width of neighbouring columns, in points."""
    return POINTS * sum(sheet.column_dimensions[get_column_letter(at)].width for at in range(first, last + 1))


def misprinted(sheet: Worksheet, variants: int) -> Iterator[str]:
    """What is wider than one page, too small to read, or cut by the end of a page."""
    left, top, right, bottom = printed(sheet)
    charts = [one.anchor for one in sheet._charts]  # type: ignore[attr-defined]  # openpyxl has no other list of them
    ends = [width_of(sheet, left, anchor._from.col) + anchor.ext.width / EMU for anchor in charts]
    fit = sheet.sheet_properties.pageSetUpPr
    if variants <= MOST_VARIANTS and (fit is None or not fit.fitToPage or sheet.page_setup.fitToWidth != 1):
        yield "takes several pages side by side"
    side, long = SIDES[sheet.page_setup.orientation or ""]
    page = (side / 25.4 - 0.5) * 72
    letters = min(cell.font.size for row in sheet.iter_rows(top, bottom, left, right) for cell in row if cell.value)
    across = max(width_of(sheet, left, right), *ends, 1.0) if fit is not None and fit.fitToPage else 0.0
    points = letters * min(1.0, page / across if across else (sheet.page_setup.scale or 0) / 100)
    rows = [sheet.row_dimensions[at] for at in range(top, bottom + 1)]
    heights = [row.height or sheet.sheet_format.defaultRowHeight for row in rows if not row.hidden]
    if sheet.page_setup.fitToHeight == 1:
        margins = sheet.page_margins.top + sheet.page_margins.bottom
        points = min(points, letters * (long / 25.4 - margins) * 72 / sum(heights))
    if points < SMALLEST:
        yield f"prints at {points:.1f} points"
    yield from cut(sheet, bottom)


def cut(sheet: Worksheet, bottom: int) -> Iterator[str]:
    """Charts that the end of a page cuts, and rows that are left over on a page of their own."""
    ends = [one.id for one in sheet.row_breaks.brk]
    for chart in sheet._charts:  # type: ignore[attr-defined]  # as above
        rows = int(chart.anchor.ext.height / EMU / sheet.sheet_format.defaultRowHeight)
        if any(end - chart.anchor._from.row in range(1, rows) for end in ends):
            yield "a page ends inside a chart"
        if chart.anchor._from.row < bottom < chart.anchor._from.row + rows:  # one below it is for the screen
            yield "a chart ends below what is printed"
    if ends and bottom - ends[-1] < FEWEST_ROWS:
        yield f"{bottom - ends[-1]} rows are left over"


def pixels(text: str) -> float:
    """Room of a number on a screen of 96 dots an inch, in letters of 10 points, with what is kept free beside it."""
    return 4 + sum(NARROW.get(letter, 9 if letter.isupper() else 7) for letter in text)


@pytest.mark.parametrize("name", part(IDS, 2))
def test_numbers_have_room_and_pages_are_readable(name: str) -> None:
    path = published_files(name).workbook
    book, seen = opened(path), cached(path)
    variants = len(KNOWN[name].resolved.variants)
    assert not [
        f"{sheet.title}: {fault}" for sheet in book.worksheets for fault in misprinted(sheet, variants) if fault
    ]
    tight = []
    for sheet in book.worksheets:
        widths = {letter: column.width for letter, column in sheet.column_dimensions.items()}
        for cell in (cell for row in sheet.iter_rows() for cell in row):
            room = widths.get(get_column_letter(cell.column or 1), USUAL_WIDTH)
            value = seen.get((sheet.title, cell.coordinate), cell.value)
            if isinstance(value, int | float) and cell.number_format != "General":
                text = shown(float(value), cell.number_format)
                tight += [f"{sheet.title}!{cell.coordinate}: {text}"] if pixels(text) > 7 * room else []
    assert not tight


MANY = ", ".join(f"v{at}: {{training.micro_batch_size: {at}}}" for at in range(1, MOST_VARIANTS + 2))
WIDE = """
  - {title: Peak, figure: peak_bytes, rows: {training.sequence_length: [512, 4096]},
     columns: {training.micro_batch_size: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}"""


def test_more_variants_than_a_page_takes_and_wide_tables_stay_readable(tmp_path: Path) -> None:
    """Variants go on beside the first page, with the words of each line repeated; a wide grid stands over its chart."""
    book = opened(saved(case(tmp_path, "training", variants=f"{{{MANY}}}", tables=WIDE), tmp_path))
    faults = [f"{sheet.title}: {fault}" for sheet in book.worksheets for fault in misprinted(sheet, MOST_VARIANTS + 1)]
    assert not faults
    assert book["Inputs"].print_title_cols == book["Calculation"].print_title_cols == "$B:$C"
    table = book["Table 1 Peak memory"]
    (chart,) = table._charts  # type: ignore[attr-defined]  # as above
    assert (chart.anchor._from.col + 1, chart.anchor._from.row) == (printed(table)[0], 14)


@pytest.mark.skipif(
    shutil.which("soffice") is None and os.environ.get("CI") != "true", reason="LibreOffice is not installed"
)
def test_libreoffice_prints_the_pages_that_are_planned(tmp_path: Path) -> None:
    """Of the widest book: a sheet of two pages side by side would take twice as many; and every number has room."""
    path = published_files(WIDEST).workbook
    options = [f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}", "--headless", "--convert-to", "pdf"]
    subprocess.run(["soffice", *options, "--outdir", tmp_path, path], check=True, capture_output=True, timeout=300)
    texts = [page.get_textpage().get_text_range() for page in PdfDocument(tmp_path / f"{path.stem}.pdf")]
    feet = [re.search(rf"{WIDEST}, version \d+, \w{{12}}, memreport \S+ (.+), page \d+ of \d+", text) for text in texts]
    taken = Counter(foot[1] for foot in feet if foot)
    sheets = load_workbook(path).worksheets
    assert list(taken) == [sheet.title for sheet in sheets]
    assert taken == {sheet.title: 1 + len(sheet.row_breaks.brk) for sheet in sheets}
    assert not [text for text in texts if "###" in text]
    assert taken.total() == len(texts)


@pytest.mark.parametrize(
    ("blocks", "ends"),
    [
        ([], [48]),
        ([(40, 60)], [39, 82]),
        ([(49, 52), (53, 60)], [48]),
        ([(45, 47), (50, 60)], [48]),
        ([(46, 49), (50, 60)], [45]),
        ([(1, 90)], [48]),
    ],
    ids=[
        "none",
        "one that would be cut, and three rows left over",
        "two on the next page",
        "one just after a full page",
        "one at its end",
        "longer than a page",
    ],
)
def test_pages_end_between_what_is_kept_together(blocks: list[tuple[int, int]], ends: list[int]) -> None:
    assert breaks(blocks, {}, (1, 90), 48 * 15.0, 0.0) == ends
