"""Conventions of cost that are no prices: efficiency of sites, carbon of grids, lives, residual values, adders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from memreport.catalogue.records import Key, Source, Table
from memreport.catalogue.tables.prices import CONFIDENCES, missing, unknown_word, wrong_days
from memreport.catalogue.tables.reading import Cell, ListRow, column_of, dated_source, merged_rows, number_of
from memreport.catalogue.tables.words import MEANINGS, unit_of
from memreport.errors import Fault, nearest
from memreport.frozen import frozen

WORDS = ("region", "date", "confidence")
"""What a table of conventions says of each row beside its number."""

REQUIRED = ("kind", "value", "date", "source")
FIELDS = ("id", "title", *REQUIRED, "region", "confidence", "note")


@frozen
class _Kind:
    """What a number means: its table, its column, its limits, and what is said where none is named."""

    id: str
    table: str
    title: str
    column: str
    lowest: float
    highest: float
    nothing: str = ""


KINDS = (
    _Kind("pue", "sites", "Efficiency of sites", "pue", 1, 4),
    _Kind("grid", "grids", "Carbon of grids", "grid_kg_per_kwh", 0, 3, "no grid named: carbon is not counted"),
    _Kind("life", "depreciation_lives", "Useful lives of servers", "depreciation_years", 0.5, 20),
    _Kind("residual", "residual_values", "Residual values", "residual_share", 0, 1, "no residual value"),
    _Kind("adders", "hardware_adders", "Adders to hardware", "adder_share", 0, 5, "nothing added"),
    _Kind("extras", "rent_extras", "Extras on top of rent", "rent_extras_share", 0, 5, "nothing added"),
)


def convention_tables(paths: Sequence[Path], faults: list[Fault]) -> dict[str, Table]:
    """A table of each kind; where nothing may be named, the first row says so."""
    every = merged_rows(paths, "conventions", faults)
    rows = {id_: row for id_, row in every.items() if not _is_old(row)}
    faults += _unfit(rows.values())
    return {kind.table: _table(kind, rows, paths, faults) for kind in KINDS}


def _is_old(row: ListRow) -> bool:
    """Whether a row is of the book's first form, which nothing read: a unit in place of a kind."""
    return "unit" in row.data and "kind" not in row.data


def _table(kind: _Kind, rows: Mapping[str, ListRow], paths: Sequence[Path], faults: list[Fault]) -> Table:
    ours = {id_: row for id_, row in rows.items() if row.data.get("kind") == kind.id}
    cells = [_cell(kind, row, faults) for row in ours.values()]
    ids: list[Key] = list(ours)
    titles = [str(row.data.get("title") or id_) for id_, row in ours.items()]
    texts = [{word: str(row.data.get(word) or "") for word in WORDS} for row in ours.values()]
    if kind.nothing:
        ids, titles, texts = ["none", *ids], [kind.nothing, *titles], [dict.fromkeys(WORDS, ""), *texts]
        cells = [Cell(0.0, Source(kind.nothing), "", ""), *cells]
    column = column_of(kind.column, unit_of(kind.column), MEANINGS[kind.column], cells)
    words = {word: tuple(text[word] for text in texts) for word in WORDS}
    return Table(kind.table, kind.title, tuple(ids), tuple(titles), {kind.column: column}, _files(paths), words)


def _files(paths: Iterable[Path]) -> tuple[str, ...]:
    return tuple(map(str, paths))


def _cell(kind: _Kind, row: ListRow, faults: list[Fault]) -> Cell:
    """The number of a row, within the limits of its kind."""
    before = len(faults)
    value = number_of(row.document, (*row.keys, "value"), row.data.get("value"), unit_of(kind.column), faults)
    if len(faults) == before and not kind.lowest <= value <= kind.highest:
        allowed = f"{kind.lowest:g} to {kind.highest:g}"
        faults.append(row.fault("value", "is out of bounds", found=repr(row.data["value"]), expected=allowed))
    source = dated_source(row, faults) if row.data.get("source") else Source("")
    return Cell(value, source, str(row.data.get("confidence") or ""), str(row.data.get("note") or ""))


def _unfit(rows: Iterable[ListRow]) -> Iterator[Fault]:
    """Everything wrong with rows but their numbers and sources."""
    for row in rows:
        yield from missing(row, ("kind", "date", "source"))
        yield from wrong_days(row)
        if row.data.get("kind"):
            yield from unknown_word(row, "kind", [kind.id for kind in KINDS])
        if "confidence" in row.data:
            yield from unknown_word(row, "confidence", CONFIDENCES)
        for name in set(row.data) - set(FIELDS):
            yield row.fault(name, "is not a field of a convention", nearest=nearest(name, FIELDS), at_key=True)
