"""Reference tables and hardware, read from YAML.  Every number comes with unit, source and basis."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from memreport.catalogue.fields.dictionary import LARGEST
from memreport.catalogue.fields.job import ACCELERATOR_FIGURES, BY_GPU
from memreport.catalogue.fields.validation import shown
from memreport.catalogue.quantities import QuantityError, parse_quantity
from memreport.catalogue.records import Column, Key, Source, Table
from memreport.catalogue.tables.efficiency_words import EFFICIENCY
from memreport.catalogue.tables.words import BY_MEMORY, CHUNK, CHUNKS, LARGE, LARGE_BYTES, MEANINGS, NOT_LARGE, unit_of
from memreport.catalogue.yaml import packaged as packaged_yaml
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault, InputError, nearest
from memreport.frozen import frozen

BASES = ("vendor", "cites-vendor", "observed", "reference", "derived", "fallback")


@dataclass(frozen=True)
class Cell:
    """One number of a table before it is put into its column."""

    value: float
    source: Source
    basis: str
    note: str


FILE_VERSION = 1
CARD = ("id", "title", "memory_type", "sources", "figures")
KIND_OF_DEVICE = ("form_factor", "architecture", "host", "host_alone", "considered", "vendor")
"""Its kind, its usual server, that of one alone where it differs, `yes` where searches try it unasked; its maker."""
FORM_FACTORS = ("sxm", "oam", "pcie", "superchip", "module")
"""How a GPU sits in its host: on a baseboard (SXM, OAM), in a slot, on one board with its CPU, or in its own."""
CELL = ("value", "source", "basis", "note")
ROW = ("id", "title", "source", "basis", "note")
COMMAND, COMMANDS = "command", "commands"
"""Of a row, and of a table: how a program is started, and what it calls fields and their choices (`field.choice`)."""
LISTS = {
    "hosts": (), "links": (), "efficiency": (),
    "prices": ("currencies", "conventions", "energy", "providers", "apis"),
}  # fmt: skip


def _mapping(document: Document, path: tuple[Key, ...], data: object, faults: list[Fault]) -> dict[str, Any]:
    if isinstance(data, dict):
        return data
    faults.append(document.fault(path, "must be a block of fields", found=shown(data)))
    return {}


def check_known(
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
        check_known(document, (), data, ("schema", *required, *optional), faults)
    return data


def check_id(document: Document, data: Mapping[str, Any], name: str, faults: list[Fault], field: str = "id") -> None:
    """A fault where a file that is found by its name calls itself otherwise."""
    if field in data and data[field] != name:
        faults.append(document.fault((field,), "must be the file's name", found=shown(data[field]), expected=name))


def number_of(document: Document, path: tuple[Key, ...], data: object, unit: str, faults: list[Fault]) -> float:
    """A quantity in base units; 0, with a fault added, where it is none."""
    if data is None:
        faults.append(document.fault(path, "is required", expected=f"a number in {unit}" if unit else "a number"))
        return 0.0
    try:
        number = parse_quantity(cast(Any, data), unit or "1")
    except QuantityError as error:
        faults.append(
            document.fault(path, error.message, found=shown(data), expected=error.allowed, nearest=error.nearest)
        )
        return 0.0
    if abs(number) > LARGEST:
        faults.append(document.fault(path, f"must be at most {LARGEST:g}", found=shown(data)))
        return 0.0
    return number


def sources_of(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The sources that a file names; none where it has no block of them."""
    found = data.get("sources")
    return found if isinstance(found, dict) else {}


def source_of(data: Mapping[str, Any] | None) -> Source:
    """A source as written in YAML."""
    known = data or {}
    return Source(str(known.get("title", "")), str(known.get("address", "")), str(known.get("date", "")))


def stated_source(document: Document, path: tuple[Key, ...], data: object, faults: list[Fault]) -> Source:
    """A source that must be a block of words; none, with a fault added, where it is not."""
    given = _mapping(document, path, data, faults) if data is not None else {}
    wrong = [name for name in ("title", "address", "date") if isinstance(given.get(name), (dict, list))]
    faults += [document.fault((*path, name), "must be text", found=shown(given[name])) for name in wrong]
    return source_of(given)


