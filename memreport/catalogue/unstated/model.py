"""The model that a question names, of a scenario that does not state it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from memreport.catalogue.cards import card_named, models_holding
from memreport.catalogue.question.model import names_said, size_said
from memreport.catalogue.question.stated import variants_of
from memreport.catalogue.words.reading import Read, WordRead, said_in_question
from memreport.catalogue.yaml.strict import Document

PARTS = re.compile(r"[-_/: ]")
SIZE = re.compile(r"(\d+(?:\.\d+)?)b")
"""A size in the name of a card, in billions of parameters."""
NUMBERED = re.compile(r"v?\d[\w.]*")
"""A version or a size, which every family may have."""
NAMED = "is read as the model, which is not stated"
Names = Mapping[str, str]
"""The card of every name that one answers to."""


def with_model_named(document: Document, words: tuple[WordRead, ...], names: Callable[[], Names]) -> Read:
    """The scenario with the model that its question, else its title, names, where none is stated."""
    data = document.data
    if data.get("model") or any("model" in block for block in variants_of(data).values()):
        return document, words
    found = next((model for part in ("question", "title") for model in models_in(str(data.get(part, "")), names())), "")
    if not found:
        return document, words
    return replace(document, data={**data, "model": found}), (*words, said_in_question(found, NAMED))


def models_in(text: str, names: Names) -> Iterator[str]:
    """The models that a text names; else the one whose name holds its words, or its size, and most releases share."""
    said = list(_plausible(text, names))
    if exact := dict(_exact(said, names)):
        yield from (exact[start] for start in sorted(exact))
        return
    size = size_said(text.lower())
    held = (found for name in (*(name for _, name in said), size) if (found := _most_shared(name, names)))
    yield from [found for found, _ in zip(held, (1,), strict=False)]


def _exact(said: list[tuple[range, str]], names: Names) -> Iterator[tuple[int, str]]:
    """Models by name, each of the longest of overlapping words."""
    taken: set[int] = set()
    for places, name in said:
        if taken.isdisjoint(places) and card_named(name, names):
            taken.update(places)
            yield places.start, name


def _plausible(text: str, names: Names) -> Iterator[tuple[range, str]]:
    """What is made of words that names of models have."""
    known = {part for name in names for part in PARTS.split(name.lower())}
    for places, name in names_said(text):
        parts = [part for part in PARTS.split(name.lower()) if part]
        if all(part in known or NUMBERED.fullmatch(part) for part in parts):
            yield places, name


def _most_shared(name: str, names: Names) -> str:
    """The card that most names lead to, of those whose names hold what was said with a size; "" where none does.

    Two words and more without a number mean a card where all names that hold them lead to it: `bge-large`.
    """
    held = {names[each] for each in models_holding(name, names)}
    if not re.search(r"\d", name):
        return min(held) if len(held) == 1 and len(PARTS.split(name)) > 1 else ""
    shared = Counter(names.values())
    return max((card for card in held if _is_whole(name, card)), key=lambda card: shared[card], default="")


def _is_whole(size: str, card: str) -> bool:
    """Whether a size alone is that of the whole model, and not of its active parameters: OLMoE 1B-7B is no 1B model."""
    sizes = [float(each) for each in SIZE.findall(card)]
    return not (alone := SIZE.fullmatch(size.lower())) or float(alone[1]) >= max(sizes, default=0)
