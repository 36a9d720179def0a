"""Step 2, resolve: scenario, model, hardware, variants and table points become one float64 table.

Every value knows where it came from.  A case is one column of the calculation: a variant, or a point of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from memreport.catalogue.load import Catalogue, LoadedScenario, catalogue_for, given_scenario, load
from memreport.errors import Fault, InputError
from memreport.paths import down_to
from memreport.resolve.columns import codes_of, columns_of, overrides_of
from memreport.resolve.drafts import Resolver
from memreport.resolve.records import BASE, Case, Origin, Resolved, ScenarioWarning
from memreport.resolve.rules import check_rules
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
    resolved = []
    for one, catalogue in loaded:
        faults += unknown_search_names(one, catalogue)
        try:
            resolved.append(resolve(one, catalogue))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(dict.fromkeys(faults))
    return resolved


def resolve(loaded: LoadedScenario, catalogue: Catalogue) -> Resolved:
    """One scenario as columns.  Raises InputError with every fault that its names, values and points have."""
    resolver = Resolver(loaded, catalogue)
    cases = resolver.cases()
    measured = resolver.measured()
    shown, cases = len(cases), [*cases, *([measured] if measured else [])]
    codes = codes_of(resolver, cases)
    if resolver.faults:
        raise InputError(dict.fromkeys(resolver.faults))
    inputs = columns_of(resolver.fields.values(), [case.settings for case in cases], catalogue)
    overrides = overrides_of(cases)
    for name in set(overrides) & set(inputs):
        inputs[name] = np.where(np.isnan(overrides[name]), inputs[name], overrides[name])
    cautions = check_rules(resolver, cases, inputs)
    whole = Resolved(loaded, catalogue, tuple(cases), inputs, codes, overrides, cautions)
    return replace(whole.part(0, shown), measured=whole.part(shown, len(cases)) if measured else None)
