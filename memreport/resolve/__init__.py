"""Step 2, resolve: scenario, model, hardware, variants and table points become one float64 table.

Every value knows where it came from.  A case is one column of the calculation: a variant, or a point of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from memreport.catalogue.load import Catalogue, LoadedScenario, catalogue_for, given_scenario, load
from memreport.catalogue.names import attributes_of
from memreport.catalogue.records import Numbers
from memreport.errors import Fault, InputError
from memreport.frozen import frozen
from memreport.paths import down_to
from memreport.resolve.columns import (
    check_choices,
    codes_of,
    columns_of,
    leave_out_lacking,
    overrides_of,
    unknown_choices,
)
from memreport.resolve.drafts import Resolver
from memreport.resolve.overlay import RowsOf, Settings
from memreport.resolve.records import BASE, Case, Origin, Resolved, ScenarioWarning
from memreport.resolve.rules import check_rules, rule_faults, rules_broken
from memreport.resolve.search_names import unknown_search_names

__all__ = [
    "BASE",
    "Case",
    "Origin",
    "Resolved",
    "ScenarioWarning",
    "resolve",
    "resolve_all",
    "resolve_given",
    "resolve_together",
]


def resolve_all(paths: Sequence[Path]) -> list[Resolved]:
    """Steps 1 and 2 for files and folders.  Raises InputError with every fault that either step finds in any file."""
    return _resolved(*load(paths))


def resolve_given(data: Mapping[str, Any]) -> Resolved:
    """The same for a scenario that is no file, with what lies beside a file of the current folder."""
    faults: list[Fault] = []
    loaded = given_scenario(data, faults)
    found = _resolved([(loaded, catalogue_for(down_to(loaded.path.parent)))] if loaded else [], faults)
    return found[0]


def _resolved(loaded: Iterable[tuple[LoadedScenario, Catalogue]], faults: list[Fault]) -> list[Resolved]:
    listed = list(loaded)
    made = resolve_together(listed)
    for (scenario, catalogue), found in zip(listed, made, strict=True):
        faults += unknown_search_names(scenario, catalogue)
        faults += found if isinstance(found, list) else ()
    if faults:
        raise InputError(dict.fromkeys(faults))
    return [resolved for resolved in made if isinstance(resolved, Resolved)]


def resolve(loaded: LoadedScenario, catalogue: Catalogue) -> Resolved:
    """One scenario as columns.  Raises InputError with every fault that its names, values and points have."""
    found = resolve_together([(loaded, catalogue)])[0]
    if isinstance(found, list):
        raise InputError(dict.fromkeys(found))
    return found


def resolve_together(pairs: Sequence[tuple[LoadedScenario, Catalogue]]) -> list[Resolved | list[Fault]]:
    """Many scenarios, those of one catalogue and workload as one table; in place of one that has them, its faults."""
    groups: dict[tuple[int, str], list[int]] = {}
    for index, (loaded, catalogue) in enumerate(pairs):
        groups.setdefault((id(catalogue), loaded.scenario.workload), []).append(index)
    made: dict[int, Resolved | list[Fault]] = {}
    for members in groups.values():
        made |= zip(members, _one_table([pairs[position] for position in members]), strict=True)
    return [made[position] for position in range(len(pairs))]


@frozen
class _Member:
    """A scenario of a table: its cases, of which a run of one's own is the last, and that run."""

    resolver: Resolver
    cases: list[Case]
    measured: bool


def _member(loaded: LoadedScenario, catalogue: Catalogue) -> _Member:
    resolver = Resolver(loaded, catalogue)
    cases, measured = resolver.cases(), resolver.measured()
    return _Member(resolver, [*cases, *([measured] if measured else [])], measured is not None)


def _one_table(pairs: Iterable[tuple[LoadedScenario, Catalogue]]) -> list[Resolved | list[Fault]]:
    """Scenarios of one catalogue and workload."""
    members = [_member(loaded, catalogue) for loaded, catalogue in pairs]
    _check_choices(members)
    sound = [member for member in members if not member.resolver.faults]
    made = iter(_columns(sound) if sound else ())
    return [member.resolver.faults or next(made) for member in members]


