"""`memreport schema`: the JSON Schema of each kind of file that a user writes."""

from __future__ import annotations

from memreport.commands import emit, path
from memreport.errors import DONE

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from pydantic import BaseModel


KINDS = (
    "scenario", "policy", "portfolio", "quote", "ledger", "model", "accelerator", "hosts", "links", "prices",
    "efficiency", "reference",
)  # fmt: skip


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--kind", choices=KINDS, default=KINDS[0], help="of which kind of file (default: %(default)s)")
    parser.add_argument(
        "--out", type=path, metavar="FILE", help="write the JSON Schema to this file instead of printing it"
    )


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from memreport.files import write_whole

    text = text_of(given.kind, given.out.parent if given.out else path("."))
    if given.out:
        write_whole(given.out, text.encode())
    else:
        emit(text)
    return DONE


def text_of(kind: str, folder: Path) -> str:
    """The JSON Schema of a kind; choices are those of the packaged files and of the ones beside that folder."""
    from memreport.catalogue.quotes.fields import QuoteFile
    from memreport.catalogue.schema import schema_of, schema_of_card, schema_of_table, schema_text
    from memreport.catalogue.terms.policy import Policy
    from memreport.ledger.entries import LedgerText
    from memreport.portfolio.fields import PortfolioFile

    models: dict[str, type[BaseModel]] = {
        "policy": Policy, "portfolio": PortfolioFile, "quote": QuoteFile, "ledger": LedgerText
    }  # fmt: skip
    if kind in models:
        return schema_of(models[kind])
    made = {"scenario": schema_text, "model": schema_of_card}
    return made[kind](folder) if kind in made else schema_of_table(kind, folder)
