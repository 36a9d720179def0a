"""Which files are as they were: one whose size and times have not changed is not read again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memreport.cache import read_cached, write_cached
from memreport.files import digest_of, sha256
from memreport.paths import PACKAGE, data_root

Stamp = tuple[int, int, int]
"""Size, and the times at which contents and entry last changed, in nanoseconds; nothing of these can be set back."""
GONE: Stamp = (-1, -1, -1)


def stamp(path: str | Path) -> Stamp:
    """How a file or folder looks from outside."""
    try:
        found = os.stat(path)  # noqa: PTH116  # called thousands of times, and a Path costs as much again
    except OSError:
        return GONE
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns


def inside(folders: Iterable[Path], endings: tuple[str, ...], but: Path) -> Iterator[str]:
    """Every folder but one, whose time tells what was added or removed, and every file of such an ending."""
    for folder in folders:
        for place, below, names in os.walk(folder):
            below[:] = [name for name in below if Path(place, name) != but]
            yield place
            yield from (f"{place}/{name}" for name in names if name.endswith(endings))


class Stamps:
    """What a build has seen and made, and under which conditions; kept beside its outputs, and only to save time."""

    def __init__(self, kept: Path) -> None:
        self.kept = kept
        self.asked = ""
        self.names: list[str] = []
        self.warnings: list[str] = []
        self.seen: dict[str, Stamp] = {}
        self.hashes: dict[str, tuple[Stamp, str]] = {}
        if (data := read_cached(kept)) is not None:  # else none yet, or not ours: everything is looked at
            self.asked, self.names, self.warnings = str(data["asked"]), list(data["names"]), list(data["warnings"])
            self.seen = {self._absolute(path): tuple(found) for path, found in data["seen"].items()}
            hashes = {self._absolute(path): (tuple(found), digest) for path, (found, digest) in data["hashes"].items()}
            self.hashes = hashes

    def nothing_changed(self, asked: str) -> bool:
        """Whether the same was asked for, and every input and output looks as it did."""
        same = bool(self.asked) and self.asked == sha256(asked.encode())
        return same and all(stamp(path) == was for path, was in self.seen.items())

    def sha256(self, path: Path) -> str:
        """Hash of a file, without reading it where it looks as it did when it was read last."""
        now = stamp(path)
        key = os.path.abspath(path)  # noqa: PTH100  # a Path would follow no `..` and costs as much again
        was, digest = self.hashes.get(key, (GONE, ""))
        if now != was or not digest:
            digest = digest_of(path)
        self.hashes[key] = now, digest
        return digest

    def made(self, path: Path, digest: str) -> None:
        """Remember an output that has just been written."""
        self.hashes[os.path.abspath(path)] = stamp(path), digest  # noqa: PTH100

    def keep(self, asked: str, seen: Mapping[str, Stamp], names: Sequence[str], warnings: Sequence[str]) -> None:
        """Write it down for the next build, with the scenarios that were asked for and what was said of them."""
        said = {"asked": sha256(asked.encode()), "names": names, "warnings": warnings}
        places = {self._relative(path): was for path, was in seen.items()}
        hashes = {self._relative(path): found for path, found in self.hashes.items()}
        data: dict[str, Any] = {**said, "seen": places, "hashes": hashes}
        write_cached(self.kept, data)

    def _relative(self, path: str) -> str:
        """A path as it is written down: of the program, of its data, or from the folder of outputs, never absolute."""
        whole = os.path.abspath(path)  # noqa: PTH100
        for mark, root in self._roots():
            if whole.startswith(root + os.sep):
                return mark + whole[len(root) :]
        return os.path.relpath(whole, self._home())

    def _absolute(self, path: str) -> str:
        """The path that was written down so."""
        for mark, root in self._roots():
            if path.startswith(mark + os.sep):
                return root + path[len(mark) :]
        return os.path.normpath(os.path.join(self._home(), path))  # noqa: PTH118

    def _home(self) -> str:
        return os.path.abspath(self.kept.parent)  # noqa: PTH100

    @staticmethod
    def _roots() -> Iterator[tuple[str, str]]:
        yield "<program>", str(PACKAGE)
        yield "<data>", str(data_root())
