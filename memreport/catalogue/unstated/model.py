"""The model that a question names, of a scenario that does not state it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from memreport.catalogue.cards import card_named, models_holding
from memreport.catalogue.question.hardware import OF_HARDWARE_ALONE, without_mac
from memreport.catalogue.question.model import names_said, size_said
from memreport.catalogue.question.stated import question_of, variants_of
from memreport.catalogue.question.workload import workload_asked
from memreport.catalogue.words.reading import Read, WordRead, said_in_question
from memreport.catalogue.yaml.strict import Document

PARTS = re.compile(r"[-_/: ]")
SIZE = re.compile(r"(\d+(?:\.\d+)?)b")
"""A size in the name of a card, in billions of parameters."""
NO_NAME = re.compile(r"\d+(?:\.\d+)?[bkmt]?")
"""A size, or the length of a context, which names of some models have, too."""
NUMBERED = re.compile(r"v?\d[\w.]*")
"""A version or a size, which every family may have."""
BY_SIZE = (
    *("qwen2.5-0.5b", "llama-3.2-1b", "llama-3.2-3b", "llama-3.1-8b", "qwen2.5-14b", "qwen2.5-32b"),
    *("llama-3.3-70b", "mistral-large-123b", "llama-3.1-405b"),
)
"""A usual dense model of each size, which stand for any where a question says no more of it."""
FAMILIES = ("llama", "qwen", "mistral", "gemma")
OF_A_KIND = re.compile(
    r"-a\d+(?:\.\d+)?b|vl|llava|vision|omni|audio|cod(?:e|er|estral)|devstral|distill|math|embed|rerank|guard|vila|intern|ocr|nemotron"
)
"""Cards of mixtures, and of models that do something else than write text."""
CALLED = {"gpt21.5b": "gpt2-xl"}
"""Models by the size that papers call them by, in letters and digits; no name of theirs has it."""
NEARLY = 0.1
"""How far a size may be from the one that is said: `a 33B model` has 32."""
ANY = "llama-3.2-1b"
FOR_ANY = f"names no model: {ANY} is served in its place, as what is asked depends on the hours of the GPUs alone"
NAMED = "is read as the model, which is not stated"
Names = Mapping[str, str]
"""The card of every name that one answers to."""


def with_model_named(document: Document, words: tuple[WordRead, ...], names: Callable[[], Names]) -> Read:
    """The scenario with the model that its question, else its title, names, where none is stated."""
    data = document.data
    if data.get("model") or any("model" in block for block in variants_of(data).values()):
        return document, words
    found = next((model for part in ("question", "title") for model in models_in(str(data.get(part, "")), names())), "")
    if not found and re.search(OF_HARDWARE_ALONE, question_of(data)) and workload_asked(data) != "training":
        assumed = said_in_question(ANY, FOR_ANY, source="this program")
        return replace(document, data={**data, "model": ANY}), (*words, assumed)
    if not found:
        return document, words
    return replace(document, data={**data, "model": found}), (*words, said_in_question(found, NAMED))


def stands_for_any(words: Iterable[WordRead]) -> bool:
    """Whether a model stands for any, as a question names none: what it takes and does is nobody's answer."""
    return any(word.meaning.assumes == FOR_ANY for word in words)


def are_by_size(variants: Iterable[str]) -> bool:
    """Whether variants are models by size, of which nobody names one; settings may stand behind their names."""
    return [name.partition(" with ")[0] for name in variants] == [*BY_SIZE]


def models_in(text: str, names: Names) -> Iterator[str]:
    """The models that a text names; else the one whose name holds its words, or its size, and most releases share."""
    text = without_mac(text)
    said = list(_plausible(text, names))
    if exact := dict(_exact(said, names)):
        yield from (exact[start] for start in sorted(exact))
        return
    named = (name for _, name in said if not NO_NAME.fullmatch(name.lower()))
    held = next((found for name in named if (found := _most_shared(name, names))), "")
    size = float(size_said(text.lower()) or 0)
    yield from filter(None, [held or (usual_of_size(size, names) if size else "")])


def _exact(said: list[tuple[range, str]], names: Names) -> Iterator[tuple[int, str]]:
    """Models by name, each of the longest of overlapping words."""
    taken: set[int] = set()
    for places, name in said:
        card = CALLED.get(name.lower().replace("-", "")) or card_named(name, names)
        if taken.isdisjoint(places) and card:
            taken.update(places)
            yield places.start, CALLED.get(name.lower().replace("-", ""), name)


def _plausible(text: str, names: Names) -> Iterator[tuple[range, str]]:
    """What is made of words that names of models have."""
    known = {part for name in names for part in PARTS.split(name.lower())}
    for places, name in names_said(text):
        parts = [part for part in PARTS.split(name.lower()) if part]
        if all(part in known or NUMBERED.fullmatch(part) for part in parts):
            yield places, name


def _most_shared(name: str, names: Names) -> str:
    """The card that most names lead to, of those whose names hold what was said with a number; "" where none does.

    Two words and more without a number mean the card that begins with them, or the only one that has them: `bge-large`.
    """
    held = {names[each] for each in models_holding(name, names)}
    if not re.search(r"\d", name):
        first = {card for card in held if card.startswith(f"{name.lower()}-")}
        likely = first or (held if len(held) == 1 else set())
        return _first_of(likely, names) if len(PARTS.split(name)) > 1 else ""
    return _first_of(held, names)


def usual_of_size(size: float, names: Names) -> str:
    """A usual model of a size in billions of parameters, or of nearly that size; "" where there is none.

    What is dense and writes text comes before mixtures and before what sees, hears, writes programs or embeds.
    """
    whole = {card: max(map(float, SIZE.findall(card)), default=0.0) for card in {*names.values()}}
    far = {card: distance for card, known in whole.items() if (distance := abs(known / size - 1)) <= NEARLY}
    far = {card: distance for card, distance in far.items() if not OF_A_KIND.search(card)} or far
    near = {card for card, distance in far.items() if distance == min(far.values())}
    return next((card for card in BY_SIZE if card in near), "") or _first_of(near, names)


def _first_of(cards: Iterable[str], names: Names) -> str:
    """The card that most names lead to; of several the one of the family that is used most, then by name."""
    shared = Counter(names.values())
    return min(cards, key=lambda card: (-shared[card], not card.startswith(FAMILIES), card), default="")
