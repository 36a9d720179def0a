"""Where the version before a scenario's present one is found, so that its report can say what changed.

Never in what was published before: a build must not depend on an earlier build.  First a file of the same name in the
folder `previous` beside the scenario; else, where the scenario is in a git repository, the newest commit in which its
`version` was lower, with the prices, models and tables of that commit.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from memreport.catalogue.git.revisions import beside, place_of, top_of, version
from memreport.catalogue.git.trees import git
from memreport.catalogue.load import LoadedScenario
from memreport.errors import InputError
from memreport.files import MOST_YAML, lies, read_text
from memreport.frozen import frozen

FOLDER = "previous"
_VERSION = re.compile(r"^version:\s*(\d+)\s*(?:#.*)?$", re.MULTILINE)
_MOST_COMMITS = 50
"""How far back a lower version is looked for; each commit that touched the version's line counts."""


@frozen
class PreviousVersion:
    """An earlier version: its number, where it stands in words, and a digest of everything it is read from."""

    number: int
    place: str
    digest: str
    path: Path
    commit: str = ""

    @contextmanager
    def file(self) -> Iterator[Path]:
        """The file itself, or a copy that is gone afterwards.  Raises InputError."""
        with version(f"{self.path}@{self.commit}" if self.commit else str(self.path)) as found:
            yield found.path


def previous(loaded: LoadedScenario) -> PreviousVersion | None:
    """The version before; None where there is none, or none that can be found.

    Raises InputError for a file in `previous` whose version is not lower.
    """
    path = loaded.path.parent / FOLDER / loaded.path.name
    if lies(path):
        return _beside(loaded, path)
    if loaded.scenario.version < 2 or shutil.which("git") is None:
        return None
    try:
        return _in_git(loaded)
    except InputError:  # no repository, or a file that it does not hold
        return None


def _beside(loaded: LoadedScenario, path: Path) -> PreviousVersion:
    text = read_text(path, MOST_YAML)
    number = _number(text)
    if number is None or number >= loaded.scenario.version:
        found = f"version {number} in {FOLDER}/{path.name}"
        message = f"must be higher than that of the version before, in the folder {FOLDER}"
        raise InputError([loaded.document.fault(("version",), message, found=found)])
    return PreviousVersion(number, f"{FOLDER}/{path.name}", hashlib.sha256(text.encode()).hexdigest(), path)


def _number(text: str) -> int | None:
    found = _VERSION.search(text)
    return int(found[1]) if found else None


def _in_git(loaded: LoadedScenario) -> PreviousVersion | None:
    """The newest commit in which the version was lower: the last one, or the parent of one that raised it."""
    path = loaded.path.absolute()
    top = top_of(path)
    name = str(place_of(top, path))
    touched = git(top, path, "log", f"-{_MOST_COMMITS}", "--format=%H", "-G^version:", "HEAD", "--", name).split()
    for commit in ("HEAD", *(f"{key}^" for key in touched)):
        number = _version_at(top, path, commit, name)
        if number is not None and number < loaded.scenario.version:
            return _committed(top, path, commit, name, number)
    return None


def _version_at(top: Path, path: Path, commit: str, name: str) -> int | None:
    try:
        return _number(git(top, path, "cat-file", "blob", f"{commit}:{name}"))
    except InputError:  # the file, or the commit's parent, is not there
        return None


def _committed(top: Path, path: Path, commit: str, name: str, number: int) -> PreviousVersion:
    """The digest is of the contents, whatever the commit is called."""
    blob = git(top, path, "rev-parse", f"{commit}:{name}").strip()
    whole = git(top, path, "rev-parse", f"{commit}^{{commit}}").strip()
    made_of = "\n".join([blob, *_beside_in_git(top, path, commit, name)])
    return PreviousVersion(number, f"git, blob {blob[:12]}", hashlib.sha256(made_of.encode()).hexdigest(), path, whole)


def _beside_in_git(top: Path, path: Path, commit: str, name: str) -> list[str]:
    """Names and ids of the files beside it, or why they may not be read, which whoever opens the version is told."""
    try:
        return [f"{entry.id} {entry.name!a}" for entry in beside(top, path, commit, PurePosixPath(name).parent)]
    except InputError as error:
        return [str(error)]
