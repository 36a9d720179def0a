"""How long bytes take between memories, and what a training step moves to and from the host.

Times are those of the stated rates without latency: lower bounds.
"""

from __future__ import annotations

from memreport.figures.constants import TWO
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, Seconds, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger


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


@figure("Q_oo", workload="training")
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


@figure("Q_po", workload="training")
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


@figure("t_oo", workload="training")
def optimizer_offload_seconds(optimizer_offload_bytes: Bytes, host_link_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time of the optimizer's traffic over the host link, per step.  Source: 001 'CPU Offloading'."""
    return optimizer_offload_bytes / host_link_bytes_per_second


@figure("t_po", workload="training")
def parameter_offload_seconds(parameter_offload_bytes: Bytes, host_link_bytes_per_second: BytesPerSecond) -> Seconds:
    """Time of the weights' traffic over the host link, per step.  Source: arXiv:2104.07857, section 4."""
    return parameter_offload_bytes / host_link_bytes_per_second


@figure("t_hl", workload="training")
def host_link_traffic_seconds(optimizer_offload_seconds: Seconds, parameter_offload_seconds: Seconds) -> Seconds:
    """Time in which the host link is busy, per step: it can be hidden behind arithmetic, but not shortened.

    Source: arXiv:2104.07857 (ZeRO-Infinity), section 6.2.
    """
    return optimizer_offload_seconds + parameter_offload_seconds


@figure("t_ho", workload="training")
def host_optimizer_seconds(
    host_optimizer_bytes: Bytes,
    optimizer_offloaded: Switch,
    accelerators_per_node: Count,
    host_memory_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """Time in which the host reads and writes its states, all GPUs of a node sharing its memory.

    Source: arXiv:2101.06840, section 5.
    """
    return TWO * host_optimizer_bytes * optimizer_offloaded * accelerators_per_node / host_memory_bytes_per_second


@figure("t_off", workload="training")
def offload_seconds(
    optimizer_offload_seconds: Seconds, parameter_offload_seconds: Seconds, host_optimizer_seconds: Seconds
) -> Seconds:
    """Time that offloading adds to a step: the slower of link and host memory, and the weights' traffic.

    Source: arXiv:2101.06840, section 5.
    """
    return larger(optimizer_offload_seconds, host_optimizer_seconds) + parameter_offload_seconds
