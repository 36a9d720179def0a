"""The parts of a scenario as it is written, before anything of it is checked: whatever stands in place of a block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memreport.catalogue.question.lexer import asking_first

IS = r"(?: ?[=:] ?| of | )"
"""What stands between a name and its number."""


def text_of(data: Mapping[str, Any]) -> str:
    """The question in usual words, what asks first; empty where there is none.  All places of words are in it."""
    return asking_first(str(data.get("question") or ""))


def question_of(data: Mapping[str, Any]) -> str:
    """The same in small letters."""
    return text_of(data).lower()


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
