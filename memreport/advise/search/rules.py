"""Which combinations a search leaves out, and why: the scenario's own rules first, then those of a plan."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from memreport.catalogue.constraints import CONSTRAINTS
from memreport.catalogue.fields.rules import Constraint, figure_of
from memreport.catalogue.framework_rules import LACKING, Lacking
from memreport.catalogue.records import Numbers
from memreport.frozen import frozen

Flags = NDArray[np.bool_]


def _divides(part: Numbers, whole: Numbers) -> Flags:
    return np.asarray(np.mod(whole, part) == 0)


FIRST_BASE = "first_base_weight_dtype"
"""1 at the first format of the quantised base: what quantises nothing is counted there alone."""
OWN_SIZES = {name: f"own_{name}" for name in ("tensor_parallel_size",)}
"""What the scenario itself states."""
CACHE = "kv_cache_dtype"
HAS_FP8 = "has_fp8_units"
"""1 at GPUs with units for FP8."""
OF_ITS_OWN = ("accelerator", "count", "n_gpu_layers")
"""Fields whose own value a rule of the search asks for."""
OWN_CHOICES = {
    name: f"{name}_is_own"
    for name in dict.fromkeys((*(name for rule in LACKING for name in rule.fields), *OF_ITS_OWN, CACHE))
}
"""1 at the scenario's own value of a field that a framework may lack."""


def _left_out(lacking: Lacking) -> Constraint:
    """What a framework lacks is not tried; what the scenario states itself is left to it."""
    rule = lacking.rule
    own = [OWN_CHOICES[name] for name in lacking.fields]
    return Constraint(
        rule.field,
        rule.message,
        lambda c: np.equal(rule.holds(c), 1) | np.all(np.broadcast_arrays(*(c[name] > 0 for name in own)), axis=0),
        rule.workloads,
        rule.source,
    )


SEARCH_RULES = (
    Constraint(
        "base_weight_dtype",
        "goes with qlora; other methods are counted once",
        lambda c: (c["base_quantised"] > 0) | (c[FIRST_BASE] > 0),
        ("training",),
    ),
    Constraint(
        "tensor_parallel_size",
        "may not be wider than what the link joins: a node, or a rack whose GPUs are all linked",
        lambda c: c["tensor_parallel_size"] <= figure_of(c, "accelerators_per_domain"),
    ),
    Constraint(
        "tensor_parallel_size",
        "is left as it is with qlora: bitsandbytes does not cut the weights that it quantises",
        lambda c: (c["base_quantised"] == 0) | (c["tensor_parallel_size"] <= c[OWN_SIZES["tensor_parallel_size"]]),
        ("training",),
    ),
    *(_left_out(lacking) for lacking in LACKING),
    Constraint("count", "must fill its nodes", lambda c: _divides(figure_of(c, "accelerators_per_node"), c["count"])),
    Constraint(
        "gradient_accumulation_steps",
        "must be whole at the scenario's global batch",
        lambda c: (c["gradient_accumulation_steps"] >= 1) & _divides(np.asarray(1.0), c["gradient_accumulation_steps"]),
        ("training",),
    ),
    Constraint(
        "zero_stage",
        "above 0 needs more than one GPU to share between",
        lambda c: (c["shards_optimizer"] == 0) | (figure_of(c, "sharding_size") > 1),
        ("training",),
    ),
    Constraint(
        "optimizer_offload",
        "needs an optimizer of full width, as the host's own Adam is",
        lambda c: (c["optimizer_offloaded"] == 0) | (c["optimizer_moment_element_bytes"] == 0),
        ("training",),
    ),
    Constraint(
        "parameter_offload",
        "goes with ZeRO 3, or with one GPU whose base is not quantised",
        lambda c: (
            (c["parameters_offloaded"] == 0)
            | (c["shards_parameters"] > 0)
            | ((c["count"] == 1) & (c["base_quantised"] == 0))
        ),
        ("training",),
        "DeepSpeed, zero/offload_config.py: valid with stage 3 alone, read 2026-11-23",
    ),
    Constraint(
        "n_gpu_layers",
        "leaves layers to the host of the GPUs that are stated, not of others",
        lambda c: (c["n_gpu_layers_is_own"] > 0) | ((c["accelerator_is_own"] > 0) & (c["count_is_own"] > 0)),
        ("serving",),
    ),
    Constraint(
        CACHE,
        "in FP8 is tried on GPUs with units for FP8: attention kernels of others lack it",
        lambda c: (c[OWN_CHOICES[CACHE]] > 0) | (c["kv_element_bytes"] != 1) | (c[HAS_FP8] > 0),
        ("serving",),
        "vLLM issues 26431 and 47549; TensorRT-LLM, support matrix; read 2026-11-28",
    ),
    Constraint("max_num_seqs", "must be at least 1 on every replica", lambda c: c["max_num_seqs"] >= 1, ("serving",)),
)


@frozen
class Excluded:
    """How many combinations broke a rule that none before it had caught."""

    field: str
    reason: str
    count: int


def rules_of(workload: str) -> tuple[Constraint, ...]:
    """All rules of a workload, in the order in which they are applied."""
    return tuple(rule for rule in (*CONSTRAINTS, *SEARCH_RULES) if workload in rule.workloads)


def allowed(workload: str, columns: Mapping[str, Numbers], shape: tuple[int, ...]) -> tuple[Flags, tuple[int, ...]]:
    """Which combinations keep every rule, and how many each rule excludes; columns broadcast to the shape."""
    keeps: Flags = np.ones(shape, dtype=bool)
    left, counts = keeps.size, []
    for rule in rules_of(workload):
        keeps &= np.asarray(rule.holds(columns), dtype=bool)
        remaining = int(np.count_nonzero(keeps))
        counts.append(left - remaining)
        left = remaining
    return keeps, tuple(counts)
