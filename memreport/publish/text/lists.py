"""The lists of what can be named in a scenario."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.quantities import display, plain
from memreport.catalogue.records import Table
from memreport.catalogue.scenario import WORKLOADS, dictionary
from memreport.errors import Fault, InputError, nearest
from memreport.figures.registry import figures_by_name
from memreport.publish.text.table import table
from memreport.report.money.prices import NO_PRICE


def listing(what: str, style: str, tables: Mapping[str, Table], models: Mapping[str, str]) -> str:
    """Names that a scenario may use: tables, models, fields, figures; without `what`, the lists there are."""
    lists = _lists(tables, models)
    if not what:
        return _rows([(name, title) for name, (title, _) in lists.items()], style)
    if what not in lists:
        close = nearest(what, lists)
        raise InputError([Fault("no such list", found=repr(what), expected=", ".join(lists), nearest=close)])
    return _rows(lists[what][1], style)


PRICE_TITLES = ("id", "price", "currency", "unit", "region", "date", "what")


Row = tuple[str, ...]
"""A name and what is said of it, or a price under the titles above."""


def _lists(tables: Mapping[str, Table], models: Mapping[str, str]) -> dict[str, tuple[str, list[Row]]]:
    found: dict[str, tuple[str, list[Row]]] = {
        name: (table.title, list(_price_rows(table) if name.endswith("_prices") else _named_rows(table)))
        for name, table in tables.items()
    }
    cards: list[Row] = [(name, ", ".join(_other_names(name, models))) for name in sorted(set(models.values()))]
    found["models"] = ("Model cards", cards)
    for workload in WORKLOADS:
        found[f"{workload}-fields"] = (f"Inputs of {workload}", list(_field_rows(workload)))
        found[f"{workload}-figures"] = (f"Figures of {workload}", list(_figure_rows(workload)))
    return dict(sorted(found.items()))


def _field_rows(workload: str) -> Iterator[Row]:
    for entry in dictionary(workload).values():
        yield f"{entry.section}.{entry.name}", f"{_described(entry.meaning, entry.unit)}; {_default(entry)}"


def _figure_rows(workload: str) -> Iterator[Row]:
    for name, figure in figures_by_name(workload).items():
        yield name, _described(figure.meaning, str(figure.unit))


def _other_names(card: str, models: Mapping[str, str]) -> Iterator[str]:
    """Repositories and tags of Ollama that a card answers to."""
    return (name for name, id_ in models.items() if id_ == card != name)


def _named_rows(table: Table) -> Iterator[Row]:
    for key, title in zip(table.ids, table.titles, strict=True):
        yield str(key), title


def _price_rows(table: Table) -> Iterator[Row]:
    """Prices as they are counted with, in base units; `what` names the offer, and the amount in its own currency."""
    column = next(iter(table.columns.values()))
    unit = f"USD{display(1.0, column.unit).removeprefix('$1.00')}"
    for index, key in enumerate(table.ids):
        words = {name: texts[index] for name, texts in table.texts.items()}
        offer = [words[name] for name in ("provider", "term", "accelerator")] if table.titles[index] == key else []
        stated = f"{words['amount']} at {words['rate']}" if words["amount"] else ""
        what = ", ".join(part for part in (*(offer or [table.titles[index]]), stated) if part)
        price = plain(column.values[index]) if column.values[index] else NO_PRICE
        yield str(key), price, words["currency"], unit, words["region"], words["date"], what


def _described(meaning: str, unit: str) -> str:
    return f"{meaning} [{unit}]" if unit not in ("", "1") else meaning


def _default(entry: Entry) -> str:
    if entry.required:
        return "required"
    if entry.kind == "optional":
        return "computed or looked up unless given"
    words = ", ".join(entry.default) if isinstance(entry.default, tuple) else json.dumps(entry.default).strip('"')
    return f"default {words}"


def _rows(rows: Sequence[Row], style: str) -> str:
    """Columns side by side, prices under their titles; as JSON by name."""
    priced = len(rows[0]) == len(PRICE_TITLES)
    if style == "json":
        said = {row[0]: dict(zip(PRICE_TITLES[1:], row[1:], strict=True)) if priced else row[1] for row in rows}
        return json.dumps(said, indent=1, ensure_ascii=False) + "\n"
    shown = [PRICE_TITLES, *rows] if priced else rows
    return table(shown, lefts=range(len(rows[0]))) + "\n"
