"""As many sequences at once as a service has room for: over its GPUs, in fewer bits, with layers on the host."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from memreport.advise.asks import asks_for_offloading, asks_of
from memreport.advise.moves import fits_with_margin
from memreport.advise.rerun import FP8, Changes, Job, keeps_rules
from memreport.advise.search.space import FEWER_BITS, OF_THIS_MACHINE, fewer_bits, load_is_open, sequences_at_once
from memreport.advise.sizes.largest import (
    AT_ONCE_FIELDS,
    AT_ONCE_KIND,
    MOST,
    Limit,
    Limited,
    is_a_batch,
    largest,
    most_that_fit,
    which_fit,
)
from memreport.catalogue.unstated.engine import LOCALLY
from memreport.errors import InputError

OF_A_BATCH = 256
"""Sequences of a batch that an engine works on at once.  Source: vLLM, `max_num_seqs` of GPUs below 70 GB."""
NEARLY_MOST = 0.8
"""Of the users that have room in one layout, those in another that are as good an answer."""
UNSTAGED = 0.3
"""Of the users that have room in stages, those without that are the better answer."""
AT_ONCE_FEWER = ("fewer at once", "fewer at once of fewer bits")
"""Names of what is found where fewer sequences run at once than an engine takes by default."""
ON_GPUS = Limited({"serving": "serving.n_gpu_layers"}, "layer", most="num_hidden_layers")
"""The layers that stay on the GPUs, where the host's memory takes the rest."""
EXPERTS_ON_HOST, TRIED = "serving.n_cpu_moe", 16
"""The layers whose routed experts are in the host's memory, and in how many steps these are tried."""
HOST_MEMORY, PLENTY_BYTES = "host_memory_bytes", 2.0**42
CACHE = "serving.kv_cache_dtype"
AT_HOME = {"serving.engine": LOCALLY, "serving.max_num_seqs": 1}
"""How desktop programs run a model, beside its weights in fewer bits."""


def with_most_users(job: Job) -> Changes:
    """The job with as many sequences at once as have room, of a batch as many as engines take."""
    return _most(job, OF_A_BATCH if is_a_batch(job) else MOST)


def with_most_of_a_batch(job: Job) -> Changes:
    """The job with as many sequences at once as have room and engines take."""
    return _most(job, OF_A_BATCH)


def _most(job: Job, most: int) -> Changes:
    found = largest(job, AT_ONCE_KIND)
    return {**job.changes, found.field: min(found.value, most)} if found.value else {}


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
    fewest = [each.changed(bits) for bits in [*_bits(job)][-1:] for each in spread]
    first = next(_in_fewer_bits(job, spread), None) or (_one_alone(fewest) if fewest else None)
    return {AT_ONCE_FEWER[0]: _one_alone(spread), **({AT_ONCE_FEWER[1]: first} if first else {})}


def with_load_spread(job: Job) -> dict[str, Changes]:
    """A service of which somebody says how many it serves: the fastest layout for them, else fewer bits."""
    if job.workload != "serving" or load_is_open(job) or job.loaded.scenario.demand:
        return {}
    field, load = AT_ONCE_FIELDS["serving"], sequences_at_once(job)
    shared = [each.changed({field: math.ceil(load / each.value("sharding_size"))}) for each in _spread(job)]
    ways = (shared, *([each.changed(bits) for each in shared] for bits in _bits(job)))
    held = next(filter(None, ([each for each in way if fits_with_margin(each)] for way in ways)), [])
    return {"spread": max(held, key=lambda each: each.value("tokens_per_second")).changes} if held else {}


def with_more_users(job: Job, made: Changes) -> dict[str, Changes]:
    """More users than were found, in fewer bits of what nobody states: of the cache, of weights too where few are held.

    The first format in which all that an engine takes by default have room, else that with most.
    """
    field, enough = AT_ONCE_FIELDS["serving"], job.case.settings["max_num_seqs"]
    if not load_is_open(job):
        return {}
    few, spread = made[field] < enough, _spread(job)
    bits = [each for each in _bits(job) if few or CACHE in each]
    found = [changes for each in bits if (changes := _serving_most([laid_out.changed(each) for laid_out in spread]))]
    most = max(found, key=lambda changes: min(changes[field], enough), default=None)
    return {AT_ONCE_FEWER[1]: most} if most else {}


def _in_fewer_bits(job: Job, spread: Sequence[Job]) -> Iterator[Changes]:
    """Most sequences at once in each of the smaller formats that has room for one."""
    return filter(None, (_serving_most([each.changed(bits) for each in spread], enough=True) for bits in _bits(job)))


def with_layers_on_host(job: Job) -> dict[str, Changes]:
    """A service that a GPU of one's own does not hold: what desktop programs run, with layers in the host's memory.

    Of a mixture, where it is faster so, the routed experts alone of some layers, of which a token reads few.
    """
    if not may_use_the_host(job):
        return {}
    own, origins = job.case.settings, job.case.origins
    stated = {name for name in ("engine", "weight_dtype") if origins[name].kind in ("scenario", "variant")}
    if stated and own["engine"] != LOCALLY:
        return {}
    fewest = own["weight_dtype"] if "weight_dtype" in stated else _fewest_bits(job)
    try:
        local = job.changed({**AT_HOME, **_plenty(job), "serving.weight_dtype": fewest})
    except InputError:  # a model of which there is no such file, or GPUs that the engine does not know
        return {}
    ways = {**_layers_on_host(local), **(_experts_on_host(local) if job.value("num_local_experts") > 1 else {})}
    fastest = max(ways, key=lambda name: local.changed(ways[name]).value("tokens_per_second"), default="")
    return {fastest: ways[fastest]} if fastest else {}


