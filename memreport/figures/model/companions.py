"""Models that a training job holds beside the one that it trains: reference, reward, critic, teacher, towers."""

from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger


@figure("n_fr", workload="training")
def frozen_models(frozen_copies: Count, frozen_rewards: Count, trains_base: Switch) -> Count:
    """Frozen models of the same size; a base whose adapters are off stands for the reference.  Source: TRL."""
    return trains_base * frozen_copies + (1 - trains_base) * frozen_rewards


@figure("M_fr", workload="training")
def frozen_model_bytes(
    frozen_models: Count,
    parameters: Count,
    frozen_parameters: Count,
    frozen_element_bytes: Bytes,
    rank_share: Share,
    parameter_shards: Count,
) -> Bytes:
    """Weights of frozen models on one GPU, cut as the trained one is.  Source: TRL `prepare_fsdp`."""
    return (frozen_models * parameters + frozen_parameters) * frozen_element_bytes * rank_share / parameter_shards


@figure("M_cr", workload="training", source="arXiv:1707.06347, section 5; TRL `PPOTrainer`")
def critic_bytes(
    trained_copies: Count,
    weight_bytes: Bytes,
    master_weight_bytes: Bytes,
    gradient_bytes: Bytes,
    optimizer_state_bytes: Bytes,
) -> Bytes:
    """States of models that are trained beside the policy, all of its size; theirs go through a step in turns."""
    return trained_copies * (weight_bytes + master_weight_bytes + gradient_bytes + optimizer_state_bytes)


@figure("M_roll", workload="training")
def rollout_bytes(rollout_memory_share: Share, rollout_sleeps: Switch, capacity_bytes: Bytes) -> Bytes:
    """What a generation engine keeps on the same GPU while training.  Source: TRL `vllm_mode="colocate"`."""
    return rollout_memory_share * (1 - rollout_sleeps) * capacity_bytes


@figure("M_gen", workload="training")
def generating_bytes(
    resident_bytes: Bytes, rollout_memory_share: Share, rollout_sleeps: Switch, capacity_bytes: Bytes
) -> Bytes:
    """An engine that sleeps while training, awake beside the states; gradients and activations are gone.

    Source: TRL `vllm_enable_sleep_mode`, generation/vllm_generation.py; verl `free_cache_engine`.
    """
    return (rollout_memory_share * rollout_sleeps > 0) * (resident_bytes + rollout_memory_share * capacity_bytes)


@figure("M_genx", workload="training")
def generating_excess_bytes(
    generating_bytes: Bytes,
    forward_end_bytes: Bytes,
    backward_start_bytes: Bytes,
    backward_end_bytes: Bytes,
    optimizer_instant_without_gathered_bytes: Bytes,
) -> Bytes:
    """What that takes beyond every instant of the step.  Source: subtraction."""
    return larger(
        generating_bytes
        - larger(forward_end_bytes, backward_start_bytes, backward_end_bytes, optimizer_instant_without_gathered_bytes),
        0,
    )


@figure("M_com", workload="training", title="Other models")
def companion_bytes(frozen_model_bytes: Bytes, critic_bytes: Bytes, rollout_bytes: Bytes) -> Bytes:
    """Everything of other models that is there throughout a step.  Source: sum."""
    return frozen_model_bytes + critic_bytes + rollout_bytes
