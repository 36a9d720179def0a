"""`memreport fit MODEL GPU [xN]`: one line in, the answer in five."""

from __future__ import annotations

from memreport.commands import KEPT, emit, path, say

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from memreport.build.cached_answers import CommandOutput

METHODS = {
    "full": "train all weights (the default)",
    "lora": "train adapters on a frozen base",
    "qlora": "train adapters on a base of four bits",
    "serve": "serve it",
}


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.epilog = KEPT
    parser.add_argument(
        "model", metavar="MODEL", help="a model, a repository, a tag of Ollama, or a path to a config.json"
    )
    parser.add_argument("accelerator", metavar="GPU", help="a GPU of the catalogue: memreport list accelerators")
    parser.add_argument("count", nargs="?", default="x1", metavar="xN", help="how many (default: x1)")
    method = parser.add_mutually_exclusive_group()
    for name, about in METHODS.items():
        method.add_argument(f"--{name}", dest="method", action="store_const", const=name, help=about)
    parser.add_argument("--save", type=path, metavar="JOB.yaml", help="write the scenario to this file")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from pathlib import Path

    from memreport.build.cached_answers import cached_answer
    from memreport.publish.text.width import columns

    asked = (given.model, given.accelerator, given.count, given.method or "full")
    said = (
        _fitted(asked, given.save)
        if given.save
        else cached_answer(("fit", str(columns()), *asked), Path("fit"), lambda: _fitted(asked))
    )
    emit(said.text, colour=True)
    if given.save:
        say(f"Next: memreport build {given.save}")
    return said.code


def _fitted(asked: tuple[str, str, str, str], save: Path | None = None) -> CommandOutput:
    from memreport.build.cached_answers import CommandOutput, files_of
    from memreport.build.fitting import fitted

    text, code = fitted(*asked, save)
    return CommandOutput(text, code, files_of([asked[0]] if asked[0].endswith(".json") else []))
