"""Low and high ends of times and rates that have no errors of their own: those of the time that they follow."""

from collections.abc import Iterator

from memreport.figures.quantities import Hours, PerSecond, Seconds, Share, Switch, TokensPerSecond
from memreport.figures.time.reached import above, below
from memreport.formula.recording import Figure, FigureRows, figure
from memreport.formula.words import where


@figure("h_x", basis="measured", family=True)
def hours_with_time(amount: Hours, time: Seconds, time_end: Seconds, time_varies: Switch) -> Hours:
    """Hours that grow with a time, at an end of it, but for hours that are stated.  Source: product."""
    return amount * where(time_varies > 0, time_end / time, 1)


@figure("t_x-", basis="measured", family=True)
def first_token_low(amount: Seconds, first_token_error_low: Share) -> Seconds:
    """Low end of a wait for the first token.  Source: errors on measured points."""
    return below(amount, first_token_error_low)


@figure("t_x+", basis="measured", family=True)
def first_token_high(amount: Seconds, first_token_error: Share) -> Seconds:
    """High end of it.  Source: errors on measured points."""
    return above(amount, first_token_error)


@figure("v_x", basis="measured", family=True)
def tokens_against_time(amount: TokensPerSecond, time: Seconds, time_end: Seconds) -> TokensPerSecond:
    """Tokens per second that fall as a time grows, at an end of it.  Source: division."""
    return amount * time / time_end


@figure("l_x", basis="measured", family=True)
def requests_against_time(amount: PerSecond, time: Seconds, time_end: Seconds) -> PerSecond:
    """Requests per second that fall as a time grows, at an end of it.  Source: division."""
    return amount * time / time_end


def _ends(family: Figure, name: str, symbol: str, time: str, scope: str = "") -> FigureRows:
    """Low and high end of a figure that is as uncertain as a time."""
    times = ("low", "high") if "with" in family.name else ("high", "low")
    return FigureRows(
        family.row(
            f"{name}_{end}",
            f"{symbol}{sign}",
            f"{end.capitalize()} end of {name}: as uncertain as {time}.  Source: that time's range.",
            {"amount": name, "time": time, "time_end": f"{time}_{of}"},
            scope=scope,
        )
        for end, sign, of in zip(("low", "high"), "-+", times, strict=True)
    )


def _first(name: str, symbol: str) -> Iterator[Figure]:
    """Both ends of a wait for the first token."""
    for family, end, sign in ((first_token_low, "low", "-"), (first_token_high, "high", "+")):
        meaning = f"{end.capitalize()} end of {name}.  Source: errors of first tokens on measured points."
        yield family.row(f"{name}_{end}", f"{symbol}{sign}", meaning, {"amount": name})


TOKEN, STEP = "time_per_output_token_seconds", "step_seconds"
TRAINING = FigureRows((
    *_ends(hours_with_time, "training_hours", "h_train", STEP),
    *_ends(tokens_against_time, "tokens_per_second", "v", STEP),
    *_ends(hours_with_time, "run_hours", "h_run", STEP),
    *_ends(hours_with_time, "whole_accelerator_hours", "h_all", STEP),
))  # fmt: skip
SERVING = FigureRows((
    *_ends(tokens_against_time, "sequence_tokens_per_second", "v_1", TOKEN, "one user"),
    *_first("time_to_first_token_seconds", "TTFT"),
))  # fmt: skip
DEMAND = FigureRows((
    *_ends(requests_against_time, "replica_requests_per_second", "l_rep", TOKEN, "one replica"),
    *_first("first_token_p95_seconds", "TTFT_95"),
    *_first("first_token_service_seconds", "TTFT_s"),
))  # fmt: skip
