"""The answer at the head of the Summary: as built while the inputs are, else a sentence on the chosen option as it is.

The sentences, and what they are put together from, stand behind the printed part of the sheet.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memreport.catalogue.names import title_of
from memreport.publish.xlsx.common.draft import Draft
from memreport.publish.xlsx.scenario.front.amounts import unit_of_time
from memreport.publish.xlsx.scenario.front.said import fixed, said, spread_said, where_number
from memreport.publish.xlsx.sheet.book import Content, Formula, Sheet
from memreport.publish.xlsx.sheet.styles import HEAD, HEADING, LABEL, TEXT_BARE, Style

HEADLINE = Style(bold=True, ink=HEAD, size=13, ruled=False)
HEIGHT = 18
HEADLINE_LINE, LINE = 105, 150
"""Characters that one line of the headline and one of the sentence below it hold."""
NOTHING_SAID = '""'
MOST_ASKED = 3
"""Figures that a question asks for, of those that the sentence repeats."""
SEARCH_AGAIN = "Which option is recommended was found at build: memreport plan searches again for other inputs."
LABEL_COLUMN, TEXT_COLUMN = 2, 3
Shown = Mapping[str, Formula]
"""Cells of the chosen option's row of the table of variants, by what they hold."""


@dataclass(frozen=True)
class LiveAnswer:
    """The answer on one sheet, in words as built and as a sentence that follows the chosen option's cells."""

    draft: Draft
    sheet: Sheet
    shown: Shown
    headline: str
    detail: str

    @property
    def lines(self) -> list[tuple[str, Style]]:
        """The answer as built, line by line; one at least of the sentence below the headline."""
        head = [(line, HEADLINE) for line in textwrap.wrap(self.headline, HEADLINE_LINE)]
        return [*head, *((line, TEXT_BARE) for line in textwrap.wrap(self.detail, LINE) or [""])]

    def write(self, row: int, behind: int) -> None:
        """The lines from `row` on, and from `behind` on what they are made of."""
        sheet, lines = self.sheet, self.lines
        sheet.row(behind, 1, ["How the answer follows the inputs", *[None] * 8], HEADING)
        for number, (line, _) in enumerate(lines, behind + 1):
            self._put(number, "Answer as built" if number == behind + 1 else "its next line", line or None)
        built, headline = behind + 1, behind + 1 + len(lines)
        self._put(headline, "headline for changed inputs", self._headline())
        self._put(headline + 1, "sentence for changed inputs", said(*self._sentence(headline + 2)))
        below = next(index for index, (_, style) in enumerate(lines) if style is TEXT_BARE)
        now = {0: f"$C${headline}", below: f"$C${headline + 1}"}
        for number, (line, style) in enumerate(lines):
            kept = f"$C${built + number}" if line else NOTHING_SAID
            text = f"IF({self.draft.cells.changed_inputs}=0,{kept},{now.get(number, NOTHING_SAID)})"
            sheet.put(row + number, LABEL_COLUMN, Formula(text, line), style)
            sheet.worksheet.row_dimensions[row + number].height = HEIGHT if style is HEADLINE else None

    def _headline(self) -> Formula:
        """Verdict, peak, usable memory and headroom of the chosen option."""
        peak, usable, room = (fixed(self.shown[kind], 1) for kind in ("peak", "usable", "headroom"))
        memory = said(", peak ", peak, " of ", usable, " GiB per GPU, headroom ", room, " GiB.")
        return said("Inputs changed. ", self.shown["name"], ": ", self.shown["verdict"], memory)

    def _sentence(self, row: int) -> Iterator[Formula | str]:
        """What further is said, each piece in a row of its own from `row` on."""
        for line, (title, content) in enumerate(self._pieces(), row):
            self._put(line, title, content)
            yield Formula(f"$C${line}", content.value)
        yield SEARCH_AGAIN

    def _pieces(self) -> Iterator[tuple[str, Formula]]:
        """Time, cost, and what the question asks for."""
        shown, unit = self.shown, f" {unit_of_time(self.draft)}. "
        if "time" in shown and self.draft.view.workload == "training":
            yield (
                "its time",
                where_number(shown["time"], "Run time ", fixed(shown["time"], 1), unit, spread_said(self.draft), " "),
            )
        if "cost" in shown:
            yield "its cost", where_number(shown["cost"], "Cost ", fixed(shown["cost"]), " USD. ")
        asked = [name for name in self.draft.view.scenario.answers if name in shown]
        for name in asked[:MOST_ASKED]:
            yield f"its {name}", where_number(shown[name], f"{title_of(name)} ", fixed(shown[name]), ". ")

    def _put(self, row: int, title: str, content: Content) -> None:
        self.sheet.put(row, LABEL_COLUMN, title, LABEL)
        self.sheet.put(row, TEXT_COLUMN, content, TEXT_BARE)
