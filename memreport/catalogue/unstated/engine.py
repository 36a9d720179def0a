"""The engine of a service, where its processor or its file of weights has only one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.workload import is_stated
from memreport.catalogue.unstated.hardware import LOCAL
from memreport.catalogue.words.meaning import Meaning
from memreport.catalogue.words.reading import Read, WordRead
from memreport.catalogue.yaml.strict import Document

LOCALLY = "llama.cpp"
"""The engine that has kernels where the usual one has none."""
GGUF = "GGUF"
ON_LOCAL = "no engine is stated, and this is made for it"


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
