"""Tables of a catalogue without faults, kept for the next process: reading them takes longer than a scenario's figures.

A file for each set of folders lies beside the kept answers.  It is taken while no file of the tables, nor the code that
reads them, looks otherwise; what is damaged, or cannot be read or written, counts as none.
"""

from __future__ import annotations

import os
import pickle
import stat
import sys
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from memreport import __version__
from memreport.cache import TICK, cache_folder, delete_oldest
from memreport.catalogue.records import Column, Table
from memreport.errors import MemreportError
from memreport.files import MOST_KEPT, files_below, read_bytes, sha256, write_whole
from memreport.paths import PACKAGE

Tables = Mapping[str, Table]
Folders = tuple[tuple[Path, ...], tuple[Path, ...]]
"""Of scenarios and of hardware."""
Seen = tuple[tuple[str, int, int], ...]
"""Files with the time of their last change in nanoseconds and their size."""
DIGEST_BYTES = 64
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
MOST_TABLES = 20
"""Catalogues, of half a megabyte each; those that were read first go first."""
READ_BY = ("errors.py", "files.py", "catalogue", "figures", "formula")
"""The code that makes tables of files: columns and units are those that figures read."""


def cached_or_read(seen: Seen, read: Callable[[], Tables], faulty: Callable[[], bool]) -> Tables:
    """The tables that are kept of these files, or those that `read` gives, which are then kept unless `faulty`."""
    folder = cache_folder()
    if folder is None:
        return read()
    whole = (*seen, *_code())
    file = folder / f"{sha256(repr((__version__, sys.version, whole)).encode())}.tables"
    began = time.time_ns()
    known = _known(file)
    if known is not None:
        return known
    made = read()
    if not faulty() and all(changed < began - TICK for _, changed, _ in whole):
        _keep(file, made)
    return made


def files_seen(folders: Folders) -> Iterator[tuple[str, int, int]]:
    """Every file that a catalogue may read, with when it was written and its size."""
    scenarios, hardware = folders
    places = [*hardware, *(path / "accelerators" for path in hardware)]
    places += [scenario / name for scenario in scenarios for name in ("reference", "models")]
    for place in map(str, places):
        yield from _files_in(place)


def _files_in(place: str) -> Seen:
    names = sorted(os.listdir(place)) if os.path.isdir(place) else ()  # noqa: PTH112, PTH208  # as in _looks
    return tuple(_looks(f"{place}/{name}") for name in names if name.endswith(".yaml"))


def _looks(file: str) -> tuple[str, int, int]:
    """How a file looks, of a link what it leads to; asked for every command, and a Path would take as long again."""
    try:
        found = os.stat(file)  # noqa: PTH116
    except OSError:
        found = os.lstat(file)
    return file, found.st_mtime_ns, found.st_size


def _code() -> Iterator[tuple[str, int, int]]:
    for name in READ_BY:
        place = f"{PACKAGE}/{name}"
        yield from map(_looks, sorted(files_below(place, (".py",))) or [place])


def _known(file: Path) -> Tables | None:
    """What was kept there, where nobody but this user can have written it: a pickle may hold any code."""
    if not all(_own(path) for path in (file.parent, file)):
        return None
    try:
        data = read_bytes(file, MOST_KEPT)
    except MemreportError:
        return None
    digest, pickled = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    if sha256(pickled).encode() != digest:
        return None
    made: Tables = pickle.loads(pickled)  # noqa: S301  # its digest is its own
    return made


def _own(path: Path) -> bool:
    """Whether a file or folder is this user's, and no others may write it."""
    try:
        found = path.stat()
    except OSError:
        return False
    return found.st_uid == os.getuid() and not found.st_mode & OTHERS_WRITE


def _keep(file: Path, made: Tables) -> None:
    pickled = pickle.dumps(_sharing(made), protocol=pickle.HIGHEST_PROTOCOL)
    with suppress(OSError, MemreportError):  # a folder that cannot be written costs time, no tables
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(file, sha256(pickled).encode() + pickled)
        file.chmod(0o600)  # whatever the umask allows: what others may write is not taken
        delete_oldest(file.parent.glob("*.tables"), MOST_TABLES)


def _sharing(made: Tables) -> dict[str, Table]:
    """The tables with equal texts and sources as one object, which is written and read once: a tenth of the time."""
    known: dict[Hashable, Any] = {}

    def once(values: tuple[Any, ...]) -> Any:
        each = tuple(known.setdefault(value, value) for value in values)
        return known.setdefault(each, each)

    def shared(column: Column) -> Column:
        return replace(column, sources=once(column.sources), bases=once(column.bases), notes=once(column.notes))

    return {
        name: replace(table, columns={of: shared(column) for of, column in table.columns.items()})
        for name, table in made.items()
    }
