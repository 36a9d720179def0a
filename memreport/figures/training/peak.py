"""The peak of a training step: the worst of several instants, with what the process itself takes."""

from memreport.figures.constants import UNVERIFIED_SPREAD
from memreport.figures.quantities import Bytes, BytesPerToken, Count, Share, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, total, where

INSTANTS = (
    "end of the forward pass, with logits",
    "start of the backward pass",
    "end of the backward pass",
    "optimizer step",
)


@figure("M_res")
def resident_bytes(
    weight_bytes: Bytes, master_weight_bytes: Bytes, optimizer_state_bytes: Bytes, companion_bytes: Bytes
) -> Bytes:
    """What is there throughout the step.  Source: arXiv:1910.02054, section 3."""
    return weight_bytes + master_weight_bytes + optimizer_state_bytes + companion_bytes


@figure("M_1a")
def forward_activation_bytes(
    loss_copy_bytes: Bytes,
    stored_activation_bytes: Bytes,
    checkpointed_mask_bytes: Bytes,
    holds_logits: Switch,
    edge_activation_bytes: Bytes,
    optimizer_estimates_gradients: Switch,
    forward_excess_bytes: Bytes,
    head_forward_excess_bytes: Bytes,
) -> Bytes:
    """Activations at the first instant, of the stage that holds most.  Source: arXiv:2104.04473, section 2.2.1."""
    return (
        loss_copy_bytes
        + stored_activation_bytes
        + checkpointed_mask_bytes
        + head_forward_excess_bytes
        + where(optimizer_estimates_gradients > 0, forward_excess_bytes, holds_logits * edge_activation_bytes)
    )


@figure("M_1l")
def forward_logits_bytes(
    holds_logits: Switch, logits_bytes: Bytes, optimizer_estimates_gradients: Switch, forward_loss_bytes: Bytes
) -> Bytes:
    """Logits at the first instant, where the stage that has them holds most.  Source: arXiv:2104.04473, 2.2.1."""
    return holds_logits * where(optimizer_estimates_gradients > 0, forward_loss_bytes, logits_bytes)


@figure("M_1", source="torch 2.13 memory tracker; arXiv:2104.04473, section 2.2.1")
def forward_end_bytes(
    resident_bytes: Bytes,
    carried_gradient_bytes: Bytes,
    unreduced_gradient_bytes: Bytes,
    forward_activation_bytes: Bytes,
    forward_logits_bytes: Bytes,
) -> Bytes:
    """First instant: everything stored, logits and loss in memory. In a pipeline the last stage alone has logits."""
    return total(
        resident_bytes, carried_gradient_bytes, unreduced_gradient_bytes, forward_activation_bytes, forward_logits_bytes
    )


@figure("M_2a", source="torch 2.13, counted")
def backward_start_activation_bytes(
    backward_copy_bytes: Bytes,
    head_gradient_bytes: Bytes,
    start_reduction_bytes: Bytes,
    checkpointed_mask_bytes: Bytes,
    activation_bytes: Bytes,
    last_layer_backward_bytes: Bytes,
    input_counted_twice_bytes: Bytes,
    holds_logits: Switch,
    stored_activation_bytes: Bytes,
    norm_backward_bytes: Bytes,
    prefetched_unit_bytes: Bytes,
    optimizer_estimates_gradients: Switch,
) -> Bytes:
    """What the last layer's backward pass, or the final norm's, holds beside states, with all stored tensors."""
    return (1 - optimizer_estimates_gradients) * (
        backward_copy_bytes + head_gradient_bytes + start_reduction_bytes + checkpointed_mask_bytes
        + larger(
            activation_bytes + last_layer_backward_bytes - input_counted_twice_bytes + prefetched_unit_bytes,
            holds_logits * (stored_activation_bytes + norm_backward_bytes),
        )
    )  # fmt: skip


@figure("M_2", source="torch 2.13, counted")
def backward_start_bytes(
    resident_bytes: Bytes,
    carried_gradient_bytes: Bytes,
    unreduced_gradient_bytes: Bytes,
    backward_start_activation_bytes: Bytes,
) -> Bytes:
    """Second instant: the last layer's backward pass, or the final norm's, while all stored tensors are allocated."""
    return resident_bytes + carried_gradient_bytes + unreduced_gradient_bytes + backward_start_activation_bytes


@figure("M_ge")
def embedding_gradient_bytes(
    new_gradient_bytes: Bytes,
    trains_edges: Switch,
    shares_used_head: Switch,
    embedding_parameters: Count,
    position_parameters: Count,
    trained_base_parameters: Count,
    reduces_by_layer: Switch,
    last_unit_parameters: Count,
    prompt_gradient_share: Share,
) -> Bytes:
    """Gradients that are the last to come: positions', unless the head shares it the embedding's, a unit's; prompts'.

    Source: torch 2.13 memory tracker.
    """
    return new_gradient_bytes * (
        prompt_gradient_share
        + trains_edges / trained_base_parameters
        * where(
            reduces_by_layer > 0,
            last_unit_parameters,
            (1 - shares_used_head) * embedding_parameters + position_parameters,
        )
    )  # fmt: skip


