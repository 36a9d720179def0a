"""How old a price is on the day at which a scenario judges its prices, and what is said of one that is too old."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

from memreport.catalogue.fields.blocks import first_day
from memreport.catalogue.scenario import Scenario

EXACT = len("2026-11-20")


def judged_on(scenario: Scenario) -> str:
    """The day at which prices are judged: stated, else that of the last change; empty where there is neither."""
    return scenario.price_terms.as_of or max((change.date for change in scenario.changes), default="")


def age_in_days(priced: str, judged: str) -> int | None:
    """Days from the first to the second; a month or a year without a day counts from its beginning."""
    first, last = first_day(priced), first_day(judged)
    return None if first is None or last is None else (last - first).days


def is_past(last: str, judged: str) -> bool:
    """Whether a day lies behind; one that names no day lasts to its end."""
    today: date | None = first_day(judged)
    return bool(last) and today is not None and judged[: len(last)] > last


def is_stale(scenario: Scenario, words: Mapping[str, str]) -> bool:
    """Whether a price is over the scenario's age limit, or is not offered any more."""
    age, judged = age_in_days(words["date"], judged_on(scenario)), judged_on(scenario)
    return (age or 0) > scenario.price_terms.age_limit_days or is_past(words["valid_until"], judged)


def age_warnings(scenario: Scenario, words: Mapping[str, str]) -> Iterator[str]:
    """Of a price's own words: too old, no longer valid, an old rate of exchange."""
    limit, judged = scenario.price_terms.age_limit_days, judged_on(scenario)
    age = age_in_days(words["date"], judged)
    if age is None:
        yield "its age is not judged, as the budget states no date (as_of of its price terms)"
    elif age > limit:
        up_to = "" if len(words["date"]) == EXACT else "up to "
        yield f"{up_to}{age:,} days old on {judged}, over the limit of {limit} days"
    if is_past(words["valid_until"], judged):
        yield f"valid only until {words['valid_until']}"
    rate_age = age_in_days(words["rate_date"], judged)
    if rate_age is not None and rate_age > limit:
        yield f"rate of exchange {rate_age:,} days old on {judged}, over the limit of {limit} days"
