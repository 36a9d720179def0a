"""What the backward pass holds beside saved tensors: gradients on their way, temporaries, gradients not made yet."""

from __future__ import annotations

from memreport.figures.constants import FP32_BYTES, ONE_TOKEN, TWO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("n_mb")
def mlp_backward_values(
    gated_mlp: Switch,
    activation_backward_values: Count,
    layers_fused: Switch,
    use_liger_kernel: Switch,
    adapters_fused: Switch,
    mlp_input_adapters: Count,
    down_input_values: Count,
    activation_saves_result: Switch,
) -> Count:
    """Tensors of the MLP's width that its backward pass adds: gradients of the product and of its factors.

    Less the saved product, which is free by then, unless it is the result that the function saves.  Liger and fused
    adapters write the factors' gradients over the factors, which leaves that of the product beside all that is saved.
    Source: torch 2.13, allocated tensors counted; Liger Kernel 0.8, ops/swiglu.py; Unsloth, kernels/swiglu.py.
    """
    return where(
        larger(use_liger_kernel, adapters_fused * (mlp_input_adapters > 0)) > 0,
        1,
        TWO + larger(gated_mlp, activation_backward_values * (1 - layers_fused))
        - down_input_values * (1 - (1 - gated_mlp) * activation_saves_result),
    )  # fmt: skip


@figure("F_b")
def mlp_backward_width(
    experts_in_turn: Switch,
    mixture_layers: Count,
    dense_layers: Count,
    intermediate_size: Count,
    routed_copies: Count,
    moe_intermediate_size: Count,
    num_local_experts: Count,
    shared_expert_intermediate_size: Count,
    routes_densely: Switch,
    runs_transformers_layers: Switch,
) -> Count:
    """MLP width per token in its backward pass at once: a dense layer's, of routed or of shared experts, one in a loop.

    Where all compute every token, the shared expert has set its four saved tensors free before the routed ones add two.
    Source: transformers 5.23 `Llama4TextMoe`, 4.52 `MixtralSparseMoeBlock`, LitGPT `LLaMAMoE`; even routing.
    """
    return larger(
        (dense_layers > 0) * intermediate_size,
        (mixture_layers > 0)
        * larger(
            routed_copies * moe_intermediate_size / where(experts_in_turn > 0, larger(num_local_experts, 1), 1)
            - routes_densely * runs_transformers_layers * TWO * shared_expert_intermediate_size,
            shared_expert_intermediate_size,
        ),
    )


@figure("a_mb", basis="measured")
def mlp_backward_bytes_per_token(
    mlp_backward_width: Count,
    mlp_backward_values: Count,
    mlp_element_bytes: Bytes,
    widened_backward_bytes: Bytes,
    adapter_backward_bytes: BytesPerToken,
    fp8_down_input_bytes: Bytes,
    separate_down_input_bytes: Bytes,
    tensor_parallel_size: Count,
) -> BytesPerToken:
    """What the backward pass of one MLP adds to what is saved, less down's adapter's input or with its gradient.

    Source: torch 2.13, allocated tensors counted.
    """
    return (
        mlp_backward_width
        * larger(
            mlp_backward_values * mlp_element_bytes
            + widened_backward_bytes
            - fp8_down_input_bytes
            - separate_down_input_bytes,
            separate_down_input_bytes,
        )
        / ONE_TOKEN
        + adapter_backward_bytes
    ) / tensor_parallel_size


@figure("a_sb", basis="measured")
def score_backward_bytes_per_token(
    num_attention_heads: Count,
    sequence_length: Tokens,
    scores_stored: Switch,
    softmax_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    recomputes_scores: Switch,
    score_bytes: Bytes,
    tensor_parallel_size: Count,
) -> BytesPerToken:
    """Gradients of softmax's result and input, less its 16-bit copy, which is free by then; recomputed scores too.

    Source: torch 2.13, allocated tensors counted.
    """
    return (
        scores_stored * num_attention_heads * (sequence_length / ONE_TOKEN)
        * (
            TWO * softmax_element_bytes
            - (softmax_element_bytes > activation_element_bytes) * activation_element_bytes
            + recomputes_scores * score_bytes
        )
        / tensor_parallel_size / ONE_TOKEN
    )  # fmt: skip


@figure("a_qkb", basis="measured")
def qk_norm_backward_bytes_per_token(
    qk_norm_share: Share,
    layers_fused: Switch,
    query_size: Count,
    key_value_size: Count,
    norm_backward_values: Count,
    qk_norm_element_bytes: Bytes,
    attention_activation_bytes: BytesPerToken,
    tensor_parallel_size: Count,
) -> BytesPerToken:
    """FP32 values of the query norm's backward pass, the last, less all but its input that attention has set free.

    Source: torch 2.13, allocated tensors counted.
    """
    return (qk_norm_share > 0) * (1 - layers_fused) / tensor_parallel_size * larger(
        (
            query_size * (norm_backward_values * FP32_BYTES - qk_norm_element_bytes + FP32_BYTES)
            - key_value_size * qk_norm_element_bytes
        ) / ONE_TOKEN
        - attention_activation_bytes,
        0,
    )  # fmt: skip


