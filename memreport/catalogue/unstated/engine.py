"""The engine of a service: the one that its question names, or the only one for its processor or its weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.cards import format_said
from memreport.catalogue.question.hardware import host_memory_said
from memreport.catalogue.question.model import AT_HOME, engines_said, place_of_engine
from memreport.catalogue.question.numbers import Said
from memreport.catalogue.question.settings import Choices
from memreport.catalogue.question.stated import block_of, question_of, variants_of
from memreport.catalogue.question.workload import is_stated
from memreport.catalogue.records import ModelCard
from memreport.catalogue.unstated.gpus import LOCAL
from memreport.catalogue.unstated.model import BY_SIZE, are_by_size
from memreport.catalogue.words.meaning import QUESTION, THE_QUESTION, Meaning, Read, WordRead, said_in_question
from memreport.catalogue.words.tables import meanings
from memreport.catalogue.yaml.strict import Document

LOCALLY = "llama.cpp"
"""The engine that has kernels where the usual one has none."""
GGUF = "GGUF"
DRAFT_CACHE = {
    "draft_num_hidden_layers": "num_hidden_layers",
    "draft_num_key_value_heads": "num_key_value_heads",
    "draft_head_dim": "head_dim",
}
"""What the cache of a draft model is made of, and the fields of its card."""
ON_LOCAL = "no engine is stated, and this is made for it"
DESKTOPS = ("unified", "unified-small")
"""Machines whose GPU shares the processor's memory: a Mac, a DGX Spark, a Jetson."""
OWN_FORMATS = {"llama.cpp": {"int4": "q4_k_m", "int8": "q8_0"}, "mlx": {"int4": "mlx-4bit", "int8": "mlx-8bit"}}
"""What engines with files of their own serve where a question says `in 4 bit`."""
RELEASED = {"mxfp4-experts": "mxfp4_moe", "mxfp4-experts-fp8": "mxfp4_moe"}
"""The files of llama.cpp that hold what is released in 4 bits, by the format of the release."""
NAMED = "no {} is stated"
SHARDING = {"deepspeed": "deepspeed", "fsdp": "huggingface"}
"""Libraries that share states, and the framework that is meant where several are named: `DeepSpeed or FSDP?`"""
WHATEVER_IT_RUNS = "which model it runs"
AT_ONES_HOME = Meaning(
    {"engine": LOCALLY},
    THE_QUESTION,
    unless_stated={"weight_dtype": "q4_k_m"},
    assumes="no engine is stated: desktop programs run llama.cpp, with weights of 4 bits unless others are stated",
)


def with_engine(
    document: Document,
    words: tuple[WordRead, ...],
    tables: Callable[[], Tables],
    card: Callable[[str], ModelCard | None],
    *,
    alone: bool,
) -> Read:
    """The service with the engine that its question, which may stand alone, names, or its processor or file needs."""
    data, serving = document.data, document.data.get("serving", {})
    if data.get("workload") != "serving" or is_stated(data, "engine") or not isinstance(serving, dict):
        return document, words
    question, hardware = question_of(data), block_of(data, "hardware")
    found = _named(question, tables) or _at_home(data, hardware, tables)
    found = found or _only_local(data, serving, tables, alone=alone)
    if found is None:
        return document, words
    found = _as_released(found, data.get("model"), card)
    stated = {**found.meaning.unless_stated, **serving, **found.meaning.settings}
    said = {word.found for word in words if word.field == "question"}
    if (bits := str(stated.get("weight_dtype"))) in said:
        stated["weight_dtype"] = OWN_FORMATS.get(str(stated["engine"]), {}).get(bits, bits)
    return replace(document, data={**data, "serving": stated}), (*words, found)


def _as_released(found: WordRead, model: object, card: Callable[[str], ModelCard | None]) -> WordRead:
    """What an engine with files of its own serves of a model that is released in 4 bits: these, not fewer of others."""
    alone = isinstance(model, str) and not {":", "/"}.intersection(model)  # a file that is named is what it is
    named = card(str(model)) if alone and found.meaning.settings.get("engine") == LOCALLY else None
    if named is None or named.weight_dtype not in RELEASED:
        return found
    return replace(found, meaning=replace(found.meaning, unless_stated={"weight_dtype": RELEASED[named.weight_dtype]}))


def engines_named(question: str, tables: Callable[[], Tables]) -> Mapping[str, Meaning]:
    """What each engine that a question in small letters names stands for, by the first name that it is given."""
    return _programs_named(question, "serving", "engine", tables)


def frameworks_named(question: str, tables: Callable[[], Tables]) -> Mapping[str, Meaning]:
    """The same of frameworks that train."""
    return _programs_named(question, "training", "framework", tables)


