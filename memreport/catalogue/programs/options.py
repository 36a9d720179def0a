"""Options of a command, of a tree of settings, as names and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memreport import strict_json
from memreport.catalogue.yaml.scalars import plain_scalar
from memreport.errors import InputError

OPTION = re.compile(r"(--?)([A-Za-z][\w.-]*)(?:=(.*))?", re.DOTALL)
SETTING = re.compile(r"[+~]{0,2}([A-Za-z_][\w.]*)=(.*)", re.DOTALL)
"""As Hydra and torchtune take them."""
Options = dict[str, Any]
MOST_OPTIONS = 2_000


def options_of(words: Sequence[str]) -> tuple[list[str], Options]:
    """What stands for itself, and the options by name: `--no-x` is x: false, an option without a value is true."""
    alone: list[str] = []
    found: dict[str, list[str]] = {}
    name = ""
    for word in words:
        option, setting = OPTION.fullmatch(word), SETTING.fullmatch(word)
        if option and not re.fullmatch(r"-\d.*", word):
            name = option[2]
            found[name] = [option[3]] if option[3] is not None else []
            name = name if option[3] is None else ""
        elif setting and (not name or found[name]):
            found[setting[1]], name = [setting[2]], ""
        elif name:
            found[name].append(word)
        else:
            alone.append(word)
    return alone, dict(_switch(given, values) for given, values in found.items())


def _switch(name: str, values: Sequence[str]) -> tuple[str, Any]:
    spelt = name.replace("-", "_")
    if not values and spelt.startswith("no_"):
        return spelt[3:], False
    said = [value_of(value) for value in values]
    return spelt, said[0] if len(said) == 1 else said or True


def value_of(text: str) -> Any:
    """A value as its program reads it: JSON, a list of Hydra, a number, a switch, or text."""
    if text[:1] in ("{", "[") and (made := _json(text)) is not None:
        return made
    if text in ("True", "False", "None"):
        return {"True": True, "False": False}.get(text)
    try:
        return plain_scalar(text)
    except ValueError:
        return text


def _json(text: str) -> Any:
    try:
        return strict_json.parse(text, "")
    except InputError:
        inner = text.strip("[]")
        return [part.strip("\"' ") for part in inner.split(",")] if text[:1] == "[" and "{" not in inner else None


def flattened(tree: Mapping[str, Any], kept: Iterable[str], before: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a tree by their dotted names; blocks that are read as such stay whole."""
    for key, value in tree.items():
        name = f"{before}{key}".replace("-", "_")
        if isinstance(value, Mapping) and (before or name not in kept):
            yield from flattened(value, kept, f"{name}.")
        else:
            yield name, value
