"""Cases as columns of numbers: settings, the rows that choices pick, what these rows supply, and overrides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.fields.validation import unknown_name
from memreport.catalogue.load import Catalogue
from memreport.catalogue.names import attributes_of
from memreport.catalogue.records import Numbers
from memreport.catalogue.words.meaning import WordRead
from memreport.resolve.drafts import Resolver
from memreport.resolve.overlay import Settings
from memreport.resolve.records import Case

UNDER_TRAINERS = "deepspeed"
"""What shares the states of a program's training in place of its own library."""
NUMERIC = ("number", "whole", "switch")


def unknown_choices(fields: Iterable[Entry], settings: Settings, catalogue: Catalogue) -> NDArray[np.bool_]:
    """The cases in which a choice is a name that its table does not hold."""
    unknown = np.zeros(settings.size, dtype=np.bool_)
    for field in fields:
        if field.kind == "choice":
            known = catalogue.tables[field.table].positions
            unknown |= settings.column(field.name, lambda name, known=known: float(name not in known)) > 0  # type: ignore[misc]
    return unknown


def check_choices(resolver: Resolver, cases: Iterable[Case]) -> None:
    """Every such name is a fault of the resolver."""
    for case in cases:
        for field in resolver.fields.values():
            if field.kind == "choice":
                _check_choice(resolver, field, case)


def _check_choice(resolver: Resolver, entry: Entry, case: Case) -> None:
    table, key = resolver.catalogue.tables[entry.table], case.settings[entry.name]
    if key not in table.ids:
        place = resolver.where_given(entry.name, case)
        kind = table.name.replace("_", " ").removesuffix("s")
        of_gpu = [name for name in table.ids if table.text("accelerator", name) == case.settings["accelerator"]]
        titles = table.titles_by_id
        document, known = resolver.loaded.document, of_gpu or table.ids
        resolver.faults.append(unknown_name(document, place, key, known, kind, titles=titles))


def codes_of(fields: Iterable[Entry], settings: Settings, catalogue: Catalogue) -> dict[str, Numbers]:
    """The row that each choice picks, from 1; the names are known."""
    return {field.name: _rows(field, settings, catalogue) + 1 for field in fields if field.kind == "choice"}


def _rows(entry: Entry, settings: Settings, catalogue: Catalogue) -> Numbers:
    return settings.column(entry.name, catalogue.tables[entry.table].row)


def columns_of(
    fields: Iterable[Entry], settings: Settings | Sequence[Mapping[str, Any]], catalogue: Catalogue
) -> dict[str, Numbers]:
    """What fields say, one value a setting: numbers, lists a switch a member, choices what their rows supply.

    The names of choices are known.  A number that a setting lacks is NaN.
    """
    listed, read = list(fields), settings if isinstance(settings, Settings) else Settings(settings)
    found = {field.name: read.column(field.name, _number) for field in listed if field.kind in NUMERIC}
    for entry in listed:
        if entry.kind == "list":
            found |= _switches(entry, read)
    for entry in listed:
        if entry.kind == "choice":
            found |= _supplied(entry, read, catalogue)
    return found


def column_of(name: str, settings: Iterable[Mapping[str, Any]]) -> Numbers:
    """One number a setting; NaN where it is not given."""
    return Settings(settings).column(name, _number)


def _number(value: Any) -> float:
    return np.nan if value is None else float(value)


def _switches(entry: Entry, settings: Settings) -> dict[str, Numbers]:
    """`target_modules` becomes one switch a module: lora_q_proj, lora_k_proj ..."""
    return {
        target: settings.column(entry.name, lambda chosen, member=member: float(member in chosen))  # type: ignore[misc]
        for target, member in entry.gives.items()
    }


def _supplied(entry: Entry, settings: Settings, catalogue: Catalogue) -> dict[str, Numbers]:
    """The attributes of the rows that a choice picks."""
    table = catalogue.tables[entry.table]
    rows = _rows(entry, settings, catalogue).astype(np.intp)
    return {name: table.numbers(column)[rows] for name, column in attributes_of(entry, catalogue).items()}


def overrides_of(cases: Iterable[Case]) -> dict[str, Numbers]:
    """What is given in place of a figure or an attribute; NaN where a case gives nothing."""
    listed = list(cases)
    names = dict.fromkeys(name for case in listed for name in case.overrides)
    return {name: np.asarray([case.overrides.get(name, np.nan) for case in listed], dtype=np.float64) for name in names}


def leave_out_lacking(
    inputs: Mapping[str, Numbers], rows: slice, cases: Sequence[Case], words: Iterable[WordRead]
) -> None:
    """Columns of a framework are 0 where the program by whose word it is named cannot do what the library can."""
    for word in words:
        for place, case in enumerate(cases, rows.start) if word.meaning.lacks else ():
            of_case = word.place[:1] != ("variants",) or case.name in word.place
            if of_case and case.settings.get("framework") in {word.meaning.settings.get("framework"), UNDER_TRAINERS}:
                for name in word.meaning.lacks:
                    inputs[name][place] = 0.0
