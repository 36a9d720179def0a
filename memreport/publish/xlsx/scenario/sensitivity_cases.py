"""The calculation below the Sensitivity sheet's table: a case is a column, as a point of a scaling table is.

Case 0 is the variant as planned; then every uncertain input at its low end, then every one at its high end.
Only lines that an uncertain input reaches are computed again; what they read besides stands once, as planned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memreport.advise.sensitivity import STEP
from memreport.advise.verdict import JUDGED, words_of
from memreport.compute import needed_for
from memreport.formula.recording import Line
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import FIRST, Draft
from memreport.publish.xlsx.common.lines import HERE, Block, Text, read_by, shown_unit
from memreport.publish.xlsx.common.titles import CALCULATION, INPUTS
from memreport.publish.xlsx.file.cells import Value
from memreport.publish.xlsx.sheet.book import Content, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import HEADER, HEADER_NUMBER, LABEL, NAME, format_of, number
from memreport.report.records.advice import Sensitivity
from memreport.report.view import SIGNED

HIGH_END, WHICH, VARIED = "high end", "which input", "inputs varied"
AS_PLANNED = "as planned"
PLANNED_FROM = f"${letter(FIRST)}$"
"""The first column, absolute: where what is the same in all cases stands."""


@frozen
class Ends:
    """Where the table holds what the cases are made of: its first row, two ranges, and the beginning of addresses."""

    first: int
    numbers: str
    titles: str
    number: str
    low: str
    planned: str
    high: str


@dataclass
class Cases:
    """Writes the calculation from a row on; `block` is what it wrote."""

    draft: Draft
    sheet: Sheet
    made: Sensitivity
    ends: Ends
    row: int
    column: int
    kept: dict[str, int] = field(default_factory=dict)
    """Rows of what stands once."""

    def write(self) -> Block:
        """Header, cases, inputs, lines."""
        columns = range(1 + 2 * len(self.made.swings))
        titles = ["Name", "Calculation of the cases", "Unit", "Basis", "Source"]
        self.sheet.row(self.row, 1, titles, HEADER)
        self.sheet.row(self.row, FIRST, [float(case) for case in columns], HEADER_NUMBER)
        lines = self._lines()
        made = self.made.values
        block = Block(self.draft, self.sheet, self.row + 1, columns, self._given, self._override, made=made)
        self._cases(block)
        self._varied(block)
        self._planned(block, lines)
        block.figures([("Figures", lines)])
        block.verdict(words_of(made))
        return block

    def _lines(self) -> list[Line]:
        """The lines that an uncertain input reaches, of those that the effects need."""
        moved = {swing.name for swing in self.made.swings}
        lines = [line for line in self.draft.view.computed.lines if line.name not in moved]
        wanted = [
            *JUDGED,
            "headroom_bytes",
            STEP[self.draft.view.workload],
            *([SIGNED if self.draft.view.buys(self.column) else "cost_total_usd"] if self.made.cost else []),
        ]
        return _reached(needed_for(lines, wanted), moved)

    def _cases(self, block: Block) -> None:
        """Which input each case varies, and to which end."""
        count, columns = len(self.made.swings), block.cases
        block.heading("Cases")
        counts: list[Value] = [float(count)] * len(columns)
        block.put(Text(VARIED, "how many inputs are varied"), f"COUNT({self.ends.numbers})", counts, "0")
        high: list[Value] = [float(case > count) for case in columns]
        template = f"IF({HERE}${self.row}>{block.cell(VARIED)},1,0)"
        block.put(Text(HIGH_END, "1 at the high end, 0 at the low end"), template, high, "0")
        which = [case - count * (case > count) for case in columns]
        template = f"{HERE}${self.row}-{block.cell(HIGH_END)}*{block.cell(VARIED)}"
        block.put(Text(WHICH, "number of the input that is varied, 0 for none"), template, [*map(float, which)], "0")
        words: list[Value] = [self.made.swings[no - 1].title if no else AS_PLANNED for no in which]
        named = f"INDEX({self.ends.titles},MAX({block.cell(WHICH)},1))"
        template = f'IF({block.cell(WHICH)}=0,"{AS_PLANNED}",{named})'
        block.put_words(WHICH, template, words)

    def _varied(self, block: Block) -> None:
        """Each uncertain input: at the ends of its range in two cases, as planned in all others."""
        block.heading("Uncertain inputs")
        view, ends = self.draft.view, self.ends
        for row, swing in enumerate(self.made.swings, self.ends.first):
            at_end = f"IF({block.cell(HIGH_END)}=1,{ends.high}{row},{ends.low}{row})"
            template = f"IF({block.cell(WHICH)}={ends.number}{row},{at_end},{ends.planned}{row})"
            values, unit = block.values(swing.name), view.unit(swing.name)
            text = Text(swing.name, view.meaning(swing.name), shown_unit(unit), "input")
            block.put(text, template, values, format_of(unit, [float(value) for value in values]))

    def _planned(self, block: Block, lines: Sequence[Line]) -> None:
        """What no uncertain input reaches: once, in the first column."""
        block.heading("The same in every case")
        made = {line.name for line in lines} | set(block.rows) | set(self.draft.constants)
        view = self.draft.view
        for name in [name for name in (read_by(lines) | dict.fromkeys(JUDGED)) if name not in made]:
            unit, value = view.unit(name), view.value(name, self.column)
            words: list[Content] = [name, view.meaning(name), shown_unit(unit) or None, AS_PLANNED]
            for column, (word, style) in enumerate(zip(words, (NAME, LABEL, NAME, NAME), strict=True), 1):
                self.sheet.put(block.row, column, word, style)
            content = Formula(base(self.draft, name, self.column), value)
            self.sheet.put(block.row, FIRST, content, number(format_of(unit, [value])))
            self.kept[name] = block.row
            block.row += 1

    def _given(self, name: str) -> str:
        return f"{PLANNED_FROM}{self.kept[name]}"

    def _override(self, name: str) -> str | None:
        row = self.draft.inputs.overrides.get(name)
        return f"{INPUTS}!${letter(FIRST + self.column)}${row}" if row else None


def base(draft: Draft, name: str, index: int) -> str:
    """Where an input or a figure of a variant stands."""
    sheet, rows = (INPUTS, draft.inputs.rows) if name in draft.inputs.rows else (CALCULATION, draft.rows)
    return f"{sheet}!${letter(FIRST + index)}${rows[name]}"


def _reached(lines: Sequence[Line], names: set[str]) -> list[Line]:
    """The lines, in order, that read any of the names, however far on."""
    reached, found = set(names), []
    for line in lines:
        if not reached.isdisjoint(line.reads):
            reached.add(line.name)
            found.append(line)
    return found
