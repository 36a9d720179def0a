"""Which figures a workload has, in the groups in which every report shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from memreport.figures import (
    activations,
    lora,
    model,
    optimizer,
    parallelism,
    peak,
    weights,
)
from memreport.formula.recording import Figure, Line, plain_line


@dataclass(frozen=True)
class Group:
    """Figures that are shown together under one heading."""

    title: str
    figures: tuple[Figure, ...]


_COMMON = (Group("Model", model.FIGURES),)
GROUPS: Mapping[str, tuple[Group, ...]] = {
    "training": (
        *_COMMON,
        Group("Parallelism", parallelism.FIGURES + parallelism.TRAINING_FIGURES),
        Group("Adapters", lora.FIGURES),
        Group("Weights and gradients", weights.FIGURES),
        Group("Optimizer", optimizer.FIGURES),
        Group("Activations", activations.FIGURES),
        Group("Peak", peak.FIGURES),
    ),
    "serving": _COMMON,
}


@lru_cache
def lines_of(workload: str) -> tuple[Line, ...]:
    """Every line of a workload's calculation."""
    plain = [plain_line(figure) for group in GROUPS[workload] for figure in group.figures]
    return tuple(plain)


@lru_cache
def figures_by_name(workload: str) -> Mapping[str, Figure]:
    """Every figure that may be named in a scenario, a table, a ledger."""
    return {line.name: line.figure for line in lines_of(workload)}
