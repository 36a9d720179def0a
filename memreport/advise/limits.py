"""The largest batch and the fewest GPUs with which a job fits with the planned headroom, found by the engine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memreport.advise.asks import counts_gpus
from memreport.advise.rerun import Changes, Job, rerun
from memreport.advise.search.combinations import as_variant
from memreport.advise.search.space import axes_of
from memreport.advise.verdict import in_time, keeps_margin
from memreport.errors import InputError

MOST = 2**16
"""The largest value that is tried."""
AT_ONCE = 32
MOST_GPUS = 2**14
FIELDS = {"training": "training.micro_batch_size", "serving": "serving.max_num_seqs"}
GROUPS = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
"""What a number of GPUs is a multiple of."""

SHARDED: tuple[Mapping[str, Any], ...] = (
    {"zero_stage": 3, "gradient_checkpointing": "full"},
    {"zero_stage": 3, "gradient_checkpointing": "full", "optimizer": "adamw-8bit"},
)
"""What holds a training on the fewest GPUs without moving it to the host: everything cut over them."""


@dataclass(frozen=True)
class Limit:
    """The largest number that fits, the one that the job states, and what is counted."""

    field: str
    noun: str
    value: float
    given: float


def largest_batch(job: Job) -> Limit:
    """The largest micro-batch or number of sequences at once; 0 where not even one fits."""
    field = FIELDS[job.workload]
    low, high = 0, MOST
    steps = _doubled(MOST)
    while steps:
        fitting = _fitting(job, [{**job.changes, field: step} for step in steps])
        low = max((step for step, fits in zip(steps, fitting, strict=True) if fits), default=low)
        high = min((step for step, fits in zip(steps, fitting, strict=True) if not fits and step > low), default=high)
        steps = _between(low, high)
    return Limit(
        field, "sequence" if low == 1 else "sequences", low, float(job.case.settings[field.rpartition(".")[2]])
    )


def on_fewest_gpus(job: Job, arrangements: Iterable[Changes]) -> list[Changes]:
    """Ways to train on the same GPU, on as few as hold them and end in time, where their number is asked for."""
    if job.workload != "training" or not counts_gpus(job.loaded.scenario):
        return []
    same = [settings for settings in arrangements if "hardware.accelerator" not in settings]
    return _fewest(job, [*same, *_sharded(job, job.case.settings)])


def on_many_gpus(job: Job) -> dict[str, Changes]:
    """A training that nothing searched holds: cut over as many GPUs as it takes, of each kind considered."""
    if job.workload != "training":
        return {}
    cards = axes_of(job, {"accelerator": ()})[0].settings
    found = _fewest(job, [settings for card in cards for settings in _sharded(job, card)])
    return {f"far {number}": settings for number, settings in enumerate(found, 1)}


def _sharded(job: Job, card: Mapping[str, Any]) -> list[Changes]:
    """All of the job cut over GPUs of one kind."""
    return [{**job.changes, **as_variant(job, {**card, **settings})} for settings in SHARDED]


def _fewest(job: Job, arrangements: Iterable[Changes]) -> list[Changes]:
    """Each arrangement of a training on as few GPUs as hold it; those that no number holds are left out."""
    return [found for arrangement in arrangements if (found := _on_fewest(job, arrangement))]


def _on_fewest(job: Job, arrangement: Changes) -> Changes:
    resolved = rerun(job.loaded, job.catalogue, {"one": arrangement}).resolved
    settings, low, high = resolved.cases[0].settings, 0, 0
    node = int(settings["per_node"] or resolved.inputs["host_accelerators"][0])
    steps = _doubled(MOST_GPUS)
    while steps:
        tried = {step: _on_groups(job, settings, step, node) for step in steps}
        variants = [{**arrangement, **tried[step]} for step in steps]
        fitting = dict(zip(steps, _fitting(job, variants), strict=True))
        high = min((number for number, fits in fitting.items() if fits), default=high)
        low = max((number for number, fits in fitting.items() if not fits and number < high), default=low)
        steps = _between(low, high)
    return {**arrangement, **_on_groups(job, settings, high, node)} if high else {}


def _on_groups(job: Job, settings: Mapping[str, Any], groups: int, node: int) -> Changes:
    """At least so many groups, beyond one node whole nodes; no more accumulation than the global batch needs."""
    each = math.prod(int(settings[name]) for name in GROUPS)
    whole = math.lcm(each, node) if groups * each > node else each
    count = math.ceil(groups * each / whole) * whole
    steps = math.ceil(job.value("global_batch_size") / (settings["micro_batch_size"] * count / each))
    accumulated = min(steps, int(settings["gradient_accumulation_steps"]))
    return {"hardware.count": count, "training.gradient_accumulation_steps": accumulated}


def _doubled(most: int) -> list[int]:
    return [2**power for power in range(most.bit_length())]


def _between(low: int, high: int) -> list[int]:
    """Values between two, at most so many at once, until none is left."""
    width = -(-(high - low) // AT_ONCE)
    return [] if high - low <= 1 else list(range(low + width, high, width))


def _fitting(job: Job, variants: Sequence[Changes]) -> list[bool]:
    """Which variants fit, and end in time; one that breaks a rule between fields does not."""
    try:
        return _computed(job, variants)
    except InputError:
        half = len(variants) // 2
        return [False] if not half else _fitting(job, variants[:half]) + _fitting(job, variants[half:])


def _computed(job: Job, variants: Sequence[Changes]) -> list[bool]:
    found = rerun(job.loaded, job.catalogue, {str(index): variant for index, variant in enumerate(variants)}).values
    kept = keeps_margin(found, job.search.safety_margin) & in_time(found, job.search.run_hours)
    return [bool(each) for each in kept]
