"""A drop-down of variants on a sheet that shows one of them at a time, and the lines of the one that is picked."""

from __future__ import annotations

from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import FIRST, Draft
from memreport.publish.xlsx.common.titles import INPUTS
from memreport.publish.xlsx.sheet.book import Formula, Sheet
from memreport.publish.xlsx.sheet.styles import INPUT_WORD, LABEL, STRONG, number
from memreport.publish.xlsx.sheet.validation import list_rule

ROWS = 2
"""Rows that the choice takes: the drop-down, and the place that it picks."""


@frozen
class VariantChoice:
    """The choice at a row of a sheet; `shown` is the variant that is picked at build."""

    draft: Draft
    sheet: Sheet
    row: int
    shown: int

    def write(self) -> None:
        """The drop-down, and the place of the variant that it picks."""
        sheet = self.sheet
        sheet.row(self.row, 1, ["Variant shown (drop-down)"], STRONG)
        sheet.put(self.row, 2, self.draft.view.variants[self.shown].name, INPUT_WORD)
        rule = list_rule("list_variants", "Choose a variant; the sheet and its charts follow.")
        sheet.allow(rule, f"B{self.row}")
        sheet.put(self.row + 1, 1, "its place among the variants", LABEL)
        position = Formula(f"MATCH({self.name},list_variants,0)", float(self.shown + 1))
        sheet.put(self.row + 1, 2, position, number("0"))

    @classmethod
    def of_report(cls, draft: Draft, sheet: Sheet, row: int) -> VariantChoice:
        """The drop-down, written, with the variant of which the report shows speed and money."""
        made = cls(draft, sheet, row, draft.view.column_of(draft.report.chosen))
        made.write()
        return made

    @property
    def name(self) -> str:
        """The cell of the drop-down."""
        return f"$B${self.row}"

    @property
    def position(self) -> str:
        """The cell that holds the place of the picked variant, from 1."""
        return f"$B${self.row + 1}"

    def text(self, name: str) -> str:
        """Where a line of Calculation stands in the picked variant."""
        return f"INDEX({self.draft.calculated(name)},{self.position})"

    def picked(self, name: str) -> Formula:
        """A line of Calculation in the picked variant."""
        return Formula(self.text(name), self.draft.value(name, self.shown))

    def stands(self, name: str) -> str:
        """Where a line of Calculation, or an input that is only typed, stands in the picked variant."""
        return self.text(name) if name in self.draft.rows else self.typed(self.draft.inputs.rows[name])

    def typed(self, row: int) -> str:
        """Where a row of Inputs stands in the picked variant."""
        inputs = self.draft.book.sheets[INPUTS]
        return f"INDEX({inputs.span(row, FIRST, row, self.draft.last)},{self.position})"
