"""The model of a job of another program, by a name that the catalogue has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.cards import card_named, model_holding
from memreport.catalogue.load import Catalogue
from memreport.catalogue.programs.job import StatedJob
from memreport.errors import Fault, InputError, nearest

WEIGHTS = re.compile(r"(-\d{5}-of-\d{5})?\.gguf$", re.IGNORECASE)
"""How a file of weights ends, of several or the only one."""
EXPECTED = "memreport list models, or --model with a name or a path to a config.json"


def model_of(job: StatedJob, catalogue: Catalogue) -> str | Mapping[str, Any]:
    """The model as it is called, else by the end of its path, else by its fields.  Raises InputError."""
    names = catalogue.model_names
    called = [name for given in job.models for name in (given, _last(given))]
    if found := next((name for name in called if card_named(name, names)), ""):
        return found
    if job.architecture:
        return job.architecture
    parts = (_last(given) for given in job.models)
    held = (model_holding(part, names) or _begun(part, names) for part in parts)
    if found := next(filter(None, held), ""):
        return found
    raise InputError([_unknown(job, names)])


def _unknown(job: StatedJob, names: Mapping[str, str]) -> Fault:
    found = " or ".join(job.models) or "none"
    close = nearest(_last(job.models[0]), names) if job.models else ""
    said = "names no model of the catalogue"
    return Fault(said, job.place, field="model", found=found, expected=EXPECTED, nearest=close)


def _last(name: str) -> str:
    """The end of a path: a repository's own name, a folder, a file of weights."""
    return WEIGHTS.sub("", name.rstrip("/").rpartition("/")[2])


def _begun(name: str, names: Mapping[str, str]) -> str:
    """The model whose name, its size included, begins this one, where nothing but words without numbers follows."""
    sized = (shorter for shorter in _shorter(name) if any(letter.isdigit() for letter in shorter.partition("-")[2]))
    return next((shorter for shorter in sized if card_named(shorter, names)), "")


def _shorter(name: str) -> Iterator[str]:
    while "-" in name:
        name, _, last = name.rpartition("-")
        if any(letter.isdigit() for letter in last):
            return
        yield name
