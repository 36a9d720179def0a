"""The command line of the engine that a case stands for, with every number of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memreport.advise.decide import Decision
from memreport.advise.rerun import Job
from memreport.catalogue.quantities import GIB
from memreport.frozen import frozen
from memreport.report.view import View
from memreport.resolve import Case


@frozen
class EngineWords:
    """How an engine calls its program and its options; an option that is not named is not said.

    Names as in vLLM 0.33, SGLang 0.5.23, TensorRT-LLM 1.3 and llama.cpp of October 2026.
    """

    program: str
    numbers: Mapping[str, str]
    """Option by field."""
    formats: Mapping[str, str]
    """What is said of a format of weights."""
    caches: Mapping[str, str]
    """What is said of a type of cache."""
    model_option: str = ""
    quantised: str = "./{0}-{1}"
    """The checkpoint of a format that the engine does not make itself, by model and format."""
    experts: str = ""
    """What ranks that share experts are told, by their number."""
    whole_experts: str = ""
    """What is said where the GPUs that cut each layer share whole experts."""
    of_all: tuple[str, ...] = ()
    """Fields whose options count all of these ranks, not one."""
    eager: str = ""
    drafted: str = ""
    adapters: str = ""
    offloaded: str = ""
    cache_offloaded: str = ""
    encoder: str = ""
    prefills_apart: str = ""
    nodes: str = ""
    experts_on_host: str = ""
    rows_split: str = ""
    """What is said where layers are cut over GPUs, if not by a number."""


VLLM = EngineWords(
    "vllm serve",
    {
        "tensor_parallel_size": "--tensor-parallel-size",
        "pipeline_parallel_size": "--pipeline-parallel-size",
        "context_parallel_size": "--prefill-context-parallel-size",
        "decode_context_parallel_size": "--decode-context-parallel-size",
        "max_model_len": "--max-model-len",
        "max_num_seqs": "--max-num-seqs",
        "max_num_batched_tokens": "--max-num-batched-tokens",
        "gpu_memory_utilization": "--gpu-memory-utilization",
        "block_size": "--block-size",
    },
    {"bf16": "--dtype bfloat16", "fp16": "--dtype float16", "fp8": "--quantization fp8"},
    {"fp8": "--kv-cache-dtype fp8"},
    experts="--data-parallel-size {} --enable-expert-parallel",
    whole_experts="--enable-expert-parallel",
    eager="--enforce-eager",
    encoder="--runner pooling",
    prefills_apart='--kv-transfer-config \'{"kv_connector":"NixlConnector","kv_role":"kv_both"}\'',
    nodes="--distributed-executor-backend ray",
    adapters="--enable-lora --max-loras {:.0f} --max-lora-rank {:.0f}",
    offloaded="--cpu-offload-gb {:.4g}",
    cache_offloaded="--kv-offloading-size {:.4g}",
    drafted='--speculative-config \'{{"num_speculative_tokens":{},"model":"DRAFT"}}\'',
)
SGLANG = EngineWords(
    "python -m sglang.launch_server",
    {
        "tensor_parallel_size": "--tp-size",
        "pipeline_parallel_size": "--pp-size",
        "decode_context_parallel_size": "--dcp-size",
        "max_model_len": "--context-length",
        "max_num_seqs": "--max-running-requests",
        "max_num_batched_tokens": "--chunked-prefill-size",
        "gpu_memory_utilization": "--mem-fraction-static",
        "max_cached_tokens": "--max-total-tokens",
    },
    {"bf16": "--dtype bfloat16", "fp16": "--dtype float16", "fp8": "--quantization fp8"},
    {"fp8": "--kv-cache-dtype fp8_e4m3"},
    "--model-path",
    experts="--attn-dp-size {0} --ep-size {0}",
    of_all=("tensor_parallel_size", "max_num_seqs", "max_num_batched_tokens"),
    eager="--cuda-graph-backend-decode disabled --cuda-graph-backend-prefill disabled",
    adapters="--enable-lora --max-loras-per-batch {:.0f} --max-lora-rank {:.0f}",
    offloaded="--cpu-offload-gb {:.0f}",
    drafted="--speculative-algorithm STANDALONE --speculative-draft-model-path DRAFT --speculative-num-steps {0} "
    "--speculative-eagle-topk 1 --speculative-num-draft-tokens {1}",
    encoder="--is-embedding",
    prefills_apart="--disaggregation-mode decode",
    nodes="--nnodes {:.0f} --node-rank RANK --dist-init-addr HOST:PORT",
)
TRTLLM = EngineWords(
    "trtllm-serve",
    {
        "tensor_parallel_size": "--tp_size",
        "pipeline_parallel_size": "--pp_size",
        "max_model_len": "--max_seq_len",
        "max_num_seqs": "--max_batch_size",
        "max_num_batched_tokens": "--max_num_tokens",
        "gpu_memory_utilization": "--kv_cache_free_gpu_memory_fraction",
    },
    {},
    {"fp8": "--kv_cache_dtype fp8"},
    experts="--ep_size {0} --enable_attention_dp",
    of_all=("tensor_parallel_size",),
    eager="config: cuda_graph_config: null",
    drafted="config: speculative_config: {{decoding_type: Draft_Target, max_draft_len: {0}, speculative_model: DRAFT}}",
    prefills_apart="config: cache_transceiver_config: {backend: DEFAULT}",
)
LLAMA = EngineWords(
    "llama-server",
    {"max_num_seqs": "--parallel", "max_num_batched_tokens": "--ubatch-size"},
    {},
    {"fp16": "", "q8_0": "--cache-type-k q8_0 --cache-type-v q8_0", "q4_0": "--cache-type-k q4_0 --cache-type-v q4_0"},
    "--n-gpu-layers {:.0f} --model",
    "{0}-{1}.gguf",
    drafted="--spec-type draft-simple --spec-draft-model DRAFT.gguf --spec-draft-n-max {0}",
    encoder="--embeddings",
    rows_split="--split-mode row",
    experts_on_host="--n-cpu-moe {:.0f}",
)
CONFIG = "config: "
"""Begins what an engine takes in a file of settings alone; the shell hands it the lines as one."""
EVERY_LAYER = 999
"""What llama.cpp is told where all layers are to go to the accelerators."""
ENGINES: Mapping[str, EngineWords] = {
    "vllm": VLLM, "vllm-0.19": VLLM, "vllm-0.15": VLLM, "sglang": SGLANG, "trtllm": TRTLLM, "llama.cpp": LLAMA,
}  # fmt: skip


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
    return job.changed({**chosen.changes, "hardware.count": ranks})


def engine_command(view: View, index: int) -> str:
    """The line that starts one replica; nothing for an engine that has no server."""
    case = view.variants[index]
    words = ENGINES.get(str(case.settings["engine"]))
    if words is None:
        return ""
    said = [words.program, words.model_option.format(_gpu_layers(view, index)), *_checkpoint(words, case)]
    said += [*_numbers(words, view, index), *_spread(words, view, index), *_drafting(words, view, index)]
    said += [*_memory(words, view, index)]
    if words is LLAMA:
        said.append(f"--ctx-size {view.beside('context_tokens_in_all', index):.0f}")
    said.append(words.caches.get(str(case.settings["kv_cache_dtype"]), "") if view.makes_tokens(index) else "")
    return " ".join(filter(None, _with_config(said)))


def _with_config(said: Sequence[str]) -> Iterator[str]:
    """Options, then what goes into a file of settings."""
    settings = [f"'{name.removeprefix(CONFIG)}'" for name in said if name.startswith(CONFIG)]
    yield from (name for name in said if not name.startswith(CONFIG))
    if settings:
        yield f"--config <(printf '%s\\n' {' '.join(settings)})"


def _checkpoint(words: EngineWords, case: Case) -> tuple[str, str]:
    """The model, and what makes the format of its weights; a format that is not made is a checkpoint of its own."""
    weights, name = str(case.settings["weight_dtype"]), case.card.repository or case.card.id
    file = words is LLAMA
    if (weights == case.card.weight_dtype and not file) or weights in words.formats:
        return name, "" if weights == case.card.weight_dtype else words.formats[weights]
    plain = name.rpartition("/")[2].partition(":")[0].removesuffix("-GGUF")
    return words.quantised.format(plain, weights.upper() if file else weights), ""


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


def _numbers(words: EngineWords, view: View, index: int) -> Iterator[str]:
    """Options that carry a number; sizes of one are what an engine does anyway, and so are its own blocks and share."""
    for field, option in words.numbers.items():
        of_all = field in words.of_all
        value = view.beside(f"counted_over_ranks.{field}", index) if of_all else view.value(field, index)
        own = value <= 1 if field.endswith("parallel_size") else value == 0 or (words is SGLANG and value == 1)
        own = own or (field == "max_model_len" and view.hears(index))  # a decoder's own positions, beside the sound's
        own = own or (field in LEFT_TO_THE_ENGINE and view.value(LEFT_TO_THE_ENGINE[field], index) > 0)
        if not own and (field != "block_size" or field in view.variants[index].overrides):
            yield f"{option} {value:.15g}"


def _drafting(words: EngineWords, view: View, index: int) -> Iterator[str]:
    """Speculative decoding: how many tokens are drafted; the draft model is the user's choice."""
    drafted = view.value("speculative_tokens", index)
    if drafted and words.drafted:
        yield words.drafted.format(f"{drafted:.0f}", f"{drafted + 1:.0f}")


