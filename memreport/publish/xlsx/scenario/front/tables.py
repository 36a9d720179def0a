"""Tables of the Summary: the options that the answer rests on, all variants, and four figures of the chosen one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memreport.advise.candidates import Role
from memreport.catalogue.names import ONE_REPLICA, title_of
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import FIRST, HUNDRED, Draft
from memreport.publish.xlsx.common.lines import shown_unit
from memreport.publish.xlsx.common.titles import INPUTS
from memreport.publish.xlsx.scenario.front.amounts import (
    GPU_HOURS,
    LACKING,
    MEMORY,
    PURCHASE,
    TOTAL_COST,
    AmountColumn,
    Picked,
    amount_columns,
    has_time,
    unit_of_time,
)
from memreport.publish.xlsx.scenario.front.said import fixed, quoted, said, spread_said, where_number
from memreport.publish.xlsx.sheet.book import Content, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.marks import mark_lacking, mark_words
from memreport.publish.xlsx.sheet.styles import (
    HEAD,
    HEADER,
    HEADER_NUMBER,
    LABEL,
    NAME,
    NOTE_BARE,
    STRONG,
    Style,
    format_of,
    given,
    number,
)
from memreport.report.answer.budget import policy_text
from memreport.report.records.decision import Answer, OptionRow, OptionService
from memreport.report.view import SIGNED

PADDED, PADDED_HEADER = replace(NAME, indent=1), replace(HEADER, indent=1)
COUNTED = Style(shown_as="0", horizontal="center")
PLACE, NAMED, WORD, AMOUNTS = 1, 2, 3, 4
"""Columns: a variant's number, its name, the verdict, the first amount."""
LIVE, AT_BUILD, BEFORE = "live", "at build", "before change"
AMONG_MEMORY = (
    MEMORY["peak"],
    MEMORY["headroom"],
    "training_hours",
    "time_per_output_token_seconds",
    TOTAL_COST,
    SIGNED,
)
"""Key figures that have a column under another title."""
VALUE = Style(bold=True, ink=HEAD, size=15, ruled=False)
BOXES = (2, 3, 5, 7)
"""Columns at which the four figures stand."""
BOX_ROWS = 4


