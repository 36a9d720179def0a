"""Every drop-down of a workbook, and what choosing one of its values means for the scenario that it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from openpyxl.cell.cell import Cell
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from memreport.audit.opening import Opened
from memreport.audit.rules.inputs import TITLES_ROW, listed
from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.records import BILLED
from memreport.catalogue.scenario import Scenario, dictionary
from memreport.compute import Computed, compute
from memreport.errors import InputError
from memreport.publish.xlsx.common.draft import FIRST, NAME_COLUMN, STATED_FOR, USUAL
from memreport.publish.xlsx.file.cells import Place, Value
from memreport.resolve import resolve
from memreport.resolve.following import followed
from memreport.resolve.records import Case, ScenarioWarning
from memreport.resolve.rules import check_rules
from memreport.resolve.usual import usual_host, usual_price
from tests.publish.workbook_cases import cells_of_lines, opened
from tests.typed_workbook import Live, spot

VARIANTS = "list_variants"
BESIDE = ("Documented", "Quotes side by side")
"""Drop-downs of variants choose what a sheet shows, those of Documented what a document prints, those of quotes what
a quote says.  No input changes."""
LONG = 12
"""A drop-down of more values than these is one of the catalogue's tables."""
MASTER = ("Checks", "F5")
"""How many checks fail."""


@dataclass(frozen=True)
class Choice:
    """One value of one drop-down, and the scenario in which it stands instead."""

    place: Place
    value: Value
    scenario: Scenario

    def __str__(self) -> str:
        return f"{self.place[0]}!{self.place[1]} = {self.value}"


class UnknownDropDownError(Exception):
    """A drop-down whose meaning for the scenario is told nowhere in this module."""


@dataclass(frozen=True)
class Part:
    """Of each drop-down every so many-th value, of a long one fewer, from the `beginning` on."""

    every: int = 1
    every_of_long: int = 1
    beginning: int = 0

    def of(self, values: list[Any]) -> list[Any]:
        """The part of one drop-down."""
        every = self.every_of_long if len(values) > LONG else self.every
        return values[self.beginning % every :: every]


def choices(path: Path, computed: Computed, part: Part) -> Iterator[Choice]:
    """A part of the values of every drop-down."""
    book = _book(path)
    for sheet, rule, cell in _drop_downs(path):
        shows = str(rule.formula1) == VARIANTS or sheet.title in BESIDE
        for value in map(_value, part.of(listed(book, rule))):
            scenario = computed.resolved.loaded.scenario if shows else _scenario(computed, cell, value)
            yield Choice((sheet.title, cell.coordinate), value, scenario)


def _drop_downs(path: Path) -> Iterator[tuple[Worksheet, DataValidation, Cell]]:
    """Every drop-down, at the first cell of each of its ranges."""
    for sheet in _book(path).sheets:
        for rule in (one for one in sheet.data_validations.dataValidation if one.type == "list"):
            for span in str(rule.sqref).split():
                column, row, *_ = range_boundaries(span)
                cell = sheet.cell(int(row or 0), int(column or 0))
                assert isinstance(cell, Cell)
                yield sheet, rule, cell


def variant_pickers(path: Path) -> dict[str, str]:
    """Sheets that show one variant, with the cell that says which."""
    return {sheet.title: cell.coordinate for sheet, rule, cell in _drop_downs(path) if str(rule.formula1) == VARIANTS}


def with_choices_stated(computed: Computed) -> Computed:
    """The scenario with every choice stated that would follow another one: a workbook's cells follow nothing."""
    resolved = computed.resolved
    scenario, section = resolved.loaded.scenario, resolved.loaded.scenario.workload
    variants = {}
    for case in resolved.variants:
        following = ("host", *followed(section))
        unstated = [name for name in following if name in case.origins and case.origins[name].kind == "default"]
        stated = {f"{'hardware' if name == 'host' else section}.{name}": case.settings[name] for name in unstated}
        variants[case.name] = {**(scenario.variants or {}).get(case.name, {}), **stated}
    return computed_anyway(computed, [scenario.model_copy(update={"variants": variants})])[0][0]


def with_first(computed: Computed, variant: str) -> Computed:
    """The scenario with another of its variants as the first, which is the one that such sheets show when built."""
    scenario = computed.resolved.loaded.scenario
    order = {variant: (scenario.variants or {})[variant]} | dict(scenario.variants or {})
    return computed_anyway(computed, [scenario.model_copy(update={"variants": order})])[0][0]


def _book(path: Path) -> Opened:
    """A workbook of our own, which needs no care when it is opened."""
    return Opened(path, {}, opened(path), None)


def _value(one: object) -> Value:
    return one if isinstance(one, str) else float(str(one))


def _scenario(computed: Computed, cell: Cell, value: Value) -> Scenario:
    """The scenario as if the value stood in it.  Raises UnknownDropDownError."""
    title = _sheet_of(cell).title
    if title == "Inputs":
        return _input_changed(computed, cell, value)
    if title.startswith("Table "):
        return _axis_changed(computed, int(title.split()[1]) - 1, cell, value)
    raise UnknownDropDownError(f"{title}!{cell.coordinate}")


def _sheet_of(cell: Cell) -> Worksheet:
    sheet = cell.parent
    assert isinstance(sheet, Worksheet)
    return sheet


