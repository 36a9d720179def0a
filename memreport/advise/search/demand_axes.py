"""What is varied to meet a demand: GPUs, formats, widths of a replica, sequences at once, drafted tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memreport.advise.rerun import Job
from memreport.advise.search.prices import price_of
from memreport.advise.search.space import Axis, axes_of, values_of
from memreport.catalogue.scenario import Scalar

SEQUENCES = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
"""Concurrencies of a replica that are tried: the limit of running sequences is set by steps, not one by one."""
GPU, WEIGHTS = "accelerator", "weight_dtype"
AXES: Mapping[str, tuple[Scalar, ...]] = {
    "accelerator": (),
    "weight_dtype": (),
    "kv_cache_dtype": (),
    "tensor_parallel_size": (),
    "expert_parallel_size": (),
    "max_num_seqs": tuple(float(sequence) for sequence in SEQUENCES),
    "disaggregated": (False, True),
}
DRAFTED = (0.0, 2.0, 4.0)
"""Drafted tokens that are tried where a scenario states how many of them are accepted."""


def demand_axes(job: Job) -> tuple[Axis, ...]:
    """The axes of a search for what carries the demand of a job."""
    return axes_of(job, {**AXES, **_gpus(job), **_weights(job), **_drafting(job)})


def _gpus(job: Job) -> dict[str, tuple[Scalar, ...]]:
    """Every GPU that can be billed, unless `search:` names some: a small load costs least on a small one.

    Where nothing is billed, those of the scenario's variants beside the usual.
    """
    if job.search.accelerator is not None:
        return {}
    others: Iterable[Scalar] = (*(str(each.settings["accelerator"]) for each in job.own_variants), *values_of(job, GPU))
    if job.loaded.scenario.cost is not None:
        known = (str(gpu) for gpu in job.catalogue.tables["accelerators"].ids)
        others = (gpu for gpu in known if price_of(job, gpu).is_known)
    return {"accelerator": tuple(dict.fromkeys([job.case.settings["accelerator"], *others]))}


def _weights(job: Job) -> dict[str, tuple[Scalar, ...]]:
    """The usual formats of weights, and those of the scenario's variants: a GPU without BF16 takes FP16."""
    own = {str(each.settings[WEIGHTS]) for each in job.own_variants} - {*(usual := values_of(job, WEIGHTS))}
    return {WEIGHTS: (*usual, *sorted(own))} if own else {}


def _drafting(job: Job) -> dict[str, tuple[Scalar, ...]]:
    """Speculative decoding as one more axis, where the scenario says how many drafted tokens are accepted."""
    stated = {name for name, origin in job.case.origins.items() if origin.kind != "default"}
    if not stated & {"acceptance_rate", "speculative_tokens"}:
        return {}
    return {"speculative_tokens": tuple(sorted({*DRAFTED, job.value("speculative_tokens")}))}
