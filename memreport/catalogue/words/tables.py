"""Every word of another program that is a choice or a switch, by section, name and word."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.words.meaning import Choices, Meaning
from memreport.catalogue.words.peft import PEFT_WORDS
from memreport.catalogue.words.serving import SERVED_WORDS
from memreport.catalogue.words.training import CHOICE_WORDS

BY_SECTION: Mapping[str, Choices] = {"training": (*PEFT_WORDS, *CHOICE_WORDS), "serving": SERVED_WORDS}
MEANINGS: Mapping[tuple[str, str, str], Meaning] = {
    (section, name, word): meaning
    for section, rows in BY_SECTION.items()
    for names, words, meaning in rows
    for name in names.split()
    for word in words.split() or [""]
}
"""The word "" stands for any, `word@program` and `word@program+method` for what it means in one program."""


def settings_of(section: str, name: str, word: str) -> dict[str, object]:
    """The fields that a word of a question sets: what it stands for, or itself."""
    meaning = MEANINGS.get((section, name, word))
    return {**meaning.unless_stated, **meaning.settings} if meaning else {name: word}
