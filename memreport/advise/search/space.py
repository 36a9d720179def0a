"""The combinations that a search considers: one axis a field, with the inputs that each of its values supplies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from memreport.advise.asks import asks_for_offloading, asks_of
from memreport.advise.rerun import FP8, Job, gpu_is_open, has_units
from memreport.advise.search.counts import counts_of, gpus_in_time
from memreport.advise.search.hosts import host_of
from memreport.advise.search.prices import GpuPrice, price_of
from memreport.advise.search.rules import FIRST_BASE, HAS_FP8, OWN_CHOICES, OWN_SIZES
from memreport.advise.verdict import DOES_NOT_FIT
from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.fields.job import MACHINE
from memreport.catalogue.fields.search import AXES
from memreport.catalogue.load import Catalogue
from memreport.catalogue.names import of_accelerator
from memreport.catalogue.records import Numbers
from memreport.catalogue.scenario import Scalar, dictionary
from memreport.catalogue.tables.prices import INSTANCE_MEMORY, OWN_PRICES
from memreport.catalogue.unstated.engine import LOCALLY
from memreport.catalogue.unstated.gpus import UNIFIED, is_of_brand
from memreport.errors import Fault, InputError
from memreport.frozen import frozen
from memreport.resolve.columns import columns_of
from memreport.resolve.search_names import unknown_search_names

MOST_COMBINATIONS = 100_000_000
BASE_FORMAT = "base_weight_dtype"
MOST_PRICED = "most_priced_accelerators"
"""Above this number of GPUs a price does not hold."""
PAYS_WHOLE = "pays_whole_instances"
"""Whether any GPU may be taken: one GPU of eight is then not cheaper than one rented alone."""
HOSTED_BY = ("accelerator", "count")
"""The first axes of a space, on which the host of a job depends."""
OWN = "<own>"
"""Stands for the scenario's own value in the usual ranges below."""
USUAL: Mapping[str, Mapping[str, tuple[Scalar, ...]]] = {
    "training": {
        "method": (OWN, "lora", "qlora"),
        "optimizer": (OWN, "adamw-8bit"),
        "optimizer_offload": (OWN, "none", "cpu"),
        "parameter_offload": (OWN, "none", "cpu"),
        "zero_stage": (0, 1, 2, 3),
        "gradient_checkpointing": (OWN, "none", "full"),
        "tensor_parallel_size": (OWN, 1, 2, 4, 8),
        "pipeline_parallel_size": (OWN, 1, 2, 4, 8),
        "micro_batch_size": (OWN, 1, 2, 4, 8),
    },
    "serving": {
        "weight_dtype": (OWN, "fp8"),
        "kv_cache_dtype": (OWN, "fp8"),
        "tensor_parallel_size": (OWN, 1, 2, 4, 8),
    },
}
FEWER_BITS = {LOCALLY: ("q8_0", "q4_k_m"), "mlx": ("mlx-8bit", "mlx-4bit")}
"""Formats of served weights that are tried beside the model's own, of engines that have files of their own."""
LESS = 0.9
"""Of the bytes of a weight, below which another format has fewer bits, and not only other scales."""
LOCAL_CACHE = {LOCALLY: "q8_0"}
"""The same of their caches."""
CUTS_GRADIENTS_BY_LAYER = 3
"""The stage of ZeRO whose gradients may be reduced layer by layer."""
LAYERS_TRIED = 16
"""In how many steps layers are taken from the GPU to the host."""
OF_THIS_MACHINE = frozenset({"fits", "how_fast", "how_long_a_context"})
"""Questions about the GPUs that are there, which layers on the host may answer."""
LONG_TOKENS = 16_384
"""From this length on, sequences are usually cut over GPUs.  Source: Megatron-LM, context parallelism."""
MANY_GPUS, WIDER = 256, {"pipeline_parallel_size": (16,), "expert_parallel_size": (16, 32, 64)}
"""In trainings on so many, which is a choice, what is tried besides.  Source: arXiv:2412.19437 (DeepSeek-V3), 3.2."""