def _input_changed(computed: Computed, cell: Cell, value: Value) -> Scenario:
    """The value in the first variant, and in every variant that follows it."""
    scenario = computed.resolved.loaded.scenario
    sheet, changes = _sheet_of(cell), dict[str, Any](scenario.variants or {"base": {}})
    name = str(sheet.cell(cell.row, NAME_COLUMN).value)
    if name.endswith(STATED_FOR.format("")):
        return scenario  # without a typed price, whose it would be says nothing
    entry, field = _field(computed.resolved.workload, name)
    for at, variant in enumerate(computed.resolved.variants):
        if at == 0 or sheet.cell(cell.row, FIRST + at).data_type == "f":
            now = _switched(entry, name, value, variant.settings[entry.name]) if entry.kind == "list" else value
            now = _usual_host(computed, variant) if (entry.name, now) == ("host", USUAL) else now
            changes[variant.name] = {**changes[variant.name], field: bool(now) if entry.kind == "switch" else now}
            changes[variant.name] |= _of_its_gpu(computed, variant, changes[variant.name])
    return scenario.model_copy(update={"variants": changes})


def _usual_host(computed: Computed, variant: Case) -> str:
    """The host that a workbook looks up where none is picked."""
    own = variant.settings
    return usual_host(computed.resolved.catalogue, own["accelerator"], own["count"])


def _of_its_gpu(computed: Computed, variant: Case, changed: Mapping[str, Any]) -> dict[str, str]:
    """The prices that a workbook bills where those picked are other GPUs': the lowest ones of this GPU."""
    loaded, catalogue, found = computed.resolved.loaded, computed.resolved.catalogue, dict[str, str]()
    now = {**variant.settings, **{name.rpartition(".")[2]: value for name, value in changed.items()}}
    for basis, (name, title) in BILLED.items() if loaded.scenario.cost else ():
        of = catalogue.tables[title].text("accelerator", now[name])
        if of != now["accelerator"] and (of or now["basis"] == basis or now["rent_or_buy"]):
            found[f"cost.{name}"] = usual_price(loaded.scenario, catalogue, catalogue.tables[title], now)
    return found


@cache
def _field(workload: str, name: str) -> tuple[Entry, str]:
    fields = dictionary(workload)
    entry = fields.get(name) or next((one for one in fields.values() if name in one.gives and one.kind == "list"), None)
    if entry is None:
        raise UnknownDropDownError(f"Inputs: {name}")
    return entry, f"{entry.section}.{entry.name}"


def _switched(entry: Entry, name: str, value: Value, members: list[str]) -> list[str]:
    """A list of names after one of its switches was set."""
    member = entry.gives[name]
    return [one for one in entry.gives.values() if (bool(value) if one == member else one in members)]


def _axis_changed(computed: Computed, at: int, cell: Cell, value: Value) -> Scenario:
    """Another value at one place of a table's axis."""
    scenario = computed.resolved.loaded.scenario
    tables = list(scenario.tables)
    across = cell.row == TITLES_ROW + 1
    axis, item = ("columns", cell.column - FIRST) if across else ("rows", cell.row - TITLES_ROW - 2)
    ((key, values),) = getattr(tables[at], axis).items()
    changed = [*values[:item], value, *values[item + 1 :]]
    tables[at] = tables[at].model_copy(update={axis: {key: changed}})
    return scenario.model_copy(update={"tables": tables})


def computed_anyway(computed: Computed, scenarios: list[Scenario]) -> tuple[list[Computed], list[str]]:
    """What the engine computes for each, allowed or not, and why it is not allowed; nothing where it is."""
    said: list[str] = []

    def noted(*arguments: Any) -> tuple[ScenarioWarning, ...]:
        try:
            return check_rules(*arguments)
        except InputError as error:
            said[-1] = error.faults[0].message
            return ()

    with patch("memreport.resolve.check_rules", noted):
        resolved = []
        for one in scenarios:
            said.append("")
            resolved.append(resolve(replace(computed.resolved.loaded, scenario=one), computed.resolved.catalogue))
    return compute(resolved), said


@dataclass
class Sweep:
    """A workbook and the engine side by side."""

    path: Path
    computed: Computed

    def __post_init__(self) -> None:
        self.live = Live(self.path)
        self.cells = list(cells_of_lines(self.path, self.computed))
        self.spots = [spot(place) for place in (*(place for _, place, _ in self.cells), MASTER)]
        places: dict[str, list[tuple[int, int]]] = {}
        for position, (name, _, at) in enumerate(self.cells):
            places.setdefault(name, []).append((position, at))
        self.columns = {name: np.array(pairs).T for name, pairs in places.items()}

    def differing(self, choice: Choice, expected: Computed) -> tuple[dict[str, str], bool]:
        """Figures in which workbook and engine part by more than 1e-9, and whether a check of the workbook fails."""
        *found, failing = self.live.found({choice.place: choice.value}, self.spots)
        here, there = np.array(list(map(_number, found))), self._expected(expected)
        same = np.isclose(here, there, rtol=1e-9, atol=1e-9) | (~np.isfinite(here) & ~np.isfinite(there))
        said = {at: f"{choice}: {self.cells[at][:2]} is {here[at]}, not {there[at]}" for at in np.flatnonzero(~same)}
        return {self.cells[at][0]: text for at, text in said.items()}, failing != 0

    def _expected(self, expected: Computed) -> NDArray[np.float64]:
        values = np.empty(len(self.cells))
        for name, (positions, columns) in self.columns.items():
            values[positions] = expected.values[name][columns]
        return values


def _number(found: Value) -> float:
    """What the workbook says; an error, or a text where a number belongs, is none."""
    return found if type(found) is float else np.nan if isinstance(found, str) else float(found)
