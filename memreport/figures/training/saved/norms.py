"""What norms and the linear layers that read them save for the backward pass; each term is a counted tensor."""

from memreport.figures.constants import FP32_BYTES, HALF, KEY_AND_VALUE, MASK_BYTES, ONE_TOKEN, THREE
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("o_fus", source="Liger Kernel 0.8, ops/rms_norm.py, ops/swiglu.py")
def layers_fused(fuses_layers: Switch, use_liger_kernel: Switch, torch_compile: Switch) -> Switch:
    """1 where norms and gated activation functions are fused kernels: the framework's own, Liger's, or compiled."""
    return larger(fuses_layers, use_liger_kernel, torch_compile)


@figure("b_res", source="torch 2.13, counted; PEFT `prepare_model_for_kbit_training`")
def residual_element_bytes(
    weight_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    autocast: Switch,
    shards_parameters: Switch,
    base_quantised: Switch,
    base_casts_rest: Switch,
) -> Bytes:
    """Width of the residual stream: that of the embedding, so FP32 where autocast keeps FP32 weights."""
    # Sharded ones are cast before they are gathered, embedding and all; beside GPTQ's layers they stay in 16 bit.
    return where(
        autocast * larger(shards_parameters, base_quantised * (1 - base_casts_rest)) > 0,
        activation_element_bytes,
        larger(weight_element_bytes, activation_element_bytes),
    )


@figure("o_wide", source="HF `LlamaRMSNorm.forward`; PyTorch automatic mixed precision, ops that autocast to FP32")
def norm_input_copied(
    norm_input_wide: Switch, autocast: Switch, layers_fused: Switch, residual_element_bytes: Bytes
) -> Switch:
    """1 where a norm saves an FP32 copy of its input: by its own code, or because autocast runs norms in FP32."""
    return (
        larger(norm_input_wide, autocast)
        * (1 - layers_fused) * (residual_element_bytes < FP32_BYTES)
    )  # fmt: skip


@figure("b_nin")
def norm_input_element_bytes(norm_input_copied: Switch, residual_element_bytes: Bytes) -> Bytes:
    """Saved input of one norm, per hidden unit.  Source: torch 2.13, counted."""
    return where(norm_input_copied > 0, FP32_BYTES, residual_element_bytes)


@figure("n_nsh", source="HF `GPTNeoXLayer.forward` with `use_parallel_residual`")
def shared_norm_inputs(parallel_residual: Switch, norms_per_layer: Count, norm_input_copied: Switch) -> Count:
    """Norms that save the tensor that another norm saves: attention and MLP side by side read the same input."""
    return parallel_residual * (norms_per_layer > 1) * (1 - norm_input_copied)


@figure("b_nout", source="HF `LlamaRMSNorm.forward` and `Gemma2RMSNorm.forward`; fused kernels compute it again")
def normalised_element_bytes(
    trains_base: Switch,
    norm_weight: Switch,
    norm_saves_normalised: Switch,
    norm_normalised_wide: Switch,
    layers_fused: Switch,
    residual_element_bytes: Bytes,
) -> Bytes:
    """Saved normalised value, per hidden unit: the gradient of the norm's weight needs it, where it has one."""
    return (
        trains_base * norm_weight * norm_saves_normalised * (1 - layers_fused)
        * where(norm_normalised_wide > 0, FP32_BYTES, residual_element_bytes)
    )  # fmt: skip


@figure("f_aft", source="HF `Olmo2DecoderLayer`, `Glm4DecoderLayer`")
def sublayer_norm_share(norms_after_sublayers: Switch, norms_per_layer: Count) -> Share:
    """Share of a layer's norms that read what attention or MLP answers: all of them, or one of each two."""
    return larger(norms_after_sublayers, (norms_per_layer > THREE) * HALF)


@figure("b_nsu", source="HF `Exaone4DecoderLayer`; torch 2.13, counted")
def normalised_surplus_bytes(
    normalised_element_bytes: Bytes,
    residual_element_bytes: Bytes,
    norm_normalised_wide: Switch,
    sublayer_norm_share: Share,
    activation_element_bytes: Bytes,
) -> Bytes:
    """What that value takes less, in the mean of a layer's norms: a sublayer's answer is 16 bit under autocast."""
    return (
        sublayer_norm_share * (1 - norm_normalised_wide) * normalised_element_bytes
        * (1 - activation_element_bytes / residual_element_bytes)
    )  # fmt: skip


