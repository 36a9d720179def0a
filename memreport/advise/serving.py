"""Serving: how many sequences, how long a context, and how to spend the GPUs: wide tensor parallelism or replicas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from memreport.advise.moves import fits_with_margin, stops_at
from memreport.advise.rerun import Job
from memreport.advise.search.combinations import Combination, find
from memreport.advise.search.space import sequences_at_once
from memreport.advise.verdict import Word
from memreport.catalogue.quantities import display
from memreport.catalogue.records import Numbers
from memreport.compute import calculate, needed_for
from memreport.errors import InputError, plural
from memreport.figures.registry import lines_in_order
from memreport.frozen import frozen

WIDTHS = (1, 2, 4, 8, 16)
PROBES = 4096
"""Values that are evaluated at once while the largest that fits is looked for."""


@frozen
class Arrangement:
    """The scenario's GPUs arranged as replicas of some width, at the target concurrency shared between them."""

    tensor_parallel_size: int
    replicas: int
    sequences_each: int
    word: Word
    fits: bool
    with_margin: bool
    headroom_bytes: float
    most_sequences_each: int
    longest_context: int
    decode_step_seconds: float
    time_to_first_token_seconds: float
    tokens_per_second: float

    @property
    def most_sequences(self) -> int:
        """Sequences over all replicas."""
        return self.most_sequences_each * self.replicas


@frozen
class ServingPlan:
    """Largest batch and longest context of the job as it is, its GPUs arranged in other ways, and the fewest GPUs."""

    most_sequences: int
    longest_context: int
    arrangements: tuple[Arrangement, ...]
    fewest_accelerators: Combination | None
    sentence: str


def serving_plan(job: Job) -> ServingPlan:
    """Advice on a serving job."""
    arrangements = tuple(_arrangements(job))
    fewest = next(iter(find(job, rank_by="accelerators").best), None)
    return ServingPlan(most_sequences(job), longest_context(job), arrangements, fewest, _comparison(job, arrangements))


def most_sequences(job: Job) -> int:
    """The largest `max_num_seqs` that fits on one replica, at the planned context; 0 where not even one does."""
    most = int(job.value("max_num_batched_tokens"))
    bound = _largest(job, "max_num_seqs", 1, 1)
    pool = min(most, int(_figure(job, "max_num_seqs", np.asarray([1.0]), "max_concurrent_sequences")[0]))
    return _largest(job, "max_num_seqs", 1, pool) if bound and pool else 0


