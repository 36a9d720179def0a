"""A workbook in the making: every cell goes through `Sheet.put`, which keeps formula and value together."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, cast

from openpyxl import Workbook
from openpyxl.cell.cell import Cell
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.header_footer import HeaderFooterItem
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.pagebreak import Break
from openpyxl.worksheet.properties import Outline, PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from memreport.errors import PublishingError
from memreport.escaping import link
from memreport.publish.xlsx.file.cells import (
    Value,
    hold_formula,
    is_plain,
    new_cell,
    put_formula,
    put_number,
    put_text,
    row_of,
    valid_defined_name,
    valid_sheet_name,
)
from memreport.publish.xlsx.file.package import SealedSheet, finish, seal
from memreport.publish.xlsx.file.rows import Spot
from memreport.publish.xlsx.sheet.paper import (
    ABOVE,
    BELOW,
    CENTIMETRES,
    CHARACTER,
    EDGE,
    HEADED,
    INCH,
    NOTED,
    ROW,
    SIDE,
    SMALLEST,
    SPARED,
    TITLED,
    Block,
    breaks,
    down,
    lines_of,
    magnified,
    one_page,
    scale_of,
)
from memreport.publish.xlsx.sheet.record import TakenSheet, take, write_record
from memreport.publish.xlsx.sheet.styles import FONT, HEADING, LINK, SUBTITLE, TITLE, Style, StyleCache

letter = lru_cache(maxsize=None)(get_column_letter)
LINE_HEIGHT = 12.75  # points a line of 10-point text takes
USUAL_WIDTH = 9.0  # characters of a column whose width is not set
FOLDED = "Groups are folded: Review, Unprotect Sheet, then + at the left; or select across them and Unhide."
FIRST_ROW = 5
"""Where every sheet's content begins: title, subtitle and the way back stand above."""


class Formula(NamedTuple):
    """A formula without its `=`, with the value that it has now."""

    text: str
    value: Value


PAGE = "&A, page &P of &N"
Content = Formula | str | float | None


