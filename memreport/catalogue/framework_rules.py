"""What a training framework lacks: said where a scenario states it all the same, and not tried where it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memreport.catalogue.fields.rules import Columns, Constraint, Truths, both, either, figure_of, training_rule
from memreport.frozen import frozen


@frozen
class Lacking:
    """A rule that columns of the framework decide, and the fields that could have kept it."""

    rule: Constraint
    fields: tuple[str, ...]


def _lacks(what: str, kept: Callable[[Columns], Truths], source: str, *fields: str) -> Lacking:
    return Lacking(training_rule("framework", what, kept, source), fields)


def _has_stage(columns: Columns) -> Any:
    """Whether the framework has the stage of ZeRO that is chosen."""
    cuts = [columns[f"shards_{what}"] for what in ("optimizer", "gradients", "parameters")]
    return both(
        cuts[0] * (1 - cuts[1]) <= columns["has_zero_1"],
        both(cuts[1] * (1 - cuts[2]) <= columns["has_zero_2"], cuts[2] <= columns["has_zero_3"]),
    )


LACKING = (
    _lacks(
        "has no pipeline of its own to train with: a pipeline_parallel_size above 1 is for megatron, torchtitan, "
        "nanotron or deepspeed",
        lambda c: either(c["has_pipeline"] > 0, c["pipeline_parallel_size"] <= 1),
        "Accelerate 1.15, ParallelismConfig; LitGPT, pretrain.py; torchtune, recipes; Unsloth, multi-GPU; "
        "read 2026-11-23",
        "pipeline_parallel_size",
    ),
    _lacks(
        "does not train with tensor parallelism: a tensor_parallel_size above 1 is for megatron, torchtitan, "
        "nanotron, torchtune, deepspeed or huggingface",
        lambda c: either(c["has_tensor_parallel"] > 0, c["tensor_parallel_size"] <= 1),
        "LitGPT, pretrain.py and finetune/; Unsloth, multi-GPU; read 2026-11-24",
        "tensor_parallel_size",
    ),
    _lacks(
        "has no recipe for adapters on a base that tensor parallelism cuts, as megatron has: PEFT takes such "
        "a base since 2026 (pull request 3079), and recipes shard it",
        lambda c: either(c["cuts_adapted_bases"] > 0, c["trains_adapters"] <= 0, c["tensor_parallel_size"] <= 1),
        "PEFT issue 3044 and pull request 3079; torchtune, lora_finetune_distributed.py; torchtitan, "
        "components/lora.py; read 2026-11-24",
        "tensor_parallel_size",
        "method",
    ),
    _lacks(
        "does not offer the optimizers of bitsandbytes, in 8 bit or paged, as huggingface and torchtune do",
        lambda c: either(c["has_bitsandbytes"] > 0, c["optimizer_blockwise"] + c["optimizer_paged"] <= 0),
        "Megatron-LM, training/arguments.py `--optimizer`; torchtitan, components/optimizer.py; nanotron, "
        "config.py; read 2026-11-24",
        "optimizer",
    ),
    _lacks(
        "lacks this stage of ZeRO: FSDP cuts as zero_stage 2 or 3, nanotron as 1, deepspeed and megatron as any",
        lambda c: either(_has_stage(c), figure_of(c, "sharding_size") <= 1),
        "PyTorch FSDP `ShardingStrategy`, `fully_shard`; nanotron, optim/zero.py; Megatron-LM "
        "`--data-parallel-sharding-strategy`; read 2026-11-24",
        "zero_stage",
    ),
)
FRAMEWORK_WARNINGS = tuple(lacking.rule for lacking in LACKING)
