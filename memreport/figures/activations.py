"""What a training step keeps for its backward pass, sub-layer by sub-layer, in bytes per token and layer.

`saved_tensors` counts the tensors that the training framework really saves; the other activation models are the rules
that published documents use, each under its own name.
"""

from __future__ import annotations

from memreport.figures.constants import FP32_BYTES, KEY_AND_VALUE, ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, total, where


@figure("b_res")
def residual_element_bytes(autocast: Switch, activation_element_bytes: Bytes) -> Bytes:
    """Width of the residual stream: FP32 under autocast, else the policy's.  Source: torch 2.13, counted."""
    return where(autocast > 0, FP32_BYTES, activation_element_bytes)


@figure("b_norm")
def norm_element_bytes(
    norm_input_element_bytes: Bytes,
    residual_element_bytes: Bytes,
    norm_saves_normalised: Switch,
    trains_base: Switch,
) -> Bytes:
    """Saved per hidden unit by one norm: its input, and its normalised output where its weight is trained.

    Source: HF `LlamaRMSNorm` computes in FP32; torch 2.13, counted.
    """
    return norm_input_element_bytes + norm_saves_normalised * trains_base * residual_element_bytes


@figure("a_norm", basis="measured")
def norm_activation_bytes(norms_per_layer: Count, hidden_size: Count, norm_element_bytes: Bytes) -> BytesPerToken:
    """Norms of one layer: inputs, normalised outputs, and one FP32 statistic each.  Source: torch 2.13, counted."""
    return norms_per_layer * (hidden_size * norm_element_bytes + FP32_BYTES) / ONE_TOKEN


@figure("n_qkv")
def attention_input_copies(autocast: Switch, separate_linear_copies: Count, trains_base: Switch) -> Count:
    """16-bit copies of the input of the query, key and value projections.  Source: torch 2.13, counted."""
    return trains_base * where(autocast > 0, separate_linear_copies, 1)


@figure("n_qkvL")
def attention_adapter_copies(
    trains_adapters: Switch,
    adapter_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    lora_q_proj: Switch,
    lora_k_proj: Switch,
    lora_v_proj: Switch,
) -> Count:
    """Copies of that input that adapters save: one shared, or one each where they compute in a wider type.

    Source: PEFT `Linear.forward` casts the input to the adapter's type.
    """
    return trains_adapters * where(
        adapter_element_bytes > activation_element_bytes,
        lora_q_proj + lora_k_proj + lora_v_proj,
        larger(lora_q_proj, lora_k_proj, lora_v_proj),
    )


@figure("a_in", basis="measured")
def linear_input_bytes(
    hidden_size: Count,
    attention_input_copies: Count,
    mlp_input_copies: Count,
    activation_element_bytes: Bytes,
    attention_adapter_copies: Count,
    mlp_adapter_copies: Count,
    adapter_element_bytes: Bytes,
) -> BytesPerToken:
    """Inputs of the first linear layers of attention and MLP; frozen ones save none.  Source: torch 2.13, counted."""
    return (
        hidden_size
        * (
            (attention_input_copies + mlp_input_copies) * activation_element_bytes
            + (attention_adapter_copies + mlp_adapter_copies) * adapter_element_bytes
        )
        / ONE_TOKEN
    )


@figure("n_mlp")
def mlp_input_copies(autocast: Switch, mlp_matrices: Count, trains_base: Switch) -> Count:
    """16-bit copies of the input of the MLP's first matrices.  Source: torch 2.13, counted."""
    return trains_base * where(autocast > 0, mlp_matrices - 1, 1)


@figure("n_mlpL")
def mlp_adapter_copies(
    trains_adapters: Switch,
    adapter_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    lora_gate_proj: Switch,
    lora_up_proj: Switch,
) -> Count:
    """Copies of the MLP's input that adapters save.  Source: PEFT `Linear.forward`."""
    return trains_adapters * where(
        adapter_element_bytes > activation_element_bytes,
        lora_gate_proj + lora_up_proj,
        larger(lora_gate_proj, lora_up_proj),
    )


@figure("D_kve")
def saved_key_value_size(
    scores_stored: Switch, expands_key_values: Switch, value_size: Count, key_value_size: Count
) -> Count:
    """Width of the saved keys: expanded to all heads where attention is not fused.  Source: HF `repeat_kv`."""
    return where(scores_stored * expands_key_values > 0, value_size, key_value_size)


