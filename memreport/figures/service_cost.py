"""Serving: the hours that are billed, and what they deliver."""

from __future__ import annotations

from memreport.figures.constants import HOURS_PER_MONTH, SECONDS_PER_HOUR
from memreport.figures.quantities import Hours, Share, Tokens, TokensPerSecond
from memreport.formula.recording import figure


@figure("h")
def hours() -> Hours:
    """Useful hours of the service: those of a month, unless the scenario states them.  Source: definition."""
    return HOURS_PER_MONTH


@figure("T_out")
def delivered_tokens(tokens_per_second: TokensPerSecond, hours: Hours, token_utilisation: Share) -> Tokens:
    """Tokens served in the useful hours, at the stated utilisation of the bound.  Source: product."""
    return tokens_per_second * SECONDS_PER_HOUR * hours * token_utilisation


FIGURES = (hours, delivered_tokens)
