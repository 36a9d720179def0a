"""The command line of the engine that a case stands for, with every number of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from memreport.advise.decide import Decision
from memreport.advise.rerun import Job
from memreport.catalogue.quantities import GIB
from memreport.report.view import View
from memreport.resolve import Case

CONFIG = "config: "
"""Begins what an engine takes in a file of settings alone; the shell hands it the lines as one."""
EVERY_LAYER = 999
"""What llama.cpp is told where all layers are to go to the accelerators."""
CHECKPOINT = "./{0}-{1}"
"""The checkpoint of a format that the engine does not make itself, by model and format."""
NUMBERS = (
    "tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size", "decode_context_parallel_size",
    "max_model_len", "max_num_seqs", "max_num_batched_tokens", "gpu_memory_utilization", "block_size",
    "max_cached_tokens",
)  # fmt: skip
"""Fields whose number an option carries, in the order of the line."""
OF_ALL_CASES = "context_tokens_in_all"
"""What all sequences at once hold, which one engine is told in place of the longest."""
Words = Callable[[str], str]
"""How an engine calls its program and options; an option that it does not name is not said."""


def start_command(decision: Decision) -> str:
    """The line of what is recommended, of one replica where a demand asks how many; none for training."""
    if decision.plan.job.workload != "serving":
        return ""
    if decision.plan.demand:
        return engine_command(View(_one_replica(decision).computed), 0)
    view = View(decision.computed)
    return engine_command(view, view.column_of(decision.chosen))


def _one_replica(decision: Decision) -> Job:
    """What is recommended, on as many GPUs as one replica takes."""
    chosen, job = decision.options.chosen, decision.plan.job
    wide = ("tensor_parallel_size", "pipeline_parallel_size", "expert_parallel_size")
    ranks = math.prod(float(chosen.case.settings[name]) for name in wide)
    return replace(job, changes={}).changed(
        {**chosen.changes, "hardware.count": ranks}
    )  # a variant states all of its own


def engine_command(view: View, index: int) -> str:
    """The line that starts one replica; nothing for an engine that has no server."""
    case, words = view.variants[index], _words_of(view, index)
    if not words("program"):
        return ""
    said = [words("program"), words("model").format(_gpu_layers(view, index)), *_checkpoint(words, case)]
    said += [*_numbers(words, view, index), *_spread(words, view, index), *_drafting(words, view, index)]
    said += [*_memory(words, view, index)]
    if words(OF_ALL_CASES):
        said.append(f"{words(OF_ALL_CASES)} {view.beside(OF_ALL_CASES, index):.0f}")
    cache = words(f"kv_cache_dtype.{case.settings['kv_cache_dtype']}")
    said.append(cache if view.value("is_decoder", index) else "")
    return " ".join(filter(None, _with_config(said)))


def _words_of(view: View, index: int) -> Words:
    table, engine = view.resolved.catalogue.tables["engines"], view.variants[index].settings["engine"]
    return lambda word: table.text(f"command.{word}", engine)


def _with_config(said: Sequence[str]) -> Iterator[str]:
    """Options, then what goes into a file of settings."""
    settings = [f"'{name.removeprefix(CONFIG)}'" for name in said if name.startswith(CONFIG)]
    yield from (name for name in said if not name.startswith(CONFIG))
    if settings:
        yield f"--config <(printf '%s\\n' {' '.join(settings)})"


def _checkpoint(words: Words, case: Case) -> tuple[str, str]:
    """The model, and what makes the format of its weights; a format that is not made is a checkpoint of its own."""
    weights, name = str(case.settings["weight_dtype"]), case.card.repository or case.card.id
    file, made = words("file"), words(f"weight_dtype.{weights}")
    if (weights == case.card.weight_dtype and not file) or made:
        return name, "" if weights == case.card.weight_dtype else made
    plain = name.rpartition("/")[2].partition(":")[0].removesuffix("-GGUF")
    return (file or CHECKPOINT).format(plain, weights.upper() if file else weights), ""


def _gpu_layers(view: View, index: int) -> float:
    """Layers that llama.cpp keeps on GPUs: none where the accelerator is the processor itself."""
    table, accelerator = view.resolved.catalogue.tables["accelerators"], view.variants[index].settings["accelerator"]
    if table.text("architecture", accelerator) == "cpu":
        return 0
    return min(view.value("n_gpu_layers", index), EVERY_LAYER)


def command_rows(view: View, columns: Iterable[int]) -> list[str]:
    """The lines of the variants, each once, with its variant where there are several."""
    found: dict[str, str] = {}
    for index in columns:
        found.setdefault(engine_command(view, index), view.variants[index].name)
    return [f"{name}: {line}" for line, name in found.items() if line]


LEFT_TO_THE_ENGINE = {"max_num_seqs": "usual_sequences", "max_num_batched_tokens": "usual_batched_tokens"}
"""Options that nobody states where the engine has a number of its own for the GPU, which is what is counted."""


def _numbers(words: Words, view: View, index: int) -> Iterator[str]:
    """Options that carry a number; sizes of one are what an engine does anyway, and so are its own blocks and share."""
    of_all, unsaid = words("of_all_ranks").split(), (0, float(words("left_out") or 0))
    for field, option in ((field, option) for field in NUMBERS if (option := words(field))):
        value = view.beside(f"counted_over_ranks.{field}", index) if field in of_all else view.value(field, index)
        own = value <= 1 if field.endswith("parallel_size") else value in unsaid
        own = own or (field == "max_model_len" and view.hears(index))  # a decoder's own positions, beside the sound's
        own = own or (field in LEFT_TO_THE_ENGINE and view.value(LEFT_TO_THE_ENGINE[field], index) > 0)
        if not own and (field != "block_size" or field in view.variants[index].overrides):
            yield f"{option} {value:.15g}"


def _drafting(words: Words, view: View, index: int) -> Iterator[str]:
    """Speculative decoding: how many tokens are drafted; the draft model is the user's choice."""
    drafted = view.value("speculative_tokens", index)
    if drafted and words("drafted"):
        yield words("drafted").format(f"{drafted:.0f}", f"{drafted + 1:.0f}")


