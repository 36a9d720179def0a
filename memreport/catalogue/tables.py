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
from memreport.errors import Fault, InputError, nearest

BASES = ("vendor", "cites-vendor", "observed", "reference", "derived", "fallback")
UNITS_BY_ENDING = {
    "bytes_per_second": "byte/s",
    "_flop_per_second": "FLOP/s",
    "_bytes": "byte",
    "_watts": "W",
    "usd_per_accelerator_hour": "USD/h",
    "usd_per_accelerator": "USD",
}
MEANINGS = {
    "capacity_bytes": "memory that the driver reports",
    "marketed_capacity_bytes": "memory that the vendor advertises",
    "memory_bytes_per_second": "peak memory bandwidth",
    "bf16_flop_per_second": "dense BF16 rate",
    "fp16_flop_per_second": "dense FP16 rate",
    "fp8_flop_per_second": "dense FP8 rate, or the rate at which FP8 work runs",
    "int8_flop_per_second": "dense INT8 rate, or the rate at which INT8 work runs",
    "tf32_flop_per_second": "dense TF32 rate, or the rate at which FP32 matrix work runs",
    "fp32_flop_per_second": "FP32 vector rate",
    "link_bytes_per_second": "links between accelerators, one direction",
    "host_link_bytes_per_second": "link to the host, one direction",
    "board_power_watts": "board power",
    "cards_per_node": "accelerators of one node",
    "host_memory_bytes": "host memory of one node",
    "host_memory_bytes_per_second": "host memory bandwidth of one node",
    "nvme_bytes": "local disk of one node",
    "nvme_bytes_per_second": "local disk bandwidth of one node",
    "network_bytes_per_second": "network per accelerator, one direction",
    "node_power_watts": "power of one node",
}


def unit_of(name: str) -> str:
    """The unit that a figure's name ends in; plain counts have none."""
    return next((unit for ending, unit in UNITS_BY_ENDING.items() if name.endswith(ending)), "")


@dataclass(frozen=True)
class _Cell:
    value: float
    source: Source
    basis: str
    note: str


def _mapping(document: Document, path: tuple[Key, ...], data: object, faults: list[Fault]) -> dict[str, Any]:
    if isinstance(data, dict):
        return data
    faults.append(document.fault(path, "must be a block of fields", found=repr(data)))
    return {}


def _number(document: Document, path: tuple[Key, ...], data: object, unit: str, faults: list[Fault]) -> float:
    try:
        return parse_quantity(cast(Any, data), unit or "1")
    except QuantityError as error:
        faults.append(
            document.fault(path, error.message, found=repr(data), expected=error.allowed, nearest=error.nearest)
        )
        return 0.0


def source_of(data: Mapping[str, Any] | None) -> Source:
    """A source as written in YAML."""
    known = data or {}
    return Source(str(known.get("title", "")), str(known.get("address", "")), str(known.get("date", "")))


def _named_source(
    document: Document, path: tuple[Key, ...], name: object, sources: Mapping[str, Any], faults: list[Fault]
) -> Source:
    if isinstance(name, dict):
        return source_of(name)
    if name in sources:
        return source_of(sources[str(name)])
    close = nearest(name, sources)
    faults.append(document.fault(path, "names no source of this file", found=repr(name), nearest=close))
    return Source(str(name))


def read_accelerator(path: Path, faults: list[Fault]) -> tuple[str, str, dict[str, _Cell]] | None:
    """Id, title and figures of one card; None where the file cannot be read at all."""
    document = _document(path, faults)
    if document is None:
        return None
    data = _mapping(document, (), document.data, faults)
    figures = _mapping(document, ("figures",), data.get("figures"), faults)
    for name in set(ACCELERATOR_FIGURES) ^ set(figures):
        wrong = "is required" if name in ACCELERATOR_FIGURES else "is not a figure of an accelerator"
        close = "" if name in ACCELERATOR_FIGURES else nearest(name, ACCELERATOR_FIGURES)
        faults.append(document.fault(("figures", name), wrong, nearest=close, at_key=True))
    if data.get("id") != path.stem:
        faults.append(
            document.fault(("id",), "must be the file's name", found=repr(data.get("id")), expected=path.stem)
        )
    cells = {
        name: _cell(document, name, figures[name], data, faults) for name in ACCELERATOR_FIGURES if name in figures
    }
    return path.stem, str(data.get("title", path.stem)), cells


