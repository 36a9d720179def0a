"""Low-rank adapters: what is trained beside a frozen base."""

from memreport.figures.constants import KEY_AND_VALUE
from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, total, where


@figure("o_qab")
def names_both_queries(targets_q_proj: Switch, targets_q_a_proj: Switch, targets_q_b_proj: Switch) -> Switch:
    """1 where both matrices of a query projection of low rank are named.  Source: HF `DeepseekV3Attention`."""
    return larger(targets_q_proj, targets_q_a_proj * targets_q_b_proj)


@figure("D_Lq", source="HF code")
def query_adapter_size(
    q_lora_rank: Count,
    hidden_size: Count,
    query_size: Count,
    gate_in_query: Switch,
    names_both_queries: Switch,
    targets_q_a_proj: Switch,
    targets_q_b_proj: Switch,
) -> Count:
    """Input plus output widths of the query projection, or of those named of two of a low rank; a gate's with it."""
    return where(
        q_lora_rank > 0,
        larger(names_both_queries, targets_q_a_proj) * (hidden_size + q_lora_rank)
        + larger(names_both_queries, targets_q_b_proj) * (q_lora_rank + query_size),
        hidden_size + query_size * (1 + gate_in_query),
    )


@figure("D_Lk")
def key_adapter_size(kv_lora_rank: Count, hidden_size: Count, key_value_size: Count, qk_rope_head_dim: Count) -> Count:
    """Input plus output widths of the key projection; of the latent's, `kv_a_proj_with_mqa`.  Source: HF code."""
    return hidden_size + where(kv_lora_rank > 0, kv_lora_rank + qk_rope_head_dim, key_value_size)


@figure("D_Lv")
def value_adapter_size(
    kv_lora_rank: Count,
    num_attention_heads: Count,
    qk_nope_head_dim: Count,
    value_size: Count,
    hidden_size: Count,
    key_value_size: Count,
    attention_k_eq_v: Switch,
    global_layer_share: Share,
    num_global_key_value_heads: Count,
    global_head_dim: Count,
) -> Count:
    """Input plus output widths of the value projection, in the mean of layers; of `kv_b_proj` where there is a latent.

    Source: HF code.
    """
    return where(
        kv_lora_rank > 0,
        kv_lora_rank + num_attention_heads * qk_nope_head_dim + value_size,
        hidden_size
        + key_value_size
        - attention_k_eq_v * global_layer_share * (hidden_size + num_global_key_value_heads * global_head_dim),
    )


@figure("D_Lqkv", source="arXiv:2106.09685, section 4; PEFT 0.21, counted")
def input_adapter_size(
    fused_qkv: Switch,
    adapts_q_proj: Switch,
    adapts_k_proj: Switch,
    adapts_v_proj: Switch,
    query_adapter_size: Count,
    key_adapter_size: Count,
    value_adapter_size: Count,
    hidden_size: Count,
    query_size: Count,
    key_value_size: Count,
) -> Count:
    """Widths of the adapted query, key and value projections; a fused one has one adapter of its whole output."""
    return where(
        fused_qkv > 0,
        larger(adapts_q_proj, adapts_k_proj, adapts_v_proj)
        * (hidden_size + query_size + KEY_AND_VALUE * key_value_size),
        adapts_q_proj * query_adapter_size + adapts_k_proj * key_adapter_size + adapts_v_proj * value_adapter_size,
    )


@figure("P_La")
def attention_adapter_parameters(
    input_adapter_size: Count, adapts_o_proj: Switch, value_size: Count, hidden_size: Count
) -> Count:
    """Input plus output widths of the adapted attention matrices of a layer.  Source: arXiv:2106.09685, section 4."""
    return input_adapter_size + adapts_o_proj * (value_size + hidden_size)


@figure("n_Lin")
def gate_up_adapters(
    fused_gate_up: Switch, gated_mlp: Switch, adapts_gate_proj: Switch, adapts_up_proj: Switch
) -> Count:
    """Adapters on the gate and up projections; a fused projection has one, a plain MLP no gate.  Source: PEFT."""
    return where(
        fused_gate_up > 0, larger(adapts_gate_proj, adapts_up_proj), gated_mlp * adapts_gate_proj + adapts_up_proj
    )


@figure("n_Lgu")
def gate_up_adapter_outputs(gate_up_adapters: Count, fused_gate_up: Switch, gated_mlp: Switch) -> Count:
    """Outputs of the MLP's width that those adapters have: two where one serves gate and up.  Source: PEFT."""
    return gate_up_adapters * (1 + fused_gate_up * gated_mlp)


