"""What served tokens cost: prompts and answers apart, at the demand or, where none is stated, at full load."""

from memreport.figures.constants import HOURS_PER_MONTH, SECONDS_PER_HOUR, SMALLEST_PRICE, TOKENS_PER_MILLION
from memreport.figures.quantities import Count, PerSecond, Seconds, Share, Switch, Tokens, Usd, UsdPerHour
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("l_s", basis="measured", scope="all GPUs")
def served_requests_per_second(
    demanded_requests_per_second: PerSecond, full_load_requests_per_second: PerSecond
) -> PerSecond:
    """Requests per second that are paid for: the demand, or the full load.  Source: the scenario's demand."""
    return where(demanded_requests_per_second > 0, demanded_requests_per_second, full_load_requests_per_second)


@figure("N_s", basis="measured")
def serving_accelerators(
    demanded_requests_per_second: PerSecond, needed_accelerators: Count, accelerators: Count
) -> Count:
    """GPUs that are paid for: those that the demand needs, or those that are stated.  Source: the demand."""
    return where(demanded_requests_per_second > 0, needed_accelerators, accelerators)


@figure("K_h", basis="measured")
def service_usd_per_hour(serving_accelerators: Count, cost_per_accelerator_hour_usd: UsdPerHour) -> UsdPerHour:
    """Cost of an hour of the service.  Source: product."""
    return serving_accelerators * cost_per_accelerator_hour_usd


@figure("K_mon", title="Cost of a month of service", basis="measured", shown=("in short",))
def service_usd_per_month(service_usd_per_hour: UsdPerHour) -> Usd:
    """Cost of a month of the service.  Source: product."""
    return service_usd_per_hour * HOURS_PER_MONTH


@figure("t_oa", basis="measured")
def answer_work_seconds(answer_decode_seconds: Seconds, decoding_sequences: Count) -> Seconds:
    """A replica's time for one answer: its part of every step.  Source: division."""
    return answer_decode_seconds / decoding_sequences


@figure("s_in", basis="measured", source="division")
def input_cost_share(joined_prefill_seconds: Seconds, answer_work_seconds: Seconds, makes_tokens: Switch) -> Share:
    """Share of the cost that prompts cause: their share of a replica's time; all of it where no token is made."""
    return joined_prefill_seconds / (joined_prefill_seconds + makes_tokens * answer_work_seconds)


@figure("K_in", title="Cost per million input tokens", basis="measured", shown=("in short",))
def usd_per_million_input_tokens(
    service_usd_per_hour: UsdPerHour,
    input_cost_share: Share,
    served_requests_per_second: PerSecond,
    prompt_tokens: Tokens,
) -> Usd:
    """Cost of a million tokens of prompts, cached ones counted.  Source: division."""
    return (
        service_usd_per_hour / SECONDS_PER_HOUR * input_cost_share / served_requests_per_second
        / (prompt_tokens / TOKENS_PER_MILLION)
    )  # fmt: skip


@figure("K_out", title="Cost per million output tokens", basis="measured", shown=("in short",))
def usd_per_million_output_tokens(
    service_usd_per_hour: UsdPerHour,
    input_cost_share: Share,
    served_requests_per_second: PerSecond,
    output_tokens: Tokens,
) -> Usd:
    """Cost of a million tokens of answers.  Source: division."""
    return (
        service_usd_per_hour / SECONDS_PER_HOUR * (1 - input_cost_share) / served_requests_per_second
        / (output_tokens / TOKENS_PER_MILLION)
    )  # fmt: skip


@figure("K_out_low", basis="measured")
def usd_per_million_output_tokens_low(usd_per_million_output_tokens: Usd, served_time_error: Share) -> Usd:
    """Low end of it.  Source: errors on measured points."""
    return usd_per_million_output_tokens / (1 + served_time_error)


@figure("K_out_high", basis="measured")
def usd_per_million_output_tokens_high(usd_per_million_output_tokens: Usd, served_time_error: Share) -> Usd:
    """High end of it.  Source: errors on measured points."""
    return usd_per_million_output_tokens * (1 + served_time_error)


@figure("K_api", basis="measured")
def api_usd_per_request(api_input_usd: Usd, prompt_tokens: Tokens, api_output_usd: Usd, output_tokens: Tokens) -> Usd:
    """Price of one request at the list price of the named API.  Source: hardware/prices.yaml."""
    return (api_input_usd * prompt_tokens + api_output_usd * output_tokens) / TOKENS_PER_MILLION


@figure("K_apm", basis="measured")
def api_usd_per_month(api_usd_per_request: Usd, demanded_requests_per_second: PerSecond) -> Usd:
    """What a month of the demand costs at the list prices of an API.  Source: product."""
    return api_usd_per_request * demanded_requests_per_second * SECONDS_PER_HOUR * HOURS_PER_MONTH


@figure("l_be", basis="measured", scope="all GPUs", source="both cost the same in an hour")
def api_break_even_requests_per_second(service_usd_per_hour: UsdPerHour, api_usd_per_request: Usd) -> PerSecond:
    """Requests per second from which these GPUs are cheaper than the API; 0 where no API is named."""
    return where(
        api_usd_per_request > 0,
        service_usd_per_hour / SECONDS_PER_HOUR / larger(api_usd_per_request, SMALLEST_PRICE),
        0,
    )
