"""The amounts that the Summary shows of an option: as formulas of a column of Calculation, and as values at build."""

from __future__ import annotations

from collections.abc import Iterator

from memreport.catalogue.quantities import GIB
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import (
    FEW_DIGITS,
    FIRST,
    HOURS_OF_DAY,
    HUNDRED,
    IN_WORDS,
    MILLISECONDS,
    MINUTES_OF_HOUR,
    SMALL_DIGITS,
    VERDICT,
    Draft,
)
from memreport.publish.xlsx.common.titles import INPUTS
from memreport.publish.xlsx.scenario.front.said import as_fixed, fixed, quoted, said
from memreport.publish.xlsx.sheet.book import Content, Formula
from memreport.publish.xlsx.sheet.styles import PAID, gibibytes_format, time_format
from memreport.report.answer.rows import GPUS_NEEDED, TOO_SLOW
from memreport.report.live.ranges import COST, TIME
from memreport.report.money.prices import NO_PRICE
from memreport.report.peak.monitor import NOTHING
from memreport.report.records.decision import OptionRow
from memreport.report.verdicts import word_of

MEMORY = {"peak": "peak_bytes", "usable": "usable_bytes", "headroom": "headroom_bytes"}
UNITS_OF_TIME = {"days": ("/", HOURS_OF_DAY), "min": ("*", MINUTES_OF_HOUR), "ms": ("*", MILLISECONDS)}
"""Units in which an answer may say its time, and how hours, or seconds of a server, become them."""
OF_A_DEMAND = ("meets_demand", "meets_targets", "needed_accelerators", "accelerators")
"""Lines that say whether a demand is carried, whether one replica is fast enough, and how many GPUs it takes."""
LACKING = "; "
"""What stands between the verdict on memory and what a demand lacks."""
FEW_HOURS = "[<10]0.00;[<100]0.0;#,##0"
TOTAL_COST, PURCHASE = "cost_total_usd", "Purchase to approve"
GPU_HOURS = "whole_accelerator_hours"
"""What stands in place of a cost where no price is stated."""


@frozen
class Picked:
    """One variant's column of Calculation; `place` is the cell that holds its number, from 1."""

    draft: Draft
    place: str
    column: int

    def line(self, name: str) -> Formula:
        """A line of Calculation, or an input that is only typed."""
        draft = self.draft
        if name in draft.rows:
            return Formula(f"INDEX({draft.calculated(name)},{self.place})", draft.value(name, self.column))
        inputs, row = draft.book.sheets[INPUTS], draft.inputs.rows[name]
        span = inputs.span(row, FIRST, row, draft.last)
        return Formula(f"INDEX({span},{self.place})", draft.value(name, self.column))

    def has(self, name: str) -> bool:
        """Whether a sheet of this workbook has the line or input."""
        return name in self.draft.rows or name in self.draft.inputs.rows

    @property
    def verdict(self) -> Formula:
        """The verdict in words, and what a demand lacks beside memory."""
        word = Formula(self.line_text(IN_WORDS.format(VERDICT)), word_of(self.draft.view, self.column))
        if self.draft.view.scenario.demand is None or not all(map(self.has, OF_A_DEMAND)):
            return word
        meets, fast, needed, held, fits = (self.line(name) for name in (*OF_A_DEMAND, "fits"))
        few = said(word, LACKING, fixed(held), " of ", fixed(needed), f" {GPUS_NEEDED}")
        slow = said(word, LACKING, TOO_SLOW)
        text = f"IF({meets.text}+1-{fits.text}>0,{word.text},IF({fast.text}=1,{few.text},{slow.text}))"
        lacks = (few if fast.value else slow) if fits.value and not meets.value else word
        return Formula(text, lacks.value)

    def line_text(self, name: str) -> str:
        """Where a line of words stands."""
        return f"INDEX({self.draft.calculated(name)},{self.place})"

    def memory(self, name: str) -> Formula:
        """A line of bytes in GiB."""
        line = self.line(name)
        return self.draft.gibibytes(line.text, float(line.value))

    def time(self, end: int = 0) -> Formula:
        """The run by the clock, or a server's time per token, in the unit of the answer.  Ends: 1 low, 2 high."""
        return in_unit_of_time(self.draft, self.line(TIME[self.draft.view.workload].figures[end]))

    def cost(self, end: int = 0) -> Formula:
        """US dollars of the whole run or service; of the purchase, where hardware is bought.  Ends: 1 low, 2 high."""
        return self.line(COST[self.draft.view.workload].figures[end])

    def in_words(self, amount: Formula) -> Formula:
        """A sum of money or hours as text: none, two or four digits behind the point, by how large it is."""
        value, constants = amount.value, self.draft.constants
        if isinstance(value, str):  # where there is no number, a sentence is left out, and its size is no matter
            value = float(HUNDRED)
        few, small, hundred = (constants[each.name] for each in (FEW_DIGITS, SMALL_DIGITS, HUNDRED))
        digits = f"{few}*({amount.text}<{hundred})+({small}-{few})*({amount.text}<1)"
        shown = 0 if value >= float(HUNDRED) else int(float(FEW_DIGITS if value >= 1 else SMALL_DIGITS))
        return Formula(f"FIXED(ROUND({amount.text},9),{digits})", as_fixed(value, shown))

    def where_it_runs(self, amount: Formula) -> Formula:
        """An amount, or a dash where the job would run out of memory."""
        fits = self.line("fits")
        value = amount.value if fits.value else NOTHING
        return Formula(f'IF({fits.text}=1,{amount.text},"{NOTHING}")', value)

    def priced(self, amount: Formula) -> Formula:
        """An amount of money, a dash for what does not run, or that there is no price of the GPU."""
        if not self.draft.cells.which_price:
            return self.where_it_runs(amount)
        known = f'(INDEX({self.draft.cells.which_price},{self.place})<>"{NO_PRICE}")'
        fits = self.line("fits")
        value = amount.value if fits.value else NOTHING
        return Formula(f'CHOOSE(1+{fits.text}*(1+{known}),"{NOTHING}","{NO_PRICE}",{amount.text})', value)


