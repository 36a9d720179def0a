"""The Plan sheet: ways out, the best of the search and what moves the answer, as values at build.

A search is no formula: `memreport plan` makes it again for other inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memreport.publish.shown import Amount
from memreport.publish.view import GIB
from memreport.publish.ways_shown import Arranged, Sensitivity, Steps, SwingShown, Ways, WaysOut
from memreport.publish.workbook.book import FIRST_ROW, Content, Sheet, head
from memreport.publish.workbook.draft import Draft
from memreport.publish.workbook.marks import mark_words
from memreport.publish.workbook.styles import (
    GIBIBYTES,
    HEADER,
    HEADER_NUMBER,
    HEADING,
    LABEL,
    MONEY,
    NOTE,
    STRONG,
    TEXT_BARE,
    WORD,
    Style,
    format_of,
    given,
)

SUBTITLE = (
    "Values at build; recompute with memreport plan, because a search is not a formula.  All of the first variant."
)
WIDTHS = (60, *([15] * 8), 30, 66)
NUMBERS, SAYS, NOTES = 2, 10, 11
"""Columns of numbers, of words about them, and of what stands behind them."""
BUDGET = ("Peak (GiB)", "Free (GiB)", "Step (s)")
WAY = ("Free (GiB)", "Step (s)", "Cost (USD)")
ARRANGED = (
    "Sequences each", "At most", "Longest context", "Free (GiB)", "Token (s)", "First token (s)", "Tokens/s",
)  # fmt: skip
SWING = (
    "Low end", "High end", "Free (GiB), low", "Free, high", "Step (s), low", "Step, high", "Cost (USD), low",
    "Cost, high",
)  # fmt: skip
Cell = tuple[Content, Style]
NO_CELL: Cell = (None, LABEL)


@dataclass
class _Writer:
    """Writes line after line."""

    sheet: Sheet
    row: int = FIRST_ROW

    def heading(self, title: str) -> None:
        """A heading after a gap."""
        self.row += self.row > FIRST_ROW
        self.sheet.row(self.row, 1, [title, *[None] * (len(WIDTHS) - 1)], HEADING)
        self.row += 1

    def header(self, first: str, numbers: Sequence[str], says: str, notes: str = "") -> None:
        """Titles of the columns."""
        self.sheet.put(self.row, 1, first, HEADER)
        self.sheet.row(self.row, NUMBERS, [*numbers, *[None] * (SAYS - NUMBERS - len(numbers))], HEADER_NUMBER)
        self.sheet.row(self.row, SAYS, [says or None, notes or None], HEADER)
        self.row += 1

    def line(self, title: str, cells: Iterable[Cell], says: str, notes: str = "") -> None:
        """One line: words, numbers, words."""
        self.sheet.put(self.row, 1, title, LABEL)
        for column, (content, style) in enumerate(cells, NUMBERS):
            self.sheet.put(self.row, column, content, style)
        self.sheet.row(self.row, SAYS, [says or None, notes or None], NOTE)
        self.row += 1

    def sentence(self, text: str, style: Style = STRONG) -> None:
        """A sentence in the first column."""
        if text:
            self.sheet.put(self.row, 1, text, style)
            self.row += 1


def write(draft: Draft, sheet: Sheet) -> None:
    """Checklist, decision tree, single changes, search, arrangements and sensitivity, as far as the report has them."""
    sheet.widths(*WIDTHS)
    head(sheet, "Plan", SUBTITLE)
    writer = _Writer(sheet)
    if draft.report.plan:
        _plan(writer, draft.report.plan)
    if draft.report.tornado:
        _sensitivity(writer, draft.report.tornado)
    mark_words(sheet, f"J{FIRST_ROW}:J{writer.row}")
    sheet.worksheet.freeze_panes = f"B{FIRST_ROW}"


def _plan(writer: _Writer, made: WaysOut) -> None:
    writer.sentence(f"{made.variant}, as given: {made.given}", TEXT_BARE)
    for steps in (made.checklist, made.tree, made.alone):
        if steps:
            _steps(writer, steps)
    if made.arrangements:
        _arrangements(writer, made.arrangements)
    writer.sentence(made.serving)
    if made.ways:
        writer.heading("Search of what may be combined")
        writer.sentence(made.counts, TEXT_BARE)
        writer.sentence(made.cost_words, TEXT_BARE)
    for ways in made.ways:
        _ways(writer, ways)


def _steps(writer: _Writer, steps: Steps) -> None:
    writer.heading(steps.title)
    writer.header("Step", BUDGET, "Then")
    for one in steps.rows:
        writer.line(one.title, map(_cell, (one.peak, one.headroom, one.seconds)), one.says)
    writer.sentence(steps.sentence)


def _ways(writer: _Writer, ways: Ways) -> None:
    writer.heading(ways.title)
    writer.header("Changes", WAY, "Price used", "The same as a variant of the scenario")
    for one in ways.rows:
        writer.line(one.changes, map(_cell, (one.headroom, one.seconds, one.cost)), one.price, one.variant)


def _arrangements(writer: _Writer, rows: Sequence[Arranged]) -> None:
    writer.heading("Replicas × accelerators of each")
    writer.header("Arrangement", ARRANGED, "Then")
    for one in rows:
        amounts = (one.each, one.most_each, one.longest_context, one.headroom)
        speeds = (one.token_seconds, one.first_token_seconds, one.tokens_per_second)
        writer.line(one.title, map(_cell, (*amounts, *speeds)), one.word)


def _sensitivity(writer: _Writer, made: Sensitivity) -> None:
    writer.heading("Sensitivity: one input at a time at its low and high end")
    writer.header("Input", SWING, "Verdict", "Why this range")
    planned = [_cell(one) for one in (made.headroom, made.seconds, made.cost)]
    writer.line("as planned", [NO_CELL, NO_CELL, *(cell for one in planned for cell in (one, NO_CELL))], "")
    for one in made.swings:
        writer.line(one.title, _swing(one), "changes" if one.changes_verdict else "stays", one.why)


def _swing(one: SwingShown) -> list[Cell]:
    ends = [*one.headroom, *one.seconds, *(one.cost or (None, None))]
    return [(one.low.text, WORD), (one.high.text, WORD), *map(_cell, ends)]


def _cell(one: Amount | None) -> Cell:
    if one is None:
        return NO_CELL
    if one.unit == "byte":
        return one.value / GIB, given(GIBIBYTES)
    return one.value, given(MONEY if one.unit == "USD" else format_of(one.unit, [one.value]))
