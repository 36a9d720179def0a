"""The sides of a question that weighs several things at once: `4-bit on one A100 or 16-bit on two?`"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.hardware import mac_said
from memreport.catalogue.question.numbers import STATED, number_said
from memreport.catalogue.question.settings import sizes_said, stages_said
from memreport.catalogue.question.workload import formats_asked, methods_said
from memreport.catalogue.unstated.engine import programs_compared
from memreport.catalogue.unstated.formats import formats_known
from memreport.catalogue.unstated.hardware import gpus_by_name, hardware_named
from memreport.catalogue.unstated.model import Names, models_in
from memreport.catalogue.words.tables import settings_of
from memreport.frozen import frozen

Variants = Mapping[str, Mapping[str, Any]]
PARTED = re.compile(r",? \b(?:or|vs\.?|versus|than|against|compared (?:to|with))\b ", re.IGNORECASE)
"""What stands between the sides."""
COMPARED = re.compile(r" \b(?:with|and|to|against)\b ", re.IGNORECASE)
"""The same behind `Compare`."""
AS_MANY = re.compile(rf"\b(?:on|with|using) {STATED}(?: of (?:them|these|those))?\W*$")
"""GPUs that the other side names: `4-bit on one A100 or 16-bit on two?`"""
GPU, COUNT = "hardware.accelerator", "hardware.count"


@frozen
class Mention:
    """What one side names of a kind: how it is called, and the fields that it sets."""

    words: str
    fields: Mapping[str, Any]


Side = Mapping[str, Mention]
"""What a side names, by kind."""


def sides_compared(
    data: Mapping[str, Any], question: str, tables: Callable[[], Tables], names: Callable[[], Names]
) -> Variants:
    """A variant a side, of a question whose sides differ in several fields at once; else nothing."""
    parts = (COMPARED if re.match(r"compare\b", question, re.IGNORECASE) else PARTED).split(question)
    sides = _with_gpu([dict(_named(data, part, tables, names)) for part in parts]) if len(parts) > 1 else []
    kinds = [kind for kind in sides[0] if _differs(kind, sides)] if sides else []
    several = len(kinds) > 1 or any(len(side[kind].fields) > 1 for side in sides for kind in kinds if kind == "layout")
    if not several:
        return {}
    first = parts[0].lower()
    kinds.sort(key=lambda kind: first.find(sides[0][kind].words.lower()))  # as the question names them
    made = {", ".join(side[kind].words for kind in kinds): _fields(side, kinds) for side in sides}
    return made if len(made) == len(sides) else {}


def _fields(side: Side, kinds: list[str]) -> dict[str, Any]:
    return {name: value for kind in kinds for name, value in side[kind].fields.items()}


def _differs(kind: str, sides: list[dict[str, Mention]]) -> bool:
    """Whether every side names one of a kind, and not all the same."""
    return all(kind in side for side in sides) and any(side[kind].fields != sides[0][kind].fields for side in sides)


def _named(
    data: Mapping[str, Any], part: str, tables: Callable[[], Tables], names: Callable[[], Names]
) -> Iterator[tuple[str, Mention]]:
    """What a side names, of what the scenario does not state."""
    if not data.get("model") and (models := [*models_in(part, names())]):
        yield "model", Mention(models[0], {"model": models[0]})
    part = part.lower()
    yield from (("format", found) for found in _formats(data, part, tables))
    if not data.get("hardware") and (gpus := _gpus(part, tables)):
        yield "hardware", gpus
    workload = str(data.get("workload"))
    sizes, stages = sizes_said(part), stages_said(part)
    layout = {field: value for fields in sizes.values() for field, value in fields.items()}
    if workload == "training" and (stage := next(iter(stages.values()), None)) is not None:
        layout |= {"zero_stage": stage}
    if layout:
        yield "layout", Mention(" ".join([*sizes, *stages]), _in(workload, layout))
    if workload == "training" and (methods := methods_said(part)):
        yield "method", Mention(methods[0], _in(workload, settings_of(workload, "method", methods[0])))
    if workload == "serving" and (engines := programs_compared(part, workload, "engine", tables)):
        name, own = next(iter(engines.items()))
        yield "engine", Mention(name, _in(workload, own))


def _formats(data: Mapping[str, Any], part: str, tables: Callable[[], Tables]) -> Iterator[Mention]:
    found = [*formats_known(formats_asked({**data, "question": part}), tables)]
    yield from (Mention(each, _in("serving", {"weight_dtype": each})) for each in found[:1])


def _gpus(part: str, tables: Callable[[], Tables]) -> Mention | None:
    """The GPUs of a side, or how many of those that another side names."""
    for sections, read in hardware_named({"question": part}, tables) if mac_said(part) else ():
        fields = ((f"{part}.{name}", value) for part, block in sections.items() for name, value in block.items())
        return Mention(read.found, dict(fields))
    for (gpu, count), (words, _) in gpus_by_name(part, tables):
        return Mention(words, {GPU: gpu, **({COUNT: count} if count else {})})
    said = AS_MANY.search(part)
    return Mention(f"{said[1]} of them", {COUNT: int(number_said(said[1]))}) if said else None


def _with_gpu(sides: list[dict[str, Mention]]) -> list[dict[str, Mention]]:
    """The sides, with the GPU that one alone names where others say how many."""
    named = [side["hardware"].fields for side in sides if "hardware" in side]
    gpus = {fields[GPU] for fields in named if GPU in fields}
    if len(gpus) != 1 or all(GPU in fields for fields in named):
        return sides
    gpu = {GPU: gpus.pop()}
    return [
        {**side, "hardware": replace(side["hardware"], fields={**gpu, **side["hardware"].fields})}
        if "hardware" in side
        else side
        for side in sides
    ]


def _in(workload: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{workload}.{name}": value for name, value in fields.items()}
