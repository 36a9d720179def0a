"""`memreport import-model`: a Hugging Face `config.json` as a model card."""

from __future__ import annotations

import argparse
from pathlib import Path

from memreport.commands import emit, folder_made, path, say
from memreport.errors import DONE, Fault, InputError


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--force", action="store_true", help="write over a card that exists")
    parser.add_argument("config", type=path, metavar="CONFIG.json", help="the configuration of a model")
    parser.add_argument("--out", type=path, metavar="CARD.yaml", help="write the card here instead of printing it")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    folder = folder_made(given.out)
    text, notes = import_model(given.config, given.out, force=given.force)
    say(folder)
    for note in notes:
        say(f"memreport: {given.config}: {note}")
    emit(f"wrote {given.out}\n" if given.out else text)
    return DONE


def import_model(config: Path, out: Path | None, *, force: bool = False) -> tuple[str, tuple[str, ...]]:
    """The card of a configuration, written where asked for, and what was not understood.

    Raises InputError with every fault of the file, and where the card exists already, unless forced.
    """
    from datetime import UTC, datetime

    from memreport.catalogue.huggingface.card import card_text, read_config
    from memreport.files import lies, write_whole

    model = read_config(config)
    if out and lies(out) and not force:
        raise InputError([Fault("exists already; --force writes over it", str(out))])
    modified = datetime.fromtimestamp(config.stat().st_mtime, UTC).date().isoformat()
    text = card_text(model, out.stem if out else _card_name(config), modified)
    if out:
        write_whole(out, text.encode())
    return text, model.notes


def _card_name(config: Path) -> str:
    """A card is called after the file, or, for a plain config.json, after its folder."""
    return config.resolve().parent.name if config.stem == "config" else config.stem