@figure("a_free", basis="measured")
def freed_mlp_bytes_per_token(
    mlp_activation_bytes: BytesPerToken,
    routing_activation_bytes: BytesPerToken,
    tensor_parallel_size: Count,
    hidden_size: Count,
    mlp_input_copies: Count,
    linear_input_element_bytes: Bytes,
    input_shards: Count,
) -> BytesPerToken:
    """What a layer's MLP and its routing have set free when they are done.  Source: torch 2.13, tensors counted."""
    return (
        (mlp_activation_bytes + routing_activation_bytes) / tensor_parallel_size
        + hidden_size * mlp_input_copies * linear_input_element_bytes / input_shards / ONE_TOKEN
    )  # fmt: skip


@figure("a_fren", basis="measured")
def freed_before_attention_bytes_per_token(
    freed_mlp_bytes_per_token: BytesPerToken,
    norms_per_layer: Count,
    hidden_size: Count,
    norm_element_bytes: Bytes,
    sequence_shards: Count,
    scores_stored: Switch,
    value_size: Count,
    attention_output_values: Count,
    activation_element_bytes: Bytes,
    tensor_parallel_size: Count,
    freed_adapter_bytes_per_token: BytesPerToken,
) -> BytesPerToken:
    """That, all norms but the first, adapters' inputs, and unfused attention's output.  Source: torch 2.13, counted."""
    return (
        freed_mlp_bytes_per_token
        + larger(norms_per_layer - 1, 0) * hidden_size * norm_element_bytes / sequence_shards / ONE_TOKEN
        + scores_stored * value_size * attention_output_values * activation_element_bytes
        / tensor_parallel_size / ONE_TOKEN
        + freed_adapter_bytes_per_token
    )  # fmt: skip


@figure("a_nb", basis="measured")
def norm_backward_bytes_per_token(
    hidden_size: Count,
    norm_input_wide: Switch,
    layers_fused: Switch,
    norm_backward_values: Count,
    sequence_shards: Count,
    freed_mlp_bytes_per_token: BytesPerToken,
    qk_norm_backward_bytes_per_token: BytesPerToken,
    freed_before_attention_bytes_per_token: BytesPerToken,
) -> BytesPerToken:
    """FP32 values of a norm's backward pass beside its saved input, or of the queries', less what is free by then.

    Source: torch 2.13, tensors counted.
    """
    return larger(
        norm_input_wide * (1 - layers_fused) * hidden_size * norm_backward_values * FP32_BYTES
        / sequence_shards / ONE_TOKEN
        - freed_mlp_bytes_per_token,
        qk_norm_backward_bytes_per_token - freed_before_attention_bytes_per_token,
        0,
    )  # fmt: skip


@figure("M_new")
def new_gradient_bytes(gradient_bytes: Bytes, carried_gradient_bytes: Bytes) -> Bytes:
    """Gradients that the backward pass makes, where none exist before.  Source: subtraction."""
    return gradient_bytes - carried_gradient_bytes


@figure("M_mg")
def mlp_gradient_bytes(
    new_gradient_bytes: Bytes,
    adapter_gradient_share: Share,
    mlp_parameters: Count,
    parameters: Count,
    held_layers: Count,
    reduces_by_layer: Switch,
) -> Bytes:
    """Gradients of one layer's MLP, made before its attention's, unless they are reduced with it.

    Source: torch 2.13 memory tracker.
    """
    return (
        (1 - reduces_by_layer) * new_gradient_bytes * adapter_gradient_share
        * mlp_parameters / parameters / held_layers
    )  # fmt: skip


@figure("M_ab", basis="measured")
def attention_backward_working_bytes(
    tokens_per_micro_batch: Tokens,
    score_backward_bytes_per_token: BytesPerToken,
    freed_before_attention_bytes_per_token: BytesPerToken,
    norm_backward_bytes_per_token: BytesPerToken,
    attention_backward_bytes: Bytes,
    mlp_gradient_bytes: Bytes,
) -> Bytes:
    """What one layer's backward pass adds at attention or at a norm, with the MLP's gradients, less its activations.

    Source: torch 2.13, allocated tensors counted.
    """
    return larger(
        tokens_per_micro_batch * (score_backward_bytes_per_token - freed_before_attention_bytes_per_token)
        + attention_backward_bytes
        + mlp_gradient_bytes,
        tokens_per_micro_batch * norm_backward_bytes_per_token
        + (norm_backward_bytes_per_token > 0) * mlp_gradient_bytes,
        0,
    )


@figure("M_rg", basis="measured")
def residual_gradient_bytes(
    counts_saved_tensors: Switch, tokens_per_micro_batch: Tokens, checkpoint_input_bytes: BytesPerToken
) -> Bytes:
    """Gradient of the residual stream on its way down.  Source: torch 2.13, allocated tensors counted."""
    return counts_saved_tensors * tokens_per_micro_batch * checkpoint_input_bytes


