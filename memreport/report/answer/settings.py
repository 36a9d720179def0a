"""Settings as engineers speak of them: `ZeRO-3`, `full checkpointing`, `TP 8`, `optimizer offload to host memory`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memreport.advise.comparisons.counts import SYNCS
from memreport.advise.deciding.choosing import OF_CHECKPOINTING
from memreport.catalogue.fields.serving_memory import CACHE
from memreport.catalogue.names import in_sentence, title_of
from memreport.catalogue.quantities import NUMBER_WORDS
from memreport.errors import plural
from memreport.report.view import View
from memreport.resolve import Case

NUMBERED: Mapping[str, str] = {
    "zero_stage": "ZeRO-{}",
    "micro_batch_size": "micro-batch {}",
    "gradient_accumulation_steps": "{} accumulation steps",
    "sequence_length": "sequence {}",
    "max_num_seqs": "{} sequences at once",
    "context_length": "context {}",
    "lora_rank": "rank {}",
    "count": "{} GPUs",
    "n_gpu_layers": "{} layers on the GPU",
    "recompute_num_layers": "{} layers of each stage recomputed",
    "n_cpu_moe": "experts of {} layers on the host",
}
NAMED: Mapping[str, str] = {
    "gradient_checkpointing": "{} checkpointing",
    "optimizer_offload": "optimizer offload to {}",
    "parameter_offload": "weight offload to {}",
    "attention": "{} attention",
    "kv_cache_dtype": "{} cache",
    "weight_dtype": "{} weights",
    "base_weight_dtype": "{} base",
    "accelerator": "{}",
}
WORDS: Mapping[tuple[str, str], str] = {
    ("gradient_checkpointing", "none"): "no checkpointing",
    ("optimizer_offload", "none"): "optimizer on the GPU",
    ("parameter_offload", "none"): "weights on the GPU",
    ("optimizer_offload", "cpu"): "optimizer offload to host memory",
    ("parameter_offload", "cpu"): "weight offload to host memory",
    ("optimizer_offload", "nvme"): "optimizer offload to disk",
    ("pin_memory", "False"): "host memory not pinned",
    ("pin_memory", "True"): "pinned host memory",
    ("parameter_offload", "nvme"): "weight offload to disk",
    ("disaggregated", "True"): "prefills on GPUs of their own",
    ("disaggregated", "False"): "prefills on the same GPUs",
    ("enable_dbo", "True"): "exchanges beside another half batch",
    ("enable_dbo", "False"): "whole batches",
    ("sync_each_batch", "True"): SYNCS,
    ("sync_each_batch", "False"): "gradients reduced in the last micro-batch",
    ("method", "full"): "all weights trained",
    ("method", "lora"): "LoRA",
    ("method", "qlora"): "QLoRA",
}
UPPER = ("dtype",)
FIRST_IN_DIGITS = 10


def counted_settings(names: Sequence[str]) -> str:
    """How many settings: `one setting`, `two settings`."""
    count = len(names)
    return f"{NUMBER_WORDS[count] if count < FIRST_IN_DIGITS else count} {plural('setting', count)}"


def setting_words(view: View, name: str, value: Any) -> str:
    """One setting in a few words."""
    if (name, str(value)) in WORDS:
        return WORDS[name, str(value)]
    if name.endswith("_parallel_size"):
        return f"{view.fields[name].symbol} {value:,.0f}"
    if name in NUMBERED:
        said = NUMBERED[name].format(value if isinstance(value, str) else f"{value:,.0f}")
        return said.replace("1 sequences", "one sequence") if value == 1 else said
    if name in NAMED:
        return NAMED[name].format(str(value).upper() if name.endswith(UPPER) else value)
    if view.fields[name].kind == "choice":
        return view.choice_title(name, value).partition(" (")[0]
    return f"{in_sentence(title_of(name))} {view.worded(name, value)}"


def hardware_words(view: View, case: Case) -> str:
    """How many of which accelerator: `8 × NVIDIA A100 80 GB SXM4`, the vendor left out."""
    return f"{case.settings['count']:,.0f} × {accelerator_words(view, case.settings['accelerator'])}"


def accelerator_words(view: View, accelerator: str) -> str:
    """A GPU by its title, without its vendor."""
    title = view.choice_title("accelerator", accelerator)
    vendor = view.table_of("accelerator").text("vendor", accelerator)
    return title.removeprefix(vendor).strip()


def changed_words(view: View, case: Case, names: Iterable[str]) -> tuple[str, ...]:
    """What is changed, one phrase a setting; GPU and number as one, and a model by its title."""
    listed = list(names)
    model = (case.card.title,) if "model" in listed else ()
    hardware = (hardware_words(view, case),) if {"accelerator", "count"} & set(listed) else ()
    cached = case.makes_tokens
    rest = [name for name in listed if name not in ("model", "accelerator", "count") and (cached or name != CACHE)]
    rest.sort(key=lambda name: name in OF_CHECKPOINTING)  # what it recomputes comes after the word
    return (*model, *hardware, *(setting_words(view, name, case.settings[name]) for name in rest))
