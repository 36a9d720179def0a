"""Which figures a workload has, in the groups in which every report shows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from memreport.figures.model import (
    companions,
    dora,
    headroom,
    linear_adapters,
    lora,
    matrices,
    parallelism,
    partial,
    peft,
    saved_modules,
    stage_peaks,
    stages,
    towers,
)
from memreport.figures.model import parameters as model
from memreport.figures.money import billing, cost, ownership, run_cost, served_cost, service_cost, service_horizon
from memreport.figures.serving import (
    beside_weights,
    demand,
    fleet,
    halves,
    host,
    kv_cache,
    kv_values,
    pooling,
    transient,
)
from memreport.figures.serving import lora as serving_lora
from memreport.figures.serving import memory as serving
from memreport.figures.serving import parts as serving_parts
from memreport.figures.serving import prompts as serving_prompts
from memreport.figures.serving import weights as serving_weights
from memreport.figures.time import (
    ends,
    kernel_shapes,
    reached,
    roofline,
    serving_conversions,
    serving_errors,
    serving_first_token,
    serving_kernels,
    serving_modules,
    serving_operators,
    serving_shapes,
    serving_speed,
    serving_times,
    throughput,
)
from memreport.figures.time.roofline import Kernel
from memreport.figures.time.step import attention as step_attention
from memreport.figures.time.step import companions as step_companions
from memreport.figures.time.step import fetches as step_fetches
from memreport.figures.time.step import parts as step_parts
from memreport.figures.time.step import products as step_products
from memreport.figures.time.step import rates, training_kernels
from memreport.figures.time.step import streams as step_streams
from memreport.figures.time.step import widened as step_widened
from memreport.figures.traffic import collectives as communication
from memreport.figures.traffic import exposed, gathers, offloaded, transfer
from memreport.figures.traffic import rates as traffic_rates
from memreport.figures.traffic import serving as serving_traffic
from memreport.figures.training import (
    activations,
    allocator,
    autocast_copies,
    buffers,
    checkpointing,
    layer_backward,
    layer_kinds,
    loss,
    low_precision,
    peak,
    peak_parts,
    reduction,
    working_set,
)
from memreport.figures.training.saved import (
    adapter_inputs,
    adapters_at_work,
    forward_only,
    mixers,
    mlp_at_work,
    wide_heads,
)
from memreport.figures.training.saved import adapters as saved_adapters
from memreport.figures.training.saved import attention as saved_attention
from memreport.figures.training.saved import distances as saved_distances
from memreport.figures.training.saved import mlp as saved_mlp
from memreport.figures.training.saved import norms as saved_norms
from memreport.figures.training.saved import peft as saved_peft
from memreport.figures.training.saved import recomputed as saved_recomputed
from memreport.figures.training.saved import towers as saved_towers
from memreport.figures.training.states import offload, optimizer, sharded_offload, weights
from memreport.formula.recording import Figure, Line, figures_in, ordered, plain_line


@dataclass(frozen=True)
class Group:
    """Figures that are shown together under one heading."""

    title: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Phase:
    """A roofline: the kernels of a step, a prefill or a decode step.  `id` begins the names of its total lines."""

    id: str
    title: str
    kernels: tuple[Kernel, ...]


_MODEL = Group("Model", (*figures_in(model), *figures_in(matrices)))
_SAVED = tuple(
    figure
    for module in (
        saved_norms,
        saved_distances,
        saved_attention,
        mixers,
        wide_heads,
        saved_mlp,
        adapter_inputs,
        saved_peft,
        forward_only,
        saved_adapters,
        adapters_at_work,
        saved_recomputed,
        saved_towers,
    )
    for figure in figures_in(module)
)
_ACTIVATIONS = Group(
    "Activations",
    figures_in(low_precision)
    + _SAVED
    + figures_in(activations)
    + figures_in(checkpointing)
    + figures_in(autocast_copies)
    + figures_in(loss),
)
_OWNERSHIP = "Buy against rent"
GROUPS: Mapping[str, tuple[Group, ...]] = {
    "training": (
        _MODEL,
        Group("Parallelism", figures_in(parallelism, "training") + figures_in(stages, "training")),
        Group(
            "Adapters",
            figures_in(towers)
            + figures_in(partial)
            + figures_in(dora)
            + figures_in(linear_adapters)
            + figures_in(lora)
            + figures_in(peft)
            + figures_in(saved_modules),
        ),
        Group("Weights and gradients", figures_in(weights)),
        Group(
            "Optimizer",
            figures_in(optimizer) + figures_in(sharded_offload) + figures_in(offload) + figures_in(companions),
        ),
        _ACTIVATIONS,
        Group(
            "Peak",
            figures_in(layer_kinds)
            + figures_in(working_set)
            + figures_in(mlp_at_work)
            + figures_in(layer_backward)
            + figures_in(reduction)
            + figures_in(buffers)
            + figures_in(stage_peaks, "training")
            + figures_in(peak)
            + figures_in(headroom)
            + figures_in(peak_parts)
            + figures_in(allocator),
        ),
        Group("Roofline", figures_in(roofline)),
        Group("Shapes of kernels", figures_in(kernel_shapes, "training")),
        Group("Kernels", figures_in(training_kernels)),
        Group("Transfers", figures_in(transfer, "training")),
        Group("Traffic between GPUs", figures_in(gathers) + figures_in(communication)),
        Group("Matrix products", figures_in(reached) + figures_in(rates) + figures_in(step_products)),
        Group("Attention", figures_in(step_attention)),
        Group("Element-wise kernels and launches", (*figures_in(step_streams), *figures_in(step_widened))),
        Group("Exposed communication", figures_in(traffic_rates) + figures_in(exposed) + figures_in(offloaded)),
        Group("Other models in a step", figures_in(step_companions)),
        Group("Parts of a step", figures_in(step_fetches) + figures_in(step_parts)),
        Group("Time", figures_in(throughput) + ends.TRAINING),
        Group("Cost", figures_in(cost) + figures_in(billing) + figures_in(run_cost)),
        Group(_OWNERSHIP, figures_in(ownership, "training")),
    ),
    "serving": (
        _MODEL,
        Group("Parallelism", figures_in(parallelism, "serving")),
        Group("Key-value cache", figures_in(kv_values) + figures_in(kv_cache)),
        Group(
            "Serving",
            figures_in(serving_lora)
            + figures_in(serving_weights)
            + figures_in(transient)
            + figures_in(host)
            + figures_in(beside_weights)
            + figures_in(pooling)
            + figures_in(halves)
            + figures_in(serving)
            + figures_in(headroom)
            + figures_in(fleet)
            + figures_in(serving_parts)
            + (peak_parts.given_surplus_bytes,),
        ),
        Group("Roofline", figures_in(roofline)),
        Group("Shapes of kernels", figures_in(kernel_shapes, "serving")),
        Group("Kernels", figures_in(serving_shapes) + figures_in(serving_kernels)),
        Group("Transfers", figures_in(transfer, "serving")),
        Group(
            "Traffic between GPUs",
            (
                communication.tensor_parallel_network_share,
                communication.expert_parallel_network_share,
                communication.exchanged_width,
                *figures_in(traffic_rates, "serving"),
                *figures_in(serving_traffic),
            ),
        ),
        Group(
            "Time",
            figures_in(reached)
            + figures_in(serving_conversions)
            + figures_in(serving_operators)
            + figures_in(serving_modules)
            + figures_in(serving_prompts)
            + figures_in(serving_times)
            + figures_in(serving_first_token)
            + figures_in(serving_errors)
            + figures_in(serving_speed)
            + ends.SERVING,
        ),
        Group("Demand", figures_in(demand) + ends.DEMAND),
        Group("Cost", figures_in(cost) + figures_in(billing) + figures_in(service_cost) + figures_in(served_cost)),
        Group(_OWNERSHIP, figures_in(service_horizon) + figures_in(ownership, "serving")),
    ),
}
PHASES: Mapping[str, tuple[Phase, ...]] = {
    "training": (Phase("step", "training step", training_kernels.TRAINING_KERNELS),),
    "serving": (
        Phase("prefill", "prefill", serving_kernels.PREFILL_KERNELS),
        Phase("decode_step", "decode step", serving_kernels.DECODE_KERNELS),
    ),
}

OPERATORS: Mapping[str, tuple[Line, ...]] = {
    "training": step_products.LINES + step_attention.LINES + step_streams.LINES + exposed.LINES + step_parts.LINES,
    "serving": halves.LINES
    + serving_shapes.LINES
    + serving_conversions.LINES
    + serving_operators.LINES
    + serving_prompts.LINES
    + serving_times.LINES
    + serving_traffic.LINES,
}
"""Computed times of kernels and collectives: families by member, as the rooflines are."""

VERDICTS = ("fits", "headroom_bytes", "headroom_share", "host_headroom_bytes", "nvme_headroom_bytes")
"""What is concluded from the other figures, and may be given by nobody."""
RANGES = (
    ("peak_bytes_low", "peak_bytes", "peak_bytes_high"),
    ("device_memory_used_bytes_low", "device_memory_used_bytes", "device_memory_used_bytes_high"),
    ("cost_low_usd", "cost_total_usd", "cost_high_usd"),
    *((f"{name}_low", name, f"{name}_high") for name in serving_times.RANGED),
    ("step_seconds_low", "step_seconds", "step_seconds_high"),
)
"""Low end, expected value and high end of an estimate."""
_SIGNED = ("headroom", "_break_even", "net_present", "saving", "_minus_", "surplus")


@lru_cache(maxsize=2048)
def may_be_negative(name: str) -> bool:
    """Whether a figure is a difference, so that a negative value says something."""
    return any(word in name for word in _SIGNED)


def group(workload: str, title: str) -> Group:
    """The group of that title."""
    return next(each for each in GROUPS[workload] if each.title == title)


@lru_cache
def lines_of(workload: str) -> tuple[Line, ...]:
    """Every line of a workload's calculation: its figures, then the rooflines of its phases."""
    plain = [plain_line(figure) for group in GROUPS[workload] for figure in group.figures]
    roofs = [line for phase in PHASES[workload] for line in roofline.lines(phase.kernels, phase.id)]
    return (*plain, *roofs, *OPERATORS[workload])


