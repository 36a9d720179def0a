"""Reference tables and hardware, read from YAML.  Every number comes with unit, source and basis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from memreport.catalogue import trusted_yaml
from memreport.catalogue.job_fields import ACCELERATOR_FIGURES, HOST_FIGURES
from memreport.catalogue.quantities import QuantityError, parse_quantity
from memreport.catalogue.records import Column, Key, Source, Table
from memreport.catalogue.strict_yaml import Document
from memreport.catalogue.table_words import ABSENT, MEANINGS, unit_of
from memreport.errors import Fault, InputError, nearest

BASES = ("vendor", "cites-vendor", "observed", "reference", "derived", "fallback")


@dataclass(frozen=True)
class Cell:
    """One number of a table before it is put into its column."""

    value: float
    source: Source
    basis: str
    note: str


FILE_VERSION = 1
_CARD = ("id", "title", "vendor", "memory_type", "sources", "figures")
FORM_FACTORS = ("sxm", "oam", "pcie", "superchip")
"""How a card sits in its host: an SXM or OAM module on a baseboard, a PCIe card in a slot, one board with its CPU."""
_CELL = ("value", "source", "basis", "note")
_ROW = ("id", "title", "source", "basis", "note")
_LISTS = {"hosts": (), "links": (), "prices": ("currencies", "conventions", "energy")}


def _mapping(document: Document, path: tuple[Key, ...], data: object, faults: list[Fault]) -> dict[str, Any]:
    if isinstance(data, dict):
        return data
    faults.append(document.fault(path, "must be a block of fields", found=repr(data)))
    return {}


def _known(
    document: Document, path: tuple[Key, ...], data: Mapping[str, Any], allowed: Sequence[str], faults: list[Fault]
) -> None:
    """A fault for every field that the block may not have."""
    for name in data:
        if name not in allowed:
            close = nearest(name, allowed)
            faults.append(document.fault((*path, name), "is not a field here", nearest=close, at_key=True))


def checked_file(
    document: Document, required: Sequence[str], optional: Sequence[str] | None, faults: list[Fault]
) -> dict[str, Any]:
    """A file's fields; nothing where it is no block.  Unnamed fields are faults, unless `optional` is None."""
    data = _mapping(document, (), document.data, faults)
    if not data:
        return {}
    if data.get("schema") != FILE_VERSION:
        found = repr(data["schema"]) if "schema" in data else "nothing"
        faults.append(
            document.fault(("schema",), "must be the version of this format", found=found, expected=str(FILE_VERSION))
        )
    faults += [document.fault((name,), "is required") for name in required if name not in data]
    if optional is not None:
        _known(document, (), data, ("schema", *required, *optional), faults)
    return data


def check_id(document: Document, data: Mapping[str, Any], name: str, faults: list[Fault], field: str = "id") -> None:
    """A fault where a file that is found by its name calls itself otherwise."""
    if field in data and data[field] != name:
        faults.append(document.fault((field,), "must be the file's name", found=repr(data[field]), expected=name))


def number_of(document: Document, path: tuple[Key, ...], data: object, unit: str, faults: list[Fault]) -> float:
    """A quantity in base units; 0, with a fault added, where it is none."""
    if data is None:
        faults.append(document.fault(path, "is required"))
        return 0.0
    try:
        return parse_quantity(cast(Any, data), unit or "1")
    except QuantityError as error:
        faults.append(
            document.fault(path, error.message, found=repr(data), expected=error.allowed, nearest=error.nearest)
        )
        return 0.0


