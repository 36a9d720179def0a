"""The Documented calculation sheet: each judged figure step by step, inputs first, with the formulas of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memreport.formula.printing import to_excel
from memreport.formula.words import Expr
from memreport.frozen import frozen
from memreport.ledger.expressions import AGAINST
from memreport.ledger.names import STATED
from memreport.ledger.reading import LedgerCase
from memreport.ledger.steps import LedgerStep, LedgerSteps, StepCell
from memreport.publish.xlsx.common.draft import FIRST
from memreport.publish.xlsx.common.lines import is_truth, shown_unit
from memreport.publish.xlsx.common.titles import DOCUMENTED_STEPS
from memreport.publish.xlsx.ledger.shared import Key, Shared, SharedLine
from memreport.publish.xlsx.sheet.book import Content, Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import (
    HEADER,
    HEADER_NUMBER,
    HEADING,
    LABEL,
    LINK,
    NAME,
    NOTE,
    NOTE_BARE,
    SCIENTIFIC,
    WHOLE,
    Style,
    format_of,
    inherited,
    number,
    typed,
)
from memreport.publish.xlsx.sheet.validation import apply_validation, number_rule
from memreport.report.records.documented import DocumentedEntry

ABOUT = "Every documented figure in steps. Type over a yellow cell: figure, difference, verdict follow."
KINDS = {
    "input": "what a figure starts from; yellow, to be typed over; those above all statements stand once for all",
    "figure": "a step: one formula of the calculation, with what it reads in the formula's own names beside it",
    "result": "what comes of the steps in the printed unit, whether it is printed so, and the verdict",
}
"""Rows of the sheet by what the column "What it is" says."""
KIND_COLUMN = 4
FOR_SCREENS = (
    "The steps are read on the screen: pick a statement in the filter of column A, or follow a link of the ledger, "
    "and the rows that lead to its figure stand together. Printed is this page only."
)
TITLES = ("Statement", "Name", "Unit", "What it is", "Formula in names, or where an input is from")
WIDTHS = (28, 36, 11, 17, 70)
CASE_WIDTH, MOST_CASES = 20, 5
ALL = "all"
"""Whose a shared input is, in the column of statements."""
SEARCHED = 5
"""Columns with a filter: the statement's name picks its steps."""
CASE_TITLE = replace(HEADING, horizontal="right", wrap=True, size=9)
BACK = replace(LINK, bold=True, fill=HEADING.fill, ruled=True)
VAST = 1e15
"""From here on a number is shown with an exponent."""


@frozen
class Named:
    """Where named numbers and printed units stand on Reference."""

    constants: Mapping[str, str]
    units: Mapping[tuple[str, float], str]


def look(unit: str, *values: float) -> str:
    """A number format by unit and value; vast numbers get an exponent."""
    return SCIENTIFIC if any(abs(value) >= VAST for value in values) else format_of(unit, values)


