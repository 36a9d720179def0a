"""What became of a workbook since its build: formulas and labels row by row, inputs one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from memreport.audit.computed import same
from memreport.audit.findings import Changed, Finding
from memreport.audit.opening import Opened
from memreport.audit.recalculate import Value
from memreport.audit.rules.inputs import CHOICE, TITLES_ROW
from memreport.audit.rules.layouts import DOCUMENTED_SHEETS, PLANNED, TYPED_ON
from memreport.publish.xlsx.common.draft import FIRST, LINE_COLUMN, NAME_COLUMN, NOT_GIVEN
from memreport.publish.xlsx.common.titles import CHECKS, INPUTS, QUOTES
from memreport.publish.xlsx.sheet.record import digests, free

PRINTED, STATEMENT = "printed value", 3
STEP_NAME = 2
"""The column of the names of steps on the sheet of documented calculations."""
AT_BUILD = "Inputs at build"
FOLLOWS = re.compile(r"=\$[A-Z]+(\d+)")
"""An input of a documented figure that follows another case of its row."""


def origin_findings(book: Opened) -> Iterator[Finding]:
    """Rows whose formulas, or whose words and constants, are not those of the build."""
    record = book.record
    if record is None:
        yield Finding("record", "", "", "no record of the build", "the custom properties that the build wrote")
        return
    for sheet in book.sheets:
        built = record.sheets.get(sheet.title)
        if built is None:
            continue
        formulas, words = digests(book.cells[sheet.title])
        yield from _rows(sheet, "formulas", formulas, built.formulas)
        yield from _rows(sheet, "words", words, built.words)
        if sheet.title != INPUTS and TYPED_ON.fullmatch(sheet.title):
            for cell in book.cells[sheet.title]:
                if not cell.protection.locked and cell.data_type == "f" and not _follows(cell):
                    yield Finding("formulas", sheet.title, cell.coordinate, str(cell.value)[:80], "a value")


def _rows(sheet: Worksheet, rule: str, found: Mapping[int, str], built: Mapping[int, str]) -> Iterator[Finding]:
    kind = "formulas" if rule == "formulas" else "labels or constants"
    for row in sorted(found.keys() | built.keys()):
        if found.get(row) != built.get(row):
            said = f"{kind} were {'removed' if row not in found else 'added' if row not in built else 'changed'}"
            yield Finding(rule, sheet.title, f"A{row}", said, f"the row's {kind} as built")


def changed_inputs(book: Opened) -> list[Changed]:
    """Every input that was typed over, with what it was.  A cell that follows the first variant is no change."""
    found = list(_on_inputs(book)) if INPUTS in book.formulas.sheetnames else []
    record = book.record
    if record:
        for (title, place), was in record.typed.items():
            if title != INPUTS and TYPED_ON.fullmatch(title) and book.within(title, place):
                now = book.formulas[title][place].value
                if not same(now, was):
                    found.append(Changed(title, place, *_table_words(book.formulas[title], place), was, now))
    return found


def _follows(cell: Cell) -> bool:
    found = FOLLOWS.fullmatch(str(cell.value)) if cell.parent.title == DOCUMENTED_SHEETS[-1] else None
    return found is not None and int(found[1]) == cell.row


def _table_words(sheet: Worksheet, place: str) -> tuple[str, str]:
    """The field that a yellow cell of another sheet sets, as far as its row says so, and whose it is."""
    cell = sheet[place]
    if sheet.title in DOCUMENTED_SHEETS:
        calculated = sheet.title == DOCUMENTED_SHEETS[-1]
        name = sheet.cell(cell.row, STEP_NAME).value if calculated else PRINTED
        return str(name), str(sheet.cell(cell.row, 1 if calculated else STATEMENT).value)
    if sheet.title in PLANNED:
        return _under_headings(sheet, cell.row, cell.column)
    if sheet.title == QUOTES:
        return str(sheet.cell(cell.row, LINE_COLUMN).value), ""
    name = sheet.cell(cell.row, NAME_COLUMN).value if cell.row > TITLES_ROW and cell.column >= FIRST else None
    return str(name or ("variant shown" if cell.column == CHOICE else "axis of the grid")), ""


def _under_headings(sheet: Worksheet, row: int, column: int) -> tuple[str, str]:
    """What the heading above a cell calls it, and whose its row is; without one, the words before it."""
    above = (sheet.cell(upper, column).value for upper in range(row - 1, TITLES_ROW, -1))
    heading = next((text for text in above if isinstance(text, str) and not text.startswith("=")), "")
    first = str(sheet.cell(row, 1).value)
    return (heading, first) if heading else (str(sheet.cell(row, column - 1).value), "")


def built_inputs(book: Opened) -> dict[tuple[int, int], object]:
    """What stood in each cell of Inputs when the workbook was built, by row and column; from Checks."""
    if not {CHECKS, INPUTS} <= set(book.formulas.sheetnames):
        return {}
    checks, inputs = book.formulas[CHECKS], book.formulas[INPUTS]
    rows = (row for row in range(1, checks.max_row + 1) if checks.cell(row, LINE_COLUMN).value == AT_BUILD)
    start = next(rows, 0)
    found: dict[tuple[int, int], object] = {}
    for row in range(TITLES_ROW + 1, inputs.max_row + 1):
        kept = start + row - TITLES_ROW
        alike = checks.cell(kept, NAME_COLUMN).value == inputs.cell(row, NAME_COLUMN).value
        if start and alike and inputs.cell(row, NAME_COLUMN).value:
            for column in range(FIRST, inputs.max_column + 1):
                found[row, column] = checks.cell(kept, column).value
    return found


def _on_inputs(book: Opened) -> Iterator[Changed]:
    sheet, built = book.formulas[INPUTS], built_inputs(book)
    typed = book.record.typed if book.record else {}
    known = built
    if not known:
        known = {(cell.row, cell.column): typed.get((INPUTS, cell.coordinate)) for cell in free(book.cells[INPUTS])}
    for (row, column), was in known.items():
        cell = sheet.cell(row, column)
        if cell.protection.locked or follows(book, cell):
            continue
        if not same(_given(cell.value), _given(was)):
            name = str(sheet.cell(row, NAME_COLUMN).value)
            variant = str(sheet.cell(TITLES_ROW, column).value)
            yield Changed(INPUTS, f"{get_column_letter(column)}{row}", name, variant, was, cell.value)


def follows(book: Opened, cell: Cell | MergedCell) -> bool:
    """Whether a cell of Inputs follows the first variant's: by its formula, or by that of the build and its value now.

    Programs that keep values alone turn one edit into one for each variant that followed.
    """
    if not isinstance(cell, Cell) or cell.data_type == "f":
        return cell.data_type == "f"
    first = book.formulas[INPUTS].cell(cell.row, FIRST)
    followed = book.record is not None and (INPUTS, cell.coordinate) not in book.record.typed
    return followed and cell.column > FIRST and same(_given(cell.value), _given(first.value))


def _given(value: object) -> Value:
    """A content to compare; nothing, and the dash that stands for nothing, are the same."""
    return value if isinstance(value, bool | int | float) else "" if value in (None, NOT_GIVEN) else str(value)
