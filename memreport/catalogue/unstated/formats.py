"""The formats of weights that words mean, here and in other programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.hardware import mac_said
from memreport.catalogue.question.model import AT_HOME
from memreport.catalogue.question.numbers import Said, by_words
from memreport.catalogue.question.workload import FORMAT_ASKED
from memreport.catalogue.words.tables import meanings
from memreport.errors import as_spelt

USUAL = ("bf16", "fp8", "awq")
IN_GGUF = ("q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "iq3_xxs", "iq2_m", "iq2_xxs")
"""Formats that are tried where it is asked which; of a desktop those of its programs."""
DESKTOP = re.compile(rf"{AT_HOME.pattern}|\b(?:gguf|llama\.?cpp|ollama|lm studio)\b")
LOCAL = {"serving.engine": "llama.cpp"}
WORKSTATION = re.compile(r"\b(?:rtx|gtx|rx|radeon|geforce|arc)\b|\b[2-5]0[5-9]0\b")
"""A GPU of a workstation, for which smaller formats are tried, too."""


def formats_asked_of(question: str) -> dict[str, Said[dict[str, Any]]]:
    """The fields of each usual format, where a question in small letters asks which; else nothing."""
    if not re.search(FORMAT_ASKED, question):
        return {}
    desktop = DESKTOP.search(question) or mac_said(question)
    engine = LOCAL if desktop else {}
    found = {each: Said({**engine, "serving.weight_dtype": each}, each) for each in (IN_GGUF if desktop else USUAL)}
    smaller = IN_GGUF[3:] if WORKSTATION.search(question) and not desktop else ()
    return found | {each: Said({**LOCAL, "serving.weight_dtype": each}, each) for each in smaller}


def formats_known(words: Iterable[Said[str]], tables: Callable[[], Tables]) -> Iterator[Said[str]]:
    """The formats that words in small letters mean, each once, in their order."""
    ids, elsewhere = [*map(str, tables()["weight_formats"].ids)], _formats_elsewhere()
    meant = ((said, as_spelt(said.value, ids) or elsewhere.get(said.value, "")) for said in words)
    yield from by_words(said.as_(name, name) for said, name in meant if name).values()


@cache
def _formats_elsewhere() -> Mapping[str, str]:
    """Formats as other programs call them, as far as they are no common words."""
    return {
        word: str(meaning.settings["weight_dtype"])
        for (field, word), meaning in meanings("serving").items()
        if field == "weight_dtype" and "weight_dtype" in meaning.settings and re.search(r"\d|gptq|awq", word)
    }
