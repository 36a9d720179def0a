"""Words of other programs from which fields follow beside others: a global batch, a context of all slots, replicas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memreport.catalogue.records import SEQUENCE_LENGTH
from memreport.catalogue.words.names import FOLLOWED
from memreport.catalogue.words.target_modules import MATRICES, MODULES, matrices, named
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault

Keys = tuple[str | int, ...]
Block = dict[str, Any]
REPLICA = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
BATCH = ("count", "micro_batch_size", *REPLICA)
LENGTHS = FOLLOWED["training"][1:3]
ADAPTED, MLP = "target_modules", ("gate_proj", "up_proj", "down_proj")
"""What torchtune's apply_lora_to_mlp adds to lora_attn_modules."""
PARAMETERS, OF_EXPERTS = "target_parameters", ("mlp.experts.gate_up_proj", "mlp.experts.down_proj")
"""Where adapters on routed experts stand here; programs name the experts among the modules."""
REPLICAS, SHARDS = "data_parallel_replicate_degree", "data_parallel_shard_degree"
PASSED, IN_PIPELINE = "micro_batch_size", "pipeline_parallel_microbatch_size"
"""torchtitan's local batch is cut into the micro-batches of a pipeline, each of one sequence unless it says more."""
SHARED = "tensor_parallel_size"
"""SGLang's tp-size counts the ranks that dp-size divides."""
STEPS, SAMPLES, TOKENS, GLOBAL = "max_steps", "train_samples", "training_tokens", "global_batch_size"
ANSWERS = "rollout_n"
"""Answers to each prompt; verl counts a batch in prompts.  Source: verl, trainer/ppo/ray_trainer.py at 2026-11-26."""
EPOCHS, IN_DATASET, TOKENS_IN_DATASET = "num_train_epochs", "dataset_samples", "dataset_tokens"
OF_A_RUN = (STEPS, SAMPLES, EPOCHS, IN_DATASET, TOKENS_IN_DATASET)
"""What says how long a run is; of a dataset, an epoch is one pass over it."""
METHOD, SEGMENTS = "recompute_method", {"gradient_checkpointing": "every-k", "recompute_num_layers": 0}
"""Megatron's uniform recomputes segments of recompute_num_layers, block that many single layers of a stage."""
AWARE, REMAINDERS, MASTER = "use_precision_aware_optimizer", "store_param_remainders", "master_element_bytes"
PRIMARY_FP8 = ("fp8_recipe", "fp4")
"""What leaves the FP32 master copy whole; without, its lower half is kept beside weights in BF16.

Source: Megatron-LM, core/optimizer/optimizer_config.py and __init__.py at 0075637.
"""
TRANSFORMED, NUMBER, LOWEST = "layers_to_transform", "transformed_layers", "lowest_transformed_layer"
"""PEFT names the layers that are adapted; how many they are and which is the lowest decides."""
ROWS = "trainable_token_indices"
RANKS, RANK, EXCLUDED = "rank_pattern", "lora_rank", "exclude_modules"
"""PEFT states ranks of some matrices, and modules that keep none of those that are named."""
HELD = "kv_offloading_size"
WHOLE = "enable_expert_parallel"
DRAFTED = ("speculative_num_steps", "speculative_num_draft_tokens")
"""Of a tree of drafts, the first is its depth, which decides how many are accepted; the second all that are checked."""
BLOCK_TOKENS = 16
"""Tokens of a block of vLLM unless stated.  Source: vLLM, config/cache.py."""
OF_A_STEP = (GLOBAL, "gradient_accumulation_steps", "sequence_length", *BATCH, *LENGTHS)
"""From which the tokens of a run follow where its steps are stated; -1 steps state none.  Source: TrainingArguments."""


