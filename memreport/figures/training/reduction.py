"""Gradients on their way into what stays: reduced over a sharding group, or added up for a matrix used twice."""

from memreport.figures.constants import FP32_BYTES, TWO
from memreport.figures.quantities import Bytes, Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure(
    "b_gat", source="PyTorch FSDP `MixedPrecision.param_dtype`, which Accelerate sets with bf16; two processes, counted"
)
def gathered_weight_element_bytes(
    autocast: Switch, shards_parameters: Switch, activation_element_bytes: Bytes, other_weight_element_bytes: Bytes
) -> Bytes:
    """Width of a weight while it is at work: sharded FP32 weights are cast before they are gathered."""
    return where(autocast * shards_parameters > 0, activation_element_bytes, other_weight_element_bytes)


@figure("b_red", source="PyTorch `MixedPrecisionPolicy.reduce_dtype`")
def reduced_element_bytes(
    reduce_element_bytes: Bytes, gathered_weight_element_bytes: Bytes, reduces_in_fp32: Switch
) -> Bytes:
    """Width in which sharded gradients are reduced, at least that of the gathered weights."""
    return larger(reduce_element_bytes, gathered_weight_element_bytes, reduces_in_fp32 * FP32_BYTES)


@figure("o_unit", source="PyTorch `FSDPParamGroup.post_backward`")
def reduces_by_layer(
    shards_gradients: Switch, gathered_units: Count, trains_base: Switch, sharding_size: Count
) -> Switch:
    """1 where each layer's whole gradient is reduced once its backward pass is done: FSDP, not the buckets of ZeRO."""
    return shards_gradients * (gathered_units > 0) * trains_base * (sharding_size > 1)


@figure("P_l1")
def mean_layer_parameters(
    inner_parameters: Count,
    routed_expert_parameters: Count,
    expert_parallel_size: Count,
    num_hidden_layers: Count,
    tensor_parallel_size: Count,
    expert_cut_size: Count,
) -> Count:
    """Parameters of one layer on one GPU before they are sharded, in the mean.  Source: parameters over layers."""
    return (
        (inner_parameters - routed_expert_parameters) / tensor_parallel_size
        + routed_expert_parameters / expert_parallel_size / expert_cut_size
    ) / num_hidden_layers


@figure("P_unit")
def layer_unit_parameters(
    mean_layer_parameters: Count,
    mixture_surplus_parameters: Count,
    dense_surplus_share: Count,
    mixture_surplus_share: Count,
) -> Count:
    """Those of a layer of the larger kind.  Source: PyTorch FSDP, one unit a layer."""
    return mean_layer_parameters + larger(
        dense_surplus_share * mixture_surplus_parameters, mixture_surplus_share * mixture_surplus_parameters
    )


@figure("M_lg")
def layer_unit_gradient_bytes(
    reduces_by_layer: Switch, layer_unit_parameters: Count, gathered_weight_element_bytes: Bytes
) -> Bytes:
    """Whole gradient of one layer, before it is reduced.  Source: torch 2.13, two processes, counted."""
    return reduces_by_layer * layer_unit_parameters * gathered_weight_element_bytes


@figure("M_lr", source="torch 2.13, `foreach_reduce` and `reduce_scatter_states`")
def layer_reduction_bytes(
    reduces_by_layer: Switch, layer_unit_parameters: Count, reduced_element_bytes: Bytes
) -> Bytes:
    """Input of the reduction of the layer before, kept until the next one begins."""
    return reduces_by_layer * layer_unit_parameters * reduced_element_bytes


@figure("M_hw")
def waiting_head_gradient_bytes(
    reduces_by_layer: Switch,
    used_head_parameters: Count,
    gathered_weight_element_bytes: Bytes,
    reduced_element_bytes: Bytes,
    separate_edge_units: Switch,
    pipeline_parallel_size: Count,
    tensor_parallel_size: Count,
) -> Bytes:
    """Whole gradient of a sharded head: with the root until all is done, or on its way where it is a unit of its own.

    Source: PyTorch FSDP, root unit; torchtitan `apply_fsdp`, a unit of norm and head.
    """
    return (
        reduces_by_layer * used_head_parameters * (pipeline_parallel_size <= 1) / tensor_parallel_size
        * where(separate_edge_units > 0, reduced_element_bytes, gathered_weight_element_bytes)
    )  # fmt: skip