@dataclass
class Steplist:
    """The sheet in the making: writes line after line, and notes which cells may be typed."""

    sheet: Sheet
    row: int
    named: Named
    typed: list[tuple[int, int]] = field(default_factory=list)
    shared: Shared = field(default_factory=Shared)
    places: dict[Key, str] = field(default_factory=dict)
    """Where each shared line stands."""
    kinds: Counter[str] = field(default_factory=Counter)
    """How many rows of each kind there are."""

    def begin(self) -> None:
        """Widths and the header."""
        self.sheet.widths(*WIDTHS, *([CASE_WIDTH] * MOST_CASES))
        self.sheet.row(self.row, 1, TITLES, HEADER)
        self.sheet.row(self.row, FIRST, ["Value", *["further case"] * (MOST_CASES - 1)], HEADER_NUMBER)
        self.header = self.row
        self.row += 1

    def put(self, texts: Sequence[str], contents: Iterable[tuple[Content, Style]]) -> int:
        """One line: its five texts, then its values from the first case on; the line's row."""
        self.kinds[texts[KIND_COLUMN - 1]] += 1
        for column, text in enumerate(texts, 1):
            self.sheet.put(self.row, column, text or None, NOTE if column == len(TITLES) else NAME)
        for column, (content, style) in enumerate(contents, FIRST):
            if content is not None:
                self.sheet.put(self.row, column, content, style)
                self.typed += [(column, self.row)] if style.unlocked else []
        self.row += 1
        return self.row - 1

    def end(self) -> None:
        """Filters, frozen panes, what may be typed; in print a page that says what the sheet holds."""
        worksheet, header = self.sheet.worksheet, self.header
        worksheet.auto_filter.ref = f"A{header}:{letter(SEARCHED)}{self.row - 1}"
        worksheet.protection.autoFilter = False  # openpyxl's way to say that it is allowed
        worksheet.freeze_panes = f"C{header + 1}"
        self._printed(self.row + 1)
        apply_validation(
            self.sheet, number_rule(None, None, "decimal", "A number, in the unit of its row."), self.typed
        )

    def _printed(self, row: int) -> None:
        """How many rows of each kind there are, below them all; the only part that is printed."""
        sheet, kinds = self.sheet, f"${letter(KIND_COLUMN)}${self.header + 1}:${letter(KIND_COLUMN)}${self.row - 1}"
        sheet.band(row, "What this sheet shows", SEARCHED)
        sheet.row(row + 1, 1, ["Rows", None, None, None, "What they are"], HEADER)
        sheet.put(row + 1, 2, "How many", HEADER_NUMBER)
        for place, (kind, meaning) in enumerate(KINDS.items(), row + 2):
            sheet.row(place, 1, [kind, None, None, None, meaning], LABEL)
            sheet.put(place, 2, Formula(f"SUMPRODUCT(--({kinds}=$A{place}))", float(self.kinds[kind])), number(WHOLE))
        end = row + 2 + len(KINDS)
        sheet.put(end, 1, FOR_SCREENS, NOTE_BARE)
        sheet.worksheet.print_area = f"A{row}:{letter(SEARCHED)}{end}"
        sheet.page_head = DOCUMENTED_STEPS, ABOUT

    def share(self, shared: Shared) -> None:
        """Inputs and lines that stand once for all statements."""
        self.shared = shared
        self._heading("Inputs that no statement sets itself: fields of model cards, rows of tables, defaults")
        for key, line in shared.inputs:
            self._share(key, line, line.cell.value, typed)
        self._heading("What follows from those inputs alone")
        for key, line in shared.figures:
            self._share(key, line, Formula(self._shared_text(line), line.cell.value), number)

    def _heading(self, title: str) -> None:
        self.sheet.band(self.row, title, FIRST)
        self.row += 1

    def _share(self, key: Key, line: SharedLine, content: Content, style: Callable[[str], Style]) -> None:
        unit, what = str(line.step.unit), "figure" if line.cell.line else "input"
        whose = f"{ALL}, {line.workload}" if line.cell.line else ALL
        texts = (whose, line.step.name, shown_unit(unit), what, in_names(line.cell))
        row = self.put(texts, [(content, style(look(unit, line.cell.value)))])
        self.places[key] = f"${letter(FIRST)}${row}"

    def _shared_text(self, line: SharedLine) -> str:
        return as_excel(line.cell, lambda name: self.places[line.reads[name]], self.named.constants)