def _memory(words: EngineWords, view: View, index: int) -> Iterator[str]:
    """Buffers for adapters, and weights that stay on the host, in GiB as engines count them."""
    if (slots := view.value("max_loras", index)) and words.adapters:
        yield words.adapters.format(slots, view.value("max_lora_rank", index))
    if (offloaded := view.value("cpu_offload_bytes", index)) and words.offloaded:
        yield words.offloaded.format(offloaded / GIB)
    if (layers := view.value("n_cpu_moe", index)) and words.experts_on_host:
        yield words.experts_on_host.format(layers)
    if (offloaded := view.value("kv_offloading_size", index)) and words.cache_offloaded:
        yield words.cache_offloaded.format(offloaded / GIB)


def _spread(words: EngineWords, view: View, index: int) -> Iterator[str]:
    """Ranks that share experts or layers, nodes, prefills apart, eager mode, and models that answer with a vector."""
    ranks, settings = view.value("expert_parallel_size", index), view.variants[index].settings
    whole = words.whole_experts if settings["whole_experts"] else ""
    yield words.experts.format(f"{ranks:.0f}") if ranks > 1 else whole
    yield words.rows_split if view.value("tensor_parallel_size", index) > 1 else ""
    nodes = view.beside("replica_nodes", index)
    yield words.nodes.format(nodes) if nodes > 1 else ""
    yield words.prefills_apart if settings["disaggregated"] else ""
    yield words.eager if settings["enforce_eager"] else ""
    yield "" if view.makes_tokens(index) else words.encoder