def _named_source(
    document: Document, path: tuple[Key, ...], name: object, sources: Mapping[str, Any], faults: list[Fault]
) -> Source:
    if isinstance(name, dict):
        return source_of(name)
    if isinstance(name, str) and isinstance(sources.get(name), dict):
        return source_of(sources[name])
    close = nearest(name, sources)
    faults.append(document.fault(path, "names no source of this file", found=shown(name), nearest=close))
    return Source(str(name))


@frozen
class AcceleratorFile:
    """One file of `hardware/accelerators`: the figures that it states, and what kind of device it is."""

    id: str
    title: str
    cells: Mapping[str, Cell]
    form_factor: str
    architecture: str
    host: str
    host_alone: str
    considered: str
    vendor: str

    @property
    def whole(self) -> bool:
        """Whether it states every figure that a GPU must have."""
        return all(name in self.cells for name in ACCELERATOR_FIGURES)


def read_accelerator(path: Path, faults: list[Fault]) -> AcceleratorFile | None:
    """What the file of one GPU states; None where it cannot be read at all."""
    document = _document(path, faults)
    if document is None:
        return None
    data = checked_file(document, CARD, KIND_OF_DEVICE, faults)
    if "figures" not in data:
        return None
    figures = _mapping(document, ("figures",), data["figures"], faults)
    missing = [name for name in ACCELERATOR_FIGURES if name not in figures]
    faults += [_lacking_figure(document, name) for name in missing]
    allowed = (*ACCELERATOR_FIGURES, *EFFICIENCY)
    check_known(document, ("figures",), figures, allowed, faults)
    check_id(document, data, path.stem, faults)
    cells = {name: _cell(document, name, figures[name], data, faults) for name in allowed if name in figures}
    form = data.get("form_factor", "")
    faults += unknown_forms(document, ("form_factor",), [form] if form else [])
    architecture, *others = (str(data.get(word, "")) for word in KIND_OF_DEVICE[1:])
    return AcceleratorFile(path.stem, str(data.get("title", path.stem)), cells, str(form), architecture, *others)


def _lacking_figure(document: Document, name: str) -> Fault:
    wanted = f"{name}: {{value: ..., source: ..., basis: ...}}, {MEANINGS[name]}"
    return document.fault(("figures", name), "is required", expected=wanted, at_key=True)


def unknown_forms(document: Document, path: tuple[Key, ...], forms: Iterable[object]) -> list[Fault]:
    """Faults of words that are no form factors."""
    allowed = ", ".join(FORM_FACTORS)
    return [
        document.fault(
            path, "is no form factor", found=shown(form), expected=allowed, nearest=nearest(form, FORM_FACTORS)
        )
        for form in forms
        if form not in FORM_FACTORS
    ]


def _cell(document: Document, name: str, data: object, card: Mapping[str, Any], faults: list[Fault]) -> Cell:
    place: tuple[Key, ...] = ("figures", name)
    given = _mapping(document, place, data, faults)
    check_known(document, place, given, CELL, faults)
    before = len(faults)
    unit = EFFICIENCY[name][0] if name in EFFICIENCY else unit_of(name)
    value = number_of(document, (*place, "value"), given.get("value"), unit, faults)
    if value <= 0 and len(faults) == before:
        faults.append(document.fault((*place, "value"), "must be more than 0", found=shown(given.get("value"))))
    source = _named_source(document, (*place, "source"), given.get("source"), sources_of(card), faults)
    if given.get("basis") not in BASES:
        expected = ", ".join(BASES)
        faults.append(
            document.fault((*place, "basis"), "is not a basis", found=shown(given.get("basis")), expected=expected)
        )
    return Cell(value, source, str(given.get("basis")), str(given.get("note", "")))


def _document(path: Path, faults: list[Fault]) -> Document | None:
    try:
        return packaged_yaml.read(path)
    except InputError as error:
        faults.extend(error.faults)
        return None


