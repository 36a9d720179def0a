"""The parts of a scenario as it is written, before anything of it is checked: whatever stands in place of a block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

ENDED = re.compile(r"(?<=[.!?])\s+(?=[A-Za-z])")
"""Where a sentence ends; a number or a version goes on."""


def question_of(data: Mapping[str, Any]) -> str:
    """The question in small letters, what asks first; empty where there is none."""
    return asking_first(str(data.get("question") or ""))


def asking_first(question: str) -> str:
    """A question in small letters, the sentences that ask before those that state: `We have $500. What ...?`"""
    sentences = ENDED.split(question.lower())
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
