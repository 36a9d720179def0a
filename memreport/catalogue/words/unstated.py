"""Model and hardware of a scenario that does not state them: those of its first variant, or that its question names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.words.gpus import IN_A_VARIANT, gpu_named
from memreport.catalogue.words.meaning import Meaning
from memreport.catalogue.words.question import STATED, WHICH_GPU, number_said
from memreport.catalogue.words.reading import Read, WordRead
from memreport.catalogue.yaml.strict import Document

ASKED_OF = "h100-80gb-sxm"
"""The GPU that a search for one starts from, which decides nothing of what it finds."""
LOCAL, LOCALLY = ("Apple",), "llama.cpp"
ON_LOCAL = "no engine is stated, and it runs on such a processor"
MAKER = r"(?:(?:nvidia|amd|geforce|instinct|radeon) )*"
SIZE = r"(?:[ -](?:ti|super|ada|pro|sxm\d?|pcie|nvl|xtx|xt|\d+ ?gb))*"
NAMED = re.compile(
    rf"\b(?:{STATED} ?(?:[x×*] ?)?)?{MAKER}((?:(?:rtx|rx|gtx)[ -]?(?:pro |a)?|mi|gb|gh|[abhlvt])\d{{1,4}}\w*{SIZE}"
    r"|m\d (?:max|ultra|pro)\b)"
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
        hardware = dict(_of_variants(data, names, IN_A_VARIANT))
        read = () if hardware else tuple(_asked(str(data.get("question", "")).lower(), tables))
        found |= {"hardware": hardware or read[0]} if hardware or read else {}
        words = (*words, *read[1:])
    return (replace(document, data={**data, **found}) if found else document), words


def with_engine(document: Document, words: tuple[WordRead, ...], tables: Callable[[], Tables]) -> Read:
    """The service with an engine that runs on its processor, where none is stated: the usual one is made for GPUs."""
    data = document.data
    serving, gpu = data.get("serving", {}), _gpu_of(data)
    stated = any("engine" in str(data.get(part)) for part in ("serving", "variants", "tables", "search"))
    table = tables()["accelerators"] if gpu else None
    if stated or not isinstance(serving, dict) or table is None or gpu not in table.ids:
        return document, words
    if table.text("vendor", gpu) not in LOCAL and table.text("architecture", gpu) != "cpu":
        return document, words
    word = WordRead("accelerator", gpu, Meaning({"engine": LOCALLY}, "", assumes=ON_LOCAL), ("hardware", "accelerator"))
    return replace(document, data={**data, "serving": {**serving, "engine": LOCALLY}}), (*words, word)


def _gpu_of(data: Mapping[str, Any]) -> str:
    """The accelerator of a service; nothing of other work."""
    hardware = data.get("hardware") if data.get("workload") == "serving" else None
    return str(hardware.get("accelerator", "")) if isinstance(hardware, dict) else ""


def _of_variants(data: Mapping[str, Any], names: Mapping[str, str], needed: str) -> Iterator[tuple[str, Any]]:
    """Fields of the first variant, where every variant states what is needed."""
    variants = data.get("variants")
    blocks = list(variants.values()) if isinstance(variants, dict) else []
    if blocks and all(isinstance(block, dict) and needed in block for block in blocks):
        yield from ((own, blocks[0][name]) for own, name in names.items() if name in blocks[0])


def _asked(question: str, tables: Callable[[], Tables]) -> Iterator[Any]:
    """The hardware of a question, and how it is read; nothing where it names none and asks for none."""
    for said in NAMED.finditer(question):
        if gpu := gpu_named(said[2].replace(" ", "-"), tables()):
            yield {"accelerator": gpu, "count": int(number_said(said[1] or "1"))}
            yield WordRead("question", said[0], IN_QUESTION, ("question",))
            return
    if re.search(WHICH_GPU, question):
        yield {"accelerator": ASKED_OF}
        yield WordRead("question", "which GPU", FOR_SEARCH, ("question",))
