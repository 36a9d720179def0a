"""The batch and the length of a training that is asked for in words, where no field states them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.question.numbers import places_of
from memreport.catalogue.question.run import sequences_asked, steps_asked, tokens_asked
from memreport.catalogue.question.stated import beside_question, block_of, question_of, variants_of
from memreport.catalogue.words.following import STEPS, tokens_of_run
from memreport.catalogue.words.meaning import Read, WordRead, said_in_question
from memreport.catalogue.yaml.strict import Document

USUAL_SEQUENCES, OF_ADAPTERS, OF_PRETRAINING = 64, 16, 1024
"""Sequences of a step.  Source: arXiv:2307.09288 (Llama 2), sections 3.1 and 2.2; arXiv:2305.14314 (QLoRA), table 9."""
PRETRAINED = re.compile(r"\bpre-?train|\bfrom scratch\b")
ACCUMULATION = "gradient_accumulation_steps"
BATCHES = ("micro_batch_size", ACCUMULATION, "global_batch_size")
GROUP = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
READ_AS = "is read as {}, which is not stated"
NO_BATCH, A_STEP = "no batch", "is read as {} sequences a step, or one on each GPU where these are more"


def with_run_asked(document: Document, words: tuple[WordRead, ...], *, alone: bool) -> Read:
    """The training as long as its question says; of a question `alone`, with the batch that is usual in each variant.

    Beside fields that are stated, those that are not have their documented defaults.
    """
    data = document.data
    if data.get("workload") != "training" or not question_of(data):
        return document, words
    said = bool(sequences_asked(question_of(data)))
    usual = alone and "batch" not in question_of(data)
    if (usual or said) and not any(name in beside_question(data) for name in BATCHES[said:]):
        data, words = _with_batch(data), (*words, _of_a_step(data))
    if length := _length(data):
        stated, word = length
        data, words = _with(data, stated), (*words, word)
    return (document if data is document.data else replace(document, data=data)), words


def _with(data: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    return {**data, "training": {**block_of(data, "training"), **stated}}


def _with_batch(data: Mapping[str, Any]) -> dict[str, Any]:
    """With as many micro-batches a step as the usual batch takes."""
    base = {"count": 1, **block_of(data, "hardware"), **block_of(data, "training")}
    whole = _with(data, {ACCUMULATION: usual_accumulation(base, question_of(data))})
    own = {
        name: {str(key).rpartition(".")[2]: value for key, value in block.items()}
        for name, block in variants_of(data).items()
    }
    steps = {name: usual_accumulation({**base, **block}, question_of(data)) for name, block in own.items()}
    variants = {name: {**block, f"training.{ACCUMULATION}": steps[name]} for name, block in variants_of(data).items()}
    return {**whole, **({"variants": variants} if variants else {})}


def usual_accumulation(block: Mapping[str, Any], question: str = "") -> int:
    """Micro-batches of one sequence on each replica in a step of the usual batch; of fields without sections."""
    stated = [block.get(name, 1) for name in ("count", *GROUP)]
    sizes = [size for size in stated if isinstance(size, int) and size > 0]
    if len(sizes) < len(stated):
        return 1
    micro = block.get("micro_batch_size", 1) if sequences_asked(question) else 1
    micro = micro if isinstance(micro, int) and micro > 0 else 1
    return math.ceil(_sequences(block, question) * math.prod(sizes[1:]) / sizes[0] / micro)


def _sequences(block: Mapping[str, Any], question: str) -> int:
    if said := sequences_asked(question):
        return said.value
    if block.get("method", "full") != "full":
        return OF_ADAPTERS
    return OF_PRETRAINING if PRETRAINED.search(question) else USUAL_SEQUENCES


def _of_a_step(data: Mapping[str, Any]) -> WordRead:
    sequences, said = _sequences(block_of(data, "training"), question_of(data)), sequences_asked(question_of(data))
    return said_in_question(said.words if said else NO_BATCH, A_STEP.format(sequences), places=places_of([said]))


def _length(data: Mapping[str, Any]) -> tuple[Mapping[str, Any], WordRead] | None:
    """How long a run is."""
    if (tokens := tokens_asked(data)) and tokens.value:
        assumes = "is read as training_tokens, which are not stated"
        word = said_in_question(f"{tokens.value:,.0f} tokens", assumes, places=tokens.places)
        return {"training_tokens": tokens.value}, word
    if (steps := steps_asked(data)) and steps.value:
        whole = {"count": block_of(data, "hardware").get("count", 1), **block_of(data, "training"), STEPS: steps.value}
        word = said_in_question(f"{steps.value:,} steps", READ_AS.format(STEPS), places=steps.places)
        return tokens_of_run(whole, {STEPS}), word
    return None
