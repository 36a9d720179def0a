"""JSON without surprises: bounded depth and digits, no key twice, no character that nobody can see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memreport.errors import Fault, InputError
from memreport.files import UNSEEN, read_text

MOST_DEPTH = 64
MOST_DIGITS = 400
"""More than any 64-bit float has; Python refuses to read some thousands."""
MOST_FAULTS = 20
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
Keys = tuple[str | int, ...]


class _Twice:
    """Stands for an object that has a key twice, until its place is known."""

    def __init__(self, key: str) -> None:
        self.key = key


class _Long:
    """Stands for a whole number of too many digits, until its place is known."""

    def __init__(self, digits: int) -> None:
        self.digits = digits


def read(path: Path, most: int) -> Any:
    """The data of a JSON file of at most `most` bytes.  Raises InputError with every fault that can be found in it."""
    return parse(read_text(path, most), str(path))


def parse(text: str, file: str) -> Any:
    """JSON text as plain data, naming `file` in faults.  Raises InputError."""
    _refuse_depth(text, file)
    try:
        data = json.loads(text, object_pairs_hook=_unique, parse_int=_whole)
    except json.JSONDecodeError as error:
        raise InputError([Fault(f"is not JSON: {error.msg}", file, error.lineno, error.colno)]) from error
    faults = [
        Fault(message, file, field=".".join(map(str, place)), found=found) for message, place, found in _wrong(data, ())
    ]
    if faults:
        raise InputError(faults[:MOST_FAULTS])
    return data


def _refuse_depth(text: str, file: str) -> None:
    """Count brackets outside of strings, before anything that calls itself for each of them."""
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > MOST_DEPTH:
            line = text.count("\n", 0, found.start()) + 1
            raise InputError([Fault(f"lists and objects are nested more than {MOST_DEPTH} deep", file, line)])


def _unique(pairs: list[tuple[str, Any]]) -> Any:
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            return _Twice(key)
        data[key] = value
    return data


def _whole(text: str) -> Any:
    return int(text) if len(text) <= MOST_DIGITS else _Long(len(text.removeprefix("-")))


def _wrong(data: Any, keys: Keys) -> Iterator[tuple[str, Keys, str]]:
    """Message, place and what was found, of everything in the data that may not be there."""
    if isinstance(data, _Twice):
        yield "is given twice", (*keys, _visible(data.key)), ""
    elif isinstance(data, _Long):
        yield "is a number that is too long", keys, f"{data.digits:,} digits"
    elif isinstance(data, str):
        yield from _unseen(data, keys)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _unseen(key, (*keys, _visible(key)))
            yield from _wrong(value, (*keys, _visible(key)))
    elif isinstance(data, list):
        for position, value in enumerate(data):
            yield from _wrong(value, (*keys, position))


def _unseen(text: str, keys: Keys) -> Iterator[tuple[str, Keys, str]]:
    if run := UNSEEN.search(text):
        yield "invisible and control characters are not allowed", keys, f"U+{ord(run[0][0]):04X}"


def _visible(key: str) -> str:
    return UNSEEN.sub("\ufffd", key)[:60]
