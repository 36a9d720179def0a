"""The Options sheet: how to make the job fit and the best of the search, as values at build.

A search is no formula: `memreport plan` makes it again for other inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memreport.catalogue.quantities import GIB
from memreport.publish.xlsx.common.draft import Draft
from memreport.publish.xlsx.common.titles import OPTIONS
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Content, Sheet, head, letter, paragraph
from memreport.publish.xlsx.sheet.marks import mark_words
from memreport.publish.xlsx.sheet.styles import (
    GIBIBYTES,
    HEADER,
    HEADER_NUMBER,
    LABEL,
    NOTE,
    PAID,
    TEXT_BARE,
    Style,
    format_of,
    given,
    time_format,
)
from memreport.report.records.advice import PlanShown, Ranking, ReplicaLayout, SearchShown, Steps
from memreport.report.records.amounts import Amount

SUBTITLE = (
    "Values at build; recompute with memreport plan, because a search is not a formula.  All of the first variant.  "
    "What moves the answer stands on Sensitivity, live."
)
WIDTHS = (54, 33, 14.5, 14.5, 14.5, 14.5, 67)
NUMBERS, NOTES = 3, 7
"""Columns of numbers, and of what stands behind them; words about them stand in front."""
STEP = "Time per step (s)"
BUDGET = ("Peak (GiB)", "Free (GiB)", STEP)
WAY = ("Equals", "Free (GiB)", STEP, "Cost (USD)")
ARRANGED = ("Tokens/s", "Free (GiB)", "Token (s)", "First token (s)")
LINE = 215  # characters of a bold sentence across the columns
SENTENCE = Style(bold=True, ruled=False)
Cell = tuple[Content, Style]
NOTES_HEADER, BEHIND = replace(HEADER, indent=1), replace(NOTE, indent=1)
NO_CELL: Cell = (None, LABEL)


@dataclass
class _Writer:
    """Writes line after line."""

    sheet: Sheet
    row: int = FIRST_ROW
    printed: int = 0
    """The last row that is printed: that of the first list of the search."""

    def heading(self, title: str) -> None:
        """A heading after a gap."""
        self.row += self.row > FIRST_ROW
        self.sheet.band(self.row, title, len(WIDTHS))
        self.sheet.keep_together(self.row, self.row + 2)
        self.row += 1

    def header(self, first: str, says: str, numbers: Sequence[str | None], notes: str = "") -> None:
        """Titles of the columns."""
        self.sheet.row(self.row, 1, [first, says or None], HEADER)
        self.sheet.row(self.row, NUMBERS, numbers, HEADER_NUMBER)
        if notes:
            self.sheet.put(self.row, NOTES, notes, NOTES_HEADER)
        self.row += 1

    def line(self, title: str, says: str, cells: Iterable[Cell], notes: str = "") -> None:
        """One line: words, numbers, words."""
        self.sheet.row(self.row, 1, [title, says or None], LABEL)
        for column, (content, style) in enumerate(cells, NUMBERS):
            self.sheet.put(self.row, column, content, style)
        if notes:
            self.sheet.put(self.row, NOTES, notes, BEHIND)
        self.row += 1

    def sentence(self, text: str, style: Style = SENTENCE) -> None:
        """A sentence over the width of the sheet."""
        if text:
            self.row = paragraph(self.sheet, self.row, 1, text, style, LINE)


def write(draft: Draft, sheet: Sheet) -> None:
    """Checklist, decision tree, single changes, search and arrangements, as far as the report has them."""
    sheet.widths(*WIDTHS)
    head(sheet, OPTIONS, SUBTITLE)
    writer = _Writer(sheet)
    if draft.report.plan:
        _plan(writer, draft.report.plan)
    mark_words(sheet, f"B{FIRST_ROW}:B{writer.row}")
    sheet.worksheet.print_area = f"A1:{letter(NOTES)}{writer.printed or writer.row - 1}"
    sheet.worksheet.freeze_panes = f"B{FIRST_ROW}"


def _plan(writer: _Writer, made: PlanShown) -> None:
    writer.sentence(f"{made.variant}, as given: {made.given} {made.spread}", TEXT_BARE)
    for steps in (made.checklist, made.tree, made.alone):
        if steps:
            _steps(writer, steps)
    if made.serving:
        if made.serving.arrangements:
            _arrangements(writer, made.serving.arrangements)
        writer.sentence(made.serving.words)
    if made.search and made.search.rankings:
        _search(writer, made.search, made.step_title)


def _search(writer: _Writer, made: SearchShown, step_title: str) -> None:
    writer.heading("Search of what may be combined")
    for sentence in (made.counts, made.cost_words, made.rule):
        writer.sentence(sentence, TEXT_BARE)
    for ways in made.rankings:
        _ways(writer, ways, step_title)
        writer.printed = writer.printed or writer.row - 1


def _steps(writer: _Writer, steps: Steps) -> None:
    top = writer.row + 1
    writer.heading(steps.title)
    writer.header("Step", "Then", BUDGET)
    for row in steps.rows:
        writer.line(row.title, row.says, map(_cell, (row.peak, row.headroom, row.seconds)))
    writer.sentence(steps.sentence)
    writer.sheet.keep_together(top, writer.row - 1)


def _ways(writer: _Writer, ways: Ranking, step: str) -> None:
    top = writer.row + 1
    writer.heading(ways.title)
    titles = [f"{step} (s)" if title == STEP else title for title in WAY]
    writer.header("Changes", "Price used", titles, "The same as a variant of the scenario")
    for row in ways.rows:
        amounts = map(_cell, (row.equals, row.headroom, row.seconds, row.cost))
        writer.line(row.changes, f"{row.price}; rates {row.evidence}", amounts, row.variant)
    writer.sheet.keep_together(top, writer.row - 1)


def _arrangements(writer: _Writer, rows: Sequence[ReplicaLayout]) -> None:
    writer.heading("Replicas × GPUs of each")
    writer.header("Arrangement", "Then", ARRANGED, "Sequences and context")
    for row in rows:
        amounts = (row.tokens_per_second, row.headroom, row.token_seconds, row.first_token_seconds)
        room = f"{row.each.text} sequences each, at most {row.most_each.text}; or {row.longest_context.text} of context"
        writer.line(row.title, row.word, map(_cell, amounts), room)


def _cell(amount: Amount | None) -> Cell:
    if amount is None:
        return NO_CELL
    if amount.unit == "byte":
        return amount.value / GIB, given(GIBIBYTES)
    shown_as = {"s": time_format([amount.value]), "USD": PAID}.get(amount.unit) or format_of(
        amount.unit, [amount.value]
    )
    return amount.value, given(shown_as)
