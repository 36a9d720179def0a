"""A workbook from anybody, opened with care: what is encrypted, broken, huge or hostile is refused with one fault."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import Cell
from openpyxl.utils import coordinate_to_tuple
from openpyxl.worksheet.worksheet import Worksheet

from memreport.audit.parts import refusal, sound_parts
from memreport.errors import InputError
from memreport.publish.xlsx.common.titles import CALCULATION
from memreport.publish.xlsx.file.cells import Place, Value
from memreport.publish.xlsx.file.stored import stored_values
from memreport.publish.xlsx.sheet.record import Record, filled, read_record

OURS = "memreport"


@dataclass
class Opened:
    """A workbook that is safe to look at: its parts, its formulas, the values beside them, its record."""

    path: Path
    parts: Mapping[str, bytes]
    formulas: Workbook
    record: Record | None

    @cached_property
    def values(self) -> dict[Place, Value | None]:
        """The values beside the formulas.  Raises InputError."""
        try:
            return stored_values(self.parts)
        except (LookupError, ValueError) as error:  # a number that is none, a text that is not there
            raise _unreadable(self.path, error) from error

    @property
    def sheets(self) -> list[Worksheet]:
        """The sheets in their order."""
        return [sheet for sheet in self.formulas.worksheets if isinstance(sheet, Worksheet)]

    @cached_property
    def titles(self) -> frozenset[str]:
        """The names of all sheets."""
        return frozenset(self.formulas.sheetnames)

    @cached_property
    def cells(self) -> Mapping[str, list[Cell]]:
        """The filled cells of every sheet, row by row; of one that is not there none."""
        return _Filled({sheet.title: sheet for sheet in self.sheets})

    def value(self, sheet: str, place: str) -> object:
        """What stands beside a formula, or in a typed cell."""
        key = (sheet, place)
        return self.values[key] if key in self.values else self.formulas[sheet][place].value

    def within(self, title: str, place: str) -> bool:
        """Whether a cell lies where the sheet has any: asking for one far outside would make the sheet grow to it."""
        if title not in self.formulas.sheetnames:
            return False
        (row, column), (last_row, last_column) = coordinate_to_tuple(place), self.ends[title]
        return 1 <= row <= last_row and 1 <= column <= last_column

    @cached_property
    def ends(self) -> dict[str, tuple[int, int]]:
        """The last row and column of every sheet, which each time take a look at all of its cells."""
        return {title: _end(self.formulas[title]) for title in self.formulas.sheetnames}

    @property
    def saved_by_libreoffice(self) -> bool:
        """LibreOffice leaves out some of what it was given, such as frozen panes."""
        return b"LibreOffice" in self.parts.get("docProps/app.xml", b"")

    @property
    def of_a_scenario(self) -> bool:
        """Whether it has the sheets of a scenario; the workbooks of the catalogue and of the ledger have not."""
        titles = self.record.sheets if self.record else self.formulas.sheetnames
        return CALCULATION in titles


class _Filled(dict[str, list[Cell]]):
    """The filled cells of sheets, listed when somebody asks for those of a sheet."""

    def __init__(self, sheets: Mapping[str, Worksheet]) -> None:
        super().__init__()
        self.sheets = sheets

    def __missing__(self, title: str) -> list[Cell]:
        self[title] = list(filled(self.sheets[title])) if title in self.sheets else []
        return self[title]


def _end(sheet: object) -> tuple[int, int]:
    """The last row and column of a sheet; a sheet of charts alone has none."""
    return (sheet.max_row, sheet.max_column) if isinstance(sheet, Worksheet) else (0, 0)


def opened(path: Path) -> Opened:
    """Open a workbook.  Raises InputError with one fault, and never fills the memory."""
    data, parts = sound_parts(path)
    formulas = _read(path, data)
    record = read_record(formulas)
    if record is None and formulas.properties.creator != OURS:
        raise refusal(path, "was not made by memreport", expected="a workbook from memreport build")
    return Opened(path, parts, formulas, record)


def _read(path: Path, data: bytes) -> Workbook:
    """What openpyxl reads.  Raises InputError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what openpyxl warns of is a finding, or no concern of a reader's
            return load_workbook(io.BytesIO(data))
    except Exception as error:  # a broken file makes openpyxl raise whatever it stumbles over
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> InputError:
    return refusal(path, "cannot be read as a workbook", f"{type(error).__name__}: {error}"[:200])
