"""A published workbook spoiled and saved again, as Excel saves it: with the values that its formulas then have."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from memreport.audit.recalculate import Place, Value
from memreport.publish.xlsx.common.draft import FIRST
from memreport.publish.xlsx.file import package
from memreport.publish.xlsx.file.canonical import zip_bytes
from tests.support import by_sheet
from tests.typed_workbook import recalculated

Parts = dict[str, bytes]


@dataclass
class Book:
    """A workbook that is being spoiled: its sheets, values to lie beside formulas, and changes to its parts."""

    book: Workbook
    lies: dict[Place, Value] = field(default_factory=dict)
    later: list[Callable[[Parts], None]] = field(default_factory=list)

    def sheet(self, title: str) -> Worksheet:
        found = self.book[title]
        assert isinstance(found, Worksheet)
        return found

    def row(self, title: str, name: str) -> int:
        """The row with this name in its first or second cell."""
        rows = self.sheet(title).iter_rows(max_col=2)
        return next(cell.row or 0 for row in rows for cell in row if cell.value == name)

    def put(self, title: str, place: str, value: object) -> Place:
        self.sheet(title)[place].value = value
        return title, place

    def line(self, name: str, content: object, title: str = "Calculation", at: int = 0) -> Place:
        """Another content in one variant's cell of a line; `{c}` is its column, `{r}` its row, `{r1}` the row above."""
        letter, row = get_column_letter(FIRST + at), self.row(title, name)
        text = content.format(c=letter, r=row, r1=row - 1, r2=row - 2) if isinstance(content, str) else content
        return self.put(title, f"{letter}{row}", text)

    def whole_line(self, name: str, old: str, new: str) -> Place:
        """A formula changed in all variants alike."""
        row, sheet = self.row("Calculation", name), self.sheet("Calculation")
        for cell in sheet[row][FIRST - 1 :]:
            if cell.data_type == "f":
                assert old in str(cell.value)
                cell.value = str(cell.value).replace(old, new)
        return "Calculation", f"A{row}"


def spoiled(path: Path, target: Path, *changes: Callable[[Book], object]) -> Path:
    """The workbook after the changes, saved as Excel saves it: with the values that its formulas now have."""
    made = Book(load_workbook(path))
    for change in changes:
        change(made)
    made.book.save(target)
    values = {place: "" if value is None else value for place, value in _values(target, path).items()} | made.lies
    texts = _alt_texts(path)
    titles = [title for _, title in _frames(target)]
    kept = {title: texts.get(title, "a chart") for title in titles}
    data = package.finish(made.book, by_sheet(values), alt_texts=kept, created="2026-11-20")
    target.write_bytes(data)
    if made.later:
        parts = _parts(target)
        for change_ in made.later:
            change_(parts)
        target.write_bytes(zip_bytes(parts))
    return target


def _values(path: Path, original: Path) -> Mapping[Place, Value]:
    try:
        return recalculated(path)
    except Exception:  # noqa: BLE001  # some faults are more than the engine can take
        seen = load_workbook(original, data_only=True)
        book = load_workbook(path)
        return {
            (sheet.title, cell.coordinate): _seen(seen, sheet.title, cell.coordinate)
            for sheet in book.worksheets
            for row in sheet.iter_rows()
            for cell in row
            if cell.data_type == "f"
        }


def _seen(book: Workbook, title: str, place: str) -> Value:
    value = book[title][place].value if title in book.sheetnames else 0.0
    return value if isinstance(value, str | float | int) else 0.0


def _parts(path: Path) -> Parts:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _frames(path: Path) -> list[tuple[str, str]]:
    trees, _ = package._read(_parts(path))
    return [(frame.get("descr", ""), title) for part in sorted(trees) for frame, title in package._frames(trees, part)]


def _alt_texts(path: Path) -> dict[str, str]:
    return {title: text for text, title in _frames(path)}
