"""Largest batch, longest context and fewest GPUs with which a job fits with the planned headroom, as computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from memreport.advise.asks import asks_of, never_lacks_requests
from memreport.advise.gpus import SAVINGS
from memreport.advise.rerun import Changes, Job, count_is_open, job_of, keeps_rules, newly_lacking, rerun
from memreport.advise.search.combinations import as_variant
from memreport.advise.search.space import FEWER_BITS, OF_THIS_MACHINE, axes_of, fewer_bits, load_is_open, stage_settings
from memreport.advise.verdict import in_limits, keeps_margin
from memreport.catalogue.unstated.engine import LOCALLY
from memreport.errors import InputError
from memreport.frozen import frozen

MOST = 2**16
"""The largest value that is tried."""
AT_ONCE = 32
MORE_TIMES = 4
"""How many times as many GPUs are looked through for a number that shares out a batch."""
OF_A_BATCH = 256
"""Sequences of a batch that an engine works on at once.  Source: vLLM, `max_num_seqs` of GPUs below 70 GB."""
MOST_GPUS = 2**17
"""More than any job has trained on: the largest published clusters hold 100,000."""
TOKENS = 128
"""Lengths that are tried are multiples of it, which context parallelism can cut."""
READ = "max_position_embeddings"
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


@frozen
class Limited:
    """A number that may be asked for at its largest: its field by workload, what is counted, in which steps."""

    fields: Mapping[str, str]
    noun: str
    each: int = 1
    most: str = ""
    """The input that it does not exceed."""
    raised: Mapping[str, str] = field(default_factory=dict)
    """By workload, the field that is at least as large."""


AT_ONCE_KIND = "how_large_a_batch"
AT_ONCE_FIELDS = {"training": "training.micro_batch_size", "serving": "serving.max_num_seqs"}
NEARLY_MOST = 0.7
"""Of the users that have room in one layout, those in another without stages that are as good an answer."""
AT_ONCE_FEWER = ("fewer at once", "fewer at once of fewer bits")
"""Names of what is found where fewer sequences run at once than an engine takes by default."""
LIMITED: Mapping[str, Limited] = {
    AT_ONCE_KIND: Limited(AT_ONCE_FIELDS, "sequence"),
    "how_long_a_context": Limited(
        {"training": "training.sequence_length", "serving": "serving.context_length"},
        "token",
        TOKENS,
        READ,
        {"serving": "serving.max_model_len"},
    ),
}
"""What a question asks for at its largest."""
ON_GPUS = Limited({"serving": "serving.n_gpu_layers"}, "layer", most="num_hidden_layers")
"""The layers that stay on the GPUs, where the host's memory takes the rest."""
AT_HOME = {"serving.engine": LOCALLY, "serving.max_num_seqs": 1}
"""How desktop programs run a model, beside its weights in fewer bits."""


@frozen
class Limit:
    """The largest number that fits, 0 where none does, the one that the job states, and what is counted."""

    field: str
    noun: str
    value: float
    given: float
    all_that_is_read: bool = False
    """Whether the model reads no more."""
    stated: bool = True
    """Whether the number that the job states is its own, and no default."""
    of_chosen: bool = False
    """Whether it takes the settings of the option that is recommended."""
    checkpointed: float = 0
    """The same with full checkpointing, where the job has none and nobody says so."""


@frozen
class Limits:
    """The largest numbers: `asked` by kind of question; `users` by variant, where they are asked for within a time."""

    asked: Mapping[str, Limit]
    users: Mapping[str, Limit]


def limits_of(job: Job, chosen: Callable[[], Job]) -> Limits:
    """The largest numbers as submitted; where none fits, with the settings recommended."""
    kinds = [kind for kind in asks_of(job.loaded.scenario) if kind in LIMITED]
    found = {kind: replace(largest(job, kind), checkpointed=_checkpointed(job, kind)) for kind in kinds}
    asked = {kind: limit if limit.value else _of_chosen(chosen(), kind, limit) for kind, limit in found.items()}
    variants = list(job.loaded.scenario.variants) or [job.variant]
    jobs = (job_of(job.loaded, job.catalogue, variant) for variant in variants if asks_for_users_in_time(job))
    return Limits(asked, {each.variant: largest(each, AT_ONCE_KIND) for each in jobs})


def _checkpointed(job: Job, kind: str) -> float:
    """The largest number with full checkpointing, where that is open; else 0."""
    name, changes = SAVINGS["training"]
    if job.workload != "training" or job.case.origins[name].kind != "default":
        return 0
    return largest(job.changed(changes), kind).value


def _of_chosen(chosen: Job, kind: str, submitted: Limit) -> Limit:
    found = largest(chosen, kind)
    more = _checkpointed(chosen, kind)
    return replace(found, given=submitted.given, of_chosen=True, checkpointed=more) if found.value else submitted


