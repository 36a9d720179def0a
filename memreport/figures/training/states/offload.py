"""What offloading takes of the host: optimizer states, gradients and weights in its memory and on its disks."""

from memreport.figures.constants import (
    FP32_BYTES,
    HOST_PROCESS_BYTES,
    NVME_BUFFERS,
    PINNED_SUB_GROUP_BYTES,
    SUB_GROUP_BYTES,
    SUB_GROUP_PARAMETERS,
    TWO,
)
from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import floor, larger, next_power, smaller, total, where


def pinned(size: Bytes, pins: Switch) -> Bytes:
    """A host buffer as PyTorch allocates it: page-locked ones are rounded up to a power of two."""
    return where(pins > 0, next_power(size, TWO), size)


@figure("p_pin")
def pins_host_buffers(pins_offload: Switch, pin_memory: Switch, fsdp_offload: Switch) -> Switch:
    """1 where DeepSpeed's buffers are page-locked.  Source: DeepSpeed 0.19, zero/offload_config.py `pin_memory`."""
    return pins_offload * pin_memory * (1 - fsdp_offload)


@figure("p_sub", source="DeepSpeed 0.19, zero/offload_config.py")
def has_sub_groups(shards_parameters: Switch, parameters_offloaded: Switch, optimizer_on_nvme: Switch) -> Switch:
    """1 under ZeRO-3, which weights on the host and states on a disk need on one GPU, too."""
    return larger(shards_parameters, parameters_offloaded, optimizer_on_nvme)


@figure("k_sub", source="DeepSpeed 0.19, zero/config.py `sub_group_size`")
def full_sub_groups(hosted_parameters: Count, has_sub_groups: Switch) -> Count:
    """Sub-groups of ZeRO-3 that are full; below ZeRO-3 all parameters are one buffer."""
    return has_sub_groups * floor(hosted_parameters / SUB_GROUP_PARAMETERS)


@figure("M_hmas", source="DeepSpeed 0.19, zero/stage_1_and_2.py and zero/stage3.py")
def host_master_bytes(
    whole_master_weight_bytes: Bytes,
    optimizer_shards: Count,
    optimizer_offloaded: Switch,
    optimizer_on_nvme: Switch,
    pins_host_buffers: Switch,
    has_sub_groups: Switch,
) -> Bytes:
    """Master weights of one GPU in host memory; ZeRO-3 does not pin them."""
    return (optimizer_offloaded - optimizer_on_nvme) * pinned(
        whole_master_weight_bytes / optimizer_shards, pins_host_buffers * (1 - has_sub_groups)
    )


@figure("M_hopt", source="arXiv:2101.06840, section 3")
def host_optimizer_bytes(
    whole_optimizer_state_bytes: Bytes,
    host_master_bytes: Bytes,
    optimizer_shards: Count,
    optimizer_off_device: Switch,
    optimizer_on_nvme: Switch,
) -> Bytes:
    """Optimizer states and master weights of one GPU in host memory; paging takes the states only."""
    return (
        whole_optimizer_state_bytes * (optimizer_off_device - optimizer_on_nvme) / optimizer_shards + host_master_bytes
    )


@figure("M_off", source="arXiv:2104.07857 (ZeRO-Infinity), section 5")
def offloaded_state_bytes(
    whole_optimizer_state_bytes: Bytes,
    whole_master_weight_bytes: Bytes,
    optimizer_shards: Count,
    optimizer_offloaded: Switch,
) -> Bytes:
    """Optimizer states and master weights of one GPU that the host updates, in its memory or on its disks."""
    return (whole_optimizer_state_bytes + whole_master_weight_bytes) / optimizer_shards * optimizer_offloaded


@figure("M_lsub")
def last_sub_group_bytes(hosted_parameters: Count, full_sub_groups: Count) -> Bytes:
    """FP32 gradients of the sub-group that is not full.  Source: DeepSpeed 0.19, zero/config.py `sub_group_size`."""
    return (hosted_parameters - full_sub_groups * SUB_GROUP_PARAMETERS) * FP32_BYTES


@figure("M_lbuf")
def last_buffer_bytes(last_sub_group_bytes: Bytes, pins_host_buffers: Switch) -> Bytes:
    """The buffer of that sub-group.  Source: PyTorch, CachingHostAllocator."""
    return pinned(last_sub_group_bytes, pins_host_buffers)