def has_cost(draft: Draft) -> bool:
    """Whether the scenario states a price."""
    return draft.view.scenario.cost is not None and TOTAL_COST in draft.rows


def has_time(draft: Draft) -> bool:
    """Whether a time is shown."""
    return TIME[draft.view.workload].figures[0] in draft.rows


def unit_of_time(draft: Draft) -> str:
    """The unit in which the answer says its time, so that the Summary says it in the same."""
    answer, unit = draft.report.answer, TIME[draft.view.workload].unit
    said = answer.chosen.takes.time.amount.shown_unit if answer and answer.chosen.takes.time else unit
    return said if said in UNITS_OF_TIME else unit


def in_unit_of_time(draft: Draft, time: Formula) -> Formula:
    """A time in that unit."""
    sign, constant = UNITS_OF_TIME.get(unit_of_time(draft), ("", None))
    if constant is None:
        return time
    factor = 1 / constant if sign == "/" else float(constant)
    return Formula(f"{time.text}{sign}{draft.constants[constant.name]}", float(time.value) * factor)


@frozen
class AmountColumn:
    """A column of amounts: its title, how a variant's cell is computed, what an option was at build, its format."""

    kind: str
    title: Content
    shown_as: str

    def live(self, picked: Picked) -> Formula:
        """The amount of a variant."""
        if self.kind in MEMORY:
            return picked.memory(MEMORY[self.kind])
        if self.kind == "time":
            return picked.where_it_runs(picked.time())
        if self.kind == "cost":
            return picked.priced(picked.cost())
        if self.kind == GPU_HOURS:
            return picked.where_it_runs(picked.line(GPU_HOURS))
        return picked.priced(picked.line(self.kind)) if "usd" in self.kind else picked.line(self.kind)

    def built(self, draft: Draft, option: OptionRow) -> float | str:
        """The amount of an option that is no column of this workbook."""
        if self.kind == "time" and option.takes.time:
            return in_unit_of_time(draft, Formula("", option.takes.time.amount.value)).value
        if self.kind in MEMORY:
            return float(getattr(option.memory, self.kind).value) / GIB
        if self.kind == GPU_HOURS:
            return option.takes.accelerator_hours or NOTHING
        return option.takes.cost.amount.value if self.kind == "cost" and option.takes.cost else NOTHING


def amount_columns(draft: Draft) -> Iterator[AmountColumn]:
    """Peak, usable, headroom, time and cost."""
    sizes = [draft.value(name, index) / GIB for name in MEMORY.values() for index in range(draft.count)]
    memory = gibibytes_format(sizes)
    for kind in MEMORY:
        yield AmountColumn(kind, f"{kind.capitalize()} (GiB)", memory)
    if has_time(draft):
        time = TIME[draft.view.workload]
        lines = [Formula("", draft.value(time.figures[0], index)) for index in range(draft.count)]
        values = [float(in_unit_of_time(draft, line).value) for line in lines]
        yield AmountColumn("time", f"{time.title} ({unit_of_time(draft)})", time_format(values, 1))
    if has_cost(draft):
        yield AmountColumn("cost", _cost_title(draft), PAID)
    elif GPU_HOURS in draft.rows:
        yield AmountColumn(GPU_HOURS, "GPU-hours", FEW_HOURS)


def _cost_title(draft: Draft) -> Content:
    """What has to be signed; of a service that is rented, the hours that it is for, which may be changed."""
    bought = [draft.view.buys(index) for index in range(draft.count)]
    rented = COST[draft.view.workload].title
    if draft.view.workload == "training" or any(bought):
        title = PURCHASE if all(bought) else f"{rented}, or purchase" if any(bought) else rented
        return f"{title} (USD)"
    row = draft.inputs.rows.get("hours", 0)
    span = draft.book.sheets[INPUTS].span(row, FIRST, row, draft.last) if row else draft.calculated("hours")
    hours = [draft.value("hours", index) for index in range(draft.count)]
    most = fixed(Formula(f"MAX({span})", max(hours)))
    whole = said("Cost of ", most, " h (USD)")
    each = f"{rented} (USD)"
    value = whole.value if max(hours) == min(hours) else each
    return Formula(f"IF(MAX({span})=MIN({span}),{whole.text},{quoted(each)})", value)
