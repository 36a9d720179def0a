"""JSON Schemas of hardware, prices and reference tables, from the names and words that their readers check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memreport.catalogue.fields.job import ACCELERATOR_FIGURES
from memreport.catalogue.records import Table
from memreport.catalogue.tables import conventions, efficiency, lists, prices
from memreport.catalogue.tables import reading as tables
from memreport.catalogue.tables.efficiency_words import EFFICIENCY
from memreport.catalogue.tables.words import ABSENT, LEAST, MEANINGS, ROW_COLUMNS, unit_of

QUANTITY = r"^[-+0-9.]+([eE][-+]?[0-9]+)? ?\S+$"
Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
WORD: Schema = {"type": ["string", "integer"]}
VERSION: Schema = {"const": tables.FILE_VERSION, "description": "version of this file format"}


def quantity(description: str = "", **limits: Any) -> Schema:
    """A number in the base unit, or text with a unit."""
    said = {"description": description} if description else {}
    return {"anyOf": [{"type": "number", **limits}, {"type": "string", "pattern": QUANTITY}], **said}


def block(properties: Mapping[str, Schema], required: Iterable[str] = (), **more: Any) -> Schema:
    """Fields; one that is not known is a fault."""
    return {
        "type": "object", "properties": dict(properties), "required": [*required], "additionalProperties": False, **more
    }  # fmt: skip


SOURCE = block(
    {"title": TEXT, "address": TEXT, "date": WORD},
    ("title",),
    additionalProperties=TEXT,
    description="title, address and date of what was read",
)
SOURCES: Schema = {"type": "object", "additionalProperties": SOURCE, "description": "sources that rows name"}
NAMED = {"anyOf": [TEXT, SOURCE], "description": "the name of a source of this file, or a source"}
WORDS: Mapping[str, Schema] = {
    "id": {**WORD, "description": "what scenarios name"},
    "source": NAMED,
    "basis": {"enum": [*tables.BASES], "description": "how the number is known"},
    "confidence": {"enum": [*prices.CONFIDENCES]},
    "date": {**WORD, "description": "a day, month or year, such as 2026-11-20"},
    "form_factor": {"enum": [*tables.FORM_FACTORS]},
    "form_factors": {"type": "array", "items": {"enum": [*tables.FORM_FACTORS]}},
    "term": {"enum": [*prices.TERMS]},
    "tier": {"enum": [*prices.TIERS]},
    "power_included": {"type": "boolean"},
    "instance_accelerators": {"type": "integer", "minimum": 1, "maximum": prices.MOST_IN_AN_INSTANCE},
    "instance_memory_bytes": quantity(),
    "measurements": {"type": "integer"},
    "median_error": quantity(),
}
"""What fields are that are no figures; all others are text."""


def _words(names: Iterable[str]) -> dict[str, Schema]:
    return {name: WORDS.get(name, TEXT) for name in names}


def _numbers(columns: Iterable[str]) -> dict[str, Schema]:
    return {name: quantity(_said(MEANINGS.get(name, name), unit_of(name)), **_least(name)) for name in columns}


def _least(name: str) -> Schema:
    return {"minimum": LEAST[name]} if name in LEAST else {}


def _said(meaning: str, unit: str) -> str:
    return f"{meaning} [{unit}]" if unit else meaning


def _lists(key: str, **rows: Schema) -> Schema:
    """A file of lists of rows, of which the first carries its name."""
    names = (key, *tables.LISTS[key])
    lists = {name: {"type": "array", "items": rows.get(name, {"type": "object"})} for name in names}
    return block({"schema": VERSION, **lists, "sources": SOURCES}, ("schema",))


def _accelerator() -> Schema:
    columns = {name: (unit_of(name), MEANINGS[name]) for name in ACCELERATOR_FIGURES} | dict(EFFICIENCY)
    figures = {
        name: block({**_words(tables.CELL), "value": quantity(exclusiveMinimum=0)}, ("value", "source", "basis"),
                    description=_said(meaning, unit))
        for name, (unit, meaning) in columns.items()
    }  # fmt: skip
    known = _words((*tables.CARD, *tables.KIND_OF_DEVICE))
    known |= {"schema": VERSION, "sources": SOURCES, "figures": block(figures, ACCELERATOR_FIGURES)}
    return block(known, ("schema", *tables.CARD))


def _rows(key: str) -> Schema:
    columns = ROW_COLUMNS[key]
    known = _words((*tables.ROW, *lists.LISTED.get(key, ()), *lists.DATED.get(key, ()))) | _numbers(columns)
    return _lists(key, **{key: block(known, ("id", "source", *(name for name in columns if name not in ABSENT)))})


def _efficiency() -> Schema:
    columns = {name: quantity(_said(meaning, unit), minimum=0) for name, (unit, meaning) in EFFICIENCY.items()}
    return _lists("efficiency", efficiency=block({**_words(efficiency.WORDS), **columns}, ("id", "source")))


def _prices() -> Schema:
    amounts = {name: quantity(exclusiveMinimum=0) for kind in prices.KINDS for name in (kind.column, kind.amount)}
    kinds: dict[str, Schema] = {
        "kind": {"enum": [kind.id for kind in prices.KINDS]},
        "host": {"enum": [*prices.HOSTS]},  # of an accelerator that is the name of one
    }
    price = block({**_words(prices.FIELDS), **kinds, **amounts}, ("id", "kind", *prices.REQUIRED))
    known = _words(conventions.FIELDS) | {"kind": {"enum": [kind.id for kind in conventions.KINDS]}}
    convention = block({**known, "value": quantity()}, ("id", *conventions.REQUIRED))
    currency = block(
        {**_words((*tables.ROW, "date")), "usd": quantity(exclusiveMinimum=0)}, ("id", "usd", "date", "source")
    )
    said = _words(("id", "tier", "rents_singly", "source", "date"))
    provider = {"type": "object", "properties": said, "required": ["id", "tier"]}
    api = block(_words((*tables.ROW, *lists.DATED["apis"])) | _numbers(lists.API_COLUMNS), ("id", "source"))
    return _lists("prices", prices=price, conventions=convention, currencies=currency, providers=provider, apis=api)


def _reference(known: Mapping[str, Table]) -> Schema:
    """Columns are those of the packaged table of the same name."""
    column = block({"unit": TEXT, "meaning": TEXT, "otherwise": WORD}, ("unit", "meaning"))
    columns = {"type": "object", "additionalProperties": column}
    rows = {"type": "array", "items": {"type": "object", "required": ["id", "source"]}}
    each = [
        {"if": {"properties": {"table": {"const": name}}}, "then": {"properties": {"rows": {"items": _row_of(table)}}}}
        for name, table in known.items()
    ]
    fields = {"schema": VERSION, "table": {"enum": [*known]}, "title": TEXT, "columns": columns, "rows": rows}
    words = {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": TEXT}}
    return block({**fields, "sources": SOURCES, tables.COMMANDS: words}, fields, allOf=each)


def _row_of(table: Table) -> Schema:
    columns = {name: quantity(_said(column.meaning, column.unit)) for name, column in table.columns.items()}
    command = (tables.COMMAND,) if table.texts else ()
    return block({**_words((*tables.ROW, *command)), **columns})


def table_schema(kind: str, reference: Mapping[str, Table]) -> Schema:
    """The JSON Schema of one kind of table; `reference` are the tables of choices by name."""
    if kind in ROW_COLUMNS:
        return _rows(kind)
    made = {"accelerator": _accelerator, "prices": _prices, "efficiency": _efficiency}
    return made[kind]() if kind in made else _reference(reference)
