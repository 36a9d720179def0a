"""The XML of a workbook from anybody, read as a stream within bounds before any library builds it in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from xml.parsers import expat

DEEPEST = 64
MOST_ATTRIBUTES = 200
MOST_ELEMENTS = 2_000_000
MOST_CELLS = 800_000
"""Cells of the rectangles of all sheets, filled or not, and of merged ranges: our largest workbooks have 120,000."""
MOST_LISTED = 20_000
"""Merged ranges, validations, links or named ranges, of each kind in all sheets."""
LISTED = frozenset({"mergeCell", "dataValidation", "hyperlink", "definedName", "conditionalFormatting", "property"})
MOST_OF = {"graphicFrame": 100, "pic": 100, "sheet": 300}
"""What takes a reader long, each: charts, pictures, sheets."""
ONCE = frozenset({"drawing", "legacyDrawing", "sheetData"})
"""What a part holds once; a reader would read all that it leads to as often as it stands there."""
LED_TO = {"sheet": "id", "Relationship": "Id"}
"""What leads to a part, and the attribute that may stand only once in a list of them."""
COSTLY = ("/worksheet", "/drawing", "/chart")
"""Kinds of relations whose part may be led to only once from one part."""
CHUNK = 2**18
CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


class OutOfBoundsError(Exception):
    """A part that no spreadsheet program writes so: what was found."""


@dataclass
class Extent:
    """How much the parts hold together, refused where it grows beyond the bounds."""

    elements: int = 0
    cells: int = 0
    listed: dict[str, int] = field(default_factory=dict)

    def read(self, data: bytes) -> None:
        """One part.  Raises OutOfBoundsError, and ExpatError for what is no XML."""
        _Part(self).read(data)

    def add(self, kind: str, count: int = 1) -> None:
        """Count what is listed.  Raises OutOfBoundsError."""
        self.listed[kind] = self.listed.get(kind, 0) + count
        if self.listed[kind] > (most := MOST_OF.get(kind, MOST_LISTED)):
            raise OutOfBoundsError(f"more than {most} elements {kind}")

    def cover(self, cells: int) -> None:
        """Count cells.  Raises OutOfBoundsError."""
        self.cells += cells
        if self.cells > MOST_CELLS:
            raise OutOfBoundsError(f"{self.cells} cells or more")


class _Part:
    """One part while it is read: the place that the next cell has, and the rectangle so far."""

    def __init__(self, extent: Extent) -> None:
        self.extent = extent
        self.elements = extent.elements
        self.depth = self.row = self.column = self.rows = self.columns = 0
        self.once: set[tuple[str, str]] = set()

    def read(self, data: bytes) -> None:
        """The part in chunks, so that what is out of bounds is not read to its end."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = _refuse_declarations
        parser.EntityDeclHandler = _refuse_declarations
        for index in range(0, len(data), CHUNK):
            parser.Parse(data[index : index + CHUNK], False)
        parser.Parse(b"", True)
        self.extent.elements = self.elements

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.elements += 1
        if self.depth > DEEPEST or len(attributes) > MOST_ATTRIBUTES or self.elements > MOST_ELEMENTS:
            raise OutOfBoundsError(
                f"{self.elements} elements, {self.depth} deep, one with {len(attributes)} attributes"
            )
        if tag in _PLAIN:  # most are
            return
        name = tag.rpartition(":")[2]
        seen = _SEEN.get(name)
        if seen is not None:
            seen(self, attributes)
        elif name in LISTED or name in MOST_OF:
            self.extent.add(name)
        if name in ONCE or name in LED_TO:
            self._only(name, attributes)

    def _only(self, name: str, attributes: dict[str, str]) -> None:
        """Raise for a second one; `r:id` is called as its file's prefix wills, and `id` of a sheet is no other's."""
        wanted = LED_TO.get(name)
        ids = [value for key, value in attributes.items() if wanted and key.rpartition(":")[2] == wanted]
        if attributes.get("Type", "").endswith(COSTLY):
            ids.append(f"to {attributes.get('Target', '')}")
        for id_ in ids or [""]:
            if (name, id_) in self.once:
                raise OutOfBoundsError(f"more than one {name} {id_}".rstrip())
            self.once.add((name, id_))

    def _end(self, _tag: str) -> None:
        self.depth -= 1

    def row_(self, attributes: dict[str, str]) -> None:
        """A row without a number follows the one before it."""
        number = attributes.get("r", "")
        self.row, self.column = int(number) if _is_short_number(number) else self.row + 1, 0
        self._grow()

    def cell(self, attributes: dict[str, str]) -> None:
        """A cell without a place follows the one before it."""
        place = CELL.fullmatch(attributes.get("r", "").strip())
        self.row, self.column = (int(place[2]), column_of(place[1])) if place else (self.row, self.column + 1)
        if self.row > self.rows or self.column > self.columns:
            self._grow()

    def merge(self, attributes: dict[str, str]) -> None:
        """Every cell of a merged range becomes an object."""
        self.extent.add("mergeCell")
        self.extent.cover(area(attributes.get("ref", "")))

    def validation(self, attributes: dict[str, str]) -> None:
        """A validation lists its ranges."""
        self.extent.add("dataValidation", 1 + attributes.get("sqref", "").count(" "))

    def _grow(self) -> None:
        if self.row > self.rows or self.column > self.columns:
            rows, columns = max(self.row, self.rows), max(self.column, self.columns)
            self.extent.cover(rows * columns - self.rows * self.columns)
            self.rows, self.columns = rows, columns


_SEEN: dict[str, Callable[[_Part, dict[str, str]], None]] = {
    "row": _Part.row_,
    "c": _Part.cell,
    "mergeCell": _Part.merge,
    "dataValidation": _Part.validation,
}


_PLAIN = frozenset({"f", "v", "is", "t"}) - _SEEN.keys() - LISTED - MOST_OF.keys() - ONCE - LED_TO.keys()
"""What cells are made of, which is counted and nothing else."""


def _refuse_declarations(*_: object) -> None:
    raise OutOfBoundsError("a document type or entities, as no spreadsheet program writes them")


def _is_short_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 7


@lru_cache(maxsize=1 << 12)
def column_of(letters: str) -> int:
    """A column's number, from 1."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def area(span: str) -> int:
    """Cells of a range; more than any workbook may have where it is no range of cells."""
    ends: Iterable[re.Match[str] | None] = [CELL.fullmatch(end.strip()) for end in span.split(":")]
    rows, columns = [], []
    for end in ends:
        if end is None:
            return MOST_CELLS + 1
        rows.append(int(end[2]))
        columns.append(column_of(end[1]))
    return (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1)
