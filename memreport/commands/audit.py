"""`memreport audit`: whether a workbook is whole, correct and as built."""

from __future__ import annotations

import argparse

from memreport.commands import emit, formats, path


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("workbook", type=path, metavar="BOOK.xlsx", help="a workbook that memreport made")
    formats(parser, "table", "json")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from memreport.audit.contained import contained

    found = contained("audit", given.workbook, style=given.format)
    emit(found.text)
    return found.code