@figure("b_norm")
def norm_element_bytes(
    norm_input_element_bytes: Bytes,
    normalised_element_bytes: Bytes,
    norm_further_wide_values: Count,
    norm_saves_given: Switch,
    norm_input_copied: Switch,
    residual_element_bytes: Bytes,
    layers_fused: Switch,
) -> Bytes:
    """Saved per hidden unit by one norm: its input, its normalised output, what is between.  Source: torch, counted."""
    return (
        norm_input_element_bytes + normalised_element_bytes
        + norm_saves_given * norm_input_copied * residual_element_bytes
        + norm_further_wide_values * (1 - layers_fused) * FP32_BYTES
    )  # fmt: skip


@figure("a_norm", basis="measured")
def norm_activation_bytes(
    hidden_size: Count,
    norms_per_layer: Count,
    norm_element_bytes: Bytes,
    normalised_surplus_bytes: Bytes,
    shared_norm_inputs: Count,
    norm_input_element_bytes: Bytes,
    norm_statistics: Count,
) -> BytesPerToken:
    """Norms of one layer: inputs, normalised outputs, FP32 statistics.  Source: torch 2.13, counted."""
    return (
        hidden_size
        * (
            norms_per_layer * (norm_element_bytes - normalised_surplus_bytes)
            - shared_norm_inputs * norm_input_element_bytes
        )
        + norms_per_layer * norm_statistics * FP32_BYTES
    ) / ONE_TOKEN


@figure("f_qkn")
def qk_norm_share(qk_norm_size: Count, num_unweighted_qk_norm_layers: Count, num_hidden_layers: Count) -> Share:
    """Share of the layers that normalise queries and keys.  Source: HF `Qwen3Attention`, `Llama4TextAttention`."""
    return larger(qk_norm_size > 0, num_unweighted_qk_norm_layers / num_hidden_layers)


@figure("n_qks", source="HF `Qwen3Attention`, `Olmo2Attention`, `Llama4TextAttention`")
def qk_norm_statistics(
    query_size: Count, key_value_size: Count, qk_norm_size: Count, qk_norm_share: Share, head_dim: Count
) -> Count:
    """FP32 statistics of query and key norms: one a head where a head's width is normalised, else one each."""
    return (
        qk_norm_share
        * (query_size + key_value_size)
        * where(qk_norm_size > 0, KEY_AND_VALUE / larger(qk_norm_size, 1), 1 / head_dim)
    )


@figure("b_qkn", source="HF `Qwen3RMSNorm.forward`, `Gemma3RMSNorm.forward`, `HunYuanDenseV1Attention.forward`")
def qk_normalised_bytes(
    trains_base: Switch,
    num_unweighted_qk_norm_layers: Count,
    norm_saves_normalised: Switch,
    norm_normalised_wide: Switch,
    autocast: Switch,
    qk_norm_after_rotation: Switch,
    activation_element_bytes: Bytes,
) -> Bytes:
    """Saved normalised query or key, per element; autocast leaves the angles FP32, and what they have rotated."""
    return (
        trains_base * (num_unweighted_qk_norm_layers <= 0) * norm_saves_normalised
        * where(
            larger(norm_normalised_wide, autocast * qk_norm_after_rotation) > 0, FP32_BYTES, activation_element_bytes
        )
    )  # fmt: skip


@figure("b_qk", source="HF `Qwen3RMSNorm.forward`; without weights `Llama4TextL2Norm.forward`")
def qk_norm_element_bytes(
    layers_fused: Switch,
    autocast: Switch,
    norm_input_wide: Switch,
    qk_normalised_bytes: Bytes,
    norm_further_wide_values: Count,
    activation_element_bytes: Bytes,
) -> Bytes:
    """Saved per element of query and key by their norms: what that kind of norm saves; fused, the input alone."""
    return layers_fused * activation_element_bytes + (1 - layers_fused) * (
        where(larger(norm_input_wide, autocast) > 0, FP32_BYTES, activation_element_bytes)
        + qk_normalised_bytes
        + norm_further_wide_values * FP32_BYTES
    )


@figure("b_vn", source="HF `Gemma4TextAttention.forward`; torch 2.13, counted")
def value_norm_bytes(
    value_norm: Switch,
    key_value_size: Count,
    num_key_value_heads: Count,
    layers_fused: Switch,
    activation_element_bytes: Bytes,
) -> Bytes:
    """A norm of values that has no weights: its FP32 input and statistics; fused, the input as it comes."""
    return value_norm * (
        key_value_size * where(layers_fused > 0, activation_element_bytes, FP32_BYTES)
        + num_key_value_heads * FP32_BYTES
    )


@figure("a_qkn", basis="measured")
def qk_norm_activation_bytes(
    qk_norm_share: Share,
    query_size: Count,
    key_value_size: Count,
    qk_norm_element_bytes: Bytes,
    qk_norm_statistics: Count,
    value_norm_bytes: Bytes,
) -> BytesPerToken:
    """Norms of queries, keys and values of one layer.  Source: torch 2.13, counted."""
    return (
        qk_norm_share * (query_size + key_value_size) * qk_norm_element_bytes
        + qk_norm_statistics * FP32_BYTES
        + value_norm_bytes
    ) / ONE_TOKEN