def _fewest_bits(job: Job) -> str:
    return (str(job.case.settings["weight_dtype"]), *fewer_bits(job, LOCALLY))[-1]


def _plenty(job: Job) -> Changes:
    """More of the host's memory than anything takes, where a question asks how much of it is needed."""
    asked = asks_for_offloading(job.loaded.scenario) and HOST_MEMORY not in job.case.overrides
    return {f"overrides.{HOST_MEMORY}": PLENTY_BYTES} if asked else {}


def _layers_on_host(local: Job) -> dict[str, Changes]:
    layers = most_that_fit(local, ON_GPUS, int(local.value("num_hidden_layers")))
    return {"layers on the host": {**local.changes, ON_GPUS.fields["serving"]: layers}} if layers else {}


def _experts_on_host(local: Job) -> dict[str, Changes]:
    """The experts of as few layers on the host as leaves room for the rest."""
    layers = int(local.value("num_hidden_layers"))
    tried = [{**local.changes, EXPERTS_ON_HOST: layers - layers * left // TRIED} for left in range(TRIED - 1, -1, -1)]
    fitting = (changes for changes, fits in zip(tried, which_fit(local, tried), strict=True) if fits)
    return {"experts on the host": first} if (first := next(fitting, None)) else {}


def may_use_the_host(job: Job) -> bool:
    """Whether the host's memory may hold what a GPU of one's own does not: it is asked for, or what these GPUs do."""
    scenario = job.loaded.scenario
    asked = asks_for_offloading(scenario) or not OF_THIS_MACHINE.isdisjoint(asks_of(scenario))
    return asked and is_of_ones_own(job)


def is_of_ones_own(job: Job) -> bool:
    """Whether a service runs on GPUs of a workstation."""
    table, gpu = job.catalogue.tables["accelerators"], str(job.case.settings["accelerator"])
    return job.workload == "serving" and table.text("host_alone", gpu) == "workstation"


def with_most_users_spread(job: Job, found: Sequence[Job]) -> Changes:
    """The layout over all GPUs in which most sequences have room, with as many: of the usual ones and those found."""
    return _serving_most([*found, *_spread(job)])


def _spread(job: Job) -> list[Job]:
    """The job, then as one replica over all of its GPUs."""
    return [job, *(job.changed(changes) for changes in _layouts(job) if keeps_rules(job, job.merged(changes)))]


def _one_alone(jobs: Sequence[Job]) -> Changes:
    """One sequence in the first layout that may hold it."""
    alone = [job.changed({AT_ONCE_FIELDS[job.workload]: 1}) for job in jobs]
    return next((job for job in alone if job.value("peak_bytes") <= job.value("usable_bytes")), alone[0]).changes


def _serving_most(jobs: Sequence[Job], *, enough: bool = False) -> Changes:
    """The layout with room for most, or the first with room for all that an engine takes; else nothing.

    Of several that hold about as many on all GPUs, the one that makes most tokens a second; stages, which
    make each user wait for all of them, only where nothing else holds nearly as many.
    """
    limits = [(largest(each, AT_ONCE_KIND), each) for each in jobs]
    if enough:
        return _with_as_many(*max(limits, key=lambda pair: min(pair[0].value, pair[0].given)))
    unstaged = [pair for pair in limits if pair[1].value("pipeline_parallel_size") == 1]
    most, most_unstaged = (max(map(_on_all_replicas, each), default=0.0) for each in (limits, unstaged))
    pool, enough_of = (unstaged, most_unstaged) if most_unstaged >= UNSTAGED * most else (limits, most)
    alike = [pair for pair in pool if pair[0].value and _on_all_replicas(pair) >= NEARLY_MOST * enough_of]
    return _with_as_many(*max(alike, key=_speed)) if alike else {}


def _with_as_many(limit: Limit, job: Job) -> Changes:
    return {**job.changes, limit.field: limit.value} if limit.value else {}


def _speed(limit: tuple[Limit, Job]) -> float:
    """Tokens a second of a job at its limit."""
    most, job = limit
    return job.changed({most.field: most.value}).value("tokens_per_second")


def _on_all_replicas(limit: tuple[Limit, Job]) -> float:
    """Sequences at once on all GPUs of a job."""
    return limit[0].value * limit[1].value("sharding_size")


def _bits(job: Job) -> Iterator[Changes]:
    """Smaller formats of weights and cache, of what the scenario leaves open."""
    engine, origins = job.case.settings["engine"], job.case.origins
    free = {name for name in ("weight_dtype", "kv_cache_dtype") if origins[name].kind not in ("scenario", "variant")}
    if "kv_cache_dtype" in free and engine not in FEWER_BITS and job.has_units(FP8):
        yield {CACHE: "fp8"}
    yield from ({"serving.weight_dtype": name} for name in fewer_bits(job) if "weight_dtype" in free)


def _layouts(job: Job) -> Iterator[Changes]:
    """One replica over all GPUs, by tensor parallelism as far as it goes, then replicas; none where one is stated."""
    if any(job.case.origins[name].kind != "default" for name in ("tensor_parallel_size", "pipeline_parallel_size")):
        return
    count = int(job.case.settings["count"])
    shared = [(count // stages, stages) for stages in sorted({1, 2, 4, count}) if count > 1 and count % stages == 0]
    replicas = [(each, 1) for each in range(count // 2, 1, -1) if count % each == 0]
    for tensor, stages in (*shared, *replicas):
        yield {"serving.tensor_parallel_size": tensor, "serving.pipeline_parallel_size": stages}
