"""What the backward pass of an MLP, dense or a mixture, holds for a moment beside what is saved."""

from memreport.figures.constants import ONE_TOKEN
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("F_b", source="transformers 4.52 `MixtralSparseMoeBlock`, LitGPT `LLaMAMoE`; even routing")
def routed_backward_width(
    experts_in_turn: Switch, routed_copies: Count, moe_intermediate_size: Count, num_local_experts: Count
) -> Count:
    """Width per token of the routed experts that go backward at once: all, or one in a loop."""
    return routed_copies * moe_intermediate_size / where(experts_in_turn > 0, larger(num_local_experts, 1), 1)


@figure("f_sg")
def shared_gradient_share(
    shared_expert_intermediate_size: Count,
    num_local_experts: Count,
    moe_intermediate_size: Count,
    expert_parallel_size: Count,
) -> Share:
    """Share of the shared expert in the gradients of a mixture on one GPU.  Source: widths over widths."""
    return shared_expert_intermediate_size / larger(
        shared_expert_intermediate_size + num_local_experts * moe_intermediate_size / expert_parallel_size, 1
    )


@figure("b_mb", basis="measured", source="torch 2.13, counted")
def mlp_backward_element_bytes(
    mlp_backward_values: Count,
    mlp_element_bytes: Bytes,
    widened_backward_bytes: Bytes,
    fp8_down_input_bytes: Bytes,
    separate_down_input_bytes: Bytes,
    scaled_input_bytes: Bytes,
) -> Bytes:
    """What the backward pass of an MLP adds per unit of width, less down's adapter's input or with its gradient."""
    return larger(
        mlp_backward_values * mlp_element_bytes
        + widened_backward_bytes
        + scaled_input_bytes
        - fp8_down_input_bytes
        - separate_down_input_bytes,
        separate_down_input_bytes,
    )


@figure("M_mbwd", basis="measured", source="torch 2.13, counted")
def dense_mlp_working_bytes(
    tokens_per_micro_batch: Tokens,
    intermediate_size: Count,
    mlp_backward_element_bytes: Bytes,
    adapter_backward_bytes: BytesPerToken,
    tensor_parallel_size: Count,
    dense_mlp_gradient_bytes: Bytes,
    mlp_matrices: Count,
) -> Bytes:
    """What the backward pass of a dense layer's MLP adds, with its first gradient."""
    return (
        tokens_per_micro_batch
        * (intermediate_size * mlp_backward_element_bytes / ONE_TOKEN + adapter_backward_bytes) / tensor_parallel_size
        + dense_mlp_gradient_bytes / mlp_matrices
    )  # fmt: skip


@figure("M_she", basis="measured")
def shared_expert_done_bytes(
    shared_expert_intermediate_size: Count,
    tokens_per_micro_batch: Tokens,
    hidden_size: Count,
    activation_element_bytes: Bytes,
    shared_expert_first: Switch,
    shared_gradient_share: Share,
    mixture_mlp_gradient_bytes: Bytes,
) -> Bytes:
    """What a shared expert holds while the routed ones go backward: its input's gradient and its weights', or one.

    Source: HF `DeepseekV3MoE.forward`, `Qwen2MoeSparseMoeBlock.forward`; torch 2.13, counted.
    """
    # One that is computed before the routed ones goes backward after them, and has the gradient of its answer.
    return (shared_expert_intermediate_size > 0) * (
        tokens_per_micro_batch * hidden_size * activation_element_bytes / ONE_TOKEN
    ) + (1 - shared_expert_first) * shared_gradient_share * mixture_mlp_gradient_bytes


@figure("a_she", basis="measured", source="HF `Llama4Router`, `Glm4MoeTopkRouter`; torch 2.13, counted")
def shared_expert_freed_bytes(
    shared_expert_first: Switch,
    shared_expert_intermediate_size: Count,
    mlp_saved_element_bytes: Bytes,
    separate_down_input_bytes: Bytes,
    tensor_parallel_size: Count,
    hidden_size: Count,
    mlp_input_copies: Count,
    router_in_fp32: Switch,
    linear_input_element_bytes: Bytes,
    mlp_adapter_copies: Count,
    adapter_input_element_bytes: Bytes,
    input_shards: Count,
) -> BytesPerToken:
    """What it has set free by then: its inside, and its inputs, unless the router keeps that very tensor."""
    return (
        (1 - shared_expert_first) * (shared_expert_intermediate_size > 0)
        * (
            shared_expert_intermediate_size * (mlp_saved_element_bytes + separate_down_input_bytes)
            / tensor_parallel_size
            + hidden_size
            * (
                mlp_input_copies * larger(router_in_fp32, mlp_input_copies > 1) * linear_input_element_bytes
                + mlp_adapter_copies * adapter_input_element_bytes
            )
            / input_shards
        )
        / ONE_TOKEN
    )  # fmt: skip


@figure("M_rbw", basis="measured", source="torch 2.13, counted")
def routed_working_bytes(
    tokens_per_micro_batch: Tokens,
    routed_backward_bytes: BytesPerToken,
    tensor_parallel_size: Count,
    routed_backward_width: Count,
    mlp_backward_element_bytes: Bytes,
    routed_down_surplus_bytes: Bytes,
    separate_down_input_bytes: Bytes,
    routed_answer_bytes: BytesPerToken,
    shared_gradient_share: Share,
    mixture_mlp_gradient_bytes: Bytes,
    mlp_matrices: Count,
    merged_gradient_bytes: Bytes,
) -> Bytes:
    """What the backward pass of routed experts adds: at their answers, or inside them, with their first gradient."""
    return larger(
        tokens_per_micro_batch * routed_backward_bytes / tensor_parallel_size,
        tokens_per_micro_batch
        * (
            routed_backward_width
            * (mlp_backward_element_bytes - routed_down_surplus_bytes + separate_down_input_bytes) / ONE_TOKEN
            - routed_answer_bytes
        )
        / tensor_parallel_size
        + (1 - shared_gradient_share) * mixture_mlp_gradient_bytes / mlp_matrices
        + merged_gradient_bytes,
    )  # fmt: skip


@figure("M_mbwm", basis="measured", source="torch 2.13, counted")
def mixture_mlp_working_bytes(
    tokens_per_micro_batch: Tokens,
    shared_expert_intermediate_size: Count,
    mlp_backward_element_bytes: Bytes,
    tensor_parallel_size: Count,
    shared_gradient_share: Share,
    mixture_mlp_gradient_bytes: Bytes,
    mlp_matrices: Count,
    routed_working_bytes: Bytes,
    shared_expert_done_bytes: Bytes,
    shared_expert_freed_bytes: BytesPerToken,
) -> Bytes:
    """What the backward pass of a mixture adds: at the shared expert, or at the routed ones."""
    return larger(
        tokens_per_micro_batch * shared_expert_intermediate_size * mlp_backward_element_bytes
        / tensor_parallel_size / ONE_TOKEN
        + shared_gradient_share * mixture_mlp_gradient_bytes / mlp_matrices,
        routed_working_bytes + shared_expert_done_bytes - tokens_per_micro_batch * shared_expert_freed_bytes,
    )  # fmt: skip
