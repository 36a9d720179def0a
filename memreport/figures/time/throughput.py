"""Time of a training step and of a run: by a stated utilisation, and as a bound by the roofline."""

from memreport.figures.constants import (
    FLOP_PER_MULTIPLY_ADD,
    ONE_TOKEN,
    SECONDS_PER_HOUR,
    SMALLEST_RATE,
    TRAINING_PASSES,
    TWO,
)
from memreport.figures.quantities import (
    Count,
    Flop,
    FlopPerSecond,
    Hours,
    Seconds,
    Share,
    Switch,
    Tokens,
    TokensPerSecond,
)
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, where

LIMITS = (
    "the stated utilisation",
    "the sum over kernels, traffic and host",
    "the host's disks",
    "the host link",
    "the host's memory",
    "the pipeline's bubble",
    "the network",
    "the link between GPUs",
    "arithmetic and memory of the GPU",
)
"""What the time of a step may come from, in the order in which `step_limit` counts it."""


@figure("T_step")
def tokens_per_step(global_batch_size: Count, sequence_length: Tokens) -> Tokens:
    """Tokens of one optimizer step over all GPUs.  Source: 003 'Gradient Accumulation'."""
    return global_batch_size * sequence_length


@figure("W_6ND", source="arXiv:2001.08361, section 2.1")
def dense_flop(active_parameters: Count, tokens_per_step: Tokens, trainable_share: Share) -> Flop:
    """Work of all weights per step, all GPUs: 6ND where everything is trained, 4ND with a frozen base."""
    return FLOP_PER_MULTIPLY_ADD * active_parameters * (tokens_per_step / ONE_TOKEN) * (TWO + trainable_share)


@figure("W_att", source="arXiv:2204.02311 (PaLM), appendix B")
def score_flop(
    attention_layers: Count, query_size: Count, value_size: Count, sequence_length: Tokens, tokens_per_step: Tokens
) -> Flop:
    """Attention scores and values per step, all GPUs, the whole square counted (12·L·h·s a token)."""
    return (
        FLOP_PER_MULTIPLY_ADD
        * attention_layers
        * TRAINING_PASSES
        * (query_size + value_size)
        * (sequence_length / ONE_TOKEN)
        * (tokens_per_step / ONE_TOKEN)
    )


@figure("W_model")
def model_flop(dense_flop: Flop, score_flop: Flop) -> Flop:
    """Work of a step that utilisation counts, without recomputation.  Source: arXiv:2204.02311, appendix B."""
    return dense_flop + score_flop


@figure("x_rec")
def recompute_factor(recompute_share: Share) -> Share:
    """Work with recomputation: 4/3 where all layers are recomputed.  Source: 003 'Gradient Checkpointing'."""
    return 1 + recompute_share / TRAINING_PASSES


@figure("W_step")
def step_flop(model_flop: Flop, recompute_factor: Share) -> Flop:
    """Work of a step that the hardware does, all GPUs.  Source: arXiv:2204.02311, appendix B (HFU)."""
    return model_flop * recompute_factor


@figure("b_pp", title="Pipeline bubble", source="arXiv:2104.04473, sections 2.2.1 and 2.2.2")
def pipeline_bubble_share(waiting_slots: Count, busy_slots: Count) -> Share:
    """Share of a step in which a stage waits, by the schedule, plain or interleaved."""
    return waiting_slots / (busy_slots + waiting_slots)


@figure("t_MFU", basis="rule of thumb", title="Time per step at the stated utilisation")
def step_seconds_at_utilization(
    model_flop: Flop, accelerators: Count, peak_flop_per_second: FlopPerSecond, model_flop_utilization: Share
) -> Seconds:
    """Time of a whole step at the stated utilisation, waits and recomputation in it; 0 where none is stated.

    Source: arXiv:2204.02311, appendix B.
    """
    return where(
        model_flop_utilization > 0,
        model_flop / (accelerators * peak_flop_per_second * larger(model_flop_utilization, SMALLEST_RATE)),
        0,
    )


@figure("t_busy", source="004 'Mental Model: The Roofline'")
def busy_seconds_bound(step_seconds_at_roof: Seconds, communication_seconds: Seconds) -> Seconds:
    """Least time in which a GPU works in a step: kernels at the roof, all traffic hidden behind them."""
    return larger(step_seconds_at_roof, communication_seconds)