def largest(job: Job, kind: str) -> Limit:
    """The largest number of a kind with which the job fits with its margin."""
    limited = LIMITED[kind]
    field = limited.fields[job.workload]
    read = int(job.value(limited.most)) // limited.each if limited.most else 0
    value = float(_largest(job, limited, read or MOST) * limited.each)
    noun, name = f"{limited.noun}{'' if value == 1 else 's'}", field.rpartition(".")[2]
    return Limit(
        field,
        noun,
        value,
        given=float(job.case.settings[name]),
        all_that_is_read=0 < read * limited.each == value,
        stated=job.case.origins[name].kind != "default",
    )


def _largest(job: Job, limited: Limited, most: int) -> int:
    """How many times the step fits, at most so many times."""
    low, high = 0, most + 1
    steps = sorted({most, *(step for step in _doubled(most) if step < most)})
    while steps:
        fitting = _fitting(job, [_with_size(job, limited, step * limited.each) for step in steps])
        low = max((step for step, fits in zip(steps, fitting, strict=True) if fits), default=low)
        high = min((step for step, fits in zip(steps, fitting, strict=True) if not fits and step > low), default=high)
        steps = _between(low, high)
    return low


def _with_size(job: Job, limited: Limited, value: int) -> Changes:
    raised = limited.raised.get(job.workload, "")
    wider = {raised: value} if raised and value > job.value(raised.rpartition(".")[2]) else {}
    return {**job.changes, limited.fields[job.workload]: value, **wider}


def asks_for_a_size(job: Job) -> bool:
    """Whether the largest batch or the longest context is asked for, which is one of the settings submitted."""
    return not LIMITED.keys().isdisjoint(asks_of(job.loaded.scenario))


def asks_for_most_users(job: Job) -> bool:
    """Whether users are asked for whose number is not stated, or who are answered within a time."""
    scenario = job.loaded.scenario
    asked = "how_many_users" in asks_of(scenario) and scenario.demand is None and job.workload == "serving"
    of_tokens = asked and job.case.makes_tokens and not job.case.settings["audio_seconds"]
    return of_tokens and (job.case.origins["max_num_seqs"].kind == "default" or _limits_times(job))


def is_a_batch(job: Job) -> bool:
    """Whether requests never lack, and nobody says how many run at once."""
    return never_lacks_requests(job.loaded.scenario) and load_is_open(job) and job.case.makes_tokens


def asks_for_users_in_time(job: Job) -> bool:
    """Whether users are asked for who are answered within a time."""
    return asks_for_most_users(job) and _limits_times(job)


def _limits_times(job: Job) -> bool:
    return (job.search.time_to_first_token_seconds or job.search.sequence_tokens_per_second) is not None


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
    kept, *fewer = (_serving_most([each.changed(bits) for each in spread], enough=True) for bits in _bits(job))
    if kept:
        return {AT_ONCE_FEWER[0]: kept}
    other = next(filter(None, fewer), None)
    return {AT_ONCE_FEWER[0]: _one_alone(spread), **({AT_ONCE_FEWER[1]: other} if other else {})}


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
    layers = _largest(local, ON_GPUS, int(local.value("num_hidden_layers")))
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
    """The formats of weights and cache as they are, then smaller ones of what the scenario leaves open."""
    engine, origins = job.case.settings["engine"], job.case.origins
    free = {name for name in ("weight_dtype", "kv_cache_dtype") if origins[name].kind not in ("scenario", "variant")}
    yield {}
    if "kv_cache_dtype" in free and engine not in FEWER_BITS:
        yield {"serving.kv_cache_dtype": "fp8"}
    yield from ({"serving.weight_dtype": name} for name in fewer_bits(job) if "weight_dtype" in free)


def _layouts(job: Job) -> Iterator[Changes]:
    """One replica over all GPUs, by tensor parallelism as far as it goes, where no layout is stated."""
    if any(job.case.origins[name].kind != "default" for name in GROUPS[:2]):
        return
    count = int(job.case.settings["count"])
    for stages in (1, 2, 4):
        if count > 1 and count % stages == 0:
            yield {"serving.tensor_parallel_size": count // stages, "serving.pipeline_parallel_size": stages}


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
    steps = _doubled(MOST_GPUS)
    while steps:
        tried = {step: _on_groups(job, settings, step, node) for step in steps}
        variants = [{**arrangement, **tried[step]} for step in steps]
        fitting = dict(zip(steps, _fitting(job, variants), strict=True))
        high = min((number for number, fits in fitting.items() if fits), default=high)
        low = max((number for number, fits in fitting.items() if not fits and number < high), default=low)
        steps = _between(low, high)
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
    kept = keeps_margin(found, job.search.safety_margin) & in_limits(found, job.search)
    return [bool(each) for each in kept]
