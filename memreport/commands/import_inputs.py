"""`memreport import-inputs`: inputs that were changed in a workbook, as a change of its scenario."""

from __future__ import annotations

import argparse

from memreport.commands import emit, path, say
from memreport.errors import DONE, Fault, InputError


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("workbook", type=path, metavar="BOOK.xlsx", help="a workbook in which inputs were changed")
    parser.add_argument("--scenario", type=path, metavar="FILE", help="the scenario that it was built from")
    parser.add_argument("--write", type=path, metavar="COPY", help="write the changed scenario to this file")
    parser.add_argument("--force", action="store_true", help="write over a file that exists")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from memreport.audit.contained import contained
    from memreport.files import lies

    if not given.force and given.write and lies(given.write):
        raise InputError([Fault("exists already; --force writes over it", str(given.write))])
    scenario, copy = (str(path) if path else None for path in (given.scenario, given.write))
    found = contained("import-inputs", given.workbook, scenario=scenario, copy=copy)
    for note in found.notes or (() if found.text else ("no inputs were changed",)):
        say(f"memreport: {given.workbook}: {note}")
    emit(found.text)
    return DONE
