"""Files of a git commit: listed with their kinds and sizes, checked, and read by the ids of their contents.

A commit may hold any name, also those that a checkout refuses: `..`, an absolute one, a link, another repository.  Only
regular files with plain names pass, so many and so large as a catalogue may be.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from memreport.errors import Fault, InputError, MachineError
from memreport.frozen import frozen

INSTALL = "sudo apt-get install --no-install-recommends git"
READ = (".yaml", ".yml", ".json")
"""Endings of the files that a catalogue is made of."""
MOST_FILES = 20_000
MOST_BYTES_OF_A_FILE = 1_000_000
MOST_BYTES = 200_000_000
MOST_BYTES_OF_A_LISTING = 100_000_000
MOST_BYTES_OF_AN_ANSWER = 10_000_000
LONGEST_NAME, LONGEST_PART = 1000, 255
DELETE = 127
_REGULAR = ("100644", "100755", "100664")
_KINDS = {"120000": "a symbolic link", "160000": "a submodule"}
_QUIET = {"GIT_LITERAL_PATHSPECS": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
"""A name is a name, nobody is asked for a password, and complaints are in English."""


@frozen
class TreeEntry:
    """What a commit holds at a name: its mode as git writes it, the id of its contents, their size in bytes."""

    name: str
    mode: str
    id: str
    size: int

    @property
    def is_read(self) -> bool:
        """Whether its name is that of a file which a catalogue is made of."""
        return self.name.endswith(READ)


def listed(top: Path, path: Path, commit: str, places: Sequence[str]) -> list[TreeEntry]:
    """The files at or below these places of a commit.  Raises InputError for what may not be read, MachineError.

    `path` is what the user named, for messages; "." is the whole repository.
    """
    asked = () if "." in places else tuple(places)
    options = ("ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *asked)
    found = [_entry(line) for line in _said(top, path, options, MOST_BYTES_OF_A_LISTING).split(b"\0") if line]
    faults = [Fault(f"revision {commit[:12]} {why}", str(path)) for entry in found if (why := _refused(entry, asked))]
    kept = [entry for entry in found if entry.is_read]
    faults += _too_many(path, commit, kept)
    if faults:
        raise InputError(faults[:10])
    return kept


def _entry(line: bytes) -> TreeEntry:
    """A line of `git ls-tree -l -z`: mode, kind, id, size (a dash where it has none), a tab, the name."""
    words, _, name = line.partition(b"\t")
    mode, _, id_, size = words.decode("ascii").split()
    return TreeEntry(name.decode("utf-8", "surrogateescape"), mode, id_, int(size) if size.isdigit() else 0)


def _refused(entry: TreeEntry, asked: Sequence[str]) -> str:
    """Why an entry is not read; empty for a plain file, and for a link or file that no catalogue looks at."""
    if not _is_plain(entry.name):
        return f"holds the name {ascii(entry.name)[:200]}, which is no plain path below its folder"
    if entry.mode == "160000" or (entry.mode not in _REGULAR and (entry.is_read or entry.name in asked)):
        return f"holds {entry.name} as {_KINDS.get(entry.mode, 'no regular file')}, which is not followed"
    if entry.is_read and entry.size > MOST_BYTES_OF_A_FILE:
        return f"holds {entry.name} with {entry.size:,} bytes; at most {MOST_BYTES_OF_A_FILE:,} are read"
    return ""


def _is_plain(name: str) -> bool:
    """Whether a name leads to a file below the folder that it is written in, on any system."""
    parts = name.split("/")
    if len(name) > LONGEST_NAME or any(ord(character) < ord(" ") or ord(character) == DELETE for character in name):
        return False
    return all(part not in ("", ".", "..") and len(os.fsencode(part)) <= LONGEST_PART for part in parts)


def _too_many(path: Path, commit: str, found: Sequence[TreeEntry]) -> Iterator[Fault]:
    """More than a catalogue may be, or a name twice, which a tree should not but can hold."""
    size = sum(entry.size for entry in found)
    if len(found) > MOST_FILES or size > MOST_BYTES:
        allowed = f"{MOST_FILES:,} files and {MOST_BYTES:,} bytes"
        yield Fault(f"revision {commit[:12]} is too large", str(path), found=f"{len(found):,} files", expected=allowed)
    if len({entry.name for entry in found}) < len(found):
        yield Fault(f"revision {commit[:12]} holds a name more than once", str(path))


def contents(top: Path, path: Path, entries: Sequence[TreeEntry]) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of listed files, by one run of git.  Raises InputError, MachineError."""
    asked = "".join(f"{tree_entry.id}\n" for tree_entry in entries).encode("ascii")
    most = sum(tree_entry.size + 100 for tree_entry in entries)
    said = io.BytesIO(_said(top, path, ("cat-file", "--batch"), most, asked))
    for entry in entries:
        header = said.readline().split()
        if len(header) != 3 or header[1] != b"blob":
            raise InputError([Fault(f"the contents of {entry.name} cannot be read from git", str(path))])
        yield entry.name, said.read(int(header[2]))
        said.read(1)


def git(where: Path, path: Path, *arguments: str) -> str:
    """What git prints of a repository.  Raises InputError with its complaint, MachineError without git."""
    return _said(where, path, arguments, MOST_BYTES_OF_AN_ANSWER).decode("utf-8", "surrogateescape")


def _said(where: Path, path: Path, arguments: Sequence[str], most: int, given: bytes = b"") -> bytes:
    """What git prints, up to so many bytes; its complaint is a fault of the path."""
    program = shutil.which("git")
    if program is None:
        raise MachineError(f"git is needed to read {path} at a revision; run: {INSTALL}")
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as complaint:
        asked.write(given)
        asked.seek(0)
        command = [program, "-C", str(where), *arguments]
        with subprocess.Popen(
            command, stdin=asked, stdout=subprocess.PIPE, stderr=complaint, env={**os.environ, **_QUIET}
        ) as running:
            said = _bounded(running, path, most)
        complaint.seek(0)
        if running.returncode:
            raise InputError([Fault(_complaint(complaint.read(10_000)), str(path))])
    return said


def _bounded(running: subprocess.Popen[bytes], path: Path, most: int) -> bytes:
    """What a process prints; one that prints more than that is ended."""
    stream = running.stdout
    said = stream.read(most + 1) if stream else b""
    if len(said) > most:
        running.kill()
        raise InputError([Fault(f"git has more to say of it than {most:,} bytes", str(path))])
    return said


def _complaint(said: bytes) -> str:
    """The first line of what git complains of, in our words where it is no repository."""
    first = said.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
    return "is not in a git repository" if "not a git repository" in first else first or "git failed"