@frozen
class SummaryTables:
    """The tables of one Summary."""

    draft: Draft
    sheet: Sheet

    @property
    def columns(self) -> list[AmountColumn]:
        """What is shown of every variant: that of the options, and what the question asks for."""
        draft = self.draft
        asked = [name for name in draft.report.asked if name not in AMONG_MEMORY]
        names = [name for name in asked if name in draft.rows]
        return [*amount_columns(draft), *(self._asked(name) for name in names)]

    def _asked(self, name: str) -> AmountColumn:
        unit = self.draft.view.unit(name)
        values = [self.draft.value(name, index) for index in range(self.draft.count)]
        said_of = f" ({shown_unit(unit)})" if shown_unit(unit) else ""
        return AmountColumn(name, f"{title_of(name)}{said_of}", format_of(unit, values))

    def header(self, row: int, name: str, columns: Sequence[AmountColumn], *last: str) -> None:
        """Titles of a table."""
        self.sheet.row(row, PLACE, ["", name, "Verdict"], HEADER)
        self.sheet.row(row, AMOUNTS, [column.title for column in columns], HEADER_NUMBER)
        self.sheet.row(row, AMOUNTS + len(columns), last, PADDED_HEADER)

    def live(self, row: int, index: int, columns: Sequence[AmountColumn]) -> dict[str, Formula]:
        """A variant's verdict and amounts, all of them formulas; its cells by what they hold."""
        draft, sheet, found = self.draft, self.sheet, dict[str, Formula]()
        sheet.put(row, PLACE, float(index + 1), COUNTED)
        picked = Picked(draft, place_of(row), index)
        cells: list[tuple[str, Formula, Style]] = [
            ("verdict", picked.verdict, STRONG),
            *(
                (amount_column.kind, amount_column.live(picked), number(amount_column.shown_as))
                for amount_column in columns
            ),
        ]
        for column, (kind, content, style) in enumerate(cells, WORD):
            sheet.put(row, column, content, style)
            found[kind] = Formula(f"${letter(column)}${row}", content.value)
        return found

    def variants(self, row: int) -> tuple[int, list[dict[str, Formula]]]:
        """All variants, one row each; the row after them and their cells."""
        columns = self.columns
        self.header(row, "Variant", columns)
        found = [
            {"name": self._name(row + 1 + index, index), **self.live(row + 1 + index, index, columns)}
            for index in range(self.draft.count)
        ]
        self._mark(f"C{row + 1}:C{row + self.draft.count}")
        if has_time(self.draft):
            self.sheet.put(row + 1 + self.draft.count, NAMED, spread_said(self.draft), NOTE_BARE)
        return row + 1 + self.draft.count, found

    def _mark(self, cells: str) -> None:
        """Colours of the verdicts, and of what they lack."""
        mark_words(self.sheet, cells)
        if self.draft.view.scenario.demand is not None:
            mark_lacking(self.sheet, cells, LACKING)

    def _name(self, row: int, index: int) -> Formula:
        draft = self.draft
        names = draft.book.sheets[INPUTS].span(draft.inputs.header, FIRST, draft.inputs.header, draft.last)
        name = draft.view.variants[index].name
        self.sheet.put(row, NAMED, Formula(f"INDEX({names},{place_of(row)})", name), LABEL)
        return Formula(f"${letter(NAMED)}${row}", name)

    def options(self, row: int, answer: Answer) -> int:
        """The options side by side: those that are columns follow the inputs, the others are values at build."""
        columns = list(amount_columns(self.draft))
        self.header(row, "Option", columns, "Values")
        for line, option in enumerate(answer.options, row + 1):
            place = self._place(answer, option)
            if place is None:
                self._at_build(line, option, columns)
            else:
                self.live(line, place, columns)
            named = _named(option, answer)
            now = (
                named
                if place is None
                else self._followed(named, _named(replace(option, serves=OptionService(option.serves.users)), answer))
            )
            self.sheet.put(line, NAMED, now, STRONG if option.column == answer.chosen.column else LABEL)
            self.sheet.put(line, AMOUNTS + len(columns), self._built() if place is None else LIVE, PADDED)
        last = row + len(answer.options)
        self._mark(f"C{row + 1}:C{last}")
        return last + 1

    def _followed(self, named: str, plain: str) -> Content:
        """The name of an option, and what is said of it only while the inputs are those of the build."""
        if named == plain:
            return named
        return Formula(f"IF({self.draft.cells.changed_inputs}=0,{quoted(named)},{quoted(plain)})", named)

    def _built(self) -> Formula:
        """That values are those of the build, or no longer of the inputs that stand now."""
        return Formula(f'IF({self.draft.cells.changed_inputs}=0,"{AT_BUILD}","{BEFORE}")', AT_BUILD)

    def _place(self, answer: Answer, option: OptionRow) -> int | None:
        """Which variant an option is, if it is a column of this workbook."""
        names = [case.name for case in self.draft.view.variants]
        if option.own:
            return names.index(option.name)
        return names.index(self.draft.report.chosen) if option.column == answer.chosen.column else None

    def _at_build(self, row: int, option: OptionRow, columns: Sequence[AmountColumn]) -> None:
        self.sheet.put(row, PLACE, None, COUNTED)
        self.sheet.put(row, WORD, option.word, STRONG)
        for column, each in enumerate(columns, AMOUNTS):
            self.sheet.put(row, column, each.built(self.draft, option), given(each.shown_as))

    def figures(self, row: int, shown: Mapping[str, Formula], picked: Picked) -> int:
        """Four figures of the chosen option, each with what it is compared with; the row after them."""
        boxes = list(self._boxes(shown, picked))
        for column, box in zip(BOXES, boxes, strict=False):
            for offset, (content, style) in enumerate(zip(box, (NOTE_BARE, VALUE, NOTE_BARE, NOTE_BARE), strict=True)):
                self.sheet.put(row + offset, column, content, style)
        self.sheet.worksheet.row_dimensions[row + 1].height = 22
        return row + BOX_ROWS

    def _boxes(self, shown: Mapping[str, Formula], picked: Picked) -> Iterator[tuple[Content, ...]]:
        peak, usable, room = (fixed(shown[kind], 1) for kind in ("peak", "usable", "headroom"))
        low, high = (fixed(picked.memory(f"peak_bytes_{end}"), 1) for end in ("low", "high"))
        yield "Peak memory per GPU", said(peak, " GiB"), said("of ", usable, " GiB"), said("likely ", low, " to ", high)
        planned = f"at least {policy_text(self.draft.view)} is planned"
        share = self._share(shown["headroom"], shown["usable"])
        yield "Headroom", said(room, " GiB"), said(fixed(share), " % of usable"), planned
        if self.draft.view.workload == "training":
            yield from self._time(shown, picked)
        elif picked.has("max_concurrent_sequences"):
            yield self._sequences(picked)
        if "cost" in shown:
            yield self._money(shown["cost"], picked)
        elif GPU_HOURS in shown:
            yield self._hours(shown[GPU_HOURS], picked)

    def _share(self, part: Formula, whole: Formula) -> Formula:
        hundred, share = self.draft.constants[HUNDRED.name], float(part.value) / float(whole.value)
        return Formula(f"{part.text}/{whole.text}*{hundred}", share * float(HUNDRED))

    @staticmethod
    def _sequences(picked: Picked) -> tuple[Content, ...]:
        names = ("max_concurrent_sequences", "context_length", "max_num_seqs")
        count, length, wanted = (fixed(picked.line(name)) for name in names)
        running = said(ONE_REPLICA, ", ", wanted, " planned")
        return "Sequences at once", count, said("of ", length, " tokens each"), running

    @staticmethod
    def _hours(hours: Formula, picked: Picked) -> tuple[Content, ...]:
        lines = [f"{GPU_HOURS}_{end}" for end in ("low", "high")]  # a service runs for the hours that are stated
        ends = _range(hours, [picked.line(name) for name in lines]) if all(map(picked.has, lines)) else None
        amount = where_number(hours, picked.in_words(hours), otherwise=hours)
        return "GPU-hours", amount, ends, "no price is stated"

    def _money(self, cost: Formula, picked: Picked) -> tuple[Content, ...]:
        """What has to be signed, with what this use bears of a purchase, or the range of a bill."""
        amount = where_number(cost, picked.in_words(cost), " USD", otherwise=cost)
        if self.draft.view.buys(picked.column):
            used = picked.in_words(picked.line(TOTAL_COST))
            return PURCHASE, amount, where_number(cost, "this use costs ", used, " USD"), None
        served = self.draft.view.workload == "serving"
        title = said("Cost of ", fixed(picked.line("hours")), " h") if served else "Cost of the run"
        return title, amount, _range(cost, [picked.cost(1), picked.cost(2)]), None

    def _time(self, shown: Mapping[str, Formula], picked: Picked) -> Iterator[tuple[Content, ...]]:
        if "time" in shown:
            tokens = said("for ", fixed(picked.line("training_tokens")), " tokens")
            range_ = _range(shown["time"], [picked.time(1), picked.time(2)])
            time = where_number(
                shown["time"], picked.in_words(shown["time"]), f" {unit_of_time(self.draft)}", otherwise=shown["time"]
            )
            yield "Run time", time, range_, tokens


def _range(amount: Formula, ends: Sequence[Formula]) -> Formula | None:
    """Both ends below an amount, in tenths where it is less than a hundred; those of less than one say nothing so."""
    size = float(HUNDRED) if isinstance(amount.value, str) else amount.value
    if size < 1:
        return None
    low, high = (fixed(end, int(size < float(HUNDRED))) for end in ends)
    return where_number(amount, low, " to ", high)


def _named(option: OptionRow, answer: Answer) -> str:
    """What an option is to the reader, which it is, and its GPUs where they are others."""
    chosen = option.column == answer.chosen.column and option.role is Role.AS_SUBMITTED and not answer.options[1:]
    role = f"{option.role_words}, recommended" if chosen else option.role_words
    submitted = answer.options[0].gpus.hardware
    others = (
        f", on {option.gpus.hardware}"
        if option.gpus.hardware != submitted and option.gpus.hardware not in option.title
        else ""
    )
    return f"{role}: {option.title}{others}"


def place_of(row: int) -> str:
    """The cell that holds the number of a row's variant."""
    return f"${letter(PLACE)}${row}"
