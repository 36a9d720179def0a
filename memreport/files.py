"""Files that are read within bounds, and written whole or not at all.

Every file that anybody gives is read here, so that none can block for ever, fill the memory or be passed over.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from memreport.errors import UNREADABLE, Fault, InputError, nearest

MOST_YAML = MOST_CONFIG = 1_000_000
"""Bytes of a scenario, card, price list or ledger, and of a model's configuration: the largest have a tenth."""
MOST_KEPT = 1 << 26
"""Bytes of what a build keeps for the next one, and of what the program brings with it."""
MOST_WORKBOOK = MOST_KEPT
CHUNK = 1 << 20
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff]+|[\ud800-\udfff]+"
)
"""Characters that text may not hold.  A line separator other than \\n, because editors and YAML disagree whether it
ends a line; bidirectional and zero-width characters, because two names could look the same and differ."""

PART = ".part"
"""Ending of a file that is being written."""


def lies(path: Path) -> bool:
    """Whether anything of that name is there: a link to nothing, a pipe or a folder is no missing file."""
    return os.path.lexists(path)


AT_ONCE = 2**20
"""Bytes that are read at a time."""


def read_bytes(path: Path, most: int) -> bytes:
    """A whole regular file of at most `most` bytes.  Raises InputError with one fault that names the file."""
    with _opened(path) as stream:
        data = bytearray()
        while len(data) <= most and (part := stream.read(AT_ONCE)):  # `read(most)` would set all of that aside
            data += part
    if len(data) > most:
        raise InputError([Fault(f"is too large, more than {_size(most)}", str(path))])
    return bytes(data)


def read_text(path: Path, most: int) -> str:
    """The same as text.  Raises InputError, also for bytes that are not UTF-8."""
    return text_of(read_bytes(path, most), str(path))


def text_of(data: bytes, file: str) -> str:
    """Bytes as text without a byte order mark.  Raises InputError with the place of the first that is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        found = f"byte 0x{data[error.start]:02X} at offset {error.start:,}"
        raise InputError([Fault("is not UTF-8 text", file, line, column, found=found, expected="UTF-8")]) from error


def digest_of(path: Path) -> str:
    """Hash of a regular file of whatever size.  Raises InputError where it cannot be read."""
    made = hashlib.sha256()
    with _opened(path) as stream:
        while chunk := stream.read(CHUNK):
            made.update(chunk)
    return made.hexdigest()


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """A regular file, open.  Whatever goes wrong, also while it is read, is an InputError."""
    try:
        with os.fdopen(_handle(path), "rb") as stream:
            yield stream
    except OSError as error:
        near = nearest(path.name, _neighbours(path)) if isinstance(error, FileNotFoundError) else ""
        reason = error.strerror or str(error)
        raise InputError([Fault(f"{UNREADABLE}{reason}", str(path), nearest=near)]) from error
    except ValueError as error:  # a name with a zero character
        raise InputError([Fault(f"{UNREADABLE}{error}", ascii(str(path)))]) from error


def _handle(path: Path) -> int:
    """A handle of a regular file, looked at before it is opened and again afterwards; a pipe would block for ever."""
    there = path.exists()
    if not there and path.is_symlink():
        raise OSError(errno.EINVAL, "it is a link to nothing")
    _refuse_special(path.stat().st_mode if there else None)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _refuse_special(os.fstat(handle).st_mode)
    except OSError:
        os.close(handle)
        raise
    return handle


def _refuse_special(mode: int | None) -> None:
    if mode is None:
        raise FileNotFoundError(errno.ENOENT, "there is no such file")
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file")


def _neighbours(path: Path) -> list[str]:
    try:
        return [near.name for near in path.parent.iterdir()]
    except OSError:
        return []


def _size(count: int) -> str:
    return f"{count / 1e6:g} MB" if count < MOST_WORKBOOK else f"{count >> 20} MiB"


def write_whole(path: Path, data: bytes) -> None:
    """Write beside the target, then rename: a reader sees the old file or the new one, never a part.

    Raises OSError where the target is a folder or device, which a rename would replace.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name}.{secrets.token_hex(8)}{PART}"
    try:
        # the mode of a new file, from which the system takes what the user's umask forbids
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        said = f"cannot be written in the folder {path.parent.absolute()}: {error.strerror}"
        raise OSError(error.errno, said, str(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def files_below(folder: str | Path, endings: tuple[str, ...]) -> Iterator[str]:
    """Files of such endings in a folder and below it, as text: a Path of each would take longer than all the rest."""
    for place, below, names in os.walk(folder):
        below[:] = [name for name in below if name != "__pycache__"]
        yield from (f"{place}/{name}" for name in names if name.endswith(endings))


def sha256(data: bytes) -> str:
    """Hash in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Hold a folder against other builds until done or dead, and remove what a killed one left half-written.

    A folder that was made for it does not outlive a build that writes nothing.

    Raises InputError where another build is writing there, and where no folder can be made.
    """
    made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
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
        other = next((parent for parent in (folder, *folder.parents) if parent.exists() and not parent.is_dir()), None)
        found = f"{other}, which is no folder" if other else f"{folder}, which cannot be made: {error.strerror}"
        message = "must be a folder, or the name of one that can be made"
        raise InputError([Fault(message, field="--out", found=found)]) from error


def _remove_empty(folders: Iterable[Path]) -> None:
    """Leave no folder behind in which nothing was written; the innermost comes first."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()