def _programs_named(question: str, section: str, kind: str, tables: Callable[[], Tables]) -> Mapping[str, Meaning]:
    own = {str(known).lower(): Meaning({kind: known}, THE_QUESTION) for known in tables()[f"{kind}s"].ids}
    others = {word: meaning for (field, word), meaning in meanings(section).items() if field == kind}
    known = {**others, **own, **({"hugging face": own["huggingface"]} if "huggingface" in own else {})}
    said = {str(known[name].settings[kind]): name for name in reversed([*engines_said(question, known)])}
    return {name: replace(known[name], assumes=NAMED.format(kind)) for name in reversed(said.values())}


def programs_compared(question: str, section: str, kind: str, tables: Callable[[], Tables]) -> Choices:
    """The engines or frameworks that a question in small letters names, and what each takes by default."""
    found = _programs_named(question, section, kind, tables)
    named = {name: Said({**meaning.unless_stated, **meaning.settings}, name) for name, meaning in found.items()}
    sharing = {*engines_said(question, SHARDING)}
    if len(sharing) < 2 or not named or not sharing.issuperset(named):
        return named
    return {name: Said({"zero_stage": 3, "framework": SHARDING[name]}, name) for name in SHARDING if name in sharing}


def _named(question: str, tables: Callable[[], Tables]) -> WordRead | None:
    """The engine that a question names, where it names one alone."""
    found = engines_named(question, tables)
    if len(found) != 1:
        return None
    (name, meaning), *_ = found.items()
    read = replace(meaning, source=THE_QUESTION)
    return WordRead("question", name, read, QUESTION, places=(place_of_engine(name, question),))


def _at_home(data: Mapping[str, Any], hardware: Mapping[str, Any], tables: Callable[[], Tables]) -> WordRead | None:
    """The engine of desktop programs, where the machine is somebody's own.

    That is said, or its GPU is one of a workstation and its RAM is named, or asked is what it runs at all.
    """
    question = question_of(data)
    home, ram = AT_HOME.search(question), host_memory_said(question)
    beside = ram.words if ram else WHATEVER_IT_RUNS if are_by_size(variants_of(data)) else ""
    said = home[0] if home else beside if beside and _stands_alone(hardware, tables) else ""
    return WordRead("question", said, AT_ONES_HOME, QUESTION) if said else None


def _stands_alone(hardware: Mapping[str, Any], tables: Callable[[], Tables]) -> bool:
    """Whether its GPU is one of a workstation."""
    gpu, table = str(hardware.get("accelerator", "")), tables()["accelerators"]
    return gpu in table.ids and table.text("host_alone", gpu) == "workstation"


def _only_local(
    data: Mapping[str, Any], serving: Mapping[str, Any], tables: Callable[[], Tables], *, alone: bool
) -> WordRead | None:
    """The engine that alone takes a file of llama.cpp, as a name may say too, a Mac, a processor; alone in 4 bits."""
    meaning = Meaning({"engine": LOCALLY}, "", assumes=ON_LOCAL)
    model = data.get("model")  # a name, or fields of its own, which have no format in a name
    weights = str(serving.get("weight_dtype") or (format_said(model) if isinstance(model, str) else ""))
    formats = tables()["weight_formats"]
    if weights in formats.ids and formats.titles[formats.row(weights)].startswith(GGUF):
        return WordRead("weight_dtype", weights, meaning, ("serving", "weight_dtype"))
    table, hardware = tables()["accelerators"], block_of(data, "hardware")
    gpu = str(hardware.get("accelerator", ""))
    one = gpu in table.ids and hardware.get("count", 1) == 1
    if one and (table.text("architecture", gpu) in LOCAL or table.text("host", gpu) in DESKTOPS):
        own = AT_ONES_HOME if alone else meaning
        return WordRead("accelerator", gpu, own, ("hardware", "accelerator"))
    return None


def with_draft(document: Document, words: tuple[WordRead, ...], card: Callable[[str], ModelCard | None]) -> Read:
    """A service whose draft is named by its size with the cache that a usual model of about that size has."""
    data, serving = document.data, block_of(document.data, "serving")
    size = serving.get("draft_parameters")
    if not isinstance(size, int) or size <= 0 or any(name in serving for name in DRAFT_CACHE):
        return document, words
    usual = [found for name in BY_SIZE if (found := card(name)) and found.published_parameters]
    near = min(usual, key=lambda each: abs(math.log(size / float(each.published_parameters or 1))), default=None)
    if near is None:
        return document, words
    cache = {name: int(near.values[of]) for name, of in DRAFT_CACHE.items()}
    read = said_in_question(f"{size / 1e9:g}b draft", f"is cached as {near.id} is", source="this program")
    return replace(document, data={**data, "serving": {**cache, **serving}}), (*words, read)
