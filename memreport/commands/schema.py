"""`memreport schema`: the JSON Schema of each kind of file that a user writes."""

from __future__ import annotations

from memreport.commands import emit, path
from memreport.errors import DONE

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    import argparse

    from pydantic import BaseModel


KINDS = ("scenario", "policy", "portfolio", "quote")


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--kind", choices=KINDS, default=KINDS[0], help="of which kind of file (default: %(default)s)")
    parser.add_argument(
        "--out", type=path, metavar="FILE", help="write the JSON Schema to this file instead of printing it"
    )


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from memreport.catalogue.policy import Policy
    from memreport.catalogue.quotes.fields import QuoteFile
    from memreport.catalogue.schema import schema_of, schema_text
    from memreport.files import write_whole
    from memreport.portfolio.fields import PortfolioFile

    folder = given.out.parent if given.out else path(".")
    models: dict[str, type[BaseModel]] = {"policy": Policy, "portfolio": PortfolioFile, "quote": QuoteFile}
    text = schema_of(models[given.kind]) if given.kind in models else schema_text(folder)
    if given.out:
        write_whole(given.out, text.encode())
    else:
        emit(text)
    return DONE
