"""Lines that begin as a command does and are of no program whose words are read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memreport.catalogue.programs.table import launchers, programs
from memreport.errors import Fault, InputError, nearest

OPTION = re.compile(r"\s--?[A-Za-z][\w-]+")
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
    if len(words) > 1 and (words[0].rpartition("/")[2] in begun or words[1] in verbs or OPTION.search(text)):
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