@lru_cache
def titles() -> Mapping[str, str]:
    """What people call figures whose names in plain words would not do, by name."""
    return {
        figure.name: figure.title
        for workload in GROUPS
        for figure in figures_by_name(workload).values()
        if figure.title
    }


@lru_cache
def lines_in_order(workload: str) -> tuple[Line, ...]:
    """The same lines, none before what it reads."""
    return tuple(ordered(lines_of(workload)))


@lru_cache
def lines_by_name(workload: str) -> Mapping[str, Line]:
    """The same lines by name."""
    return {line.name: line for line in lines_in_order(workload)}


@lru_cache
def figures_by_name(workload: str) -> Mapping[str, Figure]:
    """Every figure that may be named in a scenario, a table, a ledger."""
    return {line.name: line.figure for line in lines_of(workload)}


@lru_cache
def inputs_behind(name: str, workload: str) -> frozenset[str]:
    """Inputs that a figure is computed from, by way of whatever other figures."""
    lines, found, left = {line.name: line for line in lines_of(workload)}, set[str](), [name]
    while left:
        line = lines.get(left.pop())
        new = set(line.reads) - found if line else set[str]()
        found |= new
        left += new
    return frozenset(found - lines.keys())


@lru_cache
def shown_in(place: str, workload: str) -> tuple[str, ...]:
    """The figures that their registration shows at a place, in the order of the calculation."""
    wanted = {place, f"{place} of {workload}"}
    return tuple(name for name, figure in figures_by_name(workload).items() if wanted & set(figure.shown))


@lru_cache
def scopes() -> Mapping[str, str]:
    """Whether a figure of requests, tokens or time is of one replica or of all GPUs together, by name."""
    return {
        figure.name: figure.scope
        for workload in GROUPS
        for figure in figures_by_name(workload).values()
        if figure.scope
    }
