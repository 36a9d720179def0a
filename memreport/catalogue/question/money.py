"""Money and the time that it is paid for, of a question."""

from __future__ import annotations

import re

from memreport.catalogue.question.numbers import MANY, NUMBER, THOUSANDS, WHOLE, number_said

DOLLARS = rf"(?:\$|usd) ?(\d[\d,]*(?:\.\d+)?){WHOLE} ?{MANY}\b|\b{NUMBER}{WHOLE} ?{MANY} ?(?:dollars|usd)\b"
NO_RATE = (
    r"(?! ?(?:each\b|apiece))(?! ?(?:/|per|an?|each|every) ?(?:h|hour|month|day|year|gpu|card|node|million|kwh)\w*)"
)
BUDGET = re.compile(
    rf"\b(?:under|below|within|less than|at most|no more than|not more than|up to|for|with|of|on|have|spend|budget:?)"
    rf"(?: (?:a|our|the|only|just|total|budget|of|is))* (?:{DOLLARS}){NO_RATE}"
    rf"|(?:{DOLLARS}){NO_RATE} (?:enough|budget|suffice)"
)


OF_A_GPU = r"(?:(?:gpu|card|accelerator|[abhlv]\d+\w*)(?:[ -/]| per | an )?)?"
AN_HOUR = re.compile(rf"(?:{DOLLARS}) ?(?:/|per|an?|each|every) ?{OF_A_GPU}(?:h|hr|hour)s?\b")
"""What a GPU costs: `at $2.50 per GPU hour`, `$2/h`."""


PERIODS = {"day": ("hours", 24), "week": ("hours", 168), "month": ("months", 1), "year": ("months", 12)}
"""Fields of a cost by the time that a question names, and how much of them one is."""
LASTING = re.compile(
    rf"\b(?:for|over|during|in) {NUMBER} ({'|'.join(PERIODS)})s?\b|\b(?:per|each|every|a) year\b|\b(?:annual|yearly)"
)
"""How long a service is paid for: `for 6 months`, `a year`; a month, which none says, is what all cost."""


def lasting_said(question: str) -> dict[str, float]:
    """The field of a cost that says how long a service is paid for, of a question in small letters; none without."""
    said = LASTING.search(question)
    field, each = PERIODS[(said and said[2]) or "year"]
    return {field: number_said(said[1] or "1") * each} if said else {}


def prices_said(question: str) -> list[float]:
    """Dollars an hour of a GPU that a question in small letters states, in its order."""
    return [_dollars(said) for said in AN_HOUR.finditer(question)]


def budget_said(question: str) -> float:
    """Dollars that may be spent by a question in small letters; 0 where it says none: a price an hour is no budget."""
    return _dollars(BUDGET.search(question))


def _dollars(said: re.Match[str] | None) -> float:
    parts = [part for part in said.groups() if part] if said else []
    return number_said(parts[0]) * (THOUSANDS[parts[1]] if len(parts) > 1 else 1) if parts else 0.0
