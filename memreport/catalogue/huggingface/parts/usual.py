"""What transformers takes where a part of a configuration leaves a key out: published files of several parts do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memreport.catalogue.words.names import words_file

SWITCHES = {"true": True, "false": False}


def _rows(part: Mapping[str, str], columns: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    """What each class of a part takes, by its model type."""
    return {name: _row(str(row).split(), columns) for name, row in part.items()}


def _row(words: Sequence[str], columns: Sequence[str]) -> Mapping[str, Any]:
    """Values of the columns in their order, `-` for none, then of other keys by name."""
    named = dict(word.split("=") for word in words[len(columns) :])
    placed = {name: word for name, word in zip(columns, words, strict=False) if word != "-"}
    return {name: SWITCHES.get(word) if word in SWITCHES else int(word) for name, word in (placed | named).items()}


_FILE = words_file("configurations")
COLUMNS: tuple[str, ...] = tuple(_FILE["columns"].split())
TEXTS_USUAL = _rows(_FILE["texts"], COLUMNS)
TOWERS_USUAL = _rows(_FILE["towers"], ())
