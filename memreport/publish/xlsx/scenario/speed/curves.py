"""The sheet "Load": tokens per second against time per token, and cost against load, as values at build with charts."""

from __future__ import annotations

from memreport.publish.xlsx.common.draft import Draft
from memreport.publish.xlsx.common.titles import LOAD
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Sheet, head
from memreport.publish.xlsx.sheet.charts import Curve, Frame, crossing
from memreport.publish.xlsx.sheet.styles import HEADER, HEADER_NUMBER, HEADING, LABEL, TEXT_BARE, number
from memreport.report.records.speed import ReportCurve

SUBTITLE = "Values at build of the variant that the budget is about; each point is computed as a variant of its own."
WIDTHS = (26, 22, 24, 18, 3)
BESIDE, LAST_COLUMN, CHART_ROWS = "F", "P", 22
"""The columns at which the charts begin and end, and the rows that one takes."""


def write(draft: Draft, sheet: Sheet) -> None:
    """A table and a chart for every curve."""
    sheet.widths(*WIDTHS)
    head(sheet, LOAD, SUBTITLE)
    row = FIRST_ROW
    for made in draft.report.speed.curves:
        _curve(sheet, made, row)
        row += max(len(made.points) + 5, CHART_ROWS)
    sheet.worksheet.print_area = f"A1:{LAST_COLUMN}{row}"


def _curve(sheet: Sheet, made: ReportCurve, row: int) -> None:
    sheet.row(row, 1, [made.title, None, None, None], HEADING)
    sheet.row(row + 1, 1, [made.sentence], TEXT_BARE)
    sheet.row(row + 2, 1, [f"{made.varied_title[:1].upper()}{made.varied_title[1:]}"], HEADER)
    sheet.row(row + 2, 2, [made.across_title, made.up_title, "Planned"], HEADER_NUMBER)
    first = row + 3
    for index, point in enumerate(made.points):
        sheet.put(first + index, 1, point.label, LABEL)
        sheet.put(first + index, 2, point.across / made.scales[0], number("#,##0.00"))
        sheet.put(first + index, 3, point.up / made.scales[1], number("#,##0.0"))
        planned = point.up / made.scales[1] if index == made.planned else None
        sheet.put(first + index, 4, planned, number("#,##0.0"))
    _chart(sheet, made, row, first)


def _chart(sheet: Sheet, made: ReportCurve, row: int, first: int) -> None:
    """The curve, and what is planned as a mark of its own."""
    last = first + len(made.points) - 1
    line = Curve(sheet.address(row + 2, 3), sheet.span(first, 3, last, 3), sheet.span(first, 2, last, 2))
    index = first + max(made.planned, 0)
    mark = Curve(sheet.address(row + 2, 4), sheet.span(index, 4, index, 4), sheet.span(index, 2, index, 2))
    described = f"{made.title}: {made.up_title} over {made.across_title}; the table beside it holds the points."
    frame = Frame(made.title, made.across_title, made.up_title, described, f"{BESIDE}{row}", 18.0, 9.5)
    crossing(sheet, frame, [line], mark)
