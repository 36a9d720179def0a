"""What a monitor of the device shows of a training step: its peak, and free blocks that the allocator keeps."""

from memreport.figures.constants import FP32_BYTES, THREE, TWO
from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, total, where


@figure("M_pass", source="difference of the instants and what stays")
def passing_bytes(
    forward_end_bytes: Bytes,
    backward_start_bytes: Bytes,
    backward_end_bytes: Bytes,
    resident_bytes: Bytes,
    carried_gradient_bytes: Bytes,
    gradient_bytes: Bytes,
    new_gradient_bytes: Bytes,
    gathered_parameter_bytes: Bytes,
    dequantised_matrix_bytes: Bytes,
    optimizer_step_bytes: Bytes,
) -> Bytes:
    """What comes and goes within a step: activations, gathered weights, new gradients, the optimizer's temporaries."""
    return total(
        larger(
            larger(forward_end_bytes, backward_start_bytes) - carried_gradient_bytes,
            backward_end_bytes - gradient_bytes,
        )
        - resident_bytes,
        new_gradient_bytes,
        gathered_parameter_bytes,
        dequantised_matrix_bytes,
        optimizer_step_bytes,
    )


@figure("M_strm", source="PyTorch `foreach_all_gather` and `foreach_reduce`, in streams of their own")
def other_stream_bytes(
    shards_parameters: Switch,
    gathered_units: Count,
    root_unit_bytes: Bytes,
    layer_unit_bytes: Bytes,
    peak_instant: Count,
    reduces_by_layer: Switch,
    new_gradient_bytes: Bytes,
) -> Bytes:
    """Blocks that FSDP's other streams keep: of gathers, and of sharded gradients while there are none at the peak."""
    return (
        shards_parameters * (gathered_units > 0) * larger(root_unit_bytes, gathered_units * layer_unit_bytes)
        + (peak_instant <= TWO) * reduces_by_layer * new_gradient_bytes
    )


@figure("M_hole", basis="rule of thumb")
def logit_hole_bytes(
    peak_instant: Count, forward_logits_bytes: Bytes, loss_peak_bytes: Bytes, activation_element_bytes: Bytes
) -> Bytes:
    """The head's 16-bit logits, which are set free before the loss goes backward, in a block too small for FP32 ones.

    Source: order of allocations of a cross-entropy in FP32.
    """
    return (
        (peak_instant <= 1) * (loss_peak_bytes / FP32_BYTES >= THREE)
        * forward_logits_bytes * activation_element_bytes / loss_peak_bytes
    )  # fmt: skip


@figure("M_segm", basis="rule of thumb")
def segment_bytes(other_stream_bytes: Bytes, logit_hole_bytes: Bytes) -> Bytes:
    """What is kept beside the peak where segments grow, so that free blocks of a stream join.  Source: sum."""
    return other_stream_bytes + logit_hole_bytes


@figure("M_cache", basis="measured")
def cached_bytes(
    expandable_segments: Switch,
    segment_bytes: Bytes,
    passing_bytes: Bytes,
    cached_share: Share,
    fragmentation_bytes: Bytes,
) -> Bytes:
    """Free blocks that the allocator keeps beside the expected peak, beyond the allowance for fragmentation.

    Source: PyTorch caching allocator; share measured, tests/truths/allocator.yaml, without growing segments.
    """
    return where(expandable_segments > 0, segment_bytes, larger(passing_bytes * cached_share - fragmentation_bytes, 0))


@figure("M_cacheh", basis="measured", source="PyTorch caching allocator; share measured, tests/truths/allocator.yaml")
def cached_bytes_high(
    expandable_segments: Switch,
    segment_bytes: Bytes,
    passing_bytes: Bytes,
    cached_share_high: Share,
    allocated_peak_bytes: Bytes,
    fragmentation_share_high: Share,
) -> Bytes:
    """The same at its highest, beside the high end of the peak."""
    return where(
        expandable_segments > 0,
        segment_bytes,
        larger(passing_bytes * cached_share_high - allocated_peak_bytes * fragmentation_share_high, 0),
    )


@figure("M_rsv", basis="measured", title="Reserved by the allocator")
def reserved_bytes(
    allocated_peak_bytes: Bytes,
    fragmentation_bytes: Bytes,
    cached_bytes: Bytes,
    capacity_bytes: Bytes,
    framework_bytes: Bytes,
) -> Bytes:
    """What PyTorch's `max_memory_reserved` is expected to say: a monitor's figure without the framework's context.

    Source: PyTorch caching allocator; torchtitan prints it as the memory of a step.
    """
    return smaller(
        allocated_peak_bytes + fragmentation_bytes + cached_bytes, larger(capacity_bytes - framework_bytes, 0)
    )


@figure("M_smil", basis="rule of thumb", title="Shown by nvidia-smi, low end")
def device_memory_used_bytes_low(peak_bytes_low: Bytes, capacity_bytes: Bytes) -> Bytes:
    """The least that a monitor shows: the low end of the peak, nothing cached.  Source: smaller of the two."""
    return smaller(peak_bytes_low, capacity_bytes)


@figure("M_smi", title="Shown by nvidia-smi")
def device_memory_used_bytes(peak_bytes: Bytes, cached_bytes: Bytes, capacity_bytes: Bytes) -> Bytes:
    """What `nvidia-smi` and `torch.cuda.device_memory_used` are expected to show; the job needs less, its peak.

    Source: PyTorch caching allocator, which sets its free blocks free before it reports that memory ran out.
    """
    return smaller(peak_bytes + cached_bytes, capacity_bytes)


@figure("M_smih", basis="measured", title="Shown by nvidia-smi, high end")
def device_memory_used_bytes_high(peak_bytes_high: Bytes, cached_bytes_high: Bytes, capacity_bytes: Bytes) -> Bytes:
    """The most that a monitor shows: the high end of the peak and of the cache, at most the whole device.

    Source: PyTorch caching allocator, which sets its free blocks free before it reports that memory ran out.
    """
    return smaller(peak_bytes_high + cached_bytes_high, capacity_bytes)
