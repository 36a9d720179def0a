"""Prices and attributes of an accelerator that a reviewer typed: a scenario gives them beside their accelerator."""

from __future__ import annotations

from collections.abc import Iterator

from memreport.audit.input_rules import TITLES_ROW
from memreport.audit.opening import Opened
from memreport.audit.origin import follows
from memreport.errors import Fault
from memreport.publish.xlsx.common.draft import FIRST, NAME_COLUMN, NOT_GIVEN, STATED_FOR

OVERRIDE = "{} (override)"
STATED = STATED_FOR.format("")
BESIDE = "a scenario's number is of the accelerator beside it"


def says_whose(name: str) -> bool:
    """Whether a row of Inputs says of which accelerator the number above it is; a scenario needs no such line."""
    return name.endswith(STATED)


def of_another(book: Opened) -> Iterator[Fault]:
    """A fault for each number that is of another accelerator than its column's: a scenario has no words for it."""
    sheet, rows = book.formulas["Inputs"], _rows(book)
    for name in (name.removesuffix(STATED) for name in rows if says_whose(name)):
        row = rows.get(OVERRIDE.format(name), 0)
        for column in range(FIRST, sheet.max_column + 1) if row and "accelerator" in rows else ():
            cell = sheet.cell(row, column)
            number, of, card = (
                _now(book, at, column) for at in (row, rows[STATED_FOR.format(name)], rows["accelerator"])
            )
            own = column == FIRST or not follows(book, cell)
            if own and number not in (None, "", NOT_GIVEN) and of != card:
                yield _fault(f"{book.path.name}, Inputs!{cell.coordinate}", name, str(of), str(card))


def _fault(place: str, name: str, of: str, card: str) -> Fault:
    message = f"is of {of}, and its column has {card}: {BESIDE}"
    allowed = f"the number of {card}, with {card} in the row below; or no number"
    return Fault(message, file=place, field=name, expected=allowed)


def _rows(book: Opened) -> dict[str, int]:
    sheet = book.formulas["Inputs"]
    named = ((sheet.cell(row, NAME_COLUMN).value, row) for row in range(TITLES_ROW + 1, sheet.max_row + 1))
    return {str(name): row for name, row in named if name}


def _now(book: Opened, row: int, column: int) -> object:
    """What stands in a cell of Inputs, or in the first variant's where the cell follows that."""
    sheet = book.formulas["Inputs"]
    cell = sheet.cell(row, column)
    return sheet.cell(row, FIRST).value if column > FIRST and follows(book, cell) else cell.value
