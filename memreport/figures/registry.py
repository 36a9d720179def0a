"""Which figures a workload has, in the groups in which every report shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from memreport.figures import (
    activations,
    allocator,
    billing,
    buffers,
    checkpointing,
    communication,
    cost,
    kernel_shapes,
    kv_cache,
    lora,
    model,
    optimizer,
    ownership,
    parallelism,
    peak,
    roofline,
    run_cost,
    saved_adapters,
    saved_attention,
    saved_mlp,
    saved_norms,
    service_cost,
    serving,
    serving_kernels,
    serving_speed,
    serving_traffic,
    throughput,
    training_kernels,
    transfer,
    weights,
    working_set,
)
from memreport.figures.roofline import Kernel
from memreport.formula.recording import Figure, Line, ordered, plain_line


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


_MODEL = Group("Model", model.FIGURES)
_SAVED = saved_norms.FIGURES + saved_attention.FIGURES + saved_mlp.FIGURES + saved_adapters.FIGURES
_OWNERSHIP = Group("Buy against rent", ownership.FIGURES)
GROUPS: Mapping[str, tuple[Group, ...]] = {
    "training": (
        _MODEL,
        Group("Parallelism", parallelism.FIGURES + parallelism.TRAINING_FIGURES),
        Group("Adapters", lora.FIGURES),
        Group("Weights and gradients", weights.FIGURES),
        Group("Optimizer", optimizer.FIGURES),
        Group("Activations", _SAVED + activations.FIGURES + checkpointing.FIGURES),
        Group("Peak", working_set.FIGURES + buffers.FIGURES + peak.FIGURES + allocator.FIGURES),
        Group("Roofline", roofline.FIGURES),
        Group("Shapes of kernels", kernel_shapes.FIGURES + kernel_shapes.TRAINING_FIGURES),
        Group("Kernels", training_kernels.FIGURES),
        Group("Transfers", transfer.FIGURES + transfer.TRAINING_FIGURES),
        Group("Traffic between accelerators", communication.TRAINING_FIGURES),
        Group("Time", throughput.FIGURES),
        Group("Cost", cost.FIGURES + billing.FIGURES + run_cost.FIGURES),
        _OWNERSHIP,
    ),
    "serving": (
        _MODEL,
        Group("Parallelism", parallelism.FIGURES),
        Group("Key-value cache", kv_cache.FIGURES),
        Group("Serving", serving.FIGURES),
        Group("Roofline", roofline.FIGURES),
        Group("Shapes of kernels", kernel_shapes.FIGURES),
        Group("Kernels", serving_kernels.FIGURES),
        Group("Transfers", transfer.FIGURES),
        Group("Traffic between accelerators", serving_traffic.FIGURES),
        Group("Time", serving_speed.FIGURES),
        Group("Cost", cost.FIGURES + billing.FIGURES + service_cost.FIGURES),
        _OWNERSHIP,
    ),
}
PHASES: Mapping[str, tuple[Phase, ...]] = {
    "training": (Phase("step", "training step", training_kernels.TRAINING_KERNELS),),
    "serving": (
        Phase("prefill", "prefill", serving_kernels.PREFILL_KERNELS),
        Phase("decode_step", "decode step", serving_kernels.DECODE_KERNELS),
    ),
}


VERDICTS = ("fits", "headroom_bytes", "headroom_share", "host_headroom_bytes", "nvme_headroom_bytes")
"""What is concluded from the other figures, and may be given by nobody."""
RANGES = (
    ("peak_bytes_low", "peak_bytes", "peak_bytes_high"),
    ("device_memory_used_bytes_low", "device_memory_used_bytes", "device_memory_used_bytes_high"),
    ("cost_low_usd", "cost_total_usd", "cost_high_usd"),
)
"""Low end, expected value and high end of an estimate."""
_SIGNED = ("headroom", "_break_even", "net_present", "saving", "_minus_", "surplus")


def may_be_negative(name: str) -> bool:
    """Whether a figure is a difference, so that a negative value says something."""
    return any(word in name for word in _SIGNED)


def group(workload: str, title: str) -> Group:
    """The group of that title."""
    return next(one for one in GROUPS[workload] if one.title == title)


@lru_cache
def lines_of(workload: str) -> tuple[Line, ...]:
    """Every line of a workload's calculation: its figures, then the rooflines of its phases."""
    plain = [plain_line(figure) for group in GROUPS[workload] for figure in group.figures]
    roofs = [line for phase in PHASES[workload] for line in roofline.lines(phase.kernels, phase.id)]
    return (*plain, *roofs)


@lru_cache
def lines_in_order(workload: str) -> tuple[Line, ...]:
    """The same lines, none before what it reads."""
    return tuple(ordered(lines_of(workload)))


@lru_cache
def figures_by_name(workload: str) -> Mapping[str, Figure]:
    """Every figure that may be named in a scenario, a table, a ledger."""
    return {line.name: line.figure for line in lines_of(workload)}
