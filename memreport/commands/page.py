"""`memreport page`: the calculator, a page for the browser that needs no scenario and no server."""

from __future__ import annotations

from memreport.commands import path, say

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    import argparse


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument(
        "--out", type=path, default="calculator.html", metavar="FILE", help="where to write (default: calculator.html)"
    )


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from pathlib import Path

    from memreport.files import write_whole
    from memreport.publish.web.page.calculator import calculator_html

    write_whole(Path(given.out), calculator_html().encode())
    say(f"{given.out}: open it in a browser")
    return 0
