"""Choices that nobody stated and that follow another one: a GPU's server and 16-bit type, a framework's FP8 recipe."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

from memreport.catalogue.load import Catalogue
from memreport.catalogue.records import NO_UNITS, Key
from memreport.catalogue.scenario import dictionary
from memreport.resolve.records import FOLLOWS_CARD, Origin

RECIPES = {"megatron": "te-delayed"}
"""Frameworks whose FP8 products are not torchao's.  Source: Megatron-LM, training/arguments.py, `--fp8-recipe`."""
HALF_PRECISION = {"precision": "fp16-mixed", "weight_dtype": "fp16", "kv_cache_dtype": "fp16"}
"""What stands in for BF16 on a GPU with units for FP16 alone.  Source: vLLM `--dtype auto`; PyTorch `GradScaler`."""
GAMERS, WORKSTATION = "GeForce", "workstation"
ONE_SEQUENCE = frozenset({"llama.cpp", "llama.cpp-bench", "transformers", "litgpt"})
"""Engines that run one sequence unless they are told otherwise; the slots that llama.cpp makes share one context.

Source: llama.cpp, tools/server/README.md, `--parallel`, 2026-11-23; transformers, `generate` of one prompt.
"""
SHARDING = frozenset({"torchtune", "torchtitan"})
"""Frameworks that shard weights over all GPUs wherever there are several.  Source: their recipes, `fully_shard`."""
LAYERS_SPREAD = frozenset({"llama.cpp", "llama.cpp-bench"})
"""Engines that spread the layers over all GPUs unless they are told otherwise.  Source: llama.cpp `--split-mode`."""
PARALLEL = ("tensor_parallel_size", "pipeline_parallel_size")
UNTIED = "litgpt"
"""Who gives the head a matrix of its own, also where a model ties it.  Source: LitGPT, model.py, `lm_head`."""
FOLLOWED = (
    "host",
    "fp8_recipe",
    "max_num_seqs",
    "pipeline_parallel_size",
    "zero_stage",
    "tie_word_embeddings",
    *HALF_PRECISION,
)
"""Fields that another choice decides, unless they are stated."""


def usual_host(catalogue: Catalogue, gpu: Key, count: float) -> str:
    """The host that GPUs are usually in: as their file says, one card for gamers alone in a workstation, else a server.

    Memory of the host is what offloading moves to: a server has twelve times that of a workstation.
    """
    table = catalogue.tables["accelerators"]
    if gpu not in table.ids:
        return _default("host")
    alone = count == 1 and GAMERS in table.titles[table.row(gpu)]
    return table.text("host", gpu) or (WORKSTATION if alone else _default("host"))


def follow_choices(
    settings: MutableMapping[str, Any], origins: Mapping[str, Origin], catalogue: Catalogue, tied: float
) -> None:
    """Set what follows from the GPU and the program, where nobody stated it; `tied` is what the card says."""
    if origins["host"].kind == "default":
        settings["host"] = usual_host(catalogue, settings["accelerator"], settings["count"])
    half = _lacks_bf16(catalogue, settings["accelerator"])
    for name in (name for name in HALF_PRECISION if name in origins and origins[name].kind == "default"):
        settings[name] = HALF_PRECISION[name] if half else _default(name)
    if "fp8_recipe" in origins and origins["fp8_recipe"].kind == "default":
        settings["fp8_recipe"] = RECIPES.get(settings["framework"], _default("fp8_recipe"))
    if origins["tie_word_embeddings"].kind in FOLLOWS_CARD:
        settings["tie_word_embeddings"] = 0.0 if UNTIED in (settings.get("framework"), settings.get("engine")) else tied
    if settings.get("framework") in SHARDING and settings["count"] > 1 and origins["zero_stage"].kind == "default":
        settings["zero_stage"] = 3
    if settings.get("engine") in LAYERS_SPREAD and all(origins[name].kind == "default" for name in PARALLEL):
        settings["pipeline_parallel_size"] = settings["count"]
    if "max_num_seqs" in origins and origins["max_num_seqs"].kind == "default" and not _demanded(settings):
        one = settings["engine"] in ONE_SEQUENCE
        settings["max_num_seqs"] = 1.0 if one else dictionary("serving")["max_num_seqs"].default


def _lacks_bf16(catalogue: Catalogue, gpu: Key) -> bool:
    """Whether a GPU has units for FP16, and none for BF16."""
    table = catalogue.tables["accelerators"]
    row = table.positions.get(gpu)
    bf16, fp16 = (
        row is None or table.columns[f"{rate}_flop_per_second"].bases[row] != NO_UNITS for rate in ("bf16", "fp16")
    )
    return fp16 and not bf16


def _demanded(settings: Mapping[str, Any]) -> bool:
    """Whether a demand says how many sequences there are."""
    return bool(settings["users"] or settings["requests_per_second"])


def _default(name: str) -> str:
    return str(dictionary()[name].default)
