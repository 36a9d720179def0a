"""An invalid scenario without its invalid parts: never published, only read on to find the rest of its mistakes."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from memreport.catalogue.fields.validation import NOT_IN_FILE
from memreport.catalogue.scenario import SCHEMA, Scenario

TRIES = 5
FALLBACKS: Mapping[str, Any] = {
    "schema": SCHEMA,
    "id": "unnamed",
    "version": 1,
    "title": "untitled",
    "model": "gpt2",
    "workload": "training",
}
CARD = "a100-80gb-sxm"


def repaired(data: Mapping[str, Any]) -> Scenario | None:
    """The scenario that is left when everything invalid is taken out; None where nothing usable is left."""
    left = copy.deepcopy(dict(data))
    for _ in range(TRIES):
        try:
            return Scenario.model_validate(left)
        except ValidationError as error:
            _remove(left, (each["loc"] for each in error.errors(include_url=False)))
            _complete(left)
    return None


def _remove(data: dict[str, Any], places: Iterable[tuple[Any, ...]]) -> None:
    for place in places:
        steps = [step for step in place if step not in NOT_IN_FILE]
        block: Any = data
        for step in steps[:-1]:
            block = block[step] if _has(block, step) else None
        if steps and _has(block, steps[-1]):
            del block[steps[-1]]


def _has(block: Any, step: Any) -> bool:
    if isinstance(block, dict):
        return step in block
    return isinstance(block, list) and isinstance(step, int) and step < len(block)


def _complete(data: dict[str, Any]) -> None:
    for name, value in FALLBACKS.items():
        if isinstance(data.get(name), dict):
            data[name] = value  # a model whose fields are incomplete
        data.setdefault(name, value)
    hardware = data.get("hardware")
    data["hardware"] = {"accelerator": CARD, **hardware} if isinstance(hardware, dict) else {"accelerator": CARD}
