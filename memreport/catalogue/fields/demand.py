"""What users ask of a service: load, lengths, and how soon and how fast an answer has to come."""

from __future__ import annotations

from typing import Any, cast

from pydantic import Field

from memreport.catalogue.fields.dictionary import SAME, Section, number, whole


def same_as(field: str, meaning: str) -> Any:
    """Another name of a field of another section, which it sets."""
    extra = {"kind": SAME, "of": field}
    return Field(None, description=f"{meaning}; the same as {field}", json_schema_extra=cast(Any, extra))


class DemandFields(Section):
    """A demand, from which replicas, GPUs and cost follow; any consistent part of it may be stated."""

    users: float = number(
        0,
        "",
        "users who each have one request under way, in the mean; with requests_per_second, they may pause between",
        symbol="U",
    )
    requests_per_second: float = number(0, "/s", "requests per second in the mean")
    prompt_tokens: float | str | None = same_as("serving.prompt_tokens", "tokens of a prompt")
    output_tokens: float | str | None = same_as("serving.output_tokens", "tokens of an answer")
    cached_share: float | str | None = same_as(
        "serving.prefix_cached_share", "share of a prompt that the prefix cache holds"
    )
    first_token_seconds: float = number(0, "s", "wait for the first token that 95 in 100 stay within; 0 for no target")
    tokens_per_second_per_user: float = number(
        0, "token/s", "slowest decoding that a user may see; 0 for no target", symbol="v<sub>min</sub>"
    )
    peak_to_mean: float = number(1, "", "requests per second in the busiest time over the mean", ge=1)
    spare_replicas: float = whole(0, "replicas kept for a failure")
    hours: float | str | None = same_as("cost.hours", "hours of service that are paid for")
