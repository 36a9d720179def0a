"""`memreport ask "QUESTION"`: one sentence in, the answer on one screen."""

from __future__ import annotations

from memreport.commands import KEPT, answer, path

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
    from memreport.build.asking import asked
    from memreport.build.cached_answers import CommandOutput

    question = " ".join(given.question)
    return answer(given, [question], lambda save: CommandOutput(*asked(question, save)))
