"""Scenarios as they stood in a git revision: `scenario.yaml@HEAD~1`, with the hardware and model cards beside them."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath, PurePosixPath

from memreport.errors import Fault, InputError, MachineError, nearest
from memreport.paths import data_root

BESIDE = ("models", "reference", "hardware")
"""Folders beside a scenario that its figures are made of; `hardware` may also lie one folder higher."""

_SPEC = re.compile(r"(?P<path>.+?\.ya?ml|[^@]+)@(?P<revision>.+)")
INSTALL = "sudo apt-get install --no-install-recommends git"


@contextmanager
def version(spec: str) -> Iterator[Path]:
    """The path itself, or a copy of what PATH@REVISION was; the copy is gone afterwards.

    Raises InputError for a path, repository or revision that is not there, MachineError without git.
    """
    match = _SPEC.fullmatch(spec)
    if Path(spec).exists() or match is None:
        if not Path(spec).exists():
            raise InputError([Fault("no such file or folder", spec, nearest=_neighbour(Path(spec)))])
        yield Path(spec)
        return
    with tempfile.TemporaryDirectory(prefix="memreport-") as folder:
        yield _copy(Path(match["path"]), match["revision"], Path(folder))


def _neighbour(path: Path) -> str:
    names = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    return nearest(path.name, names)


def _copy(path: Path, revision: str, folder: Path) -> Path:
    """Write what the path and the folders beside it were in that revision below `folder`, which is made complete."""
    top = top_of(path)
    commit = _commit(top, path, revision)
    place = PurePosixPath(path.resolve().relative_to(top.resolve()).as_posix())
    names = _listed(top, path, commit, str(place))
    if not names:
        raise InputError([Fault(f"is not in revision {revision}", str(path))])
    home = place if path.suffix not in (".yaml", ".yml") else place.parent
    for name, content in _contents(top, path, commit, [*names, *beside(top, path, commit, home)]):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder / place


def _contents(top: Path, path: Path, commit: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """What files were in a commit, by one run of git: a line with each one's size, then its bytes."""
    asked = "".join(f"{commit}:{name}\n" for name in names).encode("utf-8", "surrogateescape")
    said = io.BytesIO(_bytes(top, path, "cat-file", "--batch", given=asked))
    for name in names:
        size = int(said.readline().split()[-1])
        yield name, said.read(size)
        said.read(1)


def top_of(path: Path) -> Path:
    """The folder of the git repository that a path lies in.  Raises InputError, MachineError."""
    start = next(parent for parent in path.absolute().parents if parent.is_dir())
    return Path(git(start, path, "rev-parse", "--show-toplevel").strip())


def _commit(top: Path, path: Path, revision: str) -> str:
    """The commit that a revision names."""
    try:
        return git(top, path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").strip()
    except InputError as error:
        names = git(top, path, "for-each-ref", "--format=%(refname:short)").split()
        fault = Fault("no such git revision", str(path), found=repr(revision), nearest=nearest(revision, names))
        raise InputError([fault]) from error


def _listed(top: Path, path: Path, commit: str, place: str) -> list[str]:
    """Files in a commit at a path or below it."""
    below = () if place == "." else (place,)
    found = git(top, path, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", *below)
    return [name for name in found.split("\0") if name.endswith((".yaml", ".yml", ".json"))]


def beside(top: Path, path: Path, commit: str, home: PurePath) -> list[str]:
    """Files of the folders beside a scenario; of the packaged catalogue only the prices, whose rows are merged."""
    if (top / home).resolve() == (data_root() / "scenarios").resolve():
        return _listed(top, path, commit, str(home.parent / "hardware" / "prices.yaml"))
    places = [*(home / name for name in BESIDE), home.parent / "hardware"]
    return [name for place in dict.fromkeys(places) for name in _listed(top, path, commit, str(place))]


def git(where: Path, path: Path, *arguments: str) -> str:
    """What git prints of a repository.  Raises InputError with its complaint, MachineError without git."""
    return _bytes(where, path, *arguments).decode("utf-8", "surrogateescape")


def _bytes(where: Path, path: Path, *arguments: str, given: bytes = b"") -> bytes:
    """What git prints; its complaint is a fault of the path."""
    program = shutil.which("git")
    if program is None:
        raise MachineError(f"git is needed to read {path} at a revision; run: {INSTALL}")
    done = subprocess.run([program, "-C", str(where), *arguments], input=given, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
        outside = "not a git repository" in said
        raise InputError([Fault("is not in a git repository" if outside else said or "git failed", str(path))])
    return done.stdout