@figure("a_lat", basis="measured", source="HF `DeepseekV3Attention.forward`; torch 2.13, counted")
def latent_activation_bytes(
    q_lora_rank: Count,
    kv_lora_rank: Count,
    qk_norm_element_bytes: Bytes,
    keeps_linear_inputs: Switch,
    linear_input_element_bytes: Bytes,
) -> BytesPerToken:
    """Latents of queries and of keys and values: their norms, and the inputs of the projections that follow."""
    return (
        (q_lora_rank + kv_lora_rank) * (qk_norm_element_bytes + keeps_linear_inputs * linear_input_element_bytes)
        + (q_lora_rank > 0) * FP32_BYTES + (kv_lora_rank > 0) * FP32_BYTES
    ) / ONE_TOKEN  # fmt: skip


@figure("o_keep", source="torch 2.13, counted; bitsandbytes `MatMul4Bit.forward` up to 0.41")
def keeps_linear_inputs(trains_base: Switch, base_quantised: Switch, quantised_layers_keep_inputs: Switch) -> Switch:
    """1 where the layers' matrices save their inputs: trained, or quantised in a library that keeps them."""
    return larger(trains_base, base_quantised * quantised_layers_keep_inputs)


@figure("o_cst", source="HF `LlamaRMSNorm.forward`; torch 2.13, FSDP2 under autocast, counted")
def linear_inputs_cast(
    autocast: Switch, residual_element_bytes: Bytes, activation_element_bytes: Bytes, norm_input_wide: Switch
) -> Switch:
    """1 where autocast casts what linear layers read: an FP32 residual stream, or what PyTorch's own norms answer."""
    # Weights that FSDP casts before it gathers them leave a norm of the model's own code in 16 bit.
    return autocast * larger(residual_element_bytes > activation_element_bytes, 1 - norm_input_wide)


@figure("n_qkv")
def attention_input_copies(
    linear_inputs_cast: Switch,
    mixer_input_matrices: Count,
    fused_qkv: Switch,
    keeps_linear_inputs: Switch,
    mixer_share: Share,
    torch_compile: Switch,
) -> Count:
    """16-bit copies of the input of the query, key and value projections; where it is cast each makes its own.

    A compiled layer casts once.
    Source: torch 2.13, counted.
    """
    return (
        mixer_share * keeps_linear_inputs
        * where(linear_inputs_cast * (1 - fused_qkv) * (1 - torch_compile) > 0, mixer_input_matrices, 1)
    )  # fmt: skip


@figure("n_mlp", source="torch 2.13, counted")
def mlp_input_copies(
    linear_inputs_cast: Switch,
    gated_mlp: Switch,
    fused_gate_up: Switch,
    norms_per_layer: Count,
    keeps_linear_inputs: Switch,
    mixer_share: Share,
    mlp_layer_share: Share,
    torch_compile: Switch,
) -> Count:
    """16-bit copies of the input of the MLP's first matrices; a single norm's output is attention's copy already."""
    return (
        mlp_layer_share * keeps_linear_inputs
        * where(
            linear_inputs_cast * (1 - torch_compile) > 0,
            1 + gated_mlp * (1 - fused_gate_up),
            larger(norms_per_layer > 1, mixer_share < 1),
        )
    )  # fmt: skip


@figure("a_in", basis="measured")
def linear_input_bytes(
    hidden_size: Count,
    attention_input_copies: Count,
    mlp_input_copies: Count,
    linear_input_element_bytes: Bytes,
    attention_adapter_copies: Count,
    mlp_adapter_copies: Count,
    latent_input_surplus: Count,
    adapter_input_element_bytes: Bytes,
) -> BytesPerToken:
    """Inputs of the first linear layers of attention and MLP; frozen ones save none.  Source: torch 2.13, counted."""
    return (
        hidden_size * (attention_input_copies + mlp_input_copies) * linear_input_element_bytes
        + (hidden_size * (attention_adapter_copies + mlp_adapter_copies) + latent_input_surplus)
        * adapter_input_element_bytes
    ) / ONE_TOKEN


@figure("a_mask", basis="measured")
def dropout_mask_bytes(
    hidden_size: Count, hidden_dropout: Share, mixer_share: Share, mlp_layer_share: Share
) -> BytesPerToken:
    """Masks of the dropouts after attention and after the MLP, where they drop.  Source: PyTorch `native_dropout`."""
    return (hidden_dropout > 0) * (mixer_share + mlp_layer_share) * hidden_size * MASK_BYTES / ONE_TOKEN
