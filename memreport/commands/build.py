"""`memreport build`: publish workbooks, budget sheets and data of scenarios."""

from __future__ import annotations

import argparse

from memreport.commands import engines, path, positive, say, table_of
from memreport.errors import DONE

KINDS = ("xlsx", "pdf", "json", "html")
ON_REQUEST = ("derivation",)
"""Files that are made only where they are asked for."""


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument(
        "paths", nargs="+", type=path, metavar="PATH", help="scenario files or folders, or a portfolio.yaml"
    )
    parser.add_argument("--out", type=path, default="out", metavar="FOLDER", help="where to publish (default: out)")
    parser.add_argument("--jobs", type=positive, default=0, metavar="N", help="processes (default: one a core)")
    parser.add_argument(
        "--formats",
        type=kinds,
        default=KINDS,
        metavar="LIST",
        help="any of xlsx,pdf,json,html (default: these) and derivation",
    )
    parser.add_argument(
        "--confidential", action="store_true", help="leave prices, quotes and costs out of the pages for the browser"
    )
    parser.add_argument("--force", action="store_true", help="build also what has not changed")
    parser.add_argument("--explain", action="store_true", help="say why each scenario is built or left")
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="build the sound scenarios beside broken ones (default: bad input stops before anything is written, and "
        "the first scenario that cannot be published stops the build)",
    )
    engines(parser, "portfolios are computed")
    parser.add_argument("--fail-if-does-not-fit", action="store_true", help="exit 1 when a first variant does not fit")


def kinds(text: str) -> tuple[str, ...]:
    """The kinds of file in a list with commas."""
    found = tuple(part.strip() for part in text.split(","))
    for kind in found:
        if kind not in (*KINDS, *ON_REQUEST):
            raise argparse.ArgumentTypeError(f"{kind!r} is not one of {', '.join((*KINDS, *ON_REQUEST))}")
    return found


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from memreport.build import build
    from memreport.build.run import CONFIDENTIAL
    from memreport.portfolio import is_portfolio, portfolio_files

    for file in portfolio_files(given.paths):
        from memreport.build.portfolios import build_portfolio

        folder, made = build_portfolio(file, given.out, given.formats, table_of(given), force=given.force)
        say(f"memreport: portfolio {'built' if made else 'unchanged'}: {folder}")
    given.paths = [path for path in given.paths if not is_portfolio(path)]
    if not given.paths:
        return DONE
    if given.confidential:
        given.formats = (*given.formats, CONFIDENTIAL)
    return build(given)
