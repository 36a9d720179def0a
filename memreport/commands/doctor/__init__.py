"""`memreport doctor`: what this machine lacks to publish, with the exact line that installs it."""

from __future__ import annotations

import argparse
import ctypes.util
import shutil
import sys
from dataclasses import dataclass
from importlib import metadata

from memreport.commands import emit
from memreport.errors import DONE, MACHINE_LACKS

APT = "apt-get install --no-install-recommends"


@dataclass(frozen=True)
class Lookup:
    """One thing that was looked for; `remedy` installs it, `needed` says whether publishing fails without it."""

    name: str
    present: bool
    detail: str
    remedy: str = ""
    needed: bool = True


LIBRARIES = (
    ("pango-1.0", "libpango-1.0-0", True, "text of the PDF"),
    ("pangoft2-1.0", "libpangoft2-1.0-0", True, "fonts of the PDF"),
    ("harfbuzz-subset", "libharfbuzz-subset0", False, "smaller fonts, a second faster per PDF"),
)
PROGRAMS = (
    ("soffice", "libreoffice-calc-nogui", "workbooks recalculated by another program, in the tests"),
    ("pdftoppm", "poppler-utils", "pictures of PDF pages, in the tests"),
)
PACKAGES = ("numpy", "pandas", "openpyxl", "jinja2", "weasyprint", "pyyaml", "pydantic", "formualizer")


def findings() -> list[Lookup]:
    """Everything that was looked for."""
    python = Lookup("python", sys.version_info >= (3, 11), sys.version.split()[0], f"{APT} python3.11")
    libraries = [
        Lookup(name, ctypes.util.find_library(name) is not None, why, f"{APT} {package}", needed)
        for name, package, needed, why in LIBRARIES
    ]
    programs = [
        Lookup(name, shutil.which(name) is not None, why, f"{APT} {package}", needed=False)
        for name, package, why in PROGRAMS
    ]
    return [python, *map(_package, PACKAGES), *libraries, *programs]


def _package(name: str) -> Lookup:
    try:
        return Lookup(name, present=True, detail=metadata.version(name))
    except metadata.PackageNotFoundError:
        return Lookup(name, present=False, detail="Python package", remedy=f"python -m pip install {name}")


def examine() -> tuple[str, int]:
    """A line for each finding, and the exit code: 3 when something that is needed is missing."""
    found = findings()
    lines = [_line(lookup) for lookup in found]
    lacking = any(not lookup.present and lookup.needed for lookup in found)
    lines.append("This machine cannot publish everything yet." if lacking else "This machine can publish everything.")
    return "\n".join(lines) + "\n", MACHINE_LACKS if lacking else DONE


def _line(lookup: Lookup) -> str:
    if lookup.present:
        return f"ok       {lookup.name:<16} {lookup.detail}"
    state = "missing " if lookup.needed else "optional"
    return f"{state} {lookup.name:<16} {lookup.detail}; install it with: {lookup.remedy}"


def options(parser: argparse.ArgumentParser) -> None:
    """The command takes none."""


def run(_: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    text, code = examine()
    emit(text)
    return code
