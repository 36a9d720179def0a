"""Scenarios as they stood in a git revision: `scenario.yaml@HEAD~1`, with the hardware and model cards beside them."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath, PurePosixPath
from posixpath import join, normpath

from memreport.catalogue.git.trees import TreeEntry, contents, git, listed
from memreport.catalogue.tables.required import LACKING
from memreport.errors import Fault, InputError, nearest
from memreport.frozen import frozen
from memreport.paths import data_root

BESIDE = ("models", "reference", "hardware")
"""Folders beside a scenario that its figures are made of; `hardware` may also lie one folder higher."""

_SPEC = re.compile(r"(?P<path>.+?\.ya?ml|[^@]+)@(?P<revision>.+)")


@frozen
class Version:
    """What a user asked for, the path at which it can be read, and for a revision the copy that holds it."""

    asked: str
    path: Path
    top: Path = Path()
    copy: Path | None = None

    def as_asked(self, text: str) -> str:
        """A text with files of the copy, which is gone when somebody reads it, named as in the repository."""
        if self.copy is None:
            return text
        name, _, revision = self.asked.rpartition("@")
        copy, at_revision = re.escape(str(self.copy)), f"@{revision}"
        text = re.sub(rf"{re.escape(str(self.path))}([^\s:,]*)", lambda found: name + found[1] + at_revision, text)
        return re.sub(rf"{copy}([^\s:,]*)", lambda found: f"{self.top}{found[1]}{at_revision}", text)

    def renamed(self, fault: Fault) -> Fault:
        """The fault with files as the user knows them."""
        words = {name: getattr(fault, name) for name in fault.__slots__}
        named = {name: self.as_asked(words[name]) for name in ("file", "message", "found", "expected")}
        return Fault(**(words | named))

    def told(self, faults: Sequence[Fault]) -> list[Fault]:
        """The faults as the user knows them; what all tables of a revision lack is one, since nobody mends the past."""
        named = [self.renamed(fault) for fault in faults]
        lacking = [fault for fault in named if fault.message == LACKING]
        if self.copy is None or len(lacking) < 2:
            return named
        older = "its tables are older than the figures, so it cannot be compared"
        general = Fault(older, self.asked, found=_columns_lacking(lacking), expected="a later revision")
        return [general, *(fault for fault in named if fault.message != LACKING)]


def _columns_lacking(faults: Sequence[Fault]) -> str:
    """How many columns each table lacks."""
    tables = Counter(Path(fault.file.partition("@")[0]).name for fault in faults)
    return f"columns lacking: {', '.join(f'{count} in {table}' for table, count in tables.items())}"


ALLOWED = "a file or folder, or one at a revision of git: scenarios@HEAD~1"


@contextmanager
def version(spec: str) -> Iterator[Version]:
    """The path itself, or a copy of what PATH@REVISION was; the copy is gone afterwards.

    Raises InputError for a path, repository or revision that is not there, MachineError without git.
    """
    match = _SPEC.fullmatch(spec)
    if Path(spec).exists() or match is None:
        if not Path(spec).exists():
            near = _neighbour(Path(spec))
            raise InputError([Fault("no such file or folder", spec, expected=ALLOWED, nearest=near)])
        yield Version(spec, Path(spec))
        return
    with tempfile.TemporaryDirectory(prefix="memreport-") as folder:
        path = Path(match["path"])
        yield Version(spec, _copy(path, match["revision"], Path(folder)), top_of(path), Path(folder))


def bring(found: Version, names: Iterable[str]) -> None:
    """Lay out further files of the same revision, named from the folder of the first, with what stands beside each.

    Raises InputError for a name that leads out of the repository.
    """
    if found.copy is None:
        return
    path, home = Path(parted(found.asked)[0]), found.path.parent.relative_to(found.copy).as_posix()
    places = {PurePosixPath(normpath(join(home, name))) for name in names}
    if out := sorted(str(place) for place in places if place.is_absolute() or ".." in place.parts):
        raise InputError([Fault("names a file outside its git repository", str(path), found=out[0])])
    commit = _commit(found.top, path, parted(found.asked)[1])
    entries = listed(found.top, path, commit, [str(place) for place in places])
    entries += [
        entry for folder in {place.parent for place in places} for entry in beside(found.top, path, commit, folder)
    ]
    new = {entry.name: entry for entry in entries if not (found.copy / entry.name).exists()}
    for name, content in contents(found.top, path, list(new.values())):
        _lay_out(found.copy, name, content, path)


def parted(spec: str) -> tuple[str, str]:
    """Path and revision of PATH@REVISION; no revision where a file or folder of that very name is there."""
    match = _SPEC.fullmatch(spec)
    return (spec, "") if Path(spec).exists() or match is None else (match["path"], match["revision"])


def is_in(path: Path, revision: str) -> bool:
    """Whether a revision holds a path.  Raises InputError for a revision or repository that is not there."""
    top = top_of(path)
    return bool(listed(top, path, _commit(top, path, revision), [str(place_of(top, path))]))


def _neighbour(path: Path) -> str:
    names = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    return nearest(path.name, names)


def _copy(path: Path, revision: str, folder: Path) -> Path:
    """Lay out what the path and the folders beside it were in that revision below `folder`, which is made complete."""
    top = top_of(path)
    commit = _commit(top, path, revision)
    place = place_of(top, path)
    if not listed(top, path, commit, [str(place)]):
        raise InputError([Fault(f"is not in revision {revision}", str(path))])
    home = place if path.suffix not in (".yaml", ".yml") else place.parent
    for name, content in contents(top, path, _with_beside(top, path, commit, place, home)):
        _lay_out(folder, name, content, path)
    return folder / place


def place_of(top: Path, path: Path) -> PurePosixPath:
    """Where a path lies in its repository."""
    try:
        return PurePosixPath(path.resolve().relative_to(top.resolve()).as_posix())
    except ValueError as error:
        raise InputError([Fault("is a link that leads out of its git repository", str(path))]) from error


def _with_beside(top: Path, path: Path, commit: str, place: PurePath, home: PurePath) -> list[TreeEntry]:
    found = [*listed(top, path, commit, [str(place)]), *beside(top, path, commit, home)]
    return list({entry.name: entry for entry in found}.values())


def _lay_out(folder: Path, name: str, content: bytes, path: Path) -> None:
    """Write a file that is not there yet below the folder; `listed` has refused every name that leads out of it."""
    target = folder / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as stream:
            stream.write(content)
    except OSError as error:
        raise InputError([Fault(f"{name} cannot be read from git: {error.strerror}", str(path))]) from error


def top_of(path: Path) -> Path:
    """The folder of the git repository that a path lies in.  Raises InputError, MachineError."""
    start = next(parent for parent in (path.absolute(), *path.absolute().parents) if parent.is_dir())
    return Path(git(start, path, "rev-parse", "--show-toplevel").strip())


def _commit(top: Path, path: Path, revision: str) -> str:
    """The commit that a revision names."""
    try:
        return git(top, path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").strip()
    except InputError as error:
        names = git(top, path, "for-each-ref", "--format=%(refname:short)").split()
        fault = Fault("no such git revision", str(path), found=repr(revision), nearest=nearest(revision, names))
        raise InputError([fault]) from error


def beside(top: Path, path: Path, commit: str, home: PurePath) -> list[TreeEntry]:
    """Files of the folders beside a scenario; of the packaged catalogue only the prices, whose rows are merged."""
    if (top / home).resolve() == (data_root() / "scenarios").resolve():
        return listed(top, path, commit, [str(home.parent / "hardware" / "prices.yaml")])
    places = [*(home / name for name in BESIDE), home.parent / "hardware"]
    return listed(top, path, commit, [str(place) for place in dict.fromkeys(places)])
