"""The command line.  Data goes to stdout, messages to stderr; imports happen in the command that needs them."""

from __future__ import annotations

import argparse
import gc
import os
import sys

from memreport.commands import forget_output, make_printable, open_closed, say
from memreport.errors import BAD_INPUT, DONE, OUR_MISTAKE, MemreportError, nearest
from memreport.escaping import terminal

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

COMMANDS = {
    "build": "publish workbooks, budget sheets and data of scenarios",
    "fit": "say in a few lines whether a model fits a GPU, and what makes it fit",
    "page": "write the calculator: any model on any GPU, as one page for the browser",
    "show": "print the answer of a scenario; --all every figure",
    "verify": "recompute the documented figures and compare their verdicts",
    "audit": "say whether a workbook is whole, correct and as built",
    "import-inputs": "turn inputs that were changed in a workbook into a change of its scenario",
    "plan": "say what to do in a few options; --why how they were found",
    "diff": "what changed in inputs, figures, verdicts and cost",
    "gate": "say whether a change of scenarios keeps the rules of a policy",
    "list": "list what can be named in a scenario",
    "new": "write a commented scenario to start from",
    "import-model": "turn a Hugging Face config.json into a model card",
    "schema": "print the JSON Schema of scenarios and other files",
    "doctor": "say what this machine lacks, with the line that installs it",
}
"""Every command with its line of help; its module in this folder, `-` as `_`, holds `options` and `run`."""
INTERRUPTED = 130
NEW_OBJECTS = 500_000
"""Objects that a command makes before the newest are looked through for garbage, of which it leaves hardly any."""
FIRST_STEPS = """first steps:
  memreport fit llama-3-8b rtx-4090 --qlora   one line in, the answer in a few
  memreport new my-job.yaml      a commented scenario to start from
  memreport show my-job.yaml     the answer on one screen
  memreport build my-job.yaml    workbook, budget sheet and data in out/

exit codes: 0 done; 1 a finding; 2 bad input; 3 the machine lacks something; 70 a mistake in memreport itself
memreport COMMAND --help explains a command."""


class _Parser(argparse.ArgumentParser):
    """argparse, with the nearest command where a name is misspelt."""

    def error(self, message: str) -> None:  # type: ignore[override]  # argparse declares NoReturn; exit() does not return
        if "invalid choice: '" in message:
            wrong = message.split("invalid choice: '", 1)[1].split("'", 1)[0]
            close = nearest(wrong, COMMANDS)
            message += f"; did you mean {close}?" if close else ""
        self.exit(BAD_INPUT, f"{self.prog}: {terminal(message)}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print; unlike argparse, not silent when that fails."""
        print(message, end="", file=file or sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 1 finding, 2 bad input, 3 the machine lacks something, 70 ours"""
    given = sys.argv[1:] if arguments is None else list(arguments)
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
    open_closed()
    make_printable()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # or it reads the entry points of every package
    try:
        return _done(given)
    except MemreportError as error:
        say(f"memreport: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        say("memreport: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        forget_output()
        return DONE
    except OSError as error:
        say(f"memreport: {error.filename or 'the output'}: {error.strerror or error}")
        forget_output()
        return BAD_INPUT
    except Exception as error:  # noqa: BLE001  # nobody shall read a traceback; the line says what a report needs
        from memreport.mistakes import said_of

        say(f"memreport: {said_of(error, given)}")
        return OUR_MISTAKE


def _done(given: Sequence[str]) -> int:
    try:
        options = _parser(given).parse_args(given)
        return int(_module(options.command).run(options))
    finally:
        sys.stdout.flush()  # or a full disk is found out when nobody can say so any more


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    """The parser; of the commands, only the given one has its options, so that --help does not wait for the others."""
    from memreport import __version__

    def made(**words: Any) -> argparse.ArgumentParser | None:
        return _Parser(**words) if words["prog"].split()[-1] in given else None

    parser = _Parser(
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
            _module(name).options(sub)
    return parser


def _module(name: str) -> Any:
    """Where a command is."""
    from importlib import import_module

    return import_module(f"memreport.commands.{name.replace('-', '_')}")
