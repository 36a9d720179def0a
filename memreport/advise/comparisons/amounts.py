"""How much can be trained for an amount or in a time, and how long a service takes for a number of requests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.compute import Computed, calculate
from memreport.figures.beside import affordable_tokens, batch_hours, batch_usd, tokens_in_time
from memreport.figures.constants import SECONDS_PER_HOUR, TOKENS_PER_MILLION, WATTS_PER_KILOWATT
from memreport.formula.recording import plain_line
from memreport.frozen import frozen

TOKENS, COST, SPEED, RUN = "training_tokens", "whole_cost_usd", "tokens_per_second", "run_hours"
FIELDS = {batch_hours.name: "hours", batch_usd.name: "usd"}
Ends = tuple[float, ...]
"""A value, its low and its high end; nothing where it is not known."""


@frozen
class AskedAmounts:
    """Of one option: tokens for what may be spent, or in a time; hours and dollars for a number of requests."""

    tokens: Ends = ()
    in_time: Ends = ()
    hours: Ends = ()
    usd: Ends = ()


def amounts_of(computed: Computed, column: int, most_usd: float | None, requests: float, hours: float) -> AskedAmounts:
    """Of what the question states, what one option comes to."""
    if requests and SPEED in computed.values:
        return _batch(computed, column, requests)
    return AskedAmounts(
        tokens=_tokens_for(computed, column, most_usd) if most_usd else (),
        in_time=_tokens_in(computed, column, hours) if hours else (),
    )


def usd_of_runs(usd: float, runs_a_year: float, periods: int) -> tuple[float, float]:
    """How often a training is done in each of so many periods of a year, and what that costs."""
    runs = runs_a_year / periods
    return runs, usd * runs


def _column(computed: Computed, column: int, names: Sequence[str]) -> Numbers:
    """Lines of one variant, one below the other."""
    return np.asarray([computed.values[name][column] for name in names])


def _tokens_in(computed: Computed, column: int, hours: float) -> Ends:
    """Tokens that a run of this length trains on."""
    ends = (RUN, f"{RUN}_high", f"{RUN}_low")
    read = {TOKENS: computed.values[TOKENS][column : column + 1], "asked_hours": np.asarray([hours])}
    spent = _column(computed, column, ends)
    return tuple(calculate([plain_line(tokens_in_time)], {**read, RUN: spent})[tokens_in_time.name].tolist())


def _tokens_for(computed: Computed, column: int, most_usd: float) -> Ends:
    """Tokens that an amount pays for; nothing where nothing is priced, or what is signed is a purchase."""
    ends = [name for name in (COST, "whole_cost_high_usd", "whole_cost_low_usd") if name in computed.values]
    if TOKENS not in computed.values or len(ends) < 3 or computed.values["buys"][column]:
        return ()
    costs = _column(computed, column, ends)
    read = {TOKENS: computed.values[TOKENS][column : column + 1], "most_cost_usd": np.asarray([most_usd])}
    return tuple(calculate([plain_line(affordable_tokens)], {**read, COST: costs})[affordable_tokens.name].tolist())


def _batch(computed: Computed, column: int, requests: float) -> AskedAmounts:
    """Hours of a batch, and dollars where its hours are billed."""
    ends = (SPEED, f"{SPEED}_high", f"{SPEED}_low")
    speeds = _column(computed, column, ends)
    bill = [name for name in ("cost_total_usd", "wall_hours") if name in computed.values]
    read = {name: computed.values[name][column : column + 1] for name in ("output_tokens", *bill)}
    lines = [plain_line(batch_hours), *([plain_line(batch_usd)] if len(bill) > 1 else [])]
    made = calculate(lines, {**read, SPEED: speeds, "requests": np.asarray([requests])})
    return AskedAmounts(**{FIELDS[line.name]: tuple(made[line.name].tolist()) for line in lines})


def made_in(rates: Ends, seconds: float) -> Ends:
    """What rates by the second come to in a time."""
    return tuple(rate * seconds for rate in rates)


def of_each(whole: float, number: float) -> float:
    """What one of several has, or one by the second takes, of what all have or take."""
    return whole / number if number else 0.0


def kwh_of_a_million(joules: float) -> float:
    """Energy of a million of what takes so many joules each."""
    return joules * TOKENS_PER_MILLION / SECONDS_PER_HOUR / WATTS_PER_KILOWATT


def gpus_within(count: float, drawn: float, most: float) -> float:
    """Of so many GPUs as draw or cost an amount, how many stay within another."""
    return count * most // drawn


def most_drawn(site_watts: float, load: float, pue: float, *, cooled: bool) -> float:
    """Power of hosts that are busy, with that of their cooling where it is meant, of what a site draws in the mean."""
    return site_watts / load / (1 if cooled else pue)


def hours_within(price: float, most: float) -> float:
    """How many hours at a price stay within an amount."""
    return most // price
