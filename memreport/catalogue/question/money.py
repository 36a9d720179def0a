"""Money and the time that it is paid for, of a question."""

from __future__ import annotations

import re

from memreport.catalogue.question.model import DONE
from memreport.catalogue.question.numbers import MANY, NUMBER, THOUSANDS, WHOLE, number_said
from memreport.figures.constants import HOURS_PER_MONTH as MONTH

HOURS_PER_MONTH = float(MONTH)
DOLLARS = rf"(?:\$|usd) ?(\d[\d,]*(?:\.\d+)?){WHOLE} ?{MANY}\b|\b{NUMBER}{WHOLE} ?{MANY} ?(?:dollars|usd)\b"
NO_RATE = (
    r"(?! ?(?:each\b|apiece))(?! ?(?:/|per|an?|each|every) ?(?:h|hour|month|day|year|gpu|card|node|million|kwh)\w*)"
)
BUDGET = re.compile(
    rf"\b(?:under|below|within|less than|at most|no more than|not more than|up to|for|with|of|on|have|spend|budget:?)"
    rf"(?: (?:a|our|the|only|just|total|budget|of|is))* (?:{DOLLARS}){NO_RATE}"
    rf"|(?:{DOLLARS}){NO_RATE} (?:enough|budget|suffice)"
)


