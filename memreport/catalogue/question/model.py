"""The model and the engine that a question names, and whether it asks for vectors or scores in place of tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memreport.catalogue.question.numbers import Said, by_words, matched

MOST_WORDS = 6
"""Words that a name of a model may have: `llama 3.1 nemotron nano 4b v1.1`."""
AROUND = "?!.,;:()\"'`"
SIZE_SAID = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?(?:b|billion)\b(?![ -]?tokens?\b(?! ?(?:/|per) ?s))")
"""The size of a model, and no number of tokens: `a 7B model`, `70 billion parameters`, `a 70B tokens per second`."""
PLUS = re.compile(r"(?<=[A-Za-z])\+$")
OF_MONEY = re.compile(r"[$€£%]|/[a-z]?$", re.IGNORECASE)
"""What no name of a model has: `$2/h` is none of one that ends in `-h`."""


def spelt(name: str) -> str:
    """The pattern of a name as questions in small letters have it: with hyphens, spaces or neither."""
    return re.escape(name.lower()).replace("_", "[ _-]").replace(r"\-", "[ -]?")


def names_said(question: str) -> Iterator[Said[tuple[str, ...]]]:
    """Everything that may be the name of a model in a text, longest first: its words."""
    words = [*_words(question)]
    for length in range(MOST_WORDS, 0, -1):
        for start in range(len(words) - length + 1):
            parts = words[start : start + length]
            said = tuple(part for part, _ in parts)
            if all(said) and re.search(r"[A-Za-z]", "".join(said)):
                place = range(parts[0][1].start, parts[-1][1].stop)
                yield Said(said, question[place.start : place.stop], (place,))


def _words(question: str) -> Iterator[tuple[str, range]]:
    """Words of a text without what stands around them, and their places."""
    for word in re.finditer(r"\S+", question):
        bare = re.sub(r"['’]s$|\.gguf$", "", word[0].strip(AROUND), flags=re.IGNORECASE)
        start = word.start() + word[0].find(bare)
        yield "" if OF_MONEY.search(bare) else PLUS.sub("-plus", bare), range(start, start + len(bare))


NEXT_SIZE = re.compile(rf"{SIZE_SAID.pattern}(?: models?| llms?)?(?:,| or| and| vs\.?| versus| than)(?: an?| one)? ")
"""A size behind which another one may stand: `a 7B or a 13B model`."""


def sizes_said(question: str) -> list[Said[str]]:
    """The sizes of models that a question in small letters states, in billions of parameters: one, or some in a row."""
    said = SIZE_SAID.search(question)
    found: list[Said[str]] = []
    while said:
        found.append(matched(said, said[1], said[1]))
        behind = NEXT_SIZE.match(question, said.start())
        said = SIZE_SAID.match(question, behind.end()) if behind else None
    return [*by_words(found).values()]


BILLIONS = {"b": 1.0, "billion": 1.0, "t": 1e3, "trillion": 1e3}
OF_EXPERTS = re.compile(
    r"(?<![\w.])(?P<whole>\d+(?:\.\d+)?) ?(?P<scale>t|trillion|b|billion)\b(?! ?tokens?)"
    r"(?=[^?.;]{0,60}\b(?:moe|mixture|activ))(?:[^?.;\d]|\bof \d+ ){0,50}?"
    r"[^?.;\w]a?(?P<active>\d+(?:\.\d+)?) ?(?:b|billion)\b"
    r"(?= (?:param\w* )?(?:are )?activ| (?:per|each) token|[^?.;\w]*$| moe\b|\))"
    r"|(?<![\w.])(?P<first>\d+(?:\.\d+)?) ?(?:b|billion) (?:param\w* )?activ\w*[^?.;\d]{0,30}?(?P<of>\d+(?:\.\d+)?) ?"
    r"(?P<times>t|trillion|b|billion)\b"
)
"""A mixture by its parameters and those that are active: `a 1T parameter MoE with 32B active`."""
MIXTURE = re.compile(r"\bmoe\b|\bmixture[ -]of[ -]experts\b|\bsparse\b(?= (?:\w+ )?(?:model|llm))")


def mixture_said(question: str) -> Said[tuple[float, float]] | None:
    """Parameters in all and active ones of a mixture that a question in small letters describes, in billions."""
    said = OF_EXPERTS.search(question)
    if said is None:
        return None
    whole, scale = (said["whole"], said["scale"]) if said["whole"] else (said["of"], said["times"])
    active = float(said["active"] or said["first"])
    return matched(said, (float(whole) * BILLIONS[scale], active)) if float(whole) * BILLIONS[scale] > active else None


LARGEST_MODEL = (
    r"\b(?:largest|biggest|max(?:imum)?(?![ _-]model[ _-]len)|how (?:large|big) (?:of )?an?"
    r"|(?:what|which) size(?: of)?)\b"
    r"(?:(?!\b(?:for|context|batch|sequence)\b)[^?,]){0,24}\b(?:model|llm)\b"
)
"""A question which asks for the model, and not for what it takes."""


FILES_ASKED = (
    r"^(?:how (?:big|large|much|many g)|what)\b(?!.*\b(?:v?ram|memory|gpus?|cost)\b).*\b(?:on disk|disk (?:space )?do"
    r"|disk space|file size)\b|^(?:how (?:big|large) (?:is|are)|what(?: is|'s) the size of)"
    r"(?: an?| the)?(?: [\w.-]+){0,5}? (?:checkpoints?|downloads?|files?)\b(?! ?policy)"
    r"|^what(?: is|'s) the (?:checkpoint|download) size\b"
)
"""The files of a model or of a training, whose size is asked for."""
ADAPTER_ASKED = r"\bhow (?:big|large) (?:is|are)\b.*\badapters?\b"
DONE = r"(?:run|do|pre-?train|host|serve|load|fit|use|train|fine[ -]?tune|tune|finetune|deploy)"
OPEN_MODEL = (
    rf"\b(?:which|what) (?:[\w-]+ ){{0,2}}(?:models?|llms?)\b[^?]*\b(?:{DONE}|fits|runs)\b"
    rf"|\bwhat (?:can|could) (?:i|we|you|one|an?|my|our) (?:[\w-]+ ){{0,3}}?{DONE}\b(?![^?]*(?:\$|dollars|usd|tokens))"
)
"""A question which leaves the model open, where it names none: `Which models fit on two RTX 3090?`"""


def leaves_model_open(question: str, *, stated: bool = False) -> bool:
    """Whether a question in small letters, which names no model, asks for one, or for the largest where one is."""
    return bool(re.search(LARGEST_MODEL if stated else f"{LARGEST_MODEL}|{OPEN_MODEL}", question))


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
    """Names of engines or frameworks that a question in small letters names, each once, in its order.

    Of names that begin at one place the longest: `vllm 0.11` is no plain `vllm`.
    """
    places = {name: place_of_engine(name, question) for name in names if name}
    longest = sorted((name for name, place in places.items() if place), key=len, reverse=True)
    found = {places[name].start: name for name in [*reversed(longest)]}
    yield from (found[start] for start in sorted(found))


def place_of_engine(name: str, question: str) -> range:
    """Where a question in small letters names an engine or framework; empty where it does not."""
    said = re.search(rf"{BEFORE if name in OF_OTHERS else ''}(?<![\w.-]){spelt(name)}(?![\w/-])", question)
    return range(*said.span()) if said else range(0)
