"""The Sensitivity sheet: what moves the answer of one variant, as formulas that follow Inputs.

Each uncertain input stands at its low and at its high end, all others as planned; the charts order themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memreport.advise.sensitivity import RANGES, STEP, STEP_TITLE, InputRange
from memreport.catalogue.quantities import GIB
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import BYTES_PER_GIB, FIRST, FROZEN, LINE_COLUMN, NAME_COLUMN, VERDICT, Draft
from memreport.publish.xlsx.common.lines import shown_unit
from memreport.publish.xlsx.common.titles import SENSITIVITY
from memreport.publish.xlsx.scenario.front.said import spread_said
from memreport.publish.xlsx.scenario.sensitivity_cases import AS_PLANNED, Cases, Ends, base
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.charts import Curve, Frame, tornado
from memreport.publish.xlsx.sheet.marks import mark_words
from memreport.publish.xlsx.sheet.styles import (
    GIBIBYTES,
    HEADER,
    HEADER_NUMBER,
    HEADING,
    LABEL,
    MONEY,
    NOTE,
    NOTE_BARE,
    PLAIN,
    STRONG,
    TEXT_BARE,
    WHOLE,
    WORD,
    format_of,
    given,
    number,
)
from memreport.report.records.advice import Sensitivity, SwingShown
from memreport.report.view import SIGNED

TITLES = ("What Low is and High is mean", "Input", "Unit", "No.", "Why this range")
FACTOR, VALUE = "a factor of the plan", "a value"
NO, WHY, LOW, PLANNED, HIGH, WORDS = FIRST - 2, FIRST - 1, FIRST, FIRST + 1, FIRST + 2, FIRST + 3
RULES, RANKS = WORDS + 8, WORDS + 10
"""Columns of the table; between words and rules stand three effects, each at the low and at the high end."""
CHART_ROWS = 19
LINE_PART = 0.45
SECONDS = "[<1]0.0000;#,##0.00"
CHARTED = ((LINE_COLUMN, WHY), (LOW, WORDS + 3))
"""First and last column that each chart covers."""
GAP = 0.3
FEW = 10
"""Changes up to which an axis needs fractions."""
SIDES = ("low", "high")
INDENTED = replace(NOTE, indent=1)


@frozen
class Effect:
    """What an input may move: its line, its words, its column at the low end, and how it is shown.

    `relative` effects are ranked by the share of the plan that they move.
    """

    line: str
    title: str
    unit: str
    column: int
    shown_as: str
    divisor: float = 1.0
    relative: bool = True


FREE = Effect("headroom_bytes", "Headroom", "GiB", WORDS + 2, GIBIBYTES, GIB, relative=False)
STEPS = {name: Effect(line, STEP_TITLE[name], "s", WORDS + 4, SECONDS) for name, line in STEP.items()}
COST = Effect("cost_total_usd", "Cost", "USD", WORDS + 6, MONEY)
SIGN = Effect(SIGNED, "To sign", "USD", WORDS + 6, MONEY)
"""Of bought hardware: the use of it says nothing of what is approved."""


class SensitivitySheet:
    """Writes the sheet.  From the top: the table, its charts, the orders that these draw, the calculation."""

    def __init__(self, draft: Draft, sheet: Sheet, made: Sensitivity) -> None:
        self.draft, self.sheet, self.made, self.swings = draft, sheet, made, made.swings
        self.column = draft.view.column_of(made.variant)
        steps = STEPS[draft.view.workload]
        money = SIGN if draft.view.buys(self.column) else COST
        self.effects = (FREE, steps, money) if made.cost else (FREE, steps)
        self.drawn = (FREE, self.effects[-1])
        self.plan = FIRST_ROW + 1
        self.first, self.last = self.plan + 1, self.plan + len(self.swings)
        self.charts = self.last + 2
        self.orders = self.charts + CHART_ROWS

    def write(self) -> None:
        """The calculation first, because everything else reads it."""
        count = max(2 * len(self.swings) + 1, RANKS - FIRST + 2 * len(self.drawn))
        self.draft.set_widths(self.sheet, count, RULES - FIRST, line_part=LINE_PART)
        said = f"Variant {self.made.named}: one input at a time at its low and high end, all others as planned. "
        self.draft.open(
            self.sheet, SENSITIVITY, f"{said}Follows Inputs. Below the charts, not printed: the calculation."
        )
        self.sheet.put(3, LINE_COLUMN, spread_said(self.draft), NOTE_BARE)
        columns = [f"${letter(column)}$" for column in (NO, LOW, PLANNED, HIGH)]
        ends = Ends(self.first, self._span(NO), self._span(LINE_COLUMN), *columns)
        below = self.orders + len(self.drawn) * (len(self.swings) + 2) + 1
        self.block = Cases(self.draft, self.sheet, self.made, ends, below, self.column).write()
        self._table()
        for index, effect in enumerate(self.drawn):
            self._order(effect, index)
            self._chart(effect, index)
        mark_words(self.sheet, f"{letter(WORDS)}{self.plan}:{letter(WORDS + 1)}{self.last}")
        self.sheet.worksheet.freeze_panes = f"{letter(FROZEN)}{FIRST_ROW + 1}"
        self.draft.close(self.sheet, self.orders - 1, self.effects[-1].column + 1)

    def _span(self, column: int) -> str:
        """A column of the table, without the line of the plan."""
        return f"${letter(column)}${self.first}:${letter(column)}${self.last}"

    def _values(self, effect: Effect) -> list[float]:
        """The engine's values of an effect as shown: as planned, at all low ends, at all high ends."""
        return [float(value) / effect.divisor for value in self.made.values[effect.line]]

    def _table(self) -> None:
        """The line of the plan, then a line an input."""
        sheet = self.sheet
        sheet.row(FIRST_ROW, 1, TITLES, HEADER)
        sheet.row(FIRST_ROW, FIRST, list(self._headers()), HEADER_NUMBER)
        sheet.row(FIRST_ROW, RULES, list(self._headers_behind()), HEADER_NUMBER)
        sheet.row(self.plan, NAME_COLUMN, [None, AS_PLANNED, *[None] * (HIGH - LINE_COLUMN)], STRONG)
        self._results(self.plan, ("1", "1"), (0, 0))
        ranges = {input_range.name: input_range for input_range in RANGES[self.draft.view.workload]}
        for index, swing in enumerate(self.swings):
            row = self.first + index
            sheet.row(row, LINE_COLUMN, [swing.title, shown_unit(self.draft.view.unit(swing.name)) or None], LABEL)
            sheet.put(row, NO, float(index + 1), number("0"))
            sheet.put(row, WHY, swing.why, INDENTED)
            self._ends(row, swing, ranges[swing.name])
            own = f"1+${letter(NO)}{row}"
            self._results(row, (own, f"{own}+COUNT({self._span(NO)})"), (1 + index, 1 + len(self.swings) + index))
            for drawn, effect in enumerate(self.drawn):
                self._rank(row, index, effect, RANKS + 2 * drawn)

    def _headers(self) -> Iterator[str]:
        yield from ("Low end", "As planned", "High end", "Then at low end", "Then at high end")
        for effect in self.effects:
            yield from (f"{effect.title} at {side} end ({effect.unit})" for side in SIDES)

    def _headers_behind(self) -> Iterator[str]:
        yield from ("Low is", "High is")
        for effect in self.drawn:
            yield from (f"{effect.title}: how far it moves", f"{effect.title}: rank")

    def _ends(self, row: int, swing: SwingShown, input_range: InputRange) -> None:
        """The planned value, and both ends as formulas of it and of the numbers that rule them."""
        unit = self.draft.view.unit(swing.name)
        style = number(format_of(unit, [swing.values.low.value, swing.values.given.value, swing.values.high.value]))
        planned = f"{letter(PLANNED)}{row}"
        self.sheet.put(row, NAME_COLUMN, _in_words(input_range), NOTE)
        self.sheet.put(
            row, PLANNED, Formula(base(self.draft, swing.name, self.column), swing.values.given.value), style
        )
        low = self._reached(row, RULES, input_range.low, input_range.factors[0])
        high = self._reached(row, RULES + 1, input_range.high, input_range.factors[1])
        low = f"MAX(1,ROUNDDOWN(ROUND({low},9),0))" if input_range.whole else low
        high = f"MIN({high},{base(self.draft, input_range.most, self.column)})" if input_range.most else high
        self.sheet.put(row, LOW, Formula(f"MIN({low},{planned})", swing.values.low.value), style)
        self.sheet.put(row, HIGH, Formula(f"MAX({high},{planned})", swing.values.high.value), style)

    def _reached(self, row: int, column: int, bound: float | str, factor: float) -> str:
        """How far an end reaches: a factor of the plan, a value, or the input that holds it, in a cell of its own."""
        rule = f"{letter(column)}{row}"
        if bound == "":
            self.sheet.put(row, column, float(factor), given(PLAIN))
            return f"{letter(PLANNED)}{row}*{rule}"
        if isinstance(bound, str):
            content = Formula(base(self.draft, bound, self.column), self.draft.value(bound, self.column))
            self.sheet.put(row, column, content, number(PLAIN))
        else:
            self.sheet.put(row, column, float(bound), given(PLAIN))
        return rule

    def _results(self, row: int, picks: tuple[str, str], cases: tuple[int, int]) -> None:
        """Verdict and effects at both ends, picked from the calculation."""
        swings = self.swings
        words = [self.made.word, *(swing.words[0] for swing in swings), *(swing.words[1] for swing in swings)]
        for end, (pick, case) in enumerate(zip(picks, cases, strict=True)):
            text = f"INDEX({self.draft.words[VERDICT]},INDEX({self._line(VERDICT)},{pick}))"
            self.sheet.put(row, WORDS + end, Formula(text, words[case]), WORD)
            for effect in self.effects:
                text = f"INDEX({self._line(effect.line)},{pick})"
                text += f"/{self.draft.constants[BYTES_PER_GIB.name]}" if effect is FREE else ""
                content = Formula(text, self._values(effect)[case])
                self.sheet.put(row, effect.column + end, content, number(effect.shown_as))

    def _line(self, name: str) -> str:
        """A line of the calculation in all cases."""
        row = self.block.rows[name]
        return f"${letter(FIRST)}${row}:${letter(self.block.last_column)}${row}"

    def _moves(self, effect: Effect) -> list[float]:
        """How far each input moves an effect, without the last digits, so that equal ones stay equal."""
        values, count = self._values(effect), len(self.swings)
        whole = values[0] or 1.0 if effect.relative else 1.0
        return [round(abs(values[1 + count + index] - values[1 + index]) / whole, 9) for index in range(count)]

    def _ordered(self, effect: Effect) -> list[int]:
        """The inputs, the one that moves the effect most first; equal ones in their order."""
        moves = self._moves(effect)
        return sorted(range(len(moves)), key=lambda index: -moves[index])

    def _rank(self, row: int, index: int, effect: Effect, column: int) -> None:
        """How far the input moves the effect, and its rank by that."""
        low, high = (f"{letter(effect.column + end)}{row}" for end in (0, 1))
        planned = f"${letter(effect.column)}${self.plan}"
        share = f"/({planned}+({planned}=0))" if effect.relative else ""  # a GPU without a price costs 0
        moves, own = self._span(column), f"{letter(column)}{row}"
        content = Formula(f"ROUND(ABS({high}-{low}){share},9)", self._moves(effect)[index])
        self.sheet.put(row, column, content, number(PLAIN))
        earlier = f"({moves}={own})*({self._span(NO)}<${letter(NO)}{row})"
        rank = Formula(f"1+SUMPRODUCT(({moves}>{own})+{earlier})", 1.0 + self._ordered(effect).index(index))
        self.sheet.put(row, column + 1, rank, number("0"))

    def _order_rows(self, index: int) -> tuple[int, int]:
        """First and last row of what a chart draws."""
        first = self.orders + index * (len(self.swings) + 2) + 2
        return first, first + len(self.swings) - 1

    def _order(self, effect: Effect, index: int) -> None:
        """The inputs by how far they move an effect now, with its change at both ends."""
        first, sheet = self._order_rows(index)[0], self.sheet
        heading = f"What the chart of {effect.title.lower()} draws: changes against the plan, the widest first"
        sheet.row(first - 2, LINE_COLUMN, [heading, *[None] * (PLANNED - LINE_COLUMN)], HEADING)
        sheet.row(first - 1, LINE_COLUMN, ["Input", "No.", "Rank", None], HEADER)
        sheet.row(first - 1, LOW, [f"At {side} end ({effect.unit})" for side in SIDES], HEADER_NUMBER)
        ranks = self._span(RANKS + 2 * index + 1)
        for offset, swing in enumerate(self._ordered(effect)):
            row = first + offset
            named = Formula(f"INDEX({self._span(LINE_COLUMN)},$C{row})", self.swings[swing].title)
            sheet.put(row, LINE_COLUMN, named, LABEL)
            sheet.put(row, 3, Formula(f"MATCH($D{row},{ranks},0)", swing + 1.0), number("0"))
            sheet.put(row, 4, offset + 1.0, number("0"))
            self._changes(row, swing, effect)

    def _changes(self, row: int, swing: int, effect: Effect) -> None:
        values = self._values(effect)
        for end, case in enumerate((1 + swing, 1 + len(self.swings) + swing)):
            column = effect.column + end
            text = f"INDEX({self._span(column)},$C{row})-${letter(column)}${self.plan}"
            self.sheet.put(row, LOW + end, Formula(text, values[case] - values[0]), number(effect.shown_as))

    def _chart(self, effect: Effect, index: int) -> None:
        first, last = self._order_rows(index)
        sheet, title = self.sheet, effect.title.lower()
        ends = [
            Curve(sheet.address(first - 1, column), sheet.span(first, column, last, column))
            for column in (LOW, LOW + 1)
        ]
        values = self._values(effect)
        shown_as = WHOLE if max(abs(value - values[0]) for value in values) > FEW else "General"
        described = (
            f"Bars of the change in {title}, one line an input, the widest first; the table above has the values."
        )
        begin, end = CHARTED[index]
        anchor, width = f"{letter(begin)}{self.charts}", sheet.centimetres(begin, end) - GAP
        up = f"change ({effect.unit})"
        frame = Frame(f"{effect.title}: change against the plan", "", up, described, anchor, width, 9)
        tornado(sheet, frame, sheet.span(first, LINE_COLUMN, last, LINE_COLUMN), ends, shown_as)
        sheet.put(self.orders - 1, LINE_COLUMN, None, TEXT_BARE)


def _in_words(input_range: InputRange) -> str:
    """How both ends follow from the columns Low is and High is."""
    low, high = (FACTOR if bound == "" else VALUE for bound in (input_range.low, input_range.high))
    return f"both: {low}" if low == high else f"low: {low}; high: {high}"


def write(draft: Draft, sheet: Sheet) -> None:
    """Table, charts and calculation of the report's tornado."""
    if draft.report.tornado:
        SensitivitySheet(draft, sheet, draft.report.tornado).write()
