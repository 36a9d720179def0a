"""The `search:` block of a scenario: which values `memreport plan` may try, and how it ranks what fits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from memreport.catalogue.fields.blocks import StrictBlock
from memreport.catalogue.fields.dictionary import LONGEST

MOST_VALUES = 64
Rank = Literal["cost", "step_time", "accelerators"]
Tier = Literal["major-cloud", "specialised-cloud", "community", "any"]
Term = Literal["on-demand", "reserved-1y", "reserved-3y", "spot"]
Names = Annotated[list[str], Field(min_length=1, max_length=MOST_VALUES)]
Sizes = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=MOST_VALUES)]
Layers = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1, max_length=MOST_VALUES)]
Stages = Annotated[list[Annotated[int, Field(ge=0, le=3)]], Field(min_length=1, max_length=4)]
ALTERING = ("optimizer", "precision", "base_weight_dtype", "kv_cache_dtype")
"""Fields whose change alters what comes out, not only how it is computed."""
AXES = {
    "training": (
        "accelerator",
        "count",
        "method",
        "base_weight_dtype",
        "precision",
        "optimizer",
        "optimizer_offload",
        "parameter_offload",
        "zero_stage",
        "gradient_checkpointing",
        "tensor_parallel_size",
        "pipeline_parallel_size",
        "context_parallel_size",
        "expert_parallel_size",
        "micro_batch_size",
    ),
    "serving": (
        "accelerator",
        "count",
        "weight_dtype",
        "kv_cache_dtype",
        "tensor_parallel_size",
        "pipeline_parallel_size",
        "expert_parallel_size",
        "n_gpu_layers",
    ),
}
"""Fields that a search may vary; the others keep the scenario's values."""


class SearchFields(StrictBlock):
    """Lists of allowed values by field; a field that is left out gets a usual range, or keeps the scenario's value."""

    accelerator: Names | None = Field(default=None, description="GPUs to consider")
    count: Sizes | None = Field(default=None, description="numbers of GPUs")
    method: Names | None = Field(default=None, description="full, lora, qlora")
    base_weight_dtype: Names | None = Field(default=None, description="formats of the frozen base under qlora")
    precision: Names | None = Field(default=None, description="precision policies of training")
    optimizer: Names | None = Field(default=None, description="optimizers")
    optimizer_offload: Names | None = Field(default=None, description="where optimizer states may live")
    parameter_offload: Names | None = Field(default=None, description="where weights may live")
    zero_stage: Stages | None = Field(default=None, description="ZeRO stages")
    gradient_checkpointing: Names | None = Field(default=None, description="checkpointing modes")
    tensor_parallel_size: Sizes | None = Field(default=None, description="widths of tensor parallelism")
    pipeline_parallel_size: Sizes | None = Field(default=None, description="numbers of pipeline stages")
    context_parallel_size: Sizes | None = Field(default=None, description="parts of a sequence")
    expert_parallel_size: Sizes | None = Field(default=None, description="groups of experts")
    micro_batch_size: Sizes | None = Field(
        default=None, description="sequences at once; accumulation keeps the global batch"
    )
    weight_dtype: Names | None = Field(default=None, description="formats of served weights")
    kv_cache_dtype: Names | None = Field(default=None, description="types of cached keys and values")
    n_gpu_layers: Layers | None = Field(default=None, description="layers on the GPUs, the others on the host")
    hosts: dict[str, str] = Field(default_factory=dict, description="the host of each GPU that is not the scenario's")
    rank_by: Rank = Field(default="cost", description="what is best: cost, step_time or GPUs")
    price_tier: Tier | None = Field(
        default=None,
        description="whose prices GPUs are billed at, any for the cheapest of all; that of the scenario's own price "
        "unless given",
    )
    price_term: Term | None = Field(
        default=None, description="on which terms; those of the scenario's own price, or on demand, unless given"
    )
    price_provider: str | None = Field(
        default=None, description="whose prices are used where none is named, as hardware/prices.yaml spells it"
    )
    safety_margin: float = Field(default=0.05, ge=0, lt=1, description="share of the usable memory that must stay free")
    limit: int = Field(default=10, ge=1, le=1000, description="combinations shown")
    concurrency: int | None = Field(
        default=None, ge=1, le=int(LONGEST), description="sequences that must run at once, over all replicas"
    )
    context_length: int | None = Field(
        default=None, ge=1, le=int(LONGEST), description="tokens that each of them holds"
    )
    time_to_first_token_seconds: float | None = Field(
        default=None, gt=0, description="longest wait for the first token"
    )
    sequence_tokens_per_second: float | None = Field(
        default=None, gt=0, description="slowest decoding that a user may see"
    )
    run_hours: float | None = Field(
        default=None, gt=0, description="longest training by the clock, in hours: 720 for 30 days"
    )

    most_cost_usd: float | None = Field(
        default=None, gt=0, description="most that a run, the hours of a service, or a purchase may cost, in USD"
    )

    @field_validator(*dict.fromkeys(name for names in AXES.values() for name in names))
    @classmethod
    def no_repeats(cls, values: list[object] | None) -> list[object] | None:
        """Every value is tried once."""
        if values is not None and len(set(values)) != len(values):
            raise ValueError("names a value twice")
        return values
