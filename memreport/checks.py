"""Step 4, verify: every figure is finite and, but for differences, not negative; sums agree with their parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memreport.catalogue.quantities import display
from memreport.catalogue.records import Numbers
from memreport.compute import Computed
from memreport.errors import Fault, VerificationError
from memreport.figures.constants import TOLERANCE
from memreport.figures.registry import RANGES, may_be_negative
from memreport.formula.recording import Line
from memreport.resolve import Case
from memreport.resolve.overlay import RowsOf

SUMS = {
    "parameters": (
        "embedding_parameters",
        "position_parameters",
        "attention_parameters",
        "mlp_parameters",
        "norm_parameters",
        "head_parameters",
        "extra_parameters",
    ),
    "cost_total_usd": ("subtotal_usd", "contingency_usd", "tax_usd"),
}


def check(computed: Computed) -> None:
    """Raise VerificationError with every figure of every case that is not a sound number."""
    check_all([computed])


def check_all(found: Sequence[Computed]) -> None:
    """The same for many scenarios, which may be rows of one table.  The first that is unsound is raised."""
    doubtful: dict[tuple[int, int], NDArray[np.bool_]] = {}
    for computed in found:
        table, first = (
            (computed.values.table, computed.values.first)
            if isinstance(computed.values, RowsOf)
            else (computed.values, 0)
        )
        key = id(table), id(computed.lines)
        if key not in doubtful:
            doubtful[key] = _doubtful(computed.lines, table)
        if doubtful[key][first : first + len(computed.resolved.cases)].any():
            _check_each(computed)


def _doubtful(lines: Sequence[Line], table: Mapping[str, Numbers]) -> NDArray[np.bool_]:
    """The rows of a table in which any line may be wrong: those are then looked at one by one."""
    names = [line.name for line in lines]
    found = np.zeros(len(table[names[0]]), dtype=np.bool_)
    for name in names:
        found |= _bad(table[name], name)
    for whole, parts in SUMS.items():
        found |= _sum_differs(table, whole, parts)[1]
    for each in _ranges(names):
        found |= _outside(table, each)
    found |= table["given_surplus_bytes"] != 0
    return found


def _check_each(computed: Computed) -> None:
    faults = [*_unsound(computed), *_wrong_sums(computed), *_wrong_parts(computed), *_wrong_ranges(computed)]
    if faults:
        raise VerificationError("\n".join(str(fault) for fault in faults))


def _unsound(computed: Computed) -> Iterable[Fault]:
    """The first line of each case that is no sound number: what follows from it is unsound too, and only counted."""
    bad = {line.name: _bad(computed.values[line.name], line.name) for line in computed.lines}
    for index in range(len(computed.resolved.cases)):
        names = [name for name, cases in bad.items() if cases[index]]
        if names:
            more = f", nor are {len(names) - 1} more figures" if names[1:] else ""
            found = repr(float(computed.values[names[0]][index]))
            yield _fault(computed, index, names[0], f"is no sound number{more}", found)


def _bad(column: Numbers, name: str) -> NDArray[np.bool_]:
    finite = np.isfinite(column)
    return ~finite if may_be_negative(name) else ~finite | (column < 0)


def _wrong_sums(computed: Computed) -> Iterable[Fault]:
    for whole, parts in SUMS.items():
        if whole in computed.resolved.overrides or set(parts) & set(computed.resolved.overrides):
            continue
        added, wrong = _sum_differs(computed.values, whole, parts)
        for index in np.flatnonzero(wrong):
            yield _fault(computed, int(index), whole, "differs from the sum of its parts", repr(float(added[index])))


def _sum_differs(
    values: Mapping[str, Numbers], whole: str, parts: tuple[str, ...]
) -> tuple[Numbers, NDArray[np.bool_]]:
    """The sum of the parts, and where the whole is another number."""
    added = np.sum([values[part] for part in parts], axis=0)
    return added, np.abs(added - values[whole]) > TOLERANCE * np.abs(added)


def _wrong_parts(computed: Computed) -> Iterable[Fault]:
    """A peak that is more or less than the parts that are shown of it, although no figure is given."""
    lines = {line.name for line in computed.lines}
    for index in np.flatnonzero(computed.values["given_surplus_bytes"]):
        if not lines & computed.resolved.cases[index].overrides.keys():
            found = repr(float(computed.values["given_surplus_bytes"][index]))
            yield _fault(computed, int(index), "peak_bytes", "differs from the sum of its parts", found)


def _wrong_ranges(computed: Computed) -> Iterable[Fault]:
    """An expected value outside its own range: an override of one of the three, or an input, contradicts the rest."""
    units = {line.name: str(line.figure.unit) for line in computed.lines}
    for names in _ranges(units):
        for index in np.flatnonzero(_outside(computed.values, names)):
            texts = [display(float(computed.values[name][index]), units[names[1]]) for name in names]
            message = f"must lie between {names[0]} and {names[2]}"
            yield _fault(computed, int(index), names[1], message, f"{texts[1]} between {texts[0]} and {texts[2]}")


def _ranges(known: Collection[str]) -> Iterable[tuple[str, str, str]]:
    """Low end, expected value and high end of every estimate that is there."""
    return (names for names in RANGES if set(names) <= set(known))


def _outside(values: Mapping[str, Numbers], names: tuple[str, str, str]) -> NDArray[np.bool_]:
    """Where an expected value lies outside its own range."""
    low, expected, high = (values[name] for name in names)
    slack = TOLERANCE * np.abs(expected)
    return np.asarray((low > expected + slack) | (expected > high + slack))


def _fault(computed: Computed, index: int, name: str, message: str, found: str) -> Fault:
    case = computed.resolved.cases[index]
    point = f", table {case.table + 1} row {case.row + 1} column {case.column + 1}" if case.table >= 0 else ""
    document = computed.resolved.loaded.document
    mark = document.mark(_given(computed, case))
    return Fault(f"{message} in variant {case.name}{point}", *mark, field=name, found=found)


def _given(computed: Computed, case: Case) -> tuple[str, ...]:
    """Where the case overrides something, which is most often why; else the whole file."""
    marks = computed.resolved.loaded.document.marks
    tries: list[tuple[str, ...]] = [("overrides", name) for name in case.overrides]
    tries += [("variants", case.name, f"overrides.{name}") for name in case.overrides]
    return next((place for place in tries if place in marks), ())
