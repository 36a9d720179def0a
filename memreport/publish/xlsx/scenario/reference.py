"""Hardware and Reference: the tables that drop-downs pick from, named numbers, and the words of coded figures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from memreport.advise.verdict import NUMBERED
from memreport.catalogue.records import Table
from memreport.formula.recording import recorded, walk
from memreport.formula.words import Constant, Ref
from memreport.frozen import frozen
from memreport.ledger import agreement
from memreport.publish.xlsx.common.draft import (
    BYTES_PER_GIB,
    NOTHING,
    OWN_CONSTANTS,
    PER_TERA,
    VERDICT,
    Draft,
    TablePlace,
)
from memreport.publish.xlsx.common.named_numbers import constants_table, named_in, recordings, units_table
from memreport.publish.xlsx.common.titles import CATALOGUE, HARDWARE, REFERENCE, SOURCES
from memreport.publish.xlsx.common.usual_hosts import write_usual_hosts
from memreport.publish.xlsx.common.usual_prices import write_usual_prices
from memreport.publish.xlsx.scenario.calculation import looked_up
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Content, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.styles import (
    HEADER,
    HEADER_NUMBER,
    LABEL,
    NAME,
    NOTE,
    Style,
    format_of,
    given,
    number,
)
from memreport.resolve.following import OF_GPU, following

HOSTS = "hosts"
"""Their drop-down offers one thing more: the usual one."""
OF_HARDWARE = (
    "accelerators", HOSTS, "rental_prices", "purchase_prices", "energy_prices", "colocation_prices"
)  # fmt: skip
GPUS, SOURCE_COLUMN = "accelerators", 3
NUMBERS = 5
"""Column E: the first number of a table; id, title, source and basis stand before it."""
PRINTED = 13
"""Column M: the last that is printed; what stands further right is for formulas, or looked up."""
WIDTHS, COLUMN_WIDTH = (25, 26, 36, 12.5), 14.2
PADDED, PADDED_HEADER = replace(NOTE, indent=1), replace(HEADER, indent=1)
SHORT = replace(NOTE, wrap=False)
WORDS_AT = (2, 3, 5, 8, 11)
"""Columns at which words of coded figures stand side by side."""
READABLE_LOOK, UNIT = number("#,##0.00"), replace(NAME, horizontal="right")
UNITLESS = frozenset({"", "count"})
"""Units that need no row of their own."""
LINES_KEPT, LINES_BEGUN = 12, 5
"""A table of no more lines stands on one page of print; of a longer one as many stand with its titles."""
SOURCE_TEXT, IS_COMMITTED = "source", "committed"
ALL_FACTS = f"Every fact of every GPU, with its source: {CATALOGUE}, {HARDWARE} and {SOURCES}."
DATED, CONFIDENCE = "date", "confidence"
"""Texts of rows with a date each stand beside their numbers, but for the confidence, which is their basis."""
READ_TEXTS = frozenset({"accelerator", "provider", "region", "term", "currency", DATED})
"""Texts of prices that formulas read, so that they stand there even where no row has one."""
READABLE = (
    ("capacity (GiB)", "capacity_bytes", BYTES_PER_GIB),
    ("bandwidth (TB/s)", "memory_bytes_per_second", PER_TERA),
    ("BF16 (TFLOP/s)", "bf16_flop_per_second", PER_TERA),
)
"""Columns that say a GPU's main figures in the units of data sheets."""


def write_hardware(draft: Draft, sheet: Sheet) -> None:
    """GPUs, hosts, prices: a row each, of every fact that a formula of this workbook reads."""
    _begin(sheet, draft)
    told = "What the drop-downs pick from, in base units: what formulas of this workbook read."
    head(sheet, HARDWARE, f"{told} {ALL_FACTS} Columns behind {letter(PRINTED)} are not printed.")
    tables = draft.view.resolved.catalogue.tables
    row, read = FIRST_ROW, columns_read(draft)
    for name in OF_HARDWARE:
        if name in tables and tables[name].ids:
            row = _table(draft, sheet, row, tables[name], read) + 1
    row = write_usual_hosts(draft, sheet, row)
    write_usual_prices(draft, sheet, row)
    _finish(sheet)