@figure("M_seg")
def first_segment_bytes(
    tokens_per_micro_batch: Tokens,
    layer_activation_bytes_per_token: BytesPerToken,
    checkpoint_interval_layers: Count,
    first_layer_backward_bytes: Bytes,
    checkpoints: Switch,
    residual_gradient_bytes: Bytes,
    input_counted_twice_bytes: Bytes,
    first_copy_bytes: Bytes,
) -> Bytes:
    """The first segment in its backward pass, with its stored input.  Source: torch 2.13, counted."""
    return (
        tokens_per_micro_batch * layer_activation_bytes_per_token * larger(checkpoint_interval_layers, 1)
        + first_layer_backward_bytes + checkpoints * residual_gradient_bytes - input_counted_twice_bytes
        + first_copy_bytes
    )  # fmt: skip


@figure("M_3a")
def backward_end_activation_bytes(
    residual_gradient_bytes: Bytes,
    first_segment_bytes: Bytes,
    embedding_gradient_bytes: Bytes,
    unmade_gradient_bytes: Bytes,
    kept_frozen_input_bytes: Bytes,
    checkpointed_mask_bytes: Bytes,
    first_reduction_bytes: Bytes,
    last_edge_gradient_bytes: Bytes,
    optimizer_estimates_gradients: Switch,
) -> Bytes:
    """What the first segment's backward pass holds, less the gradients that are still to come, or what is left after.

    Source: torch 2.13, counted.
    """
    return (1 - optimizer_estimates_gradients) * (
        kept_frozen_input_bytes
        + larger(
            residual_gradient_bytes + last_edge_gradient_bytes,
            first_segment_bytes
            + checkpointed_mask_bytes
            + first_reduction_bytes
            - embedding_gradient_bytes
            - unmade_gradient_bytes,
        )
    )


@figure("M_3")
def backward_end_bytes(
    resident_bytes: Bytes, gradient_bytes: Bytes, backward_end_activation_bytes: Bytes, released_unit_bytes: Bytes
) -> Bytes:
    """Third instant: the first segment while its gradients and the embedding's are still to come, or just after.

    Less layers that stayed gathered until then, as it compares with the others.
    Source: torch 2.13, counted.
    """
    return larger(resident_bytes + gradient_bytes + backward_end_activation_bytes - released_unit_bytes, 0)


@figure("M_4")
def optimizer_instant_bytes(resident_bytes: Bytes, gradient_bytes: Bytes, optimizer_step_bytes: Bytes) -> Bytes:
    """Fourth instant: gradients and the optimizer's temporaries.  Source: torch 2.13 memory tracker."""
    return resident_bytes + gradient_bytes + optimizer_step_bytes


@figure("M_4g", source="PyTorch FSDP `reshard_after_forward`; DeepSpeed ZeRO-3")
def optimizer_instant_without_gathered_bytes(optimizer_instant_bytes: Bytes, gathered_parameter_bytes: Bytes) -> Bytes:
    """The fourth instant as it compares with the others: gathered weights are set free before the optimizer's step."""
    return larger(optimizer_instant_bytes - gathered_parameter_bytes, 0)


@figure("n_peak", labels=INSTANTS, title="Instant of the peak", shown=("main",))
def peak_instant(
    forward_end_bytes: Bytes,
    backward_start_bytes: Bytes,
    backward_end_bytes: Bytes,
    optimizer_instant_without_gathered_bytes: Bytes,
) -> Count:
    """Which of the four instants is the peak.  Source: comparison."""
    return 1 + (
        forward_end_bytes < larger(backward_start_bytes, backward_end_bytes, optimizer_instant_without_gathered_bytes)
    ) * (
        1
        + (backward_start_bytes < larger(backward_end_bytes, optimizer_instant_without_gathered_bytes))
        * (1 + (backward_end_bytes < optimizer_instant_without_gathered_bytes))
    )


@figure("M_alloc")
def allocated_peak_bytes(
    forward_end_bytes: Bytes,
    backward_start_bytes: Bytes,
    backward_end_bytes: Bytes,
    optimizer_instant_without_gathered_bytes: Bytes,
    communication_buffer_bytes: Bytes,
    workspace_bytes: Bytes,
) -> Bytes:
    """Allocated tensors at the worst instant, with buffers and workspace.  Source: maximum of the instants."""
    return (
        larger(forward_end_bytes, backward_start_bytes, backward_end_bytes, optimizer_instant_without_gathered_bytes)
        + communication_buffer_bytes
        + workspace_bytes
    )


@figure("M_frag", basis="rule of thumb")
def fragmentation_bytes(allocated_peak_bytes: Bytes, fragmentation_share: Share) -> Bytes:
    """Memory that the allocator reserves but cannot use.  Source: arXiv:1910.02054, section 3.2; PyTorch allocator."""
    return allocated_peak_bytes * fragmentation_share


