"""What the backward pass holds beside saved tensors: gradients on their way, temporaries, gradients not made yet."""

from memreport.figures.constants import FP32_BYTES, MASK_BYTES, ONE_TOKEN, THREE, TWO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("n_mb", source="torch 2.13, counted; Liger Kernel 0.8, ops/swiglu.py; Unsloth, kernels/swiglu.py")
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
    """Tensors of the MLP's width that its backward pass adds: gradients of product and factors, less what is free."""
    # Liger and fused adapters write the factors' gradients over the factors.
    return where(
        larger(use_liger_kernel, adapters_fused * (mlp_input_adapters > 0)) > 0,
        1,
        TWO + larger(gated_mlp, activation_backward_values * (1 - layers_fused))
        - down_input_values * (1 - (1 - gated_mlp) * activation_saves_result),
    )  # fmt: skip


@figure("a_sb", basis="measured")
def score_backward_bytes_per_token(
    num_attention_heads: Count,
    keys_per_sequence: Tokens,
    scores_stored: Switch,
    softmax_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    attention_dropout: Share,
    recomputes_scores: Switch,
    score_bytes: Bytes,
    tensor_parallel_size: Count,
) -> BytesPerToken:
    """Gradients of softmax's result and input, less copy and mask, which are free by then; recomputed scores too.

    Or, while those are there, the gradient of the copy alone.
    Source: torch 2.13, counted.
    """
    return (
        scores_stored * num_attention_heads * (keys_per_sequence / ONE_TOKEN)
        * (
            larger(
                TWO * softmax_element_bytes
                - larger(softmax_element_bytes > activation_element_bytes, attention_dropout > 0)
                * activation_element_bytes
                - (attention_dropout > 0) * MASK_BYTES,
                activation_element_bytes,
            )
            + recomputes_scores * score_bytes
        )
        / tensor_parallel_size / ONE_TOKEN
    )  # fmt: skip


@figure("a_qkb", basis="measured", source="torch 2.13, counted")
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
    """FP32 values of the query norm's backward pass, the last, less all but its input that attention has set free."""
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
    """What a layer's MLP and its routing have set free when they are done.  Source: torch 2.13, counted."""
    return (
        (mlp_activation_bytes + routing_activation_bytes) / tensor_parallel_size
        + hidden_size * mlp_input_copies * linear_input_element_bytes / input_shards / ONE_TOKEN
    )  # fmt: skip


@figure("a_fren", basis="measured", source="torch 2.13, counted")
def freed_beside_mlp_bytes_per_token(
    norms_per_layer: Count,
    hidden_size: Count,
    norm_element_bytes: Bytes,
    sequence_shards: Count,
    scores_stored: Switch,
    value_size: Count,
    attention_output_values: Count,
    kept_projection_size: Count,
    activation_element_bytes: Bytes,
    tensor_parallel_size: Count,
    freed_adapter_bytes_per_token: BytesPerToken,
) -> BytesPerToken:
    """And before attention: all norms but the first, adapters' inputs, unfused attention's output, what values keep."""
    return (
        larger(norms_per_layer - 1, 0) * hidden_size * norm_element_bytes / sequence_shards / ONE_TOKEN
        + scores_stored * (value_size * attention_output_values + kept_projection_size) * activation_element_bytes
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
    qk_norm_backward_bytes_per_token: BytesPerToken,
    freed_beside_mlp_bytes_per_token: BytesPerToken,
) -> BytesPerToken:
    """FP32 values of a norm's backward pass beside its saved input, or of the queries', less what is free but the MLP.

    Source: torch 2.13, counted.
    """
    return larger(
        norm_input_wide * (1 - layers_fused) * hidden_size * norm_backward_values * FP32_BYTES
        / sequence_shards / ONE_TOKEN,
        qk_norm_backward_bytes_per_token - freed_beside_mlp_bytes_per_token,
        0,
    )  # fmt: skip


@figure("a_pnf", basis="measured")
def answer_norm_freed_bytes(
    norms_after_sublayers: Switch,
    norms_per_layer: Count,
    hidden_size: Count,
    norm_element_bytes: Bytes,
    sequence_shards: Count,
) -> BytesPerToken:
    """What a norm of the MLP's answer has set free when the MLP goes backward.  Source: HF `Gemma2DecoderLayer`."""
    return (
        larger(norms_after_sublayers, norms_per_layer > THREE)
        * hidden_size * norm_element_bytes / sequence_shards / ONE_TOKEN
    )  # fmt: skip


@figure("a_pnb", basis="measured", source="torch 2.13, counted")
def answer_norm_working_bytes(
    answer_norm_freed_bytes: BytesPerToken,
    norm_element_bytes: Bytes,
    norm_input_wide: Switch,
    layers_fused: Switch,
    norm_backward_values: Count,
    normalised_element_bytes: Bytes,
) -> BytesPerToken:
    """FP32 values of that norm's backward pass, the first in a layer's, less its normalised output."""
    return (
        norm_input_wide * (1 - layers_fused) * answer_norm_freed_bytes / norm_element_bytes
        * (norm_backward_values * FP32_BYTES - normalised_element_bytes)
    )  # fmt: skip