@frozen
class Axis:
    """Values of one field; `own` is the position of the scenario's value or -1, `columns` what the values supply."""

    name: str
    values: tuple[Scalar, ...]
    own: int
    columns: Mapping[str, Numbers]
    settings: tuple[Mapping[str, Scalar], ...]


@frozen
class Space:
    """All combinations of the axes, in row-major order, with what is the same for all of them."""

    workload: str
    axes: tuple[Axis, ...]
    constants: Mapping[str, Numbers]
    overrides: Mapping[str, Numbers]
    global_batch: float
    concurrency: float
    margin: float
    hosted: Mapping[str, Numbers]
    """What hosts and prices supply, by GPU and by how many of it: a few stand in a workstation, more in a server."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Values a axis."""
        return tuple(len(axis.values) for axis in self.axes)

    @property
    def size(self) -> int:
        """Combinations in all."""
        return math.prod(self.shape)


def space_of(job: Job) -> Space:
    """The space of the `search:` block around one variant.  Raises InputError for names that do not exist."""
    own = {name: np.asarray(column[0]) for name, column in job.computed.resolved.inputs.items()}
    overrides = _common_overrides(job)
    constants = own | _targets(job) | _rescaled_time(job) | {PAYS_WHOLE: np.asarray(float(gpu_is_open(job)))}
    if faults := [*unknown_search_names(job.loaded, job.catalogue), *_too_long(job)]:
        raise InputError(faults)
    values = {name: values_of(job, name) for name in AXES[job.workload]}
    axes = tuple(_axis(job, name, found, overrides) for name, found in values.items())
    batch = 0.0 if _serves(job) else job.value("global_batch_size")
    margin, hosted = job.search.safety_margin, _hosted(job, axes, overrides)
    made = Space(
        job.workload, axes, constants, overrides, batch, float(_serves(job) and sequences_at_once(job)), margin, hosted
    )
    if made.size > MOST_COMBINATIONS:
        found, most = f"{made.size:,}", f"at most {MOST_COMBINATIONS:,}"
        message = "spans too many combinations"
        raise InputError([job.loaded.document.fault(("search",), message, found=found, expected=most)])
    return made


def axes_of(job: Job, values: Mapping[str, tuple[Scalar, ...]]) -> tuple[Axis, ...]:
    """Axes of the given values by field, with what each supplies; an empty tuple stands for the usual range."""
    overrides = _common_overrides(job)
    full = {name: found or values_of(job, name) for name, found in values.items()}
    return tuple(_axis(job, name, found, overrides) for name, found in full.items())


