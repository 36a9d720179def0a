"""Rules on sheets as people see and print them: nothing hidden, merged, unreadable, unlocked or pointing outside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from openpyxl.cell.cell import Cell
from openpyxl.worksheet.worksheet import Worksheet

from memreport.audit.findings import Finding
from memreport.audit.opening import Opened
from memreport.errors import PublishingError
from memreport.frozen import frozen
from memreport.publish.xlsx.common import titles
from memreport.publish.xlsx.file.cells import valid_sheet_name
from memreport.publish.xlsx.sheet.styles import INHERITED_FILL, INPUT_FILL

DOCUMENTED_SHEETS = (titles.DOCUMENTED, "Statements", titles.DOCUMENTED_STEPS)
"""Where values that documents print may be typed, and, on the last, the inputs of their figures."""
PLANNED = ("Entries", "GPUs", "Owners", "Commitments", "Quotes")
_TYPED = (titles.INPUTS, titles.QUOTES, titles.ROOFLINE, titles.RENT_OR_BUY, titles.FOCUS)
TYPED_ON = re.compile("|".join((*_TYPED, r"Table \d+ .*", *PLANNED, *DOCUMENTED_SHEETS)))
"""Sheets on which something may be typed."""
_FLAT = (titles.SUMMARY, titles.ROOFLINE, titles.CHECKS)
FOLDS = re.compile("|".join(name for name in (*titles.ALWAYS, titles.QUOTES) if name not in _FLAT))
"""Sheets with groups of rows that anybody may unfold."""
HEADED = re.compile(f"{titles.INPUTS}|{titles.CALCULATION}|{titles.COST}|{titles.QUOTES}")
"""Sheets of many pages under one header."""
FOREIGN = {
    "externalLink": "another workbook",
    "vbaProject": "macros",
    "connections.xml": "a data connection",
    "queryTable": "a query",
    "embeddings/": "an embedded file",
    "activeX": "a control",
    "ctrlProps": "a control",
    "customUI": "changed menus",
    "xl/macrosheets": "macros",
}
WEB = ("https://", "http://")
PUBLISHED = re.compile(r"[\w.-]+(/[\w.-]+)*\.(xlsx|pdf|json|html|yaml)")
CONTRAST = 4.5
YELLOW = (INPUT_FILL, INHERITED_FILL)
OPENED = titles.INPUTS
"""The sheet that is not protected, so that its folded groups can be opened; its formulas are locked all the same."""


def layout_findings(book: Opened) -> Iterator[Finding]:
    """Everything that is wrong with the looks and the outside of the workbook."""
    yield from _sheets(book)
    yield from _foreign_parts(book)
    yield from _properties(book)
    for sheet in book.sheets:
        yield from _title(sheet)
        yield from _hidden(sheet)
        yield from _print(book, sheet)
        looks = list(_looks(book, sheet))
        yield from _protection(sheet, looks)
        yield from _cells(book, sheet, looks)


def _sheets(book: Opened) -> Iterator[Finding]:
    names = book.formulas.sheetnames
    built = list(book.record.sheets) if book.record else [sheet for sheet in titles.ALWAYS if book.of_a_scenario]
    for name in built:
        if name not in names:
            yield Finding("sheets", name, "", "no such sheet", "the sheet as built")
    if book.record:
        for name in names:
            if name not in built:
                yield Finding("sheets", name, "", "a sheet that was not built", "no further sheet")
    for name in names:
        yield from _sheet_name(name)
    kept = [name for name in names if name in built]
    if kept != [name for name in built if name in names]:
        yield Finding("sheets", "", "", f"order {', '.join(kept)}", ", ".join(built))


def _sheet_name(name: str) -> Iterator[Finding]:
    try:
        valid_sheet_name(name)
    except PublishingError as error:
        yield Finding("sheets", name, "", str(error)[:120], "a name that every program takes")


def _foreign_parts(book: Opened) -> Iterator[Finding]:
    for name in book.parts:
        for part, meaning in FOREIGN.items():
            if part in name:
                yield Finding("outside", "", "", f"{meaning}: {name}", "no such part")


def _properties(book: Opened) -> Iterator[Finding]:
    found = book.formulas.properties
    for name in ("title", "creator", "language"):
        if not getattr(found, name):
            yield Finding("properties", "", "", f"no {name}", f"a {name}, as built")


def _title(sheet: Worksheet) -> Iterator[Finding]:
    cell = sheet["A1"]
    if not isinstance(cell.value, str) or not cell.font.b:
        yield Finding("title", sheet.title, "A1", _told(cell.value), "a title in bold")


def _told(value: object) -> str:
    return "nothing" if value is None else str(value)[:80]


def _hidden(sheet: Worksheet) -> Iterator[Finding]:
    if sheet.sheet_state != "visible":
        yield Finding("hidden", sheet.title, "", f"the sheet is {sheet.sheet_state}", "visible")
    for index, row in sheet.row_dimensions.items():
        folded = bool(row.outlineLevel) and FOLDS.fullmatch(sheet.title)
        if (row.hidden and not folded) or row.height == 0:
            yield Finding("hidden", sheet.title, f"A{index}", "a hidden row", "visible")
    for letter, column in sheet.column_dimensions.items():
        if column.hidden or column.width == 0:
            yield Finding("hidden", sheet.title, f"{letter}1", "a hidden column", "visible")
    for span in sheet.merged_cells.ranges:
        yield Finding("merged", sheet.title, str(span), "merged cells", "none merged")


def _print(book: Opened, sheet: Worksheet) -> Iterator[Finding]:
    set_up, fit = sheet.page_setup, sheet.sheet_properties.pageSetUpPr
    turned = set_up.orientation != "landscape" and sheet.title != titles.ALWAYS[0]  # a narrow front prints upright
    if turned or not (set_up.scale or (fit is not None and fit.fitToPage)):
        yield Finding("print", sheet.title, "", "not landscape, or neither fitted to the page nor scaled", "as built")
    footer = sheet.oddFooter
    if footer is None or not (footer.left.text and footer.right.text):
        yield Finding("print", sheet.title, "", "no footer", "sheet, page, version and hash")
    if (
        not sheet.freeze_panes
        and sheet.title in titles.ALWAYS[1:]
        and not book.saved_by_libreoffice
        and _is_long(sheet)
    ):
        yield Finding("print", sheet.title, "", "no frozen panes", "as built")
    if HEADED.fullmatch(sheet.title) and not sheet.print_title_rows and _is_long(sheet):
        yield Finding("print", sheet.title, "", "no header on further pages", "rows to repeat at the top, as built")


def _is_long(sheet: Worksheet) -> bool:
    """Cost of a scenario without a price is one sentence and freezes nothing."""
    return sheet.max_row > 10


def _protection(sheet: Worksheet, looks: Iterable[tuple[Cell, _Look]]) -> Iterator[Finding]:
    if not sheet.protection.sheet and sheet.title != OPENED:
        yield Finding("protection", sheet.title, "", "the sheet is not protected", "protected, without a password")
    for cell, look in looks:
        if look.locked:
            continue
        if not TYPED_ON.fullmatch(sheet.title):
            yield Finding("protection", sheet.title, cell.coordinate, "an unlocked cell", "locked")
        elif look.fill not in YELLOW:
            yield Finding("protection", sheet.title, cell.coordinate, "unlocked, but not yellow", "locked, or an input")


def _cells(book: Opened, sheet: Worksheet, looks: Iterable[tuple[Cell, _Look]]) -> Iterator[Finding]:
    """Links, contrast and hiding formats, cell by cell."""
    pairs: dict[tuple[str, str], float] = {}
    for cell, look in looks:
        if cell.hyperlink is not None:
            yield from _link(book, sheet, cell)
        pair = (look.ink, look.fill or "FFFFFF")
        if pair not in pairs:
            pairs[pair] = contrast(*pair)
        if pairs[pair] < CONTRAST:
            yield Finding("contrast", sheet.title, cell.coordinate, "{} on {}".format(*pair), "4.5 to 1 at least")
        if look.shows_nothing:
            yield Finding("hidden", sheet.title, cell.coordinate, "a format that shows nothing", "a visible value")


@frozen
class _Look:
    """What is asked of a cell's style, which openpyxl makes objects for each time."""

    ink: str
    fill: str
    locked: bool
    shows_nothing: bool


