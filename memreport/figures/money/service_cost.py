"""Serving: the hours that are billed, and what they deliver."""

from memreport.figures.constants import HOURS_PER_MONTH, SECONDS_PER_HOUR
from memreport.figures.quantities import Count, Hours, Share, Tokens, TokensPerSecond
from memreport.formula.recording import figure


@figure("h")
def hours(months: Count) -> Hours:
    """Useful hours of the service: those of its months, unless the scenario states them.  Source: definition."""
    return months * HOURS_PER_MONTH


@figure("h_all", title="GPU-hours of the whole run or service")
def whole_accelerator_hours(accelerator_hours: Hours) -> Hours:
    """Hours of all GPUs in the service that is billed, by the clock.  Source: the hours that are billed."""
    return accelerator_hours


@figure("T_out", scope="all GPUs")
def delivered_tokens(tokens_per_second: TokensPerSecond, hours: Hours) -> Tokens:
    """Tokens served in the useful hours, at full load.  Source: product."""
    return tokens_per_second * SECONDS_PER_HOUR * hours


@figure("x_h-")
def time_low_share() -> Share:
    """Low end of the hours over those planned: a service runs for the hours that it is billed.  Source: definition."""
    return 1


@figure("x_h+")
def time_high_share() -> Share:
    """High end of the hours over those planned.  Source: definition."""
    return 1


@figure("x_whole")
def whole_cost_share() -> Share:
    """Cost of the service over what the hours of the bill cost: these are its hours.  Source: definition."""
    return 1