def _memory(words: Words, view: View, index: int) -> Iterator[str]:
    """Buffers for adapters, and weights that stay on the host, in GiB as engines count them."""
    if (slots := view.value("max_loras", index)) and words("adapters"):
        yield words("adapters").format(slots, view.value("max_lora_rank", index))
    if (offloaded := view.value("cpu_offload_bytes", index)) and words("offloaded"):
        yield words("offloaded").format(offloaded / GIB)
    if (layers := view.value("n_cpu_moe", index)) and words("experts_on_host"):
        yield words("experts_on_host").format(layers)
    if (offloaded := view.value("kv_offloading_size", index)) and words("cache_offloaded"):
        yield words("cache_offloaded").format(offloaded / GIB)


def _spread(words: Words, view: View, index: int) -> Iterator[str]:
    """Ranks that share experts or layers, nodes, prefills apart, eager mode, and models that answer with a vector."""
    ranks, settings = view.value("expert_parallel_size", index), view.variants[index].settings
    whole = words("whole_experts") if settings["whole_experts"] else ""
    yield words("experts").format(f"{ranks:.0f}") if ranks > 1 else whole
    yield words("rows_split") if view.value("tensor_parallel_size", index) > 1 else ""
    nodes = view.beside("replica_nodes", index)
    yield words("nodes").format(nodes) if nodes > 1 else ""
    yield words("prefills_apart") if settings["disaggregated"] else ""
    yield words("half_batches") if settings["enable_dbo"] else ""
    yield words("eager") if settings["enforce_eager"] else ""
    yield "" if view.makes_tokens(index) else words("encoder")
