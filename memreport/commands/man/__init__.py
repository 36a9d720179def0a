"""`memreport man`: the manual page, made from the parser itself."""

from __future__ import annotations

import argparse

from memreport.commands import emit
from memreport.errors import DONE


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes: nothing."""
    parser.epilog = "memreport man > memreport.1, then man ./memreport.1"


def run(_: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from memreport import __version__
    from memreport.commands.completion.words import commands_of
    from memreport.commands.man.page import manual
    from memreport.commands.parser import COMMANDS, FIRST_STEPS, parser_of

    parser = parser_of(tuple(COMMANDS))
    emit(manual(parser.description or "", commands_of(parser), FIRST_STEPS, __version__))
    return DONE
