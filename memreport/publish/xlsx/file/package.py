"""The last step of a workbook: every formula gets its computed value, and equal content becomes equal bytes.

A spreadsheet library writes formulas without values, so that previewers, Protected View and data readers see nothing;
it also shortens a quarter of all numbers to 16 digits and writes today's date.  All of it is set right here, on the
published file format (ISO/IEC 29500-1:2016, sections 18.3.1.4 and 18.17) alone.
"""

from __future__ import annotations

import io
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, cast
from xml.etree.ElementTree import Element, fromstring
from zipfile import ZIP_STORED, ZipFile

from openpyxl import Workbook
from openpyxl.drawing.spreadsheet_drawing import SpreadsheetDrawing
from openpyxl.utils import coordinate_to_tuple
from openpyxl.worksheet._writer import WorksheetWriter
from openpyxl.worksheet.dimensions import SheetDimension
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter

from memreport.errors import PublishingError
from memreport.frozen import frozen
from memreport.publish.xlsx.file.canonical import OFFICE, printable, xml_bytes, zip_bytes
from memreport.publish.xlsx.file.cells import Value
from memreport.publish.xlsx.file.rows import Spot, addresses, listed, sheet_data

MAIN = f"{{{OFFICE}/spreadsheetml/2006/main}}"
DRAWING = f"{{{OFFICE}/drawingml/2006/spreadsheetDrawing}}"
ART = f"{{{OFFICE}/drawingml/2006/main}}"
CHART = f"{{{OFFICE}/drawingml/2006/chart}}"
LINK = f"{{{OFFICE}/officeDocument/2006/relationships}}id"
TERMS = "{http://purl.org/dc/terms/}"
FONT_PARTS = [
    "b", "i", "strike", "condense", "extend", "outline", "shadow", "u",
    "vertAlign", "sz", "color", "name", "family", "charset", "scheme",
]  # fmt: skip
"""The order in which Excel itself writes what a font is made of (18.8.22); strict readers take no other."""
EMPTY = b"<sheetData/>"
OF_PRINTING = "_xlnm."  # names by which a workbook says what is printed (18.2.5), which no formula uses

Trees = dict[str, Element]
Values = Mapping[str, dict[str, Value]]


@frozen
class SealedSheet:
    """What is written of the cells of a sheet that has given them back: where they stand and where they lead, too."""

    data: bytes
    dimension: str
    links: tuple[Hyperlink, ...]


def seal(sheet: Worksheet, values: dict[Spot, Value]) -> SealedSheet:
    """The cells with these values by row and column, all of which are given back: the sheet takes no more.

    Raises PublishingError as `finish`.
    """
    inner: Any = sheet
    cells, dimension = inner._cells, sheet.calculate_dimension()  # noqa: SLF001  # openpyxl has no other way to let go
    linked = sorted(place for place, cell in cells.items() if cell._hyperlink)  # noqa: SLF001  # as said
    links = tuple(cells[place].hyperlink for place in linked)
    made = SealedSheet(sheet_data(sheet, values), dimension, links)
    if values:
        raise PublishingError(f"values without a formula: {listed(addresses(sheet, values))}")
    inner._cells = MappingProxyType({})  # noqa: SLF001  # as said
    sheet.row_dimensions.clear()
    return made


def finish(
    book: Workbook,
    values: Values,
    *,
    alt_texts: Mapping[str, str],
    created: str,
    sealed: Mapping[str, SealedSheet] = MappingProxyType({}),
) -> bytes:
    """The workbook as a file: a value in every formula cell, exact numbers, described charts and a fixed date.

    `values` are keyed by sheet and cell, `alt_texts` by chart title; `created` is an ISO 8601 date.  Cells and values
    of sheets that are not sealed yet are given back.  Raises PublishingError when any of them leaves a cell or chart
    out, names one that is not there, or is not finite, and for cell notes.
    """
    whole_sheets = {
        sheet.title: sealed.get(sheet.title) or seal(sheet, _spots(values.get(sheet.title, {})))
        for sheet in book.worksheets
    }
    if idle := [f"{title}!{cell}" for title in values.keys() - whole_sheets.keys() for cell in values[title]]:
        raise PublishingError(f"values without a formula: {listed(sorted(idle))}")
    data = _saved(book, whole_sheets)
    parts = _parts(data)
    trees, others = _read(parts)
    _describe_charts(trees, alt_texts)
    _order_fonts(trees["xl/styles.xml"])
    _fix_dates(trees["docProps/core.xml"], created)
    whole = _written(trees)
    for title, part in sheet_parts(parts)[0].items():
        whole[part] = whole[part].replace(EMPTY, whole_sheets.pop(title).data, 1)
    return zip_bytes(whole | others)


def _spots(values: Mapping[str, Value]) -> dict[Spot, Value]:
    return {coordinate_to_tuple(cell): value for cell, value in values.items()}


def _saved(book: Workbook, sealed: Mapping[str, SealedSheet]) -> bytes:
    """The workbook without cells, as openpyxl writes it."""
    out = io.BytesIO()
    _Writer(book, ZipFile(out, "w", ZIP_STORED), sealed).save()  # packed once, when it is finished
    return out.getvalue()


class _Writer(ExcelWriter):
    """openpyxl's, which leaves the cells of each sheet out."""

    def __init__(self, book: Workbook, archive: ZipFile, sealed: Mapping[str, SealedSheet]) -> None:
        super().__init__(book, archive)
        self.sealed = sealed

    def write_worksheet(self, ws: Any) -> None:
        """One sheet with its drawing, without its cells."""
        # SLF001, here and below: these steps are openpyxl's own, which has no other way to leave the cells out
        ws._drawing = SpreadsheetDrawing()  # noqa: SLF001
        ws._drawing.charts = ws._charts  # noqa: SLF001
        writer: Any = _Frame(ws, self.sealed[ws.title])
        writer.write()
        ws._rels = writer._rels  # noqa: SLF001
        archive: ZipFile = self._archive  # type: ignore[attr-defined]  # the stubs lack it
        archive.write(writer.out, ws.path[1:])
        self.manifest.append(ws)
        writer.cleanup()


