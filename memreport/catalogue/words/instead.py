"""What to state instead of a word that has no meaning of its own here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from memreport.catalogue.words.files import words_file


@cache
def stated_instead() -> Mapping[str, str]:
    """What a fault says of each such word."""
    return {word: row["say"] for row in words_file("instead")["rows"] for word in row["words"].split()}


@cache
def nearest_choices() -> Mapping[str, str]:
    """What people call a choice that stands under another name here, and that name."""
    return {word: name for name, words in words_file("instead")["nearest"].items() for word in words.split()}