def _hosted(job: Job, axes: Sequence[Axis], overrides: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """What hosts and prices supply, as columns of shape (GPUs, numbers of them)."""
    gpus, counts = (next(axis.values for axis in axes if axis.name == name) for name in HOSTED_BY)
    several = [float(cast(float, count)) for count in counts]
    return hosts_of(job, gpus, several, overrides) | billed_of(job, gpus, several, overrides)


def billed_of(
    job: Job, gpus: Sequence[Scalar], counts: Sequence[float], overrides: Mapping[str, Numbers]
) -> dict[str, Numbers]:
    """What the prices of so many of each GPU supply: a large instance is no cheaper for who needs a part of it."""
    if job.loaded.scenario.cost is None:
        return {}
    prices = [price_of(job, str(gpu), count) for gpu in gpus for count in counts]
    found = _columns(job.catalogue, dictionary(job.workload), [price.fields for price in prices])
    found |= _own_attributes(job, [gpu for gpu in gpus for _ in counts], found) | _prices(prices, found)
    return {name: column.reshape(len(gpus), -1) for name, column in found.items() if name not in overrides}


def hosts_of(
    job: Job, gpus: Sequence[Scalar], counts: Sequence[float], overrides: Mapping[str, Numbers]
) -> dict[str, Numbers]:
    """What the hosts of so many of each GPU supply, as columns of shape (GPUs, numbers of them)."""
    hosts = [{"host": host_of(job, str(gpu), count)} for gpu in gpus for count in counts]
    found = _columns(job.catalogue, dictionary(job.workload), hosts)
    return {name: column.reshape(len(gpus), -1) for name, column in found.items() if name not in overrides}


def _common_overrides(job: Job) -> dict[str, Numbers]:
    """What is given in place of figures and attributes, but for those of one GPU alone."""
    stated, belongs = job.computed.resolved.overrides, of_accelerator(job.catalogue)
    return {name: np.asarray(column[0]) for name, column in stated.items() if name not in belongs}


def _too_long(job: Job) -> Iterator[Fault]:
    """A fault where the sequences to be served are longer than the model reads and nothing else says that it may."""
    asked = job.search.context_length or 0
    if _serves(job) and asked > (most := max(job.value("max_position_embeddings"), job.value("max_model_len"))):
        expected = f"at most {most:,.0f}, unless max_model_len is more"
        path = ("search", "context_length")
        yield job.loaded.document.fault(path, "is more than the model reads", found=f"{asked:,}", expected=expected)


def sequences_at_once(job: Job) -> int:
    """Sequences that run at once over all replicas: the target, or what the scenario plans.

    Where nobody says how many and no replica starts, there are no replicas that serve them: one stands for all.
    """
    starts = not load_is_open(job) or job.word != DOES_NOT_FIT
    return job.search.concurrency or int(job.value("max_num_seqs") * (job.value("sharding_size") if starts else 1))


def load_is_open(job: Job) -> bool:
    """Whether nobody says how many a service has to serve."""
    scenario = job.loaded.scenario
    return scenario.demand is None and job.case.origins["max_num_seqs"].kind == "default"


def _serves(job: Job) -> bool:
    return job.workload == "serving"


def _targets(job: Job) -> dict[str, Numbers]:
    """The month of service that is billed, and what the sequences to be served must be able to hold."""
    if not _serves(job):
        return {}
    hours = {"hours": np.asarray(job.value("hours"))}
    if job.search.context_length is None:
        return hours
    context = float(job.search.context_length)
    longest = max(context, job.value("max_model_len"))
    return hours | {"context_length": np.asarray(context), "max_model_len": np.asarray(longest)}


def _rescaled_time(job: Job) -> dict[str, Numbers]:
    """A stated utilisation as what it says of other settings."""
    return {key.rpartition(".")[2]: np.asarray(float(value)) for key, value in job.rescaled_time.items()}


def _axis(job: Job, name: str, values: tuple[Scalar, ...], overrides: Mapping[str, Numbers]) -> Axis:
    own = job.case.settings[name]
    settings = tuple(_settings(job, name, value) for value in values)
    columns = _columns(job.catalogue, dictionary(job.workload), settings)
    kept = {key: column for key, column in columns.items() if key not in overrides}
    if name == "accelerator":
        kept |= _own_attributes(job, values, kept)
        kept[HAS_FP8] = np.asarray([has_units(job.catalogue, FP8, str(gpu)) for gpu in values], dtype=np.float64)
        kept |= _prices([price_of(job, str(gpu)) for gpu in values], kept)
        if job.loaded.scenario.cost is None:  # nothing says that it is rented
            kept[INSTANCE_MEMORY] = np.zeros(len(values))
    if name in OWN_SIZES:
        kept[OWN_SIZES[name]] = np.full(len(values), float(cast(float, own)))
    if name in OWN_CHOICES:
        kept[OWN_CHOICES[name]] = np.asarray([value == own for value in values], dtype=np.float64)
    if name == BASE_FORMAT:
        kept[FIRST_BASE] = np.arange(len(values)) == 0
    return Axis(name, values, values.index(own) if own in values else -1, kept, settings)


def _considered(job: Job) -> Iterable[str]:
    """GPUs beside the scenario's own, where it names none: those whose file says so, if a price on demand is known.

    Every GPU that has one, where a cost is asked for and nobody names a GPU.
    """
    table, every, question = job.catalogue.tables["accelerators"], gpu_is_open(job), job.loaded.scenario.question
    asked = (gpu for gpu, title in table.titles_by_id.items() if is_of_brand(question.lower(), title))
    considered = (gpu for gpu in asked if every or table.text("considered", gpu))
    return _larger_macs(job) or (gpu for gpu in considered if price_of(job, gpu).is_known)


def _larger_macs(job: Job) -> list[str]:
    """In place of a Mac, which nobody rents, others that hold the job, where no cost is asked for."""
    table, peak = job.catalogue.tables["accelerators"], job.value("peak_bytes")
    kinds = dict(zip(map(str, table.ids), table.texts["architecture"], strict=True))
    if kinds[str(job.case.settings["accelerator"])] != UNIFIED or job.loaded.scenario.cost:
        return []
    held, most = table.columns["capacity_bytes"].values, 1 - job.search.safety_margin
    return [gpu for gpu, kind in kinds.items() if kind == UNIFIED and held[table.row(gpu)] * most > peak]


def _own_attributes(job: Job, gpus: Sequence[Scalar], book: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """What the scenario gives in place of attributes of its GPU; other GPUs keep their own."""
    own = np.asarray([gpu == job.case.settings["accelerator"] for gpu in gpus])
    given = ((name, value) for name, value in job.case.overrides.items() if name in book and name not in OWN_PRICES)
    return {name: np.where(own, value, book[name]) for name, value in given}


def _prices(prices: Sequence[GpuPrice], book: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """What each GPU is billed at, a typed price before the book's, and how many of it one machine may hold."""
    billed = {
        name: np.asarray([price.typed.get(name, listed) for price, listed in zip(prices, book[name], strict=True)])
        for name in OWN_PRICES
    }
    return billed | {MOST_PRICED: np.asarray([price.most_accelerators for price in prices])}


def values_of(job: Job, name: str) -> tuple[Scalar, ...]:
    """The values of a field that are tried: those that `search:` allows, else a usual range."""
    allowed = getattr(job.search, name)
    return _values(job, name, job.case.settings[name]) if allowed is None else tuple(allowed)


def _values(job: Job, name: str, own: Scalar) -> tuple[Scalar, ...]:
    if name == "count":
        return counts_of(job, own)
    if name == "accelerator":
        return tuple(dict.fromkeys([own, *_considered(job)]))
    usual = USUAL[job.workload].get(name, (OWN,))
    if _serves(job) and (engine := str(job.case.settings["engine"])) in FEWER_BITS:
        own_usual = {"weight_dtype": (OWN, *fewer_bits(job)), "kv_cache_dtype": (OWN, LOCAL_CACHE.get(engine, OWN))}
        usual = own_usual.get(name, usual)
    if name == "n_gpu_layers" and _may_share_layers(job):
        usual = (OWN, *_layers_on_gpus(int(job.value("num_hidden_layers"))))
    if name == "expert_parallel_size" and job.value("num_local_experts") > 1:
        usual = (OWN, 1, 2, 4, 8)
    many = not _serves(job) and max(job.value("count"), gpus_in_time(job)) >= MANY_GPUS
    if name in WIDER and len(usual) > 1 and many:
        usual = (*usual, *WIDER[name])
    if name == "context_parallel_size" and not _serves(job) and job.value("sequence_length") >= LONG_TOKENS:
        usual = (OWN, 1, 2, 4, 8)
    if job.workload == "training" and name == "method" and own != "full":
        usual = (OWN,)
    found = dict.fromkeys(own if value == OWN else value for value in usual)
    return tuple(value for value in found if value == own or _is_there(job, name, value))


def _may_share_layers(job: Job) -> bool:
    """Whether the host may take layers that its GPUs have no room for, as llama.cpp does."""
    shared = job.case.settings["n_gpu_layers"] <= job.value("num_hidden_layers")
    scenario = job.loaded.scenario
    asks = asks_for_offloading(scenario) or not OF_THIS_MACHINE.isdisjoint(asks_of(scenario))
    whole = not shared and job.value("num_local_experts") <= 1  # of a mixture the experts go to the host
    return asks and job.case.settings["engine"] == LOCALLY and whole and not job.value("fits")


def _layers_on_gpus(layers: int) -> Iterator[Scalar]:
    """Numbers of layers that stay on the GPUs; the output layer is one more."""
    yield from dict.fromkeys(float(layers * left // LAYERS_TRIED + 1) for left in range(LAYERS_TRIED - 1, 0, -1))


def usual_formats(engine: str) -> tuple[str, ...]:
    """Formats that an engine serves in place of 16 bits."""
    return FEWER_BITS.get(engine, ("fp8", "awq"))


def fewer_bits(job: Job, engine: str = "") -> tuple[str, ...]:
    """Formats of fewer bits than the weights have that an engine serves: what is released in 4 bits stays as it is."""
    settings = job.case.settings
    return formats_below(str(settings["weight_dtype"]), engine or str(settings["engine"]), job.catalogue)


def formats_below(own: str, engine: str, catalogue: Catalogue) -> tuple[str, ...]:
    """The same of weights in a format, for an engine."""
    table = catalogue.tables["weight_formats"]
    each = table.columns["matrix_bytes"].values
    usual = (name for name in usual_formats(engine) if name in table.ids)
    most = LESS * float(each[table.row(own)])
    return tuple(name for name in usual if float(each[table.row(name)]) < most)


def _is_there(job: Job, name: str, value: Scalar) -> bool:
    """Whether a table of a user's own still has the row that a usual value names."""
    entry = dictionary(job.workload)[name]
    return entry.kind != "choice" or value in job.catalogue.tables[entry.table].ids


def _settings(job: Job, name: str, value: Scalar) -> dict[str, Scalar]:
    """The fields that a value of an axis sets: a GPU brings its host and its price."""
    if name == "zero_stage" and _reduces_late(job):
        return {name: value, "sync_each_batch": value == CUTS_GRADIENTS_BY_LAYER}
    if name != "accelerator":
        return {name: value}
    own, gpu = job.case.settings, str(value)
    if gpu == own["accelerator"]:
        machine = {name: own[name] for name in MACHINE}
    else:
        machine = {**dict.fromkeys(MACHINE, 0.0), "host": host_of(job, gpu, float(own["count"]))}
    return {"accelerator": gpu, **machine, **price_of(job, gpu).fields}


def _reduces_late(job: Job) -> bool:
    """Whether gradients that are cut wait, whole, for the last of several micro-batches, and nobody says so."""
    late = job.value("accumulates_unsharded") and job.value("gradient_accumulation_steps") > 1
    return bool(late) and job.case.origins["sync_each_batch"].kind == "default"


def gpu_settings(job: Job, gpu: str) -> dict[str, Scalar]:
    """What a GPU brings: its host and its price."""
    return _settings(job, "accelerator", gpu)


def stage_settings(job: Job, stage: int) -> dict[str, Scalar]:
    """What a stage of ZeRO brings: when gradients are cut, where nobody says so."""
    return _settings(job, "zero_stage", stage)


Settings = Iterable[Mapping[str, Any]]


def _columns(catalogue: Catalogue, fields: Mapping[str, Entry], settings: Settings) -> dict[str, Numbers]:
    """What the values of an axis supply: numbers themselves, choices the attributes of their rows."""
    listed = list(settings)
    return columns_of([fields[name] for name in listed[0]], listed, catalogue)
