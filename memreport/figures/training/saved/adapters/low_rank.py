"""What low-rank adapters save for the backward pass beside a frozen base; each term is a tensor that is counted."""

from memreport.figures.constants import ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, total, where


@figure("n_La")
def attention_input_adapters(
    trains_adapters: Switch,
    fused_qkv: Switch,
    joins_projections: Switch,
    lora_q_proj: Switch,
    lora_k_proj: Switch,
    lora_v_proj: Switch,
    q_lora_rank: Count,
    names_both_queries: Switch,
) -> Count:
    """Adapters on query, key and value projections; a fused one has one, latent queries two.  Source: PEFT."""
    return trains_adapters * where(
        larger(fused_qkv, joins_projections) > 0,
        larger(lora_q_proj, lora_k_proj, lora_v_proj),
        lora_q_proj * (1 + (q_lora_rank > 0) * names_both_queries) + lora_k_proj + lora_v_proj,
    )


@figure("n_Lm")
def mlp_input_adapters(
    trains_adapters: Switch, gate_up_adapters: Count, keeps_adapter_inputs: Switch, adapter_density: Share
) -> Count:
    """Adapters on the gate and up projections that keep their input, in the mean of layers.  Source: PEFT."""
    return trains_adapters * gate_up_adapters * keeps_adapter_inputs * adapter_density


@figure("n_qkvL")
def attention_adapter_copies(
    separate_adapter_inputs: Switch,
    attention_input_adapters: Count,
    adapter_density: Share,
    attention_mixer_share: Share,
    linear_mixer_share: Share,
    linear_attention_input_matrices: Count,
) -> Count:
    """Copies of a mixer's input that adapters save: one each, or one that they share.  Source: PEFT."""
    return attention_mixer_share * where(
        separate_adapter_inputs > 0, attention_input_adapters, (attention_input_adapters > 0) * adapter_density
    ) + linear_mixer_share * where(separate_adapter_inputs > 0, linear_attention_input_matrices, 1)


@figure("n_mlpL", source="PEFT; torch 2.13, counted")
def mlp_adapter_copies(
    separate_adapter_inputs: Switch,
    mlp_input_adapters: Count,
    attention_input_adapters: Count,
    norms_per_layer: Count,
    adapted_mlp_share: Share,
    mixer_share: Share,
    adapter_density: Share,
) -> Count:
    """Copies of the MLP's input that adapters save, in the mean; a single norm's output is attention's copy already."""
    return adapted_mlp_share * where(
        separate_adapter_inputs > 0,
        mlp_input_adapters,
        (mlp_input_adapters > 0) * adapter_density
        * (1 - (attention_input_adapters > 0) * (norms_per_layer <= 1) * (mixer_share >= 1)),
    )  # fmt: skip


@figure("F_ad")
def adapted_mlp_width(
    dense_layers: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    shared_expert_intermediate_size: Count,
    num_hidden_layers: Count,
) -> Count:
    """Width of the MLPs that adapters find, dense ones and shared experts, averaged over layers.  Source: PEFT."""
    return (dense_layers * intermediate_size + mixture_layers * shared_expert_intermediate_size) / num_hidden_layers


@figure("f_ad")
def adapted_mlp_share(
    mlp_layer_share: Share, mixture_layers: Count, shared_expert_intermediate_size: Count, num_hidden_layers: Count
) -> Share:
    """Share of the layers in which adapters find an MLP; routed experts alone are none.  Source: PEFT."""
    return mlp_layer_share - (shared_expert_intermediate_size <= 0) * mixture_layers / num_hidden_layers


@figure("o_out")
def output_input_saved(
    keeps_linear_inputs: Switch, trains_adapters: Switch, lora_o_proj: Switch, separate_output_inputs: Switch
) -> Switch:
    """1 where the output projection saves its input as it is.  Source: torch 2.13, counted."""
    return larger(keeps_linear_inputs, trains_adapters * lora_o_proj * (1 - separate_output_inputs))


@figure("o_down", source="PEFT; Unsloth, kernels/fast_lora.py, `LoRA_MLP`")
def down_adapter_shares(
    trains_adapters: Switch, lora_down_proj: Switch, separate_down_inputs: Switch, adapters_fused: Switch
) -> Switch:
    """1 where the adapter of the down projection saves that projection's input as it is; a fused one makes it again."""
    return trains_adapters * lora_down_proj * (1 - separate_down_inputs) * (1 - adapters_fused)