@figure("t_bub")
def bubble_seconds_bound(step_seconds_at_roof: Seconds, pipeline_bubble_share: Share) -> Seconds:
    """Least time in which a pipeline stage waits in a step.  Source: arXiv:2104.04473, section 2.2.1."""
    return step_seconds_at_roof * pipeline_bubble_share / (1 - pipeline_bubble_share)


@figure("t_min", title="Time per step, a lower bound", shown=("main",))
def step_seconds_bound(
    step_seconds_at_roof: Seconds,
    busy_seconds_bound: Seconds,
    bubble_seconds_bound: Seconds,
    host_optimizer_seconds: Seconds,
    host_link_traffic_seconds: Seconds,
    nvme_traffic_seconds: Seconds,
) -> Seconds:
    """Lower bound of a step: work, bubble and the host's update in turn, or the time of host link or disks.

    Source: 004 'Mental Model: The Roofline'; arXiv:2104.04473, section 2.2.1; arXiv:2101.06840, section 5.
    """
    # Traffic of data parallelism may go on while a stage waits.
    return larger(
        larger(step_seconds_at_roof + bubble_seconds_bound, busy_seconds_bound) + host_optimizer_seconds,
        host_link_traffic_seconds,
        nvme_traffic_seconds,
    )


@figure("t_est", basis="measured", source="choice")
def step_seconds_estimated(
    step_seconds_at_utilization: Seconds, step_seconds_computed: Seconds, measured_time_factor: Share
) -> Seconds:
    """Time of a step at the stated utilisation, else as computed, times what one's own measurement says."""
    return (
        where(step_seconds_at_utilization > 0, step_seconds_at_utilization, step_seconds_computed)
        * measured_time_factor
    )


@figure("t_step", basis="measured", title="Time per step", shown=("main", "in short", "with verdicts"))
def step_seconds(step_seconds_estimated: Seconds, step_seconds_bound: Seconds) -> Seconds:
    """Time of a step that is planned with: the estimate, but never less than the bound.  Source: maximum."""
    return larger(step_seconds_estimated, step_seconds_bound)


@figure("t_step-", basis="measured", title="Time per step, low", shown=("main", "in short"))
def step_seconds_low(step_seconds: Seconds, step_time_error: Share, step_seconds_bound: Seconds) -> Seconds:
    """Low end of the time of a step, never less than the bound.  Source: errors measured by kind of job and GPU."""
    return larger(step_seconds / (1 + step_time_error), step_seconds_bound)


@figure("t_step+", basis="measured", title="Time per step, high", shown=("main", "in short"))
def step_seconds_high(step_seconds: Seconds, step_time_error: Share) -> Seconds:
    """High end of the time of a step.  Source: errors measured by kind of job and GPU."""
    return step_seconds * (1 + step_time_error)


@figure("n_bnd", labels=LIMITS[2:], source="comparison")
def bound_limit(
    step_seconds_bound: Seconds,
    nvme_traffic_seconds: Seconds,
    host_link_traffic_seconds: Seconds,
    bubble_seconds_bound: Seconds,
    host_optimizer_seconds: Seconds,
    busy_seconds_bound: Seconds,
    step_seconds_at_roof: Seconds,
    link_traffic_seconds: Seconds,
    network_traffic_seconds: Seconds,
) -> Count:
    """What the bound of a step comes from: its largest part."""
    return 1 + (nvme_traffic_seconds < step_seconds_bound) * (
        1
        + (host_link_traffic_seconds < step_seconds_bound)
        * (
            1
            + (host_optimizer_seconds < larger(busy_seconds_bound, bubble_seconds_bound))
            * (
                1
                + (bubble_seconds_bound < busy_seconds_bound)
                * (
                    1
                    + (network_traffic_seconds < busy_seconds_bound)
                    * (1 + (link_traffic_seconds < step_seconds_at_roof) * 1)
                )
            )
        )
    )