def accelerators(folders: Sequence[Path], faults: list[Fault]) -> tuple[Table, dict[str, Mapping[str, Cell]]]:
    """All devices of all folders, and what each file states of its efficiency; a later folder wins."""
    files = {path.stem: path for folder in folders for path in sorted(folder.glob("*.yaml"))}
    read = [accelerator for _, path in sorted(files.items()) if (accelerator := read_accelerator(path, faults))]
    whole = [file for file in read if file.whole]
    columns = {
        name: column_of(name, unit_of(name), MEANINGS[name], [file.cells[name] for file in whole])
        for name in ACCELERATOR_FIGURES
    }
    columns[LARGE] = column_of(LARGE, "", MEANINGS[LARGE], [_counted_as_large(file) for file in whole])
    columns[CHUNK] = column_of(CHUNK, "token", MEANINGS[CHUNK], [_chunk_of_memory(file) for file in whole])
    texts = {word: tuple(getattr(file, word) for file in whole) for word in KIND_OF_DEVICE}
    ids, titles = tuple(file.id for file in whole), tuple(file.title for file in whole)
    table = Table("accelerators", "Accelerators", ids, titles, columns, tuple(map(str, files.values())), texts)
    return table, {file.id: {name: file.cells[name] for name in EFFICIENCY if name in file.cells} for file in whole}


def _counted_as_large(file: AcceleratorFile) -> Cell:
    """Whether vLLM serves on a GPU with its defaults for large ones."""
    large = file.cells["capacity_bytes"].value >= LARGE_BYTES and NOT_LARGE not in file.title.lower()
    return Cell(float(large), Source(BY_GPU), "derived", "")


def _chunk_of_memory(file: AcceleratorFile) -> Cell:
    """The tokens that SGLang works on at once on a GPU with this memory, where its class has a number of its own."""
    held = file.cells["capacity_bytes"].value / 2**30
    tokens = next((tokens for tokens, (least, most) in CHUNKS.items() if least <= held < most), 0)
    return Cell(float(tokens), Source(BY_MEMORY), "derived", "")


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


@frozen
class ListRow:
    """A row of a list, with the file that states it and the sources named there."""

    document: Document
    keys: tuple[Key, ...]
    data: Mapping[str, Any]
    sources: Mapping[str, Any]

    def fault(self, name: str, message: str, **words: Any) -> Fault:
        """A fault at one field of the row, or at the row itself where it lacks the field."""
        return self.document.fault((*self.keys, name), message, **words)


def merged_rows(paths: Iterable[Path], key: str, faults: list[Fault]) -> dict[str, ListRow]:
    """The rows of all files by id: a later file adds rows, and wins where it states one again."""
    found: dict[str, ListRow] = {}
    for path in paths:
        if (document := _document(path, faults)) is not None:
            found |= _rows_of(document, key, faults)
    return found


def _rows_of(document: Document, key: str, faults: list[Fault]) -> dict[str, ListRow]:
    if key in LISTS:  # a second list of a file that is checked already brings no second faults
        data = checked_file(document, (), (key, "sources", *LISTS[key]), faults)
    else:
        data = _mapping(document, (), document.data, faults)
    found: dict[str, ListRow] = {}
    for index, item in enumerate(list_of(document, key, data.get(key), faults)):
        given = _mapping(document, (key, index), item, faults)
        row = ListRow(document, (key, index), given, sources_of(data))
        faults += (wrong := _wrong_id(row, found))
        if not wrong:
            found[str(given["id"])] = row
    return found


def _wrong_id(row: ListRow, found: Container[str]) -> list[Fault]:
    """What keeps a row from being named by its id, if anything does."""
    given = row.data.get("id")
    if "id" not in row.data:
        return [row.fault("id", "is required")]
    if not isinstance(given, str | int):
        return [row.fault("id", "must be text or a whole number", found=shown(given))]
    return [row.fault("id", "is the id of another row of this file", found=shown(given))] if str(given) in found else []