def write_reference(draft: Draft, sheet: Sheet) -> None:
    """Named numbers, words, and the tables of the workload's choices."""
    _begin(sheet, draft)
    told = "Named numbers, words that numbers stand for, choices with what formulas read of them."
    head(sheet, REFERENCE, f"{told} Columns behind {letter(PRINTED)} are not printed.")
    row, places = constants_table(sheet, FIRST_ROW, used_constants(draft))
    draft.constants.update(places)
    if draft.documented:
        row, draft.units = units_table(sheet, row, draft.documented)
    row = _words(draft, sheet, row) + 1
    used = {entry.table for entry in draft.view.fields.values() if entry.kind == "choice"}
    tables, read = draft.view.resolved.catalogue.tables, columns_read(draft)
    wanted = [table for name, table in tables.items() if name in used and name not in OF_HARDWARE]
    for table in sorted(wanted, key=lambda each: len(each.columns) + len(each.texts)):
        row = _table(draft, sheet, row, table, read)
    _finish(sheet)


def columns_read(draft: Draft) -> frozenset[str]:
    """Columns of tables that a formula of this workbook reads: all others stand in the catalogue's workbook."""
    attributes = draft.view.attributes
    ruled = (recorded(follower.rule) for follower in following(draft.view.workload))
    named = {node.name for rule in ruled for node in walk(rule) if isinstance(node, Ref)}
    supplied = {attributes[name][1].name for name in looked_up(draft)}
    return frozenset({*supplied, *named, IS_COMMITTED, *(name for _, name, _ in READABLE)})


def _begin(sheet: Sheet, draft: Draft) -> None:
    """Widths of as many columns as a table may have: rows are as high as texts need in them."""
    tables = draft.view.resolved.catalogue.tables.values()
    most = max(len(table.columns) + len(table.texts) for table in tables)
    sheet.widths(*WIDTHS, *[COLUMN_WIDTH] * (len(READABLE) + len(OF_GPU) + most))


def _finish(sheet: Sheet) -> None:
    """What is printed is the first columns, of which the ids stay in sight."""
    sheet.worksheet.print_area = f"A1:{letter(PRINTED)}{sheet.worksheet.max_row}"
    sheet.worksheet.freeze_panes = f"B{FIRST_ROW}"


def used_constants(draft: Draft) -> list[Constant]:
    """The constants that the workload's formulas and the documented figures contain, and the workbook's own."""
    figures = {line.figure.name: line.figure for line in draft.view.computed.lines}
    expressions = [figure.expression for figure in figures.values()]
    documented = draft.documented
    further = (*OWN_CONSTANTS, *(agreement.CONSTANTS if documented else ()))
    return named_in([*expressions, *recordings(documented)], further)


def _words(draft: Draft, sheet: Sheet, row: int) -> int:
    """What coded figures stand for, several figures side by side; the row after them."""
    labels = {line.figure.name: line.figure.labels for line in draft.view.computed.lines if line.figure.labels}
    listed = list({VERDICT: NUMBERED, **labels}.items())
    for at in range(0, len(listed), len(WORDS_AT)):
        beside = listed[at : at + len(WORDS_AT)]
        sheet.row(row, 1, ["Number", *[None] * (PRINTED - 1)], HEADER)
        most = max(len(words) for _, words in beside)
        for rank in range(1, most + 1):
            sheet.put(row + rank, 1, f"{rank}", NAME)
        for column, (name, words) in zip(WORDS_AT, beside, strict=False):
            sheet.put(row, column, f"Words of {name}", HEADER)
            for rank, word in enumerate(words, 1):
                sheet.put(row + rank, column, word, SHORT)
            draft.words[name] = sheet.span(row + 1, column, row + len(words), column)
        sheet.keep_together(row, row + most)
        row += most + 1
    return row


@frozen
class _Column:
    """A column of a table: its name, its unit, its cells row by row, whether they are numbers."""

    name: str
    unit: str
    cells: tuple[tuple[Content, Style], ...]
    numeric: bool = True


def _table(draft: Draft, sheet: Sheet, row: int, table: Table, read: Collection[str]) -> int:
    """Heading, titles, units if there are any, then a row an id, those that nothing picks folded; the next free row."""
    units = any(table.columns[name].unit not in UNITLESS for name in table.columns if name in read)
    first = row + 2 + units
    sheet.band(row, table.title, PRINTED)
    sheet.row(row + 1, 1, ["id", "title", "source", "basis"], HEADER)
    if units:
        sheet.put(row + 2, 1, "unit", NAME)
    for index in range(len(table.ids)):
        _described(sheet, first + index, table, index, read)
    columns = list(_columns(draft, first, table, read))
    spans = {
        column.name: _put_column(sheet, first, place, column, units=units)
        for place, column in enumerate(columns, NUMBERS)
    }
    kept = len(table.ids) if len(table.ids) <= LINES_KEPT else LINES_BEGUN
    sheet.keep_together(row, first + kept - 1)
    sheet.fold_rows(first + position for position in _unused(draft, table))
    draft.tables[table.name] = _place(draft, sheet, table, first, spans)
    return first + len(table.ids)


