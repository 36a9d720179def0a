"""`memreport ask "QUESTION"`: one sentence in, the answer on one screen."""

from __future__ import annotations

from memreport.commands import KEPT, emit, path, say

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    import argparse


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.epilog = KEPT
    parser.add_argument(
        "question", nargs="+", help="a sentence that names a model and GPUs: Can two RTX 4090 serve a 70B in 4-bit?"
    )
    parser.add_argument("--save", type=path, metavar="JOB.yaml", help="write what was read to this file, a scenario")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from pathlib import Path

    from memreport.build.asking import asked
    from memreport.build.cached_answers import CommandOutput, cached_answer
    from memreport.publish.text.width import columns

    question = " ".join(given.question)
    said = (
        CommandOutput(*asked(question, given.save))
        if given.save
        else cached_answer(("ask", str(columns()), question), Path("ask"), lambda: CommandOutput(*asked(question)))
    )
    emit(said.text, colour=True)
    if given.save:
        say(f"Next: memreport build {given.save}")
    return said.code