def _looks(book: Opened, sheet: Worksheet) -> Iterator[tuple[Cell, _Look]]:
    """The filled cells, each with the look of its style."""
    known: dict[int, _Look] = {}
    for cell in book.cells[sheet.title]:
        style = cell.style_id
        if style not in known:
            shows_nothing = not cell.number_format.replace(";", "").strip()
            known[style] = _Look(ink(cell), fill(cell), bool(cell.protection.locked), shows_nothing)
        yield cell, known[style]


def _link(book: Opened, sheet: Worksheet, cell: Cell) -> Iterator[Finding]:
    link = cell.hyperlink
    if link is None:
        return
    target, inside = str(link.target or ""), str(link.location or "")
    if not target and inside.startswith("#"):
        inside = inside[1:]
    if target.startswith("#"):  # LibreOffice's way to point inside
        target, inside = "", target[1:].replace(".", "!")
    if target and not target.startswith(WEB) and not PUBLISHED.fullmatch(target):
        yield Finding("outside", sheet.title, cell.coordinate, f"a link to {target[:80]}", "an address on the web")
    elif not target and sheet_of(inside) not in book.formulas.sheetnames:
        yield Finding("link", sheet.title, cell.coordinate, f"a link to {inside[:80]}", "a sheet of this workbook")


def sheet_of(reference: str) -> str:
    """The sheet that a reference names, or an empty text."""
    name, mark, _ = reference.rpartition("!")
    if name.startswith("'") and name.endswith("'"):
        name = name[1:-1].replace("''", "'")
    return name if mark else ""


def ink(cell: Cell) -> str:
    """The colour of a cell's text, as six digits."""
    colour = cell.font.color
    return str(colour.rgb)[-6:] if colour is not None and colour.type == "rgb" else "000000"


def fill(cell: Cell) -> str:
    """The colour behind a cell's text, as six digits; empty where it has none."""
    if cell.fill.fill_type != "solid" or cell.fill.fgColor.type != "rgb":
        return ""
    return str(cell.fill.fgColor.rgb)[-6:]


def contrast(ink: str, ground: str) -> float:
    """Contrast of two colours, 1 to 21.  Source: WCAG 2.2, 2023-10-05, relative luminance."""
    dark, light = sorted((_luminance(ink), _luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts: Iterable[float] = (int(colour[index : index + 2], 16) / 255 for index in (0, 2, 4))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
