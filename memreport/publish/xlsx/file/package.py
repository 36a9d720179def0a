"""The last step of a workbook: every formula gets its computed value, and equal content becomes equal bytes.

A spreadsheet library writes formulas without values, so that previewers, Protected View and data readers see nothing;
it also shortens a quarter of all numbers to 16 digits and writes today's date.  All of it is set right here, on the
published file format (ISO/IEC 29500-1:2016, sections 18.3.1.4 and 18.17) alone.
"""

from __future__ import annotations

import io
import math
import posixpath
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TypeVar
from xml.etree.ElementTree import Element, SubElement, fromstring

from memreport.errors import PublishingError
from memreport.publish.xlsx.file.canonical import OFFICE, printable, xml_bytes, zip_bytes
from memreport.publish.xlsx.file.cells import LARGEST_WHOLE, exact_number

MAIN = f"{{{OFFICE}/spreadsheetml/2006/main}}"
DRAWING = f"{{{OFFICE}/drawingml/2006/spreadsheetDrawing}}"
ART = f"{{{OFFICE}/drawingml/2006/main}}"
CHART = f"{{{OFFICE}/drawingml/2006/chart}}"
LINK = f"{{{OFFICE}/officeDocument/2006/relationships}}id"
TERMS = "{http://purl.org/dc/terms/}"
ERRORS = frozenset({"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"})
FONT_PARTS = [
    "b", "i", "strike", "condense", "extend", "outline", "shadow", "u",
    "vertAlign", "sz", "color", "name", "family", "charset", "scheme",
]  # fmt: skip
"""The order in which Excel itself writes what a font is made of (18.8.22); strict readers take no other."""
SHORTENED = 1e-14  # a number written with 16 digits differs from the exact one by less, relatively
SHOWN = 5
OF_PRINTING = "_xlnm."  # names by which a workbook says what is printed (18.2.5), which no formula uses

Place = tuple[str, str]
Value = float | str | bool
Trees = dict[str, Element]
_Given = TypeVar("_Given")


def finish(
    data: bytes,
    values: Mapping[Place, Value],
    *,
    numbers: Mapping[Place, float],
    alt_texts: Mapping[str, str],
    created: str,
) -> bytes:
    """The workbook with a value in every formula cell, exact numbers, described charts and a fixed date.

    `values` and `numbers` are keyed by (sheet, cell), `alt_texts` by chart title; `created` is an ISO 8601 date.
    Raises PublishingError when any of them leaves a cell or chart out, names one that is not there, or is not finite.
    """
    parts = _parts(data)
    _refuse_notes(parts)
    sheets = dict(_sheets(parts, _by_sheet(values), _by_sheet(numbers)))
    trees, others = _read(parts)
    _describe_charts(trees, alt_texts)
    _order_fonts(trees["xl/styles.xml"])
    _fix_dates(trees["docProps/core.xml"], created)
    return zip_bytes(sheets | _written(trees) | others)


def _written(trees: Trees) -> dict[str, bytes]:
    """The parts as bytes; each tree is gone as soon as it is written, as all of them are large."""
    written = {}
    while trees:
        name, tree = trees.popitem()
        written[name] = xml_bytes(tree)
    return written


def _by_sheet(given: Mapping[Place, _Given]) -> dict[str, dict[Place, _Given]]:
    found: dict[str, dict[Place, _Given]] = {}
    for place, one in given.items():
        found.setdefault(place[0], {})[place] = one
    return found


def _sheets(
    parts: dict[str, bytes], values: dict[str, dict[Place, Value]], numbers: dict[str, dict[Place, float]]
) -> Iterator[tuple[str, bytes]]:
    """Each sheet with its values, taken from the parts: one after the other, as the tree of a sheet is large."""
    for title, part in sheet_parts(parts)[0].items():
        if part in parts:
            yield part, _filled(parts.pop(part), title, values.pop(title, {}), numbers.pop(title, {}))
    for left in values.values():
        _same_places((), left, "formulas without a value", "values without a formula")
    for exact in numbers.values():
        _restore_numbers({}, exact)


def _filled(part: bytes, title: str, values: Mapping[Place, Value], numbers: Mapping[Place, float]) -> bytes:
    tree = fromstring(part)  # noqa: S314  # the bytes come from our own writer, a moment ago
    cells = {(title, cell.get("r", "")): cell for cell in tree.iter(f"{MAIN}c")}
    _fill_formulas(cells, values)
    _restore_numbers(cells, numbers)
    return xml_bytes(tree)


def _parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        return {name: book.read(name) for name in book.namelist()}


