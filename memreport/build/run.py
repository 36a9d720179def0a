"""One call of `build`: what was asked, what there was before, and what has become of it so far."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from memreport import __version__
from memreport.build.stamps import Stamps
from memreport.cache import read_cached, write_cached
from memreport.errors import Fault, InputError
from memreport.escaping import terminal
from memreport.files import files_below, lies, sha256
from memreport.paths import PACKAGE, data_root

SHAPING = ("numpy", "openpyxl", "jinja2", "weasyprint", "pydyf", "fonttools", "pydantic", "pyyaml")
"""Libraries that can change a published byte."""
MANIFEST = "manifest.json"
CONFIDENTIAL = "confidential"
"""Asked for beside the kinds of file: the pages of scenarios are made without prices."""
REPORTS = ("documented", "catalogue", "calculator")
"""What is made of all scenarios together, beside the scenarios."""


@dataclass
class Run:
    """One call of `build`: what was asked, what there was before, and what has become of it so far."""

    options: Namespace
    stamps: Stamps
    before: Mapping[str, Any]
    began: float
    entries: dict[str, Any] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    built: int = 0

    @property
    def out(self) -> Path:
        """Where it publishes."""
        return Path(self.options.out)

    @property
    def processes(self) -> int:
        """How many processes may make scenarios at once."""
        return int(self.options.jobs or os.cpu_count() or 1)

    @property
    def known(self) -> dict[str, Any]:
        """Entries of all scenarios that are published there, without those that have just failed."""
        kept = {name: entry for name, entry in self.before["scenarios"].items() if name not in self.failed}
        return kept | self.entries


def failed(run: Run, name: str, fault: str, code: int) -> None:
    """Say what is wrong with a scenario, and note the exit code that it stands for."""
    say(f"{name}: {fault}")
    run.failed[name] = code


def say(text: str) -> None:
    """A message on stderr."""
    print(f"memreport: {terminal(text)}", file=sys.stderr)


def damage(run: Run, files: Mapping[str, str]) -> str:
    """What has happened to a published file since, or "" where all are as they were made."""
    for name, digest in files.items():
        path = run.out / name
        if not path.is_file():
            return f"{name} is missing"
        if run.stamps.sha256(path) != digest:
            return f"{name} was changed by somebody else"
    return ""


@lru_cache
def versions() -> tuple[str, ...]:
    """The libraries that shape what is published, with their versions."""
    from importlib import metadata  # and with it all that reads letters, which no answer on a terminal needs

    return tuple(f"{name} {metadata.version(name)}" for name in SHAPING)


def code_files() -> Iterator[str]:
    """Every file of the program: code and templates."""
    yield from files_below(PACKAGE, (".py",))
    yield from files_below(data_root() / "templates", ("",))


def key_of(run: Run, said: Iterable[str], files: Iterable[Path]) -> str:
    """Hash of this program, of its libraries, of what is asked for, and of files that decide what is made of it."""
    hashes = [run.stamps.sha256(path) for path in sorted({*map(Path, code_files()), *files})]
    return sha256("\n".join([__version__, *said, *versions(), *hashes]).encode())


def read_manifest(out: Path) -> dict[str, Any]:
    """What was published before: entries of scenarios, of the documented figures, of the catalogue's workbook.

    A manifest that is damaged counts as none.  Raises InputError where something else than a file has its name.
    """
    path = out / MANIFEST
    if lies(path) and not path.is_file():
        raise InputError([Fault("is written there, and must be a regular file or none", str(path))])
    data = read_cached(path)
    if data is None:
        return {"scenarios": {}, **{name: {} for name in REPORTS}}  # none yet, or not ours: everything is built
    return {"scenarios": dict(data["scenarios"]), **{name: dict(data.get(name, {})) for name in REPORTS}}


def write_manifest(run: Run, reports: Mapping[str, Any]) -> None:
    """Written last, so that the next build notices an interrupted one."""
    entries = dict(sorted(run.known.items()))
    manifest = {"schema": 1, "memreport": __version__, **reports, "scenarios": entries}
    write_cached(run.out / MANIFEST, manifest, indent=1)
