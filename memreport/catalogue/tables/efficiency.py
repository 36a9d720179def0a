"""What a GPU reaches of its peaks, joined to the accelerators: its own row, else its architecture's, else any's.

`efficiency.yaml` holds rows by GPU and by architecture; a GPU's own file may state any column of it.  All-reduces over
PCIe are no matter of the architecture: the row that `over_pcie` names comes before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path

from memreport.catalogue.records import Key, Source, Table
from memreport.catalogue.tables.efficiency_words import EFFICIENCY
from memreport.catalogue.tables.reading import (
    Cell,
    ListRow,
    check_known,
    column_of,
    dated_source,
    merged_rows,
    number_of,
)
from memreport.errors import Fault
from memreport.figures.constants import UNMEASURED_WIDER
from memreport.frozen import frozen

ANY = "any"
"""The row of what nothing is known of: it states every column."""
MEASURED_BY, MEASURED = "product_share_16bit", "measured"
"""A GPU of which this is known for itself counts as measured."""
MEASURED_CLASS = ("observed", "reference")
"""Bases of an architecture's row whose numbers somebody measured on one of its GPUs."""
CLASS_VALUE = "fallback"
"""Basis of what is known of an architecture alone."""
WIDER = float(UNMEASURED_WIDER)
"""How many times as wide an error is where the architecture alone was measured; as much again where nothing was."""
ERRORS = frozenset(name for name in EFFICIENCY if "_error" in name)
OVER_PCIE = "over_pcie"
"""The word of a row that names the row of all-reduces over PCIe."""
WORDS = ("id", "title", "source", "basis", "note", "date", "measurements", "median_error", OVER_PCIE)
REDUCES: Mapping[str, int] = {
    f"all_reduce_{what}_{width}": width for what in ("latency_seconds", "link_share") for width in (2, 4, 8)
}
"""Columns of all-reduces, with the width of their group."""
Stated = Mapping[str, Mapping[str, Cell]]
"""What the files of GPUs state themselves, by GPU and column."""


@frozen
class _Known:
    """What is known of one accelerator: by its name, its architecture, and its own file."""

    id: str
    architecture: str
    stated: Mapping[str, Cell]
    rows: Mapping[str, ListRow]
    joined_by_pcie: bool
    read: Callable[[str, str, bool], Cell]
    """The cell of a row, by its id and the column, and whether the row is this accelerator's own."""

    def cells(self, faults: list[Fault]) -> dict[str, Cell]:
        """Every column, from the nearest that states it; errors are those of GPUs that were measured, or wider."""
        found = {name: self._cell(name, faults) for name in EFFICIENCY}
        return {**found, **{name: self._error(found[name]) for name in ERRORS - self.stated.keys()}}

    def _error(self, found: Cell) -> Cell:
        """An error of measured GPUs as it holds for this one."""
        words, steps = self.evidence()
        note = f"{WIDER**steps:.3g} times that of measured GPUs: {words}" if steps else "of all GPUs that were measured"
        return replace(found, value=found.value * WIDER**steps, basis="derived", note=note)

    def evidence(self) -> tuple[str, int]:
        """What its rates rest on, and how many steps that is away from measurements on it."""
        stated = self.stated.get(MEASURED_BY)
        near = next((self.rows[id_] for id_ in self._rows if MEASURED_BY in self.rows[id_].data), None)
        if near is None or (stated and stated.basis != CLASS_VALUE) or near is self.rows.get(self.id):
            return MEASURED, 0
        title = near.data.get("title", near.data["id"])
        if near.data.get("basis") in MEASURED_CLASS:
            return f"class value: {title}", 1
        return f"class value, not measured: {title}", 2

    @cached_property
    def _rows(self) -> tuple[str, ...]:
        return tuple(id_ for id_ in (self.id, self.architecture, ANY) if id_ in self.rows)

    def _over_pcie(self, width: int) -> bool:
        """Whether a group of so many takes PCIe: nothing else joins them, or a bridge joins fewer."""
        bridged = self._cell("bridged_accelerators", []).value
        return self.joined_by_pcie or 0 < bridged < width

    def _rows_of(self, name: str) -> tuple[str, ...]:
        """The rows that may state a column, the nearest first."""
        if name not in REDUCES or not self._over_pcie(REDUCES[name]):
            return self._rows
        nearest = (self.rows[id_].data for id_ in self._rows)
        named = next((str(data[OVER_PCIE]) for data in nearest if OVER_PCIE in data), "")
        return tuple(id_ for id_ in (self.id, named, self.architecture, ANY) if id_ in self.rows)

    def _cell(self, name: str, faults: list[Fault]) -> Cell:
        if name in self.stated:
            return self.stated[name]
        for id_ in self._rows_of(name):
            if name in self.rows[id_].data:
                return self.read(id_, name, id_ == self.id)
        faults.append(Fault(f"efficiency.yaml states no {name} for {self.id}, {self.architecture} or {ANY}"))
        return Cell(1.0, Source(""), CLASS_VALUE, "")


def _read(row: ListRow, name: str, *, own: bool, faults: list[Fault]) -> Cell:
    value = number_of(row.document, (*row.keys, name), row.data[name], EFFICIENCY[name][0], faults)
    if value < 0:
        faults.append(row.fault(name, "may not be negative", found=repr(row.data[name])))
    basis, note = str(row.data.get("basis", "observed")), str(row.data.get("note", ""))
    if not own:
        basis, note = CLASS_VALUE, f"class value: {row.data.get('title', row.data['id'])}"
    return Cell(value, dated_source(row, faults), basis, note)


def _by_pcie(table: Table, id_: Key) -> bool:
    """The link is the one to the host."""
    link, host_link = (
        table.columns[name].values[table.row(id_)] for name in ("link_bytes_per_second", "host_link_bytes_per_second")
    )
    return link == host_link


def with_efficiency(table: Table, stated: Stated, paths: Sequence[Path], faults: list[Fault]) -> Table:
    """The GPUs with every column of efficiency, and whether it was measured on them or is their class's."""
    rows = merged_rows(paths, "efficiency", faults)
    for row in rows.values():
        check_known(row.document, row.keys, row.data, (*WORDS, *EFFICIENCY), faults)
        if row.data.get(OVER_PCIE, ANY) not in rows:
            faults.append(row.fault(OVER_PCIE, "must be the id of a row", found=repr(row.data[OVER_PCIE])))
    read = cache(lambda id_, name, own: _read(rows[id_], name, own=own, faults=faults))  # a row is of many GPUs
    known = [
        _Known(str(id_), table.text("architecture", id_), stated.get(str(id_), {}), rows, _by_pcie(table, id_), read)
        for id_ in table.ids
    ]
    listed = [row.cells(faults) for row in known]
    columns = {
        name: column_of(name, unit, meaning, [cells[name] for cells in listed])
        for name, (unit, meaning) in EFFICIENCY.items()
    }
    texts = {**table.texts, "efficiency_evidence": tuple(row.evidence()[0] for row in known)}
    files = (*table.files, *map(str, paths))
    return replace(table, columns={**table.columns, **columns}, texts=texts, files=files)
