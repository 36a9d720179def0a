"""Step 2, resolve: scenario, model, hardware, variants and table points become one float64 table.

Every value knows where it came from.  A case is one column of the calculation: a variant, or a point of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from pydantic import BaseModel, ValidationError

from memreport.catalogue.constraints import broken
from memreport.catalogue.dictionary import Entry
from memreport.catalogue.huggingface import is_config, written_card
from memreport.catalogue.load import Catalogue, LoadedScenario, load
from memreport.catalogue.model_fields import ModelFields
from memreport.catalogue.prices import wrong_price
from memreport.catalogue.quantities import QuantityError, parse_quantity
from memreport.catalogue.records import Key, ModelCard, Numbers
from memreport.catalogue.scenario import SECTIONS, dictionary
from memreport.catalogue.search_names import unknown_search_names
from memreport.catalogue.validation import faults_of_value, quantity_fault, unknown_name
from memreport.errors import Fault, InputError, nearest
from memreport.figures.registry import figures_by_name

BASE = "base"
Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Origin:
    """Where a value came from: scenario, variant, table point, model card, catalogue, override or default."""

    kind: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.place}" if self.place else self.kind


@dataclass(frozen=True)
class Case:
    """One column: the settings by field name, each with its origin; `table` is -1 for a variant."""

    name: str
    settings: Mapping[str, Any]
    origins: Mapping[str, Origin]
    overrides: Mapping[str, float]
    card: ModelCard
    table: int = -1
    row: int = 0
    column: int = 0


@dataclass(frozen=True)
class Resolved:
    """A scenario as columns: `inputs` per name, one value a case; `codes` are the rows that choices pick, from 1."""

    loaded: LoadedScenario
    catalogue: Catalogue
    cases: tuple[Case, ...]
    inputs: Mapping[str, Numbers]
    codes: Mapping[str, Numbers]
    overrides: Mapping[str, Numbers]

    @property
    def workload(self) -> str:
        """`training` or `serving`."""
        return self.loaded.scenario.workload

    @property
    def variants(self) -> tuple[Case, ...]:
        """The cases that are variants, in the order of the file; they are the first columns."""
        return tuple(case for case in self.cases if case.table < 0)

    def points(self, table: int) -> list[int]:
        """Columns of one scaling table, row by row."""
        return [at for at, case in enumerate(self.cases) if case.table == table]


@dataclass
class _Draft:
    """A case in the making."""

    settings: dict[str, Any]
    origins: dict[str, Origin]
    overrides: dict[str, float]
    card: ModelCard

    def copy(self) -> _Draft:
        return _Draft(dict(self.settings), dict(self.origins), dict(self.overrides), self.card)


@dataclass
class _Resolver:
    loaded: LoadedScenario
    catalogue: Catalogue
    faults: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scenario = self.loaded.scenario
        self.fields = dictionary(self.scenario.workload)
        self.figures = figures_by_name(self.scenario.workload)
        self.attributes = {
            name: entry for entry in self.fields.values() for name in attributes_of(entry, self.catalogue)
        }

    def cases(self) -> list[Case]:
        base = self._base()
        names = self.scenario.variants or {BASE: {}}
        drafts = {
            name: self._with(base, cast(Any, changes), ("variants", name), "variant") for name, changes in names.items()
        }
        cases = [_case(name, draft) for name, draft in drafts.items()]
        for at in range(len(self.scenario.tables)):
            cases += self._table(at, drafts)
        return cases

    def _base(self) -> _Draft:
        card = self._card(self.scenario.model, ("model",))
        draft = _Draft({}, {}, {}, card)
        for name, entry in self.fields.items():
            if entry.kind == "optional":
                continue
            draft.settings[name] = entry.default
            draft.origins[name] = Origin("default", entry.source)
        self._apply_card(draft)
        for section in SECTIONS:
            self._apply_section(draft, section)
        for name, value in self.scenario.overrides.items():
            self._override(draft, name, value, ("overrides", name))
        return draft

    def _apply_section(self, draft: _Draft, section: str) -> None:
        record = getattr(self.scenario, section, None)
        if section == "model" or record is None or section in {"training", "serving"} - {self.scenario.workload}:
            return
        for name in cast(BaseModel, record).model_fields_set:
            if name in self.fields:
                origin = Origin("scenario", self._place((section, name)))
                self._set(draft, self.fields[name], getattr(record, name), origin)
            else:
                message = f"is not read by a {self.scenario.workload} scenario"
                self.faults.append(self.loaded.document.fault((section, name), message, at_key=True))

    def _card(self, model: str | ModelFields, at: Path_) -> ModelCard:
        if isinstance(model, ModelFields) or is_config(model):
            return written_card(self.loaded, model, at, self.faults)
        if model not in self.catalogue.model_files:
            self.faults.append(unknown_name(self.loaded.document, at, model, self.catalogue.model_files, "model card"))
            model = next(iter(self.catalogue.model_files))
        before = len(self.catalogue.faults)
        card = self.catalogue.model(model)
        self.faults += self.catalogue.faults[before:]
        if card is None:
            raise InputError(self.faults or self.catalogue.faults)
        return card

    def _apply_card(self, draft: _Draft) -> None:
        for name, value in draft.card.values.items():
            draft.settings[name] = value
            draft.origins[name] = Origin("model card", draft.card.id)

    def _with(
        self, base: _Draft, changes: Mapping[str, Any], at: Path_, kind: str, position: int | None = None
    ) -> _Draft:
        draft = base.copy()
        if "model" in changes:
            draft.card = self._card(changes["model"], _at((*at, "model"), position))
            self._apply_card(draft)
        for key, value in changes.items():
            if key != "model":
                self._change(draft, key, value, (*at, key), kind, position)
        return draft

    def _change(
        self, draft: _Draft, key: str, value: object, at: Path_, kind: str, position: int | None = None
    ) -> None:
        section, _, name = key.rpartition(".")
        entry = self.fields.get(name)
        if section == "overrides" or (not section and entry is None):
            self._override(draft, name, value, at, position)
        elif entry is None or (section and section != entry.section):
            known = [f"{one.section}.{one.name}" for one in self.fields.values()]
            self.faults.append(unknown_name(self.loaded.document, at, key, known, "field", at_key=True))
        else:
            place = _at(at, position)
            self._set(
                draft, entry, self._checked(entry, draft.settings, value, place), Origin(kind, self._place(place))
            )

    @staticmethod
    def _set(draft: _Draft, entry: Entry, value: Any, origin: Origin) -> None:
        """A field that a choice supplies otherwise is an override of what it supplies."""
        if entry.kind == "optional":
            draft.overrides[entry.name] = float(value)
        else:
            draft.settings[entry.name] = value
        draft.origins[entry.name] = origin

    def _checked(self, entry: Entry, settings: Mapping[str, Any], value: object, at: Path_) -> Any:
        model = SECTIONS[entry.section]
        needed = {
            name: settings[name] for name, info in model.model_fields.items() if info.is_required() and name in settings
        }
        try:
            return getattr(model.model_validate({**needed, entry.name: value}), entry.name)
        except ValidationError as error:
            self.faults += faults_of_value(self.loaded.document, model, at, error)
            return settings.get(entry.name, 1)

    def _override(self, draft: _Draft, name: str, value: object, at: Path_, position: int | None = None) -> None:
        unit = self._override_unit(name, at)
        if unit is None:
            return
        try:
            draft.overrides[name] = parse_quantity(cast(Any, value), unit or "1")
            draft.origins[name] = Origin("override", self._place(at))
        except QuantityError as error:
            self.faults.append(quantity_fault(self.loaded.document, _at(at, position), value, error))

    def _override_unit(self, name: str, at: Path_) -> str | None:
        if name in self.figures:
            return str(self.figures[name].unit)
        if name in self.attributes:
            entry = self.attributes[name]
            table = self.catalogue.tables[entry.table]
            return table.columns[entry.gives.get(name, name)].unit
        known = [*self.fields, *self.figures, *self.attributes]
        close = nearest(name, known)
        self.faults.append(
            self.loaded.document.fault(at, "is neither a field nor a figure", found=name, nearest=close, at_key=True)
        )
        return None

    def _table(self, at: int, drafts: Mapping[str, _Draft]) -> Iterator[Case]:
        table, document = self.scenario.tables[at], self.loaded.document
        if table.figure not in self.figures:
            self.faults.append(unknown_name(document, ("tables", at, "figure"), table.figure, self.figures, "figure"))
        variant = table.variant or next(iter(drafts))
        if variant not in drafts:
            self.faults.append(unknown_name(document, ("tables", at, "variant"), variant, drafts, "variant"))
            return
        for row, column, changes in _grid(table.rows, table.columns):
            draft = drafts[variant]
            for axis, position in (("rows", row), ("columns", column)):
                swept = {key: changes[key] for key in getattr(table, axis)}
                draft = self._with(draft, swept, ("tables", at, axis), "table point", position)
            yield _case(variant, draft, at, row, column)

    def _place(self, at: Path_) -> str:
        mark = self.loaded.document.mark(at)
        return f"{self.loaded.path.name}:{mark.line}"


def _at(path: Path_, position: int | None) -> Path_:
    """The place of one value of an axis, or of the field itself."""
    return path if position is None else (*path, position)


def _grid(rows: Mapping[str, list[Any]], columns: Mapping[str, list[Any]]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    (row_key, row_values), *_ = rows.items()
    column_items = list(columns.items())
    for row, row_value in enumerate(row_values):
        if not column_items:
            yield row, 0, {row_key: row_value}
            continue
        column_key, column_values = column_items[0]
        for column, column_value in enumerate(column_values):
            yield row, column, {row_key: row_value, column_key: column_value}


def _case(name: str, draft: _Draft, table: int = -1, row: int = 0, column: int = 0) -> Case:
    return Case(name, draft.settings, draft.origins, draft.overrides, draft.card, table, row, column)


def attributes_of(entry: Entry, catalogue: Catalogue) -> dict[str, str]:
    """Inputs that a choice supplies, with the column of its table that each is read from."""
    if entry.kind != "choice":
        return {}
    return entry.gives or {name: name for name in catalogue.tables[entry.table].columns}


def resolve_all(paths: Sequence[Path]) -> tuple[list[Resolved], Catalogue]:
    """Steps 1 and 2 for files and folders.  Raises InputError with every fault that either step finds in any file."""
    loaded, catalogue, faults = load(paths)
    resolved = []
    for one in loaded:
        faults += unknown_search_names(one, catalogue)
        try:
            resolved.append(resolve(one, catalogue))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(dict.fromkeys(faults))
    return resolved, catalogue


def resolve(loaded: LoadedScenario, catalogue: Catalogue) -> Resolved:
    """One scenario as columns.  Raises InputError with every fault that its names, values and points have."""
    resolver = _Resolver(loaded, catalogue)
    cases = resolver.cases()
    codes = _codes(resolver, cases)
    if resolver.faults:
        raise InputError(dict.fromkeys(resolver.faults))
    inputs = _numbers(resolver.fields, cases)
    for entry in resolver.fields.values():
        for name, column in attributes_of(entry, catalogue).items():
            inputs[name] = catalogue.tables[entry.table].numbers(column)[codes[entry.name].astype(int) - 1]
    overrides = _overrides(cases)
    _check_rules(resolver, cases, inputs)
    for name in set(overrides) & set(inputs):
        inputs[name] = np.where(np.isnan(overrides[name]), inputs[name], overrides[name])
    return Resolved(loaded, catalogue, tuple(cases), inputs, codes, overrides)


def _check_rules(resolver: _Resolver, cases: list[Case], inputs: Mapping[str, Numbers]) -> None:
    """Raise InputError for every case that breaks a rule between fields."""
    faults = list(_wrong_prices(resolver, cases))
    places: dict[tuple[Path_, str], Fault] = {}  # a place once, however many variants and points it breaks
    for at, rule in broken(resolver.scenario.workload, inputs):
        place = _where_given(resolver, rule.field, cases[at])
        found = f"{cases[at].settings[rule.field]:g} in variant {cases[at].name}"
        places.setdefault((place, rule.message), resolver.loaded.document.fault(place, rule.message, found=found))
    if faults or places:
        raise InputError(dict.fromkeys([*faults, *places.values()]))


def _wrong_prices(resolver: _Resolver, cases: Iterable[Case]) -> Iterable[Fault]:
    """A price belongs to a card, and the basis needs the price that it bills, or an override of it; a place once."""
    found: dict[tuple[Path_, str], Fault] = {}
    for case in cases if resolver.scenario.cost else ():
        for name, basis in (("price", "rent"), ("purchase_price", "buy")):
            table, place = resolver.catalogue.tables[resolver.fields[name].table], _where_given(resolver, name, case)
            billed = case.settings["basis"] == basis and not set(table.columns) & set(case.overrides)
            wrong, allowed = wrong_price(table, case.settings[name], case.settings["accelerator"], billed)
            if wrong and (place, wrong) not in found:
                where = f"{case.settings[name]!r} in variant {case.name}"
                found[place, wrong] = resolver.loaded.document.fault(place, wrong, found=where, expected=allowed)
    return found.values()


def _codes(resolver: _Resolver, cases: Iterable[Case]) -> dict[str, Numbers]:
    codes: dict[str, list[float]] = {name: [] for name, entry in resolver.fields.items() if entry.kind == "choice"}
    for case in cases:
        for name, found in codes.items():
            found.append(_code(resolver, name, case))
    return {name: np.asarray(found, dtype=np.float64) for name, found in codes.items()}


def _code(resolver: _Resolver, name: str, case: Case) -> float:
    entry, key = resolver.fields[name], case.settings[name]
    table = resolver.catalogue.tables[entry.table]
    if key in table.ids:
        return float(table.row(cast(Key, key)) + 1)
    at = _where_given(resolver, name, case)
    kind = table.name.replace("_", " ").removesuffix("s")
    resolver.faults.append(unknown_name(resolver.loaded.document, at, key, table.ids, kind))
    return 1.0


def _where_given(resolver: _Resolver, name: str, case: Case) -> Path_:
    section = resolver.fields[name].section
    marks = resolver.loaded.document.marks
    tries: list[Path_] = [
        ("tables", case.table, "rows", f"{section}.{name}", case.row),
        ("tables", case.table, "columns", f"{section}.{name}", case.column),
        ("variants", case.name, f"{section}.{name}"),
        ("variants", case.name, name),
    ]
    return next((path for path in tries if path in marks), (section, name))


def _numbers(fields: Mapping[str, Entry], cases: Iterable[Case]) -> dict[str, Numbers]:
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


def _overrides(cases: Iterable[Case]) -> dict[str, Numbers]:
    listed = list(cases)
    names = dict.fromkeys(name for case in listed for name in case.overrides)
    return {name: np.asarray([case.overrides.get(name, np.nan) for case in listed], dtype=np.float64) for name in names}