def _check_choices(members: Sequence[_Member]) -> None:
    fields, catalogue = members[0].resolver.fields.values(), members[0].resolver.catalogue
    unknown = unknown_choices(fields, Settings(case.settings for part in members for case in part.cases), catalogue)
    for member, rows in zip(members, _rows_of(members), strict=True):
        if unknown[rows].any():
            others = [] if member.resolver.faults else _faults_beside(member)
            check_choices(member.resolver, member.cases)
            member.resolver.faults += others


def _faults_beside(member: _Member) -> list[Fault]:
    """What breaks rules that read nothing of the choices whose names are unknown: usual ones stand in for those."""
    catalogue, known = member.resolver.catalogue, member.resolver.catalogue.tables
    choices = [field for field in member.resolver.fields.values() if field.kind == "choice"]
    unknown = [
        field
        for field in choices
        if any(case.settings[field.name] not in known[field.table].ids for case in member.cases)
    ]
    usual = {field.name: known[field.table].ids[0] for field in unknown}
    cases = [replace(case, settings={**case.settings, **usual}) for case in member.cases]
    inputs, _ = _inputs([replace(member, cases=cases)], [slice(0, len(cases))])
    supplied = {name for field in unknown for name in attributes_of(field, catalogue)}
    (broken, _), *_ = rules_broken(member.resolver.scenario.workload, inputs, [0])
    return [*rule_faults(member.resolver, cases, [each for each in broken if supplied.isdisjoint(each[1].reads)])]


def _rows_of(members: Sequence[_Member]) -> list[slice]:
    """Where in the table the cases of each scenario stand."""
    ends = list(accumulate(len(member.cases) for member in members))
    return [slice(end - len(member.cases), end) for end, member in zip(ends, members, strict=True)]


def _columns(members: Sequence[_Member]) -> Iterator[Resolved | list[Fault]]:
    """The scenarios, whose names are known, as rows of one table."""
    fields, catalogue = members[0].resolver.fields.values(), members[0].resolver.catalogue
    places = _rows_of(members)
    inputs, overrides = _inputs(members, places)
    codes = codes_of(fields, Settings(case.settings for member in members for case in member.cases), catalogue)
    breaks = rules_broken(members[0].resolver.scenario.workload, inputs, [rows.start for rows in places])
    for member, rows, given, found in zip(members, places, overrides, breaks, strict=True):
        try:
            warnings = check_rules(member.resolver, member.cases, found)
        except InputError as error:
            yield list(error.faults)
            continue
        part, coded = (RowsOf.of(table, rows.start, rows.stop) for table in (inputs, codes))
        base, cases = member.resolver.base(), tuple(member.cases)
        whole = Resolved(member.resolver.loaded, catalogue, cases, base, part, coded, given, warnings)
        yield _of_member(member, whole)


def _inputs(members: Sequence[_Member], places: Sequence[slice]) -> tuple[dict[str, Numbers], list[dict[str, Numbers]]]:
    """The inputs of all cases, and what each scenario gives in place of any."""
    fields, catalogue = members[0].resolver.fields.values(), members[0].resolver.catalogue
    inputs = columns_of(fields, Settings(case.settings for member in members for case in member.cases), catalogue)
    overrides = [overrides_of(member.cases) for member in members]
    for rows, given in zip(places, overrides, strict=True):
        for name in given.keys() & inputs.keys():
            inputs[name][rows] = np.where(np.isnan(given[name]), inputs[name][rows], given[name])
    for member, rows in zip(members, places, strict=True):
        leave_out_lacking(inputs, rows, member.cases, member.resolver.loaded.words)
    return inputs, overrides


def _of_member(member: _Member, whole: Resolved) -> Resolved:
    """The scenario, with the run of one's own apart."""
    if not member.measured:
        return whole
    last = len(whole.cases) - 1
    return replace(whole.part(0, last), measured=whole.part(last, last + 1))
