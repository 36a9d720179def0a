"""Entries that point at a scenario instead of restating its inputs: its variants are set-ups that they start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memreport.catalogue.fields.validation import unknown_name
from memreport.errors import Fault, InputError
from memreport.ledger.entries import EntryText, Key, LedgerFile, Setup, StartingPoints
from memreport.resolve import Resolved, resolve_all

Place = tuple[Key, ...]


def variants_of(resolved: Resolved) -> dict[str, dict[str, Any]]:
    """What each variant of a scenario is computed with, by its name."""
    return {case.name: {**_known(case.settings), **case.overrides} for case in resolved.variants}


def _known(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}


def with_scenarios(file: LedgerFile, faults: list[Fault]) -> LedgerFile:
    """The file with the variants that it points at as set-ups; entries with a fault are left out, and these added."""
    pointed = [(place, pointer) for place, pointer in _places(file) if pointer.scenario or pointer.variant]
    if not pointed:
        return file
    found = _Scenarios(file, faults)
    given = {place: name for place, pointer in pointed if (name := found.given(place, pointer))}
    lost = {place for place, _ in pointed} - set(given)
    setups = {
        name: setup.model_copy(update={"given": given.get(("setups", name), setup.given)})
        for name, setup in file.setups.items()
    }
    entries = tuple(
        (place, text.model_copy(update={"given": given.get(place, text.given)}))
        for place, text in file.entries
        if place not in lost
    )
    starts = StartingPoints({**file.starts.inputs, **found.base}, found.workloads)
    return replace(file, setups=setups, entries=entries, starts=starts)


def _places(file: LedgerFile) -> Iterator[tuple[Place, EntryText | Setup]]:
    yield from ((("setups", name), setup) for name, setup in file.setups.items())
    yield from file.entries


@dataclass
class _Scenarios:
    """Scenarios that a ledger points at, each read once."""

    file: LedgerFile
    faults: list[Fault]
    base: dict[str, dict[str, Any]] = field(default_factory=dict)
    workloads: dict[str, str] = field(default_factory=dict)
    read: dict[str, Resolved | None] = field(default_factory=dict)

    def given(self, place: Place, entry: EntryText | Setup) -> str:
        """The name of the set-up that an entry starts from; "" where there is none, and why in the faults."""
        if entry.given or not entry.scenario:
            message = "starts from a scenario or from a set-up, not from both" if entry.given else "needs a scenario"
            where = (*place, "scenario" if entry.given else "variant")
            self.faults.append(self.file.document.fault(where, message, found=entry.given or entry.variant))
            return ""
        resolved = self._resolved(place, entry.scenario)
        return self._named(place, entry, resolved) if resolved else ""

    def _resolved(self, place: Place, name: str) -> Resolved | None:
        if name not in self.read:
            self.read[name] = None
            path = self.file.path.parent / name
            if not path.is_file():
                where = (*place, "scenario")
                self.faults.append(self.file.document.fault(where, "no such scenario file", found=repr(name)))
                return None
            try:
                (self.read[name],) = resolve_all([path])
            except InputError as error:
                self.faults.extend(error.faults)
        return self.read[name]

    def _named(self, place: Place, entry: EntryText | Setup, resolved: Resolved) -> str:
        variants = variants_of(resolved)
        variant = entry.variant or next(iter(variants))
        if variant not in variants:
            fault = unknown_name(self.file.document, (*place, "variant"), variant, variants, "variant")
            self.faults.append(fault)
            return ""
        name = f"{entry.scenario}, variant {variant}"
        self.base[name], self.workloads[name] = variants[variant], resolved.workload
        return name
