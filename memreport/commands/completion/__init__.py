"""`memreport completion`: names of commands, options and choices for a shell, made from the parser itself."""

from __future__ import annotations

import argparse

from memreport.commands import emit
from memreport.errors import DONE

SHELLS = ("bash", "zsh", "fish")


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("shell", choices=SHELLS, help="bash: source <(memreport completion bash); zsh likewise; fish: "
                        "memreport completion fish | source")  # fmt: skip


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from memreport.commands.completion import shells
    from memreport.commands.completion.words import commands_of
    from memreport.commands.parser import COMMANDS, parser_of

    emit(getattr(shells, given.shell)(commands_of(parser_of(tuple(COMMANDS)))))
    return DONE
