"""What offloading takes of the host: optimizer states, gradients and weights in its memory and on its disks."""

from __future__ import annotations

from memreport.figures.constants import FP32_BYTES
from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import total


@figure("M_hopt")
def host_optimizer_bytes(
    whole_optimizer_state_bytes: Bytes,
    whole_master_weight_bytes: Bytes,
    optimizer_shards: Count,
    optimizer_off_device: Switch,
    optimizer_offloaded: Switch,
    optimizer_on_nvme: Switch,
) -> Bytes:
    """Optimizer states and master weights of one GPU in host memory; paging takes the states only.

    Source: arXiv:2101.06840, section 3.
    """
    return (
        whole_optimizer_state_bytes * (optimizer_off_device - optimizer_on_nvme)
        + whole_master_weight_bytes * (optimizer_offloaded - optimizer_on_nvme)
    ) / optimizer_shards


@figure("M_off")
def offloaded_state_bytes(
    whole_optimizer_state_bytes: Bytes,
    whole_master_weight_bytes: Bytes,
    optimizer_shards: Count,
    optimizer_offloaded: Switch,
) -> Bytes:
    """Optimizer states and master weights of one GPU that the host updates, in its memory or on its disks.

    Source: arXiv:2104.07857 (ZeRO-Infinity), section 5.
    """
    return (whole_optimizer_state_bytes + whole_master_weight_bytes) / optimizer_shards * optimizer_offloaded


@figure("M_hgrad")
def host_gradient_bytes(
    rank_trainable_parameters: Count, optimizer_shards: Count, optimizer_offloaded: Switch
) -> Bytes:
    """FP32 gradients that the host's optimizer step reads.  Source: arXiv:2101.06840, section 3."""
    return rank_trainable_parameters * FP32_BYTES / optimizer_shards * optimizer_offloaded


@figure("M_hpar")
def host_parameter_bytes(
    model_weight_bytes: Bytes,
    rank_share: Share,
    parameter_shards: Count,
    parameters_offloaded: Switch,
    parameters_on_nvme: Switch,
) -> Bytes:
    """Weights of one GPU in host memory.  Source: arXiv:2104.07857 (ZeRO-Infinity), section 5."""
    return model_weight_bytes * rank_share / parameter_shards * (parameters_offloaded - parameters_on_nvme)


@figure("M_host", title="Host memory of a node", shown=("main",))
def host_bytes_per_node(
    host_optimizer_bytes: Bytes,
    host_gradient_bytes: Bytes,
    host_parameter_bytes: Bytes,
    offloaded_activation_bytes: Bytes,
    accelerators_per_node: Count,
) -> Bytes:
    """Host memory that offloading takes on one node.  Source: arXiv:2101.06840, section 3."""
    return accelerators_per_node * total(
        host_optimizer_bytes, host_gradient_bytes, host_parameter_bytes, offloaded_activation_bytes
    )


@figure("R_host", title="Headroom of the host")
def host_headroom_bytes(node_memory_bytes: Bytes, host_bytes_per_node: Bytes) -> Bytes:
    """Host memory left on one node after offloading.  Source: subtraction."""
    return node_memory_bytes - host_bytes_per_node


@figure("M_nvme")
def nvme_bytes_per_node(
    offloaded_state_bytes: Bytes,
    optimizer_on_nvme: Switch,
    model_weight_bytes: Bytes,
    rank_share: Share,
    parameter_shards: Count,
    parameters_on_nvme: Switch,
    accelerators_per_node: Count,
) -> Bytes:
    """Disk space that offloading takes on one node.  Source: arXiv:2104.07857, section 5."""
    return accelerators_per_node * (
        offloaded_state_bytes * optimizer_on_nvme
        + model_weight_bytes * rank_share / parameter_shards * parameters_on_nvme
    )


@figure("R_nvme")
def nvme_headroom_bytes(nvme_bytes: Bytes, nvme_bytes_per_node: Bytes) -> Bytes:
    """Disk space left on one node after offloading.  Source: subtraction."""
    return nvme_bytes - nvme_bytes_per_node