@figure("b_dsep")
def separate_down_input_bytes(
    trains_adapters: Switch, separate_down_inputs: Switch, lora_down_proj: Switch, adapter_input_element_bytes: Bytes
) -> Bytes:
    """Copy that the down projection's adapter saves of its input, per unit of width.  Source: PEFT `Linear.forward`."""
    return trains_adapters * separate_down_inputs * lora_down_proj * adapter_input_element_bytes


@figure("D_sep")
def separate_adapter_size(
    trains_adapters: Switch,
    separate_output_inputs: Switch,
    lora_o_proj: Switch,
    value_size: Count,
    separate_down_inputs: Switch,
    lora_down_proj: Switch,
    adapted_mlp_width: Count,
    attention_mixer_share: Share,
    linear_output_share: Share,
    linear_attention_output_size: Count,
) -> Count:
    """Width of the inputs of output and down projection that adapters save as copies of their own.

    What the last matrix of linear attention reads nothing else keeps.  Source: PEFT.
    """
    return (
        trains_adapters
        * (
            separate_output_inputs * attention_mixer_share * lora_o_proj * value_size
            + separate_down_inputs * lora_down_proj * adapted_mlp_width
        )
        + linear_output_share * linear_attention_output_size
    )  # fmt: skip


@figure("n_ad")
def adapters_per_layer(
    attention_input_adapters: Count,
    mlp_input_adapters: Count,
    trains_adapters: Switch,
    lora_o_proj: Switch,
    lora_down_proj: Switch,
    adapted_mlp_share: Share,
    attention_mixer_share: Share,
    linear_mixer_share: Share,
    linear_attention_input_matrices: Count,
    linear_output_share: Share,
) -> Count:
    """Adapters of one layer, in the mean.  Source: PEFT."""
    return total(
        linear_mixer_share * linear_attention_input_matrices,
        linear_output_share,
        attention_mixer_share * (attention_input_adapters + trains_adapters * lora_o_proj),
        adapted_mlp_share * (mlp_input_adapters + trains_adapters * lora_down_proj),
    )


@figure("D_put", source="LitGPT `LoRAQKVLinear.zero_pad`, counted with torch 2.13")
def placed_adapter_size(
    trains_adapters: Switch,
    joins_projections: Switch,
    lora_q_proj: Switch,
    lora_k_proj: Switch,
    lora_v_proj: Switch,
    query_size: Count,
    key_value_size: Count,
) -> Count:
    """Width of the adapters' results that an index copy saves while it puts some of query, key and value into place."""
    return (
        trains_adapters * joins_projections * (1 - lora_q_proj * lora_k_proj * lora_v_proj)
        * (lora_q_proj * query_size + (lora_k_proj + lora_v_proj) * key_value_size)
    )  # fmt: skip


@figure("a_ad", basis="measured", source="counted; Unsloth, kernels/fast_lora.py, which multiplies again")
def adapter_activation_bytes(
    adapters_fused: Switch,
    adapters_per_layer: Count,
    keeps_rank_vectors: Switch,
    lora_rank: Count,
    adapter_value_element_bytes: Bytes,
    separate_adapter_size: Count,
    adapter_input_element_bytes: Bytes,
    placed_adapter_size: Count,
    magnitude_activation_bytes: BytesPerToken,
    scaled_activation_bytes: BytesPerToken,
) -> BytesPerToken:
    """Narrow vectors between the two matrices of each adapter, and copies of wide inputs; neither of fused ones."""
    return (
        (
            (1 - adapters_fused) * adapters_per_layer * keeps_rank_vectors * lora_rank * adapter_value_element_bytes
            + separate_adapter_size * adapter_input_element_bytes
            + placed_adapter_size * adapter_value_element_bytes
        )
        / ONE_TOKEN
        + magnitude_activation_bytes
        + scaled_activation_bytes
    )


@figure("a_afr", basis="measured")
def freed_adapter_bytes_per_token(
    hidden_size: Count,
    mlp_adapter_copies: Count,
    input_shards: Count,
    separate_adapter_size: Count,
    tensor_parallel_size: Count,
    adapter_input_element_bytes: Bytes,
) -> BytesPerToken:
    """Inputs that the adapters of MLP and output save, free before attention goes back.  Source: torch 2.13."""
    return (
        (hidden_size * mlp_adapter_copies / input_shards + separate_adapter_size / tensor_parallel_size)
        * adapter_input_element_bytes / ONE_TOKEN
    )  # fmt: skip


