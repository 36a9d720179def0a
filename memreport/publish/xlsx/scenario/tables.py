"""One sheet a scaling table: a readable grid, its curves, and below them the calculation of every point."""

from __future__ import annotations

from collections.abc import Callable

from openpyxl.worksheet.datavalidation import DataValidation

from memreport.advise.verdict import JUDGED
from memreport.catalogue.names import in_sentence, of_accelerator, title_of
from memreport.catalogue.scenario import ScalingTable
from memreport.compute import needed_for
from memreport.formula.recording import Line
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import FIRST, NOT_GIVEN, STATED_FOR, VERDICT, Draft
from memreport.publish.xlsx.common.lines import HERE, Block, Text, read_by, shown_unit
from memreport.publish.xlsx.common.titles import INPUTS
from memreport.publish.xlsx.file.cells import Value
from memreport.publish.xlsx.scenario.front.said import spread_said
from memreport.publish.xlsx.scenario.inputs import rule_of
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Content, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.charts import Curve, Frame, curves
from memreport.publish.xlsx.sheet.marks import LOOKS, mark_where, mark_words
from memreport.publish.xlsx.sheet.paper import WIDEST, lines_of
from memreport.publish.xlsx.sheet.styles import (
    GIBIBYTES,
    HEADER,
    HEADER_NUMBER,
    HEADING,
    INPUT_WORD,
    LABEL,
    NOTE,
    NOTE_BARE,
    PLAIN,
    TEXT_BARE,
    WORD,
    Style,
    format_of,
    number,
    typed,
)
from memreport.report.verdicts import word_of

AXIS = FIRST - 1
"""Column E: the values of the rows."""
ROW, COLUMN, WIDTH = "row of the grid", "column of the grid", "columns of the grid"
VERDICT_FIGURES = ("peak_bytes", "peak_bytes_low", "peak_bytes_high", "headroom_bytes", "headroom_share", "fits")
LIMITED = ("peak_bytes", "peak_bytes_low", "peak_bytes_high", "allocated_peak_bytes")
CHART_ROWS = 20
WIDEST_CHART, GAP = 19.0, 0.3
"""Centimetres of a chart at most, and between it and the grid."""
AXIS_WIDTH = 18
LEAST = 2
"""Columns that are printed beside those of the grid, at most."""


@frozen
class SweptField:
    """A swept field: its name, how many values it takes, the range of the cells that hold them."""

    name: str
    count: int
    span: str