@figure("P_Lm")
def mlp_adapter_parameters(
    gate_up_adapters: Count,
    gate_up_adapter_outputs: Count,
    adapts_down_proj: Switch,
    hidden_size: Count,
    intermediate_size: Count,
) -> Count:
    """Input plus output widths of the adapted MLP matrices of a dense layer.  Source: arXiv:2106.09685, section 4."""
    return total(
        gate_up_adapters * hidden_size,
        gate_up_adapter_outputs * intermediate_size,
        adapts_down_proj * (intermediate_size + hidden_size),
    )


@figure("P_Ls")
def shared_expert_adapter_parameters(
    shared_expert_intermediate_size: Count,
    gate_up_adapters: Count,
    gate_up_adapter_outputs: Count,
    adapts_down_proj: Switch,
    hidden_size: Count,
) -> Count:
    """The same of a mixture layer's shared experts; routed experts are taken as frozen.  Source: PEFT, counted."""
    return where(
        shared_expert_intermediate_size > 0,
        total(
            gate_up_adapters * hidden_size,
            gate_up_adapter_outputs * shared_expert_intermediate_size,
            adapts_down_proj * (shared_expert_intermediate_size + hidden_size),
        ),
        0,
    )


@figure("D_Lall")
def adapted_widths(
    attention_layers: Count,
    attention_adapter_parameters: Count,
    dense_layers: Count,
    mlp_adapter_parameters: Count,
    mixture_layers: Count,
    shared_expert_adapter_parameters: Count,
    num_linear_attention_layers: Count,
    linear_attention_adapted_widths: Count,
    expert_gate_adapters: Count,
    hidden_size: Count,
    targets_others: Switch,
    other_adapter_widths: Count,
    tower_adapted_widths: Count,
    beside_adapted_widths: Count,
) -> Count:
    """Input plus output widths of all adapted matrices but routed experts'.  Source: arXiv:2106.09685, section 4."""
    return total(
        attention_layers * attention_adapter_parameters,
        num_linear_attention_layers * linear_attention_adapted_widths,
        expert_gate_adapters * (hidden_size + 1),
        targets_others * other_adapter_widths,
        tower_adapted_widths,
        beside_adapted_widths,
        dense_layers * mlp_adapter_parameters,
        mixture_layers * shared_expert_adapter_parameters,
    )


@figure("n_pma")
def adapted_inputs(
    fused_qkv: Switch,
    adapts_q_proj: Switch,
    adapts_k_proj: Switch,
    adapts_v_proj: Switch,
    q_lora_rank: Count,
    names_both_queries: Switch,
) -> Count:
    """Adapted matrices of queries, keys and values of a layer, of latent queries one or two.  Source: PEFT, counted."""
    return where(
        fused_qkv > 0,
        larger(adapts_q_proj, adapts_k_proj, adapts_v_proj),
        adapts_q_proj * (1 + (q_lora_rank > 0) * names_both_queries) + adapts_k_proj + adapts_v_proj,
    )


@figure("n_pm")
def adapted_matrices(
    attention_layers: Count,
    adapted_inputs: Count,
    adapts_o_proj: Switch,
    gate_up_adapters: Count,
    adapts_down_proj: Switch,
    dense_layers: Count,
    mixture_layers: Count,
    shared_expert_intermediate_size: Count,
    num_linear_attention_layers: Count,
    linear_attention_adapters: Count,
    expert_gate_adapters: Count,
) -> Count:
    """Matrices that could be adapted in all layers.  Source: PEFT, counted."""
    return num_linear_attention_layers * linear_attention_adapters + expert_gate_adapters + (
        attention_layers * (adapted_inputs + adapts_o_proj)
        + (gate_up_adapters + adapts_down_proj)
        * (dense_layers + mixture_layers * (shared_expert_intermediate_size > 0))
    )  # fmt: skip


@figure("L_fro", source="PyTorch keeps nothing below the first tensor that wants a gradient; torch 2.13, counted")
def leading_frozen_layers(
    num_leading_linear_attention_layers: Count,
    adapted_widths: Count,
    attention_layers: Count,
    attention_adapter_parameters: Count,
    expert_adapter_widths: Count,
) -> Count:
    """Layers before the first adapter, where adapters are on attention alone and others come first."""
    return (
        num_leading_linear_attention_layers
        * (attention_adapter_parameters > 0)
        * (adapted_widths + expert_adapter_widths <= attention_layers * attention_adapter_parameters)
    )


