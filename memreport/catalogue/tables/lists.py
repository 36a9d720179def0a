"""Hosts, links and list prices of APIs: rows of lists, of which a later file adds more or states one again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memreport.catalogue.fields.validation import shown
from memreport.catalogue.records import Table
from memreport.catalogue.tables.reading import (
    ROW,
    Cell,
    ListRow,
    check_known,
    column_of,
    dated_source,
    list_of,
    merged_rows,
    number_of,
    unknown_forms,
)
from memreport.catalogue.tables.words import ABSENT, LEAST, MEANINGS, unit_of
from memreport.errors import Fault, nearest

LISTED = {"hosts": ("form_factors",)}
API_COLUMNS = ("api_input_usd", "api_output_usd")
DATED = {"apis": ("date", "confidence", "provider", "model"), "hosts": ("larger",)}
"""Words of a row: where its numbers are from and what they are of; of a host, the one that more GPUs are in."""


def rows_table(
    name: str, title: str, paths: Sequence[Path], key: str, columns: Sequence[str], faults: list[Fault]
) -> Table:
    """Hosts or links: the rows of all files by id."""
    rows = merged_rows(paths, key, faults)
    for row in rows.values():
        check_known(
            row.document, row.keys, row.data, (*ROW, *columns, *LISTED.get(name, ()), *DATED.get(name, ())), faults
        )
    made = {
        column: column_of(
            column,
            unit_of(column),
            MEANINGS.get(column, column),
            [_row_cell(row, column, faults) for row in rows.values()],
        )
        for column in columns
    }
    if name == "hosts":
        faults += _no_larger_hosts(rows, dict(zip(rows, made["host_accelerators"].values, strict=True)))
    titles = tuple(str(row.data.get("title") or id_) for id_, row in rows.items())
    texts = {word: tuple(_words(row, word, faults) for row in rows.values()) for word in LISTED.get(name, ())}
    texts |= {word: tuple(str(row.data.get(word, "")) for row in rows.values()) for word in DATED.get(name, ())}
    return Table(name, title, tuple(rows), titles, made, tuple(map(str, paths)), texts)


def _no_larger_hosts(rows: Mapping[str, ListRow], held: Mapping[str, float]) -> Iterator[Fault]:
    """Faults of hosts whose `larger` names none or none of more GPUs, so that no row leads back to itself."""
    for id_, row in rows.items():
        larger = str(row.data.get("larger", ""))
        if larger and larger not in rows:
            yield row.fault("larger", "names no host", found=shown(larger), nearest=nearest(larger, rows))
        elif larger and held[larger] <= held[id_]:
            yield row.fault("larger", f"must be a host of more than {held[id_]:.0f} GPUs", found=shown(larger))


def _words(row: ListRow, name: str, faults: list[Fault]) -> str:
    """The form factors that a host holds, in one text; nothing where it does not say."""
    found = list_of(row.document, name, row.data.get(name), faults)
    faults += unknown_forms(row.document, (*row.keys, name), found)
    return " ".join(map(str, found))


def _row_cell(row: ListRow, column: str, faults: list[Fault]) -> Cell:
    given = row.data.get(column, ABSENT.get(column))
    value = number_of(row.document, (*row.keys, column), given, unit_of(column), faults)
    if given is not None and value < LEAST.get(column, value):
        faults.append(row.fault(column, f"must be at least {LEAST[column]}", found=shown(given)))
    return Cell(value, dated_source(row, faults), str(row.data.get("basis") or ""), str(row.data.get("note", "")))
