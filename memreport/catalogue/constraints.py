"""What must hold between fields: sizes that divide, contexts that fit, prices that belong to the card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memreport.catalogue.records import Numbers

Columns = Mapping[str, Numbers]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Constraint:
    """`holds` gives true a case where the rule is kept; `field` is the one that a message points at."""

    field: str
    message: str
    holds: Callable[[Columns], Truths]
    workloads: tuple[str, ...] = ("training", "serving")


def _divides(part: Numbers, whole: Numbers) -> Truths:
    return np.equal(np.mod(whole, part), 0)


CONSTRAINTS = (
    Constraint(
        "count",
        "must be a multiple of tensor x pipeline x context parallel size",
        lambda c: _divides(
            c["tensor_parallel_size"] * c["pipeline_parallel_size"] * c["context_parallel_size"], c["count"]
        ),
    ),
    Constraint(
        "tensor_parallel_size",
        "must divide the attention heads",
        lambda c: _divides(c["tensor_parallel_size"], c["num_attention_heads"]),
    ),
    Constraint(
        "pipeline_parallel_size",
        "may not be more than the layers",
        lambda c: c["pipeline_parallel_size"] <= c["num_hidden_layers"],
    ),
    Constraint(
        "virtual_pipeline_parallel_size",
        "must leave each part of a stage a layer, and be 1 without a pipeline",
        lambda c: (
            (c["virtual_pipeline_parallel_size"] <= 1)
            | (
                (c["pipeline_parallel_size"] > 1)
                & (c["virtual_pipeline_parallel_size"] * c["pipeline_parallel_size"] <= c["num_hidden_layers"])
            )
        ),
        ("training",),
    ),
    Constraint(
        "expert_parallel_size",
        "must divide the experts, and be 1 where there are none",
        lambda c: (
            (c["expert_parallel_size"] <= 1)
            | ((c["num_local_experts"] > 0) & _divides(c["expert_parallel_size"], c["num_local_experts"]))
        ),
    ),
    Constraint(
        "expert_parallel_size",
        "must divide count / (tensor x pipeline parallel size): tensor parallelism cuts each expert already",
        lambda c: _divides(
            c["expert_parallel_size"], c["count"] / (c["tensor_parallel_size"] * c["pipeline_parallel_size"])
        ),
    ),
    Constraint(
        "context_parallel_size",
        "must divide the sequence",
        lambda c: _divides(c["context_parallel_size"], c["sequence_length"]),
        ("training",),
    ),
    Constraint(
        "zero_stage",
        "2 and 3 do not go with a pipeline; use 0 or 1",
        lambda c: (c["pipeline_parallel_size"] <= 1) | (c["shards_gradients"] == 0),
        ("training",),
    ),
    Constraint(
        "context_length",
        "may not be more than max_model_len",
        lambda c: c["context_length"] <= c["max_model_len"],
        ("serving",),
    ),
    Constraint(
        "max_num_batched_tokens",
        "must be at least max_num_seqs",
        lambda c: c["max_num_batched_tokens"] >= c["max_num_seqs"],
        ("serving",),
    ),
)


def broken(workload: str, columns: Columns) -> list[tuple[int, Constraint]]:
    """Every case that breaks a rule of its workload, with the rule."""
    rules = [rule for rule in CONSTRAINTS if workload in rule.workloads]
    return [(int(at), rule) for rule in rules for at in np.flatnonzero(~rule.holds(columns))]
