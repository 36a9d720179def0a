"""Which of all known GPUs hold a job in the number of GPUs that it states, its other settings as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from memreport.advise.asks import asks_for_a_gpu
from memreport.advise.rerun import Changes, Job, gpu_is_open, rerun_each
from memreport.advise.search.combinations import as_variant
from memreport.advise.search.prices import price_of
from memreport.advise.search.space import gpu_settings
from memreport.advise.verdict import in_limits, keeps_margin
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.catalogue.unstated.gpus import is_of_brand
from memreport.compute import Computed
from memreport.errors import InputError
from memreport.frozen import frozen


@frozen
class GpuTried:
    """A GPU in place of the job's, with its usable memory and the peak in bytes."""

    gpu: str
    holds: bool
    """Whether the job fits with the planned headroom, and ends in time."""
    usable_bytes: float
    peak_bytes: float


ALIKE_BYTES = 4 * 2**30
"""GPUs whose usable memory differs by less than it are of one size: 24 GB with and without ECC."""
UNIFIED = "unified"
"""The host of what shares one memory with its processor."""
CHECKPOINTING = "gradient_checkpointing"
SAVINGS: Mapping[str, tuple[str, Changes]] = {
    "training": (CHECKPOINTING, {f"training.{CHECKPOINTING}": "full"}),
    "serving": ("max_num_seqs", {"serving.max_num_seqs": 1}),
}
"""What makes a job smaller and keeps its result: the field, and what it is set to where nobody states it."""


def gpus_tried(job: Job) -> tuple[GpuTried, ...]:
    """Each known GPU in place of the job's where the question is which; nothing where it is another."""
    if not asks_for_a_gpu(job.loaded.scenario):
        return ()
    limited, loaded = _is_limited(job), job.loaded
    gpus = [gpu for gpu in _alike(job) if not limited or price_of(job, gpu).is_known]  # without a price: in no budget
    placed = [{gpu: _placed(job, gpu) if limited else _without_cost(_placed(job, gpu))} for gpu in gpus]
    if not limited:
        loaded = replace(loaded, scenario=loaded.scenario.model_copy(update={"cost": None}))
    made = rerun_each(loaded, job.catalogue, placed)
    return tuple(
        _tried(job, gpu, computed)
        for gpu, computed in zip(gpus, made, strict=True)
        if not isinstance(computed, InputError)
    )


def _is_limited(job: Job) -> bool:
    """Whether each GPU has to keep within a budget."""
    return job.search.most_cost_usd is not None and job.loaded.scenario.cost is not None


def on_each_gpu(job: Job) -> list[Changes]:
    """The job on each GPU that can be billed, or on each where nothing is, where the question is which or leaves it."""
    open_ = gpu_is_open(job) and job.loaded.scenario.demand is None
    if not (open_ or asks_for_a_gpu(job.loaded.scenario)):
        return []
    priced = job.loaded.scenario.cost is not None
    gpus = [gpu for gpu in _alike(job) if not priced or price_of(job, gpu).is_known]
    return [{**_placed(job, gpu), **saving} for saving in ({}, *_savings(job)) for gpu in gpus]


def on_other_gpus(job: Job) -> dict[str, Changes]:
    """The job on each GPU that can be billed, or on each where nothing is: the nearest, alone of these, is shown."""
    priced = job.loaded.scenario.cost is not None
    gpus = [gpu for gpu in _alike(job) if not priced or price_of(job, gpu).is_known]
    return {f"on {gpu}": _placed(job, gpu) for gpu in gpus if gpu != job.case.settings["accelerator"]}


def _savings(job: Job) -> tuple[Changes, ...]:
    """What makes a job smaller and keeps its result, where it is not stated."""
    field, changes = SAVINGS[job.workload]
    return (changes,) if job.case.origins[field].kind == "default" else ()


def size_of(usable_bytes: float) -> int:
    """The size of a GPU by its usable memory: the same for those that hold about as much."""
    return math.ceil(usable_bytes / ALIKE_BYTES)


def smallest(tried: Sequence[GpuTried]) -> GpuTried | None:
    """Of those that hold the job, the one with the least memory."""
    return min((each for each in tried if each.holds), key=lambda each: each.usable_bytes, default=None)


def _alike(job: Job) -> list[str]:
    """Accelerators of the same vendor and kind: GPUs, processors, or machines that share their memory with one.

    Of the series alone that the question asks for, as `Which GeForce GPU`.
    """
    question = job.loaded.scenario.question.lower()
    table, own = job.catalogue.tables["accelerators"], job.case.settings["accelerator"]

    def kind(gpu: str) -> tuple[str, bool, bool]:
        vendor, processor = table.text("vendor", gpu), table.text("architecture", gpu) == "cpu"
        return vendor, processor, table.text("host", gpu) == UNIFIED

    alike = [str(gpu) for gpu in table.ids if kind(str(gpu)) == kind(str(own))]
    return [gpu for gpu in alike if is_of_brand(question, table.titles_by_id[gpu])]


def _placed(job: Job, gpu: str) -> Changes:
    return job.merged(as_variant(job, gpu_settings(job, gpu)))


def _without_cost(changes: Changes) -> Changes:
    return {
        name: value for name, value in changes.items() if not name.startswith("cost.") and not name.endswith(OWN_PRICES)
    }


def _tried(job: Job, gpu: str, computed: Computed) -> GpuTried:
    values = computed.values
    usable, peak = (float(np.ravel(values[name])[0]) for name in ("usable_bytes", "peak_bytes"))
    free = keeps_margin(values, job.search.safety_margin) & in_limits(values, job.search)
    return GpuTried(gpu, bool(np.ravel(free)[0]), usable, peak)
