"""What tensor parallelism sends in serving, and the least time it takes.  Source of the layout: see `communication`."""

from __future__ import annotations

from memreport.figures.communication import reductions, tensor_parallel_network_share, wire_seconds
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, Seconds, Share, Tokens
from memreport.formula.recording import figure


@figure("Q_tpp")
def prefill_reduction_bytes(
    tensor_parallel_size: Count,
    layers_per_stage: Count,
    prefill_tokens: Tokens,
    hidden_size: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """All-reduces of a prefill: two per layer.  Source: arXiv:1909.08053 (Megatron-LM), section 3."""
    return reductions(tensor_parallel_size, layers_per_stage, prefill_tokens, hidden_size, other_element_bytes)


@figure("Q_tpd")
def decode_reduction_bytes(
    tensor_parallel_size: Count,
    layers_per_stage: Count,
    decode_tokens: Tokens,
    hidden_size: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """All-reduces of a decode step: two per layer.  Source: arXiv:1909.08053 (Megatron-LM), section 3."""
    return reductions(tensor_parallel_size, layers_per_stage, decode_tokens, hidden_size, other_element_bytes)


@figure("t_tpp")
def prefill_communication_seconds(
    prefill_reduction_bytes: Bytes,
    tensor_parallel_network_share: Share,
    link_bytes_per_second: BytesPerSecond,
    network_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """Shortest time of a stage's all-reduces in a prefill.  Source: division, link and network at once."""
    return wire_seconds(
        prefill_reduction_bytes, tensor_parallel_network_share, link_bytes_per_second, network_bytes_per_second
    )


@figure("t_tpd")
def decode_communication_seconds(
    decode_reduction_bytes: Bytes,
    tensor_parallel_network_share: Share,
    link_bytes_per_second: BytesPerSecond,
    network_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """Shortest time of a stage's all-reduces in a decode step.  Source: division, link and network at once."""
    return wire_seconds(
        decode_reduction_bytes, tensor_parallel_network_share, link_bytes_per_second, network_bytes_per_second
    )


FIGURES = (
    tensor_parallel_network_share,
    prefill_reduction_bytes,
    decode_reduction_bytes,
    prefill_communication_seconds,
    decode_communication_seconds,
)