@figure("M_lwc", basis="measured")
def layer_weight_copy_bytes(
    copied_weight_element_bytes: Bytes,
    adapted_matrix_parameters: Count,
    adapted_mlp_parameters: Count,
    num_hidden_layers: Count,
    adapter_density: Share,
    rotation_copy_bytes: Bytes,
    merged_expert_bytes: Bytes,
    expert_adapter_copy_bytes: Bytes,
    dequantised_copy_bytes: Bytes,
) -> Bytes:
    """Copies of weights that one layer keeps for its backward pass, averaged over layers.  Source: see the parts."""
    return (
        copied_weight_element_bytes * (adapted_matrix_parameters + adapted_mlp_parameters / num_hidden_layers)
        * adapter_density
        + rotation_copy_bytes + merged_expert_bytes + expert_adapter_copy_bytes + dequantised_copy_bytes
    )  # fmt: skip


@figure("M_dqk", source="GPTQModel `TorchQuantLinear.forward`: a product saves what its input is multiplied with")
def dequantised_copy_bytes(
    base_quantised: Switch,
    base_keeps_dequantised: Switch,
    matrix_parameters: Count,
    num_hidden_layers: Count,
    activation_element_bytes: Bytes,
) -> Bytes:
    """Weights of one layer as its products turned them back and keep them."""
    return (
        base_quantised * base_keeps_dequantised * matrix_parameters / num_hidden_layers * activation_element_bytes
    )  # fmt: skip


@figure("M_mex", basis="measured", source="PEFT 0.21 `ParamWrapper`, `_LoraFactorsProxy`; torch 2.13, counted")
def merged_expert_bytes(
    trains_adapters: Switch,
    mixture_layers: Count,
    num_hidden_layers: Count,
    num_local_experts: Count,
    expert_parallel_size: Count,
    merged_expert_width: Count,
    hidden_size: Count,
    weight_element_bytes: Bytes,
) -> Bytes:
    """Routed experts with their adapters added, whole, which each layer keeps; averaged over layers."""
    return (
        trains_adapters * mixture_layers / num_hidden_layers * num_local_experts / expert_parallel_size
        * hidden_size * merged_expert_width * weight_element_bytes
    )  # fmt: skip


@figure("M_exc", basis="measured", source="PEFT 0.21 `ParamWrapper`; torch 2.13, counted")
def expert_adapter_copy_bytes(
    trains_adapters: Switch,
    autocast: Switch,
    adapter_element_bytes: Bytes,
    weight_element_bytes: Bytes,
    lora_rank: Count,
    expert_adapter_widths: Count,
    num_hidden_layers: Count,
) -> Bytes:
    """Adapters of routed experts in the weights' type, by which the sums are made; averaged over layers."""
    return (
        trains_adapters * (1 - autocast) * (adapter_element_bytes > weight_element_bytes)
        * lora_rank * expert_adapter_widths / num_hidden_layers * weight_element_bytes
    )  # fmt: skip


@figure("F_mex")
def merged_expert_width(
    moe_intermediate_size: Count, adapts_expert_gate_up: Switch, gated_mlp: Switch, adapts_expert_down: Switch
) -> Count:
    """Columns of hidden width of one expert's adapted matrices.  Source: PEFT `target_parameters`."""
    return moe_intermediate_size * (adapts_expert_gate_up * (1 + gated_mlp) + adapts_expert_down)


@figure("M_mexg", basis="measured")
def merged_gradient_bytes(
    merged_expert_bytes: Bytes,
    merged_expert_width: Count,
    moe_intermediate_size: Count,
    adapts_expert_gate_up: Switch,
    gated_mlp: Switch,
    adapts_expert_down: Switch,
    num_hidden_layers: Count,
    mixture_layers: Count,
) -> Bytes:
    """Gradient of one of those sums, whole, before it becomes that of the adapters; down's sum is free at gate's turn.

    Source: torch 2.13, `baddbmm` backward, tensors in memory counted.
    """
    return (
        merged_expert_bytes * num_hidden_layers / larger(mixture_layers, 1)
        * moe_intermediate_size / larger(merged_expert_width, 1)
        * larger(adapts_expert_gate_up * (1 + gated_mlp) - adapts_expert_down, adapts_expert_down)
    )  # fmt: skip


@figure(
    "n_exh", source="torch 2.13, counted, for grouped experts; transformers 4.52 `MixtralSparseMoeBlock` for the loop"
)
def routed_input_values(
    trains_adapters: Switch, keeps_linear_inputs: Switch, adapts_expert_gate_up: Switch, experts_in_turn: Switch
) -> Switch:
    """1 where the routed copies of hidden states are kept: experts trained or adapted, or in a loop."""
    return larger(keeps_linear_inputs, experts_in_turn, trains_adapters * adapts_expert_gate_up)
