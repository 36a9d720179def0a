"""What accelerators send each other in serving, the least time it takes, and the computed one.

Source of the layout: see `collectives`.
"""

from __future__ import annotations

from memreport.figures.constants import ONE_TOKEN, REDUCTIONS_PER_LAYER, TWO
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, Seconds, Share, Tokens
from memreport.figures.traffic.collectives import (
    reductions,
    wire_seconds,
)
from memreport.formula.recording import Figure, Line, figure
from memreport.formula.words import smaller, where


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


@figure("t_ars", basis="measured")
def stage_latency_seconds(
    tensor_parallel_size: Count,
    layers_per_stage: Count,
    all_reduce_latency_seconds: Seconds,
    tensor_parallel_network_share: Share,
    network_latency_seconds: Seconds,
) -> Seconds:
    """Latency of a stage's all-reduces, two a layer, whatever they carry.  Source: arXiv:1909.08053, section 3."""
    return (
        (tensor_parallel_size > 1)
        * REDUCTIONS_PER_LAYER
        * layers_per_stage
        * (all_reduce_latency_seconds + where(tensor_parallel_network_share > 0, network_latency_seconds, 0))
    )


@figure("t_art", basis="measured", family=True)
def all_reduce_seconds(
    sent_bytes: Bytes,
    tensor_parallel_network_share: Share,
    all_reduce_bytes_per_second: BytesPerSecond,
    collective_network_bytes_per_second: BytesPerSecond,
    stage_latency_seconds: Seconds,
) -> Seconds:
    """Time of a stage's all-reduces.  Source: latency and traffic, fitted over all-reduces by size."""
    return stage_latency_seconds + wire_seconds(
        sent_bytes,
        tensor_parallel_network_share,
        all_reduce_bytes_per_second,
        collective_network_bytes_per_second,
    )


@figure("Q_x", family=True)
def exchange_bytes(
    rank_mixture_layers: Count,
    phase_tokens: Tokens,
    num_experts_per_tok: Count,
    expert_parallel_size: Count,
    hidden_size: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """Hidden states sent to the ranks of the chosen experts and back.  Source: arXiv:2006.16668, section 3.2."""
    return (
        TWO * rank_mixture_layers * (phase_tokens / ONE_TOKEN)
        * smaller(num_experts_per_tok, expert_parallel_size) * (1 - 1 / expert_parallel_size)
        * hidden_size * other_element_bytes
    )  # fmt: skip


@figure("t_x", basis="measured", family=True)
def exchange_seconds(
    sent_bytes: Bytes,
    expert_parallel_network_share: Share,
    exchange_bytes_per_second: BytesPerSecond,
    collective_network_bytes_per_second: BytesPerSecond,
    exchange_latency_seconds: Seconds,
) -> Seconds:
    """Time of a stage's exchanges between experts.  Source: latency and traffic."""
    return exchange_latency_seconds + wire_seconds(
        sent_bytes,
        expert_parallel_network_share,
        exchange_bytes_per_second,
        collective_network_bytes_per_second,
    )


@figure("t_x0", basis="measured")
def exchange_latency_seconds(
    expert_parallel_size: Count,
    rank_mixture_layers: Count,
    all_reduce_latency_seconds_8: Seconds,
    expert_parallel_network_share: Share,
    network_latency_seconds: Seconds,
) -> Seconds:
    """Latency of a stage's exchanges, one there and one back in each mixture layer.  Source: arXiv:2006.16668, 3.2."""
    return (
        (expert_parallel_size > 1)
        * TWO
        * rank_mixture_layers
        * (all_reduce_latency_seconds_8 + where(expert_parallel_network_share > 0, network_latency_seconds, 0))
    )


def _of(phase: str) -> tuple[Line, ...]:
    """All-reduces and exchanges of a phase."""
    sent = {"all_reduce": f"{phase}_reduction_bytes", "exchange": f"exchange_bytes.{phase}"}
    timed = (all_reduce_seconds, exchange_seconds)
    return (
        Line(sent["exchange"], exchange_bytes, _bound(exchange_bytes, phase_tokens=f"{phase}_tokens")),
        *(
            Line(f"{each.name}.{phase}", each, _bound(each, sent_bytes=sent[each.name.removesuffix("_seconds")]))
            for each in timed
        ),
    )


def _bound(family: Figure, **bound: str) -> dict[str, str]:
    return {name: bound.get(name, name) for name in family.inputs}


LINES = (*_of("prefill"), *_of("decode"))
