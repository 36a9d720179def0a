"""A workbook from anybody, opened with care: what is encrypted, broken, huge or hostile is refused with one fault."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import Cell
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from memreport.errors import Fault, InputError
from memreport.publish.workbook.record import Record, filled, read_record

LARGEST_FILE = 64 * 2**20
LARGEST_CONTENT = 512 * 2**20
MOST_PARTS = 2_000
HIGHEST_RATIO = 400
"""XML packs 10 to 50 times; a part that packs 400 times and is larger than SMALL_PART is made to fill a memory."""
SMALL_PART = 2**20
MOST_CELLS = 5_000_000
"""Cells of a sheet's rectangle, filled or not: our largest tables have a tenth of it."""
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENTITY = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)
MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Za-z0-9:$]+)"')
PLACED = re.compile(rb'<(?:\w+:)?c\s(?:[^>]*?\s)?r="([A-Z]{1,3})([0-9]{1,7})"')
NEEDED = ("[Content_Types].xml", "xl/workbook.xml")
OURS = "memreport"


@dataclass
class Opened:
    """A workbook that is safe to look at: its parts, its formulas, the values beside them, its record."""

    path: Path
    parts: Mapping[str, bytes]
    formulas: Workbook
    data: bytes
    record: Record | None

    @cached_property
    def values(self) -> Workbook:
        """The workbook with values in place of formulas.  Raises InputError."""
        return _read(self.path, self.data, values=True)

    @property
    def sheets(self) -> list[Worksheet]:
        """The sheets in their order."""
        return [sheet for sheet in self.formulas.worksheets if isinstance(sheet, Worksheet)]

    @cached_property
    def cells(self) -> dict[str, list[Cell]]:
        """The filled cells of every sheet, row by row."""
        return {sheet.title: list(filled(sheet)) for sheet in self.sheets}

    def value(self, sheet: str, place: str) -> object:
        """What stands beside a formula, or in a typed cell."""
        return self.values[sheet][place].value

    @property
    def saved_by_libreoffice(self) -> bool:
        """LibreOffice leaves out some of what it was given, such as frozen panes."""
        return b"LibreOffice" in self.parts.get("docProps/app.xml", b"")

    @property
    def of_a_scenario(self) -> bool:
        """Whether it has the sheets of a scenario; the workbooks of the catalogue and of the ledger have not."""
        titles = self.record.sheets if self.record else self.formulas.sheetnames
        return "Calculation" in titles


def opened(path: Path) -> Opened:
    """Open a workbook.  Raises InputError with one fault, and never fills the memory."""
    data = _bytes(path)
    parts = _parts(path, data)
    _refuse_entities(path, parts)
    _refuse_wide_sheets(path, parts)
    formulas = _read(path, data)
    record = read_record(formulas)
    if record is None and formulas.properties.creator != OURS:
        raise _refusal(path, "was not made by memreport", expected="a workbook from memreport build")
    return Opened(path, parts, formulas, data, record)


def _read(path: Path, data: bytes, values: bool = False) -> Workbook:
    """What openpyxl reads.  Raises InputError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what openpyxl warns of is a finding, or no concern of a reader's
            return load_workbook(io.BytesIO(data), data_only=values)
    except Exception as error:  # a broken file makes openpyxl raise whatever it stumbles over
        raise _refusal(path, "cannot be read as a workbook", f"{type(error).__name__}: {error}"[:200]) from error


def _refusal(path: Path, message: str, found: str = "", expected: str = "") -> InputError:
    return InputError([Fault(message, file=str(path), found=found, expected=expected)])


def _bytes(path: Path) -> bytes:
    """The file, unless it is missing, too large or of another kind."""
    if not path.is_file():
        raise _refusal(path, "no such file" if not path.exists() else "is not a file")
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise _refusal(path, "is too large", f"{size} bytes", f"at most {LARGEST_FILE}")
    data = path.read_bytes()
    if data.startswith(OLE):
        raise _refusal(path, "is encrypted with a password, or of the format before 2007", expected="a plain .xlsx")
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise _refusal(path, "is no workbook, or was cut short", expected="an .xlsx file")
    return data


def _parts(path: Path, data: bytes) -> dict[str, bytes]:
    """All parts, once their number and sizes are known to be sane."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _refuse_bombs(path, members)
            parts = {one.filename: archive.read(one) for one in members}
    except InputError:
        raise
    except Exception as error:  # zipfile raises its own errors, zlib's, OSError, RuntimeError and more
        raise _refusal(path, "is damaged", f"{type(error).__name__}: {error}"[:200]) from error
    missing = [name for name in NEEDED if name not in parts]
    if missing:
        raise _refusal(path, "is a zip archive, but no workbook", f"no {missing[0]}")
    return parts


def _refuse_bombs(path: Path, members: list[zipfile.ZipInfo]) -> None:
    """Raise for archives that unpack to far more than they are; Python never reads more than a member declares."""
    whole = sum(one.file_size for one in members)
    if len(members) > MOST_PARTS:
        raise _refusal(path, "has too many parts", str(len(members)), f"at most {MOST_PARTS}")
    if whole > LARGEST_CONTENT:
        raise _refusal(path, "unpacks to too much", f"{whole} bytes", f"at most {LARGEST_CONTENT}")
    for one in members:
        if one.flag_bits & 1:
            raise _refusal(path, "is encrypted", one.filename)
        if one.file_size > max(SMALL_PART, HIGHEST_RATIO * one.compress_size):
            raise _refusal(path, "unpacks to suspiciously much", f"{one.filename}: {one.file_size} bytes")
    if len({one.filename.lower() for one in members}) < len(members):
        raise _refusal(path, "holds two parts of one name")


def _refuse_entities(path: Path, parts: Mapping[str, bytes]) -> None:
    """No spreadsheet program writes a document type; whoever does wants entities expanded or files read."""
    for name, data in parts.items():
        if name.endswith((".xml", ".rels", ".vml")) and ENTITY.search(data.replace(b"\0", b"")):
            raise _refusal(path, "declares a document type or entities, as no spreadsheet program does", name)


def _refuse_wide_sheets(path: Path, parts: Mapping[str, bytes]) -> None:
    """One cell in the last corner, or one merged range over everything, would make readers walk billions of cells."""
    for name, data in parts.items():
        if not name.endswith(".xml"):
            continue
        area = max((_area(found.decode()) for found in MERGED.findall(data)), default=0)
        placed = PLACED.findall(data)
        rows = max((int(row) for _, row in placed), default=0)
        columns = max((_column(letters) for letters in {letters for letters, _ in placed}), default=0)
        if max(area, rows * columns) > MOST_CELLS:
            raise _refusal(path, "has a sheet that is too large", f"{name}: {max(area, rows * columns)} cells")


def _area(span: str) -> int:
    try:
        first_column, first_row, last_column, last_row = range_boundaries(span.upper())
    except ValueError:
        return MOST_CELLS + 1
    if None in (first_column, first_row, last_column, last_row):
        return MOST_CELLS + 1
    return (int(last_column or 0) - int(first_column or 0) + 1) * (int(last_row or 0) - int(first_row or 0) + 1)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