@figure("M_mbw", basis="measured")
def mlp_backward_working_bytes(
    tokens_per_micro_batch: Tokens,
    mlp_backward_bytes_per_token: BytesPerToken,
    mlp_gradient_bytes: Bytes,
    mlp_matrices: Count,
    merged_gradient_bytes: Bytes,
    routed_backward_bytes: BytesPerToken,
    tensor_parallel_size: Count,
) -> Bytes:
    """What the backward pass of one layer's MLP adds: with its first gradient, or routed answers before it.

    Source: torch 2.13, allocated tensors counted.
    """
    return larger(
        tokens_per_micro_batch * mlp_backward_bytes_per_token
        + mlp_gradient_bytes / mlp_matrices
        + merged_gradient_bytes,
        tokens_per_micro_batch * routed_backward_bytes / tensor_parallel_size,
    )


@figure("M_lb", basis="measured")
def layer_backward_bytes(
    residual_gradient_bytes: Bytes,
    counts_saved_tensors: Switch,
    tokens_per_micro_batch: Tokens,
    mlp_backward_working_bytes: Bytes,
    attention_backward_working_bytes: Bytes,
    adapter_forward_bytes: BytesPerToken,
    checkpoints: Switch,
    reentrant_checkpoints: Switch,
    recomputed_module_bytes: BytesPerToken,
) -> Bytes:
    """What the backward pass of one layer adds to saved tensors: at the MLP, or later at attention or a norm.

    A reentrant checkpoint holds the output that it computed again, from the end of that on.
    Source: torch 2.13, allocated tensors counted.
    """
    return (
        residual_gradient_bytes * (1 + checkpoints * reentrant_checkpoints)
        + counts_saved_tensors * (tokens_per_micro_batch * recomputed_module_bytes)
        + counts_saved_tensors * larger(
            mlp_backward_working_bytes,
            attention_backward_working_bytes,
            tokens_per_micro_batch * adapter_forward_bytes
            - residual_gradient_bytes * checkpoints * reentrant_checkpoints,
        )
    )  # fmt: skip


@figure("M_tw", basis="measured")
def input_counted_twice_bytes(checkpoints: Switch, norm_input_copied: Switch, residual_gradient_bytes: Bytes) -> Bytes:
    """A segment's stored input, where its first norm saves that very tensor.  Source: torch 2.13, counted."""
    return checkpoints * (1 - norm_input_copied) * residual_gradient_bytes


@figure("M_nb", basis="measured")
def norm_backward_bytes(
    counts_saved_tensors: Switch,
    tokens_per_micro_batch: Tokens,
    hidden_size: Count,
    norm_input_element_bytes: Bytes,
    norm_input_wide: Switch,
    layers_fused: Switch,
    norm_backward_values: Count,
    sequence_shards: Count,
) -> Bytes:
    """Backward pass of the final norm: its saved input, and two gradients of its kind, or FP32 temporaries.

    A fused kernel and PyTorch's own layer norm take one gradient and give one.  Source: torch 2.13, counted.
    """
    return (
        counts_saved_tensors * tokens_per_micro_batch * hidden_size
        * (
            norm_input_element_bytes
            + where(
                larger(layers_fused, 1 - norm_input_wide) > 0,
                TWO * norm_input_element_bytes,
                norm_backward_values * FP32_BYTES,
            )
        )
        / sequence_shards / ONE_TOKEN
    )  # fmt: skip


@figure("M_hg")
def head_gradient_bytes(
    counts_saved_tensors: Switch,
    new_gradient_bytes: Bytes,
    head_gradient_share: Share,
    pipeline_parallel_size: Count,
    reduces_by_layer: Switch,
) -> Bytes:
    """Gradient of the head, the first to come, where one stage is all and it is not reduced with the root.

    Source: torch 2.13 memory tracker.
    """
    return (
        counts_saved_tensors * (pipeline_parallel_size <= 1) * (1 - reduces_by_layer)
        * new_gradient_bytes * head_gradient_share
    )  # fmt: skip


@figure("M_un")
def unmade_gradient_bytes(
    counts_saved_tensors: Switch,
    new_gradient_bytes: Bytes,
    adapter_gradient_share: Share,
    attention_parameters: Count,
    mlp_parameters: Count,
    parameters: Count,
    checkpoint_interval_layers: Count,
    held_layers: Count,
) -> Bytes:
    """Gradients of the first segment, which do not exist while it is recomputed.  Source: torch 2.13 memory tracker."""
    return (
        counts_saved_tensors * new_gradient_bytes * adapter_gradient_share
        * (attention_parameters + mlp_parameters) / parameters
        * smaller(larger(checkpoint_interval_layers, 1), held_layers) / held_layers
    )  # fmt: skip
