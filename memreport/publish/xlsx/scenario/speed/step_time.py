"""Where the seconds of a training step go: one row a variant, live, and the bars over it."""

from __future__ import annotations

from collections.abc import Sequence

from memreport.figures.time.step.parts import PARTS
from memreport.publish.xlsx.common.draft import FIRST, Draft
from memreport.publish.xlsx.common.titles import CALCULATION
from memreport.publish.xlsx.sheet.book import Formula, Sheet, letter
from memreport.publish.xlsx.sheet.charts import Curve, Frame, stacked
from memreport.publish.xlsx.sheet.styles import HEADER, HEADER_NUMBER, HEADING, LABEL, aligned_format, number

TITLE = "Where the seconds of a step go"
ABOUT = "Stacked columns, one a variant, of the parts of its planned time per step; the table holds the values."
FIRST_PART = 3
CHART_ROWS = 19
Columns = dict[str, list[str]]
"""Lines that a column adds up, by its head."""


def write_parts(draft: Draft, sheet: Sheet, row: int) -> int:
    """The table and its chart; the next free row."""
    columns, last = _columns(draft), row + 1 + draft.count
    sheet.row(row, 1, [f"{TITLE} (s)", *[None] * (FIRST_PART + len(columns) - 2)], HEADING)
    sheet.row(row + 1, 1, ["Variant", None], HEADER)
    sheet.row(row + 1, FIRST_PART, list(columns), HEADER_NUMBER)
    for index in range(draft.count):
        _variant(draft, sheet, row + 2 + index, index, list(columns.values()))
    sheet.keep_together(row, last + 1 + CHART_ROWS)
    _chart(sheet, row + 2, last, len(columns) - 1)
    return last + 2 + CHART_ROWS


def _columns(draft: Draft) -> Columns:
    """A column a part; those that no variant has are one, as an input may come to need them."""
    lines = {part: f"part_seconds.{part}" for part in PARTS}
    used = {part: [name] for part, name in lines.items() if any(_values(draft, [name]))}
    rest = [name for part, name in lines.items() if part not in used]
    return {**used, **({"the rest": rest} if rest else {}), "a step": ["step_seconds"]}


def _values(draft: Draft, names: Sequence[str]) -> list[float]:
    return [sum(draft.value(name, index) for name in names) for index in range(draft.count)]


def _variant(draft: Draft, sheet: Sheet, row: int, index: int, columns: Sequence[Sequence[str]]) -> None:
    sheet.row(row, 1, [draft.view.variants[index].name, None], LABEL)
    look = number(aligned_format(_values(draft, columns[-1])))
    for column, names in enumerate(columns, FIRST_PART):
        values = _values(draft, names)
        places = "+".join(f"{CALCULATION}!${letter(FIRST + index)}${draft.rows[name]}" for name in names)
        sheet.put(row, column, Formula(places, values[index]), look)


def _chart(sheet: Sheet, first: int, last: int, parts: int) -> None:
    series = [
        Curve(sheet.address(first - 1, column), sheet.span(first, column, last, column))
        for column in range(FIRST_PART, FIRST_PART + parts)
    ]
    frame = Frame(TITLE, "Variant", "s", ABOUT, f"A{last + 2}", 34, 9.4)
    stacked(sheet, frame, sheet.span(first, 1, last, 1), series, None)
