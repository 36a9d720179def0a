"""What a layer does not keep where parts of it are computed again by name."""

from memreport.figures.constants import ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("F_rec")
def recomputed_mlp_width(
    dense_layers: Count,
    intermediate_size: Count,
    recompute_mlp: Switch,
    mixture_layers: Count,
    routed_copies: Count,
    moe_intermediate_size: Count,
    recompute_moe: Switch,
    shared_expert_intermediate_size: Count,
    recompute_shared_experts: Switch,
    num_hidden_layers: Count,
) -> Count:
    """Width of the MLPs that are computed again, averaged over layers.  Source: Megatron-LM `recompute_modules`."""
    return (
        dense_layers * intermediate_size * recompute_mlp
        + mixture_layers
        * (
            routed_copies * moe_intermediate_size * recompute_moe
            + shared_expert_intermediate_size * larger(recompute_moe, recompute_shared_experts)
        )
    ) / num_hidden_layers


@figure("a_rex", source="Megatron-LM, transformer/moe/experts.py, `moe_act` sets the result of the function free")
def recomputed_expert_bytes(
    recompute_moe: Switch,
    recompute_moe_act: Switch,
    routing_activation_bytes: BytesPerToken,
    mixture_layers: Count,
    num_hidden_layers: Count,
    routed_copies: Count,
    moe_intermediate_size: Count,
    mlp_element_bytes: Bytes,
    fp8_down_input_bytes: Bytes,
) -> BytesPerToken:
    """Tokens on their way to experts, or the results of the experts' activation functions."""
    return recompute_moe * routing_activation_bytes + (1 - recompute_moe) * recompute_moe_act * (
        mixture_layers
        / num_hidden_layers
        * routed_copies
        * moe_intermediate_size
        * where(fp8_down_input_bytes > 0, fp8_down_input_bytes, mlp_element_bytes)
        / ONE_TOKEN
    )


@figure("a_rli")
def recomputed_input_bytes(
    recompute_layernorm: Switch,
    attention_input_copies: Count,
    mlp_input_copies: Count,
    recompute_mlp: Switch,
    dense_layers: Count,
    num_hidden_layers: Count,
    hidden_size: Count,
    linear_input_element_bytes: Bytes,
) -> BytesPerToken:
    """Results of norms, which matrices read: all of them, or those before dense MLPs.

    Source: Megatron-LM, transformer/transformer_layer.py: `layernorm` sets them free, `mlp` begins at the norm.
    """
    return (
        larger(
            recompute_layernorm * (attention_input_copies + mlp_input_copies),
            recompute_mlp * mlp_input_copies * dense_layers / num_hidden_layers,
        )
        * hidden_size
        * linear_input_element_bytes
        / ONE_TOKEN
    )


@figure("a_rla")
def recomputed_latent_bytes(
    recompute_mla_up_proj: Switch,
    kv_lora_rank: Count,
    query_size: Count,
    saved_key_value_size: Count,
    saved_value_size: Count,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """Queries, keys and values that are projected from their latents again.  Source: Megatron-LM `mla_up_proj`."""
    return (
        recompute_mla_up_proj * (kv_lora_rank > 0)
        * (query_size + saved_key_value_size + saved_value_size) * activation_element_bytes / ONE_TOKEN
    )  # fmt: skip


@figure("a_rec")
def recomputed_module_bytes(
    mlp_activation_bytes: BytesPerToken,
    recomputed_mlp_width: Count,
    mlp_width_per_token: Count,
    recomputed_expert_bytes: BytesPerToken,
    recomputed_latent_bytes: BytesPerToken,
    tensor_parallel_size: Count,
    recomputed_input_bytes: BytesPerToken,
    recompute_moe: Switch,
    router_activation_bytes: BytesPerToken,
    input_shards: Count,
) -> BytesPerToken:
    """Of one layer, per token, what is made again in its backward pass.  Source: sum."""
    return (
        mlp_activation_bytes * recomputed_mlp_width / larger(mlp_width_per_token, 1)
        + recomputed_expert_bytes
        + recomputed_latent_bytes
    ) / tensor_parallel_size + (
        recomputed_input_bytes + recompute_moe * router_activation_bytes
    ) / input_shards  # fmt: skip


@figure("s_rm")
def recomputed_module_share(
    recomputed_mlp_width: Count,
    mlp_matrices: Count,
    hidden_size: Count,
    num_hidden_layers: Count,
    active_parameters: Count,
) -> Share:
    """Of a forward pass, the products of MLPs that are done again.  Source: parameters over parameters."""
    return recomputed_mlp_width * mlp_matrices * hidden_size * num_hidden_layers / active_parameters
