"""Step 3, compute: figures in dependency order over the columns of the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.errors import InputError
from memreport.figures.beside import GIVEN, lines_beside
from memreport.figures.registry import group, lines_by_name, lines_in_order
from memreport.formula.recording import Line, bound_line, names_read
from memreport.frozen import frozen
from memreport.resolve import Origin, Resolved
from memreport.resolve.overlay import RowsOf, joined
from memreport.resolve.records import MEASURED, Case

COST = "Cost"
"""The title of the figures of a bill."""
UNRENTED = {"host_headroom_bytes": {"node_memory_bytes": "host_memory_bytes"}}
"""Lines that read something else where nothing is paid."""
TIME_FACTOR = "measured_time_factor"
"""The input that rescales every computed time."""
GPU_HOURS = "whole_accelerator_hours"
"""What a job takes of its GPUs, which needs no price."""
MANY_ROWS = 100_000
"""From here on it pays to find out which branches no row takes."""
NOT_READ = np.asarray(np.nan)


@frozen
class Computed:
    """A resolved scenario with every line of its calculation: `values` holds inputs and figures, one value a case."""

    resolved: Resolved
    lines: tuple[Line, ...]
    values: Mapping[str, Numbers]

    @cached_property
    def beside(self) -> Mapping[str, Numbers]:
        """What reports say beside the calculation, which no line of it reads; worked out when first asked for."""
        lines = tuple(lines_beside(self.resolved.workload))
        given = {name: np.full(len(self.resolved.cases), value) for name, value in GIVEN.items()}
        return calculate(lines, {**self.values, **given})


def calculate(
    lines: Iterable[Line],
    inputs: Mapping[str, Numbers],
    overrides: Mapping[str, Numbers] | None = None,
    wanted: Iterable[str] | None = None,
) -> dict[str, Numbers]:
    """Values of the lines by name, shaped like the inputs; with `wanted`, only those, and what they need meanwhile.

    `lines` are in dependency order.  An override replaces a line's value where it is not NaN.
    """
    given = overrides or {}
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if wanted is None:
            return _in_order(list(lines), inputs, given, None)
        needed, keep = needed_for(lines, wanted), set(wanted)
        shape = np.broadcast_shapes(*(column.shape for column in inputs.values()))
        if math.prod(shape) < MANY_ROWS:
            return _in_order(needed, inputs, given, keep)
        needed, same = _of_these_rows(needed, inputs, given, keep)
        values = _in_order(needed, {**inputs, **same}, given, keep)
    return {**values, **inputs, **{name: np.broadcast_to(values[name], shape) for name in keep}}


def _in_order(
    lines: Sequence[Line], inputs: Mapping[str, Numbers], given: Mapping[str, Numbers], keep: set[str] | None
) -> dict[str, Numbers]:
    """Values of the lines one after the other."""
    last_use = {} if keep is None else {read: place for place, line in enumerate(lines) for read in line.reads}
    values: dict[str, Numbers] = dict(inputs)
    for index, line in enumerate(lines):
        values[line.name] = _value(line, values, given)
        if keep is not None:
            _forget(values, line, index, last_use, keep, inputs)
    return values


def _value(line: Line, values: Mapping[str, Numbers], given: Mapping[str, Numbers]) -> Numbers:
    """The value of a line; what it does not read in the rows at hand may be missing."""
    try:
        arguments = {parameter: values[read] for parameter, read in line.bound.items()}
    except KeyError:
        arguments = {parameter: values.get(read, NOT_READ) for parameter, read in line.bound.items()}
    return _overridden(line.figure.formula(**arguments), given.get(line.name))


def _of_these_rows(
    lines: Sequence[Line], inputs: Mapping[str, Numbers], given: Mapping[str, Numbers], wanted: Iterable[str]
) -> tuple[list[Line], dict[str, Numbers]]:
    """The lines to compute for each row, and the values of what is the same in all rows.

    A condition that is the same in all rows leaves one branch; what only the other one reads is not computed.
    """
    read = {name for line in lines for name in line.reads if name in inputs}
    same = {name: inputs[name].reshape(-1)[:1] for name in read if _is_uniform(inputs[name])}
    reads: dict[str, set[str]] = {}
    for line in lines:
        reads[line.name] = _names_read(line, same)
        if reads[line.name] <= same.keys() and line.name not in given:
            same[line.name] = _value(line, same, given)
    return [line for line in _reached(lines, reads, wanted) if line.name not in same], same


def _names_read(line: Line, same: Mapping[str, Numbers]) -> set[str]:
    """Lines and inputs that a line reads in the rows at hand."""
    if not line.figure.chooses:
        return set(line.reads)
    known = {parameter: same[read] for parameter, read in line.bound.items() if read in same}
    return {line.bound[name] for name in names_read(line.figure.expression, known)}


def _is_uniform(column: Numbers) -> bool:
    """Whether a column has one value in all rows; three of them tell most others quickly."""
    values = column.flat
    return values[0] == values[column.size // 2] == values[column.size - 1] and bool((column == values[0]).all())


def _overridden(result: Numbers, given: Numbers | None) -> Numbers:
    whole = np.asarray(result, dtype=np.float64)  # a sum of comparisons is int64, which would overflow further on
    return whole if given is None else np.where(np.isnan(given), whole, given)


def _forget(
    values: dict[str, Numbers],
    line: Line,
    index: int,
    last_use: Mapping[str, int],
    keep: set[str],
    inputs: Mapping[str, Numbers],
) -> None:
    """Drop columns that nobody needs any more, so that a million rows stay in memory."""
    for read in line.reads:
        if last_use[read] == index and read not in keep and read not in inputs:
            values.pop(read, None)


def needed_for(lines: Iterable[Line], wanted: Iterable[str]) -> list[Line]:
    """The lines that the wanted ones are made of, in order."""
    listed = list(lines)
    return _reached(listed, {line.name: line.reads for line in listed}, wanted)


def _reached(lines: Iterable[Line], reads: Mapping[str, Iterable[str]], wanted: Iterable[str]) -> list[Line]:
    """The lines that the wanted ones are made of, in order, where each reads what `reads` says."""
    found = names_needed(reads, wanted)
    return [line for line in lines if line.name in found]


def names_needed(reads: Mapping[str, Iterable[str]], wanted: Iterable[str]) -> set[str]:
    """The names of these lines."""
    found: set[str] = set()
    stack = [name for name in wanted if name in reads]
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack += [read for read in reads[name] if read in reads]
    return found


Table = Callable[[str, Mapping[str, Numbers], Mapping[str, Numbers]], Mapping[str, Numbers]]
"""What computes all lines of a workload over a table of inputs and overrides, here or elsewhere, a value a row."""


class WhenAsked(Mapping[str, Numbers]):
    """Inputs and lines of a workload over a table of `size` rows; a line is worked out when somebody first asks for it.

    Advice tries many changes of a job, and of most of these it reads what decides whether they fit.
    """

    __slots__ = ("_full", "_lines", "_overrides", "_size", "_values")

    def __init__(self, workload: str, inputs: Mapping[str, Numbers], overrides: Mapping[str, Numbers]) -> None:
        self._lines, self._overrides = lines_by_name(workload), overrides
        self._values, self._full = dict(inputs), dict[str, Numbers]()
        self._size = max(column.size for column in inputs.values())

    def __getitem__(self, name: str) -> Numbers:
        found = self._full.get(name)
        if found is None:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                found = self._full[name] = _filled(self._worked_out(name), self._size)
        return found

    def _worked_out(self, name: str) -> Numbers:
        """The value of an input, or of a line after those of all lines that it reads."""
        values, lines = self._values, self._lines
        if name not in values:
            line = lines[name]
            for read in line.reads:
                if read not in values and read in lines:
                    self._worked_out(read)
            values[name] = _value(line, values, self._overrides)
        return values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values or name in self._lines

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._values, *self._lines)))

    def __len__(self) -> int:
        return len(self._values.keys() | self._lines.keys())


def here(workload: str, inputs: Mapping[str, Numbers], overrides: Mapping[str, Numbers]) -> Mapping[str, Numbers]:
    """All lines of a workload over a table, in this process."""
    return WhenAsked(workload, inputs, overrides)


def compute(resolved: Sequence[Resolved], table: Table = here) -> list[Computed]:
    """All variants and table points of all scenarios, as one table a workload."""
    resolved = [rescaled(scenario) for scenario in resolved]
    made: dict[int, Computed] = {}
    for workload in dict.fromkeys(scenario.workload for scenario in resolved):
        members = [(index, scenario) for index, scenario in enumerate(resolved) if scenario.workload == workload]
        values = table(workload, *_stacked([scenario for _, scenario in members]))
        stops = list(accumulate(len(scenario.cases) for _, scenario in members))
        for (index, scenario), stop in zip(members, stops, strict=True):
            rows = RowsOf.of(values, stop - len(scenario.cases), stop)
            made[index] = Computed(scenario, shown_lines(scenario), rows)
    for computed in made.values():
        if computed.resolved.loaded.scenario.tables:
            _check_tables(computed)
    return [made[index] for index in range(len(resolved))]


def rescaled(resolved: Resolved) -> Resolved:
    """The scenario with its times rescaled by the run of one's own that it states, if it states one."""
    measured = resolved.loaded.scenario.measured
    if resolved.measured is None or measured is None:
        return resolved
    values = calculate(
        lines_in_order(resolved.workload), resolved.measured.inputs, resolved.measured.overrides, ("tokens_per_second",)
    )
    factor = float(values["tokens_per_second"][0]) / measured.tokens_per_second
    said = f"{measured.tokens_per_second:.6g} token/s"
    cases = tuple(_measured(case, factor, said) for case in resolved.cases)
    factors = np.asarray([case.settings[TIME_FACTOR] for case in cases], dtype=np.float64)
    return replace(resolved, cases=cases, inputs={**resolved.inputs, TIME_FACTOR: factors}, measured=None)


