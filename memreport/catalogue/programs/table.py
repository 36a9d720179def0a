"""What is known of other programs: how they are started, what their options are called, what they take unasked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from memreport.catalogue.words.names import words_file
from memreport.errors import Fault, InputError, nearest
from memreport.frozen import frozen


@frozen
class Defaults:
    """What a program takes where its options say nothing."""

    always: Mapping[str, Any]
    with_adapters: Mapping[str, Any]
    own_context: bool
    """The longest context is the model's own."""
    tag: str
    """That of a model which is named without one."""


@frozen
class Program:
    """One program, or one way in which it works."""

    name: str
    settings: Mapping[str, Any]
    commands: Mapping[tuple[str, ...], Mapping[str, Any]]
    keys: tuple[tuple[str, ...], ...]
    has: str
    names: Mapping[str, str]
    beside: tuple[str, ...]
    defaults: Defaults
    implies: tuple[Mapping[str, Any], ...]
    splits_layers: bool
    """Whether one process spreads layers over all GPUs that it sees, and none is started a GPU."""

    @property
    def workload(self) -> str:
        """What it does: an engine serves."""
        return "serving" if "engine" in self.settings else "training"


@cache
def programs() -> tuple[Program, ...]:
    """Every row, the more special of a program first."""
    rows = words_file("programs")["rows"]
    return tuple(_program(_whole(row, _like(row, rows))) for row in rows)


def _whole(row: Mapping[str, Any], like: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row on top of the one that it is like; what options are called is added to what they are called there."""
    return {**like, **row, "names": {**like.get("names", {}), **row.get("names", {})}}


def _like(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The row of which this one is a special case."""
    return next((other for other in rows if other["program"] == row.get("like") and "like" not in other), {})


def _program(row: Mapping[str, Any]) -> Program:
    return Program(
        row["program"],
        row["says"],
        {tuple(command.split()): sets for command, sets in row.get("commands", {}).items()},
        tuple(tuple(keys.split()) for keys in row.get("keys", ())),
        row.get("has", ""),
        row.get("names", {}),
        tuple(row.get("beside", "").split()),
        Defaults(
            row.get("unless_stated", {}),
            row.get("with_adapters", {}),
            row.get("context") == "model",
            row.get("tag", ""),
        ),
        tuple(row.get("implies", ())),
        bool(row.get("splits_layers")),
    )


def model_options() -> tuple[str, ...]:
    """Options that name the model, the plainest first."""
    return tuple(words_file("programs")["models"].split())


def gpu_options(of: str) -> tuple[str, ...]:
    """Options that say how many GPUs there are: of a node, nodes, of all."""
    return tuple(words_file("programs")["gpus"][of].split())


def every_gpu_option() -> frozenset[str]:
    """All of these."""
    return frozenset(name for of in words_file("programs")["gpus"] for name in gpu_options(of))


def launchers() -> tuple[str, ...]:
    """What starts a script: a command that begins so is no name of a model."""
    return tuple(words_file("programs")["launchers"].split())


def is_quiet(name: str) -> bool:
    """Whether an option changes neither memory nor time."""
    return matches(name.lower(), _quiet())


@cache
def _quiet() -> tuple[str, ...]:
    return tuple(words_file("programs")["quiet"].split())


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns stands for the name."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def started(words: Sequence[str], program: Program) -> tuple[int, int, Mapping[str, Any]] | None:
    """Where in these words the program is started, where its own options begin, and what the command sets."""
    for command, sets in program.commands.items():
        for at in range(len(words) - len(command) + 1):
            if all(fnmatchcase(word, pattern) for word, pattern in zip(words[at:], command, strict=False)):
                return at, at + len(command), sets
    return None


OPTION_GIVEN = re.compile(r"\s--?[A-Za-z][\w-]+")
LETTERS = re.compile(r"[a-z][\w-]*")
MOST_SHOWN = 60
SCRIPT = "a script with --model_name_or_path or --per_device_train_batch_size"
"""What is read of a script, whatever it is called."""


def refuse_misspelt(text: str) -> None:
    """Raises InputError for a line that is a command rather than the name of a model, with the nearest that is read."""
    words = text.split()
    starts = [*_starts()]
    begun = {each.split()[0] for each in starts} | {*launchers()}
    verbs = {each.split()[1] for each in starts if " " in each}
    if len(words) > 1 and (words[0].rpartition("/")[2] in begun or words[1] in verbs or OPTION_GIVEN.search(text)):
        raise InputError([_fault(text, words, starts)])


def _fault(text: str, words: list[str], starts: list[str]) -> Fault:
    close = nearest(" ".join(words[:2]), starts) if words[0] not in launchers() else ""
    known = ", ".join(starts) if not close else ""
    shown = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
    said = "the line is a command that is not read"
    return Fault(said, found=repr(shown), expected=known and f"{known}; {SCRIPT}", nearest=close)


def _starts() -> Iterator[str]:
    """How the programs are started whose names stand alone, without patterns."""
    for command in dict.fromkeys(command for program in programs() for command in program.commands):
        if all(map(LETTERS.fullmatch, command)):
            yield " ".join(command)