@figure("M_rr", source="PyTorch `FSDPParamGroup.post_backward`, `foreach_reduce`; torch 2.13, counted")
def root_reduction_bytes(
    reduces_by_layer: Switch,
    last_unit_gradient_bytes: Bytes,
    last_copy_bytes: Bytes,
    last_sum_bytes: Bytes,
    last_result_bytes: Bytes,
    carried_gradient_bytes: Bytes,
) -> Bytes:
    """What the unit reduced last takes beside all sharded gradients, at the worst of three moments."""
    return reduces_by_layer * larger(
        larger(last_unit_gradient_bytes, last_copy_bytes) - (carried_gradient_bytes <= 0) * last_result_bytes,
        last_sum_bytes + (carried_gradient_bytes > 0) * last_result_bytes,
    )


@figure("M_rg1")
def last_unit_gradient_bytes(
    last_unit_parameters: Count,
    gathered_weight_element_bytes: Bytes,
    waits_beside: Switch,
    adds_in_place: Switch,
    reduced_element_bytes: Bytes,
    shares_used_head: Switch,
    embedding_parameters: Count,
    tensor_parallel_size: Count,
    layer_reduction_bytes: Bytes,
) -> Bytes:
    """That unit still gathered, its whole gradients, two of a tied matrix, beside the first layer's on their way.

    Those of earlier micro-batches wait beside them, or the embedding's is added to its own.

    Source: torch 2.13, counted.
    """
    return (
        last_unit_parameters * (TWO * gathered_weight_element_bytes + waits_beside * reduced_element_bytes)
        + (shares_used_head + adds_in_place) * embedding_parameters * gathered_weight_element_bytes
    ) / tensor_parallel_size + layer_reduction_bytes


