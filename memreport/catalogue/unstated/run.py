"""The batch and the length of a training that is asked for in words, where no field states them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.question.model import engines_said, sizes_said
from memreport.catalogue.question.numbers import places_of
from memreport.catalogue.question.run import pretraining_asked, sequences_asked, steps_asked, tokens_asked
from memreport.catalogue.question.stated import beside_question, block_of, question_of, variants_of
from memreport.catalogue.question.workload import is_stated
from memreport.catalogue.records import ModelCard
from memreport.catalogue.unstated.engine import SHARDING
from memreport.catalogue.words.following import STEPS, tokens_of_run
from memreport.catalogue.words.meaning import Read, WordRead, said_in_question
from memreport.catalogue.yaml.strict import Document

USUAL_SEQUENCES, OF_ADAPTERS, OF_PRETRAINING = 64, 16, 1024
"""Sequences of a step.  Source: arXiv:2307.09288 (Llama 2), sections 3.1 and 2.2; arXiv:2305.14314 (QLoRA), table 9."""
OF_LARGE_MIXTURES, LARGE = 9216, 1e11
"""The same of mixtures with so many parameters and more.  Source: arXiv:2405.04434 (DeepSeek-V2), section 3.1.2; as
much, or twice as much, arXiv:2412.19437 (DeepSeek-V3), arXiv:2507.20534 (Kimi K2), arXiv:2508.06471 (GLM-4.5)."""
PRETRAINED_LENGTH, MEGATRON = 4096, "megatron"
"""Tokens of a sequence of pretraining, and what spreads experts, layers and matrices over GPUs.