def _measured(case: Case, factor: float, said: str) -> Case:
    """A case with the factor of the measured run, unless a factor is stated for it."""
    if case.origins[TIME_FACTOR].kind != "default":
        return case
    settings, origin = {**case.settings, TIME_FACTOR: factor}, Origin(MEASURED, said)
    return replace(case, settings=settings, origins={**case.origins, TIME_FACTOR: origin})


def _filled(column: Numbers, size: int) -> Numbers:
    """A column of all cases; a figure without inputs has computed one value for all of them."""
    return column if column.shape == (size,) else np.broadcast_to(column, size)


def _check_tables(computed: Computed) -> None:
    """A table of a figure that has no answer is a fault of the scenario, found before anything is published."""
    scenario, document = computed.resolved.loaded.scenario, computed.resolved.loaded.document
    shown = {line.name for line in computed.lines}
    faults = [
        document.fault(
            ("tables", index, "figure"), "has no answer without the prices of a cost block", found=table.figure
        )
        for index, table in enumerate(scenario.tables)
        if table.figure not in shown
    ]
    if faults:
        raise InputError(faults)


def shown_lines(resolved: Resolved) -> tuple[Line, ...]:
    """The lines that the scenario's inputs can answer: no cost without a price, no buying against rent unasked."""
    return _without(resolved.workload, hidden_groups(resolved))


