"""`memreport page`: the calculator, a page for the browser that needs no scenario and no server."""

from __future__ import annotations

from memreport.commands import folder_made, path, say

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    import argparse
    from typing import Any


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument(
        "--out", type=path, default="calculator.html", metavar="FILE", help="where to write (default: calculator.html)"
    )
    parser.add_argument(
        "--model", default="", metavar="MODEL", help="the model to open with: a card's name, or a path to a config.json"
    )


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from pathlib import Path

    from memreport.build.calculator import MODEL, calculator_page
    from memreport.files import write_whole

    out = Path(given.out)
    folder = folder_made(out)
    write_whole(out, calculator_page(*_model(given.model or MODEL)).encode())
    say(f"{folder}{out}: open it in a browser")
    return 0


def _model(named: str) -> tuple[str | dict[str, Any], str]:
    """A card's name as it is; a configuration as fields and a title."""
    from pathlib import Path

    from memreport.catalogue.cards import is_config
    from memreport.catalogue.huggingface.card import read_config

    if not is_config(named):
        from memreport.build.calculator import named_card

        return named_card(named), ""
    model = read_config(Path(named))
    return dict(model.fields), model.repository or Path(named).name
