"""Hardware and Reference: the tables that drop-downs pick from, named numbers, and the words of coded figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import shorten

from memreport.advise.verdict import NUMBERED
from memreport.catalogue.records import Table
from memreport.formula.words import Constant
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
from memreport.publish.xlsx.common.titles import HARDWARE, REFERENCE
from memreport.publish.xlsx.common.usual_hosts import write_usual_hosts
from memreport.publish.xlsx.common.usual_prices import write_usual_prices
from memreport.publish.xlsx.sheet.book import FIRST_ROW, Content, Formula, Sheet, head, letter
from memreport.publish.xlsx.sheet.styles import (
    HEADER,
    HEADER_NUMBER,
    HEADING,
    LABEL,
    NAME,
    NOTE,
    Style,
    format_of,
    given,
    number,
)
from memreport.resolve.following import OF_GPU

HOSTS = "hosts"
"""Their drop-down offers one thing more: the usual one."""
OF_HARDWARE = (
    "accelerators", HOSTS, "rental_prices", "purchase_prices", "energy_prices", "colocation_prices", "links"
)  # fmt: skip
NUMBERS = 5
"""Column E: the first number of a table; id, title, source and basis stand before it."""
WIDTHS = (25, 26, 36, 12.5)
ACROSS, COLUMN_WIDTH = 9, 14.2
"""How many columns behind the first four stand side by side, and how wide; further ones stand in a block below."""
PADDED, PADDED_HEADER = replace(NOTE, indent=1), replace(HEADER, indent=1)
WHOLE_SOURCE, SOURCE_LETTERS, SHORT = NUMBERS + ACROSS, 46, replace(NOTE, wrap=False)
"""Column of a row's source at its full length, which is not printed, and letters of it that stand beside the row."""
WORDS_AT = (2, 3, 5, 8, 11)
"""Columns at which words of coded figures stand side by side."""
READABLE_LOOK = number("#,##0.00")
UNITLESS = frozenset({"", "count"})
"""Units that need no row of their own above a block."""
LINES_KEPT, LINES_BEGUN = 12, 5
"""A table of no more lines stands on one page of print; of a longer one as many stand with its titles."""
SOURCE_TEXT = "source"
READABLE = (
    ("capacity (GiB)", "capacity_bytes", BYTES_PER_GIB),
    ("bandwidth (TB/s)", "memory_bytes_per_second", PER_TERA),
    ("BF16 (TFLOP/s)", "bf16_flop_per_second", PER_TERA),
)
"""Columns that say a GPU's main figures in the units of data sheets."""


def write_hardware(draft: Draft, sheet: Sheet) -> None:
    """GPUs, hosts, prices, links."""
    sheet.widths(*WIDTHS, *[COLUMN_WIDTH] * ACROSS)
    head(sheet, HARDWARE, "What the drop-downs pick from, in base units; each number's source stands on Sources.")
    tables = draft.view.resolved.catalogue.tables
    row = FIRST_ROW
    for name in OF_HARDWARE:
        if name in tables and tables[name].ids:
            row = _table(draft, sheet, row, tables[name]) + 1
    row = write_usual_hosts(draft, sheet, row)
    write_usual_prices(draft, sheet, row)
    _printed(sheet)
    sheet.worksheet.freeze_panes = f"B{FIRST_ROW}"


def write_reference(draft: Draft, sheet: Sheet) -> None:
    """Named numbers, words, and the tables of the workload's choices."""
    sheet.widths(*WIDTHS, *[COLUMN_WIDTH] * ACROSS)
    head(
        sheet,
        REFERENCE,
        "Named numbers, words that numbers stand for, choices; whole sources in column N are not printed.",
    )
    row, places = constants_table(sheet, FIRST_ROW, used_constants(draft))
    draft.constants.update(places)
    if draft.documented:
        row, draft.units = units_table(sheet, row, draft.documented)
    row = _words(draft, sheet, row) + 1
    used = {entry.table for entry in draft.view.fields.values() if entry.kind == "choice"}
    tables = draft.view.resolved.catalogue.tables
    wanted = [table for name, table in tables.items() if name in used and name not in OF_HARDWARE]
    for table in sorted(wanted, key=lambda each: len(each.columns) + len(each.texts)):
        row = _table(draft, sheet, row, table)
    _printed(sheet)
    sheet.worksheet.freeze_panes = f"B{FIRST_ROW}"


def _printed(sheet: Sheet) -> None:
    """All but the sources at their full length."""
    sheet.worksheet.print_area = f"A1:{letter(WHOLE_SOURCE - 1)}{sheet.worksheet.max_row}"


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
        sheet.row(row, 1, ["Number", *[None] * (WHOLE_SOURCE - 2)], HEADER)
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


def _table(draft: Draft, sheet: Sheet, row: int, table: Table) -> int:
    """Heading, then blocks of at most ACROSS columns below each other, each with the ids; the next free row."""
    count, units = len(table.ids), any(column.unit not in UNITLESS for column in _columns(draft, row, table))
    titles = 1 + units
    first = row + 1 + titles
    listed = list(_columns(draft, first, table))
    blocks = [listed[position : position + ACROSS] for position in range(0, len(listed), ACROSS)] or [[]]
    sheet.row(row, 1, [table.title, *[None] * (NUMBERS + ACROSS - 2)], HEADING)
    spans: dict[str, str] = {}
    for index, columns in enumerate(blocks):
        top = row + 1 + index * (count + titles)
        kept = count if count <= LINES_KEPT else LINES_BEGUN
        sheet.keep_together(top - (index == 0), top + titles + kept - 1)
        _block(sheet, top + titles, columns, table, first if index else 0, units=units)
        sheet.fold_rows(top + titles + position for position in _unused(draft, table))
        for offset, column in enumerate(columns, NUMBERS):
            spans[column.name] = sheet.span(top + titles, offset, top + titles + count - 1, offset)
    draft.tables[table.name] = _place(draft, sheet, table, first, spans)
    return row + 1 + len(blocks) * (count + titles)


