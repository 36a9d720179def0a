"""As many sequences at once as a service has room for: over its GPUs, in fewer bits, with layers on the host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memreport.advise.asks import asks_of
from memreport.advise.rerun import Changes, Job, keeps_rules
from memreport.advise.search.space import FEWER_BITS, OF_THIS_MACHINE, fewer_bits, load_is_open
from memreport.advise.sizes.largest import (
    AT_ONCE_FIELDS,
    AT_ONCE_KIND,
    MOST,
    Limited,
    is_a_batch,
    largest,
    most_that_fit,
)
from memreport.catalogue.unstated.engine import LOCALLY
from memreport.errors import InputError

OF_A_BATCH = 256
"""Sequences of a batch that an engine works on at once.  Source: vLLM, `max_num_seqs` of GPUs below 70 GB."""
NEARLY_MOST = 0.7
"""Of the users that have room in one layout, those in another without stages that are as good an answer."""
AT_ONCE_FEWER = ("fewer at once", "fewer at once of fewer bits")
"""Names of what is found where fewer sequences run at once than an engine takes by default."""
ON_GPUS = Limited({"serving": "serving.n_gpu_layers"}, "layer", most="num_hidden_layers")
"""The layers that stay on the GPUs, where the host's memory takes the rest."""
AT_HOME = {"serving.engine": LOCALLY, "serving.max_num_seqs": 1}
"""How desktop programs run a model, beside its weights in fewer bits."""


def with_most_users(job: Job) -> Changes:
    """The job with as many sequences at once as have room, of a batch as many as engines take."""
    found = largest(job, AT_ONCE_KIND)
    most = min(found.value, OF_A_BATCH if is_a_batch(job) else MOST)
    return {**job.changes, found.field: most} if most else {}


def with_fewer_at_once(job: Job) -> dict[str, Changes]:
    """A service of which nobody says how many it serves, with as many at once as have room, spread over its GPUs.

    What an engine takes at once by default is no demand: it starts with fewer, and the rest waits.  Where the margin
    leaves room for none, one alone, which may fit without it, and weights of fewer bits.
    """
    if job.workload != "serving" or not load_is_open(job):
        return {}
    spread = _spread(job)
    if kept := _serving_most(spread, enough=True):
        return {AT_ONCE_FEWER[0]: kept}
    first = next(_in_fewer_bits(job, spread), None)
    return {AT_ONCE_FEWER[0]: _one_alone(spread), **({AT_ONCE_FEWER[1]: first} if first else {})}


def with_fewer_bits(job: Job) -> dict[str, Changes]:
    """The same in fewer bits: the first format in which all that an engine takes have room, else that with most."""
    field, enough = AT_ONCE_FIELDS["serving"], job.case.settings["max_num_seqs"]
    made = _in_fewer_bits(job, _spread(job))
    most = max(made, key=lambda changes: min(changes[field], enough), default=None)
    return {AT_ONCE_FEWER[1]: most} if most else {}


def _in_fewer_bits(job: Job, spread: Sequence[Job]) -> Iterator[Changes]:
    """Most sequences at once in each of the smaller formats that has room for one."""
    return filter(None, (_serving_most([each.changed(bits) for each in spread], enough=True) for bits in _bits(job)))


def with_layers_on_host(job: Job) -> dict[str, Changes]:
    """A service that a GPU of one's own does not hold: what desktop programs run, with layers in the host's memory."""
    if OF_THIS_MACHINE.isdisjoint(asks_of(job.loaded.scenario)) or not is_of_ones_own(job):
        return {}
    if any(job.case.origins[name].kind in ("scenario", "variant") for name in ("engine", "weight_dtype")):
        return {}
    fewest = (job.case.settings["weight_dtype"], *fewer_bits(job, LOCALLY))[-1]
    try:
        local = job.changed({**AT_HOME, "serving.weight_dtype": fewest})
    except InputError:  # a model of which there is no such file, or GPUs that the engine does not know
        return {}
    layers = most_that_fit(local, ON_GPUS, int(local.value("num_hidden_layers")))
    return {"layers on the host": {**local.changes, ON_GPUS.fields[job.workload]: layers}} if layers else {}


def is_of_ones_own(job: Job) -> bool:
    """Whether a service runs on GPUs of a workstation."""
    table, gpu = job.catalogue.tables["accelerators"], str(job.case.settings["accelerator"])
    return job.workload == "serving" and table.text("host_alone", gpu) == "workstation"


def with_most_users_spread(job: Job) -> Changes:
    """The layout over all GPUs in which most sequences have room, with as many."""
    return _serving_most(_spread(job))


def _spread(job: Job) -> list[Job]:
    """The job, then as one replica over all of its GPUs."""
    return [job, *(job.changed(changes) for changes in _layouts(job) if keeps_rules(job, job.merged(changes)))]


def _one_alone(jobs: Sequence[Job]) -> Changes:
    """One sequence in the first layout that may hold it."""
    alone = [job.changed({AT_ONCE_FIELDS[job.workload]: 1}) for job in jobs]
    return next((job for job in alone if job.value("peak_bytes") <= job.value("usable_bytes")), alone[0]).changes


def _serving_most(jobs: Iterable[Job], *, enough: bool = False) -> Changes:
    """Of several layouts that with room for most, or the first with room for all that an engine takes; else nothing."""
    limits = [(largest(each, AT_ONCE_KIND), each) for each in jobs]
    most, found = max(limits, key=lambda pair: min(pair[0].value, pair[0].given) if enough else pair[0].value)
    if not enough:  # stages hold a few more and give each user less
        alike = [pair for pair in limits if pair[0].value >= NEARLY_MOST * most.value]
        most, found = min(alike, key=lambda pair: (pair[1].value("pipeline_parallel_size"), -pair[0].value))
    return {**found.changes, most.field: most.value} if most.value else {}


def _bits(job: Job) -> Iterator[Changes]:
    """Smaller formats of weights and cache, of what the scenario leaves open."""
    engine, origins = job.case.settings["engine"], job.case.origins
    free = {name for name in ("weight_dtype", "kv_cache_dtype") if origins[name].kind not in ("scenario", "variant")}
    if "kv_cache_dtype" in free and engine not in FEWER_BITS:
        yield {"serving.kv_cache_dtype": "fp8"}
    yield from ({"serving.weight_dtype": name} for name in fewer_bits(job) if "weight_dtype" in free)


def _layouts(job: Job) -> Iterator[Changes]:
    """One replica over all GPUs, by tensor parallelism as far as it goes, where no layout is stated."""
    if any(job.case.origins[name].kind != "default" for name in ("tensor_parallel_size", "pipeline_parallel_size")):
        return
    count = int(job.case.settings["count"])
    for stages in (1, 2, 4):
        if count > 1 and count % stages == 0:
            yield {"serving.tensor_parallel_size": count // stages, "serving.pipeline_parallel_size": stages}
