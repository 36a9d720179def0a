"""Cases as columns of numbers: settings, the rows that choices pick, what these rows supply, and overrides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

import numpy as np

from memreport.catalogue.dictionary import Entry
from memreport.catalogue.records import Key, Numbers
from memreport.catalogue.validation import unknown_name
from memreport.resolve.drafts import Resolver
from memreport.resolve.records import Case


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


def numbers_of(fields: Mapping[str, Entry], cases: Iterable[Case]) -> dict[str, Numbers]:
    """Fields that are numbers, switches or lists, one value a case."""
    listed = list(cases)
    names = [name for name, entry in fields.items() if entry.kind in ("number", "whole", "switch")]
    found = {name: np.asarray([float(case.settings[name]) for case in listed], dtype=np.float64) for name in names}
    for name, entry in fields.items():
        if entry.kind == "list":
            found |= _switches(name, entry, listed)
    return found


def _switches(name: str, entry: Entry, cases: Iterable[Case]) -> dict[str, Numbers]:
    """`target_modules` becomes one switch a module: lora_q_proj, lora_k_proj ..."""
    modules = entry.gives or {}
    return {
        target: np.asarray([float(module in case.settings[name]) for case in cases], dtype=np.float64)
        for target, module in modules.items()
    }


def overrides_of(cases: Iterable[Case]) -> dict[str, Numbers]:
    """What is given in place of a figure or an attribute; NaN where a case gives nothing."""
    listed = list(cases)
    names = dict.fromkeys(name for case in listed for name in case.overrides)
    return {name: np.asarray([case.overrides.get(name, np.nan) for case in listed], dtype=np.float64) for name in names}