@figure("a_att", basis="measured")
def attention_activation_bytes(
    query_size: Count,
    saved_key_value_size: Count,
    value_size: Count,
    activation_element_bytes: Bytes,
    num_attention_heads: Count,
    scores_stored: Switch,
) -> BytesPerToken:
    """Query, keys, values and output of attention, with one FP32 statistic a head where it is fused.

    Source: arXiv:2205.14135 (FlashAttention), section 3; torch 2.13, counted.
    """
    return (
        (query_size + KEY_AND_VALUE * saved_key_value_size + value_size) * activation_element_bytes
        + (1 - scores_stored) * num_attention_heads * FP32_BYTES
    ) / ONE_TOKEN


@figure("a_sc", basis="measured")
def score_activation_bytes(
    num_attention_heads: Count,
    sequence_length: Tokens,
    score_bytes: Bytes,
    scores_stored: Switch,
    recomputes_scores: Switch,
) -> BytesPerToken:
    """Attention scores of one layer where they are stored.  Source: arXiv:2205.05198, section 4.1; torch 2.13."""
    return (
        num_attention_heads * (sequence_length / ONE_TOKEN) * score_bytes
        * scores_stored * (1 - recomputes_scores) / ONE_TOKEN
    )  # fmt: skip


@figure("F_m")
def mlp_width_per_token(
    num_dense_layers: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    num_experts_per_tok: Count,
    moe_intermediate_size: Count,
    shared_expert_intermediate_size: Count,
    num_hidden_layers: Count,
) -> Count:
    """MLP width that one token passes through, averaged over layers.  Source: arXiv:2401.04088, section 2.1."""
    return (
        num_dense_layers * intermediate_size
        + mixture_layers * (num_experts_per_tok * moe_intermediate_size + shared_expert_intermediate_size)
    ) / num_hidden_layers


@figure("n_val")
def mlp_saved_values(
    gated_mlp: Switch,
    gated_mlp_saved_values: Count,
    plain_mlp_saved_values: Count,
    trains_adapters: Switch,
    lora_down_proj: Switch,
) -> Count:
    """Tensors of the MLP's width that are saved; a frozen down projection does not save its input.

    Source: torch 2.13, counted; per framework profile.
    """
    return where(gated_mlp > 0, gated_mlp_saved_values, plain_mlp_saved_values) - trains_adapters * (1 - lora_down_proj)


@figure("a_mlp", basis="measured")
def mlp_activation_bytes(
    mlp_width_per_token: Count, mlp_saved_values: Count, activation_element_bytes: Bytes
) -> BytesPerToken:
    """Inside of the MLP of one layer.  Source: torch 2.13, counted."""
    return mlp_width_per_token * mlp_saved_values * activation_element_bytes / ONE_TOKEN


@figure("a_moe", basis="rule of thumb")
def routing_activation_bytes(
    mixture_layers: Count,
    num_hidden_layers: Count,
    num_experts_per_tok: Count,
    hidden_size: Count,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """Tokens copied to their experts and back, averaged over layers.  Source: arXiv:2211.15841, section 3."""
    return (
        mixture_layers / num_hidden_layers * num_experts_per_tok
        * hidden_size * (activation_element_bytes + activation_element_bytes) / ONE_TOKEN
    )  # fmt: skip


@figure("s_sp")
def sequence_shards(sequence_parallel: Switch, tensor_parallel_size: Count) -> Count:
    """Parts into which sequence parallelism cuts norms and linear inputs.  Source: arXiv:2205.05198, section 4.2.2."""
    return where(sequence_parallel > 0, tensor_parallel_size, 1)


@figure("a_saved", basis="measured")
def saved_tensor_bytes(
    norm_activation_bytes: BytesPerToken,
    linear_input_bytes: BytesPerToken,
    sequence_shards: Count,
    attention_activation_bytes: BytesPerToken,
    score_activation_bytes: BytesPerToken,
    mlp_activation_bytes: BytesPerToken,
    routing_activation_bytes: BytesPerToken,
    tensor_parallel_size: Count,
) -> BytesPerToken:
    """What the framework saves of one layer, per token.  Source: sum of the sub-layers; arXiv:2205.05198."""
    return (norm_activation_bytes + linear_input_bytes) / sequence_shards + total(
        attention_activation_bytes, score_activation_bytes, mlp_activation_bytes, routing_activation_bytes
    ) / tensor_parallel_size


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


FIGURES = (
    residual_element_bytes,
    norm_element_bytes,
    norm_activation_bytes,
    attention_input_copies,
    attention_adapter_copies,
    mlp_input_copies,
    mlp_adapter_copies,
    linear_input_bytes,
    saved_key_value_size,
    attention_activation_bytes,
    score_activation_bytes,
    mlp_width_per_token,
    mlp_saved_values,
    mlp_activation_bytes,
    routing_activation_bytes,
    sequence_shards,
    saved_tensor_bytes,
    rule_activation_bytes,
    rule_score_activation_bytes,
    layer_activation_bytes_per_token,
)