class Sheet:
    """One sheet.  Rows and columns count from 1."""

    def __init__(self, book: Book, worksheet: Worksheet) -> None:
        self.book, self.worksheet = book, worksheet
        self.title: str = worksheet.title
        self._there = cast(Mapping[tuple[int, int], Cell], worksheet._cells)  # noqa: SLF001  # nothing is ever merged
        self.values: dict[Spot, Value] = {}
        """What its formulas give now, by row and column."""
        self._widths: dict[int, float] = {}
        self._lines: dict[int, int] = {}
        self._kept: list[Block] = []
        self._folded: set[int] = set()
        self.over_pages = ""
        """Columns with which each page begins of a sheet that may take several side by side; none may else."""
        self.is_upright = False
        self.is_protected = True
        """Protected sheets open no folded group in Excel or LibreOffice, which only a macro could change."""
        self.page_head = ("", "")
        """Title and subtitle in the head of each page, where they are not printed as cells."""
        self.sealed: tuple[SealedSheet, TakenSheet] | None = None

    def put(self, row: int, column: int, content: Content, style: Style) -> None:
        """Write one cell.  Raises PublishingError for what a cell cannot hold."""
        cell = self._there.get((row, column)) or new_cell(self.worksheet, row, column)
        if style.parted and content is None:
            style = replace(style, parted=False)
        self.book.style_cache.apply(cell, style)
        if isinstance(content, Formula):
            put_formula(cell, "=" + content.text)
            self.values[row, column] = self._sound(content.value, row, column)
        elif isinstance(content, str):
            put_text(cell, content)
        elif content is not None:
            put_number(cell, content)
        if style.wrap and content is not None:
            self._measure(row, column, content.value if isinstance(content, Formula) else content, style)

    def copied(self, row: int, first: int, texts: Sequence[str], values: Sequence[Value], style: Style) -> None:
        """One formula in neighbouring cells, each with its own column's letter, as `put` writes it in more steps."""
        if style.wrap or not all(is_plain(f"={text}") for text in texts[-1:]):
            self.row(row, first, list(map(Formula, texts, values)), style)
            return
        apply, there = self.book.style_cache.apply, self._there
        for column, (text, value) in enumerate(zip(texts, values, strict=True), first):
            cell = there.get((row, column)) or new_cell(self.worksheet, row, column)
            apply(cell, style)
            hold_formula(cell, f"={text}")
            self.values[row, column] = self._sound(value, row, column)

    def _sound(self, value: Value, row: int, column: int) -> Value:
        if isinstance(value, float) and not math.isfinite(value):
            raise PublishingError(f"{self.title}!{letter(column)}{row} would hold {value!r}")
        return value

    def row(self, row: int, column: int, contents: Sequence[Content], style: Style) -> None:
        """Write neighbouring cells of one style."""
        for offset, content in enumerate(contents):
            self.put(row, column + offset, content, style)

    def band(self, row: int, text: Content, columns: int, style: Style = HEADING) -> None:
        """A text at the left, and its look across so many columns."""
        self.row(row, 1, [text, *[None] * (columns - 1)], style)

    def widths(self, *widths: float) -> None:
        """Widths of the first columns, in characters."""
        for column, width in enumerate(widths, 1):
            self.width(column, width)

    def width(self, column: int, width: float) -> None:
        """Width of one column, in characters."""
        self._widths[column] = width
        self.worksheet.column_dimensions[letter(column)].width = width

    def width_of(self, column: int) -> float:
        """Width of one column, in characters."""
        return self._widths.get(column, USUAL_WIDTH)

    def centimetres(self, first: int, last: int) -> float:
        """Width of neighbouring columns, for a chart that covers them."""
        return sum(map(self.width_of, range(first, last + 1))) * CHARACTER / INCH * CENTIMETRES

    def keep_together(self, first: int, last: int) -> None:
        """Print these rows on one page."""
        self._kept.append((first, last))

    def fold(self, first: int, last: int) -> None:
        """Fold rows under the one above them; nothing where there are none.  Folded rows are not printed."""
        for row in range(first, last + 1):
            row_of(self.worksheet, row).update(outlineLevel=1, hidden=True)
        self._folded.update(range(first, last + 1))
        if first <= last:
            row_of(self.worksheet, first - 1)["collapsed"] = True
            self.worksheet.sheet_properties.outlinePr = Outline(summaryBelow=False)

    def fold_rows(self, rows: Iterable[int]) -> None:
        """Fold rows, each run of them under the row above it."""
        for run in runs_of(rows):
            self.fold(run[0], run[-1])

    def address(self, row: int, column: int) -> str:
        """The absolute address of a cell, with the sheet: `Inputs!$F$7`."""
        return f"{self.quoted}!${letter(column)}${row}"

    def span(self, first_row: int, first_column: int, last_row: int, last_column: int) -> str:
        """The absolute address of a range, with the sheet."""
        first, last = f"${letter(first_column)}${first_row}", f"${letter(last_column)}${last_row}"
        return f"{self.quoted}!{first}:{last}"

    @property
    def quoted(self) -> str:
        """The sheet's name as formulas write it."""
        return self.title if self.title.isalnum() else "'" + self.title.replace("'", "''") + "'"

    def filtered(self, header: int, last: int, columns: int, moving: str, *, sortable: bool = False) -> None:
        """Filters on the rows below a header; it and the columns before `moving` stay in view, it on every page."""
        sheet = self.worksheet
        sheet.auto_filter.ref = f"A{header}:{letter(columns)}{last}"
        sheet.protection.autoFilter = False  # openpyxl's way to say that it is allowed, as below
        sheet.protection.sort = not sortable
        self.keep_header(header, moving)

    def keep_header(self, header: int, moving: str) -> None:
        """A header stays in view, and on every page, as do the columns before `moving`."""
        self.worksheet.freeze_panes = f"{moving}{header + 1}"
        self.worksheet.print_title_rows = f"{header}:{header}"

    def allow(self, rule: DataValidation | None, cells: str) -> None:
        """What may be typed into cells; anything without a rule."""
        if rule is not None:
            rule.add(cells)
            self.worksheet.add_data_validation(rule)

    def link(self, row: int, column: int, text: str, target: str, style: Style = LINK) -> None:
        """A link to a place in this workbook, or an address on the web; any other address stays a text."""
        self.put(row, column, text, style)
        web = link(target)
        if "://" in target and not web:
            return
        cell = self.worksheet.cell(row, column)
        place = {"target": web} if web else {"location": target}
        cell.hyperlink = Hyperlink(ref=cell.coordinate, display=text, **place)

    def seal(self, footer: str) -> tuple[SealedSheet, TakenSheet]:
        """The sheet as it is written and what the record says of it; its cells are given back, and it takes no more.

        A large sheet holds twenty times as much in cells as in what is written of them.
        """
        if self.sealed is None:
            self._finish(footer)
            taken = take(self.worksheet)
            self.sealed = seal(self.worksheet, self.values), taken
        return self.sealed

    def _finish(self, footer: str) -> None:
        """Row heights for wrapped texts, print set-up, protection."""
        for row, lines in self._lines.items():
            if lines > 1:
                row_of(self.worksheet, row)["ht"] = LINE_HEIGHT * lines + 1.5
        self._print_setup(footer)
        protection = self.worksheet.protection
        protection.sheet = self.is_protected
        protection.formatColumns = protection.formatRows = False  # readers may widen what they read

    def _print_setup(self, footer: str) -> None:
        sheet = self.worksheet
        sheet.sheet_view.showGridLines = False
        sheet.page_setup.orientation, sheet.page_setup.paperSize = "portrait" if self.is_upright else "landscape", 9
        sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
        sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
        scale = self._pages()
        sheet.page_margins.left = sheet.page_margins.right = SIDE
        sheet.page_margins.top, sheet.page_margins.bottom = self._above, BELOW
        sheet.page_margins.header = sheet.page_margins.footer = EDGE
        if any(self.page_head):
            cast(HeaderFooterItem, sheet.oddHeader).left.text = _head_of_pages(
                *self.page_head, scale
            )  # as of the footer
        below = cast(HeaderFooterItem, sheet.oddFooter)  # the stubs allow for none
        below.left.text, below.right.text = footer.replace("&", "&&"), PAGE
        below.left.size = below.right.size = magnified(NOTED, scale)

    @property
    def _above(self) -> float:
        """The upper margin in inches."""
        return HEADED if any(self.page_head) else ABOVE

    def _pages(self) -> float:
        """One page wide; several, with the first columns on each, where a sheet may; ends of pages.  The scale."""
        sheet = self.worksheet
        first_column, first_row, last_column, last_row = self._printed()
        widths = [self.width_of(column) for column in range(first_column, last_column + 1)]
        scale = self._across(scale_of(widths, upright=self.is_upright))
        heights = {row: float(look.ht) for row, look in sheet.row_dimensions.items() if look.ht}
        heights |= dict.fromkeys(self._folded, 0.0)
        page = down(self._above, upright=self.is_upright)
        printed = [heights.get(row, ROW) for row in range(first_row, last_row + 1)]
        if one_page(printed, page, scale):
            sheet.page_setup.fitToHeight = 1
            return page / sum(printed)
        repeated = int(sheet.print_title_rows.rpartition("$")[2]) if sheet.print_title_rows else 0
        title = heights.get(repeated, ROW) if repeated else 0.0
        room = page / scale - SPARED
        for row in breaks(self._kept, heights, (first_row, last_row), room, title):
            sheet.row_breaks.append(Break(id=row))
        return scale

    def _across(self, scale: float) -> float:
        """The scale of a page, several side by side where the sheet may and one would be too small to read."""
        sheet = self.worksheet
        if scale >= SMALLEST or not self.over_pages:
            return scale
        sheet.page_setup.pageOrder, sheet.print_title_cols = "overThenDown", self.over_pages
        sheet.page_setup.scale = round(100 * SMALLEST)
        sheet.sheet_properties.pageSetUpPr = None  # fitted to several pages, print would grow until it fills them
        return SMALLEST

    def _printed(self) -> tuple[int, int, int, int]:
        """First column and row, last column and row that are printed."""
        sheet = self.worksheet
        if not sheet.print_area:
            return 1, 1, sheet.max_column, sheet.max_row
        left, top, right, bottom = range_boundaries(sheet.print_area.rpartition("!")[2])
        return int(left or 1), int(top or 1), int(right or 1), int(bottom or 1)

    def _measure(self, row: int, column: int, content: object, style: Style) -> None:
        """How many lines a text will take."""
        if not isinstance(content, str):
            return
        lines = lines_of(content, self.width_of(column), style.size, bold=style.bold)
        self._lines[row] = max(self._lines.get(row, 1), lines)


