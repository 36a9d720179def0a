"""Options of programs that a question writes as their command lines do: `--max-num-batched-tokens 32768`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from memreport.catalogue.question.numbers import Said, matched
from memreport.catalogue.question.stated import block_of, text_of
from memreport.catalogue.question.workload import workload_asked
from memreport.catalogue.words.meaning import Read, WordRead, said_in_question
from memreport.catalogue.words.names import same_field, stated_instead
from memreport.catalogue.words.reading import Drafts, Known, in_own_words
from memreport.catalogue.words.tables import SECTIONS, meanings
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault

PARTED = re.compile("[_-]")
VALUE = r"(?:-?\d[\d,]*(?:\.\d+)?(?: ?[kmgt]i?b\b)?|[a-z][\w./+-]*)"
ANSWERS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
AMOUNT = re.compile(r"-?\d")
READ_LATER = frozenset({"prompt_tokens", "output_tokens", "sequence_length", "max_model_len", "context_length"})
"""Fields whose numbers a question may say in many ways, which are read together."""
SO_STATED, SERVING = "it is stated so", "serving"
SAID_IN_IT = "said in the question"
"""Where settings stand, by workload, that were taken out of a question and are read as if it still said them."""


PHRASES: Mapping[str, tuple[tuple[re.Pattern[str], str, Any], ...]] = {
    "training": ((re.compile(r"\bbadam\b"), "use_badam", True), (re.compile(r"\blisa\b(?! ?[-'])"), "method", "lisa")),
    "serving": (
        (re.compile(r"\b(?:dp|data[ -]parallel) attention\b"), "enable_dp_attention", True),
        (re.compile(r"\b(?:dp|data[ -]parallel(?:ism)?)[ =]?(\d{1,5})\b"), "data_parallel_size", None),
        (re.compile(r"\bexpert[ -]parallel(?:ism)?\b(?! ?(?:size |of )?\d)"), "enable_expert_parallel", True),
    ),
}
"""What questions call an option of several programs: the words, its name, its value or the number in the words."""


def in_all_words(
    document: Document, fields: Mapping[str, Mapping[str, bool]], known: Known, drafts: Drafts, faults: list[Fault]
) -> Read:
    """The scenario with options that its question writes out, and with words of other programs replaced."""
    document, options = with_options(_with_said(document), fields, known)
    document, words = in_own_words(document, known, drafts, faults)
    return document, (*options, *words)


def _with_said(document: Document) -> Document:
    """The scenario with the settings that its question said; beside them, it states nothing of its own."""
    data, said = dict(document.data), block_of(document.data, SAID_IN_IT)
    if not said or not all(name in SECTIONS and isinstance(block, dict) for name, block in said.items()):
        return document
    del data[SAID_IN_IT]
    blocks = {name: {**block, **block_of(data, name)} for name, block in said.items()}
    return replace(document, data={**data, **blocks})


def with_options(document: Document, fields: Mapping[str, Mapping[str, bool]], known: Known) -> Read:
    """The scenario with each option that its question writes out as if a file stated it; `fields`: whether a switch."""
    data = document.data
    workload = str(data.get("workload") or workload_asked(data) or SERVING)
    if workload not in SECTIONS or not isinstance(data.get("question"), str):
        return document, ()
    found = dict(_options(text_of(data), workload, fields[workload], known))
    named = {name: said for name, said in found.items() if name not in block_of(data, workload)}
    if not named:
        return document, ()
    block = {**{name: said.value for name, said in named.items()}, **block_of(data, workload)}
    return replace(document, data={**data, workload: block}), tuple(map(_read, named.values()))


def _read(said: Said[Any]) -> WordRead:
    return said_in_question(said.words, SO_STATED, {"": said.value}, places=said.places)


def _options(question: str, workload: str, fields: Mapping[str, bool], known: Known) -> Iterator[tuple[str, Said[Any]]]:
    """Each option that is written once, or always with one value, and what words say of one."""
    said: dict[str, list[Said[Any]]] = {}
    for words, name, given in PHRASES[workload]:
        for match in words.finditer(question.lower()):
            said.setdefault(name, []).append(matched(match, given if given is not None else _number(match[1])))
    for match in _pattern(workload, frozenset(fields)).finditer(question):
        name = PARTED.sub("_", match["name"].lower())
        value = _value(name, match["value"] or "", workload, fields, known)
        if value is not None:
            said.setdefault(name, []).append(matched(match, value))
    yield from ((name, each[0].with_(*each[1:])) for name, each in said.items() if len({s.value for s in each}) == 1)


def _value(name: str, given: str, workload: str, fields: Mapping[str, bool], known: Known) -> Any:
    """What an option is set to, nothing where no value of it stands behind; a switch alone is on."""
    field = same_field().get((workload, name), name)
    word = given.lower().rstrip(".")
    if AMOUNT.match(word):
        return _number(word)
    if word in ANSWERS:
        return ANSWERS[word]
    if (name, word) in meanings(workload) or (word and known(field, word)):
        return word
    return True if fields.get(field) or (field, "true") in meanings(workload) else None


def _number(word: str) -> Any:
    """A number, or an amount with its unit."""
    bare = word.replace(",", "")
    if not re.fullmatch(r"-?[\d.]+", bare):
        return bare
    return float(bare) if "." in bare else int(bare)


@cache
def _pattern(workload: str, fields: frozenset[str]) -> re.Pattern[str]:
    """Any name of several parts that a file of the workload may have, with what stands behind it."""
    elsewhere = {name for section, name in same_field() if section == workload}
    words = {name for name, _ in meanings(workload)}
    read_later = {name for (_, name), field in same_field().items() if field in READ_LATER} | READ_LATER
    names = {name for name in fields | elsewhere | words if "_" in name} - read_later - stated_instead().keys()
    spelt = "|".join(re.escape(name).replace("_", "[_-]") for name in sorted(names, key=len, reverse=True))
    behind = rf"(?:(?: ?[=:] ?| (?!on\b))(?P<value>{VALUE}))?"  # `sequence_parallel on 8 H100`
    return re.compile(rf"(?<![\w.-])(?:--)?(?P<name>{spelt})(?![\w-]){behind}", re.IGNORECASE)