LIMITING = r"under|below|within|(?:less|no more|not more|cheaper) than|at most|up to|max(?:imum)?|spend|budget|afford"
HOURS_OF = {"hour": 1.0, "day": 24.0, "week": 168.0, "month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH}
A_TIME = rf"(?: ?/ ?| per | an? | each | every )(?P<time>{'|'.join(HOURS_OF)})\b"
BUDGET_A_TIME = re.compile(
    rf"\b(?P<before>{LIMITING})[^\d$?.;]{{0,20}}(?:{DOLLARS}){A_TIME}"
    rf"|(?<!at )(?<!costs )(?<!cost )(?:{DOLLARS}){A_TIME.replace('<time>', '<long>').replace('hour|', '')}"
)
"""What may be spent in a time: `under $2 an hour`, `Is $10,000 a month enough?`; `at $2 an hour` is a price."""
OF_A_GPU = r"(?:(?:gpu|card|accelerator|[abhlv]\d+\w*)(?:[ -/]| per | an )?)?"
AN_HOUR = re.compile(rf"(?:{DOLLARS}) ?(?:/|per|an?|each|every) ?{OF_A_GPU}(?:h|hr|hour)s?\b")
"""What a GPU costs: `at $2.50 per GPU hour`, `$2/h`."""
A_KILOWATT_HOUR = re.compile(rf"(?:{DOLLARS}|\b{NUMBER}{WHOLE} ?(cents?|ct)\b) ?(?:/|per|an?|each|every) ?kwh\b")
"""What electricity costs: `at $0.12 per kWh`, `30 cents a kWh`."""
CENTS = 0.01
"""Dollars that one is."""
OTHER_MONEY = re.compile(
    r"(?:[€£¥₹]|\b(?:eur|gbp|chf|jpy|cny|inr) ?)\d[\d,.]*"
    r"|\b\d[\d,.]* ?k? ?(?:[€£¥₹]|(?:eur|euros?|gbp|pounds|chf|francs|jpy|yen|cny|rmb|inr|rupees)\b)"
)
"""An amount that is not in dollars, of which the prices here are."""


COSTS_TOO = rf"\b(?:long|fast) and how much\b|\band how much\?|\bhow much to {DONE}\b"
"""What is asked for beside a time, or of what is done, without a word of money."""
PERIODS = {
    "hour": ("hours", 1),
    "day": ("hours", 24),
    "week": ("hours", 168),
    "month": ("months", 1),
    "year": ("months", 12),
}
"""Fields of a cost by the time that a question names, and how much of them one is."""
LASTING = re.compile(
    rf"\b(?:for|over|during|in) {NUMBER} (day|week|month|year)s?\b|\b{NUMBER} ({'|'.join(PERIODS)})s? of\b"
    rf"|\b(?:for|over|during) {NUMBER} (hour)s?\b"
)
"""How long a service is paid for: `for 6 months`, `one hour of 8 H100`; a month, which none says, is what all cost."""
DAYS = {"day": 365 / 12, "night": 365 / 12, "weekday": 365 / 12 * 5 / 7, "working day": 365 / 12 * 5 / 7}
A_DAY = re.compile(rf"\b{NUMBER} hours? (?:a|per|each|every) ({'|'.join(DAYS)})\b( on weekdays| on work\w* days)?")
"""How long each day: `8 hours a day on weekdays`."""
EACH_PERIOD = {
    "year": re.compile(r"\b(?:per|each|every|a) year\b|\b(?:annual|yearly)"),
    "hour": re.compile(r"\bcosts? (?:per|an|each) hour\b|\bhourly (?:costs?|price|rate)\b"),
}
"""The same without a number."""


def lasting_said(question: str) -> dict[str, float]:
    """The field of a cost that says how long a service is paid for, of a question in small letters; none without."""
    if share := share_of_the_hours(question):
        return {"hours": round(share * HOURS_PER_MONTH * _months(A_DAY.sub(" ", question)), 1)}
    if said := LASTING.search(question):
        number, period = (part for part in said.groups() if part)
        field, each = PERIODS[period]
        return {field: number_said(number) * each}
    named = [PERIODS[period] for period, words in EACH_PERIOD.items() if words.search(question)]
    return dict(named[:1])


def share_of_the_hours(question: str) -> float:
    """Which share of all hours is worked by a question in small letters, as `8 hours a day`; 0 where it says none."""
    daily = A_DAY.search(question)
    days = DAYS["weekday" if daily[3] else daily[2]] if daily else 0.0
    return number_said(daily[1]) * days / HOURS_PER_MONTH if daily else 0.0


def _months(question: str) -> float:
    """Months that a question in small letters names, in whatever unit; one where it names none."""
    said = lasting_said(question)
    return said.get("months", said.get("hours", HOURS_PER_MONTH) / HOURS_PER_MONTH)


def prices_said(question: str) -> list[float]:
    """Dollars an hour of a GPU that a question in small letters states, in its order."""
    return [_dollars(said) for said in AN_HOUR.finditer(BUDGET_A_TIME.sub(" ", question))]


def energy_price_said(question: str) -> float:
    """Dollars a kWh that a question in small letters states; 0 where it says none."""
    said = A_KILOWATT_HOUR.search(question)
    if said and said[said.re.groups]:
        return number_said(said[said.re.groups - 1]) * CENTS
    return _dollars(said)


def other_money_said(question: str) -> str:
    """The first amount of a question in small letters that is not in dollars; "" for none."""
    said = OTHER_MONEY.search(question)
    return said[0] if said else ""


def budget_said(question: str, workload: str) -> float:
    """Dollars that may be spent by a question in small letters; 0 where it says none: a price an hour is no budget.

    What may be spent in a time is so much for as long as a service is paid for; a training spends it once.
    """
    said = BUDGET_A_TIME.search(question)
    if said is None:
        return _dollars(BUDGET.search(question))
    hours = HOURS_OF[said["time"] or said["long"]]
    if workload == "training":
        return _amount(said) if hours >= HOURS_PER_MONTH else 0.0
    return _amount(said) * _months(question) * HOURS_PER_MONTH / hours


def _amount(said: re.Match[str]) -> float:
    """Dollars among the parts of a budget for a time."""
    named = {said["before"], said["time"], said["long"]}
    number, *scale = (part for part in said.groups() if part and part not in named)
    return number_said(number) * (THOUSANDS[scale[0]] if scale else 1)


def _dollars(said: re.Match[str] | None) -> float:
    parts = [part for part in said.groups() if part] if said else []
    return number_said(parts[0]) * (THOUSANDS[parts[1]] if len(parts) > 1 else 1) if parts else 0.0
