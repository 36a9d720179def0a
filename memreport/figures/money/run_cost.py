"""Training: the hours that are billed, what they deliver, and what the whole token budget costs."""

from memreport.figures.constants import SECONDS_PER_HOUR, SMALLEST_PRICE
from memreport.figures.quantities import Count, Hours, Seconds, Share, Switch, Tokens, TokensPerSecond, Usd, UsdPerHour
from memreport.figures.time.throughput import follows
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("h", basis="rule of thumb")
def hours(training_hours: Hours) -> Hours:
    """Useful hours of the job: those of the whole run, unless the scenario states them.  Source: step time."""
    return training_hours


@figure("T_out", scope="all GPUs")
def delivered_tokens(tokens_per_second: TokensPerSecond, hours: Hours) -> Tokens:
    """Tokens trained in the useful hours, at the planned time of a step.  Source: product."""
    return tokens_per_second * SECONDS_PER_HOUR * hours


@figure(
    "K_run", basis="rule of thumb", title="The whole training, by the time of a step", shown=("bill in the workbook",)
)
def run_cost_usd(
    training_hours: Hours, accelerators: Count, goodput: Share, cost_per_accelerator_hour_usd: UsdPerHour
) -> Usd:
    """Cost of the whole token budget by the time of a step, whatever hours are billed here.  Source: product."""
    return training_hours / goodput * accelerators * cost_per_accelerator_hour_usd


@figure("x_whole", basis="rule of thumb")
def whole_cost_share(run_cost_usd: Usd, cost_total_usd: Usd) -> Share:
    """Cost of the whole run over what the hours of the bill cost.  Source: division."""
    return where(cost_total_usd > 0, run_cost_usd / larger(cost_total_usd, SMALLEST_PRICE), 1)


@figure("K_6ND", basis="rule of thumb", title="The whole training, by 6ND", shown=("bill in the workbook",))
def rule_run_cost_usd(rule_accelerator_hours: Hours, goodput: Share, cost_per_accelerator_hour_usd: UsdPerHour) -> Usd:
    """Cost of the whole token budget by 6ND, to check the other against.  Source: arXiv:2001.08361, section 2.1."""
    return rule_accelerator_hours / goodput * cost_per_accelerator_hour_usd


@figure("x_h-", basis="measured")
def time_low_share(
    hours: Hours, training_hours: Hours, time_varies: Switch, step_seconds_low: Seconds, step_seconds: Seconds
) -> Share:
    """Low end of the hours over those planned; hours that the scenario states do not vary.  Source: step time."""
    return where(time_varies * follows(hours, training_hours) > 0, step_seconds_low / step_seconds, 1)


@figure("x_h+", basis="measured")
def time_high_share(
    hours: Hours, training_hours: Hours, time_varies: Switch, step_seconds_high: Seconds, step_seconds: Seconds
) -> Share:
    """High end of the hours over those planned.  Source: step time."""
    return where(time_varies * follows(hours, training_hours) > 0, step_seconds_high / step_seconds, 1)