@dataclass
class StepBlock:
    """The inputs and lines of one statement that it does not share: one column a case."""

    steplist: Steplist
    entry: DocumentedEntry
    steps: LedgerSteps
    rows: dict[str, int] = field(default_factory=dict)
    shared: list[Mapping[str, Key | None]] = field(default_factory=list)
    """What each case reads of the lines that all statements share."""

    def write(self, back: str) -> int:
        """Heading with a way back, then a row for every step of its own; the heading's row."""
        steplist, sheet = self.steplist, self.steplist.sheet
        top = steplist.row
        sheet.row(top, 1, [None, self.entry.statement, None, None, None], HEADING)
        sheet.link(top, 1, self.entry.id, back, BACK)
        sheet.row(top, FIRST, self.steps.columns, CASE_TITLE)
        steplist.row += 1
        self.shared = list(map(steplist.shared.of, self.steps.cases))
        own = [step for step in self.steps.rows if self._is_own(step)]
        self.rows = {step.name: top + rank for rank, step in enumerate(own, 1)}
        for step in own:
            self._step(step)
        return top

    def _is_own(self, step: LedgerStep) -> bool:
        """Whether it depends on what the statement says, in one case at least."""
        cells = zip(self.shared, step.cells, strict=True)
        return any(cell and shared.get(step.name) is None for shared, cell in cells)

    def place(self, name: str, case: int) -> str:
        """The cell of a line or input in a case, counted from 0, or of a named number."""
        key = self.shared[case].get(name)
        if key is not None:
            return self.steplist.places[key]
        if name not in self.rows:
            return self.steplist.named.constants[name]
        return f"{letter(FIRST + case)}{self.rows[name]}"

    def formula(self, expression: Expr, cases: tuple[LedgerCase, LedgerCase]) -> str:
        """A statement's expression as Excel text; `against.` reads the second case, which nothing else does."""
        known = {case: column for column, case in enumerate(self.steps.cases)}
        columns = [known.get(case, 0) for case in cases]

        def place(name: str) -> str:
            return self.place(name.removeprefix(AGAINST), columns[name.startswith(AGAINST)])

        return counted(to_excel(expression, place), expression)

    def _step(self, step: LedgerStep) -> None:
        shown_as = look(str(step.unit), *(cell.value for cell in step.cells if cell))
        contents = [self._content(step, index, cell, shown_as) for index, cell in enumerate(step.cells)]
        own = next(cell for cell in step.cells if cell and (cell.line or cell.origin == STATED))
        texts = (self.entry.id, step.name, shown_unit(str(step.unit)), "figure" if own.line else "input", in_names(own))
        self.steplist.put(texts, contents)

    def _content(self, step: LedgerStep, index: int, cell: StepCell | None, shown_as: str) -> tuple[Content, Style]:
        """A formula, an input, or an input that follows the first one until somebody types over it."""
        if cell is None:
            return None, NAME
        if self.shared[index].get(step.name) is not None:
            return Formula(self.place(step.name, index), cell.value), number(shown_as)
        if cell.line is not None:
            text = as_excel(cell, lambda name: self.place(name, index), self.steplist.named.constants)
            return Formula(text, cell.value), number(shown_as)
        base = next(place for place, step_cell in enumerate(step.cells) if step_cell and step_cell.origin == STATED)
        first = step.cells[base]
        if index > base and first and cell.value == first.value:
            return Formula(f"${letter(FIRST + base)}{self.rows[step.name]}", cell.value), inherited(shown_as)
        return cell.value, typed(shown_as)


def as_excel(cell: StepCell, place: Callable[[str], str], constants: Mapping[str, str]) -> str:
    """A line's formula; `place` finds what it reads."""
    line = cell.line
    assert line is not None  # noqa: S101  # asked for computed cells only
    expression = line.figure.expression
    reads = set(line.bound)
    text = to_excel(expression, lambda name: place(line.bound[name]) if name in reads else constants[name])
    return counted(text, expression)


def counted(text: str, expression: Expr) -> str:
    """A comparison as 1 or 0, which sums count."""
    return f"1*({text})" if is_truth(expression) else text


def in_names(cell: StepCell) -> str:
    """A line's formula as people read it, or where an input is from."""
    line = cell.line
    if line is None:
        return cell.origin
    return to_excel(line.figure.expression, lambda name: line.bound.get(name, name))
