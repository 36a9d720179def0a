"""Computed seconds of attention in a training step: fused, or unfused with scores that lie in memory."""

from memreport.figures.constants import ONE_TOKEN, TRAINING_PASSES
from memreport.figures.constants.times import CAP_FACTOR, FLASH_BACKWARD, MOST_SUSTAINED, SINK_FACTOR, TILE
from memreport.figures.quantities import (
    Bytes,
    BytesPerSecond,
    Count,
    Flop,
    FlopPerSecond,
    Seconds,
    Share,
    Switch,
    Tokens,
)
from memreport.figures.time.reached import soft_maximum
from memreport.figures.time.step.products import wave_loss
from memreport.formula.recording import bound_line, figure
from memreport.formula.words import ceil, larger, smaller, where


@figure("n_a")
def attention_waves(
    micro_batch_size: Count,
    num_attention_heads: Count,
    tensor_parallel_size: Count,
    tokens_per_sequence_part: Count,
    compute_units: Count,
) -> Count:
    """Waves in which the blocks of queries are worked off.  Source: arXiv:2307.08691, section 3.2."""
    return (
        micro_batch_size
        * larger(num_attention_heads / tensor_parallel_size, 1)
        * ceil(tokens_per_sequence_part / TILE)
        / compute_units
    )


@figure("s_c")
def tokens_per_sequence_part(sequence_length: Tokens, context_parallel_size: Count) -> Count:
    """Tokens of a sequence that one GPU attends for.  Source: arXiv:2310.01889."""
    return sequence_length / context_parallel_size / ONE_TOKEN


def _reached(share: float, tuned: float, factor: float, by_power: float) -> float:
    """Share of the peak that fused attention reaches, by whose kernels it is and by the board's power."""
    return smaller(share * where(tuned > 0, factor, 1) * by_power, MOST_SUSTAINED)


@figure("p_af")
def fused_forward_share(
    attention_forward_share: Share, kernel_in_triton: Switch, triton_forward_factor: Share
) -> Share:
    """Share of the peak that the chosen kernel reaches forward.  Source: arXiv:2307.08691, section 4.1."""
    return attention_forward_share * where(kernel_in_triton > 0, triton_forward_factor, 1)


@figure("p_ab")
def fused_backward_share(
    attention_backward_share: Share, kernel_in_triton: Switch, triton_backward_factor: Share
) -> Share:
    """The same backward.  Source: arXiv:2307.08691, section 4.1."""
    return attention_backward_share * where(kernel_in_triton > 0, triton_backward_factor, 1)


@figure("t_a1", basis="measured")
def attention_pass_seconds(
    attention_flop: Flop, recompute_share: Share, unquantised_flop_per_second: FlopPerSecond
) -> Seconds:
    """Attention of one forward pass at the peak.  Source: division."""
    return attention_flop / (TRAINING_PASSES + recompute_share) / unquantised_flop_per_second


@figure("o_va")
def vendor_attention(tuned_attention: Switch, prefers_cudnn: Switch, windows_as_masks: Switch) -> Switch:
    """1 where attention is the vendor's own.  Source: PyTorch `check_prefer_cudnn_attention`."""
    return larger(tuned_attention, prefers_cudnn * windows_as_masks)


@figure("x_a", basis="measured", source="arXiv:2307.08691, section 4.1; shares from hardware/efficiency.yaml")
def attention_slowdown(
    recompute_share: Share,
    fused_forward_share: Share,
    fused_backward_share: Share,
    vendor_attention: Switch,
    tuned_attention_factor: Share,
    attention_power_share: Share,
) -> Share:
    """Time of fused attention over one forward pass at the peak; backward it computes its scores again."""
    return (1 + recompute_share) / _reached(
        fused_forward_share, vendor_attention, tuned_attention_factor, attention_power_share
    ) + FLASH_BACKWARD / _reached(fused_backward_share, vendor_attention, tuned_attention_factor, attention_power_share)


@figure("t_fl", basis="measured")
def fused_attention_seconds(
    attention_pass_seconds: Seconds, attention_slowdown: Share, attention_loss: Share
) -> Seconds:
    """Fused attention of a step.  Source: arXiv:2307.08691, section 4.1."""
    return attention_pass_seconds * attention_slowdown * attention_loss


@figure("t_aw", basis="measured")
def attention_work_seconds(
    attention_flop: Flop, unquantised_flop_per_second: FlopPerSecond, reached_share_16bit: Share
) -> Seconds:
    """Arithmetic of unfused attention.  Source: division."""
    return attention_flop / (unquantised_flop_per_second * reached_share_16bit)


@figure("t_aq", basis="measured")
def attention_traffic_seconds(
    attention_load_bytes: Bytes, attention_store_bytes: Bytes, stream_bytes_per_second: BytesPerSecond
) -> Seconds:
    """Traffic of unfused attention's products, the scores among it.  Source: division."""
    return (attention_load_bytes + attention_store_bytes) / stream_bytes_per_second


@figure("t_sm", basis="measured", source="HF `eager_attention_forward`, counted")
def softmax_seconds(
    softmax_load_bytes: Bytes,
    softmax_store_bytes: Bytes,
    score_traffic_factor: Share,
    attention_softcap: Switch,
    attention_sinks: Switch,
    torch_compile: Switch,
    stream_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """Softmax of unfused attention as the framework runs it; compiled, scale, mask and softmax are one kernel."""
    return (
        (softmax_load_bytes + softmax_store_bytes)
        * where(
            torch_compile > 0, 1, score_traffic_factor + attention_softcap * CAP_FACTOR + attention_sinks * SINK_FACTOR
        )
        / stream_bytes_per_second
    )


@figure("t_ea", basis="measured")
def eager_attention_seconds(
    attention_work_seconds: Seconds, attention_traffic_seconds: Seconds, softmax_seconds: Seconds
) -> Seconds:
    """Unfused attention: two products and a softmax.  Source: sum."""
    return soft_maximum(attention_work_seconds, attention_traffic_seconds) + softmax_seconds


@figure("t_att", basis="measured")
def attention_seconds(
    scores_stored: Switch, fused_attention_seconds: Seconds, eager_attention_seconds: Seconds
) -> Seconds:
    """Attention of a step, fused or not.  Source: choice."""
    return where(scores_stored > 0, eager_attention_seconds, fused_attention_seconds)


LINES = (bound_line("attention_loss", wave_loss, {"tile_waves": "attention_waves"}),)
