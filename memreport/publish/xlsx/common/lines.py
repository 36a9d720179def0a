"""Lines of a calculation: one formula a line, copied across columns, for variants and for points of a table alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from memreport.advise.verdict import NUMBERED, Word, verdict_number
from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.records import BILLED, Numbers
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.formula.printing import to_excel
from memreport.formula.recording import Line, recorded
from memreport.formula.words import Expr, Op
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import (
    FIRST,
    IN_WORDS,
    LINE_COLUMN,
    NAME_COLUMN,
    NOTHING,
    STATED_FOR,
    USUAL,
    VERDICT,
    Draft,
    UsualHosts,
)
from memreport.publish.xlsx.common.titles import INPUTS
from memreport.publish.xlsx.file.cells import Value
from memreport.publish.xlsx.sheet.book import Sheet, letter
from memreport.publish.xlsx.sheet.styles import HEADING, LABEL, NAME, NOTE, STRONG, WORD, format_of, number
from memreport.resolve.usual import usual_host

HERE = "@"
"""Stands for the letter of a line's own column until the formula is copied there."""

PICKED = "{} (picked)"
"""Line that says which row a choice of a price picks, whose GPU it may not be."""
UNSTATED = {"max_num_batched_tokens": "unstated_batched_tokens"}
"""Numbers that a choice supplies unless they are typed, each with the input that says whether one is."""
COMPARISONS = ("lt", "gt", "le", "ge")
Template = Callable[[str], str]


@frozen
class Text:
    """What is said of a line beside its numbers."""

    name: str
    meaning: str
    unit: str = ""
    basis: str = ""
    source: str = ""


