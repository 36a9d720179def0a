"""Names of fields, choices and blocks in other programs, by section, and what to state instead of words without any."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from memreport.catalogue.yaml import packaged
from memreport.paths import data_root

NODES = ("num_nodes", "nodes", "nnodes", "n_nodes")
"""Numbers of nodes, which multiply the GPUs of one."""
ALL_LAYERS = 1000
"""More layers than any model has: what stands for all of them."""
IN_GIB = frozenset({"cpu_offload_gb"})
"""Words whose bare numbers are GiB.  Source: vLLM, config/cache.py."""
OF_NAMES = ("rank_pattern", "trainable_token_indices")
"""Words whose value is itself a list of names with a number, or numbers, each.  Source: PEFT, LoraConfig."""
FOLLOWED: Mapping[str, tuple[str, ...]] = {
    "training": (
        *("global_batch_size", "max_prompt_length", "max_completion_length", "apply_lora_to_mlp"),
        *("data_parallel_replicate_degree", "pipeline_parallel_microbatch_size", "max_steps", "train_samples"),
        *("rollout_n", "num_train_epochs", "dataset_samples", "dataset_tokens"),
        *("layers_to_transform", "recompute_method", "use_precision_aware_optimizer", "store_param_remainders"),
        *(*OF_NAMES, "exclude_modules"),
    ),
    "serving": (
        *("n_ctx", "data_parallel_size", "enable_expert_parallel", "enable_dp_attention", "enable_attention_dp"),
        *("hicache_size", "host_cache_size", "num_gpu_blocks_override"),
        *("speculative_num_steps", "speculative_num_draft_tokens", "draft_model"),
    ),
}
"""Words from which, beside other fields, fields of another meaning follow: see `following.py`."""


def words_file(name: str) -> dict[str, Any]:
    """A file of `scenarios/reference/words`, as people write words of other programs down, as plain data."""
    found: dict[str, Any] = packaged.read(data_root() / "scenarios" / "reference" / "words" / f"{name}.yaml").data
    return found


def field_words() -> Mapping[str, Mapping[str, str]]:
    """What each field is called elsewhere, in one text, by section."""
    found: Mapping[str, Mapping[str, str]] = words_file("names")["fields"]
    return found


@cache
def same_field() -> Mapping[tuple[str, str], str]:
    """The field that a name of another program stands for, by section and name."""
    return {
        (section, word): name
        for section, fields in field_words().items()
        for name, words in fields.items()
        for word in words.split()
    }


@cache
def in_program() -> Mapping[tuple[str, str], str]:
    """The field that a name stands for in one program alone, by name and program."""
    return {
        (name, program): own
        for row in words_file("names")["in_programs"]
        for program in row["programs"].split()
        for name, own in row["names"].items()
    }


@cache
def workload_words() -> Mapping[str, str]:
    """The workload that a word of other programs stands for."""
    return {word: name for name, words in words_file("names")["workloads"].items() for word in words.split()}


@cache
def choice_names() -> Mapping[tuple[str, str], str]:
    """The choice that a word stands for in a field that is of no workload, by field and word."""
    choices = ((field, *choice) for field, all_ in words_file("names")["choices"].items() for choice in all_.items())
    return {(field, word): name for field, name, words in choices for word in words.split()}


def nested() -> Mapping[str, Mapping[str, str]]:
    """Blocks whose options are read as if they stood beside the block, with what some are called here."""
    found: Mapping[str, Mapping[str, str]] = words_file("names")["blocks"]
    return found


@cache
def stated_instead() -> Mapping[str, str]:
    """What a fault says of each word that has no meaning of its own here."""
    return {word: row["say"] for row in words_file("instead")["rows"] for word in row["words"].split()}


@cache
def nearest_choices() -> Mapping[str, str]:
    """What people call a choice that stands under another name here, and that name."""
    return {word: name for name, words in words_file("instead")["nearest"].items() for word in words.split()}
