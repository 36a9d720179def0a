"""Cases as columns of numbers: settings, the rows that choices pick, what these rows supply, and overrides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.fields.validation import unknown_name
from memreport.catalogue.load import Catalogue
from memreport.catalogue.names import attributes_of
from memreport.catalogue.records import Key, Numbers
from memreport.resolve.drafts import Resolver
from memreport.resolve.records import Case

NUMERIC = ("number", "whole", "switch")


def codes_of(resolver: Resolver, cases: Iterable[Case]) -> dict[str, Numbers]:
    """The row that each choice picks, from 1; an unknown name is a fault of the resolver."""
    codes: dict[str, list[float]] = {name: [] for name, entry in resolver.fields.items() if entry.kind == "choice"}
    for case in cases:
        for name, found in codes.items():
            found.append(_code(resolver, name, case))
    return {name: np.asarray(found, dtype=np.float64) for name, found in codes.items()}


def _code(resolver: Resolver, name: str, case: Case) -> float:
    entry, key = resolver.fields[name], case.settings[name]
    table = resolver.catalogue.tables[entry.table]
    if key in table.ids:
        return float(table.row(cast(Key, key)) + 1)
    at = resolver.where_given(name, case)
    kind = table.name.replace("_", " ").removesuffix("s")
    resolver.faults.append(unknown_name(resolver.loaded.document, at, key, table.ids, kind))
    return 1.0


def columns_of(
    fields: Iterable[Entry], settings: Sequence[Mapping[str, Any]], catalogue: Catalogue
) -> dict[str, Numbers]:
    """What fields say, one value a setting: numbers, lists a switch a member, choices what their rows supply.

    The names of choices are known.  A number that a setting lacks is NaN.
    """
    listed = list(fields)
    found = {one.name: column_of(one.name, settings) for one in listed if one.kind in NUMERIC}
    for one in listed:
        if one.kind == "list":
            found |= _switches(one, settings)
    for one in listed:
        if one.kind == "choice":
            found |= _supplied(one, settings, catalogue)
    return found


def column_of(name: str, settings: Iterable[Mapping[str, Any]]) -> Numbers:
    """One number a setting; NaN where it is not given."""
    given = (one.get(name) for one in settings)
    return np.asarray([np.nan if value is None else float(value) for value in given], dtype=np.float64)


def _switches(entry: Entry, settings: Iterable[Mapping[str, Any]]) -> dict[str, Numbers]:
    """`target_modules` becomes one switch a module: lora_q_proj, lora_k_proj ..."""
    lists = [one[entry.name] for one in settings]
    return {
        target: np.asarray([float(member in one) for one in lists], dtype=np.float64)
        for target, member in entry.gives.items()
    }


def _supplied(entry: Entry, settings: Iterable[Mapping[str, Any]], catalogue: Catalogue) -> dict[str, Numbers]:
    """The attributes of the rows that a choice picks."""
    table = catalogue.tables[entry.table]
    rows = np.asarray([table.row(cast(Key, one[entry.name])) for one in settings])
    return {name: table.numbers(column)[rows] for name, column in attributes_of(entry, catalogue).items()}


def overrides_of(cases: Iterable[Case]) -> dict[str, Numbers]:
    """What is given in place of a figure or an attribute; NaN where a case gives nothing."""
    listed = list(cases)
    names = dict.fromkeys(name for case in listed for name in case.overrides)
    return {name: np.asarray([case.overrides.get(name, np.nan) for case in listed], dtype=np.float64) for name in names}
