"""Which columns a table must have: those of the packaged table of its name, which figures read, and no others.

A user's own table, or one of an older version of it, replaces the packaged one as a whole.  A column that came later
says under `otherwise` what figures took before there was one, so that older tables keep their meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memreport.catalogue.records import Column, Table
from memreport.catalogue.tables.reading import reference
from memreport.catalogue.yaml import packaged as packaged_yaml
from memreport.errors import Fault, nearest

LACKING = "is lacking, and figures read it"


def last_reference(paths: Sequence[Path], faults: list[Fault]) -> Table:
    """The table of the last file, which wins, with the columns of the first; a fault for each that it lacks.

    A file that cannot be read, and a column that is not there, are stood in for, so that the search for faults goes on.
    """
    packaged = reference(paths[0], faults)
    for path in paths[1:-1]:
        reference(path, faults)
    if len(paths) == 1:
        return packaged
    before = len(faults)
    own = reference(paths[-1], faults)
    if len(faults) > before and not own.columns:
        return packaged
    faults += _unfit(own, packaged)
    columns = {name: _column(own, packaged, name) for name in packaged.columns}
    return replace(own, columns=columns, texts=own.texts or _texts(own, packaged))


def _texts(own: Table, packaged: Table) -> Mapping[str, tuple[str, ...]]:
    """What the packaged table says in words of the own rows."""
    known = [id_ if id_ in packaged.ids else None for id_ in own.ids]
    return {word: tuple("" if id_ is None else packaged.text(word, id_) for id_ in known) for word in packaged.texts}


def _unfit(own: Table, packaged: Table) -> Iterator[Fault]:
    """A fault for every column that is lacking, or in another unit."""
    document = packaged_yaml.read(Path(own.files[0]))
    left = [name for name in own.columns if name not in packaged.columns]
    for name, column in packaged.columns.items():
        wanted = f"{name}: {{unit: {column.unit or repr('')}, meaning: ...}} under columns"
        if name not in own.columns and column.otherwise:
            continue
        if name not in own.columns:
            wanted += f", and a number in every row ({column.meaning})"
            yield document.fault(("columns", name), LACKING, expected=wanted, nearest=nearest(name, left))
        elif own.columns[name].unit != column.unit:
            found = repr(own.columns[name].unit)
            yield document.fault(("columns", name), "has another unit than figures read", found=found, expected=wanted)


def _column(own: Table, packaged: Table, name: str) -> Column:
    """The own column, or where there is none what the packaged one says otherwise, or its numbers for the own rows."""
    if name in own.columns:
        return own.columns[name]
    column = packaged.columns[name]
    if column.otherwise:
        return _otherwise(own, column)
    rows = [packaged.ids.index(id_) if id_ in packaged.ids else 0 for id_ in own.ids]
    return replace(
        column,
        values=tuple(column.values[row] for row in rows),
        sources=tuple(column.sources[row] for row in rows),
        bases=tuple(column.bases[row] for row in rows),
        notes=tuple(column.notes[row] for row in rows),
    )


def _otherwise(own: Table, column: Column) -> Column:
    """The column that a table without it means, with the table's own sources; another column keeps its numbers."""
    model = own.columns.get(column.otherwise) or next(iter(own.columns.values()))
    same = model.name == column.otherwise
    values = model.values if same else (float(column.otherwise),) * len(own.ids)
    return replace(model, name=column.name, unit=column.unit, meaning=column.meaning, values=values)
