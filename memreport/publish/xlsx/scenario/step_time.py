"""Where the seconds of a training step go: one row a variant, live, and the bars over it."""

from __future__ import annotations

from memreport.figures.time.step.parts import PARTS
from memreport.publish.xlsx.common.draft import FIRST, Draft
from memreport.publish.xlsx.sheet.book import Formula, Sheet, letter
from memreport.publish.xlsx.sheet.charts import Curve, Frame, stacked
from memreport.publish.xlsx.sheet.styles import HEADER, HEADER_NUMBER, HEADING, LABEL, format_of, number

TITLE = "Where the seconds of a step go"
ABOUT = "Stacked columns, one a variant, of the parts of its planned time per step; the table holds the values."
WHOLE = "step_seconds"
FIRST_PART = 3
CHART_ROWS = 19


def write_parts(draft: Draft, sheet: Sheet, row: int) -> int:
    """The table and its chart; the next free row."""
    titles, last = [*PARTS, "a step"], row + 1 + draft.count
    sheet.row(row, 1, [f"{TITLE} (s)", *[None] * (FIRST_PART + len(PARTS) - 1)], HEADING)
    sheet.row(row + 1, 1, ["Variant", None], HEADER)
    sheet.row(row + 1, FIRST_PART, titles, HEADER_NUMBER)
    for index in range(draft.count):
        _variant(draft, sheet, row + 2 + index, index)
    sheet.keep(row, last + 1 + CHART_ROWS)
    _chart(sheet, row + 2, last)
    return last + 2 + CHART_ROWS


def _variant(draft: Draft, sheet: Sheet, row: int, index: int) -> None:
    sheet.put(row, 1, draft.view.variants[index].name, LABEL)
    for column, name in enumerate([*(f"part_seconds.{part}" for part in PARTS), WHOLE], FIRST_PART):
        values = [draft.value(name, each) for each in range(draft.count)]
        place = f"Calculation!${letter(FIRST + index)}${draft.rows[name]}"
        sheet.put(row, column, Formula(place, values[index]), number(format_of("s", values)))


def _chart(sheet: Sheet, first: int, last: int) -> None:
    series = [
        Curve(sheet.address(first - 1, column), sheet.span(first, column, last, column))
        for column in range(FIRST_PART, FIRST_PART + len(PARTS))
    ]
    frame = Frame(TITLE, "Variant", "s", ABOUT, f"A{last + 2}", 34, 9.4)
    stacked(sheet, frame, sheet.span(first, 1, last, 1), series, None)
