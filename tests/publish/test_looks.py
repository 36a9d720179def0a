"""What a reader sees on the sheets: every number has room in its column, so that none is shown as ####."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from tests.publish.workbook_cases import saved
from tests.support import published

NAMES = [computed.resolved.loaded.scenario.id for computed in published()]
USUAL_WIDTH = 8.43  # characters of a column whose width is not set


def shown(number: float, shown_as: str) -> str:
    """A number as its format shows it."""
    places = sum(letter in "0#" for letter in shown_as.partition(".")[2].partition("E")[0])
    if "E" in shown_as:
        return f"{number:.{places}E}"
    text = f"{number * (100 if '%' in shown_as else 1):,.{places}f}"
    return text + "%" * ("%" in shown_as) + "$" * ("$" in shown_as)


@pytest.mark.parametrize(
    ("number", "shown_as", "text"),
    [(1234.5, "#,##0.00", "1,234.50"), (0.125, "0.0%", "12.5%"), (1.5e12, "0.000E+00", "1.500E+12"), (7, "0", "7")],
)
def test_a_number_is_shown_by_its_format(number: float, shown_as: str, text: str) -> None:
    assert shown(number, shown_as) == text


@pytest.mark.parametrize("name", NAMES)
def test_every_number_has_room_in_its_column(name: str, tmp_path: Path) -> None:
    book = load_workbook(saved(published()[NAMES.index(name)], tmp_path), data_only=True)
    tight = []
    for sheet in book.worksheets:
        widths = {letter: column.width for letter, column in sheet.column_dimensions.items()}
        for cell in (cell for row in sheet.iter_rows() for cell in row):
            room = widths.get(get_column_letter(cell.column or 1), USUAL_WIDTH)
            if isinstance(cell.value, int | float) and cell.number_format != "General":
                text = shown(float(cell.value), cell.number_format)
                tight += [f"{sheet.title}!{cell.coordinate}: {text}"] if len(text) > room else []
    assert not tight
