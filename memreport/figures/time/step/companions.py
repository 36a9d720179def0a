"""Seconds of a step beside the policy's own: other models' passes, generated samples, replicas of hybrid shards."""

from memreport.figures.constants import FLOP_PER_MULTIPLY_ADD, KEY_AND_VALUE, ONE_TOKEN, RING_PASSES, TWO
from memreport.figures.constants.times import (
    PRODUCTS_PER_LAYER,
    ROLLOUT_SAMPLE_SECONDS,
    ROLLOUT_STEP_SECONDS,
    SAMPLING_BYTES,
    SURFACE,
)
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, FlopPerSecond, Seconds, Share, Switch, Tokens
from memreport.figures.time.reached import shared, soft_maximum
from memreport.formula.recording import figure
from memreport.formula.words import larger, power, total, where


@figure("t_f1", basis="measured")
def single_pass_seconds(
    device_seconds: Seconds, update_part_seconds: Seconds, trainable_share: Share, recompute_share: Share
) -> Seconds:
    """One forward pass over a step's tokens, without traffic.

    Source: arXiv:2001.08361, section 2.1: a backward pass is one for the inputs and one for what is trained.
    """
    return (device_seconds - update_part_seconds) / (TWO + trainable_share + recompute_share)


@figure("t_fp", basis="measured")
def pass_seconds(single_pass_seconds: Seconds, forward_gather_seconds: Seconds) -> Seconds:
    """One more forward pass of a model of the same size, its shards gathered once beside it.  Source: PyTorch FSDP."""
    return single_pass_seconds + shared(single_pass_seconds, forward_gather_seconds)


@figure("n_tp", basis="rule of thumb", source="products are depth x width x width, norms depth x width")
def frozen_model_passes(
    frozen_parameters: Count,
    parameters: Count,
    stage_products_seconds: Seconds,
    device_seconds: Seconds,
    update_part_seconds: Seconds,
) -> Count:
    """A pass of a frozen model of another size, in the policy's; its norms grow less than its parameters."""
    return power(frozen_parameters / parameters, SURFACE) + stage_products_seconds / (
        device_seconds - update_part_seconds
    ) * (frozen_parameters / parameters - power(frozen_parameters / parameters, SURFACE))


@figure("n_fp", source="TRL `DPOTrainer.compute_ref_log_probs`, `PPOTrainer`")
def frozen_passes(frozen_copies: Count, passes_without_gradient: Count, frozen_model_passes: Count) -> Count:
    """Forward passes of other models in a step, in those of the policy; adapters that are off pass the base again."""
    return frozen_copies + passes_without_gradient + frozen_model_passes


@figure("t_cr", basis="measured")
def critic_seconds(trained_copies: Count, device_seconds: Seconds, data_exposed_seconds: Seconds) -> Seconds:
    """Models that are trained beside the policy take a step of its size each.  Source: TRL `PPOTrainer`."""
    return trained_copies * (device_seconds + data_exposed_seconds)


@figure("n_rs")
def rollout_samples(micro_batch_size: Count, sequences_per_sample: Count, gradient_accumulation_steps: Count) -> Count:
    """Samples that a GPU generates for a step of its own.  Source: TRL `GRPOTrainer`, vllm_mode colocate."""
    return micro_batch_size * sequences_per_sample * gradient_accumulation_steps


@figure("Q_rs", source="002 'KV Cache Dominates'")
def rollout_step_bytes(
    parameters: Count,
    tensor_parallel_size: Count,
    activation_element_bytes: Bytes,
    rollout_samples: Count,
    sequence_length: Tokens,
    rollout_tokens: Tokens,
    num_hidden_layers: Count,
    key_value_size: Count,
) -> Bytes:
    """Read for one token of every sample: weights once, and the cache at its mean length."""
    return (
        (
            parameters
            + rollout_samples
            * (sequence_length / ONE_TOKEN - rollout_tokens / ONE_TOKEN / TWO)
            * num_hidden_layers
            * KEY_AND_VALUE
            * key_value_size
        )
        * activation_element_bytes
        / tensor_parallel_size
    )


@figure("t_rw", basis="measured")
def rollout_work_seconds(
    active_parameters: Count,
    rollout_samples: Count,
    tensor_parallel_size: Count,
    bf16_flop_per_second: FlopPerSecond,
    product_share_16bit: Share,
) -> Seconds:
    """Arithmetic of one token of every sample.  Source: arXiv:2001.08361, section 2.1."""
    return (
        FLOP_PER_MULTIPLY_ADD * active_parameters * rollout_samples / tensor_parallel_size
        / (bf16_flop_per_second * product_share_16bit)
    )  # fmt: skip


