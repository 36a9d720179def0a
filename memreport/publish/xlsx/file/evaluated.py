"""A finished workbook computed by a program that knows nothing of memreport: formualizer 0.13."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from types import ModuleType

from openpyxl.utils import coordinate_to_tuple

from memreport.errors import MachineError
from memreport.publish.xlsx.file.package import Place, Value

DAY_ZERO = datetime(1899, 12, 30)  # noqa: DTZ001  # a workbook's dates have no time zone
SECONDS_A_DAY = 86_400
ERROR_NAMES = {
    "Div": "#DIV/0!",
    "Na": "#N/A",
    "Name": "#NAME?",
    "Null": "#NULL!",
    "Num": "#NUM!",
    "Ref": "#REF!",
    "Value": "#VALUE!",
}


def engine() -> ModuleType:
    """The program.  Raises MachineError where it is missing."""
    try:
        import formualizer
    except ImportError as fault:
        raise MachineError("recalculation needs formualizer; run: python -m pip install formualizer") from fault
    return formualizer


def plain(found: object) -> Value:
    """A value as a workbook stores it: numbers as float, errors by their names, an empty result as empty text."""
    if type(found) is float:  # nearly all are, and a workbook has thousands
        return found
    if isinstance(found, dict):
        return ERROR_NAMES.get(str(found.get("kind")), f"#{str(found.get('kind')).upper()}!")
    if isinstance(found, datetime):
        return (found - DAY_ZERO).total_seconds() / SECONDS_A_DAY
    if isinstance(found, int | float) and not isinstance(found, bool):
        return float(found)
    return found if isinstance(found, bool | str) else ""


def evaluated(data: bytes, places: Iterable[Place]) -> dict[Place, Value]:
    """What these cells of a workbook compute to, and nothing that they do not need.  Raises MachineError."""
    listed = list(places)
    book = engine().load_workbook_bytes(data)
    book.set_temporal_egress("serial")
    found = book.evaluate_cells([(sheet, *coordinate_to_tuple(cell)) for sheet, cell in listed])
    return dict(zip(listed, map(plain, found), strict=True))
