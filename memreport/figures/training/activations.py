"""What one layer keeps for its backward pass, in bytes per token, by the chosen activation model.

`saved_tensors` adds up the sub-layers, whose tensors are counted one by one in saved_norms, saved_attention and
saved_mlp; the other activation models are the rules that published documents use, each under its own name.
"""

from memreport.figures.constants import FP32_BYTES, ONE_TOKEN, ROUTED_TOKEN_BYTES, THREE
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, total, where


@figure("n_cap")
def routed_copies(
    num_experts_per_tok: Count,
    moe_expert_capacity_factor: Count,
    routes_densely: Switch,
    runs_transformers_layers: Switch,
    num_local_experts: Count,
) -> Count:
    """Places that one token takes: one in each of its experts, their share of a fixed capacity, or one in every expert.

    Source: arXiv:2101.03961, section 2.2; Megatron-LM; HF `Llama4TextMoe.forward`.
    """
    return where(
        moe_expert_capacity_factor > 0,
        num_experts_per_tok * moe_expert_capacity_factor,
        num_experts_per_tok + routes_densely * runs_transformers_layers * (num_local_experts - num_experts_per_tok),
    )


@figure("F_mx")
def mixture_width_per_token(
    routed_copies: Count, moe_intermediate_size: Count, shared_expert_intermediate_size: Count
) -> Count:
    """Width that one token passes through in a mixture layer.  Source: arXiv:2401.04088, section 2.1."""
    return routed_copies * moe_intermediate_size + shared_expert_intermediate_size


@figure("F_m")
def mlp_width_per_token(
    dense_layers: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    mixture_width_per_token: Count,
    num_hidden_layers: Count,
) -> Count:
    """MLP width that one token passes through, averaged over layers.  Source: arXiv:2401.04088, section 2.1."""
    return (dense_layers * intermediate_size + mixture_layers * mixture_width_per_token) / num_hidden_layers


@figure("a_moe", basis="rule of thumb")
def routing_activation_bytes(
    mixture_layers: Count,
    num_hidden_layers: Count,
    routed_copies: Count,
    expert_cut_size: Count,
    hidden_size: Count,
    activation_element_bytes: Bytes,
    routed_input_values: Switch,
    linear_input_element_bytes: Bytes,
    experts_in_turn: Switch,
    weighs_in_activation: Switch,
    routes_densely: Switch,
    runs_transformers_layers: Switch,
    residual_element_bytes: Bytes,
) -> BytesPerToken:
    """Tokens copied to their experts and back, averaged over layers; a loop keeps the weighted result too.

    Source: arXiv:2211.15841, section 3; Megatron-LM, moe/token_dispatcher.py; transformers 4.52, loop.
    """
    # No answer is kept where it is weighted before the last matrix: Megatron-LM `weighted_bias_swiglu_impl`; where
    # inputs are weighted, it is those that are kept, as the norm answers them: HF `Llama4TextMoe`. Ranks that cut
    # experts gather the tokens of all of them first, so that none holds a part of the inputs.
    return (
        mixture_layers / num_hidden_layers * routed_copies
        * hidden_size / ONE_TOKEN
        * (
            linear_input_element_bytes * routed_input_values * expert_cut_size
            + where(
                routes_densely * runs_transformers_layers > 0,
                residual_element_bytes,
                (1 - weighs_in_activation) * activation_element_bytes * (1 + experts_in_turn),
            )
        )
    )  # fmt: skip


@figure("a_ran", basis="measured")
def routed_answer_bytes(
    routes_densely: Switch,
    runs_transformers_layers: Switch,
    routed_copies: Count,
    experts_in_turn: Switch,
    num_local_experts: Count,
    hidden_size: Count,
    activation_element_bytes: Bytes,
    weighs_in_activation: Switch,
) -> BytesPerToken:
    """Experts' answers in a mixture layer, kept for the gradient of their weights, and free once that is made.

    In a loop it is those of one expert.
    Source: transformers 5.23 `grouped_mm_experts_forward`, `Llama4TextMoe`; torch 2.13, counted.
    """
    return (
        (1 - routes_densely * runs_transformers_layers) * (1 - weighs_in_activation)
        * routed_copies / where(experts_in_turn > 0, larger(num_local_experts, 1), 1)
        * hidden_size * activation_element_bytes / ONE_TOKEN
    )  # fmt: skip


