"""`memreport diff`: what changed in inputs, figures, verdicts and cost."""

from __future__ import annotations

import argparse

from memreport.commands import emit, formats
from memreport.errors import BAD_INPUT, DONE, FINDING


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("old", metavar="OLD", help="a scenario file or folder, or one at a git revision: FILE@HEAD~1")
    parser.add_argument("new", metavar="NEW", help="the same, as it is now")
    parser.add_argument(
        "--fail-if-verdict-changes",
        action="store_true",
        help="exit 1 when any verdict differs (default: when one got worse)",
    )
    parser.add_argument("--all", action="store_true", help="every change, however many lines (default: one screen)")
    formats(parser, "text", "markdown", "json")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from memreport.build.versions.comparing import diff

    compared = diff(given.old, given.new, "all" if given.all and given.format == "text" else given.format)
    emit(compared.text)
    if compared.worse or (given.fail_if_verdict_changes and compared.differs):
        return FINDING
    return BAD_INPUT if compared.unread else DONE
