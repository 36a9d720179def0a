"""Fewest GPUs that hold a training and end it in time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from memreport.advise.rerun import Changes, Job, count_is_open, keeps_rules, newly_lacking, rerun
from memreport.advise.search.combinations import as_variant
from memreport.advise.search.space import axes_of, stage_settings
from memreport.advise.sizes.largest import between, doubled, which_fit

MORE_TIMES = 4
"""How many times as many GPUs are looked through for a number that shares out a batch."""
MOST_GPUS = 2**17
"""More than any job has trained on: the largest published clusters hold 100,000."""
GROUPS = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
"""What a number of GPUs is a multiple of."""
SHARDED: tuple[Mapping[str, Any], ...] = (
    {"zero_stage": 2},
    {"zero_stage": 3},
    {"zero_stage": 3, "gradient_checkpointing": "full"},
    {"zero_stage": 3, "gradient_checkpointing": "full", "optimizer": "adamw-8bit"},
    {"zero_stage": 3, "gradient_checkpointing": "full", "tensor_parallel_size": 8},
)
"""What holds a training on the fewest GPUs without moving it to the host: everything cut over them.

Where the time decides and not the memory, fewest are those that compute nothing twice and exchange least.
"""
STAGED = {"zero_stage": 1, "gradient_checkpointing": "full", "tensor_parallel_size": 8, "pipeline_parallel_size": 8}
"""What a large training ends in time with: stages, which exchange less than what is cut."""


def on_fewest_gpus(job: Job, arrangements: Iterable[Changes]) -> list[Changes]:
    """Ways to train on the same GPU, on as few as hold them and end in time, where their number is asked for."""
    if job.workload != "training" or not count_is_open(job):
        return []
    same = [settings for settings in arrangements if "hardware.accelerator" not in settings]
    return _fewest(job, [*same, *_cut(job, job.case.settings, (*SHARDED, STAGED))])


def on_many_gpus(job: Job) -> dict[str, Changes]:
    """A training that nothing searched holds: cut over as many GPUs as it takes, of each kind considered."""
    if job.workload != "training":
        return {}
    cards = axes_of(job, {"accelerator": ()})[0].settings
    found = _fewest(job, [settings for card in cards for settings in _cut(job, card, SHARDED)])
    return {f"far {number}": settings for number, settings in enumerate(found, 1)}


def _cut(job: Job, card: Mapping[str, Any], ways: Iterable[Mapping[str, Any]]) -> list[Changes]:
    """All of the job cut over GPUs of one kind, one group of them: what a way leaves out is not cut by it."""
    cut = [made for settings in ways for made in _reduced(job, settings)]
    whole: list[dict[str, Any]] = [{**dict.fromkeys(GROUPS, 1), **settings} for settings in cut]
    experts = int(job.case.settings["expert_parallel_size"])
    groups = [{**settings, "count": math.prod(settings[name] for name in GROUPS) * experts} for settings in whole]
    return [{**job.changes, **as_variant(job, {**card, **group})} for group in groups]


def _reduced(job: Job, way: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A way to cut a job, as it is and with gradients that are cut after each micro-batch, where that is open."""
    at_once = {**way, **stage_settings(job, way["zero_stage"])}
    return [way, at_once] if at_once.get("sync_each_batch") else [way]


def _fewest(job: Job, arrangements: Iterable[Changes]) -> list[Changes]:
    """Each arrangement of a training on as few GPUs as hold it, where any number does and the framework has it."""
    found = (_on_fewest(job, arrangement) for arrangement in arrangements if keeps_rules(job, arrangement))
    return [made for made in found if made and _can_be_trained(job, made)]


def _can_be_trained(job: Job, made: Changes) -> bool:
    """Whether the framework has what an arrangement asks for beyond the job itself."""
    return not newly_lacking(job.computed, rerun(job.loaded, job.catalogue, {"one": made}))


def _on_fewest(job: Job, arrangement: Changes) -> Changes:
    resolved = rerun(job.loaded, job.catalogue, {"one": arrangement}).resolved
    settings, low, high = resolved.cases[0].settings, 0, 0
    node = int(settings["per_node"] or resolved.inputs["host_accelerators"][0])
    steps = doubled(MOST_GPUS)
    while steps:
        tried = {step: _on_groups(job, settings, step, node) for step in steps}
        variants = [{**arrangement, **tried[step]} for step in steps]
        fitting = dict(zip(steps, which_fit(job, variants), strict=True))
        high = min((number for number, fits in fitting.items() if fits), default=high)
        low = max((number for number, fits in fitting.items() if not fits and number < high), default=low)
        steps = between(low, high)
    return {**arrangement, **_on_groups(job, settings, _sharing_out(job, settings, high, node), node)} if high else {}


def _sharing_out(job: Job, settings: Mapping[str, Any], groups: int, node: int) -> int:
    """So many groups or a few more, among which the global batch of a job on a stated number of GPUs is shared out."""
    if count_is_open(job):
        return groups
    batch, each = int(job.value("global_batch_size")), math.prod(int(settings[name]) for name in GROUPS)
    for more in range(groups, MORE_TIMES * groups + 1):
        replicas = _on_groups(job, settings, more, node)["hardware.count"] // each
        if batch % (replicas * int(settings["micro_batch_size"])) == 0:
            return more
    return groups


def _on_groups(job: Job, settings: Mapping[str, Any], groups: int, node: int) -> Changes:
    """At least so many groups, beyond one node whole nodes; no more accumulation than the global batch needs.

    Stages that share a batch are filled by all of its micro-batches.
    """
    each = math.prod(int(settings[name]) for name in GROUPS)
    whole = math.lcm(each, node) if groups * each > node else each
    count = math.ceil(groups * each / whole) * whole
    steps = math.ceil(job.value("global_batch_size") / (settings["micro_batch_size"] * count / each))
    stated = int(settings["gradient_accumulation_steps"])
    accumulated = steps if settings["pipeline_parallel_size"] > 1 else min(steps, stated)
    return {"hardware.count": count, "training.gradient_accumulation_steps": accumulated}
