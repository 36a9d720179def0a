"""Choices that nobody stated and that follow another one: a GPU's server and 16-bit type, a framework's habits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from functools import partial
from typing import Any

from memreport.catalogue.load import Catalogue
from memreport.catalogue.records import NO_UNITS, Key, Table
from memreport.catalogue.scenario import dictionary
from memreport.resolve.records import FOLLOWS_CARD, Origin

HALF_PRECISION = {"precision": "fp16-mixed", "weight_dtype": "fp16", "kv_cache_dtype": "fp16"}
"""What stands in for BF16 on a GPU with units for FP16 alone.  Source: vLLM `--dtype auto`; PyTorch `GradScaler`."""
FOLLOWING_PROGRAM: Mapping[str, Mapping[str, str | float]] = {
    "activation_offload": {"offloads_checkpoints": 1.0},
    "gradient_checkpointing": {"checkpoints_layers": "full"},
    "fp8_recipe": {"delayed_fp8_scales": "te-delayed"},
    "loss": {"chunks_loss": "chunked", "recomputes_loss": "linear-chunked-recomputed"},
}
"""By field, what it is where a column of the program's table says so."""
PROGRAMS = {"framework": "frameworks", "engine": "engines"}
"""The table of each field that names a program.  Its columns say what follows where nobody states it."""
CHECKPOINTS = ("gradient_checkpointing", "activation_offload")
PARALLEL = ("tensor_parallel_size", "pipeline_parallel_size")
FOLLOWED = (
    "host",
    *FOLLOWING_PROGRAM,
    "max_num_seqs",
    "pipeline_parallel_size",
    "zero_stage",
    "tie_word_embeddings",
    *HALF_PRECISION,
)
"""Fields that another choice decides, unless they are stated."""


def usual_host(catalogue: Catalogue, gpu: Key, count: float) -> str:
    """The host that GPUs are usually in, as their file says; a few may have another, which has less memory."""
    table = catalogue.tables["accelerators"]
    if gpu not in table.ids:
        return _default("host")
    few = _holding(catalogue.tables["hosts"], table.text("host_alone", gpu), count)
    return few or table.text("host", gpu) or _default("host")


def _holding(hosts: Table, host: str, count: float) -> str:
    """The host, or the larger one that its row names, that holds so many GPUs; none where no such one does."""
    for _ in hosts.ids:  # no further than there are hosts, where their rows name each other
        if host not in hosts.ids or count <= hosts.columns["host_accelerators"].values[hosts.row(host)]:
            return host
        host = hosts.text("larger", host)
    return ""


def follow_choices(
    settings: MutableMapping[str, Any], origins: Mapping[str, Origin], catalogue: Catalogue, tied: float
) -> None:
    """Set what follows from the GPU and the program, where nobody stated it; `tied` is what the card says."""
    says = partial(_says, catalogue, settings)
    if origins["host"].kind == "default":
        settings["host"] = usual_host(catalogue, settings["accelerator"], settings["count"])
    half = _lacks_bf16(catalogue, settings["accelerator"])
    for name in (name for name in HALF_PRECISION if name in origins and origins[name].kind == "default"):
        settings[name] = HALF_PRECISION[name] if half else _default(name)
    _follow_program(settings, origins, says)
    if origins["tie_word_embeddings"].kind in FOLLOWS_CARD:
        settings["tie_word_embeddings"] = 0.0 if says("unties_head") else tied
    if says("shards_weights") and settings["count"] > 1 and origins["zero_stage"].kind == "default":
        settings["zero_stage"] = 3
    if "loss" in origins and origins["loss"].kind == "default" and settings["tensor_parallel_size"] > 1:
        settings["loss"] = "loss-parallel" if says("cuts_loss") else settings["loss"]
    if says("spreads_layers") and all(origins[name].kind == "default" for name in PARALLEL):
        settings["pipeline_parallel_size"] = settings["count"]
    if "max_num_seqs" in origins and origins["max_num_seqs"].kind == "default" and not _demanded(settings):
        one = says("runs_one_sequence")
        settings["max_num_seqs"] = 1.0 if one else dictionary("serving")["max_num_seqs"].default


def _follow_program(
    settings: MutableMapping[str, Any], origins: Mapping[str, Origin], says: Callable[[str], bool]
) -> None:
    """What the program does unless it is told otherwise; checkpoints that are stated stay on the GPU."""
    for name, choices in FOLLOWING_PROGRAM.items():
        if name in origins and origins[name].kind == "default":
            default = dictionary()[name].default
            settings[name] = next((choice for column, choice in choices.items() if says(column)), default)
    stated, offload = (origins[name].kind != "default" if name in origins else False for name in CHECKPOINTS)
    if stated and not offload:
        settings[CHECKPOINTS[1]] = dictionary()[CHECKPOINTS[1]].default


def _says(catalogue: Catalogue, settings: Mapping[str, Any], column: str) -> bool:
    """Whether the program that trains or serves is one of which its table says this."""
    for field, name in PROGRAMS.items():
        table = catalogue.tables[name]
        if column in table.columns and (row := table.positions.get(settings.get(field, ""))) is not None:
            return table.columns[column].values[row] > 0
    return False


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
