"""`memreport comment`: the comment of a gate, posted so that it replaces itself."""

from __future__ import annotations

import argparse

from memreport.commands import path, say
from memreport.errors import DONE


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("file", type=path, metavar="FILE", help="what gate --write wrote, such as memreport-gate.md")
    parser.add_argument(
        "--author",
        default="github-actions[bot]",
        metavar="NAME",
        help="whose earlier comment is replaced: the user of the token (default: %(default)s)",
    )


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    import os

    from memreport.build.gate.posting import post
    from memreport.files import MOST_YAML, read_text

    say(f"memreport: {post(read_text(given.file, MOST_YAML), given.author, os.environ)}")
    return DONE