@lru_cache
def _without(workload: str, titles: tuple[str, ...]) -> tuple[Line, ...]:
    """The lines of a workload but for groups of these titles; a line that is shown shows what it reads, too."""
    hidden = {figure.name for title in titles for figure in group(workload, title).figures} - {GPU_HOURS}
    lines = tuple(_unrented(line) for line in lines_in_order(workload)) if COST in titles else lines_in_order(workload)
    return tuple(needed_for(lines, [line.name for line in lines if line.name not in hidden]))


def _unrented(line: Line) -> Line:
    """The line where nothing is paid: it reads the host's own memory, not that of instances that are rented."""
    return bound_line(line.name, line.figure, UNRENTED[line.name]) if line.name in UNRENTED else line


def hidden_groups(resolved: Resolved) -> tuple[str, ...]:
    """Titles of the groups that have no answer: a price that is not known is never a zero."""
    unasked = ("Demand",) if resolved.workload == "serving" and not _demanded(resolved) else ()
    if resolved.loaded.scenario.cost is None:
        return (*unasked, COST, "Buy against rent")
    priced = all((resolved.inputs[name] > 0).all() for name in ("usd_per_accelerator_hour", "usd_per_accelerator"))
    asked = bool((resolved.inputs["rent_or_buy"] > 0).any())
    return unasked if priced and asked else (*unasked, "Buy against rent")


def _demanded(resolved: Resolved) -> bool:
    """Whether every case says how many users or requests there are."""
    return bool((resolved.inputs["users"] + resolved.inputs["requests_per_second"] > 0).all())


def _stacked(members: Sequence[Resolved]) -> tuple[Mapping[str, Numbers], dict[str, Numbers]]:
    inputs = joined([member.inputs for member in members])
    overridden = dict.fromkeys(name for member in members for name in member.overrides)
    overrides = {
        name: np.concatenate([member.overrides.get(name, np.full(len(member.cases), np.nan)) for member in members])
        for name in overridden
    }
    return inputs, overrides


def units(computed: Computed) -> dict[str, str]:
    """The unit of every figure and input; plain counts and shares read `1`."""
    found = {line.name: str(line.figure.unit) for line in computed.lines}
    for line in computed.lines:
        for parameter, read in line.bound.items():
            found.setdefault(read, str(line.figure.inputs[parameter]))
    return dict(sorted(found.items()))
