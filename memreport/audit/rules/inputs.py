"""Rules on what is typed: inputs with words and limits, numbers that are numbers, and nothing typed over a formula."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from openpyxl.cell.cell import Cell
from openpyxl.formula.tokenizer import Token
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from memreport.audit.findings import Finding
from memreport.audit.opening import Opened
from memreport.audit.recalculate import Values
from memreport.audit.rules.formulas import ADDRESS, calculation_row, tokens
from memreport.audit.rules.layouts import fill, ink, sheet_of
from memreport.catalogue.scenario import WORKLOADS, dictionary
from memreport.figures.registry import lines_of
from memreport.publish.xlsx.common.draft import FIRST, LINE_COLUMN, NAME_COLUMN, NOT_GIVEN
from memreport.publish.xlsx.common.lines import shown_unit
from memreport.publish.xlsx.common.titles import CALCULATION, CHECKS, COST, INPUTS, QUOTES, ROOFLINE, SENSITIVITY
from memreport.publish.xlsx.sheet.styles import INPUT_FILL, INPUT_INK

UNIT_COLUMN, TITLES_ROW = 3, 5
CHOICE = 2
"""The column of the drop-down of variants."""
SHARE = "share"
"""What the column of units says of some plain numbers."""
WORDS = {NAME_COLUMN: "a field", LINE_COLUMN: "a label", 4: "what is allowed", 5: "an origin"}
NUMBER_LIKE = re.compile(r"\s*[-+]?\d[\d.,]*([eE][-+]?\d+)?\s*(%\s*)?")
UNREAD = frozenset(
    {"usable_share", *(name for name, entry in dictionary().items() if entry.section in ("model", "demand"))}
)
"""Fields of a model card, which is shown whole, and of a demand, which rules read; the share of a capacity, where an
engine has one of its own."""
CALCULATED = re.compile(rf"{CALCULATION}|{COST}|{QUOTES}|{SENSITIVITY}|Table \d+ .*")
ON_INPUTS = re.compile(r"Inputs!\$?([A-Z]{1,3})\$?(\d+)(?::\$?[A-Z]{1,3}\$?(\d+))?")
CHOOSING = frozenset({"IF", "COUNT", "ISNUMBER"})
"""Functions of a cell that follows the first variant where that has a number."""


def input_findings(book: Opened, computed: Values) -> Iterator[Finding]:
    """Everything that is wrong with inputs, and with what is typed elsewhere."""
    sheets = book.formulas
    if INPUTS in sheets.sheetnames:
        yield from _inputs(book, sheets[INPUTS], computed)
    units = _units()
    for sheet in book.sheets:
        if CALCULATED.fullmatch(sheet.title):
            yield from _typed(sheet, book.cells[sheet.title])
            yield from _missing_units(sheet, units)
        if sheet.title == ROOFLINE:
            yield from _typed_on_roofline(book.cells[ROOFLINE])


def _inputs(book: Opened, sheet: Worksheet, computed: Values) -> Iterator[Finding]:
    rules, columns = ruled(sheet), range(FIRST, sheet.max_column + 1)  # to ask for the last looks at every cell
    read = _rows_read(book)
    for row in input_rows(sheet):
        first = sheet.cell(row, FIRST)
        for column, meaning in WORDS.items():
            if not sheet.cell(row, column).value:
                yield Finding("input", INPUTS, f"{get_column_letter(column)}{row}", "nothing", meaning)
        rule = rules.get(row)
        if rule is None or not rule.showErrorMessage:
            yield Finding("input", INPUTS, first.coordinate, "no validation", "a validation that refuses")
        elif not rule.formula1:
            yield Finding("input", INPUTS, first.coordinate, "a validation without limits", "what is allowed")
        if read and row not in read and sheet.cell(row, NAME_COLUMN).value not in UNREAD:
            yield Finding("unused", INPUTS, first.coordinate, "read by no formula", "an input that is used")
        for column in columns:
            cell = sheet.cell(row, column)
            if isinstance(cell, Cell) and not cell.protection.locked:
                yield from _input_cell(book, cell, rule, computed)


def input_rows(sheet: Worksheet) -> list[int]:
    """The rows of Inputs that may be typed."""
    return [row for row in range(TITLES_ROW + 1, sheet.max_row + 1) if not sheet.cell(row, FIRST).protection.locked]


def ruled(sheet: Worksheet) -> dict[int, DataValidation]:
    """The validation of each row."""
    found: dict[int, DataValidation] = {}
    last = sheet.max_row
    for rule in sheet.data_validations.dataValidation:
        for span in list(rule.sqref.ranges)[:last]:
            found.update(dict.fromkeys(range(span.min_row, min(span.max_row, last) + 1), rule))
    return found


def _rows_read(book: Opened) -> set[int]:
    """Rows of Inputs that a formula reads; Checks reads all of them, to see what was changed."""
    found: set[int] = set()
    for sheet in book.sheets:
        if sheet.title not in (CHECKS, INPUTS):
            for cell in (cell for cell in book.cells[sheet.title] if cell.data_type == "f"):
                for _, first, last in ON_INPUTS.findall(str(cell.value)):
                    found.update(range(int(first), int(last or first) + 1))
    return found


def _input_cell(book: Opened, cell: Cell, rule: DataValidation | None, computed: Values) -> Iterator[Finding]:
    """One variant's value."""
    if cell.data_type == "f":
        if cell.column == FIRST or not follows_first(cell):
            yield Finding("input", INPUTS, cell.coordinate, str(cell.value)[:80], "a value, or the first variant's")
        value: object = computed.get((INPUTS, cell.coordinate), book.value(INPUTS, cell.coordinate))
    else:
        value = cell.value
    if fill(cell) == INPUT_FILL and ink(cell) != INPUT_INK:
        yield Finding("input", INPUTS, cell.coordinate, f"text in {ink(cell)}", f"blue, {INPUT_INK}")
    if rule is None:
        return
    if isinstance(value, str) and NUMBER_LIKE.fullmatch(value) and (rule.type != "list" or rule.formula1 == '"0,1"'):
        yield Finding("text-number", INPUTS, cell.coordinate, f"the text {value!r}", "a number")
    elif not allows(book, rule, value):
        yield Finding("allowed", INPUTS, cell.coordinate, _shown(value), told(book, rule))