def _read(parts: Mapping[str, bytes]) -> tuple[Trees, dict[str, bytes]]:
    """The parts of a workbook: those that are XML as trees, the others as they are."""
    # S314: as in `_filled`
    trees = {name: fromstring(part) for name, part in parts.items() if name.endswith((".xml", ".rels"))}  # noqa: S314
    return trees, {name: part for name, part in parts.items() if name not in trees}


def _refuse_notes(names: Iterable[str]) -> None:
    """Notes need a second drawing format, and IronCalc 0.9.1 cannot open a file that has them."""
    notes = [name for name in names if "comment" in name.lower() or name.endswith(".vml")]
    if notes:
        raise PublishingError(f"the workbook carries cell notes ({_listed(notes)}); use an input prompt instead")


def sheet_parts(parts: Mapping[str, bytes]) -> tuple[dict[str, str], str]:
    """The part in which each sheet of a workbook of ours lies, and what names that formulas may use stand for."""
    read = ("xl/workbook.xml", "xl/_rels/workbook.xml.rels")
    trees = {name: fromstring(parts[name]) for name in read}  # noqa: S314  # as in `_read`
    targets, book = dict(_targets(trees, read[0])), trees[read[0]]
    names = (one for one in book.iter(f"{MAIN}definedName") if not one.get("name", "").startswith(OF_PRINTING))
    named = "\n".join(one.text or "" for one in names)
    return {sheet.get("name", ""): targets[sheet.get(LINK, "")] for sheet in book.iter(f"{MAIN}sheet")}, named


def _targets(trees: Trees, part: str) -> Iterator[tuple[str, str]]:
    """From relation to part, for one part."""
    folder, name = posixpath.split(part)
    relations = trees.get(f"{folder}/_rels/{name}.rels")
    for relation in relations if relations is not None else ():
        target = posixpath.join("/" + folder, relation.get("Target", ""))
        yield relation.get("Id", ""), posixpath.normpath(target).lstrip("/")


def _fill_formulas(cells: Mapping[Place, Element], values: Mapping[Place, Value]) -> None:
    formulas = {place: cell for place, cell in cells.items() if cell.find(f"{MAIN}f") is not None}
    _same_places(formulas, values, "formulas without a value", "values without a formula")
    for place, cell in formulas.items():
        _fill(cell, place, values[place])


def _same_places(cells: Iterable[Place], given: Iterable[Place], lacking: str, idle: str) -> None:
    there, told = set(cells), set(given)
    for meaning, places in ((lacking, there - told), (idle, told - there)):
        if places:
            raise PublishingError(f"{meaning}: {_listed(map(_named, sorted(places)))}")


def _fill(cell: Element, place: Place, value: Value) -> None:
    """Write a value with its type; a number keeps every digit."""
    cell.attrib.pop("t", None)
    if isinstance(value, bool):
        cell.set("t", "b")
        text = str(int(value))
    elif isinstance(value, str):
        cell.set("t", "e" if value in ERRORS else "str")
        text = printable(value)
    else:
        text = _digits(value, place)
    _set_text(cell, text)


def _set_text(cell: Element, text: str) -> None:
    held = cell.find(f"{MAIN}v")
    (SubElement(cell, f"{MAIN}v") if held is None else held).text = text


def _digits(value: float, place: Place) -> str:
    """The shortest digits that read back as the same float64."""
    try:
        exact = exact_number(value)
    except PublishingError as fault:
        raise PublishingError(f"{_named(place)}: {fault}") from fault
    return repr(int(exact)) if exact.is_integer() and abs(exact) <= LARGEST_WHOLE else repr(exact)


def _restore_numbers(cells: Mapping[Place, Element], numbers: Mapping[Place, float]) -> None:
    for place, number in numbers.items():
        digits = _digits(number, place)
        held = _constant(cells.get(place))
        if held is None or not math.isclose(held, number, rel_tol=SHORTENED):
            raise PublishingError(f"{_named(place)}: {digits} is given, but the cell holds {held}")
        _set_text(cells[place], digits)


def _constant(cell: Element | None) -> float | None:
    """The number that a cell holds, unless it is a formula, a text or empty."""
    if cell is None or cell.get("t", "n") != "n" or cell.find(f"{MAIN}f") is not None:
        return None
    text = cell.findtext(f"{MAIN}v")
    return float(text) if text else None


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
            raise PublishingError(f"{meaning}: {_listed(repr(title) for title in sorted(left))}")


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


def _named(place: Place) -> str:
    return f"{place[0]}!{place[1]}"


def _listed(names: Iterable[str]) -> str:
    """The first few of many, and how many more."""
    every = list(names)
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return ", ".join(every[:SHOWN]) + more
