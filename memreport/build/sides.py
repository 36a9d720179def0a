"""Scenarios of a path, or of a path at a git revision, computed while the copy of that revision is there."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from memreport.catalogue.load import scenario_files
from memreport.catalogue.revisions import Version, version
from memreport.checks import check_all
from memreport.compute import Computed, compute
from memreport.errors import InputError, VerificationError
from memreport.resolve import resolve_all


@dataclass(frozen=True)
class Side:
    """One side of a comparison: its scenarios by id, whether a folder was asked for, and why others cannot be read."""

    scenarios: dict[str, Computed]
    is_folder: bool
    unread: dict[str, str]
    files: dict[str, str] = field(default_factory=dict)
    """The file of each scenario, as the user knows it."""


def side(spec: str, *, partly: bool = False) -> Side:
    """Everything that a spec names, computed while the copy of its revision is there; faults name what was asked.

    Of a folder of which a part is enough, what can be read; then each scenario is read for itself.
    """
    with version(spec) as found:
        is_folder = found.path.is_dir()
        try:
            made, unread = _computed([found.path], found), dict[str, str]()
        except (InputError, VerificationError):
            if not (is_folder and partly):
                raise
            made, unread = _one_by_one(found)
            if not made:
                raise
        files = {one.resolved.loaded.scenario.id: found.as_asked(str(one.resolved.loaded.path)) for one in made}
    return Side({one.resolved.loaded.scenario.id: one for one in made}, is_folder, unread, files)


def _computed(paths: list[Path], found: Version) -> list[Computed]:
    """The scenarios, computed and checked; faults name what was asked."""
    try:
        made = compute(resolve_all(paths))
        check_all(made)
    except InputError as error:
        raise InputError(found.told(error.faults)) from error
    except VerificationError as error:
        raise VerificationError(found.as_asked(str(error))) from error
    return made


def _one_by_one(found: Version) -> tuple[list[Computed], dict[str, str]]:
    """The scenarios of a folder that can be read, and of the others why not, by the name that file and id share."""
    made, unread = list[Computed](), dict[str, str]()
    for path in scenario_files([found.path]):
        try:
            made += _computed([path], found)
        except (InputError, VerificationError) as error:
            first, *others = str(error).splitlines()
            unread[path.stem] = first + (f" (and {len(others)} more)" if others else "")
    return made, unread
