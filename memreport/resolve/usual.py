"""Choices that nobody stated and that follow another one: the server of a GPU, the FP8 recipe of a framework."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

from memreport.catalogue.load import Catalogue
from memreport.catalogue.records import Key
from memreport.catalogue.scenario import dictionary
from memreport.resolve.records import Origin

RECIPES = {"megatron": "te-delayed"}
"""Frameworks whose FP8 products are not torchao's.  Source: Megatron-LM, training/arguments.py, `--fp8-recipe`."""


def usual_host(catalogue: Catalogue, gpu: Key) -> str:
    """The server that a GPU is usually in, as its file says, else one that holds PCIe boards."""
    known = gpu in catalogue.tables["accelerators"].ids
    return (catalogue.tables["accelerators"].text("host", gpu) if known else "") or _default("host")


def follow_choices(settings: MutableMapping[str, Any], origins: Mapping[str, Origin], catalogue: Catalogue) -> None:
    """Set what follows from the GPU and the framework, where nobody stated it."""
    if origins["host"].kind == "default":
        settings["host"] = usual_host(catalogue, settings["accelerator"])
    if "fp8_recipe" in origins and origins["fp8_recipe"].kind == "default":
        settings["fp8_recipe"] = RECIPES.get(settings["framework"], _default("fp8_recipe"))


def _default(name: str) -> str:
    return str(dictionary()[name].default)
