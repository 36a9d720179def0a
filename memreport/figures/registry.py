"""Which figures a workload has, in the groups in which every report shows them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memreport.figures.model import companions, headroom, matrices, parallelism, partial, stage_peaks, stages, towers
from memreport.figures.model import parameters as model
from memreport.figures.model.adapters import dora, lora, peft, saved_modules
from memreport.figures.model.adapters import linear as linear_adapters
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
from memreport.figures.time import ends, kernel_shapes, reached, roofline, throughput
from memreport.figures.time.roofline import Kernel
from memreport.figures.time.serving import conversions as serving_conversions
from memreport.figures.time.serving import errors as serving_errors
from memreport.figures.time.serving import first_token as serving_first_token
from memreport.figures.time.serving import kernels as serving_kernels
from memreport.figures.time.serving import modules as serving_modules
from memreport.figures.time.serving import operators as serving_operators
from memreport.figures.time.serving import shapes as serving_shapes
from memreport.figures.time.serving import speed as serving_speed
from memreport.figures.time.serving import times as serving_times
from memreport.figures.time.step import attention as step_attention
from memreport.figures.time.step import companions as step_companions
from memreport.figures.time.step import fetches as step_fetches
from memreport.figures.time.step import parts as step_parts
from memreport.figures.time.step import products as step_products
from memreport.figures.time.step import rates, training_kernels
from memreport.figures.time.step import streams as step_streams
from memreport.figures.time.step import widened as step_widened
from memreport.figures.time.step import written as step_written
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
from memreport.figures.training.saved import attention as saved_attention
from memreport.figures.training.saved import distances as saved_distances
from memreport.figures.training.saved import forward_only, mixers, mlp_at_work, wide_heads
from memreport.figures.training.saved import mlp as saved_mlp
from memreport.figures.training.saved import norms as saved_norms
from memreport.figures.training.saved import recomputed as saved_recomputed
from memreport.figures.training.saved import towers as saved_towers
from memreport.figures.training.saved.adapters import at_work as adapters_at_work
from memreport.figures.training.saved.adapters import inputs as adapter_inputs
from memreport.figures.training.saved.adapters import low_rank as saved_adapters
from memreport.figures.training.saved.adapters import peft as saved_peft
from memreport.figures.training.states import offload, optimizer, sharded_offload, weights
from memreport.formula.recording import Figure, Line, figures_in, ordered, plain_line


@dataclass(frozen=True)
class Group:
    """Figures that are shown together under one heading."""

    title: str
    figures: tuple[Figure, ...]


def _figures_of(part: Any, workload: str) -> tuple[Figure, ...]:
    """What a module has for a workload; figures that stand by themselves as they are."""
    return part if isinstance(part, tuple) else figures_in(part, workload)


@dataclass(frozen=True)
class Phase:
    """A roofline: the kernels of a step, a prefill or a decode step.  `id` begins the names of its total lines."""

    id: str
    title: str
    kernels: tuple[Kernel, ...]


_SAVED = (
    *(saved_norms, saved_distances, saved_attention, mixers, wide_heads, saved_mlp, adapter_inputs, saved_peft),
    *(forward_only, saved_adapters, adapters_at_work, saved_recomputed, saved_towers),
)
_OWNERSHIP = "Buy against rent"
_PARTS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "training": {
        "Model": (model, matrices),
        "Parallelism": (parallelism, stages),
        "Adapters": (towers, partial, dora, linear_adapters, lora, peft, saved_modules),
        "Weights and gradients": (weights,),
        "Optimizer": (optimizer, sharded_offload, offload, companions),
        "Activations": (low_precision, *_SAVED, activations, checkpointing, autocast_copies, loss),
        "Peak": (
            *(layer_kinds, working_set, mlp_at_work, layer_backward, reduction, buffers, stage_peaks),
            *(peak, headroom, peak_parts, allocator),
        ),
        "Roofline": (roofline,),
        "Shapes of kernels": (kernel_shapes,),
        "Kernels": (training_kernels,),
        "Transfers": (transfer,),
        "Traffic between GPUs": (gathers, communication),
        "Matrix products": (reached, rates, step_products),
        "Attention": (step_attention,),
        "Element-wise kernels and launches": (step_written, step_streams, step_widened),
        "Exposed communication": (traffic_rates, exposed, offloaded),
        "Other models in a step": (step_companions,),
        "Parts of a step": (step_fetches, step_parts),
        "Time": (throughput, ends.TRAINING),
        "Cost": (cost, billing, run_cost),
        _OWNERSHIP: (ownership,),
    },
    "serving": {
        "Model": (model, matrices),
        "Parallelism": (parallelism,),
        "Key-value cache": (kv_values, kv_cache),
        "Serving": (
            *(serving_lora, serving_weights, transient, host, beside_weights, pooling, halves, serving),
            *(headroom, fleet, serving_parts, (peak_parts.given_surplus_bytes,)),
        ),
        "Roofline": (roofline,),
        "Shapes of kernels": (kernel_shapes,),
        "Kernels": (serving_shapes, serving_kernels),
        "Transfers": (transfer,),
        "Traffic between GPUs": (
            (communication.tensor_parallel_network_share, communication.expert_parallel_network_share),
            (communication.exchanged_width,),
            *(traffic_rates, serving_traffic),
        ),
        "Time": (
            *(reached, serving_conversions, serving_operators, serving_modules, serving_prompts, serving_times),
            *(serving_first_token, serving_errors, serving_speed, ends.SERVING),
        ),
        "Demand": (demand, ends.DEMAND),
        "Cost": (cost, billing, service_cost, served_cost),
        _OWNERSHIP: (service_horizon, ownership),
    },
}
"""What each group is made of, in this order: all that a module has for the workload, or some figures by themselves."""
GROUPS: Mapping[str, tuple[Group, ...]] = {
    workload: tuple(
        Group(title, tuple(figure for part in parts for figure in _figures_of(part, workload)))
        for title, parts in groups.items()
    )
    for workload, groups in _PARTS.items()
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
    return {figure.name: figure.title for figure in _every_figure() if figure.title}


def _every_figure() -> Iterable[Figure]:
    return (figure for workload in GROUPS for figure in figures_by_name(workload).values())


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
    return {figure.name: figure.scope for figure in _every_figure() if figure.scope}
