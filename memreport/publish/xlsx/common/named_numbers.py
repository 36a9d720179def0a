"""What the steps of documented figures need on Reference: their named numbers, and the units that documents print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from textwrap import shorten

from memreport.figures import constants
from memreport.figures.constants import times
from memreport.formula.recording import walk
from memreport.formula.words import Constant, Expr, Num
from memreport.ledger.printed import Printed, plain_digits, unit_of
from memreport.publish.xlsx.sheet.book import Sheet
from memreport.publish.xlsx.sheet.styles import (
    DECIMAL,
    HEADER,
    HEADER_NUMBER,
    LABEL,
    MOST,
    NOTE,
    PLAIN,
    SCIENTIFIC,
    given,
)
from memreport.report.records.documented import DocumentedEntry

Units = Mapping[tuple[str, float], str]
SMALLEST_PLAIN = 1e-3
MOST_DIGITS = 12
"""Characters of a number that its column has room for; one that goes on for ever is shown in fewer."""
VALUE, MEANING, SOURCE = 2, 3, 9
"""Columns of a named number; the texts, each on one line, reach over the columns behind them."""
SOURCE_LETTERS = 76
"""Letters of a source that have room on paper; the whole stands in the column behind."""
LAST = 13
"""The last column that is printed."""
TEXT, PADDED_HEADER = replace(NOTE, wrap=False, indent=1), replace(HEADER, indent=1)


def recordings(entries: Iterable[DocumentedEntry]) -> list[Expr]:
    """Every formula that documented figures are computed with."""
    steps = (step for entry in entries if entry.steps for step in entry.steps.rows)
    cells = (cell for step in steps for cell in step.cells)
    found = {id(cell.line.figure): cell.line.figure.expression for cell in cells if cell and cell.line}
    return list(found.values())


def units_table(sheet: Sheet, row: int, entries: Sequence[DocumentedEntry]) -> tuple[int, Units]:
    """Printed units that are not base units, from a header in `row` on; the row after them, and where each stands."""
    _titles(sheet, row, "Printed unit")
    places = {}
    for (word, factor), printed in sorted(_units(entries).items()):
        row += 1
        sheet.put(row, 1, word, LABEL)
        sheet.row(row, MEANING, [None] * (LAST - MEANING + 1), TEXT)
        sheet.put(row, MEANING, f"one printed {word} is {plain_digits(factor)} {_base(printed)}".rstrip(), TEXT)
        usual = float(unit_of(word)[1]) == factor
        sheet.put(row, SOURCE, "definition" if usual else "a way of counting that documents use", TEXT)
        sheet.put(
            row, VALUE, factor, given(_with_unit(PLAIN if factor >= SMALLEST_PLAIN else SCIENTIFIC, _base(printed)))
        )
        places[word, factor] = sheet.address(row, VALUE)
    return row + 2, places


def _format(constant: Constant) -> str:
    """The number format in which a constant has room in its column."""
    if abs(constant) >= MOST:
        return SCIENTIFIC
    return PLAIN if len(f"{constant:.15g}") <= MOST_DIGITS else DECIMAL


def _with_unit(shown_as: str, unit: str) -> str:
    """A number format that says the unit behind each number."""
    return ";".join(f'{part}" {unit}"' for part in shown_as.split(";")) if unit else shown_as


def _base(value: Printed) -> str:
    return "" if str(value.unit) == "1" else str(value.unit)


def _units(entries: Iterable[DocumentedEntry]) -> dict[tuple[str, float], Printed]:
    """Every printed unit by word and factor; a way of counting may read a word in another size."""
    judged = [documented_entry.judgement.entry for documented_entry in entries if documented_entry.steps is not None]
    values = [
        value for entry in judged for value in (entry.converted.value, entry.value) if value and value.factor != 1
    ]
    return {(value.word, value.factor): value for value in values}


def named_in(expressions: Iterable[Expr], further: Iterable[Constant]) -> list[Constant]:
    """The constants that formulas contain, and further ones, by name."""
    named = {**vars(constants), **vars(times)}
    known = {value.name: value for value in named.values() if isinstance(value, Constant)}
    nodes = (node for expression in expressions for node in walk(expression))
    names = {node.name for node in nodes if isinstance(node, Num) and node.name}
    found = {constant.name: constant for constant in (*(known[name] for name in names), *further)}
    return sorted(found.values(), key=lambda constant: constant.name)


def _titles(sheet: Sheet, row: int, first: str) -> None:
    """The header of such a table."""
    sheet.row(row, 1, [first, *[None] * (LAST - 1)], HEADER)
    sheet.put(row, VALUE, "Value", HEADER_NUMBER)
    sheet.put(row, MEANING, "Meaning", PADDED_HEADER)
    sheet.put(row, SOURCE, "Source", HEADER)


def constants_table(sheet: Sheet, row: int, listed: Iterable[Constant]) -> tuple[int, dict[str, str]]:
    """Named numbers from a header in `row` on; the row after them, and where each stands."""
    _titles(sheet, row, "Named number")
    places = {}
    for constant in listed:
        row += 1
        unit = "" if str(constant.unit) == "1" else str(constant.unit)
        sheet.put(row, 1, constant.name, LABEL)
        sheet.row(row, MEANING, [constant.meaning, *[None] * (LAST - MEANING)], TEXT)
        sheet.put(row, SOURCE, shorten(constant.source, SOURCE_LETTERS, placeholder=" …"), TEXT)
        if len(constant.source) > SOURCE_LETTERS:
            sheet.put(row, LAST + 1, constant.source, TEXT)
        sheet.put(row, VALUE, float(constant), given(_with_unit(_format(constant), unit)))
        places[constant.name] = sheet.address(row, VALUE)
    return row + 2, places
