"""The answer at the head of the Summary: as built while the inputs are, else a sentence on the chosen option as it is.

The sentences, and what they are put together from, stand behind the printed part of the sheet.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from itertools import count

from memreport.catalogue.names import title_of
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import Draft
from memreport.publish.xlsx.scenario.front.amounts import Picked, unit_of_time
from memreport.publish.xlsx.scenario.front.bill import Kept, Piece, cost_said, price_of_another, rent_or_buy_said
from memreport.publish.xlsx.scenario.front.said import fixed, quoted, said, spread_said, where_number
from memreport.publish.xlsx.sheet.book import Content, Formula, Sheet
from memreport.publish.xlsx.sheet.styles import HEAD, HEADING, LABEL, TEXT_BARE, Style

HEADLINE = Style(bold=True, ink=HEAD, size=13, ruled=False)
HEIGHT = 18
HEADLINE_LINE, LINE = 105, 150
"""Characters that one line of the headline and one of the sentence below it hold."""
NOTHING_SAID = '""'
MOST_ASKED = 3
"""Figures that a question asks for, of those that the sentence repeats."""
UNFOLLOWED = "Inputs changed, and what nobody stated has to be typed with them (below). "
FAILING = "Inputs changed, and checks fail: what follows does not hold (see Checks). "
UNKNOWN = "An input cannot be computed with: see Inputs."
SEARCH_AGAIN = "The recommendation is that of the build: memreport plan searches again."
LABEL_COLUMN, TEXT_COLUMN = 2, 3
NOW = ("headline for changed inputs", "its first line", "its second line")
LEAST_BELOW, FIRST_PIECES, BESIDE_MEMORY = 2, 5, 3
"""Lines below the headline, and how many pieces stand in the first: alone, and behind the memory."""
Shown = Mapping[str, Formula]
"""Cells of the chosen option's row of the table of variants, by what they hold."""


@frozen
class LiveAnswer:
    """The answer on one sheet, in words as built and as a sentence that follows the chosen option's cells."""

    draft: Draft
    sheet: Sheet
    shown: Shown
    picked: Picked
    headline: str
    detail: str

    @property
    def lines(self) -> list[tuple[str, Style]]:
        """The answer as built, line by line; below the headline as many as a sentence for changed inputs takes."""
        head = [(line, HEADLINE) for line in textwrap.wrap(self.headline, HEADLINE_LINE)]
        below = textwrap.wrap(self.detail, LINE)
        return [*head, *((line, TEXT_BARE) for line in [*below, *[""] * (LEAST_BELOW - len(below))])]

    def write(self, row: int, behind: int) -> None:
        """The lines from `row` on, and from `behind` on what they are made of."""
        sheet, lines = self.sheet, self.lines
        sheet.row(behind, 1, ["How the answer follows the inputs", *[None] * 8], HEADING)
        for number, (line, _) in enumerate(lines, behind + 1):
            self._put(number, "Answer as built" if number == behind + 1 else "its next line", line or None)
        built, headline = behind + 1, behind + 1 + len(lines)
        texts = self._now(headline + 1 + LEAST_BELOW)
        for offset, (title, content) in enumerate(zip(NOW, texts, strict=True)):
            self._put(headline + offset, title, content)
        below = next(index for index, (_, style) in enumerate(lines) if style is TEXT_BARE)
        now = {0: f"$C${headline}", **{below + each: f"$C${headline + 1 + each}" for each in range(LEAST_BELOW)}}
        for number, (line, style) in enumerate(lines):
            then = f"$C${built + number}" if line else NOTHING_SAID
            following = now.get(number, NOTHING_SAID)
            unknown = f"IF(ISERROR({following}),{NOTHING_SAID if number else quoted(UNKNOWN)},{following})"
            text = f"IF({self.draft.cells.changed_inputs}=0,{then},{unknown})"
            sheet.put(row + number, LABEL_COLUMN, Formula(text, line), style)
            sheet.worksheet.row_dimensions[row + number].height = HEIGHT if style is HEADLINE else None

    def _memory(self) -> Formula:
        """Verdict, peak, usable memory and headroom of the chosen option."""
        peak, usable, room = (fixed(self.shown[kind], 1) for kind in ("peak", "usable", "headroom"))
        memory = said(", peak ", peak, " of ", usable, " GiB per GPU, headroom ", room, " GiB.")
        return said(self.shown["name"], ": ", self.shown["verdict"], memory)

    def _now(self, row: int) -> tuple[Formula, ...]:
        """The headline and the lines below it, each piece in a row of its own, from `row` on."""
        rows = count(row)

        def kept(title: str, content: Formula) -> Formula:
            line = next(rows)
            self._put(line, title, content)
            return Formula(f"$C${line}", content.value)

        memory = kept("its memory", self._memory())
        compared = [kept(*piece) for piece in self._compared(kept)]
        pieces = [kept(*piece) for piece in self._pieces(kept)]
        held = BESIDE_MEMORY if compared else FIRST_PIECES
        first = [memory, " ", *pieces[:held]] if compared else pieces[:held]
        changed = kept("what changed", self._changed())
        prices = [kept(*piece) for piece in price_of_another(self.picked, kept)]
        headline = said(changed, *prices, *(compared or [memory]))
        return headline, said(*(first or [""])), said(*pieces[held:], SEARCH_AGAIN)

    def _changed(self) -> Formula:
        """That inputs were changed, and may not be; and whether what nobody stated would be another with them."""
        cells, plain = self.draft.cells, "Inputs changed. "
        kept = f'IF({cells.left_open}="",{quoted(plain)},{quoted(UNFOLLOWED)})'
        return Formula(f"IF({cells.master_check}>0,{quoted(FAILING)},{kept})", plain)

    def _compared(self, kept: Kept) -> Iterator[Piece]:
        """Rent or buy, where that is asked."""
        answer = self.draft.report.answer
        if answer and "rent_or_buy" in answer.asks:
            yield from rent_or_buy_said(self.picked, kept)

    def _pieces(self, kept: Kept) -> Iterator[Piece]:
        """Time, cost, and what the question asks for."""
        shown, unit = self.shown, f" {unit_of_time(self.draft)}. "
        if "time" in shown and self.draft.view.workload == "training":
            time, spread = self.picked.in_words(shown["time"]), kept("spread of times", spread_said(self.draft))
            yield "its time", where_number(shown["time"], "Run time ", time, unit, spread, " ")
        if "cost" in shown:
            yield from cost_said(self.picked, shown["cost"], kept)
        asked = [name for name in self.draft.view.scenario.answers if name in shown]
        for name in asked[:MOST_ASKED]:
            yield f"its {name}", where_number(shown[name], f"{title_of(name)} ", fixed(shown[name]), ". ")

    def _put(self, row: int, title: str, content: Content) -> None:
        self.sheet.put(row, LABEL_COLUMN, title, LABEL)
        self.sheet.put(row, TEXT_COLUMN, content, TEXT_BARE)
