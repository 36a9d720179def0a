"""PyTorch's own offloading: FSDP keeps shards and their gradients in host memory, and the optimizer steps there.

What is held is what would be held on the GPU.  Shards and gradients are page-locked one by one, a parameter or, in the
first FSDP, a whole unit at a time, and the host's allocator rounds each up to a power of two.
"""

from memreport.figures.constants import TWO
from memreport.figures.quantities import Bytes, Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, next_power, smaller, where


def rounded(size: Bytes) -> Bytes:
    """What the host's allocator adds to one page-locked tensor."""
    return next_power(size, TWO) - size


@figure("o_fo", source="PyTorch `CPUOffloadPolicy`; optimizer states alone, or on disks, are DeepSpeed's")
def fsdp_offload(
    offloads_by_fsdp: Switch,
    shards_parameters: Switch,
    optimizer_offloaded: Switch,
    optimizer_on_nvme: Switch,
    parameters_offloaded: Switch,
    parameters_on_nvme: Switch,
) -> Switch:
    """1 where weights, gradients and optimizer are on the host by FSDP, which moves all of them or none."""
    return offloads_by_fsdp * smaller(
        shards_parameters, optimizer_offloaded - optimizer_on_nvme, parameters_offloaded - parameters_on_nvme
    )


@figure(
    "b_sm", source="PyTorch `MixedPrecisionPolicy`; Accelerate 1.15, `fsdp2_prepare_model`, which makes parameters FP32"
)
def hosted_matrix_bytes_each(
    trains_base: Switch,
    master_element_bytes: Bytes,
    matrix_element_bytes: Bytes,
    tensor_parallel_size: Count,
    state_group_size: Count,
) -> Bytes:
    """Bytes of one GPU's shard over a matrix's elements: a master copy is the parameter itself."""
    return larger(trains_base * master_element_bytes, matrix_element_bytes) / (tensor_parallel_size * state_group_size)


@figure("M_pml")
def rounded_mlp_bytes(
    mlp_matrices: Count,
    hidden_size: Count,
    dense_layers: Count,
    intermediate_size: Count,
    hosted_matrix_bytes_each: Bytes,
) -> Bytes:
    """What rounding adds to MLPs; gate and up in one matrix are as two.  Source: PyTorch, CachingHostAllocator."""
    return dense_layers * mlp_matrices * rounded(hidden_size * intermediate_size * hosted_matrix_bytes_each)


@figure("M_sx")
def expert_shard_bytes(
    num_local_experts: Count, moe_intermediate_size: Count, hidden_size: Count, hosted_matrix_bytes_each: Bytes
) -> Bytes:
    """The same of one matrix of all routed experts, a tensor.  Source: HF `MixtralExperts`; torchtitan."""
    return num_local_experts * moe_intermediate_size * hidden_size * hosted_matrix_bytes_each


@figure("M_pex")
def rounded_expert_bytes(mlp_matrices: Count, mixture_layers: Count, expert_shard_bytes: Bytes) -> Bytes:
    """What rounding adds to routed experts.  Source: PyTorch, CachingHostAllocator."""
    return mixture_layers * mlp_matrices * rounded(expert_shard_bytes)


@figure("M_ped")
def rounded_edge_bytes(embedding_parameters: Count, has_own_head: Switch, hosted_matrix_bytes_each: Bytes) -> Bytes:
    """The same of embedding and head.  Source: PyTorch, CachingHostAllocator."""
    return (1 + has_own_head) * rounded(embedding_parameters * hosted_matrix_bytes_each)


@figure("M_plr")
def rounded_layer_bytes(
    num_hidden_layers: Count, mean_layer_parameters: Count, hosted_matrix_bytes_each: Bytes
) -> Bytes:
    """What rounding adds where a layer is one flat tensor.  Source: PyTorch `FlatParamHandle`."""
    return num_hidden_layers * rounded(mean_layer_parameters * hosted_matrix_bytes_each)


@figure("M_pin", basis="rule of thumb", source="PyTorch `CPUOffloadPolicy`")
def rounded_shard_bytes(
    fsdp_offload: Switch,
    pin_memory: Switch,
    flat_units: Switch,
    rounded_layer_bytes: Bytes,
    rounded_mlp_bytes: Bytes,
    rounded_expert_bytes: Bytes,
    rounded_edge_bytes: Bytes,
    pipeline_parallel_size: Count,
) -> Bytes:
    """What rounding adds to the shards of one GPU, attention's left out; the first FSDP always pins."""
    return (
        fsdp_offload
        * where(
            flat_units > 0,
            rounded_layer_bytes,
            pin_memory * (rounded_mlp_bytes + rounded_expert_bytes + rounded_edge_bytes),
        )
        / pipeline_parallel_size
    )


@figure("M_hfg", source="PyTorch `foreach_reduce`, `FlatParameter._cpu_grad`")
def hosted_gradient_bytes(
    fsdp_offload: Switch,
    whole_gradient_bytes: Bytes,
    gradient_shards: Count,
    trains_base: Switch,
    rounded_shard_bytes: Bytes,
) -> Bytes:
    """Gradients of FSDP's shards on the host, in the parameters' type."""
    return fsdp_offload * (whole_gradient_bytes / gradient_shards) + trains_base * rounded_shard_bytes
