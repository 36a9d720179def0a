"""What changed in a scenario since its previous version: found, computed with the present formulas, compared."""

from __future__ import annotations

from pathlib import Path

from memreport.advise.comparisons.counts import on_enough_gpus
from memreport.catalogue.git.previous import PreviousVersion, previous
from memreport.catalogue.load import Catalogue, LoadedScenario, read_scenario
from memreport.checks import check
from memreport.compute import Computed, compute
from memreport.errors import Fault, InputError, MemreportError
from memreport.report.changes.difference import difference
from memreport.report.records.changes.versions import VersionComparison
from memreport.resolve import Resolved, resolve, resolve_all


def since_previous(computed: Computed) -> VersionComparison:
    """The difference to the version before, or in words why there is none.

    Raises InputError, see `previous`, and OSError or InputError for what cannot be read just now.
    """
    resolved = computed.resolved
    found = previous(resolved.loaded)
    if found is None:
        return VersionComparison("", _nothing(resolved.loaded))
    try:
        made = difference(_computed(found, resolved.catalogue), computed)
    except OSError:
        raise
    except MemreportError as error:
        if isinstance(error, InputError) and any(fault.is_of_the_machine for fault in error.faults):
            raise
        return VersionComparison(found.place, _cannot(found, _reason(error)))
    except Exception as error:  # noqa: BLE001  # what an older program read must not stop what this one publishes
        return VersionComparison(found.place, _cannot(found, f"{type(error).__name__}: {error}"))
    return VersionComparison(found.place, made.sentence, made)


def _cannot(found: PreviousVersion, reason: str) -> str:
    return f"The previous version ({found.number}) cannot be computed with this program: {reason.rstrip('.')}."


def _reason(error: MemreportError) -> str:
    """The first fault, with its file's name but without its folder, which is a copy or another machine's."""
    if not isinstance(error, InputError):
        return str(error).partition("\n")[0]
    first = error.faults[0]
    place = ":".join(str(part) for part in (Path(first.file).name, first.line or "") if part)
    return f"{place}: {f'{first.field}: ' if first.field else ''}{first.message}"


def _computed(found: PreviousVersion, catalogue: Catalogue) -> Computed:
    before = on_enough_gpus(compute([_resolved(found, catalogue)])[0])
    check(before)
    return before


def _resolved(found: PreviousVersion, catalogue: Catalogue) -> Resolved:
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