class TableSheet:
    """Writes one scaling table."""

    def __init__(self, draft: Draft, sheet: Sheet, index: int) -> None:
        self.draft, self.sheet, self.index = draft, sheet, index
        self.view = draft.view
        self.table: ScalingTable = self.view.scenario.tables[index]
        self.points = self.view.resolved.points(index)
        self.columns = len(next(iter(self.table.columns.values()), [None]))
        self.rows = len(self.points) // self.columns
        names = [case.name for case in self.view.variants]
        self.variant = names.index(self.table.variant) if self.table.variant else 0
        self.judged = self.table.figure in VERDICT_FIGURES
        self.limited = self.table.figure in LIMITED
        self.in_gib = self.view.unit(self.table.figure) == "byte"

    def write(self) -> None:
        """Title, grid, words, chart, calculation."""
        said = self._head()
        grid = FIRST_ROW
        words = grid + self.rows + 3
        below = words + (self.rows + 3 if self.judged else 0)
        chart, area = (f"A{grid}", "A1") if self._has_room() else (f"{letter(AXIS)}{below}", f"{letter(AXIS)}{grid}")
        block = max(below, grid + CHART_ROWS + 1) if self._has_room() else below + CHART_ROWS + 1
        self._axes(grid + 1)
        cells = self._block(block)
        self._grid(grid, cells)
        if self.judged:
            self._words(words, cells)
        self._chart(grid, chart)
        self.sheet.put(block - 1, AXIS, None, TEXT_BARE)
        self.sheet.worksheet.freeze_panes = f"C{FIRST_ROW}"
        self.sheet.worksheet.print_area = f"{area}:{letter(self._last_printed())}{block - 1}"
        if not self._has_room():  # the chart stands below the grid, and what is before the grid is not printed
            self.sheet.page_head, self.sheet.over_pages = (self.table.title, said), f"{letter(AXIS)}:{letter(AXIS)}"

    def _head(self) -> str:
        """Widths and title; what is said below it."""
        self.draft.set_widths(self.sheet, len(self.points), self.columns + LEAST)
        self.sheet.width(AXIS, AXIS_WIDTH)
        variant = self.view.variants[self.variant].name
        said = f"Variant {variant}; the yellow values may be changed. Below the grid, not printed: the calculation."
        head(self.sheet, self.table.title, said)
        if self.view.spread(self.table.figure, self.points):
            self.sheet.put(3, AXIS, spread_said(self.draft), NOTE_BARE)
        return said

    def _has_room(self) -> bool:
        """Whether the grid fits beside its chart on one page of print."""
        return sum(map(self.sheet.width_of, range(1, self._last_printed() + 1))) <= WIDEST

    def _last_printed(self) -> int:
        """The last column of the grid, or the one at which its heading ends."""
        last = FIRST + self.columns - (not self.limited)
        width = sum(map(self.sheet.width_of, range(AXIS, last + 1)))
        while lines_of(self._about(), width, HEADING.size, bold=True) > 1:
            last += 1
            width += self.sheet.width_of(last)
        return last

    def _about(self) -> str:
        """The heading of the grid."""
        return f"{self._named()}: {self.view.meaning(self.table.figure)}"

    def _axes(self, header: int) -> None:
        """The header cells: inputs, each with the rule of its field."""
        row_name, column_name = self._names()
        span = self.sheet.span(header + 1, AXIS, header + self.rows, AXIS)
        self.down = SweptField(row_name, self.rows, span)
        last = FIRST + self.columns - 1
        self.across = SweptField(column_name, self.columns, self.sheet.span(header, FIRST, header, last))
        for row in range(self.rows):
            self._axis_cell(header + 1 + row, AXIS, row_name, self.points[row * self.columns])
        for column in range(self.columns):
            self._axis_cell(header, FIRST + column, column_name, self.points[column])
        self.sheet.allow(self._rule(row_name), f"{letter(AXIS)}{header + 1}:{letter(AXIS)}{header + self.rows}")
        self.sheet.allow(self._rule(column_name), f"{letter(FIRST)}{header}:{letter(last)}{header}")

    def _names(self) -> tuple[str, str]:
        keys = [*self.table.rows, *self.table.columns, ""][:2]
        return keys[0].rpartition(".")[2], keys[1].rpartition(".")[2]

    def _axis_cell(self, row: int, column: int, name: str, case: int) -> None:
        if not name:
            self.sheet.put(row, column, title_of(self.table.figure), HEADER_NUMBER)
            return
        value = self._axis_value(name, case)
        style = HEADER if name == "model" else INPUT_WORD
        if not isinstance(value, str):
            value, style = float(value), typed(format_of(self.view.unit(name)))
        self.sheet.put(row, column, value, style)

    def _axis_value(self, name: str, index: int) -> str | float:
        case = self.view.resolved.cases[index]
        if name == "model":
            return case.card.id
        return self.draft.setting(case, name) if name in case.settings else case.overrides[name]

    def _rule(self, name: str) -> DataValidation | None:
        return rule_of(self.view.fields[name]) if name in self.view.fields else None

    def _block(self, row: int) -> Block:
        """The calculation of the points, and with it the cells that the grid shows."""
        sheet = self.sheet
        sheet.row(row, 1, ["Name", "Calculation of the points", "Unit", "Basis", "Source"], HEADER)
        for index in range(len(self.points)):
            sheet.put(row, FIRST + index, float(index + 1), HEADER_NUMBER)
        block = Block(self.draft, sheet, row + 1, self.points, self._given, self._override)
        self.block = block
        self._positions(block, row)
        lines = needed_for(self.view.computed.lines, [self.table.figure, *(JUDGED if self.judged else ())])
        self._inputs(block, lines)
        block.heading("Looked up")
        block.choices({name: None for name in read_by(lines) if name in self.view.attributes})
        block.figures([("Figures", lines)])
        if self.judged:
            block.verdict(word_of(self.view, case) for case in self.points)
        return block

    def _positions(self, block: Block, header: int) -> None:
        """Which row and column of the grid each point is."""
        spots = range(len(self.points))
        block.heading("Points, row by row")
        width = Text(WIDTH, "how many columns the grid has")
        block.put(width, f"COLUMNS({self.across.span})", [float(self.columns)] * len(self.points), "0")
        rows: list[Value] = [float(index // self.columns + 1) for index in spots]
        template = f"ROUNDUP({HERE}${header}/{block.cell(WIDTH)},0)"
        block.put(Text(ROW, "which row of the grid this point is"), template, rows, "0")
        columns: list[Value] = [float(index % self.columns + 1) for index in spots]
        template = f"{HERE}${header}-({block.cell(ROW)}-1)*{block.cell(WIDTH)}"
        block.put(Text(COLUMN, "which column of the grid this point is"), template, columns, "0")

    def _swept(self, name: str) -> str | None:
        """The formula of a swept input, where the name is one."""
        if name == self.down.name:
            return f"INDEX({self.down.span},{self.block.cell(ROW)})"
        return f"INDEX({self.across.span},{self.block.cell(COLUMN)})" if name == self.across.name else None

    def _inputs(self, block: Block, lines: list[Line]) -> None:
        """Inputs of the points: swept ones from the grid, all others as the variant has them."""
        block.heading("Inputs of the points")
        inputs, view = self.draft.inputs, self.view
        needed = read_by(lines)
        choices = {view.attributes[name][0].name for name in needed if name in view.attributes}
        choices |= {"accelerator"} if needed.keys() & of_accelerator(view.resolved.catalogue) else set()
        choices |= {"accelerator", "count"} if "host" in choices else set()
        models = self._models(block) if "model" in (self.down.name, self.across.name) else {}
        for name in inputs.rows:
            if name in needed or name in choices:
                template = models.get(name) or self._swept(name) or self._inherited(inputs.rows[name])
                template = f"0*{template}" if self._is_stated(name) else template
                self._input(block, name, template)
        for name, row in inputs.overrides.items():
            if name in needed or name in {line.name for line in lines}:
                self._replacement(block, name, row)

    def _is_stated(self, name: str) -> bool:
        """Whether what a table runs over is what this says that nobody stated."""
        return name == "unstated_sequences" and "max_num_seqs" in (self.down.name, self.across.name)

    def _inherited(self, row: int) -> str:
        return self.draft.book.sheets[INPUTS].address(row, FIRST + self.variant)

    def _input(self, block: Block, name: str, template: str) -> None:
        view = self.view
        numeric = name in view.resolved.inputs
        meaning = view.fields[name].meaning if name in view.fields else title_of(name)
        text = Text(name, meaning, shown_unit(view.unit(name)) if numeric else "", "input")
        if numeric:
            block.put(text, template, block.picked(view.resolved.inputs[name]), format_of(view.unit(name)))
        else:
            block.put(text, template, [self._axis_value(name, case) for case in block.cases])

    def _replacement(self, block: Block, name: str, row: int) -> None:
        """A number that replaces a line, or the sign that none is given."""
        values: list[Value] = [self.view.resolved.cases[case].overrides.get(name, NOT_GIVEN) for case in block.cases]
        place = self._inherited(row)
        template = self._swept(name) or f'IF({self._replaces(name, place)},{place},"{NOT_GIVEN}")'
        unit = self.view.unit(name)
        text = Text(f"{name} (override)", f"replaces: {self.view.meaning(name)}", shown_unit(unit), "input")
        block.put(text, template, values, format_of(unit))

    def _replaces(self, name: str, place: str) -> str:
        """As on Calculation: what is of a GPU counts only on that one."""
        quoted = self.draft.inputs.rows.get(STATED_FOR.format(name))
        if quoted is None:
            return f"COUNT({place})=1"
        accelerator = self._swept("accelerator") or self._inherited(self.draft.inputs.rows["accelerator"])
        return f"(COUNT({place})=1)*({self._inherited(quoted)}={accelerator})"

    def _models(self, block: Block) -> dict[str, str]:
        """The fields of the models that the table compares, as a small table of its own; templates by field."""
        axis, position = (self.down, ROW) if self.down.name == "model" else (self.across, COLUMN)
        step = self.columns if axis is self.down else 1
        found = {}
        for name, entry in self.view.fields.items():
            if entry.section != "model":
                continue
            row = block.row
            block.sheet.row(row, 1, [f"{name} (models)", f"of each model: {entry.meaning}", None, "input", None], LABEL)
            for index in range(axis.count):
                value = self._axis_value(name, self.points[index * step])
                style = INPUT_WORD if isinstance(value, str) else typed(format_of(self.view.unit(name)))
                block.sheet.put(row, FIRST + index, value, style)
            span = block.sheet.span(row, FIRST, row, FIRST + axis.count - 1)
            found[name] = f"INDEX({span},{block.cell(position)})"
            block.row += 1
        return found

    def _given(self, name: str) -> str:
        return f"{HERE}{self.block.rows[name]}"

    def _override(self, name: str) -> str | None:
        row = self.block.rows.get(f"{name} (override)")
        return None if row is None else f"{HERE}{row}"

    def _grid(self, row: int, block: Block) -> None:
        """The values, in GiB where they are bytes."""
        name = self.table.figure
        self._banner(row, self._about())
        self._corner(row + 1)
        values = block.values(name)
        shown_as = GIBIBYTES if self.in_gib else format_of(self.view.unit(name), [float(value) for value in values])
        self._cells(row + 2, lambda index: self._shown(block, name, index, values), number(shown_as))
        if self.limited:
            self._limits(row + 1, block)

    def _named(self) -> str:
        """The figure with the unit in which the grid shows it."""
        unit = "GiB" if self.in_gib else shown_unit(self.view.unit(self.table.figure))
        return title_of(self.table.figure) + (f" ({unit})" if unit else "")

    def _shown(self, block: Block, name: str, index: int, values: list[Value]) -> Formula:
        text = f"{letter(FIRST + index)}{block.rows[name]}"
        value = float(values[index])
        return self.draft.gibibytes(text, value) if self.in_gib else Formula(text, value)

    def _banner(self, row: int, text: str) -> None:
        self.sheet.row(row, AXIS, [text, *[None] * (self.columns + int(self.limited))], HEADING)

    def _corner(self, row: int) -> None:
        row_name, column_name = self.down.name, self.across.name
        words = f"{title_of(row_name)} ↓" + (f"\n{title_of(column_name)} →" if column_name else "")
        self.sheet.put(row, AXIS, words, NOTE)

    def _cells(self, first: int, made: Callable[[int], Content], style: Style) -> None:
        for index in range(len(self.points)):
            self.sheet.put(first + index // self.columns, FIRST + index % self.columns, made(index), style)

    def _limits(self, header: int, block: Block) -> None:
        """One more column: the capacity that the first point of each row may use."""
        column = FIRST + self.columns
        self.sheet.put(header, column, "usable", HEADER_NUMBER)
        values = block.values("usable_bytes")
        for row in range(self.rows):
            index = row * self.columns
            content = self._shown(block, "usable_bytes", index, values)
            self.sheet.put(header + 1 + row, column, content, number(GIBIBYTES))

    def _words(self, row: int, block: Block) -> None:
        """The same grid in words, so that no verdict rests on a colour."""
        self._banner(row, "Does it fit?")
        self._corner(row + 1)
        for column in range(FIRST, FIRST + self.columns):
            self._copy(FIRST_ROW + 1, row + 1, column)
        for each in range(self.rows):
            self._copy(FIRST_ROW + 2 + each, row + 2 + each, AXIS)
        place = self.draft.words[VERDICT]
        words = [word_of(self.view, case) for case in self.points]
        self._cells(
            row + 2,
            lambda index: Formula(f"INDEX({place},{letter(FIRST + index)}{block.rows[VERDICT]})", words[index]),
            WORD,
        )
        mark_words(self.sheet, self._grid_from(row + 2))
        for word, look in LOOKS.items():
            mark_where(self.sheet, self._grid_from(FIRST_ROW + 2), f'{letter(FIRST)}{row + 2}="{word}"', look)

    def _grid_from(self, row: int) -> str:
        """The cells of the grid whose first row this is."""
        return f"{letter(FIRST)}{row}:{letter(FIRST + self.columns - 1)}{row + self.rows - 1}"

    def _copy(self, row: int, to: int, column: int) -> None:
        """A value of an axis once more, above or beside the words."""
        content = self._copied(row, column)
        self.sheet.put(to, column, content, self._look(content))

    def _look(self, content: Formula | str) -> Style:
        """Numbers as in the grid above, words as words."""
        value = content.value if isinstance(content, Formula) else content
        return WORD if isinstance(value, str) else number(PLAIN)

    def _copied(self, row: int, column: int) -> Formula | str:
        name = self.down.name if column == AXIS else self.across.name
        if not name:
            return title_of(self.table.figure)
        case = self.points[(row - FIRST_ROW - 2) * self.columns] if column == AXIS else self.points[column - FIRST]
        return Formula(f"{letter(column)}{row}", self._axis_value(name, case))

    def _chart(self, grid: int, anchor: str) -> None:
        first, last = grid + 2, grid + 1 + self.rows
        name = self.table.figure
        series = [
            Curve(self.sheet.address(grid + 1, column), self.sheet.span(first, column, last, column))
            for column in range(FIRST, FIRST + self.columns)
        ]
        limit = None
        if self.limited:
            column = FIRST + self.columns
            limit = Curve(self.sheet.address(grid + 1, column), self.sheet.span(first, column, last, column))
        each = f", one line for each {in_sentence(title_of(self.across.name))}" if self.across.name else ""
        over = f"{in_sentence(title_of(name))} over {in_sentence(title_of(self.down.name))}"
        described = f"Lines of {over}{each}; the grid holds the values."
        along = title_of(self.down.name) + (
            f"; one line for each {in_sentence(title_of(self.across.name))}" if each else ""
        )
        frame = Frame(self._chart_title(), along, self._named(), described, anchor, self._chart_width(), 10)
        curves(self.sheet, frame, self.down.span, series, limit)

    def _chart_width(self) -> float:
        """Centimetres of the columns before the grid, as far as a chart uses them, or of those that it stands below."""
        return min(WIDEST_CHART, self.sheet.centimetres(1, AXIS - 1) - GAP) if self._has_room() else WIDEST_CHART

    def _chart_title(self) -> str:
        return f"Table {self.index + 1}: {self.table.title}"


def writer(index: int) -> Callable[[Draft, Sheet], None]:
    """Writes the sheet of one scaling table."""
    return lambda draft, sheet: TableSheet(draft, sheet, index).write()
