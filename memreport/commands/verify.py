"""`memreport verify`: the documented figures recomputed, their verdicts compared."""

from __future__ import annotations

import argparse

from memreport.commands import emit, formats, path


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument(
        "paths", nargs="*", type=path, metavar="PATH", help="ledgers or folders (default: the packaged ones)"
    )
    parser.add_argument("--all", action="store_true", help="every contradiction and conflict, with the right value")
    formats(parser, "table", "json")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from memreport.build.ledger_files import verified

    text, code = verified(given.paths, given.format, everything=given.all)
    emit(text)
    return code