def longest_context(job: Job) -> int:
    """The longest context, in whole blocks, that fits for all planned sequences; limited by the model."""
    block = job.value("block_size")
    return _largest(job, "context_length", block, int(reach(job) // block))


def reach(job: Job) -> float:
    """Tokens that the model reads; more only where the scenario's own `max_model_len` says so."""
    return max(job.value("max_position_embeddings"), job.value("max_model_len"))


def most_words(job: Job, plan: ServingPlan) -> str:
    """What the job as it is can hold, in one sentence, with what ends it where that is not memory."""
    each, planned = int(job.value("context_length")), int(job.value("max_num_seqs"))
    if not plan.most_sequences:
        return f"As it is, not one sequence of {each:,} tokens fits on a replica{_margin(job)}."
    scheduled = plan.most_sequences == int(job.value("max_num_batched_tokens"))
    read = plan.longest_context + job.value("block_size") > reach(job)
    parts = [
        f"As it is, a replica has room for at most {_sequences(plan.most_sequences)} of {each:,} tokens each",
        ", as many as max_num_batched_tokens lets run" if scheduled else _margin(job),
        f"; or {_sequences(planned)} of at most {plan.longest_context:,} tokens each" if plan.longest_context else "",
        ", which is all that the model reads" if plan.longest_context and read else "",
    ]
    return f"{''.join(parts)}."


def _margin(job: Job) -> str:
    """The margin that a plan leaves free, and how many sequences fill the memory without it."""
    if not (margin := job.search.safety_margin):
        return ""
    filling = int(job.value("max_concurrent_sequences"))
    return (
        f" with the safety margin of {display(margin, 'share')} of the usable memory left free ({filling:,} without it)"
    )


def _sequences(count: int) -> str:
    return f"{count:,} {plural('sequence', count)}"


def _largest(job: Job, name: str, step: float, count: int) -> int:
    """The largest of `count` multiples of `step` with which the job fits with its margin; 0 where none does.

    More of either never needs less, so that a long range is looked at coarsely first.
    """
    none, over = 0, count + 1
    while over - none > 1:
        tried = np.unique(np.linspace(none + 1, over - 1, min(over - none - 1, PROBES)).astype(np.int64))
        headroom = _figure(job, name, np.asarray(tried * step, dtype=np.float64), "headroom_bytes")
        fits = headroom >= job.search.safety_margin * job.value("usable_bytes")
        first = int(np.argmin(fits)) if not fits.all() else tried.size
        none, over = (int(tried[first - 1]) if first else none), (int(tried[first]) if first < tried.size else over)
    return int(none * step)


def _figure(job: Job, name: str, values: Numbers, wanted: str) -> Numbers:
    resolved = job.computed.resolved
    inputs = {key: np.asarray(column[0]) for key, column in resolved.inputs.items()} | {name: values}
    if name == "context_length":
        inputs["max_model_len"] = np.maximum(inputs["max_model_len"], values)
    overrides = {key: np.asarray(column[0]) for key, column in resolved.overrides.items()}
    lines = needed_for(lines_in_order(job.workload), (wanted,))
    return np.broadcast_to(calculate(lines, inputs, overrides, (wanted,))[wanted], values.shape)


def _arrangements(job: Job) -> Iterable[Arrangement]:
    gpus, wide = int(job.value("count")), int(job.value("pipeline_parallel_size"))
    target = sequences_at_once(job)
    for width in WIDTHS:
        replicas = gpus // (width * wide)
        if replicas and replicas * width * wide == gpus:
            yield from _arrangement(job, width, replicas, -(-target // replicas))


def _arrangement(job: Job, width: int, replicas: int, sequences: int) -> Iterable[Arrangement]:
    """The arrangement, or nothing where the model cannot be cut that way."""
    try:
        changed = job.changed(
            {"serving.tensor_parallel_size": width, "serving.max_num_seqs": sequences, **_context(job)}
        )
    except InputError:
        return
    yield Arrangement(
        tensor_parallel_size=width,
        replicas=replicas,
        sequences_each=sequences,
        word=changed.word,
        fits=bool(changed.value("fits")),
        with_margin=fits_with_margin(changed),
        headroom_bytes=changed.value("headroom_bytes"),
        most_sequences_each=most_sequences(changed),
        longest_context=longest_context(changed),
        decode_step_seconds=changed.value("time_per_output_token_seconds"),
        time_to_first_token_seconds=changed.value("time_to_first_token_seconds"),
        tokens_per_second=changed.value("tokens_per_second"),
    )


def _context(job: Job) -> dict[str, Any]:
    if job.search.context_length is None:
        return {}
    context = float(job.search.context_length)
    return {"serving.context_length": context, "serving.max_model_len": max(context, job.value("max_model_len"))}


def _comparison(job: Job, arrangements: tuple[Arrangement, ...]) -> str:
    """Tensor parallelism against replicas, in one sentence."""
    fitting = [arrangement for arrangement in arrangements if arrangement.with_margin]
    if not fitting:
        free = f" with {stops_at(job)}" if any(arrangement.fits for arrangement in arrangements) else ""
        return f"No arrangement of these GPUs has room for the planned sequences{free}."
    if len(arrangements) == 1:
        return "These GPUs can be arranged in no other way."
    quickest = min(fitting, key=lambda arrangement: arrangement.decode_step_seconds)
    busiest = max(fitting, key=lambda arrangement: arrangement.tokens_per_second)
    if quickest == busiest:
        return f"{_words(quickest)} answers soonest and serves most tokens."
    return f"{_words(quickest)} answers soonest, {_words(busiest).lower()} serves most tokens."


def _words(arrangement: Arrangement) -> str:
    replicas = "One replica" if arrangement.replicas == 1 else f"{arrangement.replicas} replicas"
    return f"{replicas} of {arrangement.tensor_parallel_size}"
