"""Variants of a scenario that states none and whose question compares: models, GPUs, methods, formats, engines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.changes import changes_said, gpus_changed, is_change
from memreport.catalogue.question.hardware import RENT_OR_BUY, lists_gpus
from memreport.catalogue.question.model import leaves_model_open
from memreport.catalogue.question.money import basis_said
from memreport.catalogue.question.numbers import Said, by_words, places_of
from memreport.catalogue.question.settings import (
    Choices,
    layouts_said,
    numbers_compared,
    optimizers_said,
    precisions_said,
    stages_said,
)
from memreport.catalogue.question.stated import text_of
from memreport.catalogue.question.switches import is_weighed, memory_of_a_training
from memreport.catalogue.question.workload import COMPARES, formats_asked, methods_said, objectives_said
from memreport.catalogue.unstated.engine import programs_compared
from memreport.catalogue.unstated.formats import formats_asked_of, formats_known
from memreport.catalogue.unstated.hardware import Sections, hardware_named
from memreport.catalogue.unstated.model import BY_SIZE, Names, models_in
from memreport.catalogue.unstated.sides import sides_compared
from memreport.catalogue.unstated.weighed import weighed_alone
from memreport.catalogue.words.meaning import QUESTION, THE_QUESTION, Meaning, Read, WordRead
from memreport.catalogue.words.tables import settings_of
from memreport.catalogue.yaml.strict import Document
from memreport.errors import plural

AS_VARIANTS = Meaning({}, THE_QUESTION, assumes="names what is compared, as variants, of which none is stated")
MOST_CROSSED = 6
COUNT, AN_ARTICLE = "hardware.count", re.compile(r"\ban? $")
PROGRAMS = {"training": "framework", "serving": "engine"}
"""The field of the program that does the work."""


def with_compared(
    document: Document, words: tuple[WordRead, ...], tables: Callable[[], Tables], names: Callable[[], Names]
) -> Read:
    """The scenario with a variant for each of what its question compares."""
    data, question = document.data, text_of(document.data)
    if data.get("variants") or data.get("tables"):
        return document, words
    said = question.lower()
    kinds = (COMPARES.search, leaves_model_open, is_change, formats_asked_of, is_weighed, lists_gpus)
    if not any(asks(said) for asks in kinds) and not memory_of_a_training(said, str(data.get("workload"))):
        return document, words
    found = sides_compared(data, question, tables, names) or _of_kinds(data, question, tables, names)
    if not found:
        return document, words
    read = WordRead("question", ", ".join(found), AS_VARIANTS, QUESTION, places_of(found.values()))
    variants = {name: said.value for name, said in found.items()}
    return replace(document, data={**data, "variants": variants}), (*words, read)


def _of_kinds(
    data: Mapping[str, Any], question: str, tables: Callable[[], Tables], names: Callable[[], Names]
) -> Choices:
    """What is named of one kind, or of two: each with each; nothing where nothing is compared."""
    several = [made for made in _alternatives(data, question, tables, names) if len(made) > 1]
    if len(several) < 2:
        return several[0] if several else weighed_alone(data, question.lower(), tables)
    found, other, *_ = several
    return _crossed(found, other) or found


def _alternatives(
    data: Mapping[str, Any], question: str, tables: Callable[[], Tables], names: Callable[[], Names]
) -> Iterator[Choices]:
    """What a question may compare, each as variants: what the scenario states is not among it, but one model's name."""
    said = question.lower()
    models = [each.as_({"model": each.value}, each.value) for each in models_in(question, names())]
    if leaves_model_open(said, stated="model" in data) and not models:
        yield {model: Said({"model": model}, model) for model in BY_SIZE}
    if not data.get("hardware"):
        paid = bool(re.search(RENT_OR_BUY, said))
        hardware = [*hardware_named(data, tables)]
        counted = any("count" in sections["hardware"] for sections, _ in hardware)
        named = [_alone(said, sections, read, counted=counted or paid) for sections, read in hardware]
        yield by_words(each.as_({**each.value, **_paid(said, each.words)}) if paid else each for each in named)
    if not data.get("model"):
        yield by_words(models)
    counts = gpus_changed(said, _gpus_of(data, tables))
    changed = (Said({"hardware.count": count}, f"{count} {plural('GPU', count)}") for count in counts)
    yield by_words(changed)
    yield from _of_the_job(data, said, tables)


