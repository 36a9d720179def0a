"""Host time with which ZeRO-3 of DeepSpeed fetches and sets free the matrices of a layer, one by one, in every pass."""

from memreport.figures.constants import TWO
from memreport.figures.constants.times import ADAPTER_MATRICES, ATTENTION_MATRICES, PERSISTENT_RANK
from memreport.figures.quantities import Count, Seconds, Share, Switch
from memreport.figures.time.reached import beyond
from memreport.formula.recording import figure


@figure("n_fm", source="DeepSpeed; transformers `stage3_param_persistence_threshold`")
def fetched_matrices(mlp_matrices: Count, adapted_modules: Count, lora_rank: Count) -> Count:
    """Sharded matrices of a layer that are fetched each by itself; small ones stay whole."""
    return ATTENTION_MATRICES + mlp_matrices + ADAPTER_MATRICES * adapted_modules * (lora_rank > PERSISTENT_RANK)


@figure("t_ft", basis="measured", source="DeepSpeed `fetch_sub_module`, `partition_grads`")
def fetching_seconds(
    fetched_matrices: Count,
    layers_per_stage: Count,
    recompute_share: Share,
    trains_base: Switch,
    gradient_accumulation_steps: Count,
    shards_parameters: Switch,
    fetch_seconds: Seconds,
) -> Seconds:
    """Host time of all fetches of a step: forward, backward, and computed again; and of gradients that are cut."""
    return (
        fetched_matrices * layers_per_stage * (TWO + recompute_share + trains_base) * gradient_accumulation_steps
        * shards_parameters * fetch_seconds
    )  # fmt: skip


@figure("t_iss", basis="measured")
def issuing_seconds(fetching_seconds: Seconds, launching_seconds: Seconds) -> Seconds:
    """Host time of fetches and launches, where there are fetches.  Source: sum."""
    return (fetching_seconds > 0) * (fetching_seconds + launching_seconds)


@figure("t_gw", basis="measured")
def working_seconds(device_seconds: Seconds, traffic_seconds_computed: Seconds) -> Seconds:
    """Time in which a GPU computes or waits for traffic.  Source: sum."""
    return device_seconds + traffic_seconds_computed


@figure("t_fx", basis="measured", source="DeepSpeed `PartitionedParameterCoordinator`")
def fetch_exposed_seconds(working_seconds: Seconds, issuing_seconds: Seconds) -> Seconds:
    """What fetches add: the host may be two of them ahead of the GPU, so that each waits for the other at times."""
    return beyond(working_seconds, issuing_seconds)
