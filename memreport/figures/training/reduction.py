"""Gradients on their way into what stays: reduced over a sharding group, or added up for a matrix used twice."""

from __future__ import annotations

from memreport.figures.constants import FP32_BYTES
from memreport.figures.quantities import Bytes, Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("b_gat")
def gathered_weight_element_bytes(
    autocast: Switch, shards_parameters: Switch, activation_element_bytes: Bytes, other_weight_element_bytes: Bytes
) -> Bytes:
    """Width of a weight while it is at work: sharded FP32 weights are cast before they are gathered.

    Source: PyTorch FSDP `MixedPrecision.param_dtype`, which Accelerate sets with bf16; two processes, counted.
    """
    return where(autocast * shards_parameters > 0, activation_element_bytes, other_weight_element_bytes)


@figure("b_red")
def reduced_element_bytes(
    reduce_element_bytes: Bytes, gathered_weight_element_bytes: Bytes, reduces_in_fp32: Switch
) -> Bytes:
    """Width in which sharded gradients are reduced, at least that of the gathered weights.

    Source: PyTorch `MixedPrecisionPolicy.reduce_dtype`.
    """
    return larger(reduce_element_bytes, gathered_weight_element_bytes, reduces_in_fp32 * FP32_BYTES)


@figure("o_unit")
def reduces_by_layer(
    shards_gradients: Switch, gathered_units: Count, trains_base: Switch, sharding_size: Count
) -> Switch:
    """1 where each layer's whole gradient is reduced once its backward pass is done: FSDP, not the buckets of ZeRO.

    Source: PyTorch `FSDPParamGroup.post_backward`.
    """
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


@figure("M_lr")
def layer_reduction_bytes(
    reduces_by_layer: Switch, layer_unit_parameters: Count, reduced_element_bytes: Bytes
) -> Bytes:
    """Input of the reduction of the layer before, kept until the next one begins.

    Source: torch 2.13, `foreach_reduce` and `reduce_scatter_states`.
    """
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


@figure("M_rr")
def root_reduction_bytes(
    reduces_by_layer: Switch,
    last_unit_parameters: Count,
    embedding_parameters: Count,
    gathered_weight_element_bytes: Bytes,
    reduced_element_bytes: Bytes,
    reduced_share: Count,
    tensor_parallel_size: Count,
) -> Bytes:
    """Input of the last reduction, its result where that is cast again, and one whole gradient that is still named.

    Source: PyTorch `foreach_reduce`; torch 2.13, two processes, counted.
    """
    return (
        reduces_by_layer
        / tensor_parallel_size
        * (
            last_unit_parameters * reduced_element_bytes * reduced_share
            + embedding_parameters * gathered_weight_element_bytes
        )
    )


@figure("P_last")
def last_unit_parameters(separate_edge_units: Switch, embedding_parameters: Count, edge_parameters: Count) -> Count:
    """Parameters that are reduced last: the root's, or the embedding's own unit.  Source: PyTorch FSDP; torchtitan."""
    return where(separate_edge_units > 0, embedding_parameters, edge_parameters)


@figure("f_rs")
def reduced_share(reduced_element_bytes: Bytes, trained_gradient_element_bytes: Bytes, gradient_shards: Count) -> Count:
    """Input and result of a reduction over the input, where the result is cast again.  Source: `foreach_reduce`."""
    return 1 + (reduced_element_bytes < trained_gradient_element_bytes) / gradient_shards


@figure("M_rel")
def released_unit_bytes(
    shards_parameters: Switch,
    reshard_after_forward: Switch,
    gathered_parameter_bytes: Bytes,
    root_unit_bytes: Bytes,
    layer_unit_bytes: Bytes,
) -> Bytes:
    """Layers that stayed gathered after the forward pass, and are set free by their own backward pass.

    Source: PyTorch `reshard_after_backward`.
    """
    return (
        shards_parameters
        * (1 - reshard_after_forward)
        * larger(gathered_parameter_bytes - root_unit_bytes - layer_unit_bytes, 0)
    )


@figure("M_ug")
def unreduced_gradient_bytes(
    reduces_by_layer: Switch,
    gradient_accumulation_steps: Count,
    pipeline_parallel_size: Count,
    accumulates_unsharded: Switch,
    sync_each_batch: Switch,
    rank_parameters: Count,
    reduced_element_bytes: Bytes,
) -> Bytes:
    """Whole gradients that wait for the last micro-batch, where only that one is reduced.

    Source: transformers `Trainer` under FSDP `no_sync`; PyTorch pipelining, `set_requires_gradient_sync`.
    """
    return (
        reduces_by_layer * (gradient_accumulation_steps > 1)
        * larger(accumulates_unsharded * (1 - sync_each_batch), pipeline_parallel_size > 1)
        * rank_parameters * reduced_element_bytes
    )  # fmt: skip


@figure("M_sh")
def shared_matrix_gradient_bytes(
    trains_base: Switch,
    reduces_by_layer: Switch,
    embedding_parameters: Count,
    weight_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> Bytes:
    """Gradient of the embedding as its backward pass makes it, dense.  Source: PyTorch `embedding_dense_backward`."""
    return trains_base * (1 - reduces_by_layer) * embedding_parameters * weight_element_bytes / tensor_parallel_size


@figure("n_sh")
def waiting_head_gradients(
    shares_used_head: Switch, carried_gradient_bytes: Bytes, placeholder_element_bytes: Bytes
) -> Switch:
    """1 where the head's gradient waits for that of the embedding, beside gradients that exist already.

    Fused accumulation adds it in place.  Source: PyTorch, inputs of one node of the graph are added before it runs.
    """
    return shares_used_head * (carried_gradient_bytes > 0) * (placeholder_element_bytes <= 0)


@figure("n_le")
def last_edge_gradients(
    waiting_head_gradients: Switch, shares_used_head: Switch, carried_gradient_bytes: Bytes
) -> Count:
    """Gradients of the embedding's size that are there at last beside those that stay.  Source: PyTorch autograd."""
    return waiting_head_gradients + larger(shares_used_head, carried_gradient_bytes > 0)


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
    shared_matrix_gradient_bytes: Bytes,
    last_edge_gradients: Count,
) -> Bytes:
    """What the embedding's gradient, the last, takes beside those that stay: a second one of a tied matrix, for one.

    Weights are no longer gathered when the last are reduced.  Source: torch 2.13, tensors in memory counted.
    """
    return (
        larger(root_reduction_bytes - reduces_by_layer * gathered_parameter_bytes, 0)
        + shared_matrix_gradient_bytes * last_edge_gradients
    )  # fmt: skip


@figure("M_fr")
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


@figure("M_sr")
def start_reduction_bytes(
    layer_unit_gradient_bytes: Bytes,
    last_reduction_bytes: Bytes,
    waiting_edge_gradient_bytes: Bytes,
    stored_activation_bytes: Bytes,
    held_layers: Count,
    held_micro_batches: Count,
) -> Bytes:
    """Gradients on their way in the last layer's backward pass; or in that before it, with a layer less stored.

    Source: torch 2.13, two processes, counted.
    """
    return (
        layer_unit_gradient_bytes + waiting_edge_gradient_bytes
        + larger(last_reduction_bytes - stored_activation_bytes / held_layers / held_micro_batches, 0)
    )  # fmt: skip