def _alone(question: str, sections: Sections, read: WordRead, *, counted: bool) -> Said[dict[str, Any]]:
    """Hardware that is compared: `an H100` is one where others beside it are counted."""
    one = counted and any(AN_ARTICLE.search(question[: place.start]) for place in read.places[:1])
    return Said({**({COUNT: 1} if one else {}), **_flat(sections)}, read.found, read.places)


def _of_the_job(data: Mapping[str, Any], said: str, tables: Callable[[], Tables]) -> Iterator[Choices]:
    """The same of how it is trained or served."""
    workload = str(data.get("workload"))
    stated = str(data.get(workload, ""))
    if workload == "training" and "method" not in stated:
        methods = ((name, settings_of(workload, "method", name)) for name in methods_said(said))
        yield _in({name: Said(own, name) for name, own in methods}, workload)
    yield _in(by_words(changes_said(data)), workload)
    yield from (_in(each, workload) for each in numbers_compared(said, workload))
    yield _in(layouts_said(said, _gpus_of(data, tables)), workload)
    if workload == "serving" and "weight_dtype" not in stated:
        yield formats_asked_of(said)
    if (kind := PROGRAMS.get(workload, "")) and kind not in stated:
        yield _in(programs_compared(said, workload, kind, tables), workload)
    for field, values in _choices(workload, said, tables):
        if field not in stated:
            yield {name: each.as_({f"{workload}.{field}": each.value}) for name, each in values.items()}


def _in(choices: Choices, section: str) -> Choices:
    """Fields of a section, as a variant has them."""
    return {name: each.as_(_flat({section: each.value})) for name, each in choices.items()}


def _gpus_of(data: Mapping[str, Any], tables: Callable[[], Tables]) -> int:
    """How many GPUs a scenario states, or its question where it names them once; 1 where neither says."""
    named = (
        [{"hardware": data["hardware"]}] if data.get("hardware") else [each for each, _ in hardware_named(data, tables)]
    )
    counts = [each["hardware"].get("count", 1) for each in named if isinstance(each["hardware"], dict)]
    return counts[0] if len(counts) == 1 and isinstance(counts[0], int) else 1


def _crossed(one: Choices, other: Choices) -> Choices:
    """Each of one kind with each of another, where these are few: `QLoRA or LoRA on H100 or A100`."""
    if len(one) * len(other) > MOST_CROSSED:
        return {}
    pairs = ((first, second) for first in one for second in other)
    return {f"{first}, {second}": _both(one[first], other[second]) for first, second in pairs}


def _both(one: Said[Any], other: Said[Any]) -> Said[Any]:
    return one.as_({**one.value, **other.value}).with_(other)


def _paid(question: str, words: str) -> dict[str, str]:
    """Whether the GPUs of a variant are rented or bought, where a question weighs both."""
    basis = basis_said(question, words)
    return {"cost.basis": basis} if basis else {}


def _choices(workload: str, question: str, tables: Callable[[], Tables]) -> Iterator[tuple[str, Choices]]:
    """Fields with choices, and those of them that a question in small letters names."""
    if workload == "training":
        yield "zero_stage", stages_said(question)
        yield "optimizer", optimizers_said(question)
        yield "objective", objectives_said(question)
        yield "precision", precisions_said(question)
    elif workload == "serving":
        said = formats_asked({"question": question, "workload": workload})
        yield "weight_dtype", {known.value: known for known in formats_known(said, tables)}


def _flat(sections: Sections) -> dict[str, Any]:
    """Settings of sections, each on a line of its own, as a variant has them."""
    return {f"{section}.{name}": value for section, block in sections.items() for name, value in block.items()}
