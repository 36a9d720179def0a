"""Money and the time that it is paid for, of a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from memreport.catalogue.question.hardware import A_TERM, FOR_GPUS, HIRED, ONE_GPU, OWNED, RENT_OR_BUY, counts_gpus
from memreport.catalogue.question.model import DONE
from memreport.catalogue.question.numbers import HEARD, WHOLE, Said, Words, matched, numbers_in
from memreport.figures.constants import HOURS_PER_MONTH as MONTH

HOURS_PER_MONTH = float(MONTH)
NO_RATE = (
    r"(?! ?(?:each\b|apiece))(?! ?(?:hourly|daily|monthly|yearly))"
    rf"(?! ?(?:/|per|an?|each|every) ?(?:(?:h|hour|month|day|year|node|million|kw)\w*|{ONE_GPU}|(?:mo|yr)\b))"
)
BUDGET = Words(
    rf"\b(?:under|below|within|less than|at most|no more than|not more than|up to|for|with|of|on|have|spend|budget:?)"
    rf"(?: (?:a|our|the|only|just|total|budget|of|is))* <dollars>{NO_RATE}"
    rf"|<dollars>{NO_RATE} (?:enough|budget|suffice)"
)


LIMITING = r"under|below|within|(?:less|no more|not more) than|at most|up to|max(?:imum)?|spend|budget|afford"
HOURS_OF = {"hour": 1.0, "day": 24.0, "week": 168.0, "month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH}
PAID = re.compile(r"\b(rent|buy|own|purchas)\w*")


def _a_time(name: str, times: Iterable[str] = HOURS_OF) -> str:
    """The pattern of a time in which something is spent, one of `times`, as a group of that name."""
    return rf"(?: ?/ ?| per | an? | each | every )(?P<{name}>{'|'.join(times)})\b"


LONG_TIMES = [time for time in HOURS_OF if time != "hour"]
BUDGET_A_TIME = Words(
    rf"\b(?:{LIMITING})[^\d$?.;]{{0,20}}<dollars>{_a_time('time')}"
    rf"|\b(?:for|on|with|have|has)(?: (?:a|our|the|only|just|about))* <dollars>{_a_time('long', LONG_TIMES)}"
    rf"|<dollars>{_a_time('enough')} (?:be )?(?:enough|budget|suffic\w+|cover\w*)\b"
)
"""What may be spent in a time: `under $2 an hour`, `Is $10,000 a month enough?`; `at $2 an hour` is a price."""
PAID_A_TIME = Words(
    rf"\b(?:(?:rent|pay|leas|offer|quot|cost|charg)\w*|paid|bill(?:s|ed)?)\b(?:(?!\b(?:{LIMITING})\b)[^?.;$]){{0,40}}?"
    rf"<dollars>{_a_time('paid')}(?! (?:be )?(?:enough|budget|suffic))"
)
"""What is paid in a time, and no limit: `rent one for $1,500 a month`."""
AN_HOUR = Words(rf"<dollars> ?(?:/|per|an?|each|every) ?(?:{ONE_GPU}(?:[ /-]| per | an )?)?(?:h|hr|hour)s?\b")
"""What a GPU costs: `at $2.50 per GPU hour`, `$2/h`."""
RENTED_AT = Words(rf"\brent(?:ing|ed)?\b[^?.;$]{{0,25}}\bat <dollars>{NO_RATE}")
"""The same without its hour: `renting at $0.22`."""
EACH_ONE = (
    rf"(?: ?(?:each|apiece|(?:per|an?) {ONE_GPU})\b"
    r"(?![ -]?(?:/ ?|per |an? |each |every )?(?:h|hr|hour|day|week|month|mo|year|yr)s?\b))"
)
NOT_RENTED = r"(?:(?!\b(?:or|rent\w*)\b)[^?.;$]){0,40}?"
BOUGHT_FOR = Words(
    rf"\b(?:buy(?:ing)?|purchas\w+|own(?:ing)?)\b{NOT_RENTED}\b(?:for|(?P<at>at)) <dollars>"
    rf"(?:(?P<each>{EACH_ONE})|{NO_RATE})"
)
EACH_FOR = Words(f"<dollars>{EACH_ONE}")
QUOTED_FOR = Words(f"<dollars>{FOR_GPUS}")
"""What GPUs cost that are bought: `buy an H100 for $25,000`, `two RTX 3090 at $700 each`, `$310,000 for 8 H200`."""
A_KILOWATT_HOUR = Words(rf"(?:<dollars>|\b<number>{WHOLE} ?(?P<cents>cents?|ct)\b) ?(?:/|per|an?|each|every) ?kwh\b")
"""What electricity costs: `at $0.12 per kWh`, `30 cents a kWh`."""
OF_POWER = Words(
    rf"\b(?:power|electricity|energy)\b[^?.;]{{0,40}}? (?:at|for) <dollars>{NO_RATE}"
    rf"|\bat <number>{WHOLE} ?(?P<cents>cents?|ct)\b{NO_RATE}"
)
"""The same without its kilowatt-hour, of which a dollar is more than any costs: `What does the power cost at $0.12?`"""
A_KILOWATT_MONTH = Words(
    r"\b(?:colo\w*|space|racks?)\b[^?.;]{0,30}?(?:<dollars>|<number> ?(?:usd|dollars))"
    r" ?(?:/|per|an?|each) ?kw\b(?:(?: ?/ ?| per | a | each )month\b)?"
)
"""What space and cooling cost by the power that is contracted: `colocation at $150 per kW`."""
A_PUE, MOST_PUE = Words(r"\bpue(?: ?[=:]| of| is)? ?<number>\b"), 4
CENTS = 0.01
"""Dollars that one is."""
OTHER_MONEY = re.compile(
    r"(?:[€£¥₹]|\b(?:eur|gbp|chf|jpy|cny|inr) ?)\d[\d,.]*"
    r"|\b\d[\d,.]* ?k? ?(?:[€£¥₹]|(?:eur|euros?|gbp|pounds|chf|francs|jpy|yen|cny|rmb|inr|rupees)\b)"
)
"""An amount that is not in dollars, of which the prices here are."""


COSTS_TOO = (
    r"\b(?:long|fast) and how much\b|\band how much\?|(?:,|\band) (?:the |total )?costs?\?"
    rf"|\bhow much to {DONE}\b"
)
"""What is asked for beside a time, or of what is done, without a word of money."""
PERIODS = {
    "hour": ("hours", 1),
    "day": ("hours", 24),
    "week": ("hours", 168),
    "month": ("months", 1),
    "year": ("months", 12),
}
"""Fields of a cost by the time that a question names, and how much of them one is."""
LASTING = Words(
    rf"\b(?:for|over|during|in) <number> (?P<period>day|week|month|year)s?\b"
    r"|\b<number>-(?P<long>month|year)\b"
    rf"|\b<number> (?P<of>{'|'.join(PERIODS)})s? of\b(?! (?:[a-z]+ )?{HEARD}\b)"
    rf"|\b(?:for|over|during) <number> (?P<hours>hour)s?\b"
    r"|[,;] <number> (?P<alone>month|year)s?(?=[,;:?]| at\b)"
)
"""How long a service is paid for: `for 6 months`, `one hour of 8 H100`; a month, which none says, is what all cost."""
DAYS = {"day": 365 / 12, "night": 365 / 12, "weekday": 365 / 12 * 5 / 7, "working day": 365 / 12 * 5 / 7}
A_DAY = Words(
    rf"\b<number> hours? (?:a|per|each|every) (?P<days>{'|'.join(DAYS)})\b(?P<worked> on weekdays| on work\w* days)?"
)
"""How long each day: `8 hours a day on weekdays`."""
A_RATE = Words(rf"\b<amount>(?: [a-z]+s (?:an?|per|each|every) (?:{'|'.join(PERIODS)})| <daily> [a-z]+s)\b")
"""What is sent in a time, which is not what is paid for: `3 questions a day of Llama 3 8B`."""
EACH_PERIOD = {
    "day": re.compile(r"\bcosts? (?:it )?(?:per|a|each) day\b|\bdaily (?:costs?|price)\b"),
    "year": re.compile(r"\b(?:per|each|every|a) year\b|\b(?:annual|yearly)"),
    "hour": re.compile(
        r"\bcosts? (?:per|an|each) hour\b|(?<!\d )(?<!s )\b(?:per|an) hour\?|\bhourly (?:costs?|price|rate)\b"
    ),
}
"""The same without a number."""


def lasting_said(question: str) -> Said[dict[str, float]] | None:
    """The field of a cost that says how long a service is paid for, of a question in small letters."""
    if share := share_of_the_hours(question):
        whole = lasting_said(A_DAY.without(question))
        hours = round(share.value * HOURS_PER_MONTH * _months(whole.value if whole else {}), 1)
        return share.as_({"hours": hours}).with_(whole)
    if said := LASTING.search(A_RATE.without(question)):
        periods = (said[name] for name in ("period", "long", "of", "hours", "alone"))
        field, each = PERIODS[next(filter(None, periods))]
        return matched(said, {field: numbers_in(said)[0] * each})
    named = [PERIODS[period] for period, words in EACH_PERIOD.items() if words.search(question)]
    return Said(dict(named[:1]), "") if named else None


def share_of_the_hours(question: str) -> Said[float] | None:
    """Which share of all hours is worked by a question in small letters, as `8 hours a day`."""
    daily = A_DAY.search(question)
    if not daily:
        return None
    days = DAYS["weekday" if daily["worked"] else daily["days"]]
    return matched(daily, numbers_in(daily)[0] * days / HOURS_PER_MONTH)


IN_USE = Words(
    r"\b(?<![.,])<share> (?:used|utili[sz]\w+|in use|busy)\b|\b(?:used|utili[sz]ation(?: of)?|busy|in use) <share>"
)
"""Which share of all hours GPUs work: `70 % used`."""


def use_said(question: str) -> Said[float] | None:
    """Which share of all hours the GPUs of a question in small letters are used, in whatever words."""
    said = share_of_the_hours(question) or IN_USE.number(question)
    return said if said and 0 < said.value <= 1 else None


def _months(lasting: Mapping[str, float]) -> float:
    """Months of a time, in whatever unit; one where there is none."""
    return lasting.get("months", lasting.get("hours", HOURS_PER_MONTH) / HOURS_PER_MONTH)


def prices_said(question: str) -> list[Said[float]]:
    """Dollars an hour of a GPU that a question in small letters states, in its order."""
    every = [*AN_HOUR.numbers(question)]
    if not every:
        return [*RENTED_AT.numbers(question)]
    weighed = len(every) > 1  # and no limits
    return every if weighed else [*AN_HOUR.numbers(BUDGET_A_TIME.without(question))]


def purchase_price_said(question: str, count: int) -> Said[float] | None:
    """Dollars of each of so many GPUs that a question in small letters weighs against their rent: `for` is of all."""
    if not re.search(f"{RENT_OR_BUY}|{OWNED}", question):
        return None
    if quoted := QUOTED_FOR.number(question):
        return quoted.as_(quoted.value / max(count, 1))
    if said := BOUGHT_FOR.search(question):
        return matched(said, numbers_in(said)[0] / (1 if said["each"] or said["at"] else max(count, 1)))
    of_each = (said for said in EACH_FOR.numbers(question) if basis_said(question, said.words) != "rent")
    return next(of_each, None)


def energy_price_said(question: str) -> Said[float] | None:
    """Dollars a kWh that a question in small letters states."""
    said = A_KILOWATT_HOUR.search(question) or OF_POWER.search(question)
    price = numbers_in(said)[0] * (CENTS if said["cents"] else 1) if said else 0.0
    return matched(said, price) if said and (price < 1 or said.re is A_KILOWATT_HOUR.compiled) else None


def pue_said(question: str) -> Said[float] | None:
    """Energy that a site draws over what its GPUs use, of a question in small letters."""
    said = A_PUE.number(question)
    return said if said and 1 <= said.value <= MOST_PUE else None


def colocation_said(question: str) -> Said[float] | None:
    """Dollars of a contracted kilowatt in a month, of a question in small letters."""
    said = A_KILOWATT_MONTH.number(question)
    return said if said and said.value else None


def other_money_said(question: str) -> str:
    """The first amount of a question in small letters that is not in dollars; "" for none."""
    said = OTHER_MONEY.search(question)
    return said[0] if said else ""


def budget_said(question: str, workload: str) -> Said[float] | None:
    """Dollars that may be spent by a question in small letters: a price an hour is no budget.

    What may be spent in a time is so much for as long as a service is paid for; a training spends it once.
    """
    said = BUDGET_A_TIME.search(PAID_A_TIME.without(question))
    if said is None or len(prices_said(question)) > 1:
        return BUDGET.number(_without_purchase(question))
    dollars, hours = numbers_in(said)[0], HOURS_OF[said["time"] or said["long"] or said["enough"]]
    if workload == "training":
        return matched(said, dollars) if hours >= HOURS_PER_MONTH else None
    lasting = lasting_said(question)
    months = _months(lasting.value if lasting else {})
    return matched(said, dollars * months * HOURS_PER_MONTH / hours).with_(lasting)


def _without_purchase(question: str) -> str:
    """A question in small letters without prices at which GPUs are bought, which limit nothing."""
    return EACH_FOR.without(BOUGHT_FOR.without(question)) if re.search(RENT_OR_BUY, question) else question


def basis_said(question: str, words: str) -> str:
    """On what basis GPUs are paid that a question in small letters names with these words: by the verb before them."""
    said = PAID.findall(question.partition(words)[0])
    return ("rent" if said[-1] == "rent" else "buy") if said else ""


def is_bought(question: str) -> bool:
    """Whether GPUs are bought, and not rented, in a question in small letters; or counted for an amount and no time."""
    counted = counts_gpus(question) and re.search(HIRED, question) and not re.search(A_TERM, question)
    return {*PAID.findall(question)} in ({"buy"}, {"purchas"}, *([set[str]()] if counted else ()))


VAT = r"(?:vat|gst|mwst|(?:sales )?tax(?:es)?)"
LESS = r"(?:discount|rebate|off(?! the| of)|price reduction)"
ALLOWANCES = {
    "contingency": Words(r"<share>(?: of)? contingency\b|\bcontingency(?: of| at)? <share>"),
    "tax_share": Words(rf"<share>(?: of)? {VAT}\b|\b{VAT}(?: of| at)? <share>"),
    "discount": Words(rf"<share> (?:(?!or|and)[a-z]+ )?{LESS}\b|\b(?:discount|rebate)(?: of| at)? <share>"),
}
"""What is paid on top of a price, or less than it: `with 20% contingency and 19% VAT`, `at 30% discount`."""


def allowances_said(question: str) -> dict[str, Said[float]]:
    """Contingency, tax and discount of a question in small letters, as shares."""
    found = ((name, words.first(question)) for name, words in ALLOWANCES.items())
    return {name: said.as_(said.value[0]) for name, said in found if said and said.value[0] < 1}
