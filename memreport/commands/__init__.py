"""The command line: one module a command, each with its options and what it does; here what they share."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress

from memreport.escaping import terminal

TYPE_CHECKING = False  # spares --help the import of typing and pathlib
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from memreport.build.cached_answers import CommandOutput
    from memreport.compute import Table

KEPT = (
    "Answers, and tables once read, are kept in the cache folder ($XDG_CACHE_HOME/memreport or ~/.cache/memreport) "
    "until anything changes that they are made from; MEMREPORT_CACHE=off keeps none."
)


def emit(text: str, *, colour: bool = False) -> None:
    """Data on stdout, without anything that a terminal would obey but the colours of verdicts, where it shows them."""
    plain = terminal(text)
    if colour and sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        from memreport.publish.text.answer import coloured

        plain = coloured(plain)
    sys.stdout.write(plain)


def say(text: str) -> None:
    """Messages on stderr, a line each, likewise."""
    for line in text.splitlines():
        sys.stderr.write(f"{terminal(line)}\n")


def answer(given: argparse.Namespace, asked: Sequence[str], made: Callable[[Path | None], CommandOutput]) -> int:
    """Print an answer of the command, which is kept unless a scenario is saved with it; returns the exit code."""
    from pathlib import Path

    from memreport.build.cached_answers import cached_answer
    from memreport.publish.text.width import columns

    said = (
        made(given.save)
        if given.save
        else cached_answer((given.command, str(columns()), *asked), Path(given.command), lambda: made(None))
    )
    emit(said.text, colour=True)
    if given.save:
        say(f"Next: memreport build {given.save}")
    return said.code


def path(text: str) -> Path:
    """A file or folder."""
    from pathlib import Path

    if not text.strip():
        raise argparse.ArgumentTypeError("the name of a file or folder is empty")
    return Path(text)


def positive(text: str) -> int:
    """A whole number from 1 up."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)


def formats(parser: argparse.ArgumentParser, *names: str) -> None:
    """The option `--format`; the first name is the default."""
    parser.add_argument("--format", choices=names, default=names[0], help="how to print (default: %(default)s)")


def engines(parser: argparse.ArgumentParser, what: str) -> None:
    """The options `--engine` and `--scheduler`: where something is computed."""
    parser.add_argument("--engine", choices=("local", "dask"), default="local", help=f"where {what} (default: local)")
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help="Dask scheduler, such as tcp://host:8786")


def table_of(given: argparse.Namespace) -> Table:
    """What computes the table of a portfolio.  Raises InputError without an address of the cluster that is wanted."""
    from memreport.compute import here
    from memreport.distributed import table_on

    return table_on(given.scheduler) if given.engine == "dask" else here


def folder_made(path: Path | None) -> str:
    """What to say when a file has been written whose folder is not there yet; its name may be misspelt.

    Raises InputError where the folder above that is missing, too: more than one is not made.
    """
    if path is None or path.parent.exists():
        return ""
    if not path.parent.parent.exists():
        from memreport.errors import Fault, InputError

        raise InputError([Fault("cannot be written: there is no such folder", str(path), found=str(path.parent))])
    return f"made the folder {path.parent}\n"


def open_closed() -> None:
    """Put something in place of a stream that was closed, or the next file that is opened takes its number.

    Writing to a closed output is then an error like that of a full disk; what a closed stderr would hear is dropped.
    """
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def make_printable() -> None:
    """A terminal that lacks a character shows a question mark for it, instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def forget_output() -> None:
    """Send what could not be written nowhere, or the interpreter complains when it exits."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
