"""Model and hardware of a scenario that does not state them: those of its first variant, or that its question names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.hardware import WHICH_GPU
from memreport.catalogue.question.numbers import STATED, number_said
from memreport.catalogue.question.workload import is_stated
from memreport.catalogue.words.gpus import IN_A_VARIANT, gpu_named
from memreport.catalogue.words.meaning import Meaning
from memreport.catalogue.words.reading import Read, WordRead
from memreport.catalogue.yaml.strict import Document

ASKED_OF = "h100-80gb-sxm"
"""The GPU that a search for one starts from, which decides nothing of what it finds."""
LOCAL, LOCALLY = ("apple", "cpu"), "llama.cpp"
"""Architectures that the usual engine has no kernels for, and the engine that has."""
GGUF = "GGUF"
ON_LOCAL = "no engine is stated, and this is made for it"
MEMORY_ASKED = r"how much (gpu )?(v?ram|memory)\b"
MOST_GPUS = 10**6
MAKER = r"(?:(?:nvidia|amd|geforce|instinct|radeon) )*"
SIZE = r"(?:[ -](?:ti|super|ada|pro|sxm\d?|pcie|nvl|xtx|xt|\d+ ?gb))*"
NAMED = re.compile(
    rf"\b(?:{STATED} ?(?:[x×*] ?)?)?{MAKER}((?:(?:rtx|rx|gtx)[ -]?(?:pro |a)?|mi|gb|gh|[abhlvt])\d{{1,4}}\w*{SIZE}"
    rf"|m\d (?:max|ultra|pro)\b|[2-5]0[5-9]0{SIZE}\b)"
)
"""A GPU by name in a question in small letters, and how many of it."""
IN_QUESTION = Meaning({}, "", assumes="is read as the hardware, which is not stated")
FOR_SEARCH = Meaning({}, "", assumes=f"names no GPU: what is submitted is computed on one {ASKED_OF}")


def with_unstated(document: Document, words: tuple[WordRead, ...], tables: Callable[[], Tables]) -> Read:
    """The scenario with the model and the hardware that its variants or its question state, and what is assumed."""
    data = document.data
    found = {} if data.get("model") else dict(_of_variants(data, {"model": "model"}, "model"))
    if not data.get("hardware"):
        names = {"accelerator": IN_A_VARIANT, "count": "hardware.count"}
        if hardware := dict(_of_variants(data, names, IN_A_VARIANT)):
            found["hardware"] = hardware
        elif asked := _asked(str(data.get("question", "")).lower(), tables):
            found["hardware"], word = asked
            words = (*words, word)
    return (replace(document, data={**data, **found}) if found else document), words


def with_engine(document: Document, words: tuple[WordRead, ...], tables: Callable[[], Tables]) -> Read:
    """The service with the engine that its processor or its file of weights needs, where none is stated."""
    data, serving = document.data, document.data.get("serving", {})
    if data.get("workload") != "serving" or is_stated(data, "engine") or not isinstance(serving, dict):
        return document, words
    found = _only_local(data.get("hardware"), serving, tables)
    if found is None:
        return document, words
    field, name, place = found
    word = WordRead(field, name, Meaning({"engine": LOCALLY}, "", assumes=ON_LOCAL), place)
    return replace(document, data={**data, "serving": {**serving, "engine": LOCALLY}}), (*words, word)


def _only_local(
    hardware: Any, serving: Mapping[str, Any], tables: Callable[[], Tables]
) -> tuple[str, str, tuple[str, ...]] | None:
    """The field, its value and its place that no engine for GPUs takes: a file of llama.cpp, a Mac, a processor."""
    gpu = str(hardware.get("accelerator", "")) if isinstance(hardware, dict) else ""
    weights, formats = str(serving.get("weight_dtype", "")), tables()["weight_formats"]
    if weights in formats.ids and formats.titles[formats.row(weights)].startswith(GGUF):
        return "weight_dtype", weights, ("serving", "weight_dtype")
    table = tables()["accelerators"]
    if gpu in table.ids and table.text("architecture", gpu) in LOCAL:
        return "accelerator", gpu, ("hardware", "accelerator")
    return None


def _of_variants(data: Mapping[str, Any], names: Mapping[str, str], needed: str) -> Iterator[tuple[str, Any]]:
    """Fields of the first variant, where every variant states what is needed."""
    variants = data.get("variants")
    blocks = list(variants.values()) if isinstance(variants, dict) else []
    if blocks and all(isinstance(block, dict) and needed in block for block in blocks):
        yield from ((own, blocks[0][name]) for own, name in names.items() if name in blocks[0])


def _asked(question: str, tables: Callable[[], Tables]) -> tuple[dict[str, Any], WordRead] | None:
    """The hardware of a question, and how it is read; nothing where it names none and asks for none."""
    for said in NAMED.finditer(question):
        count = int(number_said(said[1] or "1"))
        if (gpu := gpu_named(said[2].replace(" ", "-"), tables())) and 0 < count <= MOST_GPUS:
            return {"accelerator": gpu, "count": count}, WordRead("question", said[0], IN_QUESTION, ("question",))
    asks = re.search(rf"{WHICH_GPU}|{MEMORY_ASKED}", question)
    return ({"accelerator": ASKED_OF}, WordRead("question", asks[0], FOR_SEARCH, ("question",))) if asks else None
