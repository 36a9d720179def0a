"""The engine that a question names, and whether it asks for vectors or scores in place of tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memreport.catalogue.question.model import spelt

OF_OTHERS = frozenset(
    {"transformers", "infinity", "nim", "accelerate", "huggingface", "hf", "unsloth", "nemo", "swift"}
)
"""Names that mean something else, too: they name the engine after one of these words alone."""
BEFORE = r"(?:^|\b(?:with|in|on|using|under|by|via|through|plain|or|vs\.?|versus|than|does|is) |: ?)(?:hugging ?face )?"
POOLED = (
    r"\bembed(?:s|ded|ding|dings|der|ders)?\b(?! (?:matri\w+|tables?|layers?|weights?|parameters?))"
    r"|\bre-?rank\w*|\bvectori[sz]\w+|\bcross-?encoders?\b"
)
"""What is answered with a vector or a score."""
AT_HOME = re.compile(
    r"\bat home\b|\blocally\b|\blocal (?:machine|pc|llm|inference)\b|\bhome ?lab\b|\bgaming (?:pc|rig|laptop)\b"
    r"|\bmy (?:own )?(?:gaming )?(?:pc|laptop|desktop|computer|workstation|machine)\b"
)
"""Whose machine it is says that one person is served, as desktop programs do it."""
TEXTS_READ = rf"{POOLED}|\b(?:pairs?|texts?|tei)\b"
"""Words of a service that reads texts alone."""


def engines_said(question: str, names: Iterable[str]) -> Iterator[str]:
    """Names of engines or frameworks that a question in small letters names, each once, in its order."""
    found = {name: _place(name, question) for name in names if name}
    yield from sorted((name for name, place in found.items() if place >= 0), key=lambda name: found[name])


def _place(name: str, question: str) -> int:
    said = re.search(rf"{BEFORE if name in OF_OTHERS else ''}(?<![\w.-]){spelt(name)}(?![\w-])", question)
    return said.start() if said else -1
