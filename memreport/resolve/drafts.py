"""From a scenario to its cases: defaults, model card, sections, overrides, then the changes of variants and points."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from memreport.catalogue.cards import as_copy, card_named, is_config, offered
from memreport.catalogue.fields.dictionary import LARGEST, Entry
from memreport.catalogue.fields.model import ModelFields
from memreport.catalogue.fields.validation import faults_of_value, quantity_fault, shown, unknown_name
from memreport.catalogue.load import Catalogue, LoadedScenario
from memreport.catalogue.names import Register, of_accelerator
from memreport.catalogue.quantities import QuantityError, parse_quantity
from memreport.catalogue.records import ModelCard
from memreport.catalogue.scenario import OTHER_NAMES, SECTIONS, dictionary
from memreport.errors import Fault, nearest
from memreport.figures.registry import VERDICTS, figures_by_name, may_be_negative
from memreport.resolve.demand import NO_LOAD, cheapest_api
from memreport.resolve.following import follow, stating
from memreport.resolve.overlay import Overlaid
from memreport.resolve.records import BASE, FOLLOWS_CARD, MEASURED, MODEL_CARD, Case, Origin, Place
from memreport.resolve.usual import follow_usual


@dataclass
class _Draft:
    """A case in the making."""

    settings: MutableMapping[str, Any]
    origins: MutableMapping[str, Origin]
    overrides: dict[str, float]
    card: ModelCard
    stated_for: dict[str, str] = field(default_factory=dict)
    """Of which GPU each number is that is given in place of a price or an attribute of one."""

    def copy(self) -> _Draft:
        """Another one on top of this, which is not changed any more."""
        shared = Overlaid.on(self.settings), Overlaid.on(self.origins)
        return _Draft(*shared, dict(self.overrides), self.card, dict(self.stated_for))

    def belong(self, names: Iterable[str]) -> None:
        """What is given of a GPU is of the one that stands beside it."""
        given = (name for name in names if name in self.overrides)
        self.stated_for |= dict.fromkeys(given, self.settings["accelerator"])


@lru_cache
def _defaults(workload: str) -> tuple[Mapping[str, Any], Mapping[str, Origin]]:
    """What every field is unless it is given, and why."""
    given = [entry for entry in dictionary(workload).values() if entry.kind != "optional"]
    origins = {entry.name: Origin("default", entry.source) for entry in given}
    return {entry.name: entry.default for entry in given}, origins


@lru_cache
def _required(section: str) -> tuple[str, ...]:
    """The fields of a section that have no default."""
    return tuple(name for name, info in SECTIONS[section].model_fields.items() if info.is_required())


def _read(section: str, name: str, value: object, needed: tuple[tuple[str, Any], ...]) -> Any:
    """A value of a field as its section reads it beside the fields that it cannot lack.  Raises ValidationError."""
    return getattr(SECTIONS[section].model_validate({**dict(needed), name: value}), name)


_read_once = lru_cache(maxsize=4096, typed=True)(_read)
"""The same values come again and again in variants and tables; what is refused is not kept."""


@dataclass
class Resolver:
    """Makes the cases of one scenario, and collects the faults of its names and values."""

    loaded: LoadedScenario
    catalogue: Catalogue
    faults: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scenario = self.loaded.scenario
        self.fields = dictionary(self.scenario.workload)
        self.figures = figures_by_name(self.scenario.workload)
        self.of_accelerator = of_accelerator(self.catalogue)

    @cached_property
    def register(self) -> Register:
        """Every name that may be given or asked for."""
        return Register(self.figures, self.fields, self.catalogue)

    def cases(self) -> list[Case]:
        """Variants in the order of the file, then the points of the tables."""
        for index, name in enumerate(self.scenario.answers):
            if name not in self.figures:
                self.faults.append(unknown_name(self.loaded.document, ("answers", index), name, self.figures, "figure"))
        base = self._stated
        names = self.scenario.variants or {BASE: {}}
        drafts = {
            name: self._with(base, cast(Any, changes), ("variants", name), "variant") for name, changes in names.items()
        }
        cases = [_case(name, draft) for name, draft in drafts.items()]
        for index in range(len(self.scenario.tables)):
            cases += self._table(index, drafts)
        return cases

    def base(self) -> Case:
        """The scenario before the changes of any variant."""
        return _case(BASE, self._stated)

    def measured(self) -> Case | None:
        """The run of one's own that times are rescaled by; None where the scenario names none."""
        given = self.scenario.measured
        if given is None:
            return None
        return _case(MEASURED, self._with(self._stated, given.with_, ("measured", "with"), MEASURED))

    @cached_property
    def _stated(self) -> _Draft:
        """What stands in the scenario itself, with what follows from it."""
        card = self._card(self.scenario.model, ("model",))
        settings, origins = _defaults(self.scenario.workload)
        draft = _Draft(dict(settings), dict(origins), {}, card)
        self._apply_card(draft)
        for section in SECTIONS:
            self._apply_section(draft, section)
        self._apply_demand(draft)
        self._follow(draft)
        for name, value in self.scenario.overrides.items():
            self._override(draft, name, value, ("overrides", name))
        draft.belong(self.of_accelerator)
        return draft

    def _apply_section(self, draft: _Draft, section: str) -> None:
        record = getattr(self.scenario, section, None)
        if section == "model" or record is None or section in {"training", "serving"} - {self.scenario.workload}:
            return
        given = cast(BaseModel, record).model_fields_set
        for name in (name for name in type(record).model_fields if name in given):  # a set has no order to publish in
            if (section, name) in OTHER_NAMES:
                continue
            if name in self.fields:
                origin = Origin("scenario", self.place((section, name)))
                self._set(draft, self.fields[name], getattr(record, name), origin)
            else:
                message = f"is not read by a {self.scenario.workload} scenario"
                self.faults.append(self.loaded.document.fault((section, name), message, at_key=True))

    def _apply_demand(self, draft: _Draft) -> None:
        """Set what the demand names in words of its own; what its section states otherwise is a contradiction."""
        given = self.scenario.demand
        if self.scenario.workload != "serving" or given is None:
            return
        for name in (name for name in type(given).model_fields if name in given.model_fields_set):
            if ("demand", name) in OTHER_NAMES:
                self._set_by_other_name(draft, name, getattr(given, name))
        if not (draft.settings["users"] or draft.settings["requests_per_second"]):
            self.faults.append(self.loaded.document.fault(("demand",), NO_LOAD))

    def _follow(self, draft: _Draft) -> None:
        """What follows from other choices where nobody stated it, in the scenario and after each change."""
        demanded = self.scenario.workload == "serving" and self.scenario.demand is not None
        stated = stating(draft.origins, demanded)
        follow(draft.settings, stated, draft.card, self.catalogue, self.scenario.workload)
        given = draft.overrides.keys() | self.scenario.overrides.keys()
        follow_usual(draft.settings, stated, given, self.scenario, self.catalogue)
        if demanded:
            self._follow_demand(draft)

    def _follow_demand(self, draft: _Draft) -> None:
        """Where lengths come from, and the API that offers the model for least, where nobody stated them."""
        for name in (name for name in ("context_length", "max_model_len") if draft.origins[name].kind == "default"):
            draft.origins[name] = Origin("default", "prompt and answer of the demand")
        if draft.origins["api_price"].kind == "default":
            draft.settings["api_price"] = cheapest_api(self.catalogue.tables["apis"], draft.card.id, draft.settings)
            draft.origins["api_price"] = Origin(
                "default", "the list price that is lowest for the model, if one is known"
            )

    def _set_by_other_name(self, draft: _Draft, name: str, value: object) -> None:
        section, place = OTHER_NAMES["demand", name].split(".")[0], ("demand", name)
        entry = self.fields[OTHER_NAMES["demand", name].split(".")[1]]
        read = self._checked(entry, draft.settings, value, place)
        stated = getattr(self.scenario, section, None)
        if stated is not None and entry.name in stated.model_fields_set and getattr(stated, entry.name) != read:
            message = f"contradicts {section}.{entry.name}, which is the same"
            found = f"{read:g} against {getattr(stated, entry.name):g}"
            self.faults.append(self.loaded.document.fault(place, message, found=found))
        self._set(draft, entry, read, Origin("scenario", self.place(place)))

    def _card(self, model: object, place: Place) -> ModelCard:
        """The card; where there is none, a fault is noted, and any other card stands in to find the next faults."""
        return self._card_or_none(model, place) or self._stand_in

    def _card_or_none(self, model: object, place: Place) -> ModelCard | None:
        if not isinstance(model, (str, ModelFields, Mapping)):
            message = "must be the name of a model card, or a path to a config.json"
            self.faults.append(self.loaded.document.fault(place, message, found=shown(model)))
            return None
        named = model
        if isinstance(model, str) and model not in self.catalogue.model_files and not model.endswith(".json"):
            model = card_named(model, self.catalogue.model_names) or model
        if not isinstance(model, str) or is_config(model):
            from memreport.catalogue.huggingface.card import written_card  # rules of 200 families, for few scenarios

            return written_card(self.loaded, model, place, self.faults, self.catalogue.model_files)
        card = self._card_of_catalogue(model, place)
        return as_copy(card, str(named)) if card else None  # a tuned one is what is served

    def _card_of_catalogue(self, model: str, place: Place) -> ModelCard | None:
        if model not in self.catalogue.model_files:
            known = offered(self.catalogue.model_names)
            self.faults.append(unknown_name(self.loaded.document, place, model, known, "model card"))
            return None
        card = self.catalogue.model(model)
        self.faults += () if card else self.catalogue.model_faults(model)
        return card

    @cached_property
    def _stand_in(self) -> ModelCard:
        cards = (self.catalogue.model(name) for name in self.catalogue.model_files)
        return next(card for card in cards if card)

    def _apply_card(self, draft: _Draft) -> None:
        for name, value in draft.card.values.items():
            draft.settings[name] = value
            draft.origins[name] = Origin(MODEL_CARD, draft.card.id)
        if "output_tokens" in self.fields and draft.origins["output_tokens"].kind in FOLLOWS_CARD:
            self._answer_of(draft)
        self._apply_checkpoint(draft)

    def _answer_of(self, draft: _Draft) -> None:
        """An encoder or embedder answers with one vector, which counts as one token."""
        decodes, entry = draft.settings["is_decoder"] and not draft.settings["pools"], self.fields["output_tokens"]
        draft.settings[entry.name] = entry.default if decodes else 1.0
        draft.origins[entry.name] = Origin("default", entry.source) if decodes else Origin(MODEL_CARD, draft.card.id)

    def _apply_checkpoint(self, draft: _Draft) -> None:
        """Weights that nobody stated are served as they are published: an engine loads what the checkpoint holds."""
        entry, published = self.fields.get("weight_dtype"), draft.card.weight_dtype
        if entry is None or draft.origins[entry.name].kind not in FOLLOWS_CARD:
            return
        if published and published not in self.catalogue.tables[entry.table].ids:
            known = [str(id_) for id_ in self.catalogue.tables[entry.table].ids]
            message = "is no row of weight_formats; state serving.weight_dtype"
            close = nearest(published, known)
            self.faults.append(Fault(message, draft.card.file, found=repr(published), field=entry.name, nearest=close))
            return
        draft.settings[entry.name] = published or entry.default
        draft.origins[entry.name] = Origin(MODEL_CARD, draft.card.id) if published else Origin("default", entry.source)

    def _with(
        self, base: _Draft, changes: Mapping[str, Any], place: Place, kind: str, position: int | None = None
    ) -> _Draft:
        draft = base.copy()
        if "model" in changes:
            draft.card = self._card(changes["model"], _at((*place, "model"), position))
            self._apply_card(draft)
        for key, value in changes.items():
            if key != "model":
                self._change(draft, key, value, (*place, key), kind, position)
        self._follow(draft)
        draft.belong(self.of_accelerator & {key.rpartition(".")[2] for key in changes})
        return draft

    def _change(
        self, draft: _Draft, key: str, value: object, where: Place, kind: str, position: int | None = None
    ) -> None:
        section, _, name = key.rpartition(".")
        section, _, name = OTHER_NAMES.get((section, name), key).rpartition(".")
        entry = self.fields.get(name)
        if section == "overrides" or (not section and entry is None):
            self._override(draft, name, value, where, position)
        elif entry is None or (section and section != entry.section):
            known = [f"{entry.section}.{entry.name}" for entry in self.fields.values()]
            self.faults.append(unknown_name(self.loaded.document, where, key, known, "field", at_key=True))
        else:
            place = _at(where, position)
            self._set(draft, entry, self._checked(entry, draft.settings, value, place), Origin(kind, self.place(place)))

    @staticmethod
    def _set(draft: _Draft, entry: Entry, value: Any, origin: Origin) -> None:
        """A field that a choice supplies otherwise is an override of what it supplies."""
        if entry.kind == "optional":
            draft.overrides[entry.name] = float(value)
        else:
            draft.settings[entry.name] = value
        draft.origins[entry.name] = origin

    def _checked(self, entry: Entry, settings: Mapping[str, Any], value: object, place: Place) -> Any:
        needed = tuple((name, settings[name]) for name in _required(entry.section) if name in settings)
        read = _read_once if isinstance(value, Hashable) else _read
        try:
            return read(entry.section, entry.name, value, needed)
        except ValidationError as error:
            self.faults += faults_of_value(self.loaded.document, SECTIONS[entry.section], place, error)
            return settings.get(entry.name, 1)

    def _override(self, draft: _Draft, name: str, value: object, where: Place, position: int | None = None) -> None:
        unit = self._override_unit(name, where)
        if unit is None:
            return
        place = _at(where, position)
        try:
            number = parse_quantity(cast(Any, value), unit or "1")
        except QuantityError as error:
            self.faults.append(quantity_fault(self.loaded.document, place, value, error))
            return
        if wrong := self._out_of_bounds(name, number):
            self.faults.append(self.loaded.document.fault(place, wrong, found=f"{number:.15g}"))
        draft.overrides[name] = number
        draft.origins[name] = Origin("override", self.place(place))

    def _out_of_bounds(self, name: str, number: float) -> str:
        """What is wrong with a number that is given in place of a figure or attribute; nothing where it may be."""
        if abs(number) > LARGEST:
            return f"must be at most {LARGEST:g}"
        choice = self.register.attributes[name][0] if name in self.register.attributes else None
        if choice and choice.table == "accelerators" and number <= 0:
            return "must be more than 0"
        return "may not be negative" if number < 0 and not may_be_negative(name) else ""

    def _override_unit(self, name: str, place: Place) -> str | None:
        """The unit of what is overridden; None, with a fault noted, where nothing of that name may be."""
        if name in VERDICTS or (name in self.figures and self.figures[name].labels):
            message = "follows from the other figures and may not be overridden"
            self.faults.append(self.loaded.document.fault(place, message, at_key=True))
            return None
        if name in self.figures or name in self.register.attributes:
            return self.register.unit(name)
        stated = name in self.register.names
        message = "is a field: state it in its own section" if stated else "is neither a field nor a figure"
        close = "" if stated else nearest(name, self.register.names)
        self.faults.append(self.loaded.document.fault(place, message, found=name, nearest=close, at_key=True))
        return None

    def _table(self, index: int, drafts: Mapping[str, _Draft]) -> Iterator[Case]:
        table, document = self.scenario.tables[index], self.loaded.document
        if table.figure not in self.figures:
            self.faults.append(
                unknown_name(document, ("tables", index, "figure"), table.figure, self.figures, "figure")
            )
        variant = table.variant or next(iter(drafts))
        if variant not in drafts:
            self.faults.append(unknown_name(document, ("tables", index, "variant"), variant, drafts, "variant"))
            return
        for row, column, changes in _grid(table.rows, table.columns):
            draft = drafts[variant]
            for axis, position in (("rows", row), ("columns", column)):
                swept = {key: changes[key] for key in getattr(table, axis)}
                draft = self._with(draft, swept, ("tables", index, axis), "table point", position)
            yield _case(variant, draft, index, row, column)

    def place(self, place: Place) -> str:
        """File and line, those of the question where it was read there; only what it is where it has no lines."""
        marks, asked = self.loaded.document.marks, ("question",)
        filled = place not in marks and any(word.place == asked for word in self.loaded.words)
        mark = self.loaded.document.mark(asked if filled and asked in marks else place)
        return f"{self.loaded.path.name}:{mark.line}" if mark.line else mark.file

    def where_given(self, name: str, case: Case) -> Place:
        """Where a field got its value in this case: a table's axis, the variant, or its own section."""
        section, marks = self.fields[name].section, self.loaded.document.marks
        tries: list[Place] = [
            ("tables", case.table, "rows", f"{section}.{name}", case.row),
            ("tables", case.table, "columns", f"{section}.{name}", case.column),
            ("variants", case.name, f"{section}.{name}"),
            ("variants", case.name, name),
            *((("measured", "with", f"{section}.{name}"),) if case.name == MEASURED else ()),
        ]
        return next((path for path in tries if path in marks), (section, name))


def _at(path: Place, position: int | None) -> Place:
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
    """A price or an attribute of another GPU than the case's is set aside."""
    other = {key: of for key, of in draft.stated_for.items() if of != draft.settings["accelerator"]}
    if not other:
        return Case(name, draft.settings, draft.origins, draft.overrides, draft.card, table, row, column)
    kept = {key: value for key, value in draft.overrides.items() if key not in other}
    origins = {key: origin for key, origin in draft.origins.items() if key not in other}
    return Case(name, draft.settings, origins, kept, draft.card, table, row, column, other)
