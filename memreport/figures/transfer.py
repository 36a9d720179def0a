"""How long bytes take between memories, and what a training step moves between accelerators and to the host.

Times are those of the stated rates without latency: lower bounds.
"""

from __future__ import annotations

from memreport.figures.constants import ONE_TOKEN, REDUCTIONS_PER_LAYER, RING_PASSES, TWO
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, Seconds, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("t_hbm")
def memory_seconds(transfer_bytes: Bytes, memory_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time to read the given bytes from the accelerator's memory.  Source: 000 'Bandwidth, Latency, and Compute'."""
    return transfer_bytes / memory_bytes_per_second


@figure("t_link")
def link_seconds(transfer_bytes: Bytes, link_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time over the scale-up link, one direction.  Source: 000 'GPU to CPU Transfer Rates'."""
    return transfer_bytes / link_bytes_per_second


@figure("t_pcie")
def host_link_seconds(transfer_bytes: Bytes, host_link_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time over the host link, one direction.  Source: 000 'GPU to CPU Transfer Rates'."""
    return transfer_bytes / host_link_bytes_per_second


@figure("t_ram")
def host_memory_seconds(transfer_bytes: Bytes, host_memory_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time to read from the host's memory.  Source: 000 'CPU Memory'."""
    return transfer_bytes / host_memory_bytes_per_second


@figure("t_nvme")
def nvme_seconds(transfer_bytes: Bytes, nvme_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time to read from the host's disks.  Source: arXiv:2104.07857 (ZeRO-Infinity), section 4."""
    return transfer_bytes / nvme_bytes_per_second


@figure("x_link")
def link_slowdown(memory_bytes_per_second: BytesPerSecond, link_bytes_per_second: BytesPerSecond) -> Share:
    """How many times slower the scale-up link is than the accelerator's memory.  Source: 000, same section."""
    return memory_bytes_per_second / link_bytes_per_second


@figure("x_pcie")
def host_link_slowdown(memory_bytes_per_second: BytesPerSecond, host_link_bytes_per_second: BytesPerSecond) -> Share:
    """How many times slower the host link is than the accelerator's memory.  Source: 001 'CPU Offloading'."""
    return memory_bytes_per_second / host_link_bytes_per_second


@figure("x_ram")
def host_memory_slowdown(
    memory_bytes_per_second: BytesPerSecond, host_memory_bytes_per_second: BytesPerSecond
) -> Share:
    """How many times slower the host's memory is than the accelerator's.  Source: 001 'CPU Memory'."""
    return memory_bytes_per_second / host_memory_bytes_per_second


@figure("x_nvme")
def nvme_slowdown(memory_bytes_per_second: BytesPerSecond, nvme_bytes_per_second: BytesPerSecond) -> Share:
    """How many times slower the disks are than the accelerator's memory.  Source: arXiv:2104.07857, section 4."""
    return memory_bytes_per_second / nvme_bytes_per_second


@figure("Q_gx")
def gradient_exchange_bytes(whole_gradient_bytes: Bytes, shards_optimizer: Switch) -> Bytes:
    """Gradients sent per step: an all-reduce, or under ZeRO a reduce-scatter.  Source: arXiv:1910.02054, section 7."""
    return whole_gradient_bytes * (RING_PASSES - shards_optimizer)


@figure("Q_wu")
def weight_update_bytes(
    shards_optimizer: Switch, shards_parameters: Switch, rank_trainable_parameters: Count, weight_element_bytes: Bytes
) -> Bytes:
    """Updated weights gathered after the step under ZeRO-1 and 2.  Source: arXiv:1910.02054, section 7.2.1."""
    return shards_optimizer * (1 - shards_parameters) * rank_trainable_parameters * weight_element_bytes


@figure("Q_wg")
def weight_gather_bytes(
    shards_parameters: Switch,
    gradient_accumulation_steps: Count,
    model_weight_bytes: Bytes,
    rank_share: Share,
) -> Bytes:
    """Weights gathered for the forward and again for the backward pass of each micro-batch under ZeRO-3 or FSDP.

    Source: arXiv:1910.02054, section 7.2.2.
    """
    return shards_parameters * TWO * gradient_accumulation_steps * model_weight_bytes * rank_share


@figure("Q_dv")
def data_parallel_volume_bytes(
    gradient_exchange_bytes: Bytes, weight_update_bytes: Bytes, weight_gather_bytes: Bytes
) -> Bytes:
    """Data-parallel volume by the usual count: 2P elements, and 3P under ZeRO-3.  Source: arXiv:1910.02054, 7."""
    return gradient_exchange_bytes + weight_update_bytes + weight_gather_bytes


@figure("Q_dp")
def data_parallel_bytes(data_parallel_volume_bytes: Bytes, sharding_size: Count) -> Bytes:
    """What a ring of this many accelerators really sends per accelerator and step.  Source: ring collectives."""
    return data_parallel_volume_bytes * (1 - 1 / sharding_size)


@figure("Q_tp")
def tensor_parallel_bytes(
    tensor_parallel_size: Count,
    layers_per_stage: Count,
    rank_tokens_per_step: Tokens,
    hidden_size: Count,
    activation_element_bytes: Bytes,
    recompute_share: Share,
) -> Bytes:
    """All-reduces of hidden states: two per layer and pass.  Source: arXiv:1909.08053 (Megatron-LM), section 3."""
    return (
        (1 - 1 / tensor_parallel_size)
        * RING_PASSES
        * REDUCTIONS_PER_LAYER
        * (TWO + recompute_share)
        * layers_per_stage
        * (rank_tokens_per_step / ONE_TOKEN)
        * hidden_size
        * activation_element_bytes
    )


@figure("Q_pp")
def pipeline_parallel_bytes(
    pipeline_parallel_size: Count,
    rank_tokens_per_step: Tokens,
    hidden_size: Count,
    activation_element_bytes: Bytes,
) -> Bytes:
    """Hidden states sent on and gradients sent back between stages.  Source: arXiv:2104.04473, section 3.2."""
    return (
        (pipeline_parallel_size > 1)
        * TWO
        * (rank_tokens_per_step / ONE_TOKEN)
        * hidden_size
        * activation_element_bytes
    )  # fmt: skip


@figure("Q_ep")
def expert_parallel_bytes(
    expert_parallel_size: Count,
    mixture_layers: Count,
    stage_share: Share,
    rank_tokens_per_step: Tokens,
    num_experts_per_tok: Count,
    hidden_size: Count,
    activation_element_bytes: Bytes,
    recompute_share: Share,
) -> Bytes:
    """Tokens sent to their experts and back, in every pass.  Source: arXiv:2006.16668 (GShard), section 3.2."""
    return (
        (1 - 1 / expert_parallel_size)
        * TWO
        * (TWO + recompute_share)
        * (mixture_layers * stage_share)
        * (rank_tokens_per_step / ONE_TOKEN)
        * num_experts_per_tok
        * hidden_size
        * activation_element_bytes
    )


@figure("B_dp")
def group_bytes_per_second(
    accelerators: Count,
    cards_per_node: Count,
    link_bytes_per_second: BytesPerSecond,
    network_bytes_per_second: BytesPerSecond,
) -> BytesPerSecond:
    """Rate between data-parallel accelerators: the link in a node, else the slower of link and network.

    Source: the host's and the accelerator's data sheets.
    """
    return where(
        accelerators > cards_per_node, smaller(link_bytes_per_second, network_bytes_per_second), link_bytes_per_second
    )


@figure("t_dp")
def data_parallel_seconds(data_parallel_bytes: Bytes, group_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time of data-parallel traffic per step, not hidden behind arithmetic.  Source: division."""
    return data_parallel_bytes / group_bytes_per_second


@figure("t_tp")
def tensor_parallel_seconds(tensor_parallel_bytes: Bytes, link_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time of tensor-parallel traffic per step, inside a node.  Source: division."""
    return tensor_parallel_bytes / link_bytes_per_second


@figure("t_pp")
def pipeline_parallel_seconds(pipeline_parallel_bytes: Bytes, group_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time of pipeline traffic per step.  Source: division."""
    return pipeline_parallel_bytes / group_bytes_per_second


@figure("t_ep")
def expert_parallel_seconds(expert_parallel_bytes: Bytes, group_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time of expert traffic per step.  Source: division."""
    return expert_parallel_bytes / group_bytes_per_second


@figure("t_comm")
def communication_seconds(
    data_parallel_seconds: Seconds,
    tensor_parallel_seconds: Seconds,
    pipeline_parallel_seconds: Seconds,
    expert_parallel_seconds: Seconds,
) -> Seconds:
    """Time of all traffic between accelerators per step, one after the other.  Source: sum."""
    return data_parallel_seconds + tensor_parallel_seconds + pipeline_parallel_seconds + expert_parallel_seconds


@figure("Q_oo")
def optimizer_offload_bytes(
    optimizer_offloaded: Switch,
    rank_trainable_parameters: Count,
    optimizer_shards: Count,
    trained_gradient_element_bytes: Bytes,
    weight_element_bytes: Bytes,
) -> Bytes:
    """Gradients down and updated weights up, per step, when the host updates.  Source: arXiv:2101.06840, section 3."""
    return (
        optimizer_offloaded
        * (rank_trainable_parameters / optimizer_shards)
        * (trained_gradient_element_bytes + weight_element_bytes)
    )


@figure("Q_po")
def parameter_offload_bytes(
    parameters_offloaded: Switch,
    model_weight_bytes: Bytes,
    rank_share: Share,
    parameter_shards: Count,
    gradient_accumulation_steps: Count,
) -> Bytes:
    """Weights fetched from the host for the forward and the backward pass of each micro-batch.

    Source: arXiv:2104.07857 (ZeRO-Infinity), section 5.
    """
    return parameters_offloaded * TWO * gradient_accumulation_steps * model_weight_bytes * rank_share / parameter_shards


@figure("t_oo")
def optimizer_offload_seconds(optimizer_offload_bytes: Bytes, host_link_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time of the optimizer's traffic over the host link, per step.  Source: 001 'CPU Offloading'."""
    return optimizer_offload_bytes / host_link_bytes_per_second


@figure("t_po")
def parameter_offload_seconds(parameter_offload_bytes: Bytes, host_link_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time of the weights' traffic over the host link, per step.  Source: arXiv:2104.07857, section 4."""
    return parameter_offload_bytes / host_link_bytes_per_second


@figure("t_ho")
def host_optimizer_seconds(
    host_optimizer_bytes: Bytes,
    optimizer_offloaded: Switch,
    accelerators_per_node: Count,
    host_memory_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """Time in which the host reads and writes its states, all cards of a node sharing its memory.

    Source: arXiv:2101.06840, section 5.
    """
    return TWO * host_optimizer_bytes * optimizer_offloaded * accelerators_per_node / host_memory_bytes_per_second


@figure("t_off")
def offload_seconds(
    optimizer_offload_seconds: Seconds, parameter_offload_seconds: Seconds, host_optimizer_seconds: Seconds
) -> Seconds:
    """Time that offloading adds to a step: the slower of link and host memory, and the weights' traffic.

    Source: arXiv:2101.06840, section 5.
    """
    return larger(optimizer_offload_seconds, host_optimizer_seconds) + parameter_offload_seconds


FIGURES = (
    memory_seconds,
    link_seconds,
    host_link_seconds,
    host_memory_seconds,
    nvme_seconds,
    link_slowdown,
    host_link_slowdown,
    host_memory_slowdown,
    nvme_slowdown,
)
TRAINING_FIGURES = (
    gradient_exchange_bytes,
    weight_update_bytes,
    weight_gather_bytes,
    data_parallel_volume_bytes,
    data_parallel_bytes,
    tensor_parallel_bytes,
    pipeline_parallel_bytes,
    expert_parallel_bytes,
    group_bytes_per_second,
    data_parallel_seconds,
    tensor_parallel_seconds,
    pipeline_parallel_seconds,
    expert_parallel_seconds,
    communication_seconds,
    optimizer_offload_bytes,
    parameter_offload_bytes,
    optimizer_offload_seconds,
    parameter_offload_seconds,
    host_optimizer_seconds,
    offload_seconds,
)