def _cell(document: Document, name: str, data: object, card: Mapping[str, Any], faults: list[Fault]) -> _Cell:
    at: tuple[Key, ...] = ("figures", name)
    given = _mapping(document, at, data, faults)
    value = _number(document, (*at, "value"), given.get("value"), unit_of(name), faults)
    if value <= 0:
        faults.append(document.fault((*at, "value"), "must be more than 0", found=repr(given.get("value"))))
    source = _named_source(document, (*at, "source"), given.get("source"), card.get("sources") or {}, faults)
    if given.get("basis") not in BASES:
        expected = ", ".join(BASES)
        faults.append(
            document.fault((*at, "basis"), "is not a basis", found=repr(given.get("basis")), expected=expected)
        )
    return _Cell(value, source, str(given.get("basis")), str(given.get("note", "")))


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
    rows = [cells for _, _, cells in whole]
    ids, titles = tuple(card[0] for card in whole), tuple(card[1] for card in whole)
    columns = {
        name: _column(name, unit_of(name), MEANINGS[name], [row[name] for row in rows]) for name in ACCELERATOR_FIGURES
    }
    return Table("accelerators", "Accelerators", ids, titles, columns, tuple(str(path) for path in files.values()))


def _column(name: str, unit: str, meaning: str, cells: Iterable[_Cell]) -> Column:
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


def rows_table(
    name: str, title: str, path: Path, key: str, columns: Sequence[str], faults: list[Fault], kind: str = ""
) -> Table:
    """Hosts or prices: a list of rows in one file; only rows of `kind` where one is asked for, after a row `none`."""
    document = _document(path, faults)
    if document is None:
        return Table(name, title, (), (), {}, (str(path),))
    data = _mapping(document, (), document.data, faults)
    rows = [(at, row) for at, row in enumerate(data.get(key) or []) if not kind or row.get("kind") == kind]
    nothing = [_Cell(0.0, Source("no price given"), "", "")] if kind else []
    cells = {
        column: nothing + [_row_cell(document, (key, at), row, column, data, faults) for at, row in rows]
        for column in columns
    }
    made = {column: _column(column, unit_of(column), MEANINGS.get(column, column), cells[column]) for column in columns}
    listed = [_NO_PRICE] * bool(kind) + [row for _, row in rows]
    ids = tuple(str(row.get("id")) for row in listed)
    titles = tuple(str(row.get("title") or row.get("id")) for row in listed)
    texts = {word: tuple(str(row.get(word, "")) for row in listed) for word in PRICE_WORDS} if kind else {}
    return Table(name, title, ids, titles, made, (str(path),), texts)


PRICE_WORDS = ("accelerator", "provider", "region", "term", "currency", "date", "confidence")
_NO_PRICE: Mapping[str, str] = {"id": "none", "title": "no price given"}


def _row_cell(
    document: Document,
    at: tuple[Key, ...],
    row: Mapping[str, Any],
    column: str,
    data: Mapping[str, Any],
    faults: list[Fault],
) -> _Cell:
    value = _number(document, (*at, column), row.get(column), unit_of(column), faults)
    source = _named_source(document, (*at, "source"), row.get("source"), data.get("sources") or {}, faults)
    dated = Source(source.title, source.address, str(row.get("date") or source.date))
    return _Cell(value, dated, str(row.get("basis") or row.get("confidence") or ""), str(row.get("note", "")))


def reference(path: Path, faults: list[Fault]) -> Table | None:
    """A table of scenarios/reference: columns with unit and meaning, rows with id, title and source."""
    document = _document(path, faults)
    if document is None:
        return None
    data = _mapping(document, (), document.data, faults)
    declared = _mapping(document, ("columns",), data.get("columns"), faults)
    rows = list(enumerate(data.get("rows") or []))
    columns = {
        name: _column(
            name,
            spec.get("unit", ""),
            spec.get("meaning", ""),
            [_reference_cell(document, at, row, name, spec, data, faults) for at, row in rows],
        )
        for name, spec in declared.items()
    }
    ids = tuple(row.get("id") for _, row in rows)
    titles = tuple(str(row.get("title", row.get("id"))) for _, row in rows)
    return Table(
        str(data.get("table", path.stem)), str(data.get("title", path.stem)), ids, titles, columns, (str(path),)
    )


def _reference_cell(
    document: Document,
    at: int,
    row: Mapping[str, Any],
    name: str,
    spec: Mapping[str, Any],
    data: Mapping[str, Any],
    faults: list[Fault],
) -> _Cell:
    value = _number(document, ("rows", at, name), row.get(name), spec.get("unit", ""), faults)
    source = _named_source(document, ("rows", at, "source"), row.get("source"), data.get("sources") or {}, faults)
    return _Cell(value, source, str(row.get("basis", "reference")), str(row.get("note", "")))


HOST_COLUMNS = HOST_FIGURES