@figure("t_rl", basis="measured", source="as those of a decode step in serving, hardware/efficiency.yaml")
def rollout_launch_seconds(
    num_hidden_layers: Count,
    norms_per_layer: Count,
    product_launch_seconds: Seconds,
    decode_attention_seconds: Seconds,
    mixture_layers: Count,
    expert_launch_seconds: Seconds,
) -> Seconds:
    """Starts of the kernels of one token: products, norms, one for what is done to each value, attention, experts."""
    return (
        num_hidden_layers
        * ((PRODUCTS_PER_LAYER + norms_per_layer + 1) * product_launch_seconds + decode_attention_seconds)
        + mixture_layers * expert_launch_seconds
    )  # fmt: skip


@figure("t_rh", basis="measured")
def rollout_host_seconds(rollout_samples: Count, vocab_size: Count, stream_bytes_per_second: BytesPerSecond) -> Seconds:
    """What the engine's host and its sampler take for one token of every sample.  Source: as in serving, vLLM."""
    return ROLLOUT_STEP_SECONDS + rollout_samples * (
        ROLLOUT_SAMPLE_SECONDS + vocab_size * SAMPLING_BYTES / stream_bytes_per_second
    )


@figure("t_rr", basis="measured")
def rollout_read_seconds(rollout_step_bytes: Bytes, product_bytes_per_second: BytesPerSecond) -> Seconds:
    """Reading for one token of every sample.  Source: 002 'KV Cache Dominates'."""
    return rollout_step_bytes / product_bytes_per_second


@figure("t_rp", basis="measured")
def rollout_product_seconds(rollout_work_seconds: Seconds, rollout_read_seconds: Seconds) -> Seconds:
    """Products of one token of every sample, the longer of arithmetic and reading.  Source: form of operator fits."""
    return soft_maximum(rollout_work_seconds, rollout_read_seconds)


@figure("t_rs", basis="measured", source="TRL `GRPOTrainer`, vllm_mode colocate; sum of its parts")
def rollout_seconds(
    rollout_tokens: Tokens,
    rollout_product_seconds: Seconds,
    rollout_launch_seconds: Seconds,
    rollout_host_seconds: Seconds,
) -> Seconds:
    """Generation of a step's samples on the same GPUs, token by token, all samples at once; prompts are not in it."""
    return (rollout_tokens / ONE_TOKEN) * (rollout_product_seconds + rollout_launch_seconds + rollout_host_seconds)


@figure("Q_hy", source="PyTorch FSDP `HYBRID_SHARD`; arXiv:2304.11277, section 3.2.2")
def replica_bytes(
    gradient_exchange_bytes: Bytes, state_sharding_size: Count, state_group_size: Count, sharding_size: Count
) -> Bytes:
    """Gradients of its shard that a GPU sends to the other copies of hybrid shards, a ring's all-reduce."""
    return RING_PASSES * gradient_exchange_bytes / state_sharding_size * (1 - state_group_size / sharding_size)


@figure("o_hyn")
def replicas_leave_domain(sharding_size: Count, tensor_parallel_size: Count, accelerators_per_domain: Count) -> Switch:
    """1 where copies of hybrid shards lie in several domains of the link.  Source: order of ranks in Megatron-LM."""
    return where(sharding_size * tensor_parallel_size > accelerators_per_domain, 1, 0)


@figure("t_hy", basis="measured", source="division; latency of a ring")
def replica_sent_seconds(
    state_group_size: Count,
    sharding_size: Count,
    replica_bytes: Bytes,
    replicas_leave_domain: Switch,
    collective_network_bytes_per_second: BytesPerSecond,
    collective_link_bytes_per_second: BytesPerSecond,
    layers_per_stage: Count,
    gradient_reductions: Count,
    collective_latency_seconds: Seconds,
    network_hop_seconds: Seconds,
) -> Seconds:
    """Time of that all-reduce, layer by layer; copies lie in other nodes where the job has several."""
    return (state_group_size > 1) * (sharding_size > state_group_size) * (
        replica_bytes
        / where(replicas_leave_domain > 0, collective_network_bytes_per_second, collective_link_bytes_per_second)
        + layers_per_stage * gradient_reductions
        * (collective_latency_seconds + replicas_leave_domain * sharding_size / state_group_size * network_hop_seconds)
    )  # fmt: skip


@figure("t_xhy", basis="measured")
def replica_exposed_seconds(
    replica_sent_seconds: Seconds, backward_traffic_seconds: Seconds, reducing_seconds: Seconds
) -> Seconds:
    """What copies of hybrid shards add beyond what the backward pass hides beside the other traffic.

    Source: PyTorch FSDP `HYBRID_SHARD`, whose all-reduce follows the reduce-scatter of the shard.
    """
    return larger(replica_sent_seconds - larger(reducing_seconds - backward_traffic_seconds, 0), 0)


@figure("t_com", basis="measured")
def companion_seconds(
    frozen_passes: Count, pass_seconds: Seconds, critic_seconds: Seconds, rollout_seconds: Seconds
) -> Seconds:
    """Time of a step that other models and generated samples take.  Source: sum."""
    return total(frozen_passes * pass_seconds, critic_seconds, rollout_seconds)
