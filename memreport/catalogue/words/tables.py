"""Every word of another program that is a choice or a switch, by section, name and word."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.words.meaning import Choices, Meaning
from memreport.catalogue.words.serving import SERVED_WORDS
from memreport.catalogue.words.training import CHOICE_WORDS

BY_SECTION: Mapping[str, Choices] = {"training": CHOICE_WORDS, "serving": SERVED_WORDS}
MEANINGS: Mapping[tuple[str, str, str], Meaning] = {
    (section, name, word): meaning
    for section, rows in BY_SECTION.items()
    for names, words, meaning in rows
    for name in names.split()
    for word in words.split() or [""]
}
"""The word "" stands for any, `word@program` and `word@program+method` for what it means in one program."""