class Book:
    """The workbook, and what `finish` must know of it."""

    def __init__(self) -> None:
        self.workbook = Workbook()
        self.workbook.remove(self.workbook.worksheets[0])
        self.style_cache = StyleCache()
        self.sheets: dict[str, Sheet] = {}
        self.alt_texts: dict[str, str] = {}

    def add(self, title: str) -> Sheet:
        """A new, empty sheet after the others."""
        name = valid_sheet_name(title, self.sheets)
        self.sheets[name] = Sheet(self, self.workbook.create_sheet(name))
        return self.sheets[name]

    def name(self, name: str, target: str) -> str:
        """Give a range a name, and return it."""
        valid = valid_defined_name(name, self.workbook.defined_names)
        self.workbook.defined_names[valid] = DefinedName(valid, attr_text=target)
        return valid

    def bytes(self, footer: str, created: str) -> bytes:
        """The finished workbook, which can be written but once: its cells are given back when they are written."""
        sealed = {title: sheet.seal(footer) for title, sheet in self.sheets.items()}
        write_record(self.workbook, {title: taken for title, (_, taken) in sealed.items()})
        written = {title: made for title, (made, _) in sealed.items()}
        return finish(self.workbook, {}, alt_texts=self.alt_texts, created=created, sealed=written)


