"""Layers of two kinds, dense and mixtures: how many a GPU holds of each, how they differ, in what order they stand.

What a layer of a kind takes is the mean of all layers and a share of the difference between the kinds, so that models
with one kind have the mean itself.
"""

from memreport.figures.constants import ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, smaller, where


@figure("o_2k", source="HF `first_k_dense_replace`, `interleave_moe_layer_step`")
def layers_differ(
    counts_saved_tensors: Switch,
    dense_layers: Count,
    mixture_layers: Count,
    num_layers_without_mlp: Count,
    recomputed_module_bytes: BytesPerToken,
) -> Switch:
    """1 where dense and mixture layers are told apart; not where some have no MLP or modules are computed again."""
    return where(
        counts_saved_tensors * dense_layers * mixture_layers * (num_layers_without_mlp <= 0)
        * (recomputed_module_bytes <= 0)
        > 0,
        1,
        0,
    )  # fmt: skip


@figure("f_od")
def dense_surplus_share(layers_differ: Switch, mixture_layers: Count, num_hidden_layers: Count) -> Count:
    """What part of the difference between the kinds a dense layer has beside the mean.  Source: mean of two kinds."""
    return 0 - layers_differ * mixture_layers / num_hidden_layers


@figure("f_om")
def mixture_surplus_share(layers_differ: Switch, dense_layers: Count, num_hidden_layers: Count) -> Count:
    """The same of a mixture layer.  Source: mean of two kinds."""
    return layers_differ * dense_layers / num_hidden_layers


@figure("L_hm")
def held_mixture_layers(expert_stage_share: Share, mixture_layers: Count) -> Count:
    """Mixture layers of the stage of the peak.  Source: choice."""
    return ceil(expert_stage_share * mixture_layers)


@figure("L_hd")
def held_dense_layers(held_layers: Count, held_mixture_layers: Count) -> Count:
    """Its other layers.  Source: subtraction."""
    return larger(ceil(held_layers - held_mixture_layers), 0)


@figure("L_ld")
def leading_dense_layers(
    mixture_layers: Count, dense_layers: Count, num_interleaved_dense_layers: Count, held_dense_layers: Count
) -> Count:
    """Dense layers of that stage below its first mixture.  Source: HF `first_k_dense_replace`."""
    return (mixture_layers > 0) * smaller(larger(dense_layers - num_interleaved_dense_layers, 0), held_dense_layers)


@figure("a_2km", basis="measured")
def mixture_mlp_surplus_bytes(
    mixture_width_per_token: Count,
    intermediate_size: Count,
    mlp_saved_element_bytes: Bytes,
    shared_expert_intermediate_size: Count,
    routed_down_surplus_bytes: Bytes,
    separate_down_input_bytes: Bytes,
) -> BytesPerToken:
    """What a mixture's MLPs keep per token beyond a dense one; negative where that keeps more.  Source: sum."""
    return (
        (mixture_width_per_token - intermediate_size) * mlp_saved_element_bytes
        + (mixture_width_per_token - shared_expert_intermediate_size) * routed_down_surplus_bytes
        + (shared_expert_intermediate_size - intermediate_size) * separate_down_input_bytes
    ) / ONE_TOKEN


@figure("a_2k", basis="measured", source="torch 2.13, counted")
def mixture_surplus_bytes(
    mixture_mlp_surplus_bytes: BytesPerToken,
    routing_activation_bytes: BytesPerToken,
    router_activation_bytes: BytesPerToken,
    merged_expert_bytes: Bytes,
    tokens_per_micro_batch: Tokens,
    mixture_layers: Count,
    num_hidden_layers: Count,
    tensor_parallel_size: Count,
    input_shards: Count,
) -> BytesPerToken:
    """What a mixture layer keeps per token beyond a dense one; negative where that keeps more."""
    return (
        mixture_mlp_surplus_bytes
        + (routing_activation_bytes + merged_expert_bytes / tokens_per_micro_batch)
        * num_hidden_layers / larger(mixture_layers, 1)
    ) / tensor_parallel_size + (
        router_activation_bytes * num_hidden_layers / larger(mixture_layers, 1) / input_shards
    )  # fmt: skip


@figure("P_2k")
def mixture_surplus_parameters(
    router_parameters: Count,
    shared_expert_parameters: Count,
    dense_mlp_parameters: Count,
    tensor_parallel_size: Count,
    num_local_experts: Count,
    expert_parameters: Count,
    expert_parallel_size: Count,
    expert_cut_size: Count,
) -> Count:
    """Parameters of a mixture layer beyond those of a dense one on one GPU, before they are sharded.  Source: sum."""
    return (
        router_parameters + shared_expert_parameters - dense_mlp_parameters
    ) / tensor_parallel_size + num_local_experts * expert_parameters / expert_parallel_size / expert_cut_size


@figure("M_2k")
def mixture_surplus_gradient_bytes(
    trains_base: Switch, layer_gradient_bytes: Bytes, mixture_surplus_parameters: Count, mean_layer_parameters: Count
) -> Bytes:
    """Gradients of a mixture layer beyond those of a dense one.  Source: parameters over parameters."""
    return trains_base * layer_gradient_bytes * mixture_surplus_parameters / mean_layer_parameters
