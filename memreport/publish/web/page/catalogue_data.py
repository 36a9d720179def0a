"""The data dictionary, the tables of choices and the model cards as plain data, as far as a page reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.names import attributes_of, supplied, title_of
from memreport.catalogue.quantities import unit_shown
from memreport.catalogue.records import Column, ModelCard, Table
from memreport.catalogue.scenario import dictionary
from memreport.publish.web.page.engine import PageEngine
from memreport.resolve import Resolved

PRICE_WORDS = ("accelerator", "date")
"""What a page says of a price beside its amount."""
EVIDENCE = "efficiency_evidence"
"""What is known of an accelerator's speed: measured on it, or of its class."""


def fields_data(workload: str) -> list[list[Any]]:
    """Each field: name, section, kind, unit, meaning, title, symbol, limits, whether the lowest is excluded, table."""
    return [_field(one) for one in dictionary(workload).values()]


def _field(one: Entry) -> list[Any]:
    unit = unit_shown(one.name, one.unit) if one.kind in ("number", "whole", "optional") else ""
    limits = [one.lowest, one.highest, one.above]
    names = list(one.gives.values()) if one.kind == "list" else one.table
    return [one.name, one.section, one.kind, unit, one.meaning, title_of(one.name), one.symbol, *limits, names]


def inputs_data(engine: PageEngine, resolved: Resolved) -> list[dict[str, str]]:
    """Title, symbol, unit, meaning and source of each input of an engine."""
    fields = dictionary(engine.workload)
    attributes = supplied(fields, resolved.catalogue)
    return [_about(name, fields.get(name), attributes.get(name)) for name in engine.inputs]


def _about(name: str, field: Entry | None, attribute: tuple[Entry, Column] | None) -> dict[str, str]:
    known = field or (attribute[1] if attribute else None)
    unit, meaning = (known.unit, known.meaning) if known else ("", "")
    symbol, source = (field.symbol, field.source) if field else ("", "")
    return {
        "title": title_of(name),
        "symbol": symbol,
        "unit": unit_shown(name, unit),
        "meaning": meaning,
        "source": source,
    }


def supplies(engine: PageEngine, resolved: Resolved) -> list[list[str]]:
    """Of each input of an engine, where it comes from: a field, a member of a list, or a column of a choice's table."""
    found = dict(_sources(dictionary(engine.workload).values(), resolved))
    return [found[name] for name in engine.inputs]


def _sources(fields: Iterable[Entry], resolved: Resolved) -> Iterator[tuple[str, list[str]]]:
    for one in fields:
        if one.kind == "list":
            yield from ((name, [one.name, member]) for name, member in one.gives.items())
        elif one.kind == "choice":
            columns = attributes_of(one, resolved.catalogue).items()
            yield from ((name, [one.name, one.table, column]) for name, column in columns)
        elif one.kind != "optional":
            yield one.name, [one.name]


def tables_data(engine: PageEngine, resolved: Resolved) -> dict[str, Any]:
    """Ids, titles and the columns that are read of every table from which something is chosen and read."""
    read: dict[str, set[str]] = {}
    for one in supplies(engine, resolved):
        if len(one) == 3:
            read.setdefault(one[1], set()).add(one[2])
    return {name: _table(resolved.catalogue.tables[name], columns) for name, columns in sorted(read.items())}


def _table(table: Table, read: set[str]) -> dict[str, Any]:
    words = {name: table.texts[name] for name in (*PRICE_WORDS, EVIDENCE) if name in table.texts}
    columns = {name: list(map(_plain, table.columns[name].values)) for name in table.columns if name in read}
    return {"title": table.title, "ids": table.ids, "titles": table.titles, "columns": columns, "words": words}


def cards_data(resolved: Resolved, own: Iterable[ModelCard]) -> dict[str, Any]:
    """Model cards by id with the fields in which each differs from the first; a scenario's own cards first."""
    cards = {card.id: card for card in own}
    catalogue = resolved.catalogue
    cards |= {name: card for name in catalogue.model_files if name not in cards and (card := catalogue.model(name))}
    first = next(iter(cards.values())).values
    rows = {name: [card.title, _different(card.values, first)] for name, card in cards.items()}
    return {"first": {name: _plain(value) for name, value in first.items()}, "rows": rows}


def _different(values: Mapping[str, Any], first: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in values.items() if value != first.get(name)}


def _plain(value: Any) -> Any:
    """Whole numbers without a point."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value