def sources_of(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The sources that a file names; none where it has no block of them."""
    found = data.get("sources")
    return found if isinstance(found, dict) else {}


def source_of(data: Mapping[str, Any] | None) -> Source:
    """A source as written in YAML."""
    known = data or {}
    return Source(str(known.get("title", "")), str(known.get("address", "")), str(known.get("date", "")))


def _named_source(
    document: Document, path: tuple[Key, ...], name: object, sources: Mapping[str, Any], faults: list[Fault]
) -> Source:
    if isinstance(name, dict):
        return source_of(name)
    if isinstance(name, str) and isinstance(sources.get(name), dict):
        return source_of(sources[name])
    close = nearest(name, sources)
    faults.append(document.fault(path, "names no source of this file", found=repr(name), nearest=close))
    return Source(str(name))


def read_accelerator(path: Path, faults: list[Fault]) -> tuple[str, str, dict[str, Cell], str] | None:
    """Id, title, figures and form factor of one card; None where the file cannot be read at all."""
    document = _document(path, faults)
    if document is None:
        return None
    data = checked_file(document, _CARD, ("form_factor",), faults)
    if "figures" not in data:
        return None
    figures = _mapping(document, ("figures",), data["figures"], faults)
    missing = [name for name in ACCELERATOR_FIGURES if name not in figures]
    faults += [document.fault(("figures", name), "is required", at_key=True) for name in missing]
    _known(document, ("figures",), figures, ACCELERATOR_FIGURES, faults)
    check_id(document, data, path.stem, faults)
    cells = {
        name: _cell(document, name, figures[name], data, faults) for name in ACCELERATOR_FIGURES if name in figures
    }
    form = data.get("form_factor", "")
    faults += _unknown_forms(document, ("form_factor",), [form] if form else [])
    return path.stem, str(data.get("title", path.stem)), cells, str(form)


def _unknown_forms(document: Document, path: tuple[Key, ...], forms: Iterable[object]) -> list[Fault]:
    allowed = ", ".join(FORM_FACTORS)
    return [
        document.fault(
            path, "is no form factor", found=repr(form), expected=allowed, nearest=nearest(form, FORM_FACTORS)
        )
        for form in forms
        if form not in FORM_FACTORS
    ]


def _cell(document: Document, name: str, data: object, card: Mapping[str, Any], faults: list[Fault]) -> Cell:
    at: tuple[Key, ...] = ("figures", name)
    given = _mapping(document, at, data, faults)
    _known(document, at, given, _CELL, faults)
    before = len(faults)
    value = number_of(document, (*at, "value"), given.get("value"), unit_of(name), faults)
    if value <= 0 and len(faults) == before:
        faults.append(document.fault((*at, "value"), "must be more than 0", found=repr(given.get("value"))))
    source = _named_source(document, (*at, "source"), given.get("source"), sources_of(card), faults)
    if given.get("basis") not in BASES:
        expected = ", ".join(BASES)
        faults.append(
            document.fault((*at, "basis"), "is not a basis", found=repr(given.get("basis")), expected=expected)
        )
    return Cell(value, source, str(given.get("basis")), str(given.get("note", "")))


def _document(path: Path, faults: list[Fault]) -> Document | None:
    try:
        return trusted_yaml.read(path)
    except InputError as error:
        faults.extend(error.faults)
        return None


def accelerators(folders: Sequence[Path], faults: list[Fault]) -> Table:
    """All cards of all folders; a later folder wins over an earlier one."""
    files = {path.stem: path for folder in folders for path in sorted(folder.glob("*.yaml"))}
    cards = [card for _, path in sorted(files.items()) if (card := read_accelerator(path, faults))]
    whole = [card for card in cards if len(card[2]) == len(ACCELERATOR_FIGURES)]
    rows = [card[2] for card in whole]
    ids, titles = tuple(card[0] for card in whole), tuple(card[1] for card in whole)
    columns = {
        name: column_of(name, unit_of(name), MEANINGS[name], [row[name] for row in rows])
        for name in ACCELERATOR_FIGURES
    }
    texts = {"form_factor": tuple(card[3] for card in whole)}
    return Table("accelerators", "Accelerators", ids, titles, columns, tuple(map(str, files.values())), texts)


def column_of(name: str, unit: str, meaning: str, cells: Iterable[Cell]) -> Column:
    """Cells as a column."""
    listed = list(cells)
    return Column(
        name,
        unit,
        meaning,
        tuple(cell.value for cell in listed),
        tuple(cell.source for cell in listed),
        tuple(cell.basis for cell in listed),
        tuple(cell.note for cell in listed),
    )


@dataclass(frozen=True)
class Row:
    """A row of a list, with the file that states it and the sources named there."""

    document: Document
    at: tuple[Key, ...]
    data: Mapping[str, Any]
    sources: Mapping[str, Any]

    def fault(self, name: str, message: str, **words: Any) -> Fault:
        """A fault at one field of the row, or at the row itself where it lacks the field."""
        return self.document.fault((*self.at, name), message, **words)


def merged_rows(paths: Iterable[Path], key: str, faults: list[Fault]) -> dict[str, Row]:
    """The rows of all files by id: a later file adds rows, and wins where it states one again."""
    found: dict[str, Row] = {}
    for path in paths:
        if (document := _document(path, faults)) is not None:
            found |= _rows_of(document, key, faults)
    return found


def _rows_of(document: Document, key: str, faults: list[Fault]) -> dict[str, Row]:
    if key in _LISTS:  # a second list of a file that is checked already brings no second faults
        data = checked_file(document, (), (key, "sources", *_LISTS[key]), faults)
    else:
        data = _mapping(document, (), document.data, faults)
    found: dict[str, Row] = {}
    for at, one in enumerate(_list(document, key, data.get(key), faults)):
        given = _mapping(document, (key, at), one, faults)
        row = Row(document, (key, at), given, sources_of(data))
        if "id" not in given:
            faults.append(row.fault("id", "is required"))
        elif found.setdefault(str(given["id"]), row) is not row:
            faults.append(row.fault("id", "is the id of another row of this file", found=repr(given["id"])))
    return found


def _list(document: Document, key: str, data: object, faults: list[Fault]) -> list[Any]:
    if isinstance(data, list) or data is None:
        return data or []
    faults.append(document.fault((key,), "must be a list", found=repr(data)))
    return []


def rows_table(
    name: str, title: str, paths: Sequence[Path], key: str, columns: Sequence[str], faults: list[Fault]
) -> Table:
    """Hosts or links: the rows of all files by id."""
    rows = merged_rows(paths, key, faults)
    for row in rows.values():
        _known(row.document, row.at, row.data, (*_ROW, *columns, *_LISTED.get(name, ())), faults)
    made = {
        column: column_of(
            column,
            unit_of(column),
            MEANINGS.get(column, column),
            [_row_cell(row, column, faults) for row in rows.values()],
        )
        for column in columns
    }
    titles = tuple(str(row.data.get("title") or id_) for id_, row in rows.items())
    texts = {word: tuple(_words(row, word, faults) for row in rows.values()) for word in _LISTED.get(name, ())}
    return Table(name, title, tuple(rows), titles, made, tuple(map(str, paths)), texts)


_LISTED = {"hosts": ("form_factors",)}


def _words(row: Row, name: str, faults: list[Fault]) -> str:
    """The form factors that a host holds, in one text; nothing where it does not say."""
    found = _list(row.document, name, row.data.get(name), faults)
    faults += _unknown_forms(row.document, (*row.at, name), found)
    return " ".join(map(str, found))


def _row_cell(row: Row, column: str, faults: list[Fault]) -> Cell:
    given = row.data.get(column, ABSENT.get(column))
    value = number_of(row.document, (*row.at, column), given, unit_of(column), faults)
    return Cell(value, dated_source(row, faults), str(row.data.get("basis") or ""), str(row.data.get("note", "")))


def dated_source(row: Row, faults: list[Fault]) -> Source:
    """The source that a row names, with the row's own date where it has one."""
    source = _named_source(row.document, (*row.at, "source"), row.data.get("source"), row.sources, faults)
    return Source(source.title, source.address, str(row.data.get("date") or source.date))


def last_reference(paths: Sequence[Path], faults: list[Fault]) -> Table:
    """The table of the last file, which wins; a fault for every column that an earlier one has and it lacks."""
    table = reference(paths[-1], faults)
    earlier = {name for path in paths[:-1] for name in reference(path, faults).columns}
    lacking = [name for name in sorted(earlier) if table.ids and name not in table.columns]
    if lacking:
        faults.append(Fault("must have the columns that figures read", str(paths[-1]), expected=", ".join(lacking)))
    return table


def reference(path: Path, faults: list[Fault]) -> Table:
    """A table of scenarios/reference: columns with unit and meaning, rows with id, title and source."""
    nothing = Table(path.stem, path.stem, (), (), {}, (str(path),))
    document = _document(path, faults)
    if document is None:
        return nothing
    data = checked_file(document, ("table", "title", "columns", "rows"), ("sources",), faults)
    if "columns" not in data or "rows" not in data:
        return nothing
    check_id(document, data, path.stem, faults, "table")
    declared = _mapping(document, ("columns",), data["columns"], faults)
    specs = {name: _mapping(document, ("columns", name), spec, faults) for name, spec in declared.items()}
    rows = _reference_rows(document, data, tuple(specs), faults)
    columns = {
        name: column_of(
            name,
            str(spec.get("unit", "")),
            str(spec.get("meaning", "")),
            [_reference_cell(row, name, str(spec.get("unit", "")), faults) for row in rows],
        )
        for name, spec in specs.items()
    }
    ids = tuple(row.data.get("id", "") for row in rows)
    titles = tuple(str(row.data.get("title", row.data.get("id"))) for row in rows)
    return Table(path.stem, str(data.get("title", path.stem)), ids, titles, columns, (str(path),))


def _reference_rows(
    document: Document, data: Mapping[str, Any], columns: Sequence[str], faults: list[Fault]
) -> list[Row]:
    rows = []
    for at, one in enumerate(_list(document, "rows", data["rows"], faults)):
        given = _mapping(document, ("rows", at), one, faults)
        _known(document, ("rows", at), given, (*_ROW, *columns), faults)
        row = Row(document, ("rows", at), given, sources_of(data))
        if "id" not in given:
            faults.append(row.fault("id", "is required"))
        rows.append(row)
    return rows


def _reference_cell(row: Row, name: str, unit: str, faults: list[Fault]) -> Cell:
    value = number_of(row.document, (*row.at, name), row.data.get(name), unit, faults)
    source = _named_source(row.document, (*row.at, "source"), row.data.get("source"), row.sources, faults)
    return Cell(value, source, str(row.data.get("basis", "reference")), str(row.data.get("note", "")))


HOST_COLUMNS = HOST_FIGURES
