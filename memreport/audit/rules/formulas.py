"""Rules on formulas: plain functions, named numbers, one formula a line, whole sums, references that lead somewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from openpyxl.cell.cell import Cell
from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token
from openpyxl.utils import get_column_letter
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from memreport.audit.findings import Finding
from memreport.audit.opening import Opened
from memreport.audit.rules.layouts import sheet_of
from memreport.errors import PublishingError
from memreport.publish.xlsx.common.draft import FIRST, NAME_COLUMN
from memreport.publish.xlsx.common.titles import CALCULATION, CHECKS, COST, INPUTS, QUOTES, SENSITIVITY
from memreport.publish.xlsx.file.cells import valid_defined_name

FUNCTIONS = frozenset(
    {
        "ABS", "AND", "CHOOSE", "COLUMNS", "COUNT", "FIXED", "IF", "INDEX", "ISERROR", "ISNUMBER", "LEFT", "MATCH",
        "LN", "MAX", "MIN", "MOD", "NOT", "OR", "POWER", "ROUND", "ROUNDDOWN", "ROUNDUP", "SMALL", "SQRT", "SUM",
        "SUMPRODUCT",
    }
)  # fmt: skip
"""Functions that every spreadsheet program since 2007 knows; none is volatile."""
VOLATILE = frozenset(["NOW", "TODAY", "RAND", "RANDBETWEEN", "OFFSET", "INDIRECT", "CELL", "INFO"])
LITERALS = frozenset({"0", "1", "9"})
LONGEST = 260
LONGEST_OF_ALL = 8192
"""Characters that Excel allows of a formula; longer ones are not taken apart."""
MOST_CHOICES = 2
COUNTING = re.compile(r"(?:ROUNDUP|ROUNDDOWN|CEILING|FLOOR|INT|MOD)\((?!ROUND\()")
WHOLE_BY_NATURE = "row of the grid"
"""The one line that divides whole numbers by whole numbers, which is exact where it matters."""
ADDRESS = re.compile(r"\$?[A-Z]{1,3}\$?\d+(:\$?[A-Z]{1,3}\$?\d+)?")
CELL = re.compile(r"\$?\b[A-Z]{1,3}\$?\d+\b(?![(!.])")
SUMMED = re.compile(r"\bSUM\(([^()]+)\)")
REPEATS = re.compile(r"=(?:('[^']+'|\w+)!)?(\$?[A-Z]{1,3}\$?\d+)")
MOST_REPEATS = 3
"""A result repeats a picked one, that a line, that an input; what follows the first variant on Inputs is one itself."""
UNIFORM = re.compile(rf"{INPUTS}|{CALCULATION}|{CHECKS}|{COST}|{QUOTES}|{SENSITIVITY}|Table \d+ .*")
"""Sheets whose lines are one formula copied across, from column F on."""
GRIDDED = re.compile(r"Sensitivity|Table \d+ .*")
"""Of these, the sheets whose calculation stands below a table that picks from it."""


def formula_findings(book: Opened) -> Iterator[Finding]:
    """Everything that is wrong with the text of the formulas."""
    used, astray = set[str](), dict[str, bool]()
    for sheet in book.sheets:
        formulas = [cell for cell in book.cells[sheet.title] if cell.data_type == "f"]
        for cell in formulas:
            text = str(cell.value)
            for rule, found, expected in breaches(text, cell.row, sheet):
                yield Finding(rule, sheet.title, cell.coordinate, found, expected)
            for rule, found, expected in _references(book, text, used, astray):
                yield Finding(rule, sheet.title, cell.coordinate, found, expected)
            yield from _sum(book, sheet, cell)
        if UNIFORM.fullmatch(sheet.title):
            yield from _uniform(sheet, formulas)
    yield from _names(book, used)
    yield from _chains(book)


@lru_cache(maxsize=65_536)
def tokens(text: str) -> tuple[Token, ...]:
    """A formula in pieces; none where it is no formula at all."""
    if len(text) > LONGEST_OF_ALL:
        return ()
    try:
        return tuple(Tokenizer(text).items)
    except Exception:  # noqa: BLE001  # whatever a malformed formula makes the tokenizer raise
        return ()


@lru_cache(maxsize=16)  # each is asked for several times in a row
def alike(text: str) -> str:
    """A formula with one cell in place of every other: to take each apart is a third of an audit, and few differ so.

    Quotes stand around texts and names of sheets, which stay as they are.
    """
    return text if "'" in text or '"' in text else CELL.sub("A1", text)


def breaches(text: str, row: int, sheet: Worksheet) -> Iterator[tuple[str, str, str]]:
    """What one formula does that no formula should: rule, what was found, what is expected."""
    form = alike(text)
    if not tokens(form):
        yield "reference", text[:80], "a formula that can be read"
    yield from _of_pieces(form)
    if len(text) > LONGEST or "\n" in text:
        yield "length", f"{len(text)} characters", f"one line of at most {LONGEST}"
    if _depth(form) > MOST_CHOICES:
        yield "length", "IF within IF within IF", "at most two in a row"
    if COUNTING.search(text) and sheet.cell(row, NAME_COLUMN).value != WHOLE_BY_NATURE:
        yield "rounding", text[:80], "ROUNDUP(ROUND(x,9),0)"


@lru_cache(maxsize=65_536)
def _of_pieces(form: str) -> tuple[tuple[str, str, str], ...]:
    """What functions and numbers of a formula should not be there, as of `breaches`."""
    return tuple(_strange(tokens(form)))


def _strange(pieces: Iterable[Token]) -> Iterator[tuple[str, str, str]]:
    for piece in pieces:
        if piece.type == Token.FUNC and piece.subtype == Token.OPEN:
            name = piece.value[:-1].upper()
            if name not in FUNCTIONS:
                kind = "volatile function" if name in VOLATILE else "function"
                yield "function", f"{kind} {name}", "a plain function"
        elif piece.type == Token.OPERAND and piece.subtype == Token.NUMBER and piece.value not in LITERALS:
            yield "literal", f"the number {piece.value}", "a named number of Reference"


@lru_cache(maxsize=65_536)
def _depth(form: str) -> int:
    """How many IF lie within each other."""
    depth, deepest, open_ = 0, 0, list[bool]()
    for piece in tokens(form):
        if piece.subtype == Token.OPEN:
            open_.append(piece.value.upper() == "IF(")
            depth += open_[-1]
            deepest = max(deepest, depth)
        elif piece.subtype == Token.CLOSE and open_:
            depth -= open_.pop()
    return deepest


def _references(book: Opened, text: str, used: set[str], astray: dict[str, bool]) -> Iterator[tuple[str, str, str]]:
    """References that lead nowhere or outside, in its own words; `astray` says which forms of formulas have any."""
    form = alike(text)
    if form not in astray:
        astray[form] = any([*_astray(book, form, used)])
    if astray[form]:
        yield from _astray(book, text, used)


def _astray(book: Opened, text: str, used: set[str]) -> Iterator[tuple[str, str, str]]:
    names, sheets = book.formulas.defined_names, book.titles
    for piece in tokens(text):
        if piece.type != Token.OPERAND:
            continue
        if piece.subtype == Token.ERROR:
            yield "reference", piece.value, "a cell"
        if piece.subtype != Token.RANGE:
            continue
        used.add(piece.value)
        if "[" in piece.value or "|" in piece.value:
            yield "outside", piece.value[:80], "a cell of this workbook"
        elif "!" in piece.value:
            if sheet_of(piece.value) not in sheets:
                yield "reference", piece.value[:80], "a sheet of this workbook"
        elif not ADDRESS.fullmatch(piece.value) and piece.value not in names:
            yield "reference", piece.value[:80], "a cell or a named range"


def relative(text: str, column: str) -> str:
    """A formula with `@` in place of its own column, so that copies of one formula are equal."""
    return re.sub(rf"(?<![$A-Za-z]){column}(?=\$?\d)", "@", text)


def _uniform(sheet: Worksheet, formulas: list[Cell]) -> Iterator[Finding]:
    """In each line the formula that most cells have is the line's; on Inputs each variant's own cell is free."""
    rows: dict[int, list[tuple[Cell, str]]] = {}
    for cell in formulas:
        if cell.column >= FIRST and (sheet.title == INPUTS or cell.protection.locked):
            text = relative(str(cell.value), get_column_letter(cell.column))
            rows.setdefault(cell.row, []).append((cell, text))
    below = calculation_row(sheet)
    for row, found in rows.items():
        counts = Counter(text for _, text in found)
        if len(counts) > 1 and row > below:
            usual = counts.most_common(1)[0][0]
            for cell, text in found:
                if text != usual:
                    expected = usual.replace("@", get_column_letter(cell.column))
                    yield Finding("one-formula", sheet.title, cell.coordinate, str(cell.value)[:120], expected[:120])


def calculation_row(sheet: Worksheet) -> int:
    """Where a calculation stands below what is read first, the row of its header: each line above has its own form."""
    if not GRIDDED.fullmatch(sheet.title):
        return 0
    return next((row for row in range(1, sheet.max_row + 1) if sheet.cell(row, NAME_COLUMN).value == "Name"), 0)


def _sum(book: Opened, sheet: Worksheet, cell: Cell) -> Iterator[Finding]:
    """A sum of a column or row that leaves out the number just before or behind it."""
    for span in SUMMED.findall(str(cell.value)):
        bare = span.replace("$", "")
        if not ADDRESS.fullmatch(bare) or ":" not in bare:
            continue
        first_column, first_row, last_column, last_row = (int(part or 0) for part in range_boundaries(bare))
        most_rows, most_columns = book.ends[sheet.title]
        columns = range(first_column, min(last_column, most_columns) + 1)
        before = [(first_row - 1, column) for column in columns]
        behind = [(last_row + 1, column) for column in columns]
        sides = (before, behind) if last_row > first_row else ()
        for side in sides:
            left = [place for place in side if 0 < place[0] <= most_rows and _is_number(book, sheet, cell, *place)]
            if left:
                place = f"{get_column_letter(left[0][1])}{left[0][0]}"
                yield Finding("sum", sheet.title, cell.coordinate, f"{span} leaves out {place}", "the whole block")
                return


def _is_number(book: Opened, sheet: Worksheet, total: Cell, row: int, column: int) -> bool:
    """Whether a cell beside a sum holds a number that is no sum itself."""
    cell = sheet.cell(row, column)
    if (row, column) == (total.row, total.column) or cell.value is None:
        return False
    seen = book.value(sheet.title, cell.coordinate)
    if cell.data_type == "f":
        number = isinstance(seen, int | float) or str(seen).startswith("#")  # an error stands where a number belongs
        return number and "SUM(" not in str(cell.value)
    return isinstance(seen, int | float)


def _chains(book: Opened) -> Iterator[Finding]:
    """Cells that repeat a cell that repeats a cell that repeats a cell; nobody would find back to the first."""
    repeated = {
        (sheet.title, cell.coordinate): _repeated(sheet.title, found)
        for sheet in book.sheets
        if sheet.title != INPUTS
        for cell in book.cells[sheet.title]
        if cell.data_type == "f" and (found := REPEATS.fullmatch(str(cell.value)))
    }
    for title, coordinate in repeated:
        first, links = (title, coordinate), 0
        while first in repeated and links <= MOST_REPEATS:
            first, links = repeated[first], links + 1
        if links > MOST_REPEATS:
            said = f"={first[0]}!{first[1]}, or nearer to it"
            yield Finding("chain", title, coordinate, f"repeats {links} cells in a row", said)


def _repeated(title: str, found: re.Match[str]) -> tuple[str, str]:
    """The cell that a formula repeats."""
    return sheet_of(f"{found[1]}!") if found[1] else title, found[2].replace("$", "")


def _names(book: Opened, used: set[str]) -> Iterator[Finding]:
    """Named ranges: valid, as built, used by a formula or a validation, leading to a sheet."""
    names = book.formulas.defined_names
    rules = [str(rule.formula1) for sheet in book.sheets for rule in sheet.data_validations.dataValidation]
    for name, defined in names.items():
        target = str(defined.attr_text or "")
        if "#REF!" in target or sheet_of(target) not in book.formulas.sheetnames:
            yield Finding("name", "", "", f"{name} leads to {target[:60] or 'nothing'}", "a range of this workbook")
        try:
            valid_defined_name(name)
        except PublishingError as error:
            yield Finding("name", "", "", str(error)[:120], "a name as a list has, list_…")
        unused = name not in used and name not in rules
        if unused and (not book.record or name not in book.record.names):
            yield Finding("name", "", "", f"{name} is not used", "names in use only")
    for name in sorted((book.record.names if book.record else set()) - set(names)):
        yield Finding("name", "", "", f"{name} is missing", "the range as built")
