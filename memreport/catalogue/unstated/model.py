"""The model that a question names, of a scenario that does not state it."""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

from memreport.catalogue.cards import card_named, format_said, is_no_part, models_holding, offered, says_format
from memreport.catalogue.question.hardware import HIRED, HIRED_TO_WORK, OF_HARDWARE_ALONE, RENT_OR_BUY, without_chips
from memreport.catalogue.question.model import MIXTURE, SIZE_SAID, mixture_said, names_said, sizes_said
from memreport.catalogue.question.numbers import Said
from memreport.catalogue.question.stated import block_of, question_of, text_of, variants_of
from memreport.catalogue.question.workload import is_stated, method_asked, workload_asked
from memreport.catalogue.words.meaning import Read, WordRead, said_in_question
from memreport.catalogue.words.tables import settings_of
from memreport.catalogue.yaml.strict import Document
from memreport.errors import OR

PARTS = re.compile(r"[-_/: ]")
SIZE = re.compile(r"(\d+(?:\.\d+)?)b")
"""A size in the name of a card, in billions of parameters."""
OF_EXPERTS = re.compile(r"\dx\d+b")
"""The size of one expert of several."""
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
CALLED = {"gpt2124m": "gpt2", "gpt2355m": "gpt2-medium", "gpt2774m": "gpt2-large", "gpt21.5b": "gpt2-xl"}
"""Models by the size that papers call them by, in letters and digits; no name of theirs has it."""
MIXTURES = {
    "kimi-k2": (1000, 32), "deepseek-v3": (671, 37), "qwen3-coder-480b-a35b": (480, 35), "llama-4-maverick": (400, 17),
    "glm-4.5": (355, 32), "grok-1": (314, 79), "deepseek-v2": (236, 21), "qwen3-235b-a22b": (235, 22),
    "minimax-m2": (230, 10), "mixtral-8x22b": (141, 39), "dbrx": (132, 36), "gpt-oss-120b": (117, 5.1),
    "llama-4-scout": (109, 17), "glm-4.5-air": (106, 12), "qwen3-next-80b-a3b": (80, 3), "mixtral-8x7b": (47, 13),
    "qwen3-30b-a3b": (30, 3), "gpt-oss-20b": (21, 3.6), "deepseek-v2-lite": (16, 2.4),
}  # fmt: skip
"""Usual mixtures: parameters in all and active ones, in billions, as their makers publish them."""
NEARLY = 0.1
"""How far a size may be from the one that is said: `a 33B model` has 32."""
MOST_NEAR, SHORTEST, ALIKE = 3, 5, 0.8
"""Names that are suggested, the letters of what may be one, and how far it has to be the same."""
ANY = "llama-3.2-1b"
FOR_ANY = f"names no model: {ANY} is served in its place, as what is asked depends on the hours of the GPUs alone"
FOUR_BITS = re.compile(r"^(?:int4|nf4|nvfp4|mxfp4)")
ON_FOUR_BITS = "has weights of 4 bits: adapters are trained on them, as no method is stated"
SIZES_LISTED = re.compile(rf"{SIZE_SAID.pattern}(?: models?| llms?)?(?:,| and|, and)(?: an?| one)? {SIZE_SAID.pattern}")
IN_A_NAME = re.compile(r"[A-Za-z][\w.]*[-_/]\d+(?:\.\d+)?[bB]\b")
"""A size that is part of a name, which then is not known."""
AND = frozenset(("and", "plus", "+", "&", "a", "an", "one"))
"""What stands between models that run at once."""
AS_DRAFT = re.compile(r"(?: as)?(?: an?| the)? (?:draft|assistant|speculat)", re.IGNORECASE)
"""What says of a model that it drafts for another one: `Llama 3.2 1B draft for 70B`."""
NAMED = "is read as the model, which is not stated"
Names = Mapping[str, str]
"""The card of every name that one answers to."""


def with_model_named(document: Document, words: tuple[WordRead, ...], names: Callable[[], Names]) -> Read:
    """The scenario with the model that its question, else its title, names, where none is stated."""
    data = document.data
    if data.get("model") or any("model" in block for block in variants_of(data).values()):
        return document, words
    if are_listed(text_of(data), names()):
        return document, words  # which of them is meant is not known
    titled = (replace(model, places=()) for model in models_in(str(data.get("title", "")), names()))
    found = next(chain(models_in(text_of(data), names()), titled), None)
    alone = f"{RENT_OR_BUY}|{HIRED_TO_WORK}" if workload_asked(data) == "training" else OF_HARDWARE_ALONE
    if not found and re.search(alone, question_of(data)):
        assumed = said_in_question(ANY, FOR_ANY, source="this program")
        return replace(document, data={**data, "model": ANY, "workload": "serving"}), (*words, assumed)
    if not found:
        return document, words
    model, adapted = found.value, _adapters(data, found.value)
    training = {"training": {**block_of(data, "training"), **adapted}} if adapted else {}
    read = [said_in_question(model, NAMED, places=found.places)]
    read += [said_in_question(model, ON_FOUR_BITS, adapted)] if adapted else []
    return replace(document, data={**data, "model": model, **training}), (*words, *read)


