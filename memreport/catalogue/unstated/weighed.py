"""Both variants of a question that weighs one thing by itself: a setting, a format of weights, the link of GPUs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.lengths import PREFIX_CACHED, as_prefix, lengths_asked, prefix_shared
from memreport.catalogue.question.numbers import HALF, Said
from memreport.catalogue.question.settings import Choices
from memreport.catalogue.question.stated import block_of
from memreport.catalogue.question.switches import (
    CHECKPOINTING,
    both_of,
    is_weighed,
    link_weighed,
    memory_of_a_training,
    switch_weighed,
)
from memreport.catalogue.question.workload import formats_asked
from memreport.catalogue.records import PROMPT_TOKENS
from memreport.catalogue.unstated.formats import formats_known
from memreport.catalogue.unstated.hardware import hardware_named
from memreport.catalogue.unstated.named_gpus import gpus_by_name

UNQUANTISED = "bf16"
"""What weights of a format are weighed against."""


def weighed_alone(data: Mapping[str, Any], question: str, tables: Callable[[], Tables]) -> Choices:
    """Without what a question in small letters weighs, and with it, where the scenario does not state it."""
    workload = str(data.get("workload"))
    found: Choices = switch_weighed(question, workload)
    if link_weighed(question):
        found = _linked(data, tables)
    elif workload == "serving" and is_weighed(question) and re.search(PREFIX_CACHED, question):
        found = _prefixes(data, question)
    elif workload == "serving" and not found and is_weighed(question):
        formats = (Said(UNQUANTISED, UNQUANTISED), *formats_known(formats_asked(data), tables))[:2]
        found = {each.words: each.as_({"serving.weight_dtype": each.value}) for each in formats}
    elif not found and memory_of_a_training(question, workload) and not data.get("hardware"):
        both = both_of(Said(CHECKPOINTING, ""))
        found = {} if [*gpus_by_name(question, tables)] else dict(reversed(both.items()))
    names = {name.rpartition(".")[2] for each in found.values() for name in each.value}
    stated = any(name in str(data.get(workload, "")) for name in names)
    return found if len(found) > 1 and not stated else {}


def _prefixes(data: Mapping[str, Any], question: str) -> Choices:
    """Without a cache of what prompts begin with alike, and with it: half of each where nobody says how much."""
    lengths = lengths_asked(data)
    prompt = lengths["prompt_tokens"].value if "prompt_tokens" in lengths else PROMPT_TOKENS
    said = prefix_shared(question, prompt) or Said(as_prefix(HALF, prompt // 2), "")
    share = said.value["prefix_cached_share"]
    cached = {f"serving.{name}": value for name, value in said.value.items()}
    none = {**cached, **{f"serving.{name}": 0 for name in as_prefix(0, 0)}}
    return {"no prefix cache": said.as_(none), f"{share:.0%} of prompts cached": said.as_(cached)}


def _linked(data: Mapping[str, Any], tables: Callable[[], Tables]) -> Choices:
    """GPUs joined by PCIe alone, and by their own link; nothing where they have none, or several are named."""
    named = (block_of(sections, "hardware") for sections, _ in hardware_named(data, tables))
    said = [str(each["accelerator"]) for each in (block_of(data, "hardware"), *named) if "accelerator" in each]
    table = tables()["accelerators"]
    gpus = {gpu for each in said for gpu in ([each] if each in table.ids else _meant(each, tables))}
    if len(gpus) != 1:
        return {}
    row = table.row(gpus.pop())
    link, pcie = (table.numbers(name)[row] for name in ("link_bytes_per_second", "host_link_bytes_per_second"))
    slower = Said({"overrides.link_bytes_per_second": float(pcie)}, "PCIe")
    return {"PCIe": slower, "NVLink": Said({}, "NVLink")} if link > pcie else {}


def _meant(name: str, tables: Callable[[], Tables]) -> list[str]:
    """The GPU that a short name means: `h100`."""
    return [said.value[0].name for said in gpus_by_name(name.lower(), tables)]