@figure("n_lim", labels=LIMITS, title="Time per step comes from", shown=("main", "in short"), source="comparison")
def step_limit(
    step_seconds_at_utilization: Seconds,
    step_seconds_estimated: Seconds,
    step_seconds_bound: Seconds,
    bound_limit: Count,
) -> Count:
    """What the time of a step comes from: the estimate, or the largest part of a bound that exceeds it."""
    return where(
        step_seconds_estimated < step_seconds_bound, TWO + bound_limit, TWO - (step_seconds_at_utilization > 0) * 1
    )


@figure("MFU_real", title="MFU reached", shown=("main", "in short"))
def achieved_model_flop_utilization(
    model_flop: Flop, step_seconds: Seconds, accelerators: Count, peak_flop_per_second: FlopPerSecond
) -> Share:
    """Utilisation in the published sense: the model's own work over time and peak.  Source: arXiv:2204.02311, B."""
    return model_flop / (step_seconds * accelerators * peak_flop_per_second)


@figure("MFU*")
def model_flop_utilization_bound(
    model_flop: Flop, step_seconds_bound: Seconds, accelerators: Count, peak_flop_per_second: FlopPerSecond
) -> Share:
    """Utilisation that the bound would reach: an upper bound.  Source: arXiv:2204.02311, appendix B."""
    return model_flop / (step_seconds_bound * accelerators * peak_flop_per_second)


@figure(
    "v", basis="rule of thumb", title="Tokens per second", shown=("main", "in short", "with verdicts"), scope="all GPUs"
)
def tokens_per_second(tokens_per_step: Tokens, step_seconds: Seconds) -> TokensPerSecond:
    """Tokens trained per second by all GPUs, at the planned time of a step.  Source: division."""
    return tokens_per_step / step_seconds


@figure("v*", scope="all GPUs")
def tokens_per_second_bound(tokens_per_step: Tokens, step_seconds_bound: Seconds) -> TokensPerSecond:
    """Tokens trained per second at the lower bound of a step: an upper bound.  Source: division."""
    return tokens_per_step / step_seconds_bound


@figure("n_step")
def training_steps(training_tokens: Tokens, tokens_per_step: Tokens) -> Count:
    """Optimizer steps for the token budget.  Source: division."""
    return ceil(training_tokens / tokens_per_step)


@figure("t_train", basis="rule of thumb")
def training_seconds(training_steps: Count, step_seconds: Seconds) -> Seconds:
    """Planned time of all steps, without interruptions.  Source: product."""
    return training_steps * step_seconds


@figure("h_train", basis="rule of thumb", title="Training time", shown=("main", "in short"))
def training_hours(training_seconds: Seconds) -> Hours:
    """The same in hours.  Source: division."""
    return training_seconds / SECONDS_PER_HOUR


def follows(amount: float, other: float) -> bool:
    """Whether an amount is what another gives, and nobody states it."""
    return (amount >= other) * (amount <= other) > 0


@figure("e_h")
def time_varies(training_hours: Hours, training_seconds: Seconds) -> Switch:
    """1 where the run lasts as long as its steps, 0 where the scenario states its hours.  Source: comparison."""
    return follows(training_hours, training_seconds / SECONDS_PER_HOUR)


@figure("h_6ND", basis="rule of thumb")
def rule_accelerator_hours(
    active_parameters: Count,
    training_tokens: Tokens,
    peak_flop_per_second: FlopPerSecond,
    achieved_model_flop_utilization: Share,
) -> Hours:
    """GPU-hours by 6ND alone at the utilisation reached, without attention scores or interruptions.

    Source: arXiv:2001.08361, section 2.1; check: arXiv:2407.21783, 26.0 M H100-hours for 405B at 41 %.
    """
    return (
        FLOP_PER_MULTIPLY_ADD
        * active_parameters
        * TRAINING_PASSES
        * (training_tokens / ONE_TOKEN)
        / (peak_flop_per_second * achieved_model_flop_utilization * SECONDS_PER_HOUR)
    )


@figure("h_run", basis="rule of thumb", title="Run time")
def run_hours(training_hours: Hours, goodput: Share) -> Hours:
    """The whole run by the clock, failures and restarts included.  Source: division."""
    return training_hours / goodput


@figure("h_all", basis="rule of thumb", title="GPU-hours of the whole run or service")
def whole_accelerator_hours(run_hours: Hours, accelerators: Count) -> Hours:
    """Hours of all GPUs in the whole run by the clock.  Source: product."""
    return run_hours * accelerators
