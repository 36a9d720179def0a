"""Whether a scenario is approved: its stated status, bound by a hash to the inputs that were approved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memreport.catalogue.records import ModelCard, Table
from memreport.catalogue.scenario import Scenario
from memreport.catalogue.tables.efficiency_words import EFFICIENCY
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault

APPROVED, DRAFT = "approved", "draft"
SHORT = 16
"""Digits of the hash of one thing that an approval rests on."""
PARTS: Mapping[str, tuple[str, str]] = {
    "hardware.accelerator": ("accelerators", "accelerator"),
    "cost.price": ("rental_prices", "price"),
    "cost.purchase_price": ("purchase_prices", "price"),
    "cost.energy_price": ("energy_prices", "price"),
    "cost.colocation": ("colocation_prices", "price"),
}
"""Fields that name a row of a table, with the table and the word for it."""
INPUTS = (
    "model", "hardware", "workload", "training", "serving", "demand", "cost", "price_terms", "search", "overrides",
    "measured", "variants",
)  # fmt: skip
"""What a budget is computed from; titles, notes and tables may change under an approval."""


def inputs_sha256(scenario: Scenario) -> str:
    """Hash of what a scenario states of its inputs, in base units; the order of variants counts, that of fields not."""
    stated: dict[str, Any] = scenario.model_dump(include=set(INPUTS), exclude_unset=True, mode="json", by_alias=True)
    stated["variants"] = list(stated.get("variants", {}).items())
    text = json.dumps(stated, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def inputs_changed(scenario: Scenario) -> tuple[str, ...]:
    """What was otherwise when it was approved, of what the file itself states."""
    changed = scenario.approval.status == APPROVED and scenario.approval.sha256 != inputs_sha256(scenario)
    return ("inputs",) if changed else ()


def approval_words(scenario: Scenario, changed: Sequence[str]) -> str:
    """The state as every output shows it: `draft`, `approved by A. Person on 2026-11-20`; `changed` ends it."""
    approval = scenario.approval
    if approval.status != APPROVED:
        return approval.status
    if changed:
        what = ", ".join(changed)
        return f"no longer approved: {what} changed since {approval.approved} approved them on {approval.date}"
    return f"approved by {approval.approved} on {approval.date}"


def rests_on(
    scenario: Scenario, tables: Mapping[str, Table], card: Callable[[str], ModelCard | None]
) -> dict[str, str]:
    """A hash of each model card, GPU and price that a scenario and its variants name.

    What memreport measured (shares of peaks that are reached) and its reference tables are no part of it: these
    change with the program.
    """
    found = {f"model {name}": _digest(made.values) for name in _named(scenario, "model") if (made := card(name))}
    for field, (table, word) in PARTS.items():
        made_of = tables[table]
        for name in _named(scenario, field):
            if name in made_of.ids:
                index = made_of.row(name)
                columns = {
                    key: column.values[index] for key, column in made_of.columns.items() if key not in EFFICIENCY
                }
                found[f"{word} {name}"] = _digest(columns)
    return {name: digest for name, digest in found.items() if not name.endswith(" none")}


def _named(scenario: Scenario, field: str) -> list[str]:
    """What the scenario and its variants choose for a field such as `cost.price`, each once."""
    section, _, name = field.partition(".")
    block = getattr(scenario, section, None)
    own = getattr(block, name, None) if name else block
    every = [own, *(changes.get(field) for changes in scenario.variants.values())]
    return list(dict.fromkeys(key for key in every if isinstance(key, str)))


def _digest(values: Mapping[str, Any]) -> str:
    """A short hash of numbers by name."""
    text = json.dumps(dict(values), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:SHORT]


def resting_changed(scenario: Scenario, now: Mapping[str, str]) -> tuple[str, ...]:
    """What an approved scenario rests on that is otherwise now; other names are a change of the file's own inputs."""
    then, restated = scenario.approval.rests_on, bool(inputs_changed(scenario))
    otherwise = (name for name, digest in now.items() if then.get(name, digest if restated else "") != digest)
    return tuple(otherwise) if then else ()


def resting_faults(document: Document, scenario: Scenario, now: Mapping[str, str]) -> Iterator[Fault]:
    """That an approval does not say what it rests on, with what to write."""
    if scenario.approval.status == APPROVED and not scenario.approval.rests_on and now:
        written = ", ".join(f"{name}: {digest!r}" for name, digest in now.items())
        message = f"is required where the status is {APPROVED}"
        yield document.fault(("approval", "rests_on"), message, expected=f"{{{written}}}")


def approval_faults(document: Document, scenario: Scenario) -> Iterator[Fault]:
    """What an approval lacks: who, when, and the hash that binds it to the inputs, which the message gives."""
    if scenario.approval.status != APPROVED:
        return
    wanted = {"approved": "a name", "date": "a day such as 2026-11-20", "sha256": inputs_sha256(scenario)}
    for name, allowed in wanted.items():
        if not getattr(scenario.approval, name):
            message = f"is required where the status is {APPROVED}"
            yield document.fault(("approval", name), message, expected=allowed)