@figure("a_inb", basis="measured", source="torch 2.13, counted")
def input_norm_bytes_per_token(
    norms_after_sublayers: Switch,
    hidden_size: Count,
    norm_input_element_bytes: Bytes,
    norm_input_wide: Switch,
    layers_fused: Switch,
    norm_backward_values: Count,
    sequence_shards: Count,
) -> BytesPerToken:
    """A layer's first norm in its backward pass: its saved input, and FP32 temporaries or one gradient of its kind."""
    return (
        (1 - norms_after_sublayers) * hidden_size
        * where(
            norm_input_wide * (1 - layers_fused) > 0,
            norm_input_element_bytes + norm_backward_values * FP32_BYTES,
            TWO * norm_input_element_bytes,
        )
        / sequence_shards / ONE_TOKEN
    )  # fmt: skip


@figure("M_og", basis="measured", source="torch 2.13, counted")
def output_gradient_bytes(
    trains_base: Switch,
    reduces_by_layer: Switch,
    layer_gradient_bytes: Bytes,
    output_matrix_parameters: Count,
    attention_parameters: Count,
    mlp_parameters: Count,
    num_hidden_layers: Count,
    parallel_residual: Switch,
    residual_gradient_bytes: Bytes,
) -> Bytes:
    """Beside the scores' gradient: that of the output projection, and of the input that a parallel MLP has read."""
    return (
        trains_base * (1 - reduces_by_layer) * layer_gradient_bytes
        * output_matrix_parameters * num_hidden_layers / (attention_parameters + mlp_parameters)
        + parallel_residual * residual_gradient_bytes
    )  # fmt: skip


@figure("M_new")
def new_gradient_bytes(gradient_bytes: Bytes, carried_gradient_bytes: Bytes) -> Bytes:
    """Gradients that the backward pass makes, where none exist before.  Source: subtraction."""
    return gradient_bytes - carried_gradient_bytes


@figure("M_rg", basis="measured")
def residual_gradient_bytes(
    counts_saved_tensors: Switch, tokens_per_micro_batch: Tokens, checkpoint_input_bytes: BytesPerToken
) -> Bytes:
    """Gradient of the residual stream on its way down.  Source: torch 2.13, counted."""
    return counts_saved_tensors * tokens_per_micro_batch * checkpoint_input_bytes


@figure("M_tw", basis="measured")
def input_counted_twice_bytes(
    checkpoints: Switch,
    norm_input_copied: Switch,
    residual_gradient_bytes: Bytes,
    norms_after_sublayers: Switch,
    keeps_linear_inputs: Switch,
    attention_adapter_copies: Count,
    adapter_input_element_bytes: Bytes,
    residual_element_bytes: Bytes,
    autocast: Switch,
) -> Bytes:
    """A segment's stored input, where its first norm or projection saves that very tensor.  Source: torch, counted."""
    return checkpoints * residual_gradient_bytes * where(
        norms_after_sublayers > 0,
        (1 - autocast)
        * larger(
            keeps_linear_inputs,
            (attention_adapter_copies > 0) * (adapter_input_element_bytes <= residual_element_bytes),
        ),
        1 - norm_input_copied,
    )  # fmt: skip


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


@figure("M_hg", source="torch 2.13 memory tracker")
def head_gradient_bytes(
    counts_saved_tensors: Switch,
    new_gradient_bytes: Bytes,
    head_gradient_share: Share,
    pipeline_parallel_size: Count,
    reduces_by_layer: Switch,
) -> Bytes:
    """Gradient of the head, the first to come, where one stage is all and it is not reduced with the root."""
    return (
        counts_saved_tensors * (pipeline_parallel_size <= 1) * (1 - reduces_by_layer)
        * new_gradient_bytes * head_gradient_share
    )  # fmt: skip


@figure("M_g1")
def layer_gradient_bytes(
    counts_saved_tensors: Switch,
    new_gradient_bytes: Bytes,
    adapter_gradient_share: Share,
    attention_parameters: Count,
    mlp_parameters: Count,
    trained_base_parameters: Count,
    held_layers: Count,
) -> Bytes:
    """Gradients that the backward pass of one layer makes, in the mean.  Source: torch 2.13 memory tracker."""
    return (
        counts_saved_tensors * new_gradient_bytes * adapter_gradient_share
        * (attention_parameters + mlp_parameters) / trained_base_parameters / held_layers
    )  # fmt: skip


@figure("M_un")
def unmade_gradient_bytes(layer_gradient_bytes: Bytes, checkpoint_interval_layers: Count, held_layers: Count) -> Bytes:
    """Gradients of the first segment, which do not exist while it is recomputed.  Source: torch 2.13 memory tracker."""
    return layer_gradient_bytes * smaller(larger(checkpoint_interval_layers, 1), held_layers)