@dataclass
class Block:
    """A block of lines.  `cases` are the engine's columns that its columns stand for.

    `given` finds the cell of an input, `override` that of a number that replaces a value, as templates with `@`.
    `made` holds the engine's values where the columns are none of the scenario's own cases.
    """

    draft: Draft
    sheet: Sheet
    row: int
    cases: Sequence[int]
    given: Template
    override: Callable[[str], str | None]
    rows: dict[str, int] = field(default_factory=dict)
    made: Mapping[str, Numbers] | None = None
    zeros: dict[str, int] = field(default_factory=dict)
    """Rows of lines that are zero in every column."""

    @property
    def last_column(self) -> int:
        """The block's last column."""
        return FIRST + len(self.cases) - 1

    def heading(self, title: str) -> None:
        """A heading over the lines that follow."""
        self.sheet.row(self.row, NAME_COLUMN, [None, title, *[None] * (self.last_column - LINE_COLUMN)], HEADING)
        self.sheet.keep_together(self.row, self.row + 1)
        self.row += 1

    def put(
        self, text: Text, template: str, values: Sequence[Value], shown_as: str = "", *, bold: bool = False
    ) -> None:
        """One line.  `template` is its formula with `@` for the column; `values` are what it gives, one a column."""
        for column, content, style in (
            (NAME_COLUMN, text.name, NAME),
            (LINE_COLUMN, text.meaning, STRONG if bold else LABEL),
            (3, text.unit, NAME),
            (4, text.basis, NOTE),
            (5, text.source, NOTE),
        ):
            self.sheet.put(self.row, column, content or None, style)
        style = number(shown_as, bold=bold) if shown_as else WORD
        texts = [template.replace(HERE, letter(column)) for column in range(FIRST, FIRST + len(values))]
        self.sheet.copied(self.row, FIRST, texts, values, style)
        if all(value == 0 for value in values):
            self.zeros[text.name] = self.row
        self.rows[text.name] = self.row
        self.row += 1

    def cell(self, name: str) -> str:
        """Where a line, an input or a constant stands, as a template."""
        if name in self.rows:
            return f"{HERE}{self.rows[name]}"
        return self.draft.constants[name] if name in self.draft.constants else self.given(name)

    def values(self, name: str) -> list[Value]:
        """The engine's values of a figure or input in this block's columns."""
        if self.made is not None:
            return [float(value) for value in self.made[name]]
        return self.picked(self.draft.view.computed.values[name])

    def picked(self, column: object) -> list[Value]:
        """A column of the engine, in this block's columns."""
        whole = np.asarray(column, dtype=float)
        return whole[list(self.cases)].tolist() if whole.ndim else [float(whole)] * len(self.cases)

    def choices(self, wanted: Mapping[str, object]) -> None:
        """Which row of its table each choice picks, then the wanted inputs that these rows supply."""
        view = self.draft.view
        supplied = {name: (entry, column) for name, (entry, column) in view.attributes.items() if name in wanted}
        picked = {entry.name for entry, _ in supplied.values()}
        picked |= {"accelerator"} if "host" in picked else set()
        for entry in view.fields.values():
            if entry.name in picked:
                self._choice(entry)
        for name, (entry, column) in supplied.items():
            place = self.draft.tables[entry.table].columns[column.name]
            template = self._of_accelerator(name, entry, f"INDEX({place},{self.cell(code_of(entry.name))})")
            text = Text(name, column.meaning, shown_unit(column.unit), "looked up", view.table_of(entry.name).title)
            self.put(text, self._overridable(name, template), self.values(name), self._format(name))
            self._unstated(name, template)

    def _unstated(self, name: str, template: str) -> None:
        """What a choice supplies of a number, 0 where one is typed: what follows from that nobody stated it."""
        unstated = UNSTATED.get(name)
        if unstated is None:
            return
        place = self.override(name)
        told = f"IF(COUNT({place})=1,0,{template})" if place else template
        text = Text(
            unstated, self.draft.view.meaning(unstated), shown_unit(self.draft.view.unit(unstated)), "looked up"
        )
        self.put(text, told, self.values(unstated), self._format(unstated))

    def _choice(self, entry: Entry) -> None:
        template = f"MATCH({self.given(entry.name)},{self.draft.tables[entry.table].ids},0)"
        values = self.picked(self.draft.view.resolved.codes[entry.name])
        if entry.name == "host" and self.draft.usual_hosts:
            template = self._hosted(entry, template, self.draft.usual_hosts)
        if entry.table in self.draft.usual_prices:
            template = self._of_this_gpu(entry, template, values)
        text = Text(code_of(entry.name), f"row of its table: {entry.meaning}", "", "looked up", entry.table)
        self.put(text, template, values, "0")

    def _of_this_gpu(self, entry: Entry, picked: str, values: Sequence[Value]) -> str:
        """The price that is picked if it is the GPU's, else the lowest one of this GPU; none where none is billed."""
        place, usual = self.draft.tables[entry.table], self.draft.usual_prices[entry.table]
        name, lowest = PICKED.format(entry.name), f"{entry.name} (lowest)"
        self.put(Text(name, f"row picked: {entry.meaning}", "", "looked up", entry.table), picked, values, "0")
        at = f"{self.cell(code_of('accelerator'))},MATCH({self.cell('count')},{usual.counts},1)"
        text = Text(lowest, "row of the lowest price of the GPU", "", "looked up", entry.table)
        self.put(text, f"MATCH(INDEX({usual.ids},{at}),{place.ids},0)", self._lowest(entry), "0")
        of = f"INDEX({place.texts['accelerator']},{self.cell(name)})"
        idle = f'({of}="{NOTHING}")*(1-{self._wanted(entry)})'
        return f"IF(({of}={self.cell('accelerator')})+{idle}>0,{self.cell(name)},{self.cell(lowest)})"

    def _hosted(self, entry: Entry, picked: str, usual: UsualHosts) -> str:
        """The host that is picked, or the usual one of so many of the GPU."""
        catalogue, name = self.draft.view.resolved.catalogue, f"{entry.name} (usual)"
        place = self.draft.tables[entry.table]
        at = f"{self.cell(code_of('accelerator'))},MATCH({self.cell('count')},{usual.counts},1)"
        cases = [self.draft.view.resolved.cases[index].settings for index in self.cases]
        hosts = [usual_host(catalogue, str(case["accelerator"]), float(case["count"])) for case in cases]
        rows: list[Value] = [float(catalogue.tables[entry.table].row(host) + 1) for host in hosts]
        text = Text(name, "row of the usual host of the GPU", "", "looked up", entry.table)
        self.put(text, f"MATCH(INDEX({usual.ids},{at}),{place.ids},0)", rows, "0")
        return f'IF({self.given(entry.name)}="{USUAL}",{self.cell(name)},{picked})'

    def _lowest(self, entry: Entry) -> list[Value]:
        """The rows of the lowest prices, from 1."""
        table, usual = self.draft.view.table_of(entry.name), self.draft.usual_prices[entry.table]
        cases = [self.draft.view.resolved.cases[index].settings for index in self.cases]
        return [float(table.row(usual.lowest(str(case["accelerator"]), float(case["count"]))) + 1) for case in cases]

    def _wanted(self, entry: Entry) -> str:
        """1 where such a price is billed, and none is typed that was quoted for the GPU."""
        basis = next(basis for basis, (name, _) in BILLED.items() if name == entry.name)
        compared = any(case.settings["rent_or_buy"] for case in self.draft.view.variants)
        billed = "1" if compared else f'({self.given("basis")}="{basis}")'
        own = next(name for name in OWN_PRICES if name in self.draft.tables[entry.table].columns)
        typed = self.override(own)
        return f"{billed}*(1-{self.replaces(own, typed)})" if typed else billed

    def figures(self, groups: Sequence[tuple[str, Sequence[Line]]]) -> None:
        """Figures under headings.  Their rows are fixed first, because some read what stands further down."""
        row = self.row
        for title, lines in groups:
            row += bool(title)
            for line in lines:
                self.rows[line.name] = row
                row += 2 if line.figure.labels else 1
        for title, lines in groups:
            if title:
                self.heading(title)
            for line in lines:
                self.line(line)

    def line(self, line: Line) -> None:
        """One figure, and its words where it stands for words."""
        figure = line.figure
        template = to_excel(figure.expression, lambda name: self.cell(line.bound.get(name, name)))
        template = f"1*({template})" if is_truth(figure.expression) else template
        text = Text(
            line.name, meaning_of(line), shown_unit(self.draft.view.unit(line.name)), figure.basis, figure.source
        )
        values = self.values(line.name)
        self.put(text, self._overridable(line.name, template), values, self._format(line.name))
        if figure.labels:
            words = f"INDEX({self.draft.words[figure.name]},{self.cell(line.name)})"
            said: list[Value] = [figure.labels[int(value) - 1] for value in values]
            self.put_words(line.name, words, said)

    def put_words(self, name: str, template: str, words: Sequence[Value]) -> None:
        """A line of what another stands for."""
        self.put(Text(IN_WORDS.format(name), "the same in words"), template, words)

    def verdict(self, words: Iterable[Word]) -> None:
        """The verdict as a number; `words` are the engine's, one a column."""
        numbers: list[Value] = [NUMBERED.index(word) + 1 for word in words]
        text = Text(
            VERDICT,
            "1 does not fit, 2 starts and queues, 3 fits at the expected peak only, 4 fits at its high end too",
            "",
            "exact",
        )
        self.put(text, to_excel(recorded(verdict_number), self.cell), numbers, "0")

    def _overridable(self, name: str, template: str) -> str:
        place = self.override(name)
        return template if place is None else f"IF({self.replaces(name, place)},{place},{template})"

    def replaces(self, name: str, place: str) -> str:
        """The condition under which what is typed counts: on the GPU that it is of, where it is of one."""
        row = self.draft.inputs.rows.get(STATED_FOR.format(name))
        if row is None or not place.startswith(f"{INPUTS}!"):
            return f"COUNT({place})=1"
        return f"(COUNT({place})=1)*({INPUTS}!{HERE}{row}={self.cell('accelerator')})"

    def _of_accelerator(self, name: str, entry: Entry, template: str) -> str:
        """A price of the book counts only for its own GPU; nothing is billed for another one."""
        if name not in OWN_PRICES:
            return template
        of = self.draft.tables[entry.table].texts["accelerator"]
        return f"IF(INDEX({of},{self.cell(code_of(entry.name))})={self.cell('accelerator')},{template},0)"

    def _format(self, name: str) -> str:
        values = [float(value) for value in self.values(name)]
        return format_of(self.draft.view.unit(name), values)


def is_truth(expression: Expr) -> bool:
    """Whether a spreadsheet would answer TRUE or FALSE, which sums leave out, instead of 1 or 0."""
    if not isinstance(expression, Op):
        return False
    return expression.word in COMPARISONS or (expression.word == "where" and any(map(is_truth, expression.args[1:])))


def code_of(choice: str) -> str:
    """The line that says which row a choice picks."""
    return f"{choice} (row)"


def shown_unit(unit: str) -> str:
    """A unit as a column of units says it: counts have none."""
    return "" if unit == "1" else unit


def meaning_of(line: Line) -> str:
    """A line's meaning; lines of a family also say of which member they speak."""
    member = line.name.partition(".")[2]
    return f"{member}: {line.figure.meaning}" if member else line.figure.meaning


def read_by(lines: Iterable[Line]) -> dict[str, None]:
    """Every name that the lines read."""
    return dict.fromkeys(name for line in lines for name in line.reads)
