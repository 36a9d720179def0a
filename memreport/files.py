"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memreport.errors import Fault, InputError

PART = ".part"
"""Ending of a file that is being written."""


def write_whole(path: Path, data: bytes) -> None:
    """Write beside the target, then rename: a reader sees the old file or the new one, never a part.

    Raises OSError where the target is a folder or device, which a rename would replace.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PART, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def sha256(data: bytes) -> str:
    """Hash in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Hold a folder against other builds until done or dead, and remove what a killed one left half-written.

    A folder that was made for it does not outlive a build that writes nothing.

    Raises InputError where another build is writing there, and where no folder can be made.
    """
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    _make(folder)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise InputError(
            [Fault("another build is writing there; wait for it, or give another --out", str(folder))]
        ) from error
    try:
        for part in (*folder.glob(f".*{PART}"), *folder.glob(f"*/.*{PART}")):
            part.unlink(missing_ok=True)
        yield
    finally:
        os.close(handle)
        _remove_empty(made)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        other = next((one for one in (folder, *folder.parents) if one.exists() and not one.is_dir()), None)
        found = f"{other}, which is no folder" if other else f"{folder}, which cannot be made: {error.strerror}"
        message = "must be a folder, or the name of one that can be made"
        raise InputError([Fault(message, field="--out", found=found)]) from error


def _remove_empty(folders: Iterable[Path]) -> None:
    """Leave no folder behind in which nothing was written; the innermost comes first."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()
