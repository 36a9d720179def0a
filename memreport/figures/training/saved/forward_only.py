"""What a forward pass holds that no backward pass follows: one layer at work, or the loss."""

from memreport.figures.constants import FOUR, FP32_BYTES, ONE_TOKEN, THREE, TWO
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("n_fov")
def forward_mlp_values(
    gated_mlp: Switch, fused_gate_up: Switch, mixture_layers: Count, activation_function_values: Count
) -> Count:
    """Tensors of the MLP's width at once: gate, up and their product, and what a fused matrix gives beside its halves.

    Source: HF `LlamaMLP.forward`, `Phi3MLP.forward`, `MixtralExperts.forward`; torch 2.13, counted.
    """
    return where(
        gated_mlp > 0, THREE + larger(fused_gate_up, mixture_layers > 0), larger(1 + activation_function_values, TWO)
    )


@figure("a_fom", basis="measured", source="transformers 5.24 `grouped_mm_experts_forward`; torch 2.13, counted")
def forward_mlp_bytes(
    mlp_width_per_token: Count,
    forward_mlp_values: Count,
    mlp_element_bytes: Bytes,
    tensor_parallel_size: Count,
    mixture_layers: Count,
    routed_copies: Count,
    hidden_size: Count,
    routing_weights_in_fp32: Switch,
    activation_element_bytes: Bytes,
) -> BytesPerToken:
    """What the MLP of a layer has at once, or the answers of routed experts, weighted and put back into order."""
    return larger(
        mlp_width_per_token * forward_mlp_values * mlp_element_bytes / tensor_parallel_size
        + (mixture_layers > 0) * routed_copies * hidden_size * activation_element_bytes,
        (mixture_layers > 0) * routed_copies * hidden_size * THREE
        * where(routing_weights_in_fp32 > 0, FP32_BYTES, activation_element_bytes),
    ) / ONE_TOKEN  # fmt: skip


@figure("a_foa", basis="measured", source="HF `eager_attention_forward`; torch 2.13, counted")
def forward_attention_bytes(
    query_size: Count,
    saved_key_value_size: Count,
    value_size: Count,
    activation_element_bytes: Bytes,
    scores_stored: Switch,
    num_attention_heads: Count,
    keys_per_sequence: Tokens,
    softmax_element_bytes: Bytes,
    softmax_in_fp32: Switch,
    tensor_parallel_size: Count,
) -> BytesPerToken:
    """Query, keys, values and output of a layer, and unfused scores, cast, and their softmax."""
    return (
        (query_size + saved_key_value_size + saved_key_value_size + value_size) * activation_element_bytes
        + scores_stored * num_attention_heads * (keys_per_sequence / ONE_TOKEN)
        * (
            activation_element_bytes
            + softmax_element_bytes
            * (1 + larger(softmax_element_bytes > activation_element_bytes, 1 - softmax_in_fp32))
        )
    ) / tensor_parallel_size / ONE_TOKEN  # fmt: skip


@figure("M_fo", basis="measured")
def forward_layer_bytes(
    tokens_per_micro_batch: Tokens,
    hidden_size: Count,
    residual_element_bytes: Bytes,
    forward_mlp_bytes: BytesPerToken,
    forward_attention_bytes: BytesPerToken,
) -> Bytes:
    """One layer at work: four values of the hidden size, and its MLP or its attention.  Source: torch 2.13, counted."""
    return tokens_per_micro_batch * (
        FOUR * hidden_size * residual_element_bytes / ONE_TOKEN + larger(forward_mlp_bytes, forward_attention_bytes)
    )


@figure("M_fol", basis="measured")
def forward_loss_bytes(
    tokens_per_micro_batch: Tokens,
    makes_logits: Switch,
    head_and_loss_fused: Switch,
    vocab_size: Count,
    activation_element_bytes: Bytes,
    logit_shards: Count,
    hidden_size: Count,
    loss_at_work_bytes: Bytes,
) -> Bytes:
    """Logits, those in FP32 and their log-softmax, beside the last hidden states; or what a loss with a head works on.

    Source: HF `ForCausalLMLoss`; torch 2.13, counted.
    """
    return where(
        head_and_loss_fused > 0,
        loss_at_work_bytes,
        tokens_per_micro_batch / ONE_TOKEN
        * (
            makes_logits * vocab_size
            * (activation_element_bytes + (activation_element_bytes < FP32_BYTES) * FP32_BYTES + FP32_BYTES)
            / logit_shards
            + hidden_size * activation_element_bytes
        ),
    )  # fmt: skip


@figure("M_foe", basis="measured")
def forward_excess_bytes(forward_layer_bytes: Bytes, forward_loss_bytes: Bytes) -> Bytes:
    """By how much a layer at work exceeds the loss.  Source: comparison."""
    return larger(forward_layer_bytes - forward_loss_bytes, 0)


@figure("M_zo")
def perturbation_bytes(
    optimizer_perturbations: Count,
    largest_gradient_share: Count,
    rank_trainable_parameters: Count,
    weight_element_bytes: Bytes,
    optimizer_shards: Count,
) -> Bytes:
    """Noise of the largest matrix, that scaled, its decayed weights and their sum.

    Source: arXiv:2305.17333 (MeZO), algorithm 1; github.com/princeton-nlp/MeZO, large_models/trainer.py `zo_update`.
    """
    return (
        optimizer_perturbations * largest_gradient_share * rank_trainable_parameters * weight_element_bytes
        / optimizer_shards
    )  # fmt: skip