@figure("M_peak", basis="measured", title="Peak memory", shown=("main", "with verdicts"), source="sum")
def peak_bytes(
    allocated_peak_bytes: Bytes, fragmentation_bytes: Bytes, framework_bytes: Bytes, generating_excess_bytes: Bytes
) -> Bytes:
    """Expected peak of one GPU: tensors, fragmentation, the framework's context, and what generating takes beyond."""
    return allocated_peak_bytes + fragmentation_bytes + framework_bytes + generating_excess_bytes


@figure("o_unv")
def unverified_choice(
    computes_in_fp8: Switch,
    fp8_weight_copies: Count,
    computes_in_fp4: Switch,
    activation_offload: Switch,
    pipeline_parallel_size: Count,
    interleaves: Switch,
    companion_bytes: Bytes,
    num_linear_attention_layers: Count,
    base_keeps_dequantised: Switch,
    base_quantised: Switch,
    recomputed_module_bytes: BytesPerToken,
    secondary_weight_bytes: Bytes,
    distance_terms: Count,
    distance_biases: Count,
    trains_adapters: Switch,
    adapts_experts: Switch,
) -> Switch:
    """1 where a choice of the job was computed from code alone.

    FP8 of Transformer Engine, FP4, activations on the host, pipelines other than 1F1B, models beside the trained one,
    layers without attention, second copies, scores by distance, methods of PEFT but LoRA.
    Source: docs/accuracy.md, which has no measurement of the kind.
    """
    return where(
        computes_in_fp8 * fp8_weight_copies
        + computes_in_fp4
        + activation_offload
        + (pipeline_parallel_size > 1) * (1 - interleaves)
        + (companion_bytes > 0)
        + num_linear_attention_layers
        + base_keeps_dequantised * base_quantised
        + (recomputed_module_bytes > 0)
        + (secondary_weight_bytes > 0)
        + distance_terms
        + distance_biases
        + trains_adapters * (1 - adapts_experts)
        > 0,
        1,
        0,
    )


@figure("u_t", basis="rule of thumb", source="published measurements, docs/accuracy.md")
def tensor_spread(estimate_spread: Share, unverified_choice: Switch) -> Share:
    """How far the tensors may lie from what is computed: the framework's, and more where a choice is not verified."""
    return estimate_spread + UNVERIFIED_SPREAD * unverified_choice


@figure("u_low", basis="rule of thumb")
def peak_low_share(
    allocated_peak_bytes: Bytes,
    tensor_spread: Share,
    fragmentation_share_low: Share,
    framework_bytes_low: Bytes,
    fragmentation_bytes: Bytes,
    framework_bytes: Bytes,
) -> Share:
    """Low end over the expected peak.  Source: spread of the published measurements; low fragmentation."""
    return (
        allocated_peak_bytes * (1 - tensor_spread) * (1 + fragmentation_share_low)
        + smaller(framework_bytes_low, framework_bytes)
    ) / (allocated_peak_bytes + fragmentation_bytes + framework_bytes)


@figure("u_high", basis="rule of thumb")
def peak_high_share(
    allocated_peak_bytes: Bytes,
    tensor_spread: Share,
    fragmentation_share_high: Share,
    framework_bytes_high: Bytes,
    fragmentation_bytes: Bytes,
    framework_bytes: Bytes,
) -> Share:
    """High end over the expected peak.  Source: spread of the published measurements; high fragmentation."""
    return (
        allocated_peak_bytes * (1 + tensor_spread) * (1 + fragmentation_share_high)
        + larger(framework_bytes_high, framework_bytes)
    ) / (allocated_peak_bytes + fragmentation_bytes + framework_bytes)


@figure("M_low", basis="rule of thumb", title="Peak, low end", shown=("main", "with verdicts"))
def peak_bytes_low(peak_bytes: Bytes, peak_low_share: Share) -> Bytes:
    """Low end of the peak, of a given one too.  Source: the expected peak times its share."""
    return peak_bytes * peak_low_share


@figure("M_high", basis="rule of thumb", title="Peak, high end", shown=("main", "with verdicts"))
def peak_bytes_high(peak_bytes: Bytes, peak_high_share: Share) -> Bytes:
    """High end of the peak, of a given one too.  Source: the expected peak times its share."""
    return peak_bytes * peak_high_share


@figure("C_use", title="Usable capacity", shown=("main",))
def usable_bytes(capacity_bytes: Bytes, usable_share: Share) -> Bytes:
    """Capacity that the job may use.  Source: the driver's figure times the policy's share."""
    return capacity_bytes * usable_share


@figure("ok", shown=("with verdicts",))
def fits(headroom_bytes: Bytes, host_headroom_bytes: Bytes, nvme_headroom_bytes: Bytes) -> Switch:
    """1 where GPU, host memory and disk all have room at the expected peak.  Source: comparison."""
    return where(smaller(headroom_bytes, host_headroom_bytes, nvme_headroom_bytes) >= 0, 1, 0)