def _place(draft: Draft, sheet: Sheet, table: Table, first: int, spans: Mapping[str, str]) -> TablePlace:
    """Where a table stands, from its first row on; its ids have a name, for the drop-down."""
    last = first + len(table.ids) - 1
    ids = sheet.span(first, 1, last, 1)
    texts = {name: spans[name] for name in table.texts}
    texts[SOURCE_TEXT] = sheet.span(first, WHOLE_SOURCE, last, WHOLE_SOURCE)
    found = {name: spans[name] for name in (*table.columns, *OF_GPU) if name in spans}
    if table.name != HOSTS:
        draft.book.name(f"list_{table.name}", ids)
    return TablePlace(ids, found, texts)


def _unused(draft: Draft, table: Table) -> list[int]:
    """Places of rows that no variant and no table of the scenario picks; none where rows are not picked by name."""
    names = [entry.name for entry in draft.view.fields.values() if entry.kind == "choice" and entry.table == table.name]
    used = {case.settings[name] for case in draft.view.resolved.cases for name in names if name in case.settings}
    return [index for index, key in enumerate(table.ids) if used and key not in used]


def _block(sheet: Sheet, first: int, columns: Sequence[_Column], table: Table, ids_from: int, *, units: bool) -> None:
    """One block: titles, units if there are any, rows from `first` on; a further block repeats the ids by formula."""
    top = first - 1 - units
    words = ["id", "title", None, None] if ids_from else ["id", "title", "source", "basis"]
    sheet.row(top, 1, words, HEADER)
    if units:
        sheet.row(top + 1, 1, ["unit", None, None, None], NAME)
    for index in range(len(table.ids)):
        if ids_from:
            _repeated(sheet, first + index, ids_from + index, table, index)
        else:
            _described(sheet, first + index, table, index)
    for offset, column in enumerate(columns, NUMBERS):
        sheet.put(top, offset, _spaced(column.name), HEADER_NUMBER if column.numeric else PADDED_HEADER)
        if units:
            sheet.put(top + 1, offset, column.unit or None, replace(NAME, horizontal="right"))
        for index, (content, style) in enumerate(column.cells):
            sheet.put(first + index, offset, content, style)


def _described(sheet: Sheet, row: int, table: Table, index: int) -> None:
    """What a row is, where its numbers are from, what they rest on."""
    key, columns = table.ids[index], table.columns.values()
    sheet.put(row, 1, key if isinstance(key, str) else float(key), LABEL)
    sheet.put(row, 2, table.titles[index], LABEL)
    source = _listed([str(column.sources[index]) for column in columns])
    sheet.put(row, 3, shorten(source, SOURCE_LETTERS, placeholder=" …") or None, SHORT)
    sheet.put(row, WHOLE_SOURCE, source or None, SHORT)
    sheet.put(row, 4, _listed([column.bases[index] for column in columns], "") or None, PADDED)


def _repeated(sheet: Sheet, row: int, source: int, table: Table, index: int) -> None:
    key = table.ids[index]
    sheet.put(row, 1, Formula(f"$A${source}", key if isinstance(key, str) else float(key)), LABEL)
    sheet.put(row, 2, Formula(f"$B${source}", table.titles[index]), LABEL)
    sheet.row(row, 3, [None, None], NOTE)


def _columns(draft: Draft, first: int, table: Table) -> Iterator[_Column]:
    """Numbers, the same in units of data sheets, texts."""
    for column in table.columns.values():
        style = given(format_of(column.unit, list(column.values)))
        yield _Column(column.name, column.unit or "count", tuple((value, style) for value in column.values))
    names = list(table.columns)
    for title, name, per in READABLE if table.name == "accelerators" else ():
        place, divisor = letter(NUMBERS + names.index(name)), draft.constants[per.name]
        values = [value / per for value in table.columns[name].values]
        texts = [f"{place}{first + index}/{divisor}" for index in range(len(values))]
        cells = ((Formula(text, value), READABLE_LOOK) for text, value in zip(texts, values, strict=True))
        yield _Column(title, "", tuple(cells))
    for name, of_gpu in OF_GPU.items() if table.name == "accelerators" else ():
        values = [float(of_gpu(draft.view.resolved.catalogue, gpu)) for gpu in table.ids]
        yield _Column(name, "count", tuple((value, given("0")) for value in values))
    for name, words in table.texts.items():
        yield _Column(name, "", tuple((word or NOTHING, PADDED) for word in words), numeric=False)


def _spaced(name: str) -> str:
    """A name in words that a narrow column breaks well."""
    return name.replace("_", " ").replace(" per ", "\nper ")


def _listed(words: list[str], told: str = ", see Sources") -> str:
    """Distinct words; the first and how many more where there are several."""
    distinct = list(dict.fromkeys(word for word in words if word))
    if len(distinct) <= 2:
        return "; ".join(distinct)
    return f"{distinct[0]}; and {len(distinct) - 1} more{told}"