def with_followed(data: Mapping[str, Any], document: Document, faults: list[Fault]) -> dict[str, Any]:
    """A scenario in fields alone, in its section and in each variant; a fault where a number does not divide."""
    workload, whole = str(data.get("workload")), dict(data)
    base, variants = data.get(workload), data.get("variants")
    if not isinstance(base, dict):
        return whole
    hardware = data.get("hardware") if isinstance(data.get("hardware"), dict) else {}
    read = _Followed(document, workload, {"count": (hardware or {}).get("count", 1), **base}, faults)
    whole[workload] = read.block(base, base, (workload,))
    if isinstance(variants, dict):
        whole["variants"] = {
            name: read.block(block, _plain(block), ("variants", name), f"{workload}.")
            if isinstance(block, dict)
            else block
            for name, block in variants.items()
        }
    return whole


def _plain(block: Mapping[str, Any]) -> Block:
    """Fields of a variant without their sections."""
    return {str(name).rpartition(".")[2]: value for name, value in block.items()}


class _Followed:
    """Blocks of one document, each on top of the scenario's own fields."""

    def __init__(self, document: Document, workload: str, base: Block, faults: list[Fault]) -> None:
        self.document, self.workload, self.base, self.faults = document, workload, base, faults

    def block(self, block: Mapping[str, Any], own: Mapping[str, Any], keys: Keys, prefix: str = "") -> Block:
        """A block without the words, and with what follows from them."""
        whole, stated = {**self.base, **own}, _plain(block)
        if not any(name in whole for name in (*FOLLOWED[self.workload], ADAPTED)):
            return dict(block)
        found = self._following(whole, {*own}, keys)
        for name in found.keys() & stated.keys() - {SHARED, ADAPTED, RANK, PASSED, SHARDS, *SEGMENTS}:
            if stated[name] != found[name]:
                message = f"contradicts {name}, which follows from it"
                self.faults.append(self.document.fault(keys, message, found=f"{stated[name]} against {found[name]}"))
        apart = {*LENGTHS} if not ({*LENGTHS} <= whole.keys() or "sequence_length" in whole) else set()
        read = {*FOLLOWED[self.workload]} - apart
        kept = {name: value for name, value in block.items() if str(name).rpartition(".")[2] not in {*read, *found}}
        return {**kept, **{prefix + name: value for name, value in found.items()}}

    def _following(self, whole: Block, own: set[str], keys: Keys) -> Block:
        if self.workload == "serving":
            return _served(whole, own)
        found: Block = _replicated(whole, own) | _in_micro_batches(whole, own) | _recomputed(whole) | _remainders(whole)
        found |= _transformed(whole, own) | _ranked(whole, own) | _rows(whole, own)
        found |= _lengths(whole, own)
        if whole.get("apply_lora_to_mlp") is True and own & {ADAPTED, "apply_lora_to_mlp"}:
            found[ADAPTED] = [*whole.get(ADAPTED, ()), *MLP]
        found |= _excluded({**whole, **found}, own)
        found |= _on_experts({**whole, **found}, own)
        if isinstance(whole.get(ANSWERS), int) and isinstance(whole.get(GLOBAL), int):
            whole = {**whole, GLOBAL: whole[GLOBAL] * whole[ANSWERS]}
        if GLOBAL in whole and own & {*BATCH, GLOBAL}:
            replicas = _number(whole, "count") / _product(whole, REPLICA)
            found |= self._divided(whole, GLOBAL, replicas * _number(whole, "micro_batch_size"), keys)
        return found | tokens_of_run({**whole, **found}, own)

    def _divided(self, whole: Block, name: str, of_step: float, keys: Keys) -> Block:
        steps = _number(whole, name) / of_step
        if steps < 1 or steps % 1:
            message = "must be a multiple of micro_batch_size x GPUs that work on different sequences"
            fault = self.document.fault((*keys, name), message, found=f"{whole[name]} over {of_step:g}")
            self.faults.append(fault)
            return {}
        return {"gradient_accumulation_steps": int(steps)}


