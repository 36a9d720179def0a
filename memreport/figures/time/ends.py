"""Low and high ends of times and rates that have no errors of their own: those of the time that they follow."""

from __future__ import annotations

from memreport.figures.quantities import Hours, PerSecond, Seconds, TokensPerSecond
from memreport.formula.recording import Figure, FigureRows, figure


@figure("h_x", basis="measured", family=True)
def hours_with_time(amount: Hours, time: Seconds, time_end: Seconds) -> Hours:
    """Hours that grow with a time, at an end of it.  Source: product."""
    return amount * time_end / time


@figure("t_x", basis="measured", family=True)
def seconds_with_time(amount: Seconds, time: Seconds, time_end: Seconds) -> Seconds:
    """A time that grows with another one, at an end of it.  Source: product."""
    return amount * time_end / time


@figure("v_x", basis="measured", family=True)
def tokens_against_time(amount: TokensPerSecond, time: Seconds, time_end: Seconds) -> TokensPerSecond:
    """Tokens per second that fall as a time grows, at an end of it.  Source: division."""
    return amount * time / time_end


@figure("l_x", basis="measured", family=True)
def requests_against_time(amount: PerSecond, time: Seconds, time_end: Seconds) -> PerSecond:
    """Requests per second that fall as a time grows, at an end of it.  Source: division."""
    return amount * time / time_end


def _ends(family: Figure, name: str, symbol: str, time: str) -> FigureRows:
    """Low and high end of a figure that is as uncertain as a time."""
    times = ("low", "high") if "with" in family.name else ("high", "low")
    return FigureRows(
        family.row(
            f"{name}_{end}",
            f"{symbol}{sign}",
            f"{end.capitalize()} end of {name}: as uncertain as {time}.  Source: that time's range.",
            {"amount": name, "time": time, "time_end": f"{time}_{of}"},
        )
        for end, sign, of in zip(("low", "high"), "-+", times, strict=True)
    )


TOKEN, FIRST = "time_per_output_token_seconds", "time_to_first_token_seconds"
TRAINING = FigureRows((
    *_ends(hours_with_time, "training_hours", "h_train", "step_seconds"),
    *_ends(tokens_against_time, "tokens_per_second", "v", "step_seconds"),
))  # fmt: skip
RUN = FigureRows((
    *_ends(hours_with_time, "run_hours", "h_run", "step_seconds"),
    *_ends(hours_with_time, "whole_accelerator_hours", "h_all", "step_seconds"),
))  # fmt: skip
SERVING = _ends(tokens_against_time, "sequence_tokens_per_second", "v_1", TOKEN)
DEMAND = FigureRows((
    *_ends(requests_against_time, "replica_requests_per_second", "l_rep", TOKEN),
    *_ends(seconds_with_time, "first_token_p95_seconds", "TTFT_95", FIRST),
    *_ends(seconds_with_time, "first_token_service_seconds", "TTFT_s", FIRST),
))  # fmt: skip