class _Frame(WorksheetWriter):
    """A sheet without its cells."""

    def __init__(self, sheet: Any, sealed: SealedSheet) -> None:
        super().__init__(sheet)
        self.sealed = sealed
        sheet._hyperlinks += sealed.links  # noqa: SLF001  # as in `seal`

    def write_dimensions(self) -> None:
        """The range of its cells, which are gone."""
        cast(Any, self.xf).send(SheetDimension(self.sealed.dimension).to_tree())

    def write_rows(self) -> None:
        """An empty element where the rows will stand."""
        stream = cast(Any, self.xf)
        with stream.send(True).element("sheetData"):
            pass
        stream.send(None)


def _written(trees: Trees) -> dict[str, bytes]:
    """The parts as bytes; each tree is gone as soon as it is written, as all of them are large."""
    written = {}
    while trees:
        name, tree = trees.popitem()
        written[name] = xml_bytes(tree)
    return written


def _parts(data: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(data)) as book:
        return {name: book.read(name) for name in book.namelist()}


def _read(parts: Mapping[str, bytes]) -> tuple[Trees, dict[str, bytes]]:
    """The parts of a workbook: those that are XML as trees, the others as they are."""
    # S314: the bytes come from our own writer, a moment ago
    trees = {name: fromstring(part) for name, part in parts.items() if name.endswith((".xml", ".rels"))}  # noqa: S314
    return trees, {name: part for name, part in parts.items() if name not in trees}


def sheet_parts(parts: Mapping[str, bytes]) -> tuple[dict[str, str], str]:
    """The part in which each sheet of a workbook of ours lies, and what names that formulas may use stand for."""
    read = ("xl/workbook.xml", "xl/_rels/workbook.xml.rels")
    trees = {name: fromstring(parts[name]) for name in read}  # noqa: S314  # as in `_read`
    targets, book = dict(_targets(trees, read[0])), trees[read[0]]
    names = (
        element for element in book.iter(f"{MAIN}definedName") if not element.get("name", "").startswith(OF_PRINTING)
    )
    named = "\n".join(element.text or "" for element in names)
    return {sheet.get("name", ""): targets[sheet.get(LINK, "")] for sheet in book.iter(f"{MAIN}sheet")}, named


def _targets(trees: Trees, part: str) -> Iterator[tuple[str, str]]:
    """From relation to part, for one part."""
    folder, name = posixpath.split(part)
    relations = trees.get(f"{folder}/_rels/{name}.rels")
    for relation in relations if relations is not None else ():
        target = posixpath.join("/" + folder, relation.get("Target", ""))
        yield relation.get("Id", ""), posixpath.normpath(target).lstrip("/")


def _describe_charts(trees: Trees, alt_texts: Mapping[str, str]) -> None:
    """A screen reader says the description in place of the chart."""
    frames = [(frame, title) for part in sorted(trees) for frame, title in _frames(trees, part)]
    titles = [title for _, title in frames]
    _same_titles(titles, alt_texts)
    for frame, title in frames:
        frame.set("descr", printable(alt_texts[title]))


def _same_titles(titles: Iterable[str], alt_texts: Mapping[str, str]) -> None:
    there, told = set(titles), {title for title, text in alt_texts.items() if text.strip()}
    for meaning, left in (("charts without a description", there - told), ("no such charts", alt_texts.keys() - there)):
        if left:
            raise PublishingError(f"{meaning}: {listed(repr(title) for title in sorted(left))}")


def _frames(trees: Trees, part: str) -> Iterator[tuple[Element, str]]:
    """The frame of every chart on a drawing, with the chart's title."""
    if posixpath.dirname(part) != "xl/drawings":
        return
    targets = dict(_targets(trees, part))
    for frame in trees[part].iter(f"{DRAWING}graphicFrame"):
        properties, chart = frame.find(f".//{DRAWING}cNvPr"), frame.find(f".//{CHART}chart")
        if properties is not None and chart is not None:
            yield properties, _title(trees[targets[chart.get(LINK, "")]])


def _title(chart: Element) -> str:
    """A chart's title, as typed, or else the reference that it is read from."""
    title = chart.find(f"{CHART}chart/{CHART}title")
    if title is None:
        return ""
    typed = "".join(run.text or "" for run in title.iter(f"{ART}t"))
    return typed or "".join(formula.text or "" for formula in title.iter(f"{CHART}f"))


def _order_fonts(styles: Element) -> None:
    for font in styles.iter(f"{MAIN}font"):
        font[:] = sorted(font, key=lambda part: FONT_PARTS.index(part.tag.removeprefix(MAIN)))


def _fix_dates(properties: Element, created: str) -> None:
    moment = _moment(created)
    for name in ("created", "modified"):
        date = properties.find(f"{TERMS}{name}")
        if date is None:
            raise PublishingError(f"the workbook's properties lack the date {name!r}")
        date.text = moment


def _moment(created: str) -> str:
    """ISO 8601 in UTC, to the second; a bare date means its midnight."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError as fault:
        raise PublishingError(f"{created!r} is not an ISO 8601 date") from fault
    utc = moment.astimezone(UTC) if moment.tzinfo else moment
    return utc.strftime("%Y-%m-%dT%H:%M:%SZ")
