"""`memreport list`: what can be named in a scenario."""

from __future__ import annotations

import argparse

from memreport.commands import emit, formats
from memreport.errors import DONE


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument(
        "what",
        nargs="?",
        default="",
        help="a list: accelerators, models, rental_prices, training-fields, ... (default: the lists there are)",
    )
    formats(parser, "table", "json")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from pathlib import Path

    from memreport.catalogue.load import catalogue_for
    from memreport.paths import down_to
    from memreport.publish.text.lists import listing

    catalogue = catalogue_for(down_to(Path()))
    emit(listing(given.what, given.format, catalogue.tables, catalogue.model_names))
    return DONE
