"""Model and hardware of a scenario that does not state them: those of its first variant, or that its question names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.stated import block_of, variants_of
from memreport.catalogue.unstated.gpus import IN_A_VARIANT
from memreport.catalogue.unstated.hardware import hardware_named, hardware_together
from memreport.catalogue.words.meaning import Read, WordRead
from memreport.catalogue.yaml.strict import Document


def with_unstated(document: Document, words: tuple[WordRead, ...], tables: Callable[[], Tables]) -> Read:
    """The scenario with the model and the hardware that its variants or its question state, and what is assumed."""
    data = document.data
    found = {} if data.get("model") else dict(_of_variants(data, {"model": "model"}, "model"))
    if not data.get("hardware"):
        names = {"accelerator": IN_A_VARIANT, "count": "hardware.count"}
        if hardware := dict(_of_variants(data, names, IN_A_VARIANT)):
            found["hardware"] = hardware
        elif named := hardware_together(data, tables) or next(hardware_named(data, tables), None):
            found |= {name: {**section, **block_of(data, name)} for name, section in named[0].items()}
            words = (*words, named[1])
    return (replace(document, data={**data, **found}) if found else document), words


def _of_variants(data: Mapping[str, Any], names: Mapping[str, str], needed: str) -> Iterator[tuple[str, Any]]:
    """Fields of the first variant, where every variant states what is needed."""
    blocks = [*variants_of(data).values()]
    if blocks and len(blocks) == len(data["variants"]) and all(needed in block for block in blocks):
        yield from ((own, blocks[0][name]) for own, name in names.items() if name in blocks[0])
