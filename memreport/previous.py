"""What changed in a scenario since its previous version: found, computed with the present formulas, compared."""

from __future__ import annotations

from memreport.catalogue.load import Catalogue, LoadedScenario, read_scenario
from memreport.catalogue.previous import Found, previous
from memreport.compute import Computed, compute
from memreport.errors import Fault, InputError
from memreport.publish.changes import SinceThen
from memreport.publish.difference import difference
from memreport.resolve import Resolved, resolve, resolve_all


def since_previous(computed: Computed) -> SinceThen:
    """The difference to the version before, or in words why there is none.  Raises InputError, see `previous`."""
    resolved = computed.resolved
    found = previous(resolved.loaded)
    if found is None:
        return SinceThen("", _nothing(resolved.loaded))
    try:
        before = compute([_resolved(found, resolved.catalogue)])[0]
    except InputError as error:
        return SinceThen(found.place, f"Version {found.number} can no longer be read: {error.faults[0].message}.")
    made = difference(before, computed)
    return SinceThen(found.place, made.sentence, made)


def _resolved(found: Found, catalogue: Catalogue) -> Resolved:
    """The scenario as it was: from git with the prices of its time, from a file with those of today."""
    with found.file() as path:
        if found.commit:
            return resolve_all([path])[0]
        faults: list[Fault] = []
        loaded = read_scenario(path, faults)
        if loaded is None or faults:
            raise InputError(faults)
        return resolve(loaded, catalogue)


def _nothing(loaded: LoadedScenario) -> str:
    if loaded.scenario.version < 2:
        return "This is the first version."
    return "No earlier version was found, neither in the folder previous nor in git."


def previous_key(loaded: LoadedScenario) -> str:
    """What decides the comparison, for the question whether a build is out of date."""
    found = previous(loaded)
    return f"{found.number} {found.digest}" if found else ""