def list_of(document: Document, key: str, data: object, faults: list[Fault]) -> list[Any]:
    """A list; none, with a fault added, where it is something else."""
    if isinstance(data, list) or data is None:
        return data or []
    faults.append(document.fault((key,), "must be a list", found=shown(data)))
    return []


def dated_source(row: ListRow, faults: list[Fault]) -> Source:
    """The source that a row names, with the row's own date where it has one."""
    source = _named_source(row.document, (*row.keys, "source"), row.data.get("source"), row.sources, faults)
    return Source(source.title, source.address, str(row.data.get("date") or source.date))


def reference(path: Path, faults: list[Fault]) -> Table:
    """A table of scenarios/reference: columns with unit and meaning, rows with id, title and source."""
    nothing = Table(path.stem, path.stem, (), (), {}, (str(path),))
    document = _document(path, faults)
    if document is None:
        return nothing
    data = checked_file(document, ("table", "title", "columns", "rows"), ("sources", COMMANDS), faults)
    if "columns" not in data or "rows" not in data:
        return nothing
    check_id(document, data, path.stem, faults, "table")
    declared = _mapping(document, ("columns",), data["columns"], faults)
    specs = {name: _mapping(document, ("columns", name), spec, faults) for name, spec in declared.items()}
    rows = _reference_rows(document, data, tuple(specs), faults)
    columns = {name: _reference_column(name, spec, rows, faults) for name, spec in specs.items()}
    given = (row.data.get("id", "") for row in rows)
    ids = tuple(key if isinstance(key, str | int) else str(key) for key in given)
    titles = tuple(str(row.data.get("title", row.data.get("id"))) for row in rows)
    texts = _commands(document, data, rows, faults)
    return Table(path.stem, str(data.get("title", path.stem)), ids, titles, columns, (str(path),), texts)


def _commands(
    document: Document, data: Mapping[str, Any], rows: Iterable[ListRow], faults: list[Fault]
) -> dict[str, tuple[str, ...]]:
    """What each row's command calls its parts, a text a row; nothing where a row has none or it has no such part."""
    blocks = _mapping(document, (COMMANDS,), data.get(COMMANDS, {}), faults)
    known = {name: _mapping(document, (COMMANDS, name), block, faults) for name, block in blocks.items()}
    named = [(row, str(row.data.get(COMMAND, ""))) for row in rows]
    faults += [
        row.fault(COMMAND, "names no command of this file", found=shown(name), nearest=nearest(name, known))
        for row, name in named
        if name and name not in known
    ]
    parts = dict.fromkeys(part for block in known.values() for part in block)
    return {f"{COMMAND}.{part}": tuple(str(known.get(name, {}).get(part, "")) for _, name in named) for part in parts}


def _reference_column(name: str, spec: Mapping[str, Any], rows: Iterable[ListRow], faults: list[Fault]) -> Column:
    unit = str(spec.get("unit", ""))
    cells = [_reference_cell(row, name, unit, faults) for row in rows]
    column = column_of(name, unit, str(spec.get("meaning", "")), cells)
    return replace(column, otherwise=str(spec.get("otherwise", "")))


def _reference_rows(
    document: Document, data: Mapping[str, Any], columns: Sequence[str], faults: list[Fault]
) -> list[ListRow]:
    rows: list[ListRow] = []
    known = (COMMAND,) if COMMANDS in data else ()
    for index, item in enumerate(list_of(document, "rows", data["rows"], faults)):
        given = _mapping(document, ("rows", index), item, faults)
        check_known(document, ("rows", index), given, (*ROW, *columns, *known), faults)
        row = ListRow(document, ("rows", index), given, sources_of(data))
        faults += _wrong_id(row, [str(each.data.get("id")) for each in rows])
        rows.append(row)
    return rows


def _reference_cell(row: ListRow, name: str, unit: str, faults: list[Fault]) -> Cell:
    value = number_of(row.document, (*row.keys, name), row.data.get(name), unit, faults)
    source = _named_source(row.document, (*row.keys, "source"), row.data.get("source"), row.sources, faults)
    return Cell(value, source, str(row.data.get("basis", "reference")), str(row.data.get("note", "")))
