"""The Roofline sheet: one row a kernel, one formula a column, for the variant that is picked in a drop-down."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum

from memreport.figures.beside import seconds_of
from memreport.figures.registry import PHASES, Phase
from memreport.figures.time.roofline import (
    Kernel,
    attainable_flop_per_second,
    bound,
    intensity,
    intensity_loads,
    kernel_bytes,
    seconds_at_roof,
    share_of_step,
)
from memreport.formula.printing import to_excel
from memreport.formula.recording import Figure
from memreport.publish.xlsx.common.draft import ROOF_SPAN, Draft
from memreport.publish.xlsx.common.titles import ROOFLINE
from memreport.publish.xlsx.scenario.choice import ROWS, VariantChoice
from memreport.publish.xlsx.scenario.front.said import spread_said
from memreport.publish.xlsx.scenario.speed.step_time import write_parts
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Formula, Sheet, head, index, letter
from memreport.publish.xlsx.sheet.charts import Curve, Frame, NamedLine, Side, roofline
from memreport.publish.xlsx.sheet.styles import (
    HEADER,
    HEADER_NUMBER,
    IN_GIGA,
    LABEL,
    NAME,
    NOTE,
    NOTE_BARE,
    STRONG,
    WHOLE,
    WORD,
    format_of,
    number,
)
from memreport.report.speed.limits import DATA_TYPES, shown_beside

WIDTHS = (38, 25, 12, 17.5, 17.5, 18.5, 14, 12, 11.5, 10.5, 10.5, 12.5, 10.5, 12.5, 12.5, 13, 13, 13)
PRINTED = 15
"""The last column that is printed; what the charts draw stands behind it and below them."""
NUMBERS = 3
ABOUT = (
    "What limits each kernel, how fast it can be at best (a bound), and what it is computed to reach. "
    "Below the charts, not printed: what they draw."
)
FAMILIES = (kernel_bytes, intensity, intensity_loads, attainable_flop_per_second, bound, seconds_at_roof, share_of_step)
TITLES = (
    "FLOP",
    "bytes loaded",
    "bytes stored",
    "bytes",
    "FLOP per byte",
    "FLOP per byte loaded",
    "attainable FLOP/s",
    "limit (number)",
    "limit",
    "seconds at best",
    "share of the time",
    "seconds computed",
    "FLOP/s reached",
    "drawn at FLOP per byte",
    "drawn at FLOP/s",
    "reached, drawn at FLOP/s",
)
COLUMNS = {
    "kernel_flop": "C",
    "kernel_load_bytes": "D",
    "kernel_store_bytes": "E",
    "kernel_bytes": "F",
    "intensity": "G",
    "intensity_loads": "H",
    "attainable_flop_per_second": "I",
    "bound": "J",
    "words": "K",
    "seconds_at_roof": "L",
    "share_of_step": "M",
    "computed": "N",
    "reached": "O",
    "drawn_x": "P",
    "drawn_y": "Q",
    "drawn_reached": "R",
}
"""The column of each quantity; a figure's name where there is one."""
SHARED = ("peak_flop_per_second", "memory_bytes_per_second", "ridge_flop_per_byte")
CHART_ROWS = 18
ROOF_POINTS, OTHER_POINTS = 3, 2
FLAT_SIDES: tuple[tuple[int, Side], ...] = ((1, "t"), (1, "r"), (1, "b"), (0, "t"), (0, "b"))
SLOPING_SIDES: tuple[tuple[int, Side], ...] = ((0, "l"), (0, "l"), (0, "r"))
"""Which point of a line bears its name, and on which side: the fastest data type first, then link, host, network."""
_Point = tuple[str, float, str, float]
"""A formula and its value across, and the same up."""


