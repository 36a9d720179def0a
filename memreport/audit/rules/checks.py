"""Rules on the Checks sheet and on charts: what guards the workbook is itself whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import fromstring

from openpyxl.utils import get_column_letter
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from memreport.audit.findings import Finding
from memreport.audit.opening import Opened
from memreport.audit.recalculate import Values
from memreport.audit.rules.layouts import sheet_of
from memreport.publish.xlsx.common.draft import FIRST, NAME_COLUMN
from memreport.publish.xlsx.common.titles import CHECKS
from memreport.publish.xlsx.sheet.book import FIRST_ROW

FAILS = " fails"
MASTER = f"{get_column_letter(FIRST)}{FIRST_ROW}"
MASTER_FORMULA = re.compile(r"=SUM\((\$?[A-Z]+\$?\d+:\$?[A-Z]+\$?\d+)\)")
SHOWN_MASTER = re.compile(rf"Checks!\$?{MASTER[0]}\$?{MASTER[1:]}(?!\d)")
SCALED = re.compile(r">[^>]+\*MAX\(ABS\(")
"""A difference of two totals of a million may be 1e-10 in one program and 0 in another."""
ROUTES = ("A", "B")
DRAWING = "xl/drawings/drawing"
CHART_RANGE = re.compile(r"<(?:\w+:)?f>([^<]+)</(?:\w+:)?f>")


def check_findings(book: Opened, computed: Values) -> Iterator[Finding]:
    """Everything that is wrong with the checks."""
    if CHECKS not in book.formulas.sheetnames:
        return
    sheet = book.formulas[CHECKS]
    cells = (sheet.cell(row, NAME_COLUMN) for row in range(FIRST_ROW, sheet.max_row + 1))
    names = {str(cell.value): cell.row for cell in cells if cell.value}
    flags = {name.removesuffix(FAILS): row for name, row in names.items() if name.endswith(FAILS)}
    last = _last_column(sheet)
    yield from _master(sheet, flags, last)
    yield from _routes(sheet, names, flags)
    for name, row in flags.items():
        for column in range(FIRST, last + 1):
            place = f"{get_column_letter(column)}{row}"
            value = computed.get((CHECKS, place), book.value(CHECKS, place))
            if value not in (0, None, ""):
                yield Finding("check", CHECKS, place, f"{name}: {value}", "0, which passes")
    front = book.formulas.sheetnames[0]
    if not any(SHOWN_MASTER.search(str(cell.value)) for cell in book.cells[front] if cell.data_type == "f"):
        yield Finding("check", front, "", "no master check", f"Checks!{MASTER} in words")


def _last_column(sheet: Worksheet) -> int:
    filled = (cell.column for row in sheet.iter_rows(min_col=FIRST) for cell in row if cell.value is not None)
    return max(filled, default=FIRST)


def _master(sheet: Worksheet, flags: dict[str, int], last: int) -> Iterator[Finding]:
    """The master check counts every flag of every variant."""
    rows = flags.values()
    expected = f"=SUM({MASTER[0]}{min(rows, default=0)}:{get_column_letter(last)}{max(rows, default=0)})"
    found = MASTER_FORMULA.fullmatch(str(sheet[MASTER].value))
    if found:
        left, top, right, bottom = (int(part or 0) for part in range_boundaries(found[1].replace("$", "")))
        whole = left <= FIRST and right >= last and all(top <= row <= bottom for row in rows)
    if not found or not whole:
        yield Finding("check", CHECKS, MASTER, str(sheet[MASTER].value)[:80], expected)


def _routes(sheet: Worksheet, names: dict[str, int], flags: dict[str, int]) -> Iterator[Finding]:
    """A check has two routes, and a flag that compares them; routes without a flag are a check that was taken out."""
    routed = {name[:-2] for name in names if name[-2:] in (" A", " B")}
    for name in sorted(routed):
        missing = [route for route in ROUTES if f"{name} {route}" not in names]
        if name not in flags or missing:
            found = f"{name}: " + (f"no route {missing[0]}" if missing else "its routes are compared nowhere")
            yield Finding("check", CHECKS, "", found, "two routes and their comparison")
            continue
        text = str(sheet.cell(flags[name], FIRST).value)
        letter = get_column_letter(FIRST)
        if not all(re.search(rf"{letter}{names[f'{name} {route}']}(?!\d)", text) for route in ROUTES):
            yield Finding("check", CHECKS, f"{letter}{flags[name]}", text[:80], "a comparison of both routes")
        elif not SCALED.search(text):
            said = "in proportion to the routes: tolerance*MAX(ABS(a route),1)"
            yield Finding("check", CHECKS, f"{letter}{flags[name]}", text[:80], said)


def chart_findings(book: Opened) -> Iterator[Finding]:
    """Everything that is wrong with the charts."""
    for sheet in book.sheets:
        charts = sheet._charts  # type: ignore[attr-defined]  # noqa: SLF001  # openpyxl has no other way to ask
        built = book.record.sheets.get(sheet.title) if book.record else None
        if built is not None and built.charts != len(charts):
            yield Finding("chart", sheet.title, "", f"{len(charts)} charts", f"{built.charts}, as built")
        for chart in charts:
            if chart.title is None:
                yield Finding("chart", sheet.title, "", "a chart without a title", "a title")
            for name in ("x_axis", "y_axis"):
                axis = getattr(chart, name, None)
                if axis is None or axis.title is None or axis.delete:
                    yield Finding("chart", sheet.title, "", f"{name} without a title, or not shown", "a titled axis")
    yield from _described(book)


def descriptions_lost(book: Opened) -> int:
    """How many charts have lost their descriptions to the program that saved the workbook, which keeps none at all."""
    found = [text for name, data in book.parts.items() if _is_drawing(name) for text in _descriptions(data)]
    return 0 if any(text.strip() for text in found) else len(found)


def _is_drawing(name: str) -> bool:
    return name.startswith(DRAWING) and name.endswith(".xml")


def _descriptions(data: bytes) -> Iterator[str]:
    """What each chart of a drawing says to those who cannot see it."""
    for frame in fromstring(data).iter():  # noqa: S314  # it declares nothing, as opening it has made sure
        if frame.tag.rpartition("}")[2] == "graphicFrame":
            inner = (element for element in frame.iter() if element.tag.rpartition("}")[2] == "cNvPr")
            yield next((element.get("descr", "") for element in inner), "")


def _described(book: Opened) -> Iterator[Finding]:
    """Descriptions for those who cannot see: there, and without numbers, which would grow wrong."""
    lost = descriptions_lost(book)
    for name, data in book.parts.items():
        if _is_drawing(name) and not lost:
            for told in _descriptions(data):
                if not told.strip() or re.search(r"\d", told):
                    said = told[:80] or "no description"
                    yield Finding("chart", "", "", f"{name}: {said}", "a description without numbers")
        elif name.startswith("xl/charts/chart"):
            for span in CHART_RANGE.findall(data.decode("utf-8", "replace")):
                sheet = sheet_of(span.replace("&apos;", "'").replace("&amp;", "&"))
                if sheet and sheet not in book.formulas.sheetnames:
                    yield Finding("chart", "", "", f"{name} draws {span[:60]}", "a range of this workbook")