@figure("M_hgrad", source="arXiv:2101.06840, section 3; DeepSpeed 0.19, zero/stage3.py `initialize_optimizer_states`")
def host_gradient_bytes(
    full_sub_groups: Count,
    last_buffer_bytes: Bytes,
    pins_host_buffers: Switch,
    optimizer_on_nvme: Switch,
    fsdp_offload: Switch,
    hosted_gradient_bytes: Bytes,
) -> Bytes:
    """Gradients that the host's optimizer step reads: of DeepSpeed FP32, a buffer for each sub-group."""
    return hosted_gradient_bytes + (1 - larger(optimizer_on_nvme, fsdp_offload)) * (
        full_sub_groups * where(pins_host_buffers > 0, PINNED_SUB_GROUP_BYTES, SUB_GROUP_BYTES) + last_buffer_bytes
    )


@figure("M_h16", source="DeepSpeed 0.19, `param_buffer_of_bit16_for_cpu_offload_groups`, `grad_partitions_flat_buffer`")
def host_copy_bytes(hosted_parameters: Count, offload_buffer_bytes: Bytes, fsdp_offload: Switch) -> Bytes:
    """16-bit weights or gradients of one GPU beside these."""
    return hosted_parameters * offload_buffer_bytes * (1 - fsdp_offload)


@figure("M_hbuf")
def host_buffer_bytes(host_copy_bytes: Bytes, pins_host_buffers: Switch) -> Bytes:
    """Their buffer.  Source: PyTorch, CachingHostAllocator."""
    return pinned(host_copy_bytes, pins_host_buffers)


@figure("M_hswap")
def host_swap_bytes(hosted_parameters: Count, optimizer_on_nvme: Switch) -> Bytes:
    """What states on a disk are read and written through.  Source: DeepSpeed 0.19, zero/offload_config.py."""
    return optimizer_on_nvme * NVME_BUFFERS * smaller(hosted_parameters, SUB_GROUP_PARAMETERS) * FP32_BYTES


@figure("M_hsh")
def hosted_shard_bytes(
    model_weight_bytes: Bytes,
    rank_share: Share,
    parameter_shards: Count,
    parameters_offloaded: Switch,
    parameters_on_nvme: Switch,
) -> Bytes:
    """Weights of one GPU that the host holds.  Source: arXiv:2104.07857 (ZeRO-Infinity), section 5."""
    return model_weight_bytes * rank_share / parameter_shards * (parameters_offloaded - parameters_on_nvme)


@figure("M_hpar", source="DeepSpeed 0.19, `param_groups_fp16_flat_cpu_memory`; PyTorch `CPUOffloadPolicy`")
def host_parameter_bytes(
    hosted_shard_bytes: Bytes, pins_offload: Switch, fsdp_offload: Switch, rounded_shard_bytes: Bytes
) -> Bytes:
    """Their buffer, of DeepSpeed pinned whatever is asked."""
    return pinned(hosted_shard_bytes, pins_offload * (1 - fsdp_offload)) + rounded_shard_bytes


@figure("M_hgpu")
def offloaded_host_bytes(
    host_optimizer_bytes: Bytes,
    host_gradient_bytes: Bytes,
    host_buffer_bytes: Bytes,
    host_swap_bytes: Bytes,
    host_parameter_bytes: Bytes,
    offloaded_activation_bytes: Bytes,
) -> Bytes:
    """What one GPU's process keeps in host memory.  Source: sum over the figures it names."""
    return total(
        host_optimizer_bytes,
        host_gradient_bytes,
        host_buffer_bytes,
        host_swap_bytes,
        host_parameter_bytes,
        offloaded_activation_bytes,
    )


@figure("M_host", title="Host memory of a node", shown=("main",))
def host_bytes_per_node(offloaded_host_bytes: Bytes, accelerators_per_node: Count) -> Bytes:
    """Host memory that offloading takes on one node, with the processes themselves.  Source: two steps on an H200."""
    return accelerators_per_node * (offloaded_host_bytes + where(offloaded_host_bytes > 0, HOST_PROCESS_BYTES, 0))


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
