"""The peak in parts that add up to it: what each is at the instant that is the peak, for training and for serving."""

from memreport.figures.constants import THREE, TOLERANCE, TWO
from memreport.figures.quantities import Bytes, Count
from memreport.formula.recording import figure
from memreport.formula.words import larger, total, where


@figure("M_pg", source="the instants of the step")
def peak_gradient_bytes(
    peak_instant: Count, carried_gradient_bytes: Bytes, gradient_bytes: Bytes, unreduced_gradient_bytes: Bytes
) -> Bytes:
    """Gradients at the peak: those of earlier micro-batches, or all, once the backward pass has made them."""
    return where(peak_instant <= TWO, carried_gradient_bytes + unreduced_gradient_bytes, gradient_bytes)


@figure("M_po")
def peak_optimizer_bytes(peak_instant: Count, optimizer_state_bytes: Bytes, optimizer_step_bytes: Bytes) -> Bytes:
    """Optimizer states, with the temporaries of its step where that is the peak.  Source: the instants of the step."""
    return optimizer_state_bytes + where(peak_instant > THREE, optimizer_step_bytes, 0)


@figure("M_34")
def last_activation_bytes(peak_instant: Count, backward_end_activation_bytes: Bytes) -> Bytes:
    """Activations from the end of the backward pass on; none where the optimizer steps.  Source: the instants."""
    return where(peak_instant <= THREE, backward_end_activation_bytes, 0)


@figure("M_24")
def later_activation_bytes(
    peak_instant: Count, backward_start_activation_bytes: Bytes, last_activation_bytes: Bytes
) -> Bytes:
    """Activations from the start of the backward pass on.  Source: the instants of the step."""
    return where(peak_instant <= TWO, backward_start_activation_bytes, last_activation_bytes)


@figure("M_pa")
def peak_activation_bytes(peak_instant: Count, forward_activation_bytes: Bytes, later_activation_bytes: Bytes) -> Bytes:
    """Activations at the peak, and what the backward pass works on.  Source: the instants of the step."""
    return where(peak_instant <= 1, forward_activation_bytes, later_activation_bytes)


@figure("M_pl")
def peak_logits_bytes(peak_instant: Count, forward_logits_bytes: Bytes) -> Bytes:
    """Logits at the peak, which only the end of the forward pass holds.  Source: the instants of the step."""
    return where(peak_instant <= 1, forward_logits_bytes, 0)


@figure("M_pb", source="the instants of the step")
def peak_buffer_bytes(
    peak_instant: Count,
    communication_buffer_bytes: Bytes,
    workspace_bytes: Bytes,
    optimizer_instant_bytes: Bytes,
    optimizer_instant_without_gathered_bytes: Bytes,
    released_unit_bytes: Bytes,
) -> Bytes:
    """Buffers and workspace at the peak, less the gathered weights that are set free before the end of the step."""
    return (
        communication_buffer_bytes + workspace_bytes
        - where(
            peak_instant > THREE,
            optimizer_instant_bytes - optimizer_instant_without_gathered_bytes,
            (peak_instant > TWO) * released_unit_bytes,
        )
    )  # fmt: skip


@figure("M_pf")
def peak_framework_bytes(framework_bytes: Bytes, fragmentation_bytes: Bytes) -> Bytes:
    """The framework's context, and what the allocator cannot use.  Source: sum."""
    return framework_bytes + fragmentation_bytes


@figure("M_all")
def peak_parts_bytes(
    weight_bytes: Bytes,
    master_weight_bytes: Bytes,
    peak_gradient_bytes: Bytes,
    peak_optimizer_bytes: Bytes,
    peak_activation_bytes: Bytes,
    peak_logits_bytes: Bytes,
    peak_buffer_bytes: Bytes,
    peak_framework_bytes: Bytes,
    companion_bytes: Bytes,
    generating_excess_bytes: Bytes,
) -> Bytes:
    """All parts of the peak together: the peak itself, unless that or a sum on the way is given.  Source: sum."""
    return total(
        weight_bytes,
        master_weight_bytes,
        peak_gradient_bytes,
        peak_optimizer_bytes,
        peak_activation_bytes,
        peak_logits_bytes,
        peak_buffer_bytes,
        peak_framework_bytes,
        companion_bytes,
        generating_excess_bytes,
    )


@figure("M_giv", source="subtraction, where the two differ by more than rounding")
def given_surplus_bytes(peak_bytes: Bytes, peak_parts_bytes: Bytes) -> Bytes:
    """What a given peak, or a given sum on the way, holds beyond the parts; less than nothing where it is less."""
    return where(
        larger(peak_bytes - peak_parts_bytes, peak_parts_bytes - peak_bytes) > peak_bytes * TOLERANCE,
        peak_bytes - peak_parts_bytes,
        0,
    )