def _lengths(whole: Block, own: set[str]) -> Block:
    """Tokens of prompt and answer together, and of the answer where the same GPUs generate it."""
    prompt, answer = (whole.get(name) for name in LENGTHS)
    if not own & {*LENGTHS} or not isinstance(answer, int):
        return {}
    whole_length = {"sequence_length": prompt + answer} if isinstance(prompt, int) else {}
    generates = "rollout_memory_share" in whole and (whole_length or "sequence_length" in whole)
    return {**whole_length, **({"rollout_tokens": answer} if generates else {})}


def _replicated(whole: Block, own: set[str]) -> Block:
    """The GPUs over which states are cut, where torchtitan states how many copies of them there are."""
    copies = _number(whole, REPLICAS)
    if copies == 1 or not own & {REPLICAS, "count", *REPLICA} or whole.get(SHARDS):
        return {}
    return {SHARDS: _number(whole, "count") // (_product(whole, REPLICA) * copies)}


def _on_experts(whole: Block, own: set[str]) -> Block:
    """Adapters on the routed experts, where these are named among the modules."""
    names = whole.get(ADAPTED)
    if not own & {ADAPTED} or not isinstance(names, list) or not any(_is_experts(name) for name in names):
        return {}
    kept = [name for name in names if not _is_experts(name)]
    return {ADAPTED: kept, PARAMETERS: [*OF_EXPERTS]}


def _is_experts(name: object) -> bool:
    return str(name).rpartition(".")[2] == "experts"


def _transformed(whole: Block, own: set[str]) -> Block:
    """How many layers are adapted, and the lowest of them, where they are listed or one is named."""
    named = whole.get(TRANSFORMED)
    layers = named if isinstance(named, list) else [named]
    if TRANSFORMED not in own or not all(isinstance(layer, int) for layer in layers):
        return {}
    return {NUMBER: len({*layers}), LOWEST: min(layers)} if layers else {}


def _rows(whole: Block, own: set[str]) -> Block:
    """Rows of embeddings that are trained alone, listed, or listed for each embedding."""
    named = whole.get(ROWS)
    listed = named.values() if isinstance(named, dict) else [named]
    if ROWS not in own or not all(isinstance(rows, list) for rows in listed):
        return {}
    return {"trained_rows": sum(map(len, listed))}


def _ranked(whole: Block, own: set[str]) -> Block:
    """The largest rank that any matrix has."""
    ranks = whole.get(RANKS)
    if not own & {RANKS, RANK} or not isinstance(ranks, dict) or not ranks:
        return {}
    return {RANK: max(_number(whole, RANK), *(_number(ranks, name) for name in ranks))}


def _excluded(whole: Block, own: set[str]) -> Block:
    """The matrices that are named, less those that are excluded; what is no matrix of a layer has no adapter anyway."""
    names, without = whole.get(ADAPTED), whole.get(EXCLUDED)
    if not own & {ADAPTED, EXCLUDED} or not names or not without:
        return {}
    left = {*matrices(map(str, named(names)))} - {*matrices(map(str, named(without)))}
    return {ADAPTED: [name for name in (*MATRICES, *MODULES) if name in left]}


def _recomputed(whole: Block) -> Block:
    """Segments of several layers, where Megatron says that layers are recomputed so."""
    if str(whole.get(METHOD)).lower() != "uniform" or whole.get("gradient_checkpointing") == "selective":
        return {}
    return {**SEGMENTS, "checkpoint_interval": max(_number(whole, "recompute_num_layers"), 1)}


def _remainders(whole: Block) -> Block:
    """Two bytes of a master weight, where the optimizer keeps what BF16 leaves of it."""
    halved = whole.get(AWARE) is True and whole.get(REMAINDERS) is not False
    if not halved or MASTER in whole or any(name in whole for name in PRIMARY_FP8):
        return {}
    return {MASTER: 2}


def tokens_of_run(whole: Block, own: set[str]) -> Block:
    """Tokens of a run of so many steps or samples."""
    sequence = whole.get("sequence_length", SEQUENCE_LENGTH)
    samples, passed = _samples(whole), _amount(whole, TOKENS_IN_DATASET) * _epochs(whole)
    if not own & {*OF_A_RUN, *OF_A_STEP} or not (samples or passed) or not isinstance(sequence, int | float):
        return {}
    return {TOKENS: samples * sequence or passed}


def _samples(whole: Block) -> float:
    """Sequences of a run: of all its steps, stated, or of its epochs; none where none is."""
    replicas = _number(whole, "count") / _product(whole, REPLICA)
    of_step = _product(whole, ("micro_batch_size", "gradient_accumulation_steps")) * replicas
    of_steps = _amount(whole, STEPS) * (_number(whole, GLOBAL) if GLOBAL in whole else of_step)
    return of_steps or _amount(whole, SAMPLES) or _amount(whole, IN_DATASET) * _epochs(whole)


def _epochs(whole: Block) -> float:
    return _amount(whole, EPOCHS) or 1.0


def _amount(whole: Block, name: str) -> float:
    """A number, or 0 where it is not stated or says nothing, as -1 steps."""
    value = whole.get(name)
    return max(value, 0) if isinstance(value, int | float) else 0


def _in_micro_batches(whole: Block, own: set[str]) -> Block:
    if IN_PIPELINE not in whole or not own & {IN_PIPELINE, PASSED}:
        return {}
    each = _number(whole, IN_PIPELINE)
    return {PASSED: each, "gradient_accumulation_steps": _number(whole, PASSED) // each}


def _served(whole: Block, own: set[str]) -> Block:
    """What follows for an engine: of a context that slots share, of a cache on the host, of ranks, of drafts."""
    return _slots(whole, own) | _held(whole, own) | _ranks(whole, own) | _drafted(whole, own)


def _slots(whole: Block, own: set[str]) -> Block:
    """The part of a context that one slot has."""
    if "n_ctx" not in own:
        return {}
    slots = _number(whole, "max_num_seqs")
    return {"max_num_seqs": slots, "max_model_len": int(_number(whole, "n_ctx") / slots)}


def _held(whole: Block, own: set[str]) -> Block:
    """A cache of so many blocks, and one on the host."""
    found: Block = {}
    for name, unit in (("hicache_size", "GB"), ("host_cache_size", "byte")):
        if name in own:
            found[HELD] = f"{whole[name] * _product(whole, REPLICA[:2])} {unit}"
    if "num_gpu_blocks_override" in own:
        found["max_cached_tokens"] = _number(whole, "num_gpu_blocks_override") * whole.get("block_size", BLOCK_TOKENS)
    return found


def _ranks(whole: Block, own: set[str]) -> Block:
    """Ranks with attention of their own, and experts that no rank cuts."""
    if whole.get("enable_attention_dp") is True and own & {"enable_attention_dp", SHARED}:
        return {"expert_parallel_size": _number(whole, SHARED), SHARED: 1}
    if "data_parallel_size" in own and (whole.get("enable_expert_parallel") or whole.get("enable_dp_attention")):
        ranks, cut = _number(whole, "data_parallel_size"), _number(whole, SHARED)
        shared = {SHARED: int(cut / ranks)} if whole.get("enable_dp_attention") and cut >= ranks else {}
        return {"expert_parallel_size": ranks, **shared}
    return {"whole_experts": True} if whole.get(WHOLE) is True and WHOLE in own else {}


def _drafted(whole: Block, own: set[str]) -> Block:
    """Tokens that SGLang drafts one after the other: its steps, or all but the last of the tokens that it checks."""
    if not own & {*DRAFTED}:
        return {}
    steps, checked = (_number(whole, name) for name in DRAFTED)
    return {"speculative_tokens": steps if DRAFTED[0] in whole else checked - 1}


def _number(block: Mapping[str, Any], name: str) -> int:
    """A whole number, or 1 where it is not stated or is none, which is found out later."""
    value = block.get(name, 1)
    return value if isinstance(value, int) and value > 0 else 1


def _product(block: Mapping[str, Any], names: Iterable[str]) -> int:
    found = 1
    for name in names:
        found *= _number(block, name)
    return found
