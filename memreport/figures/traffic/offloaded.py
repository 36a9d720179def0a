"""Seconds of a training step that wait for the host: weights and activations that it holds, its optimizer step.

Optimizer states on the host are read and written by vector units at a share of its memory's bandwidth.  Gradients are
scaled and checked, and weights cast, by other loops, at a rate that hardly depends on its memory or on how many
GPUs it serves.
"""

from memreport.figures.constants import FP32_BYTES, GRADIENT_COPY_SHARE, NVME_SHARE
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, PerSecond, Seconds, Share, Switch
from memreport.figures.time.reached import beyond, shared
from memreport.formula.recording import figure
from memreport.formula.words import larger


@figure("t_xoff", basis="measured")
def parameter_offload_exposed_seconds(
    parameter_offload_seconds: Seconds,
    activation_offload_seconds: Seconds,
    nvme_parameter_seconds: Seconds,
    host_link_share: Share,
    device_seconds: Seconds,
) -> Seconds:
    """Weights fetched from the host or its disks, and activations moved there and back, beside arithmetic.

    Source: arXiv:2104.07857 (ZeRO-Infinity), section 6.2; torchtune `OffloadActivations` with streams.
    """
    return shared(
        device_seconds,
        larger(
            (parameter_offload_seconds + activation_offload_seconds) / host_link_share,
            nvme_parameter_seconds / NVME_SHARE,
        ),
    )


@figure("P_oo")
def hosted_parameters(optimizer_offloaded: Switch, rank_trainable_parameters: Count, optimizer_shards: Count) -> Count:
    """Parameters of a GPU that the host updates.  Source: arXiv:2101.06840 (ZeRO-Offload), section 3."""
    return optimizer_offloaded * rank_trainable_parameters / optimizer_shards


@figure("t_go", basis="measured", source="DeepSpeed, `async_inplace_copy_grad_to_fp32_buffer_from_gpu`; issue 6695")
def gradient_copy_seconds(
    hosted_parameters: Count, gradient_accumulation_steps: Count, host_link_bytes_per_second: BytesPerSecond
) -> Seconds:
    """Gradients that go to the host in every micro-batch, in FP32, one after the other."""
    return (
        hosted_parameters * FP32_BYTES * gradient_accumulation_steps
        / (host_link_bytes_per_second * GRADIENT_COPY_SHARE)
    )  # fmt: skip


@figure("t_xgo", basis="measured", source="arXiv:2101.06840 (ZeRO-Offload), section 4.1")
def gradient_copy_exposed_seconds(
    device_seconds: Seconds, forward_seconds: Seconds, gradient_copy_seconds: Seconds
) -> Seconds:
    """What these copies add to the backward passes that they run beside."""
    return beyond(device_seconds - forward_seconds, gradient_copy_seconds)


@figure("t_hc", basis="measured", source="DeepSpeed `unscale_and_clip_grads`")
def host_conversion_seconds(
    hosted_parameters: Count,
    accelerators_per_node: Count,
    host_conversions_per_second: PerSecond,
    master_element_bytes: Bytes,
    fsdp_offload: Switch,
) -> Seconds:
    """Gradients scaled and checked, weights cast and sent back, of all GPUs of a node; none without a master copy."""
    return (
        (master_element_bytes > 0) * (1 - fsdp_offload)
        * hosted_parameters * accelerators_per_node / host_conversions_per_second
    )  # fmt: skip


@figure("t_hu", basis="measured")
def host_update_seconds(
    host_optimizer_seconds: Seconds, host_memory_share: Share, host_conversion_seconds: Seconds
) -> Seconds:
    """Optimizer step of the host, beside which nothing runs.  Source: sum."""
    return host_optimizer_seconds / host_memory_share + host_conversion_seconds


@figure("t_xoo", basis="measured", source="arXiv:2101.06840 (ZeRO-Offload), section 5; DeepSpeed 0.19")
def optimizer_offload_exposed_seconds(
    optimizer_offload_seconds: Seconds,
    host_update_seconds: Seconds,
    nvme_optimizer_seconds: Seconds,
    host_link_share: Share,
    gradient_copy_exposed_seconds: Seconds,
) -> Seconds:
    """Gradients down, states read, the host's update, states written, weights up."""
    return gradient_copy_exposed_seconds + larger(
        optimizer_offload_seconds / host_link_share, host_update_seconds + nvme_optimizer_seconds / NVME_SHARE
    )