@figure("M_rcp")
def last_copy_bytes(
    last_unit_parameters: Count,
    reduced_element_bytes: Bytes,
    whole_gradient_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> Bytes:
    """Its whole gradients and their copy that is reduced.  Source: PyTorch `foreach_reduce_scatter_copy_in`."""
    return last_unit_parameters * (reduced_element_bytes + whole_gradient_element_bytes) / tensor_parallel_size


@figure("M_lsum", source="PyTorch `foreach_reduce`; torch 2.13, counted")
def last_sum_bytes(
    last_unit_parameters: Count,
    reduced_element_bytes: Bytes,
    reduced_share: Count,
    separate_edge_units: Switch,
    embedding_parameters: Count,
    whole_gradient_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> Bytes:
    """That copy, its sum where it is cast again, and the one gradient that a loop still names, the unit's last."""
    return (
        last_unit_parameters * reduced_element_bytes * reduced_share
        + where(separate_edge_units > 0, embedding_parameters, larger(last_unit_parameters - embedding_parameters, 0))
        * whole_gradient_element_bytes
    ) / tensor_parallel_size


@figure("M_rres")
def last_result_bytes(
    last_unit_parameters: Count,
    trained_gradient_element_bytes: Bytes,
    gradient_shards: Count,
    tensor_parallel_size: Count,
) -> Bytes:
    """What the last reduction leaves on a process, the sharded gradients of its unit.  Source: `foreach_reduce`."""
    return last_unit_parameters * trained_gradient_element_bytes / gradient_shards / tensor_parallel_size


@figure("b_wg", source="PyTorch `FSDPParam.to_accumulated_grad_if_needed`")
def whole_gradient_element_bytes(
    unreduced_gradient_bytes: Bytes, reduced_element_bytes: Bytes, gathered_weight_element_bytes: Bytes
) -> Bytes:
    """Width of a gradient before it is reduced: the weight's, or the reduction's where micro-batches are added up."""
    return where(unreduced_gradient_bytes > 0, reduced_element_bytes, gathered_weight_element_bytes)


@figure("P_last")
def last_unit_parameters(separate_edge_units: Switch, embedding_parameters: Count, edge_parameters: Count) -> Count:
    """Parameters that are reduced last: the root's, or the embedding's own unit.  Source: PyTorch FSDP; torchtitan."""
    return where(separate_edge_units > 0, embedding_parameters, edge_parameters)


@figure("f_rs")
def reduced_share(reduced_element_bytes: Bytes, trained_gradient_element_bytes: Bytes, gradient_shards: Count) -> Count:
    """Input and result of a reduction over the input, where the result is cast again.  Source: `foreach_reduce`."""
    return 1 + (reduced_element_bytes < trained_gradient_element_bytes) / gradient_shards


@figure("o_once", source="transformers `Trainer`, FSDP `no_sync`; PyTorch pipelining, `set_requires_gradient_sync`")
def reduces_once(
    reduces_by_layer: Switch,
    pipeline_parallel_size: Count,
    accumulates_unsharded: Switch,
    sync_each_batch: Switch,
    optimizer_offloaded: Switch,
    fsdp_offload: Switch,
) -> Switch:
    """1 where gradients of layers are reduced with the last micro-batch alone; never where DeepSpeed offloads."""
    return (reduces_by_layer * (1 - optimizer_offloaded + fsdp_offload)
        * larger(accumulates_unsharded * (1 - sync_each_batch), pipeline_parallel_size > 1))  # fmt: skip


@figure("M_ug")
def unreduced_gradient_bytes(
    reduces_once: Switch, gradient_accumulation_steps: Count, rank_parameters: Count, reduced_element_bytes: Bytes
) -> Bytes:
    """Whole gradients that wait for the last micro-batch, where only that one is reduced.  Source: product."""
    return reduces_once * (gradient_accumulation_steps > 1) * rank_parameters * reduced_element_bytes


@figure("M_sh")
def shared_matrix_gradient_bytes(
    trains_edges: Switch,
    reduces_by_layer: Switch,
    embedding_parameters: Count,
    weight_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> Bytes:
    """Gradient of the embedding as its backward pass makes it, dense.  Source: PyTorch `embedding_dense_backward`."""
    return trains_edges * (1 - reduces_by_layer) * embedding_parameters * weight_element_bytes / tensor_parallel_size


@figure("n_sh")
def waiting_head_gradients(
    shares_used_head: Switch, carried_gradient_bytes: Bytes, placeholder_element_bytes: Bytes
) -> Switch:
    """1 where the head's gradient waits for that of the embedding, beside gradients that exist already.

    Fused accumulation adds it in place.  Source: PyTorch, inputs of one node of the graph are added before it runs.
    """
    return shares_used_head * (carried_gradient_bytes > 0) * (placeholder_element_bytes <= 0)


@figure("o_3rd", source="PyTorch `InputBuffer::add`; torch 2.13, memory profiled; 1.24 B parameters on an H200")
def edge_sum_apart(
    shares_used_head: Switch, placeholder_element_bytes: Bytes, loss_part_bytes: Bytes, head_and_loss_fused: Switch
) -> Switch:
    """1 where the sum of a tied matrix's two gradients is a third tensor beside them."""
    # Autograd adds in place to storages that nothing else holds. The gradient of a linear layer is a view, which is
    # held by what it views; that of a head which runs in parts is a sum already. Fused accumulation adds to a buffer.
    return (
        shares_used_head * (placeholder_element_bytes <= 0) * (loss_part_bytes <= 0) * (1 - head_and_loss_fused)
    )  # fmt: skip


@figure("n_le")
def last_edge_gradients(
    waiting_head_gradients: Switch, shares_used_head: Switch, carried_gradient_bytes: Bytes, edge_sum_apart: Switch
) -> Count:
    """Gradients of the embedding's size that are there at last beside those that stay.  Source: PyTorch autograd."""
    return waiting_head_gradients + larger(shares_used_head, carried_gradient_bytes > 0) + edge_sum_apart


@figure("M_we")
def waiting_edge_gradient_bytes(
    waiting_head_gradient_bytes: Bytes, waiting_head_gradients: Switch, shared_matrix_gradient_bytes: Bytes
) -> Bytes:
    """What the head's gradient takes beside those that stay, while layers go backward.  Source: see the parts."""
    return waiting_head_gradient_bytes + waiting_head_gradients * shared_matrix_gradient_bytes


@figure("M_le")
def last_edge_gradient_bytes(
    root_reduction_bytes: Bytes,
    reduces_by_layer: Switch,
    gathered_parameter_bytes: Bytes,
    released_unit_bytes: Bytes,
    shared_matrix_gradient_bytes: Bytes,
    last_edge_gradients: Count,
) -> Bytes:
    """What the embedding's gradient, the last, takes beside those that stay: a second one of a tied matrix, for one.

    Weights are no longer gathered when the last are reduced.  Source: torch 2.13, counted.
    """
    return (
        larger(root_reduction_bytes - reduces_by_layer * (gathered_parameter_bytes - released_unit_bytes), 0)
        + shared_matrix_gradient_bytes * last_edge_gradients
    )  # fmt: skip


@figure("M_fred")
def first_reduction_bytes(
    layer_unit_gradient_bytes: Bytes,
    layer_reduction_bytes: Bytes,
    waiting_edge_gradient_bytes: Bytes,
    separate_edge_units: Switch,
    waiting_head_gradient_bytes: Bytes,
) -> Bytes:
    """Gradients on their way while the first layer goes backward.  Source: torch 2.13, two processes, counted."""
    return (
        layer_unit_gradient_bytes + layer_reduction_bytes
        + waiting_edge_gradient_bytes - separate_edge_units * waiting_head_gradient_bytes
    )  # fmt: skip


@figure("o_inp", source="PyTorch `FSDPParam.to_accumulated_grad_if_needed`")
def adds_in_place(
    unreduced_gradient_bytes: Bytes, reduced_element_bytes: Bytes, gathered_weight_element_bytes: Bytes
) -> Switch:
    """1 where gradients that wait for the last micro-batch are of the weights' type, and autograd adds to them."""
    return (unreduced_gradient_bytes > 0) * (reduced_element_bytes <= gathered_weight_element_bytes)


@figure("o_wait")
def waits_beside(unreduced_gradient_bytes: Bytes, adds_in_place: Switch) -> Switch:
    """1 where those of a layer or the root wait in a wider type until it is done.  Source: the same."""
    return (unreduced_gradient_bytes > 0) * (1 - adds_in_place)


@figure("M_lres")
def layer_result_bytes(
    reduces_by_layer: Switch,
    layer_unit_parameters: Count,
    trained_gradient_element_bytes: Bytes,
    reduced_element_bytes: Bytes,
    gradient_shards: Count,
) -> Bytes:
    """Sharded gradients of the layer that is reduced, and the sum they are cast from.  Source: `foreach_reduce`."""
    return (
        reduces_by_layer * layer_unit_parameters / gradient_shards
        * (
            trained_gradient_element_bytes
            + (reduced_element_bytes < trained_gradient_element_bytes) * reduced_element_bytes
        )
    )  # fmt: skip


@figure("M_sr", source="torch 2.13, counted")
def start_reduction_bytes(
    layer_unit_gradient_bytes: Bytes,
    last_reduction_bytes: Bytes,
    layer_result_bytes: Bytes,
    waiting_edge_gradient_bytes: Bytes,
    stored_activation_bytes: Bytes,
    held_layers: Count,
    held_micro_batches: Count,
    unreduced_gradient_bytes: Bytes,
    adds_in_place: Switch,
    shares_used_head: Switch,
    freed_head_bytes: Bytes,
) -> Bytes:
    """Gradients on their way in the last layer's backward pass; or in that before it, with a layer less stored."""
    # What waited whole leaves as it is reduced; where autograd adds to it, an untied head's is done before the layers.
    # A head that is set free and larger than all of it leaves nothing.
    return larger(
        (1 - adds_in_place) * layer_unit_gradient_bytes
        + larger(1 - adds_in_place, shares_used_head) * waiting_edge_gradient_bytes
        + larger(
            where(unreduced_gradient_bytes > 0, layer_result_bytes, last_reduction_bytes)
            - stored_activation_bytes / held_layers / held_micro_batches,
            adds_in_place * (1 - shares_used_head) * waiting_edge_gradient_bytes,
        )
        - freed_head_bytes,
        0,
    )