@dataclass
class _Writer:
    draft: Draft
    sheet: Sheet
    shown: int = 0
    shared: dict[str, str] = field(default_factory=dict)
    charts: list[tuple[int, Phase, int, int]] = field(default_factory=list)
    """Row of the chart, phase, and the rows of its kernels."""

    def choice(self, row: int) -> int:
        """The drop-down, the column that it picks, and the roof of that variant; the next free row."""
        view, sheet = self.draft.view, self.sheet
        self.variant = VariantChoice.of_report(self.draft, sheet, row)
        self.shown = self.variant.shown
        for offset, name in enumerate(SHARED, ROWS):
            sheet.put(row + offset, 1, f"{view.meaning(name)} ({view.unit(name)})", LABEL)
            sheet.put(row + offset, 2, self.picked(name), number(self.look(name)))
            self.shared[name] = f"$B${row + offset}"
        return row + ROWS + len(SHARED)

    def picked(self, name: str) -> Formula:
        """A line of the Calculation sheet, in the variant that is shown."""
        return self.variant.picked(name)

    def phase(self, row: int, phase: Phase) -> int:
        """One phase: its kernels, their sum, room for the chart; the next free row."""
        sheet = self.sheet
        sheet.band(row, f"Kernels of the {phase.title}", len(WIDTHS))
        sheet.row(row + 1, 1, ["Kernel", "Name"], HEADER)
        sheet.row(row + 1, NUMBERS, list(TITLES), HEADER_NUMBER)
        first, last = row + 2, row + 1 + len(phase.kernels)
        whole = Kernel(
            phase.id, "whole", f"{phase.id}_kernel_flop", f"{phase.id}_load_bytes", f"{phase.id}_store_bytes"
        )
        for position, kernel in enumerate(phase.kernels):
            self.kernel(first + position, kernel, last + 1)
        self.kernel(last + 1, whole, last + 1)
        shares = [self.draft.value(f"share_of_step.{kernel.id}", self.shown) for kernel in phase.kernels]
        sheet.put(last + 1, 13, Formula(f"SUM(M{first}:M{last})", fsum(shares)), number("0.0%"))
        self.draft.cells.kernel_shares[phase.id] = sheet.address(last + 1, 13)
        sheet.keep_together(row, last + 2 + CHART_ROWS)
        self.charts.append((last + 3, phase, first, last))
        return last + 3 + CHART_ROWS

    def drawn_below(self, row: int) -> None:
        """Under all charts, the points of their roofs, and then the charts."""
        for anchor, phase, first, last in self.charts:
            heading = f"What the chart of the {phase.title} draws beside its kernels"
            self.sheet.band(row, heading, len(WIDTHS))
            others = self.others(row + 1 + ROOF_POINTS)
            self.chart(anchor, phase, self.roof(row + 1), first, last, others)
            row += 2 + ROOF_POINTS + OTHER_POINTS * len(others)

    def kernel(self, row: int, kernel: Kernel, total_row: int) -> None:
        """One row."""
        sheet, whole = self.sheet, row == total_row
        sheet.put(row, 1, kernel.title, STRONG if whole else LABEL)
        sheet.put(row, 2, kernel.id, NAME)
        for column, name in enumerate((kernel.flop, kernel.load, kernel.store), NUMBERS):
            sheet.put(row, column, self.picked(name), number(self.look(name)))
        for family in FAMILIES:
            if not (whole and family is share_of_step):
                self.member(row, kernel, family, total_row)
        self.words(row, kernel)
        if not whole:
            self.reached(row, kernel)
            self.drawn(row, kernel)

    def member(self, row: int, kernel: Kernel, family: Figure, total_row: int) -> None:
        """One member of a family: by the family's formula, or from Calculation where it stands there."""
        name = self.line_of(kernel, family)
        column = ord(COLUMNS[family.name]) - ord("A") + 1
        if name in self.draft.rows:
            content = self.picked(name)
        else:
            text = to_excel(family.expression, lambda input_: self.cell(input_, row, total_row))
            content = Formula(text, self.draft.value(name, self.shown))
        self.sheet.put(row, column, content, number(self.look(name)))

    def look(self, name: str) -> str:
        """The number format of a line, by all its variants; the columns are wide enough for bytes in full."""
        if self.draft.view.unit(name) in IN_GIGA:
            return WHOLE
        values = [self.draft.value(name, position) for position in range(self.draft.count)]
        return format_of(self.draft.view.unit(name), values)

    def line_of(self, kernel: Kernel, family: Figure) -> str:
        """The engine's name of a member; the whole's seconds are a sum of their own."""
        sum_ = f"{kernel.id}_seconds_at_roof"
        return sum_ if family is seconds_at_roof and sum_ in self.draft.rows else f"{family.name}.{kernel.id}"

    def cell(self, name: str, row: int, total_row: int) -> str:
        """Where a family's input stands."""
        if name in self.shared:
            return self.shared[name]
        if name in self.draft.constants:
            return self.draft.constants[name]
        if name == "whole_seconds":
            return f"${COLUMNS['seconds_at_roof']}${total_row}"
        return f"{COLUMNS['seconds_at_roof' if name == 'kernel_seconds' else name]}{row}"

    def words(self, row: int, kernel: Kernel) -> None:
        """What limits the kernel, in words."""
        code = int(self.draft.value(f"bound.{kernel.id}", self.shown))
        place = self.draft.words[bound.name]
        self.sheet.put(row, 11, index(place, f"J{row}", list(bound.labels), code), WORD)

    def reached(self, row: int, kernel: Kernel) -> None:
        """The kernel's computed seconds and its rate in them; nothing where no line computes this kernel alone."""
        names = seconds_of(kernel.id, self.draft.view.workload)
        if not names:
            return
        seconds, rate = self.beside("kernel_seconds", kernel), self.beside("reached_flop_per_second", kernel)
        text = "+".join(self.variant.text(name) for name in names)
        self.sheet.put(row, 14, Formula(text, seconds), number(format_of("s", [seconds])))
        self.sheet.put(row, 15, Formula(f"IF(N{row}>0,C{row}/N{row},0)", rate), number(format_of("FLOP/s", [rate])))

    def beside(self, name: str, kernel: Kernel) -> float:
        """A figure of a kernel that is no line of the calculation; 0 where it is not known."""
        return self.draft.view.beside(f"{name}.{kernel.id}", self.shown)

    def drawn(self, row: int, kernel: Kernel) -> None:
        """Where the chart draws the kernel; one not launched lies at the left end, as 0 has no logarithm."""
        value = self.draft.value(f"intensity.{kernel.id}", self.shown)
        rate = self.draft.value(f"attainable_flop_per_second.{kernel.id}", self.shown)
        left = self.draft.value("ridge_flop_per_byte", self.shown) / ROOF_SPAN
        slope = self.draft.value("memory_bytes_per_second", self.shown)
        edge = f"{self.shared['ridge_flop_per_byte']}/{self.draft.constants[ROOF_SPAN.name]}"
        climb = f"P{row}*{self.shared['memory_bytes_per_second']}"
        places = (value if value > 0 else left, rate if value > 0 else left * slope)
        for column, text, content, unit in (
            (16, f"IF(G{row}>0,G{row},{edge})", places[0], "FLOP/byte"),
            (17, f"IF(G{row}>0,I{row},{climb})", places[1], "FLOP/s"),
            (18, f"IF(O{row}>0,O{row},Q{row})", self.beside("reached_flop_per_second", kernel) or places[1], "FLOP/s"),
        ):
            self.sheet.put(row, column, Formula(text, content), number(format_of(unit)))

    def roof(self, row: int) -> int:
        """Three points of the roof: left end, ridge, right end; its first row."""
        draft, span = self.draft, self.draft.constants[ROOF_SPAN.name]
        ridge, speed = (
            draft.value("ridge_flop_per_byte", self.shown),
            draft.value("memory_bytes_per_second", self.shown),
        )
        peak = draft.value("peak_flop_per_second", self.shown)
        place = self.shared["ridge_flop_per_byte"]
        points = (
            ("roof", f"{place}/{span}", ridge / ROOF_SPAN),
            ("roof, at its ridge", place, ridge),
            ("roof, right end", f"{place}*{span}", ridge * ROOF_SPAN),
        )
        for position, (title, text, value) in enumerate(points):
            self.sheet.put(row + position, 1, title, NOTE)
            self.sheet.put(row + position, 16, Formula(text, value), number("#,##0.00"))
            limit = (
                f"MIN({self.shared['peak_flop_per_second']},P{row + position}*{self.shared['memory_bytes_per_second']})"
            )
            self.sheet.put(row + position, 17, Formula(limit, min(peak, value * speed)), number("0.000E+00"))
        return row

    def others(self, row: int) -> list[NamedLine]:
        """Two points for each roof beside the main one: other data types are flat, slower wires slope."""
        shown = {name: title for name, title in shown_beside(self.draft.view).items() if name in self.draft.rows}
        sides = [*FLAT_SIDES[: sum(name in DATA_TYPES for name in shown)], *SLOPING_SIDES]
        lines = [
            self.other(row + OTHER_POINTS * position, name, title)
            for position, (name, title) in enumerate(shown.items())
        ]
        return [NamedLine(line, *side) for line, side in zip(lines, sides, strict=False)]

    def other(self, row: int, name: str, title: str) -> Curve:
        """One of them: its rate from Calculation, and where its line begins and ends."""
        sheet = self.sheet
        sheet.put(row, 1, title, NOTE)
        sheet.put(row + 1, 1, f"{title}, at its end", NOTE)
        sheet.put(row, 2, self.picked(name), number(format_of(self.draft.view.unit(name))))
        ends = self.flat(row, name) if name in DATA_TYPES else self.slope(row, name)
        for position, (across, x, up, y) in enumerate(ends):
            sheet.put(row + position, 16, Formula(across, x), number("#,##0.00"))
            sheet.put(row + position, 17, Formula(up, y), number("0.000E+00"))
        return Curve(sheet.address(row, 1), sheet.span(row, 17, row + 1, 17), sheet.span(row, 16, row + 1, 16))

    def flat(self, row: int, name: str) -> tuple[_Point, _Point]:
        """From where memory is fast enough for the rate to the right end."""
        rate, speed, ridge = (self.draft.value(each, self.shown) for each in (name, SHARED[1], SHARED[2]))
        right = f"{self.shared[SHARED[2]]}*{self.draft.constants[ROOF_SPAN.name]}"
        start = (f"$B{row}/{self.shared[SHARED[1]]}", rate / speed, f"$B{row}", rate)
        return start, (right, ridge * ROOF_SPAN, f"$B{row}", rate)

    def slope(self, row: int, name: str) -> tuple[_Point, _Point]:
        """From the height of the roof's left end up to the roof, or to the right end."""
        wire, peak, ridge = (self.draft.value(each, self.shown) for each in (name, SHARED[0], SHARED[2]))
        span, top = self.draft.constants[ROOF_SPAN.name], self.shared[SHARED[0]]
        low, high = peak / ROOF_SPAN / wire, min(peak / wire, ridge * ROOF_SPAN)
        end = f"MIN({top}/$B{row},{self.shared[SHARED[2]]}*{span})"
        start = (f"{top}/{span}/$B{row}", low, f"P{row}*$B{row}", low * wire)
        return start, (end, high, f"P{row + 1}*$B{row}", high * wire)

    def chart(self, row: int, phase: Phase, roof: int, first: int, last: int, others: list[NamedLine]) -> None:
        """The roofline of a phase."""
        sheet = self.sheet
        kernels = [
            Curve(
                sheet.address(position, 1),
                sheet.span(position, 17, position, 17),
                sheet.span(position, 16, position, 16),
            )
            for position in range(first, last + 1)
        ]
        described = (
            f"The roof of the GPU over FLOP per byte, both axes logarithmic, with its ridge and one point for "
            f"each kernel of the {phase.title}, a ring for the rate that it is computed to reach; thin lines are other "
            f"data types and slower wires; the rows above hold the values of the kernels."
        )
        title = f"Roofline of the {phase.title}"
        frame = Frame(title, "FLOP per byte moved", "FLOP/s of one GPU", described, f"A{row}", 34, 9.4)
        line = Curve(sheet.address(roof, 1), sheet.span(roof, 17, roof + 2, 17), sheet.span(roof, 16, roof + 2, 16))
        reached = Curve(sheet.address(first - 1, 15), sheet.span(first, 18, last, 18), sheet.span(first, 16, last, 16))
        roofline(sheet, frame, line, kernels, reached, others)


def write(draft: Draft, sheet: Sheet) -> None:
    """Fill the sheet: the choice, then one block a phase."""
    sheet.widths(*WIDTHS)
    head(sheet, ROOFLINE, ABOUT)
    sheet.put(3, 2, spread_said(draft), NOTE_BARE)
    writer = _Writer(draft, sheet)
    row = writer.choice(FIRST_ROW) + 1
    if draft.view.workload == "training":
        row = write_parts(draft, sheet, row)
    for phase in PHASES[draft.view.workload]:
        row = writer.phase(row, phase)
    sheet.worksheet.print_area = f"A1:{letter(PRINTED)}{row - 1}"
    writer.drawn_below(row)
    sheet.worksheet.freeze_panes = f"B{FIRST_ROW}"
