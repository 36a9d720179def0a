"""Settings that a question names: the stage of ZeRO, batches, ranks, parallelism, what saves memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.question.engine import POOLED
from memreport.catalogue.question.stated import question_of
from memreport.catalogue.question.workload import is_stated

BATCH = r"(?<!global )\b(?:micro[ -]?)?batch(?:[ -]size)? (?:of )?(\d+)\b"
ACCUMULATED = r"\bgradient accumulation (\d+)\b"
TENSOR = r"\btp ?=? ?(\d+)\b|\btensor[ -]parallel\w*(?: size)? (?:of )?(\d+)\b"
PIPELINE = r"\bpp ?=? ?(\d+)\b|\bpipeline[ -]parallel\w*(?: size)? (?:of )?(\d+)\b"
EXPERTS = r"\bep ?=? ?(\d+)\b|\bexpert[ -]parallel\w*(?: size)? (?:of )?(\d+)\b"
SPREAD = {"tensor_parallel_size": TENSOR, "pipeline_parallel_size": PIPELINE, "expert_parallel_size": EXPERTS}
ZERO = r"\bzero[ -]?([123])\b"
STAGES = {
    r"\bddp\b|(?<!sharded )\bdata[ -]parallel\b": 0,
    r"\bzero[ -]?1\b": 1,
    r"\bzero[ -]?2\b": 2,
    r"\b(?:zero[ -]?3|fsdp2?)\b": 3,
}
"""Ways to share states over GPUs, and the stage of ZeRO that each is."""
LAYOUTS = {
    "TP": ("tensor_parallel_size", r"\b(?:tp|tensor[ -]parallel\w*)"),
    "PP": ("pipeline_parallel_size", r"\b(?:pp|pipeline[ -]parallel\w*)"),
    "EP": ("expert_parallel_size", r"\b(?:ep|expert[ -]parallel\w*)"),
}
"""Ways to spread a model over GPUs: the field of each, and the words that name it."""
NUMBERS_SAID = {
    "training": {
        "zero_stage": ZERO,
        "micro_batch_size": BATCH,
        "gradient_accumulation_steps": ACCUMULATED,
        "lora_rank": r"\brank (?:of )?(\d+)\b",
        **SPREAD,
    },
    "serving": {"max_num_seqs": BATCH, **SPREAD, "max_loras": r"\b(\d+) (?:different )?(?:lora )?adapters?\b"},
}
"""Fields whose number a question names, and the words with it."""
CACHES = {"(?:fp8|8[ -]?bit)": "fp8", "q8_0": "q8_0", "q4_0": "q4_0", "int8": "int8", "fp16": "fp16", "bf16": "bf16"}
"""Types of a cache, as questions name them."""
CACHED = r"\b{0} (?:kv[ -]?)?cache\b|\bkv[ -]?cache (?:in|at|of|with|as|to) {0}\b"
OFFLOADED = (
    r"\b(?:cpu|host|optimi[sz]er|zero(?:[ -]?(?:[123]|infinity))?)[ -]off-?load\w*|\boff-?load\w* (?:the )?optimi[sz]er"
)
CHECKPOINTED = r"(?:\b(?:with|using|and|plus|enabling)|[,+]) (?:full )?(?:(?:gradient|activation) )?checkpointing\b"
OPTIMIZERS = {
    r"\b8[ -]?bit adam\w*|\badamw?[ -]8[ -]?bit\b": "adamw-8bit",
    r"(?<!bit )(?<!bit-)\badamw?\b(?! ?-?8)": "adamw",
    **{rf"\b{name}\b": name for name in ("adafactor", "lion", "muon", "sgd", "mezo")},
}
"""Optimizers as questions name them."""
DISAGGREGATED = r"\b(?:disaggregat\w+|p/?d (?:separation|disaggregation))\b"
DRAFTED, DRAFTED_TOKENS = r"\bspeculati(?:ve|on)\b(?: decod\w+)?|\b(?:eagle-?[23]?|medusa|mtp)\b", 3
"""Tokens that are drafted before the model itself reads them, and how many where nobody says."""
PRECISIONS = {
    r"\bfp8\b(?! (?:kv|cache|base))": "fp8",
    r"\bmxfp8\b": "mxfp8",
    r"\b(?:nvfp4|fp4)\b": "nvfp4",
    r"\bfp32\b(?! (?:grad|logit|master|state|moment|norm|loss|copy|reduc))": "fp32",
    r"\bfp16\b(?! (?:grad|logit|base|weight))": "fp16-mixed",
}
"""Number formats in which a training multiplies, as questions name them."""
USUAL_PRECISION = {r"\b(?:bf16|bfloat16)\b(?! (?:grad|logit|base|weight|moment|state))": "bf16-mixed"}
"""What trains unless another is said, and is named where it is weighed against one."""
CHOICES_SAID: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "training": {
        "zero_stage": {r"\bfsdp2?\b": 3},
        "gradient_checkpointing": {CHECKPOINTED: "full"},
        "optimizer": OPTIMIZERS,
        "optimizer_offload": {OFFLOADED: "cpu"},
        "precision": PRECISIONS,
    },
    "serving": {
        "pooling": {POOLED: True},
        "kv_cache_dtype": {CACHED.format(said): known for said, known in CACHES.items()},
        "disaggregated": {DISAGGREGATED: True},
        "speculative_tokens": {DRAFTED: DRAFTED_TOKENS},
    },
}
"""Fields whose choice a question names: the words, and the choice that each stands for."""
MOST = 10**6
NETWORK = re.compile(
    r"\b(?:(?P<links>\d+) ?x ?)?(?P<speed>\d+(?:\.\d+)?) ?(?P<unit>gbit/?s?|gbps|gbe|g|gigabit)[ -]?"
    r"(?P<kind>ethernet|infiniband|ib|network\w*|roce|interconnect|nics?|lan)?\b(?P<each> (?:per|for each|a) gpu)?"
)
"""The network between nodes: `10 Gbit ethernet`, `25GbE`, `400G InfiniBand per GPU`."""
NODES = re.compile(r"\b(\d+) (?:nodes|servers|machines)\b")
RAILS_FROM, A_NODE, BITS_PER_BYTE, GIGA = 200, 8, 8, 10**9
"""Gbit/s from which InfiniBand joins each GPU by a link of its own, as in DGX A100 and later; GPUs of such a node."""


def network_said(question: str, gpus: int) -> tuple[float, str] | None:
    """Bytes a second of each GPU's share of the network that a question in small letters names, and the words."""
    said = next((each for each in NETWORK.finditer(question) if each["kind"] or each["unit"] == "gbe"), None)
    if said is None:
        return None
    rate = float(said["speed"]) * int(said["links"] or 1) * GIGA / BITS_PER_BYTE
    nodes = NODES.search(question)
    node = gpus // int(nodes[1]) if nodes and int(nodes[1]) else min(gpus, A_NODE)
    own = said["each"] or (said["kind"] in ("infiniband", "ib") and float(said["speed"]) >= RAILS_FROM)
    return rate / (1 if own and not said["links"] else max(node, 1)), said[0]


