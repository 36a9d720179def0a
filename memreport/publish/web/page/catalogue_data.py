"""The data dictionary, the tables of choices and the model cards as plain data, as far as a page reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.names import attributes_of, supplied, title_of
from memreport.catalogue.quantities import unit_shown
from memreport.catalogue.records import Column, ModelCard, Table
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.yaml.scalars import as_whole
from memreport.publish.web.page.engine import PageEngine
from memreport.resolve import Resolved
from memreport.resolve.following import OF_GPU

PRICE_WORDS = ("accelerator", "date")
"""What a page says of a price beside its amount."""
API_MODEL = "model"
"""Which model an API offers."""
PUBLISHED = dictionary("serving")["weight_dtype"]
OTHERS, TOWERS = "extra_parameters", "tower_parameters"
EVIDENCE = "efficiency_evidence"
"""What is known of a GPU's speed: measured on it, or of its class."""


def fields_data(workload: str) -> list[list[Any]]:
    """Each field: name, section, kind, unit, meaning, title, symbol, source, limits, is the lowest excluded, table."""
    return list(map(_field, dictionary(workload).values()))


def _field(entry: Entry) -> list[Any]:
    unit = unit_shown(entry.name, entry.unit) if entry.kind in ("number", "whole", "optional") else ""
    limits = [as_whole(entry.lowest), as_whole(entry.highest), entry.above]
    names = list(entry.gives.values()) if entry.kind == "list" else entry.table
    said = [entry.meaning, title_of(entry.name), entry.symbol, entry.source]
    return [entry.name, entry.section, entry.kind, unit, *said, *limits, names]


def inputs_data(engine: PageEngine, resolved: Resolved) -> list[list[str]]:
    """Title, unit and meaning of each input of an engine; nothing of one that is a field, which says so itself."""
    fields = dictionary(engine.workload)
    attributes = supplied(fields, resolved.catalogue)
    return [["", "", ""] if name in fields else _about(name, attributes.get(name)) for name in engine.inputs]


def _about(name: str, attribute: tuple[Entry, Column] | None) -> list[str]:
    unit, meaning = (attribute[1].unit, attribute[1].meaning) if attribute else ("", "")
    return [title_of(name), unit_shown(name, unit), meaning]


def supplies(engine: PageEngine, resolved: Resolved) -> list[tuple[str, str]]:
    """Of each input the field that it comes from, and of it a member of a list or a column of a choice.

    A column of the input's own name is left empty.
    """
    found = _sources(dictionary(engine.workload).values(), resolved)
    return [found[name] for name in engine.inputs]


def _sources(fields: Iterable[Entry], resolved: Resolved) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = dict.fromkeys(OF_GPU, ("accelerator", ""))
    for field in fields:
        if field.kind == "list":
            found |= {name: (field.name, member) for name, member in field.gives.items()}
        elif field.kind == "choice":
            columns = attributes_of(field, resolved.catalogue).items()
            found |= {name: (field.name, "" if column == name else column) for name, column in columns}
        elif field.kind != "optional":
            found[field.name] = (field.name, "")
    return found


def tables_data(engine: PageEngine, resolved: Resolved) -> dict[str, Any]:
    """Ids, titles and the columns that are read of every table from which something is chosen and read."""
    read: dict[str, set[str]] = {}
    fields = dictionary(engine.workload)
    for name, (field, column) in zip(engine.inputs, supplies(engine, resolved), strict=True):
        if fields[field].kind == "choice":
            read.setdefault(fields[field].table, set()).add(column or name)
    tables = {name: _table(resolved.catalogue.tables[name], columns) for name, columns in sorted(read.items())}
    gpus = tables["accelerators"]
    for name, says in OF_GPU.items():
        gpus["columns"][name] = [int(says(resolved.catalogue, gpu)) for gpu in gpus["ids"]]
    return tables


def _table(table: Table, read: set[str]) -> dict[str, Any]:
    words = {name: table.texts[name] for name in (*PRICE_WORDS, EVIDENCE, API_MODEL) if name in table.texts}
    columns = {name: list(map(as_whole, table.columns[name].values)) for name in table.columns if name in read}
    made = {"title": table.title, "ids": table.ids, "titles": table.titles, "columns": columns, "words": words}
    return made | {"sources": _sources_of(table, columns)}


def _sources_of(table: Table, columns: Iterable[str]) -> dict[str, Any]:
    """Titles, and of each column their places row by row; a column's name where that has the same."""
    titles: dict[str, int] = {}
    first: dict[tuple[int, ...], str] = {}
    of: dict[str, Any] = {}
    for name in columns:
        places = tuple(titles.setdefault(source.title, len(titles)) for source in table.columns[name].sources)
        same = first.setdefault(places, name)
        of[name] = places if same == name else same
    return {"titles": list(titles), "of": of}


def _apart(values: Mapping[str, Any], fields: Iterable[str]) -> Iterator[Any]:
    """A value for each field; other parameters without those of towers, which stand beside them."""
    for field in fields:
        yield values[field] - values[TOWERS] if field == OTHERS else values[field]


def card_title(card: ModelCard) -> str:
    """The title; nothing where it says no more than the id, which stands beside it."""
    return "" if re.sub("[^a-z0-9.]+", "-", card.title.lower()) == card.id else card.title


def cards_data(own: Iterable[ModelCard], others: Iterable[ModelCard]) -> dict[str, Any]:
    """Model cards by id: a title beside the id, then a value for each field; a scenario's own cards first.

    Served weights are as they are published, where a scenario does not state them.
    """
    cards = {card.id: card for card in own}
    cards |= {card.id: card for card in others if card.id not in cards}
    fields = list(next(iter(cards.values())).values)
    rows = {name: [card_title(card), *map(as_whole, _apart(card.values, fields))] for name, card in cards.items()}
    rows = {name: [*row, cards[name].weight_dtype or PUBLISHED.default] for name, row in rows.items()}
    return {"fields": [*fields, PUBLISHED.name], "rows": rows}
