"""Answers of `show` and `fit`, kept for when the same is asked and nothing has changed that they are made from.

They lie in the user's cache directory, a file each, as JSON with a digest of itself: what is damaged, or cannot be read
or written, counts as none.  MEMREPORT_CACHE=off keeps none.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from memreport.build.planning import file_stamps, said_in
from memreport.build.stamps import GONE, stamp
from memreport.cache import TICK, cache_folder, delete_oldest, read_cached, write_cached
from memreport.errors import MemreportError
from memreport.files import sha256
from memreport.frozen import frozen

MOST_ANSWERS = 100
"""Answers; those that were made first go first."""


@frozen
class CommandOutput:
    """What a command prints, its exit code, and files beside the catalogue that it is made from."""

    text: str
    code: int
    files: tuple[str, ...] = ()


def cached_answer(asked: Sequence[str], scenario: Path, answer: Callable[[], CommandOutput]) -> CommandOutput:
    """The answer that is kept of a question about a scenario, or a new one; `asked` is all that the user said."""
    folder = cache_folder()
    if folder is None:
        return answer()
    options = Namespace(paths=[scenario], out=folder, formats=())
    whole = "\n".join([*asked, os.getcwd(), said_in(options)])  # noqa: PTH109  # as the user's paths are read
    file, began = folder / f"{sha256(whole.encode())}.json", time.time_ns()
    installed = {place: stamp(place) for place in sys.path[1:]}  # to ask for versions would load more than is kept
    seen = file_stamps(options) | installed
    known = _known(file, _digest(seen))
    if known is not None:
        return known
    said = answer()
    others = {name: stamp(name) for name in said.files if name not in seen}
    if all(changed < began - TICK for *_, changed in (*seen.values(), *others.values())):
        _keep(file, {"seen": _digest(seen), "others": others, "text": said.text, "code": said.code})
    return said


def _digest(seen: Mapping[str, tuple[int, ...]]) -> str:
    return sha256(repr(sorted(seen.items())).encode())


def _known(file: Path, seen: str) -> CommandOutput | None:
    data = read_cached(file)
    if data is None or data.get("seen") != seen:
        return None
    same = all(stamp(name) == tuple(was) != GONE for name, was in data["others"].items())
    return CommandOutput(str(data["text"]), int(data["code"])) if same else None


def _keep(file: Path, data: Mapping[str, Any]) -> None:
    with suppress(OSError, MemreportError):  # a folder that cannot be written costs time, no answer
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_cached(file, data)
        delete_oldest(file.parent.glob("*.json"), MOST_ANSWERS)


def files_of(cards: Iterable[str]) -> tuple[str, ...]:
    """Files of models that lie wherever a scenario says."""
    return tuple(dict.fromkeys(os.path.abspath(card) for card in cards if card))  # noqa: PTH100