def _adapters(data: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Adapters on weights of four bits, where those of the model that is trained have no more, as its name says."""
    trained = data.get("workload") == "training" and not is_stated(data, "method") and not method_asked(data)
    return settings_of("training", "method", "qlora") if trained and FOUR_BITS.search(format_said(model)) else {}


def stands_for_any(words: Iterable[WordRead]) -> bool:
    """Whether a model stands for any, as a question names none: what it takes and does is nobody's answer."""
    return any(word.meaning.assumes == FOR_ANY for word in words)


def hires_gpus(question: str, model: object) -> bool:
    """Whether a question in small letters has GPUs for a time, and nothing of what they do: `1 hour of 8 H100`."""
    return model == ANY and bool(re.search(HIRED, question))


def are_by_size(variants: Iterable[str]) -> bool:
    """Whether variants are models by size, of which nobody names one; settings may stand behind their names."""
    return [name.partition(" with ")[0] for name in variants] == [*BY_SIZE]


def models_in(text: str, names: Names) -> Iterator[Said[str]]:
    """The models that a text names; else the one whose name holds its words, or its size, and most releases share."""
    text = without_chips(text)
    said = list(_plausible(text, names))
    sizes = sizes_said(text.lower())
    named = _named(said, names)
    if drafts := [each for each in named if AS_DRAFT.match(text, each.places[0].stop)]:
        yield from models_in(_without(text, drafts), names)
        return
    if named:
        yield from (each.with_(*_confirmed(each.value, names, sizes)) for each in named)
        return
    if mixture := mixture_said(text.lower()):
        yield from filter(_names_one, [mixture.as_(_usual_mixture(*mixture.value))])
        return
    others = [each for each in said if not all(map(NO_NAME.fullmatch, PARTS.split(each.value.lower())))]
    size = sizes[0].value if sizes else ""
    held = next((each.as_(found) for each in others if (found := _most_shared(each.value, names, size))), None)
    if held:
        yield held.with_(*sizes[:1])
    elif not (_of_a_family([each.value for each in others], names) or IN_A_NAME.search(text)):
        yield from filter(_names_one, _usual(text, sizes, names))


def _names_one(said: Said[str]) -> bool:
    return bool(said.value)


def _usual(text: str, sizes: Iterable[Said[str]], names: Names) -> Iterator[Said[str]]:
    """The usual model of each size that a text states; "" where there is none."""
    of_experts = bool(MIXTURE.search(text.lower()))
    for said in sizes:
        if size := float(said.value):
            yield said.as_(_usual_mixture(size) if of_experts else usual_of_size(size, names))


def _usual_mixture(whole: float, active: float = 0.0) -> str:
    """A usual mixture of so many billions of parameters, of which about so many are active; "" where there is none."""
    far = {
        card: abs(size / whole - 1) + (abs(of_these / active - 1) if active else 0)
        for card, (size, of_these) in MIXTURES.items()
    }
    nearest = min(far, key=lambda card: far[card])
    return nearest if far[nearest] <= NEARLY * (2 if active else 1) else ""


def _without(text: str, said: Iterable[Said[str]]) -> str:
    """A text without some words, each letter where it was."""
    for place in (each.places[0] for each in said):
        text = text[: place.start] + " " * len(place) + text[place.stop :]
    return text


def _confirmed(model: str, names: Names, sizes: Iterable[Said[str]]) -> Iterator[Said[str]]:
    """Sizes that a text states beside the name of a model, and that are its own."""
    own = _size_of(names.get(model, model))
    yield from (size for size in sizes if own and abs(float(size.value) / own - 1) <= NEARLY)


def are_listed(text: str, names: Names) -> bool:
    """Whether a text names several models, or sizes, in a row, as if all ran at once: `Llama 3 8B and Mistral 7B`."""
    if re.search(r"\b(?:draft|speculat)", text.lower()):
        return False  # which runs beside the model that it drafts for
    if SIZES_LISTED.search(text.lower()):
        return True
    named = _named(list(_plausible(text, names)), names)
    gaps = (text[one.places[0].stop : other.places[0].start] for one, other in pairwise(named))
    return any(gap.strip() and AND.issuperset(gap.lower().replace(",", " ").split()) for gap in gaps)


def models_near(text: str, names: Names) -> str:
    """Up to three models that may be meant by a family whose size is not known, or are spelt nearly so; "" for none."""
    size = float(next((size.value for size in sizes_said(text.lower())), 0))
    families = _families(names)
    said = ["-".join(name.value).lower() for name in names_said(text)]
    family = next((first for name in said if (first := name.partition("-")[0].rstrip("0123456789.")) in families), "")
    if family and size:
        alike = {card for card in names.values() if card.startswith(family) and _size_of(card)}
        return OR.join(sorted(alike, key=lambda card: (abs(math.log(_size_of(card) / size)), len(card)))[:MOST_NEAR])
    numbered = (name for name in said if re.search(r"\d", name) and len(name) >= SHORTEST)
    found = (difflib.get_close_matches(name, offered(names), MOST_NEAR, ALIKE) for name in numbered)
    return OR.join(next(filter(None, found), []))


def _named(said: list[Said[str]], names: Names) -> list[Said[str]]:
    """Models in their order: those that are named in full, and beside these by a family and a size."""
    exact = list(_exact(said, names))
    sized = list(_sized(said, exact, names)) if exact else []
    return sorted((*exact, *sized), key=lambda each: each.places[0].start)


def _exact(said: list[Said[str]], names: Names) -> Iterator[Said[str]]:
    """Models by name, each of the longest of overlapping words."""
    taken: set[int] = set()
    tags = {name.replace(":", "-"): card for name, card in names.items() if ":" in name}
    for each in said:
        name = each.value
        meant = CALLED.get(name.lower().replace("-", "")) or (name if card_named(name, names) else "")
        meant = meant or (tags.get(name.lower(), "") if card_named(name.rpartition("-")[0], names) else "")
        if meant and taken.isdisjoint(each.places[0]):
            taken.update(each.places[0])
            yield each.as_(meant)


def _sized(said: list[Said[str]], named: Iterable[Said[str]], names: Names) -> Iterator[Said[str]]:
    """Models beside those that are named in full, by a family and a size: `... vs Mistral 7B`."""
    taken = {letter for each in named for letter in each.places[0]}
    families = _families(names)
    for each in said:
        name = each.value.lower()
        size = next((size.value for size in sizes_said(name.replace("-", " "))), "")
        of_family = size and len(each.words.split()) > 1 and name.partition("-")[0] in families
        if of_family and taken.isdisjoint(each.places[0]) and (card := _most_shared(each.value, names, size)):
            taken.update(each.places[0])
            yield each.as_(card)


def _of_a_family(said: Iterable[str], names: Names) -> bool:
    """Whether one of some words is a family of models with sizes, so that no model of another stands for it."""
    families = _families(names)
    return any(name.lower() in families or _most_shared(name, names) for name in said)


def _families(names: Names) -> set[str]:
    """What the names of cards that have a size in them begin with."""
    return {card.partition("-")[0] for card in names.values() if SIZE.search(card)}


def _plausible(text: str, names: Names) -> Iterator[Said[str]]:
    """What is made of words that names of models have."""
    known = {part for name in names for part in PARTS.split(name.lower())}
    for said in names_said(text):
        if all(_may_be_name(word, known) for word in said.value):
            yield said.as_("-".join(said.value))


def _may_be_name(word: str, known: Container[str]) -> bool:
    """Whether names have all parts of a word, beside what says how it is tuned or stored, and who made the copy.

    `TheBloke/Llama-2-13B-chat-GPTQ` is a name, `8bit` alone none.
    """
    parts = [part for part in PARTS.split(word.rpartition("/")[2].lower()) if part]
    named = [part for part in parts if part in known or NUMBERED.fullmatch(part)]
    named = [part for part in named if not says_format(part)]
    return bool(named) and all(part in named or is_no_part(part) for part in parts)


def _most_shared(name: str, names: Names, size: str = "") -> str:
    """The card that most names lead to, of those whose names hold what was said with a number; "" where none does.

    Two words and more without a number mean the card that begins with them, or the only one that has them: `bge-large`.
    Where a size in billions is said, it is one of that size, as far as its name has any.
    """
    called = models_holding(name, names)
    held = {names[each] for each in called}
    held = {card for card in held if not size or _is_of_size(card, float(size))}
    if not re.search(r"\d", name):
        first = {card for card in held if card.startswith(f"{name.lower()}-")}
        likely = first or (held if len(held) == 1 else set())
        found = _first_of(likely, names) if len(PARTS.split(name)) > 1 else ""
        return found if found.startswith(name.lower()) else next((each for each in called if names[each] == found), "")
    return _first_of(held, names)


def usual_of_size(size: float, names: Names) -> str:
    """A usual model of a size in billions of parameters, or of nearly that size; "" where there is none.

    What is dense and writes text comes before mixtures and before what sees, hears, writes programs or embeds.
    """
    whole = {card: _size_of(card) for card in {*names.values()}}
    far = {card: distance for card, known in whole.items() if (distance := abs(known / size - 1)) <= NEARLY}
    far = {card: distance for card, distance in far.items() if not OF_A_KIND.search(card)} or far
    near = {card for card, distance in far.items() if distance == min(far.values())}
    return next((card for card in BY_SIZE if card in near), "") or _first_of(near, names)


def _is_of_size(card: str, size: float) -> bool:
    """Whether a card has nearly so many billions of parameters, or a name that does not say how many."""
    said = _size_of(card)
    return not said or bool(OF_EXPERTS.search(card)) or abs(said / size - 1) <= NEARLY


def _size_of(card: str) -> float:
    """The billions of parameters that the name of a card says; 0 where it says none."""
    return max(map(float, SIZE.findall(card)), default=0.0)


def _first_of(cards: Iterable[str], names: Names) -> str:
    """The card that most names lead to; of several the one of the family that is used most, then by name."""
    shared = Counter(card for name, card in names.items() if not name.endswith(":latest"))
    return min(cards, key=lambda card: (-shared[card], not card.startswith(FAMILIES), card), default="")
