"""The parts of a scenario as it is written, before anything of it is checked: whatever stands in place of a block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memreport.catalogue.question.wording.numerals import in_figures
from memreport.catalogue.question.wording.phrases import asked_first, rephrased

ENDED = re.compile(r"(?<=[.!?])\s+(?=[A-Za-z])")
"""Where a sentence ends; a number or a version goes on."""


SPELLINGS = {
    "sequence length": r"seq(?:uence)?[_ -]len(?:gth)?s?"
    r"|(?:(?<!num[_ -])(?:max[_ -]?)?seq(?:uence)?(?:[_ -]?len(?:gth)?)?|(?:cutoff|max(?:imum)?)[_ -]len(?:gth)?)"
    r"(?=\b ?[=:]? ?\d)",
    "context": "ctx",
    "batch size": r"(?:bs|(?:per[_ -]device[_ -](?:train[_ -])?)?(?:micro[_ -])?batch_size)(?=\b ?[=:]? ?\d)",
    "without": "w/o",
    "with ": r"w/ ?(?=\w)",
    "parameters": "params",
}
"""Words in small letters, and how else they are written."""
SPELT = re.compile(rf"\b(?:{'|'.join(f'({spelt})' for spelt in SPELLINGS.values())})\b", re.IGNORECASE)
IS = r"(?: ?[=:] ?| of | )"
"""What stands between a name and its number."""


def in_usual_words(question: str) -> str:
    """A question with its numbers in figures and its words as they are usually spelt: `bs 4, seq len 8192`."""
    return SPELT.sub(lambda each: [*SPELLINGS][(each.lastindex or 1) - 1], rephrased(in_figures(question)))


def text_of(data: Mapping[str, Any]) -> str:
    """The question in usual words, what asks first; empty where there is none.  All places of words are in it."""
    return asking_first(str(data.get("question") or ""))


def question_of(data: Mapping[str, Any]) -> str:
    """The same in small letters."""
    return text_of(data).lower()


def asking_first(question: str) -> str:
    """A question, its sentences that ask before those that state: `We have $500. What ...?`"""
    sentences = ENDED.split(" ".join(map(asked_first, ENDED.split(in_usual_words(question)))))
    return " ".join(sorted(sentences, key=lambda sentence: not sentence.endswith("?")))


def beside_question(data: Mapping[str, Any]) -> str:
    """All that a scenario states beside its title and its question, in one text."""
    return str({**data, "question": "", "title": ""})


def block_of(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A block of fields; empty where none is stated."""
    block = data.get(name)
    return block if isinstance(block, dict) else {}


def variants_of(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What each variant changes, of those that are blocks of fields."""
    return {str(name): block for name, block in block_of(data, "variants").items() if isinstance(block, dict)}