@figure("o_xname")
def names_reach_experts(
    reaches_experts_by_name: Switch,
    adapts_experts: Switch,
    num_local_experts: Count,
    expert_bias: Switch,
    routes_densely: Switch,
    shared_expert_gate: Switch,
    num_linear_attention_layers: Count,
    experts_unnamed: Switch,
    mlp_named_w: Switch,
    targets_mlp_w: Switch,
) -> Switch:
    """1 where names of the MLP's matrices mean those of every routed expert, too; not in gpt-oss, Llama 4, Qwen2 MoE.

    Mixtral's are w1, w2 and w3.  Source: PEFT 0.21, `_convert_peft_config_moe`.
    """
    return (
        reaches_experts_by_name * adapts_experts * (num_local_experts > 0) * (1 - expert_bias) * (1 - routes_densely)
        * (1 - shared_expert_gate * (num_linear_attention_layers <= 0)) * (1 - experts_unnamed)
        * (1 - mlp_named_w * (1 - targets_mlp_w))
    )  # fmt: skip


@figure("o_xgu")
def adapts_expert_gate_up(
    lora_experts_gate_up: Switch, names_reach_experts: Switch, targets_gate_proj: Switch, targets_up_proj: Switch
) -> Switch:
    """1 where the experts' gate and up, one matrix, are adapted: as a parameter, or by both names.  Source: PEFT."""
    return larger(lora_experts_gate_up, names_reach_experts * targets_gate_proj * targets_up_proj)


@figure("o_xdn")
def adapts_expert_down(lora_experts_down: Switch, names_reach_experts: Switch, targets_down_proj: Switch) -> Switch:
    """1 where the experts' down projection is adapted: as a parameter, or by name.  Source: PEFT."""
    return larger(lora_experts_down, names_reach_experts * targets_down_proj)


@figure("D_Lexp")
def expert_adapter_widths(
    mixture_layers: Count,
    num_local_experts: Count,
    adapts_expert_gate_up: Switch,
    lora_experts_gate_up: Switch,
    gated_mlp: Switch,
    adapts_expert_down: Switch,
    hidden_size: Count,
    moe_intermediate_size: Count,
    targets_router: Switch,
    names_reach_experts: Switch,
) -> Count:
    """The same of the routed experts' matrices; gate and up are one, of twice the rank where both are named.

    Where names mean experts, all of them mean the router, too.

    Source: PEFT `ParamWrapper`, `_resolve_string_target_modules`, counted.
    """
    return mixture_layers * where(
        num_local_experts > 0,
        targets_router * names_reach_experts * (hidden_size + num_local_experts) + num_local_experts * (
            (adapts_expert_gate_up + adapts_expert_gate_up - lora_experts_gate_up)
            * (hidden_size + (1 + gated_mlp) * moe_intermediate_size)
            + adapts_expert_down * (moe_intermediate_size + hidden_size)
        ),
        0,
    )  # fmt: skip


@figure("P_tr", title="Trainable parameters", shown=("main",))
def trainable_parameters(
    trains_base: Switch,
    trained_base_parameters: Count,
    trains_adapters: Switch,
    adapter_parameters: Count,
    saved_module_parameters: Count,
) -> Count:
    """Parameters that receive a gradient.  Source: arXiv:2106.09685, section 4."""
    return trains_base * trained_base_parameters + trains_adapters * (adapter_parameters + saved_module_parameters)


@figure("f_tr", source="PEFT `print_trainable_parameters`")
def trainable_share(
    trains_base: Switch, trainable_parameters: Count, parameters: Count, optimizer_estimates_gradients: Switch
) -> Count:
    """Share of all parameters, adapters included, that gradients are computed of."""
    return (
        (1 - optimizer_estimates_gradients)
        * trainable_parameters
        / (parameters + (1 - trains_base) * trainable_parameters)
    )


@figure("M_L", source="PEFT keeps them in FP32 by default (`autocast_adapter_dtype`)")
def adapter_bytes(
    trains_adapters: Switch,
    adapter_parameters: Count,
    trained_bias_parameters: Count,
    shared_matrix_parameters: Count,
    adapter_element_bytes: Bytes,
) -> Bytes:
    """Weights of the adapters, and frozen matrices that they share; biases are the base's own."""
    return (
        trains_adapters * (adapter_parameters - trained_bias_parameters + shared_matrix_parameters)
        * adapter_element_bytes
    )  # fmt: skip