Source: arXiv:2307.09288 (Llama 2), section 2.2; arXiv:2504.14960 (Megatron Core, mixtures); arXiv:2104.04473, table 1.
"""
LENGTH, FRAMEWORK = "sequence_length", "framework"
ACCUMULATION = "gradient_accumulation_steps"
BATCHES = ("micro_batch_size", ACCUMULATION, "global_batch_size")
STAGES = "pipeline_parallel_size"
GROUP = ("tensor_parallel_size", STAGES, "context_parallel_size")
READ_AS = "is read as {}, which is not stated"
NO_BATCH, A_STEP = "no batch", "is read as {} sequences a step{}"
SHARED_OUT = ", or the next number that divides among the GPUs"
MICRO_BATCHES_OF_A_STAGE = 4
"""Micro-batches of a pipeline a stage, with which stages hardly wait.  Source: arXiv:1811.06965, section 2.3."""
OPTIMAL, TOKENS_OF_A_PARAMETER = re.compile(r"\bchinchilla\b|\bcompute[- ]optimal\b"), 20
"""Tokens that a model is trained on at its best.  Source: arXiv:2203.15556 (Chinchilla), table 3."""


def with_run_asked(
    document: Document, words: tuple[WordRead, ...], card: Callable[[str], ModelCard | None], *, alone: bool
) -> Read:
    """The training as long as its question says; of a question `alone`, as one of its kind and number of GPUs is run.

    Beside fields that are stated, those that are not have their documented defaults.
    """
    data = document.data
    if data.get("workload") != "training" or not question_of(data):
        return document, words
    model = card(str(data.get("model")))
    for settings, word in _as_pretrained(data, model) if alone else ():
        data, words = _with(data, settings), (*words, word)
    said = bool(sequences_asked(question_of(data)))
    usual = alone and "batch" not in question_of(data)
    if (usual or said) and not any(name in beside_question(data) for name in BATCHES[said:]):
        sequences = _sequences(block_of(data, "training"), question_of(data), model)
        data = _with_batch(data, sequences)
        words = (*words, _of_a_step(data, sequences))
    if length := _length(data):
        stated, word = length
        data, words = _with(data, stated), (*words, word)
    return (document if data is document.data else replace(document, data=data)), words


def _with(data: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    return {**data, "training": {**block_of(data, "training"), **stated}}


def _with_batch(data: Mapping[str, Any], sequences: int) -> dict[str, Any]:
    """With as many micro-batches a step as so many sequences take."""
    base = {"count": 1, **block_of(data, "hardware"), **block_of(data, "training")}
    whole = _with(data, {ACCUMULATION: usual_accumulation(base, sequences, question_of(data))})
    own = {
        name: {str(key).rpartition(".")[2]: value for key, value in block.items()}
        for name, block in variants_of(data).items()
    }
    question = question_of(data)
    steps = {name: usual_accumulation({**base, **block}, sequences, question) for name, block in own.items()}
    variants = {name: {**block, f"training.{ACCUMULATION}": steps[name]} for name, block in variants_of(data).items()}
    return {**whole, **({"variants": variants} if variants else {})}


def usual_accumulation(block: Mapping[str, Any], sequences: int = 0, question: str = "") -> int:
    """Micro-batches of each replica in a step of so many sequences, else of the usual; of fields without sections."""
    stated = [block.get(name, 1) for name in ("count", *GROUP)]
    sizes = [size for size in stated if isinstance(size, int) and size > 0]
    if len(sizes) < len(stated):
        return 1
    micro = block.get("micro_batch_size", 1) if sequences_asked(question) else 1
    micro = micro if isinstance(micro, int) and micro > 0 else 1
    stages = 0 if sequences_asked(question) else sizes[1 + GROUP.index(STAGES)]
    least = MICRO_BATCHES_OF_A_STAGE * stages if stages > 1 else 1
    whole = sequences or _sequences(block, question)
    return max(math.ceil(whole * math.prod(sizes[1:]) / sizes[0] / micro), least)


def _sequences(block: Mapping[str, Any], question: str, model: ModelCard | None = None) -> int:
    """Sequences of a step: those that are said, or usual for what is trained."""
    if said := sequences_asked(question):
        return said.value
    if block.get("method", "full") != "full":
        return OF_ADAPTERS
    if not pretraining_asked(block, question):
        return USUAL_SEQUENCES
    large = model and model.values.get("num_local_experts", 0) > 1 and (model.published_parameters or 0) >= LARGE
    return OF_LARGE_MIXTURES if large else OF_PRETRAINING


def _as_pretrained(data: Mapping[str, Any], model: ModelCard | None) -> Iterator[tuple[Mapping[str, Any], WordRead]]:
    """Longer sequences where a model is pretrained, and for a mixture a framework that spreads its experts.

    FSDP or DeepSpeed that is named is what trains.
    """
    question = question_of(data)
    if not pretraining_asked(block_of(data, "training"), question):
        return
    known = model.values if model else {}
    if known.get("max_position_embeddings", 0) >= PRETRAINED_LENGTH and not is_stated(data, LENGTH):
        as_length = READ_AS.format(f"{PRETRAINED_LENGTH:,} tokens of {LENGTH}")
        yield {LENGTH: PRETRAINED_LENGTH}, said_in_question("pretraining", as_length)
    spread = _spread_by_megatron(model) if block_of(data, "hardware").get("count") != 1 else ""
    if spread and not is_stated(data, FRAMEWORK) and not {*engines_said(question, SHARDING)}:
        yield {FRAMEWORK: MEGATRON}, said_in_question(spread, READ_AS.format(f"{FRAMEWORK} {MEGATRON}"))


def _spread_by_megatron(model: ModelCard | None) -> str:
    """What is pretrained with experts, layers and matrices spread over GPUs; nothing of what is only sharded."""
    if model and model.values.get("num_local_experts", 0) > 1:
        return "pretraining of a mixture"
    return "pretraining of 100B and more" if model and (model.published_parameters or 0) >= LARGE else ""


def _of_a_step(data: Mapping[str, Any], usual: int) -> WordRead:
    block, said = block_of(data, "training"), sequences_asked(question_of(data))
    sizes = [block_of(data, "hardware").get("count", 1), *(block.get(name, 1) for name in GROUP)]
    group = math.prod(size for size in sizes[1:] if isinstance(size, int))
    micro = block.get("micro_batch_size", 1)
    known = all(isinstance(size, int) for size in (*sizes, micro)) and sizes[0] % group == 0
    made = sizes[0] // group * micro * block.get(ACCUMULATION, 1) if known else 0
    sequences = max(usual, made)
    words = said.words if said else NO_BATCH
    return said_in_question(words, A_STEP.format(sequences, SHARED_OUT), places=places_of([said]))


def _length(data: Mapping[str, Any]) -> tuple[Mapping[str, Any], WordRead] | None:
    """How long a run is."""
    if (tokens := tokens_asked(data)) and tokens.value:
        assumes = "is read as training_tokens, which are not stated"
        word = said_in_question(f"{tokens.value:,.0f} tokens", assumes, places=tokens.places)
        return {"training_tokens": tokens.value}, word
    if (best := OPTIMAL.search(question_of(data))) and (sizes := sizes_said(_with_its_size(data))):
        amount = float(sizes[0].value) * 1e9 * TOKENS_OF_A_PARAMETER
        assumes = f"is read as {amount:,.0f} training_tokens: {TOKENS_OF_A_PARAMETER} of each parameter"
        return {"training_tokens": amount}, said_in_question(best[0], assumes, places=(range(*best.span()),))
    if (steps := steps_asked(data)) and steps.value:
        whole = {"count": block_of(data, "hardware").get("count", 1), **block_of(data, "training"), STEPS: steps.value}
        word = said_in_question(f"{steps.value:,} steps", READ_AS.format(STEPS), places=steps.places)
        return tokens_of_run(whole, {STEPS}), word
    return None


def _with_its_size(data: Mapping[str, Any]) -> str:
    """The question, else the name of the model, in which its size stands."""
    return f"{question_of(data)} {str(data.get('model', '')).lower().replace('-', ' ')}"