def _head_of_pages(title: str, subtitle: str, scale: float) -> str:
    """Title and subtitle as the head of printed pages writes them."""
    title, subtitle = (text.replace("&", "&&") for text in (title, subtitle))
    large, small = magnified(TITLED, scale), magnified(NOTED, scale)
    return f'&"{FONT},Bold"&{large} {title}   &"{FONT},Regular"&{small} {subtitle}'


def head(sheet: Sheet, title: str, subtitle: str, *, back: bool = True) -> None:
    """Title, one sentence, and the way back to the first sheet."""
    sheet.put(1, 1, title, TITLE)
    sheet.put(2, 1, subtitle, SUBTITLE)
    sheet.worksheet.row_dimensions[1].height = 26
    if back:
        front = next(iter(sheet.book.sheets.values()))
        sheet.link(3, 1, f"Back to {front.title}", f"{front.quoted}!A1")


def paragraph(sheet: Sheet, row: int, column: int, text: str, style: Style, most: int) -> int:
    """A text over as many rows as it needs, at most so many characters each; the next free row."""
    for line in textwrap.wrap(text, most) or [""]:
        sheet.put(row, column, line or None, style)
        row += 1
    return row


def index(span: str, position: str, values: Mapping[int, Value] | list[Value], number: int) -> Formula:
    """`INDEX` of a range, with the value at that position, counted from 1."""
    return Formula(f"INDEX({span},{position})", values[number - 1] if isinstance(values, list) else values[number])


def runs_of(rows: Iterable[int]) -> list[list[int]]:
    """Rows in runs of neighbours."""
    runs = groupby(enumerate(sorted(rows)), lambda pair: pair[1] - pair[0])
    return [[row for _, row in run] for _, run in runs]
