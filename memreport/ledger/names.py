"""What a ledger may name: fields of the data dictionary, attributes of choices, figures, and their other inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, cast

import numpy as np
from pydantic import ValidationError

from memreport.catalogue.fields.dictionary import Entry, Section
from memreport.catalogue.load import Catalogue
from memreport.catalogue.names import Register
from memreport.catalogue.quantities import QuantityError, parse_quantity
from memreport.catalogue.records import Numbers
from memreport.catalogue.scenario import SECTIONS, dictionary
from memreport.compute import names_needed
from memreport.errors import nearest
from memreport.figures.registry import lines_of
from memreport.figures.time import roofline
from memreport.formula.recording import Line, ordered, plain_line
from memreport.formula.units import Unit
from memreport.ledger import documents
from memreport.ledger.printed import EntryError
from memreport.resolve.columns import column_of, columns_of

Changes = Mapping[str, Any]
DEFAULTS: Changes = {"model": "llama-2-7b", "accelerator": "a100-80gb-sxm"}
"""What an entry speaks of where it names no model or card: the example that the five documents share."""

STATED, DEFAULT = "stated", "default"


class NameFault(EntryError):  # noqa: N818  # it is turned into a Fault at once
    """A name or value that an entry may not give."""


@lru_cache
def ledger_lines(workload: str) -> tuple[Line, ...]:
    """Every line that a ledger may name, in order: a workload's own, kernels of given shape, and the documents' own."""
    own = lines_of(workload)
    more = [*roofline.lines(roofline.GENERIC_KERNELS, "given"), *map(plain_line, documents.figures_of(workload))]
    known = {line.name for line in own}
    return tuple(ordered([*own, *(line for line in more if line.name not in known)]))


class Names:
    """The names of one workload, with their units, and how values given to them are read."""

    def __init__(self, workload: str, catalogue: Catalogue) -> None:
        self.workload, self.catalogue = workload, catalogue
        self.fields = dictionary(workload)
        self._defaults = {name: entry.default for name, entry in self.fields.items() if not entry.required}
        self.lines = ledger_lines(workload)
        self._by_name = {line.name: line for line in self.lines}
        self._reads = {line.name: line.reads for line in self.lines}
        self.figures = {line.name: line.figure for line in self.lines}
        self.register = Register(self.figures, self.fields, catalogue)
        self.attributes = self.register.attributes
        self.switches = {name for entry in self.fields.values() if entry.kind == "list" for name in entry.gives}
        self.free = dict(self._free())

    def _free(self) -> Iterable[tuple[str, Unit]]:
        known = {*self.register.names, *self.switches}
        for line in self.lines:
            for parameter, name in line.bound.items():
                if name not in known:
                    yield name, line.figure.inputs[parameter]

    def unit(self, name: str) -> Unit:
        """The unit of a number that an expression may name.  Raises NameFault."""
        field = self.fields.get(name)
        if name in self.figures or name in self.attributes or (field and field.kind in ("number", "whole", "switch")):
            return Unit.parse(self.register.unit(name))
        if name in self.switches:
            return Unit()
        if name in self.free:
            return self.free[name]
        if field:
            raise NameFault(f"{name} is a {field.kind}, not a number", expected=self._numbers_of(name))
        raise NameFault("no such figure or input", nearest(name, self.known))

    def _numbers_of(self, choice: str) -> str:
        """The numbers that a choice supplies."""
        return ", ".join(name for name, (entry, _) in self.attributes.items() if entry.name == choice)

    def line(self, name: str) -> Line | None:
        """The line of that name; None for an input."""
        return self._by_name.get(name)

    def meaning(self, name: str) -> str:
        """What a figure or input means, in a sentence."""
        return self.register.meaning(name)

    def origin(self, name: str, changes: Changes) -> str:
        """Where an input's value is from: what the ledger states, the row of a table, a model card or a default."""
        if name in changes:
            return STATED
        if name in self.attributes:
            entry, _ = self.attributes[name]
            return f"{entry.name} {self._settings(changes)[entry.name]}"
        card = self.catalogue.model(str(changes.get("model", DEFAULTS["model"])))
        return f"model {card.id}" if card and name in card.values else DEFAULT

    @property
    def known(self) -> list[str]:
        """Every name that may be given or asked for."""
        return [*self.register.names, *self.free]

    def read(self, name: str, value: object) -> Any:
        """A value in base units, or the name that a choice takes.  Raises NameFault for a wrong name, value or unit."""
        if name == "model":
            return self._model(value)
        if name not in self.fields:
            return self._quantity(value, str(self.unit(name)))
        entry = self.fields[name]
        if entry.kind == "choice":
            return self._choice(entry, value)
        return self._field(entry, value)

    def _model(self, value: object) -> object:
        if value not in self.catalogue.model_files:
            raise NameFault("no such model card", nearest(value, self.catalogue.model_files))
        return value

    def _choice(self, entry: Entry, value: object) -> object:
        ids = self.catalogue.tables[entry.table].ids
        if value not in ids:
            expected = ", ".join(map(str, ids)) if len(ids) <= 12 else ""
            raise NameFault(f"no such {entry.name.replace('_', ' ')}", nearest(value, map(str, ids)), expected)
        return value

    def _quantity(self, value: object, unit: str) -> float:
        try:
            return parse_quantity(cast(Any, value), unit)
        except QuantityError as error:
            raise NameFault(error.message, error.nearest, error.allowed) from error

    def _field(self, entry: Entry, value: object) -> Any:
        section: type[Section] = SECTIONS[entry.section]
        required = [name for name, info in section.model_fields.items() if info.is_required()]
        needed = {name: "?" if self.fields[name].kind in ("choice", "text") else 1 for name in required}
        try:
            return getattr(section.model_validate({**needed, entry.name: value}), entry.name)
        except ValidationError as error:
            words = (each["msg"].removeprefix("Value error, ") for each in error.errors(include_url=False))
            raise NameFault("; ".join(words)) from error

    def missing(self, wanted: Iterable[str], given: Changes) -> list[str]:
        """Inputs without a default that the wanted names need and that are not given."""
        names = set(wanted)
        found = names_needed(self._reads, names - set(given))
        reads = names.union(*(self._reads[name] for name in found))
        return sorted(reads & set(self.free) - set(given))

    def table(self, cases: Iterable[Changes]) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
        """Inputs and overrides, one value a case."""
        listed = [self._settings(case) for case in cases]
        inputs = columns_of(self.fields.values(), listed, self.catalogue)
        for name in self.attributes:
            given = column_of(name, listed)
            inputs[name] = np.where(np.isnan(given), inputs[name], given)
        inputs |= {name: column_of(name, listed) for name in self.free}
        overrides = {name: column_of(name, listed) for name in self.figures if any(name in record for record in listed)}
        return inputs, overrides

    def _settings(self, case: Changes) -> dict[str, Any]:
        card = self.catalogue.model(str(case.get("model", DEFAULTS["model"])))
        return {**self._defaults, **DEFAULTS, **(card.values if card else {}), **case}
