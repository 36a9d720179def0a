"""What a parser of arguments takes, as records: completion and the manual are written from these."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from memreport.frozen import frozen


@frozen
class CommandOption:
    """An option or argument: its flags (none of an argument), what stands for its value, its choices, its help."""

    flags: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    help: str


@frozen
class CommandWords:
    """A command with its line of help and everything that it takes."""

    name: str
    about: str
    options: tuple[CommandOption, ...]

    @property
    def flags(self) -> tuple[str, ...]:
        """Every flag."""
        return tuple(flag for option in self.options for flag in option.flags)


def commands_of(parser: argparse.ArgumentParser) -> tuple[CommandWords, ...]:
    """Every command of a parser, in its order."""
    (found,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001  # argparse tells no other way
    return tuple(
        CommandWords(name, str(sub.description or ""), tuple(_options(sub))) for name, sub in found.choices.items()
    )


def _options(parser: argparse.ArgumentParser) -> Iterator[CommandOption]:
    for action in parser._actions:  # noqa: SLF001  # as above
        value = "" if action.nargs == 0 else str(action.metavar or action.dest).upper()
        choices = tuple(map(str, action.choices or ()))
        yield CommandOption(tuple(action.option_strings), value, choices, _help(parser, action))


def _help(parser: argparse.ArgumentParser, option: Any) -> str:
    """The help of an option, its default filled in."""
    return str(option.help or "") % {"default": option.default, "prog": parser.prog, "metavar": option.metavar}
