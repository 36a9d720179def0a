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
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from memreport import __version__
from memreport.cache import TICK, cache_folder, delete_oldest
from memreport.catalogue.records import Table
from memreport.errors import MemreportError
from memreport.files import MOST_KEPT, read_bytes, sha256, write_whole
from memreport.paths import PACKAGE

Tables = Mapping[str, Table]
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


def _code() -> Iterator[tuple[str, int, int]]:
    for name in READ_BY:
        place = PACKAGE / name
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            found = os.stat(file)  # noqa: PTH116  # for every command, and a Path costs as much again
            yield str(file), found.st_mtime_ns, found.st_size


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
    pickled = pickle.dumps(dict(made), protocol=pickle.HIGHEST_PROTOCOL)
    with suppress(OSError, MemreportError):  # a folder that cannot be written costs time, no tables
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(file, sha256(pickled).encode() + pickled)
        file.chmod(0o600)  # whatever the umask allows: what others may write is not taken
        delete_oldest(file.parent.glob("*.tables"), MOST_TABLES)
