"""Hardware and Reference: the tables that drop-downs pick from, named numbers, and the words of coded figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memreport.catalogue.records import Table
from memreport.figures import constants
from memreport.formula.recording import walk
from memreport.formula.words import Constant, Expr, Num
from memreport.publish.workbook.book import FIRST_ROW, Formula, Sheet, head, letter
from memreport.publish.workbook.documented_reference import recordings, units_table
from memreport.publish.workbook.draft import (
    BYTES_PER_GIB,
    OWN_CONSTANTS,
    PER_TERA,
    VERDICT,
    VERDICT_WORDS,
    Draft,
    TablePlace,
)
from memreport.publish.workbook.styles import (
    HEADER,
    HEADER_NUMBER,
    HEADING,
    LABEL,
    NAME,
    NOTE,
    PLAIN,
    format_of,
    given,
    number,
)
from memreport.verify import agreement

HARDWARE = (
    "accelerators", "hosts", "rental_prices", "purchase_prices", "energy_prices", "colocation_prices", "links"
)  # fmt: skip
NUMBERS = 5
"""Column E: the first number of a table; id, title, source and basis stand before it."""
WIDTHS = (30, 30, 42, 17)
NUMBER_WIDTH, NARROW_WIDTH, NARROW = 22, 20.5, 4
"""Widths of columns of numbers; those of Reference whose first are narrow, so that most tables fit one page."""
LINES_KEPT = 12
"""A table of no more lines stands on one page of print."""
SOURCE_TEXT = "source"
NOTHING = "none"
"""Stands where a row has no such text: an empty cell would be looked up as 0."""
READABLE = (
    ("capacity (GiB)", "capacity_bytes", BYTES_PER_GIB),
    ("bandwidth (TB/s)", "memory_bytes_per_second", PER_TERA),
    ("BF16 (TFLOP/s)", "bf16_flop_per_second", PER_TERA),
)
"""Columns that say a card's main figures in the units of data sheets."""


def write_hardware(draft: Draft, sheet: Sheet) -> None:
    """Accelerators, hosts, prices, links."""
    sheet.widths(*WIDTHS)
    head(sheet, "Hardware", "What the drop-downs pick from, in base units; each number's source stands on Sources.")
    tables = draft.view.resolved.catalogue.tables
    row = FIRST_ROW
    for name in HARDWARE:
        if name in tables and tables[name].ids:
            row = _table(draft, sheet, row, tables[name]) + 1
    sheet.worksheet.freeze_panes = f"B{FIRST_ROW}"


def write_reference(draft: Draft, sheet: Sheet) -> None:
    """Named numbers, words, and the tables of the workload's choices."""
    sheet.widths(*WIDTHS, *[NARROW_WIDTH] * NARROW)
    head(sheet, "Reference", "Named numbers that formulas use, words that numbers stand for, and tables of choices.")
    row, places = constants_table(sheet, FIRST_ROW, used_constants(draft))
    draft.constants.update(places)
    if draft.report.documented:
        row, draft.units = units_table(sheet, row, draft.report.documented)
    row = _words(draft, sheet, row) + 1
    used = {entry.table for entry in draft.view.fields.values() if entry.kind == "choice"}
    tables = draft.view.resolved.catalogue.tables
    wanted = [table for name, table in tables.items() if name in used and name not in HARDWARE]
    for table in sorted(wanted, key=lambda each: len(each.columns) + len(each.texts)):
        row = _table(draft, sheet, row, table) + 1
    sheet.worksheet.freeze_panes = f"B{FIRST_ROW}"


def used_constants(draft: Draft) -> list[Constant]:
    """The constants that the workload's formulas and the documented figures contain, and the workbook's own."""
    figures = {line.figure.name: line.figure for line in draft.view.computed.lines}
    expressions = [figure.expression for figure in figures.values()]
    documented = draft.report.documented
    further = (*OWN_CONSTANTS, *(agreement.CONSTANTS if documented else ()))
    return named_in([*expressions, *recordings(documented)], further)


def named_in(expressions: Iterable[Expr], further: Iterable[Constant]) -> list[Constant]:
    """The constants that formulas contain, and further ones, by name."""
    known = {value.name: value for value in vars(constants).values() if isinstance(value, Constant)}
    nodes = (node for expression in expressions for node in walk(expression))
    names = {node.name for node in nodes if isinstance(node, Num) and node.name}
    return sorted([*(known[name] for name in names), *further], key=lambda constant: constant.name)