@figure("a_rin", basis="measured", source="HF `DeepseekV3TopkRouter`, `Qwen2MoeSparseMoeBlock`; torch 2.13, counted")
def router_input_bytes(
    trains_base: Switch,
    router_in_fp32: Switch,
    layers_fused: Switch,
    native_activations: Switch,
    shared_expert_gate: Switch,
    linear_inputs_cast: Switch,
    torch_compile: Switch,
    hidden_size: Count,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """A trained router's FP32 input, or its own copy where autocast casts it; what a shared expert's gate scales."""
    return (
        hidden_size
        * (
            trains_base * router_in_fp32 * (1 - larger(layers_fused, native_activations)) * FP32_BYTES
            + trains_base * (1 - router_in_fp32) * linear_inputs_cast * (1 - torch_compile) * activation_element_bytes
            + shared_expert_gate * activation_element_bytes
        )
        / ONE_TOKEN
    )


@figure("a_rout", basis="measured")
def router_activation_bytes(
    mixture_layers: Count,
    num_hidden_layers: Count,
    num_local_experts: Count,
    num_experts_per_tok: Count,
    router_input_bytes: BytesPerToken,
) -> BytesPerToken:
    """Input, softmax and its sum, choices, shares and permutations, averaged.  Source: torch 2.13, counted."""
    return (
        mixture_layers / num_hidden_layers
        * (
            router_input_bytes
            + ((num_local_experts + 1) * FP32_BYTES + num_experts_per_tok * ROUTED_TOKEN_BYTES) / ONE_TOKEN
        )
    )  # fmt: skip


@figure("b_rb", source="transformers 5.23 `grouped_mm_experts_forward`, `Llama4TextMoe`; torch 2.13, counted")
def routed_gradient_bytes_each(
    routes_densely: Switch,
    runs_transformers_layers: Switch,
    routing_weights_in_fp32: Switch,
    activation_element_bytes: Bytes,
    checkpoints: Switch,
) -> Bytes:
    """Gradients of an expert's answer per unit of width: put back into order, of the answer, of its weight."""
    # In the weights' type, and cast back unless the answers were made again; one copy where experts compute every
    # token.
    return where(routes_densely * runs_transformers_layers > 0, 1, THREE) * where(
        routing_weights_in_fp32 > 0, FP32_BYTES, activation_element_bytes
    ) + routing_weights_in_fp32 * (1 - checkpoints) * activation_element_bytes * (activation_element_bytes < FP32_BYTES)


@figure("a_rb", basis="measured")
def routed_backward_bytes(
    mixture_layers: Count,
    experts_in_turn: Switch,
    layers_fused: Switch,
    routed_copies: Count,
    hidden_size: Count,
    routed_gradient_bytes_each: Bytes,
) -> BytesPerToken:
    """Gradients of the experts' answers in a layer's backward pass.  Source: torch 2.13, counted."""
    return (
        (mixture_layers > 0) * (1 - larger(experts_in_turn, layers_fused))
        * routed_copies * hidden_size * routed_gradient_bytes_each / ONE_TOKEN
    )  # fmt: skip


@figure("o_sp")
def sequence_parallel(leaves_sequences_whole: Switch) -> Switch:
    """1 where tensor parallelism also cuts sequences, as the framework does it.  Source: Megatron-LM; HF `tp_plan`."""
    return 1 - leaves_sequences_whole


@figure("s_sp")
def sequence_shards(sequence_parallel: Switch, tensor_parallel_size: Count) -> Count:
    """Parts into which sequence parallelism cuts norms and linear inputs.  Source: arXiv:2205.05198, section 4.2.2."""
    return where(sequence_parallel > 0, tensor_parallel_size, 1)


@figure("s_in", source="Megatron-LM gathers again in the backward pass; PyTorch DTensor, two processes, counted")
def input_shards(keeps_gathered: Switch, sequence_shards: Count) -> Count:
    """Parts into which kept inputs of matrices are cut: as the sequence, or not where they are kept as gathered."""
    return where(keeps_gathered > 0, 1, sequence_shards)


@figure("a_cut", basis="measured")
def sequence_cut_bytes(
    norm_activation_bytes: BytesPerToken,
    linear_input_bytes: BytesPerToken,
    dropout_mask_bytes: BytesPerToken,
    router_activation_bytes: BytesPerToken,
    latent_activation_bytes: BytesPerToken,
    sequence_shards: Count,
    input_shards: Count,
) -> BytesPerToken:
    """What lies along the residual stream, which sequence parallelism cuts, but for inputs kept as they are gathered.

    Source: arXiv:2205.05198, section 4.2.
    """
    return (norm_activation_bytes + dropout_mask_bytes) / sequence_shards + (
        linear_input_bytes + router_activation_bytes + latent_activation_bytes
    ) / input_shards


@figure("f_mix")
def mixer_share(num_layers_without_mlp: Count, num_hidden_layers: Count) -> Share:
    """Share of the layers that mix tokens; others are MLPs alone.  Source: HF `NemotronHBlock`, `T5Block`."""
    return where(num_layers_without_mlp > 0, num_layers_without_mlp / num_hidden_layers, 1)


@figure("f_lmlp")
def mlp_layer_share(dense_layers: Count, mixture_layers: Count, num_hidden_layers: Count) -> Share:
    """Share of the layers that have an MLP or a mixture.  Source: HF `NemotronHBlock`, `T5Block`."""
    return (dense_layers + mixture_layers) / num_hidden_layers


@figure("a_saved", basis="measured", source="sum of the sub-layers; arXiv:2205.05198")
def saved_tensor_bytes(
    sequence_cut_bytes: BytesPerToken,
    attention_activation_bytes: BytesPerToken,
    qk_norm_activation_bytes: BytesPerToken,
    mask_activation_bytes: BytesPerToken,
    score_activation_bytes: BytesPerToken,
    distance_activation_bytes: BytesPerToken,
    mlp_activation_bytes: BytesPerToken,
    adapter_activation_bytes: BytesPerToken,
    routing_activation_bytes: BytesPerToken,
    layer_weight_copy_bytes: Bytes,
    tokens_per_micro_batch: Tokens,
    tensor_parallel_size: Count,
    recomputed_module_bytes: BytesPerToken,
    attention_mixer_share: Share,
    linear_attention_activation_bytes: BytesPerToken,
    linear_attention_kept_values: Count,
    stream_activation_bytes: BytesPerToken,
) -> BytesPerToken:
    """What the framework saves of one layer, per token, copies of weights spread over the tokens."""
    return (
        sequence_cut_bytes
        + stream_activation_bytes
        + mask_activation_bytes * larger(attention_mixer_share, linear_attention_kept_values <= 0)
        + total(
            attention_mixer_share
            * (
                attention_activation_bytes
                + qk_norm_activation_bytes
                + score_activation_bytes
                + distance_activation_bytes
            )
            + linear_attention_activation_bytes,
            mlp_activation_bytes,
            adapter_activation_bytes,
            routing_activation_bytes,
            layer_weight_copy_bytes / tokens_per_micro_batch,
        )
        / tensor_parallel_size
        - recomputed_module_bytes
    )


@figure("a_rule", basis="rule of thumb")
def rule_activation_bytes(
    hidden_size: Count,
    rule_hidden_bytes: Bytes,
    rule_hidden_values: Count,
    rule_uses_constant: Switch,
    activation_constant: Count,
    activation_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> BytesPerToken:
    """One layer per token by the rule chosen as `activation_model`, without scores.

    Source: 003 'Activations' (34 bytes; 12 values), 001 'Activations' (C values), 000 and 002 (one hidden vector).
    """
    return (
        hidden_size
        * (
            rule_hidden_bytes
            + (rule_hidden_values + rule_uses_constant * activation_constant) * activation_element_bytes
        )
        / tensor_parallel_size
        / ONE_TOKEN
    )


@figure("a_rsc", basis="rule of thumb")
def rule_score_activation_bytes(
    rule_score_bytes: Bytes,
    num_attention_heads: Count,
    sequence_length: Tokens,
    scores_stored: Switch,
    recomputes_scores: Switch,
    tensor_parallel_size: Count,
) -> BytesPerToken:
    """Scores of one layer per token by that rule, where they are stored.  Source: 003 'Activations', 5AT/H term."""
    return (
        rule_score_bytes * num_attention_heads * (sequence_length / ONE_TOKEN)
        * scores_stored * (1 - recomputes_scores) / tensor_parallel_size / ONE_TOKEN
    )  # fmt: skip


@figure("a")
def layer_activation_bytes_per_token(
    counts_saved_tensors: Switch,
    saved_tensor_bytes: BytesPerToken,
    rule_activation_bytes: BytesPerToken,
    rule_score_activation_bytes: BytesPerToken,
) -> BytesPerToken:
    """Activations of one layer per token, by the chosen activation model.  Source: see each model."""
    return where(counts_saved_tensors > 0, saved_tensor_bytes, rule_activation_bytes + rule_score_activation_bytes)