def _put_column(sheet: Sheet, first: int, place: int, column: _Column, *, units: bool) -> str:
    """A column from its title down; the range of its cells."""
    sheet.put(first - 1 - units, place, _spaced(column.name), HEADER_NUMBER if column.numeric else PADDED_HEADER)
    if units and column.unit:
        sheet.put(first - 1, place, column.unit, UNIT)
    for row, (content, style) in enumerate(column.cells, first):
        sheet.put(row, place, content, style)
    return sheet.span(first, place, first + len(column.cells) - 1, place)


def _place(draft: Draft, sheet: Sheet, table: Table, first: int, spans: Mapping[str, str]) -> TablePlace:
    """Where a table stands, from its first row on; its ids have a name, for the drop-down."""
    last = first + len(table.ids) - 1
    ids = sheet.span(first, 1, last, 1)
    texts = {name: spans[name] for name in table.texts if name in spans}
    texts[SOURCE_TEXT] = sheet.span(first, SOURCE_COLUMN, last, SOURCE_COLUMN)
    found = {name: spans[name] for name in (*table.columns, *OF_GPU) if name in spans}
    if table.name != HOSTS:
        draft.book.name(f"list_{table.name}", ids)
    return TablePlace(ids, found, texts)


def _unused(draft: Draft, table: Table) -> list[int]:
    """Places of rows that no variant and no table of the scenario picks; none where rows are not picked by name."""
    names = [entry.name for entry in draft.view.fields.values() if entry.kind == "choice" and entry.table == table.name]
    used = {case.settings[name] for case in draft.view.resolved.cases for name in names if name in case.settings}
    return [index for index, key in enumerate(table.ids) if used and key not in used]


def _described(sheet: Sheet, row: int, table: Table, index: int, read: Collection[str]) -> None:
    """What a row is, where its numbers are from, what they rest on."""
    key, columns = table.ids[index], [column for name, column in table.columns.items() if name in read]
    sheet.put(row, 1, key if isinstance(key, str) else float(key), LABEL)
    sheet.put(row, 2, table.titles[index], LABEL)
    sheet.put(row, SOURCE_COLUMN, _listed([str(column.sources[index]) for column in columns]) or None, SHORT)
    sheet.put(row, 4, _listed([column.bases[index] for column in columns]) or None, PADDED)


def _columns(draft: Draft, first: int, table: Table, read: Collection[str]) -> Iterator[_Column]:
    """A GPU's main figures in units of data sheets, the numbers that are read, texts."""
    numbers = [column for name, column in table.columns.items() if name in read]
    is_gpu = table.name == GPUS
    if is_gpu:
        yield from _readable(draft, first, [column.name for column in numbers], table)
    for column in numbers:
        style = given(format_of(column.unit, list(column.values)))
        yield _Column(column.name, column.unit, tuple((value, style) for value in column.values))
    for name, of_gpu in OF_GPU.items() if is_gpu else ():
        values = [float(of_gpu(draft.view.resolved.catalogue, gpu)) for gpu in table.ids]
        yield _Column(name, "count", tuple((value, given("0")) for value in values))
    for name, words in table.texts.items() if DATED in table.texts else ():
        if name in READ_TEXTS or (name != CONFIDENCE and any(words)):
            yield _Column(name, "", tuple((word or NOTHING, PADDED) for word in words), numeric=False)


def _readable(draft: Draft, first: int, names: Sequence[str], table: Table) -> Iterator[_Column]:
    """The main figures, each computed from its number further right."""
    for title, name, per in READABLE:
        place = letter(NUMBERS + len(READABLE) + names.index(name))
        texts = (f"{place}{row}/{draft.constants[per.name]}" for row in count(first))
        values = (value / per for value in table.columns[name].values)
        yield _Column(
            title, "", tuple((Formula(text, value), READABLE_LOOK) for text, value in zip(texts, values, strict=False))
        )


def _spaced(name: str) -> str:
    """A name in words that a narrow column breaks well."""
    return name.replace("_", " ").replace(" per ", "\nper ")


def _listed(words: list[str]) -> str:
    """Distinct words; the first and how many more where there are several."""
    distinct = list(dict.fromkeys(word for word in words if word))
    if len(distinct) <= 2:
        return "; ".join(distinct)
    return f"{distinct[0]}; and {len(distinct) - 1} more"