def constants_table(sheet: Sheet, row: int, listed: Iterable[Constant]) -> tuple[int, dict[str, str]]:
    """Named numbers from a header in `row` on; the row after them, and where each stands."""
    sheet.row(row, 1, ["Named number", "Meaning", "Source", "Unit"], HEADER)
    sheet.put(row, NUMBERS, "Value", HEADER_NUMBER)
    places = {}
    for constant in listed:
        row += 1
        unit = "" if str(constant.unit) == "1" else str(constant.unit)
        sheet.put(row, 1, constant.name, LABEL)
        sheet.put(row, 2, constant.meaning, LABEL)
        sheet.put(row, 3, constant.source, NOTE)
        sheet.put(row, 4, unit or None, NAME)
        sheet.put(row, NUMBERS, float(constant), given(PLAIN))
        places[constant.name] = sheet.address(row, NUMBERS)
    return row + 2, places


def _words(draft: Draft, sheet: Sheet, row: int) -> int:
    labels = {line.figure.name: line.figure.labels for line in draft.view.computed.lines if line.figure.labels}
    for name, words in {VERDICT: VERDICT_WORDS, **labels}.items():
        sheet.row(row, 1, [f"Words of {name}", "From the first, which is 1"], HEADER)
        for at, word in enumerate(words, 1):
            sheet.put(row + at, 1, f"{at}", NAME)
            sheet.put(row + at, 2, word, LABEL)
        draft.words[name] = sheet.span(row + 1, 2, row + len(words), 2)
        row += len(words) + 2
    return row


def _table(draft: Draft, sheet: Sheet, row: int, table: Table) -> int:
    """Heading, header, units, rows; the next free row."""
    columns = list(table.columns.values())
    readable = READABLE if table.name == "accelerators" else ()
    width = NUMBERS - 1 + len(columns) + len(readable)
    narrow = NUMBERS if sheet.title == "Hardware" else NUMBERS + NARROW
    for column in range(narrow, width + len(table.texts) + 1):
        sheet.width(column, NUMBER_WIDTH)
    sheet.row(row, 1, [table.title, *[None] * (width + len(table.texts) - 1)], HEADING)
    sheet.row(row + 1, 1, ["id", "title", "source", "basis"], HEADER)
    sheet.row(row + 1, NUMBERS, [*(column.name for column in columns), *(one[0] for one in readable)], HEADER_NUMBER)
    sheet.row(row + 1, width + 1, list(table.texts), HEADER)
    sheet.row(row + 2, 1, ["unit", None, None, None], NAME)
    units = [*(column.unit or "count" for column in columns), *[None] * len(readable)]
    sheet.row(row + 2, NUMBERS, units, replace(NAME, horizontal="right"))
    first, last = row + 3, row + 2 + len(table.ids)
    sheet.keep(row, min(last, first + LINES_KEPT))
    for at in range(len(table.ids)):
        _table_row(draft, sheet, first + at, table, at, readable)
    spans = {
        column.name: sheet.span(first, NUMBERS + offset, last, NUMBERS + offset)
        for offset, column in enumerate(columns)
    }
    texts = {name: sheet.span(first, width + at, last, width + at) for at, name in enumerate(table.texts, 1)}
    texts[SOURCE_TEXT] = sheet.span(first, 3, last, 3)
    name = draft.book.name(f"list_{table.name}", sheet.span(first, 1, last, 1))
    draft.tables[table.name] = TablePlace(sheet.span(first, 1, last, 1), spans, texts, name)
    return last + 1


def _table_row(
    draft: Draft, sheet: Sheet, row: int, table: Table, at: int, readable: Sequence[tuple[str, str, Constant]]
) -> None:
    columns = list(table.columns.values())
    key = table.ids[at]
    sheet.put(row, 1, key if isinstance(key, str) else float(key), LABEL)
    sheet.put(row, 2, table.titles[at], LABEL)
    sheet.put(row, 3, _listed([str(column.sources[at]) for column in columns]) or None, NOTE)
    sheet.put(row, 4, _listed([column.bases[at] for column in columns]) or None, NOTE)
    for offset, column in enumerate(columns):
        shown_as = format_of(column.unit, list(column.values))
        sheet.put(row, NUMBERS + offset, column.values[at], given(shown_as))
    for offset, words in enumerate(table.texts.values(), len(columns) + len(readable)):
        sheet.put(row, NUMBERS + offset, words[at] or NOTHING, NOTE)
    names = list(table.columns)
    for offset, (_, name, per) in enumerate(readable, len(columns)):
        source = f"{letter(NUMBERS + names.index(name))}{row}"
        text = f"{source}/{draft.constants[per.name]}"
        sheet.put(row, NUMBERS + offset, Formula(text, table.columns[name].values[at] / per), number("#,##0.00"))


def _listed(words: list[str]) -> str:
    """Distinct words; the first and how many more where there are several."""
    distinct = list(dict.fromkeys(word for word in words if word))
    if len(distinct) <= 2:
        return "; ".join(distinct)
    return f"{distinct[0]}; and {len(distinct) - 1} more, see Sources"