def stages_said(question: str) -> dict[str, int]:
    """Each way to share states that a question in small letters names, and its stage of ZeRO."""
    found = ((re.search(pattern, question), stage) for pattern, stage in STAGES.items())
    return {said[0]: stage for said, stage in found if said}


def layouts_said(question: str, gpus: int) -> dict[str, dict[str, int]]:
    """Each way to spread a model that a question in small letters names: by its sizes, or over all GPUs by one kind."""
    sized = {**sizes_said(question), **_copies_said(question)}
    kinds = {
        called: {field: gpus}
        for called, (field, words) in LAYOUTS.items()
        if re.search(rf"{words}(?! ?=?\d)", question)
    }
    return sized if len(sized) > 1 else kinds if gpus > 1 else {}


def _copies_said(question: str) -> dict[str, dict[str, int]]:
    """Copies of a whole model, one a GPU, as what a layout is weighed against: `TP 2 or DP 2`."""
    said = re.search(r"\b(?:dp|data[ -]parallel\w*)[ =]?(\d+)\b", question)
    return {f"DP {said[1]}": {"tensor_parallel_size": 1, "pipeline_parallel_size": 1}} if said else {}


def sizes_said(question: str) -> dict[str, dict[str, int]]:
    """Each size of a kind of parallelism that a question in small letters names, and the field that it is of."""
    return {
        f"{called} {size}": {field: int(size)}
        for called, (field, words) in LAYOUTS.items()
        for size in re.findall(rf"{words}(?: size)?(?: of)?[ =]?(\d+)\b", question)
        if 0 < int(size) <= MOST
    }


def optimizers_said(question: str) -> dict[str, str]:
    """Each optimizer that a question in small letters names."""
    found = ((re.search(pattern, question), name) for pattern, name in OPTIMIZERS.items())
    return {name: name for said, name in found if said}


def precisions_said(question: str) -> dict[str, str]:
    """Each number format that the question of a training, in small letters, names."""
    known = {**PRECISIONS, **USUAL_PRECISION}.items()
    found = sorted((said.start(), said[0], name) for words, name in known if (said := re.search(words, question)))
    return {said.upper(): name for _, said, name in found}


def settings_named(question: str, workload: str) -> Iterator[tuple[str, Any, str]]:
    """Fields that a question in small letters names, their values, and the words; none that it names twice."""
    choices = {name: [(value, said)] for name, value, said in _choices(question, workload)}
    for name, found in {**choices, **dict(_numbers(question, workload))}.items():
        if len({value for value, _ in found}) == 1:
            yield name, *found[0]


def settings_asked(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """The same of a scenario, where nothing states them."""
    named = settings_named(question_of(data), str(data.get("workload")))
    yield from (found for found in named if not is_stated(data, found[0]))


def _numbers(question: str, workload: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    for name, pattern in NUMBERS_SAID.get(workload, {}).items():
        said = [(int(next(filter(None, match.groups()))), match[0]) for match in re.finditer(pattern, question)]
        if found := [(number, words) for number, words in said if 0 < number <= MOST]:
            yield name, found


def _choices(question: str, workload: str) -> Iterator[tuple[str, Any, str]]:
    for name, words in CHOICES_SAID.get(workload, {}).items():
        for pattern, value in words.items():
            if said := re.search(pattern, question):
                yield name, value, said[0]
