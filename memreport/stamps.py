"""Which files are as they were: one whose size and times have not changed is not read again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memreport.files import sha256, write_whole

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
        try:
            data = json.loads(kept.read_text(encoding="utf-8"))
            self.asked, self.names, self.warnings = str(data["asked"]), list(data["names"]), list(data["warnings"])
            self.seen = {path: tuple(found) for path, found in data["seen"].items()}
            self.hashes = {path: (tuple(found), digest) for path, (found, digest) in data["hashes"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.asked = ""  # none yet, or not ours: everything is looked at

    def nothing_changed(self, asked: str) -> bool:
        """Whether the same was asked for, and every input and output looks as it did."""
        return bool(self.asked) and self.asked == asked and all(stamp(path) == was for path, was in self.seen.items())

    def sha256(self, path: Path) -> str:
        """Hash of a file, without reading it where it looks as it did when it was read last."""
        now = stamp(path)
        was, digest = self.hashes.get(str(path), (GONE, ""))
        if now != was or not digest:
            digest = sha256(path.read_bytes())
        self.hashes[str(path)] = now, digest
        return digest

    def made(self, path: Path, digest: str) -> None:
        """Remember an output that has just been written."""
        self.hashes[str(path)] = stamp(path), digest

    def keep(self, asked: str, seen: Mapping[str, Stamp], names: Sequence[str], warnings: Sequence[str]) -> None:
        """Write it down for the next build, with the scenarios that were asked for and what was said of them."""
        said = {"asked": asked, "names": names, "warnings": warnings}
        data: dict[str, Any] = {**said, "seen": seen, "hashes": self.hashes}
        write_whole(self.kept, json.dumps(data).encode())
