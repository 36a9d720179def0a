"""The values that lie beside the formulas of a workbook, as every reader sees that computes nothing.

On the published file format (ISO/IEC 29500-1:2016, 18.3.1.4 and 18.18.11) alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, fromstring

from openpyxl.utils import get_column_letter

from memreport.publish.xlsx.file.cells import Place, Value
from memreport.publish.xlsx.file.package import EMPTY, MAIN, sheet_parts

SHARED = "xl/sharedStrings.xml"
FORMULA, VALUE = f"{MAIN}f", f"{MAIN}v"
NO_WHOLE = frozenset(".eEnN")
"""What a number has that is none of digits alone."""


def stored_values(parts: Mapping[str, bytes]) -> dict[Place, Value | None]:
    """Every formula cell with the value beside it, or with None where it has none; dates are numbers of days."""
    texts = [text_of(one) for one in fromstring(parts.get(SHARED, EMPTY))]  # noqa: S314  # as in `package`
    return {
        (sheet, place): value
        for sheet, part in sheet_parts(parts)[0].items()
        for row in fromstring(parts.get(part, EMPTY)).iter(f"{MAIN}row")  # noqa: S314
        for place, value in _of_row(row, texts)
    }


def text_of(element: Element) -> str:
    """A text, of whatever pieces."""
    return "".join(one.text or "" for one in element.iter(f"{MAIN}t"))


def _of_row(row: Element, texts: list[str]) -> Iterator[tuple[str, Value | None]]:
    for at, cell in enumerate(row, 1):
        if cell.find(FORMULA) is not None:
            place = cell.get("r") or f"{get_column_letter(at)}{row.get('r')}"
            yield place, _value(cell.get("t", "n"), cell.findtext(VALUE) or "", texts)


def _value(kind: str, said: str, texts: list[str]) -> Value | None:
    if not said:
        return None
    if kind == "s":
        return texts[int(said)]
    if kind == "b":
        return said == "1"
    if kind == "n":
        return int(said) if NO_WHOLE.isdisjoint(said) else float(said)
    return said
