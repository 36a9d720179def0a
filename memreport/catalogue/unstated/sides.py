"""The sides of a question that weighs several things at once: `4-bit on one A100 or 16-bit on two?`"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.hardware import mac_said
from memreport.catalogue.question.numbers import Said, Words, by_words, matched, numbers_in, places_of
from memreport.catalogue.question.settings import Choices, sizes_said, stages_said
from memreport.catalogue.question.workload import formats_asked, methods_said
from memreport.catalogue.unstated.engine import programs_compared
from memreport.catalogue.unstated.formats import formats_known
from memreport.catalogue.unstated.hardware import hardware_named
from memreport.catalogue.unstated.model import Names, models_in
from memreport.catalogue.unstated.named_gpus import gpus_by_name
from memreport.catalogue.words.tables import settings_of

PARTED = re.compile(r",? \b(?:or|vs\.?|versus|than|against|beats?|outperforms?|compared (?:to|with))\b ", re.IGNORECASE)
"""What stands between the sides."""
COMPARED = re.compile(r" \b(?:with|and|to|against)\b ", re.IGNORECASE)
"""The same behind `Compare`."""
AS_MANY = Words(r"\b(?:on|with|using) <count>(?: of (?:them|these|those))?\W*$")
"""GPUs that the other side names: `4-bit on one A100 or 16-bit on two?`"""
GPU, COUNT = "hardware.accelerator", "hardware.count"


Side = Mapping[str, Said[Mapping[str, Any]]]
"""What a side names, by kind: how it is called, and the fields that it sets."""


def sides_compared(
    data: Mapping[str, Any], question: str, tables: Callable[[], Tables], names: Callable[[], Names]
) -> Choices:
    """A variant a side, of a question whose sides differ in several fields at once; else nothing."""
    between = COMPARED if re.match(r"compare\b", question, re.IGNORECASE) else PARTED
    parts = [*_parts(question, between)]
    read = [{kind: said.moved(at) for kind, said in _named(data, part, tables, names)} for at, part in parts]
    sides = _with_gpu(read) if len(parts) > 1 else []
    kinds = [kind for kind in sides[0] if _differs(kind, sides)] if sides else []
    several = len(kinds) > 1 or any(len(side[kind].value) > 1 for side in sides for kind in kinds if kind == "layout")
    if not several:
        return {}
    first = parts[0][1].lower()
    kinds.sort(key=lambda kind: first.find(sides[0][kind].words.lower()))  # as the question names them
    made = by_words(_made([side[kind] for kind in kinds]) for side in sides)
    return made if len(made) == len(sides) else {}


def _parts(question: str, between: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Each side of a question, and where it begins."""
    ends = [0, *(end for said in between.finditer(question) for end in said.span()), len(question)]
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        yield start, question[start:end]


def _made(named: list[Said[Mapping[str, Any]]]) -> Said[dict[str, Any]]:
    fields = {name: value for each in named for name, value in each.value.items()}
    return Said(fields, ", ".join(each.words for each in named), places_of(named))


def _differs(kind: str, sides: list[dict[str, Said[Mapping[str, Any]]]]) -> bool:
    """Whether every side names one of a kind, and not all the same."""
    return all(kind in side for side in sides) and any(side[kind].value != sides[0][kind].value for side in sides)


def _named(
    data: Mapping[str, Any], part: str, tables: Callable[[], Tables], names: Callable[[], Names]
) -> Iterator[tuple[str, Said[Mapping[str, Any]]]]:
    """What a side names, of what the scenario does not state."""
    if not data.get("model") and (models := [*models_in(part, names())]):
        yield "model", models[0].as_({"model": models[0].value}, models[0].value)
    part = part.lower()
    formats = formats_known(formats_asked({**data, "question": part}), tables)
    yield from (("format", found.as_({"serving.weight_dtype": found.value})) for found in islice(formats, 1))
    if not data.get("hardware") and (gpus := _gpus(part, tables)):
        yield "hardware", gpus
    workload = str(data.get("workload"))
    sizes, stages = sizes_said(part), stages_said(part) if workload == "training" else {}
    layout = [*sizes.values(), *(stage.as_({"zero_stage": stage.value}) for stage in stages.values())]
    if layout:
        words = " ".join([*sizes, *stages])
        yield "layout", _in(workload, _made(layout[: len(sizes) + 1]), words)
    if workload == "training" and (methods := methods_said(part)):
        yield "method", _in(workload, Said(settings_of(workload, "method", methods[0]), methods[0]))
    if workload == "serving" and (engines := programs_compared(part, workload, "engine", tables)):
        yield "engine", _in(workload, next(iter(engines.values())))


def _gpus(part: str, tables: Callable[[], Tables]) -> Said[Mapping[str, Any]] | None:
    """The GPUs of a side, or how many of those that another side names."""
    for sections, read in hardware_named({"question": part}, tables) if mac_said(part) else ():
        fields = {f"{name}.{field}": value for name, block in sections.items() for field, value in block.items()}
        return Said(fields, read.found, read.places)
    for said in gpus_by_name(part, tables):
        count, gpu, *_ = said.value[0]
        return said.as_({GPU: gpu, **({COUNT: count} if count else {})})
    if many := AS_MANY.search(part):
        return matched(many, {COUNT: int(numbers_in(many)[0])}, f"{many['count_0']} of them")
    return None


def _with_gpu(sides: list[dict[str, Said[Mapping[str, Any]]]]) -> list[dict[str, Said[Mapping[str, Any]]]]:
    """The sides, with the GPU that one alone names where others say how many."""
    named = [side["hardware"].value for side in sides if "hardware" in side]
    gpus = {fields[GPU] for fields in named if GPU in fields}
    if len(gpus) != 1 or all(GPU in fields for fields in named):
        return sides
    gpu = {GPU: gpus.pop()}
    return [
        {**side, "hardware": side["hardware"].as_({**gpu, **side["hardware"].value})} if "hardware" in side else side
        for side in sides
    ]


def _in(workload: str, said: Said[Mapping[str, Any]], words: str = "") -> Said[Mapping[str, Any]]:
    return said.as_({f"{workload}.{name}": value for name, value in said.value.items()}, words)