def follows_first(cell: Cell) -> bool:
    """Whether a formula of Inputs does nothing but repeat the first variant's cell of its row."""
    pieces = tokens(str(cell.value))
    read = {piece.value.replace("$", "") for piece in pieces if piece.subtype == Token.RANGE}
    called = {piece.value[:-1] for piece in pieces if piece.type == Token.FUNC and piece.subtype == Token.OPEN}
    worked = any(piece.value not in ("=", ",") for piece in pieces if piece.type == Token.OP_IN)
    return read == {f"{get_column_letter(FIRST)}{cell.row}"} and called <= CHOOSING and not worked


def _shown(value: object) -> str:
    return "nothing" if value is None else repr(value)[:80]


def allows(book: Opened, rule: DataValidation, value: object) -> bool:
    """Whether a validation lets a value pass; formulas as limits are not ours and are let pass."""
    if value in (None, "", NOT_GIVEN):
        return bool(rule.allow_blank)
    if rule.type == "list":
        return _number_or_text(value) in {_number_or_text(allowed) for allowed in listed(book, rule)}
    if not isinstance(value, int | float) or not math.isfinite(value):
        return False
    if rule.type == "whole" and value != int(value):
        return False
    low, high = _limit(rule.formula1), _limit(rule.formula2)
    return (low is None or value >= low) and (rule.operator not in (None, "between") or high is None or value <= high)


def _limit(text: object) -> float | None:
    try:
        return float(str(text))
    except ValueError:
        return None


def _number_or_text(value: object) -> object:
    return float(value) if isinstance(value, int | float) else str(value)


def listed(book: Opened, rule: DataValidation) -> list[object]:
    """The members of a drop-down."""
    text = str(rule.formula1 or "").lstrip("=")
    if text.startswith('"'):
        members = text.strip('"').split(",")
        return [member if (number := _limit(member)) is None else number for member in members]
    defined = book.formulas.defined_names.get(text)
    target = str(defined.attr_text) if defined is not None else text
    sheet, place = sheet_of(target), target.rpartition("!")[2].replace("$", "")
    if sheet not in book.formulas.sheetnames or not ADDRESS.fullmatch(place):
        return []
    if not all(book.within(sheet, end) for end in place.split(":")):
        return []
    cells = book.formulas[sheet][place]
    rows = cells if isinstance(cells, tuple) else ((cells,),)
    return [cell.value for row in rows for cell in (row if isinstance(row, tuple) else (row,))]


def told(book: Opened, rule: DataValidation) -> str:
    """What a validation allows, in words."""
    if rule.type == "list":
        return "one of " + ", ".join(str(allowed) for allowed in listed(book, rule))[:120]
    between = rule.operator in (None, "between")
    ends = f"{rule.formula1} to {rule.formula2}" if between else f"at least {rule.formula1}"
    return f"{'a whole number, ' if rule.type == 'whole' else ''}{ends}"


def _typed(sheet: Worksheet, cells: list[Cell]) -> Iterator[Finding]:
    """Locked numbers, or numbers as text, where every line is a formula."""
    below = max(TITLES_ROW, calculation_row(sheet))
    for cell in cells:
        if cell.column < FIRST or cell.row <= below or not cell.protection.locked or cell.data_type == "f":
            continue
        text = isinstance(cell.value, str) and bool(NUMBER_LIKE.fullmatch(cell.value))
        if text or isinstance(cell.value, int | float):
            rule, kind = ("text-number", "text") if text else ("typed", "number")
            yield Finding(rule, sheet.title, cell.coordinate, f"the {kind} {cell.value!r}", "a formula")


def _typed_on_roofline(cells: list[Cell]) -> Iterator[Finding]:
    for cell in cells:
        if cell.column > CHOICE and isinstance(cell.value, int | float):
            yield Finding("typed", ROOFLINE, cell.coordinate, f"the number {cell.value!r}", "a formula")


def _missing_units(sheet: Worksheet, units: Mapping[str, set[str]]) -> Iterator[Finding]:
    for row in range(TITLES_ROW + 1, sheet.max_row + 1):
        name = sheet.cell(row, NAME_COLUMN).value
        expected = units.get(str(name), set())
        found = str(sheet.cell(row, UNIT_COLUMN).value or "").replace(SHARE, "")
        if expected and found not in expected and sheet.cell(row, FIRST).data_type == "f":
            place = f"{get_column_letter(UNIT_COLUMN)}{row}"
            yield Finding("unit", sheet.title, place, found or "nothing", " or ".join(sorted(expected)) or "nothing")


def _units() -> dict[str, set[str]]:
    """The units of every figure and input, as the column of units says them, by name."""
    found: dict[str, set[str]] = {}
    for workload in WORKLOADS:
        for line in lines_of(workload):
            found.setdefault(line.name, set()).add(shown_unit(str(line.figure.unit)))
        for entry in dictionary(workload).values():
            if entry.kind in ("number", "whole"):
                found.setdefault(entry.name, set()).add(shown_unit(entry.unit or "1"))
    return found
