"""Training: the hours that are billed, what they deliver, and what the whole token budget costs."""

from __future__ import annotations

from memreport.figures.constants import SECONDS_PER_HOUR
from memreport.figures.quantities import Count, Hours, Share, Tokens, TokensPerSecond, Usd, UsdPerHour
from memreport.formula.recording import figure


@figure("h", basis="rule of thumb")
def hours(training_hours: Hours) -> Hours:
    """Useful hours of the job: those of the whole run, unless the scenario states them.  Source: step time."""
    return training_hours


@figure("T_out")
def delivered_tokens(tokens_per_second: TokensPerSecond, hours: Hours) -> Tokens:
    """Tokens trained in the useful hours, at the planned time of a step.  Source: product."""
    return tokens_per_second * SECONDS_PER_HOUR * hours


@figure("K_run", basis="rule of thumb")
def run_cost_usd(
    training_hours: Hours, accelerators: Count, goodput: Share, cost_per_accelerator_hour_usd: UsdPerHour
) -> Usd:
    """Cost of the whole token budget by the time of a step, whatever hours are billed here.  Source: product."""
    return training_hours / goodput * accelerators * cost_per_accelerator_hour_usd


@figure("K_6ND", basis="rule of thumb")
def rule_run_cost_usd(rule_accelerator_hours: Hours, goodput: Share, cost_per_accelerator_hour_usd: UsdPerHour) -> Usd:
    """Cost of the whole token budget by 6ND, to check the other against.  Source: arXiv:2001.08361, section 2.1."""
    return rule_accelerator_hours / goodput * cost_per_accelerator_hour_usd


FIGURES = (hours, delivered_tokens, run_cost_usd, rule_run_cost_usd)
