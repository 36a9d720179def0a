"""The Summary's chart of memory in parts, and the numbers that it draws: bars that are far too long are cut."""

from __future__ import annotations

import math
from itertools import accumulate

from memreport.catalogue.quantities import GIB
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import MOST_DRAWN, Draft
from memreport.publish.xlsx.sheet.book import Formula, Sheet, letter
from memreport.publish.xlsx.sheet.charts import Curve, Frame, stacked
from memreport.publish.xlsx.sheet.styles import GIBIBYTES, HEADER, HEADER_NUMBER, HEADING, LABEL, number
from memreport.report.peak.parts import MOST_TIMES_CAPACITY, components

FIRST_PART = 3
BORDER = 0.3
"""Centimetres between the chart and the end of the paper, whatever the width of a letter."""
ABOUT = (
    "Stacked columns, one a variant, of the parts of its peak memory, and the usable capacity as a dashed line.  A "
    "column that is far too long is cut, and the peak stands beside its name; the table of parts holds the values."
)


@frozen
class MemoryChart:
    """The chart of the table of parts, whose variants stand from row `first` on, below their header."""

    draft: Draft
    sheet: Sheet
    first: int

    @property
    def parts(self) -> int:
        """How many parts there are; the usable capacity stands behind the last."""
        return len(components(self.draft.view))

    def drawn(self, row: int) -> int:
        """What the chart draws: the longest bar, and the parts up to there; the first variant's row."""
        sheet, titles = self.sheet, [component.title for component in components(self.draft.view)]
        sheet.row(row, 1, ["What the chart draws (GiB)", *[None] * (FIRST_PART + self.parts - 2)], HEADING)
        usable = self._column(FIRST_PART + self.parts)
        text = f"{self.draft.constants[MOST_DRAWN.name]}*MAX({usable})"
        sheet.put(row + 1, 2, "longest bar", LABEL)
        sheet.put(row + 1, FIRST_PART, Formula(text, self._most), number(GIBIBYTES))
        sheet.row(row + 2, 1, ["", "Variant"], HEADER)
        sheet.row(row + 2, FIRST_PART, titles, HEADER_NUMBER)
        for index in range(self.draft.count):
            self._bar(row + 3 + index, index, f"${letter(FIRST_PART)}${row + 1}")
        return row + 3

    def _column(self, column: int) -> str:
        """A column of the table of parts."""
        return f"${letter(column)}${self.first}:${letter(column)}${self.first + self.draft.count - 1}"

    @property
    def _most(self) -> float:
        return MOST_TIMES_CAPACITY * max(
            self.draft.value("usable_bytes", index) / GIB for index in range(self.draft.count)
        )

    def _bar(self, row: int, index: int, most: str) -> None:
        """One variant: its name, with the peak where the bar is cut, and what is left of each part."""
        sheet, source = self.sheet, self.first + index
        values = [component.value(self.draft.view, index) / GIB for component in components(self.draft.view)]
        begins = [0.0, *accumulate(values)]
        whole = f"SUM(${letter(FIRST_PART)}{source}:${letter(FIRST_PART + self.parts - 1)}{source})"
        name = self.draft.view.variants[index].name
        cut = f" (cut, {math.floor(begins[-1] + 0.5)} GiB)" if begins[-1] > self._most else ""
        text = f'$B{source}&IF({whole}>{most}," (cut, "&ROUND({whole},0)&" GiB)","")'
        sheet.put(row, 2, Formula(text, name + cut), LABEL)
        for column, (value, begin) in enumerate(zip(values, begins, strict=False), FIRST_PART):
            before = f"SUM($B{source}:{letter(column - 1)}{source})"
            left = Formula(
                f"MAX(0,MIN({letter(column)}{source},{most}-{before}))", max(0.0, min(value, self._most - begin))
            )
            sheet.put(row, column, left, number(GIBIBYTES))

    def chart(self, row: int, drawn: int, columns: int) -> None:
        """The chart itself, from the second column to the last of those that are printed."""
        sheet, last = self.sheet, drawn + self.draft.count - 1
        series = [
            Curve(sheet.address(drawn - 1, column), sheet.span(drawn, column, last, column))
            for column in range(FIRST_PART, FIRST_PART + self.parts)
        ]
        usable = FIRST_PART + self.parts
        end = self.first + self.draft.count - 1
        limit = Curve(sheet.address(self.first - 1, usable), sheet.span(self.first, usable, end, usable))
        width = sheet.centimetres(2, columns) - BORDER
        frame = Frame("Memory of one GPU", "Variant", "GiB", ABOUT, f"B{row}", width, 11.5)
        stacked(sheet, frame, sheet.span(drawn, 2, last, 2), series, limit)
