"""The parser of the command line; completion and the manual are made from it."""

from __future__ import annotations

import argparse
import sys

from memreport.errors import BAD_INPUT, nearest
from memreport.escaping import terminal

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

COMMANDS = {
    "build": "publish workbooks, budget sheets and data of scenarios",
    "ask": "answer a question in one sentence that names a model and GPUs",
    "fit": "say in five lines whether a model fits a GPU, and what makes it fit",
    "page": "write the calculator: any model on any GPU, as one page for the browser",
    "show": "print the answer of a scenario; --all every figure",
    "verify": "recompute the documented figures and compare their verdicts",
    "audit": "say whether a workbook is whole, correct and as built",
    "import-inputs": "turn inputs that were changed in a workbook into a change of its scenario",
    "plan": "say what to do in a few options; --why how they were found",
    "diff": "what changed in inputs, figures, verdicts and cost",
    "gate": "say whether a change of scenarios keeps the rules of a policy",
    "comment": "post what a gate wrote as one comment of a pull or merge request",
    "list": "list what can be named in a scenario",
    "new": "write a commented scenario to start from",
    "import-model": "turn a Hugging Face config.json into a model card",
    "schema": "print the JSON Schema of scenarios and other files",
    "completion": "print the completion of commands and options for a shell",
    "man": "print the manual page",
    "doctor": "say what this machine lacks, with the line that installs it",
}
"""Every command with its line of help; its module in `commands`, `-` as `_`, holds `options` and `run`."""
FIRST_STEPS = """first steps:
  memreport ask "Can two RTX 4090 serve a 70B in 4-bit?"
  memreport fit llama-3-8b rtx-4090 --qlora   one line in, the answer in five
  memreport new my-job.yaml      a commented scenario to start from
  memreport show my-job.yaml     the answer on one screen
  memreport build my-job.yaml    workbook, budget sheet and data in out/

exit codes: 0 done; 1 a finding; 2 bad input; 3 the machine lacks something; 70 a mistake in memreport itself
memreport COMMAND --help explains a command."""


class CommandParser(argparse.ArgumentParser):
    """argparse, with the nearest command where a name is misspelt."""

    def error(self, message: str) -> None:  # type: ignore[override]  # argparse declares NoReturn; exit() does not return
        """Say what is wrong, and the nearest command."""
        if "invalid choice: '" in message:
            wrong = message.split("invalid choice: '", 1)[1].split("'", 1)[0]
            close = nearest(wrong, COMMANDS)
            message += f"; did you mean {close}?" if close else ""
        self.exit(BAD_INPUT, f"{self.prog}: {terminal(message)}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print; unlike argparse, not silent when that fails."""
        print(message, end="", file=file or sys.stderr)


def parser_of(given: Sequence[str]) -> argparse.ArgumentParser:
    """The parser; of the commands, only the given one has its options, so that --help does not wait for the others."""
    from memreport import __version__

    def made(**words: Any) -> argparse.ArgumentParser | None:
        return CommandParser(**words) if words["prog"].split()[-1] in given else None

    parser = CommandParser(
        prog="memreport",
        description="Memory, speed and cost of training and serving large models.",
        epilog=FIRST_STEPS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"memreport {__version__}")
    only: Any = made
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=only)
    for name, about in COMMANDS.items():
        sub = commands.add_parser(name, help=about, description=about)
        if name in given:
            module_of(name).options(sub)
    return parser


def module_of(name: str) -> Any:
    """Where a command is."""
    from importlib import import_module

    return import_module(f"memreport.commands.{name.replace('-', '_')}")
