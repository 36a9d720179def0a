"""Vendors' quotes side by side: what each comes to for the job of the variant that a report is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memreport.catalogue.price_age import judged_on
from memreport.catalogue.quantities import brief
from memreport.catalogue.quotes.reading import Quote
from memreport.figures.constants import HOURS_PER_MONTH, ONE_HOUR
from memreport.figures.money.quotes import QUOTE_FIGURES
from memreport.formula.recording import recorded, walk
from memreport.formula.words import Ref, where
from memreport.report.records.quotes import QuoteRow, QuotesShown
from memreport.report.view import View, shown

Columns = Mapping[str, Any]
Rule = Callable[[Columns], Any]
QUOTED = "quoted_"
"""What a quote's own terms begin with."""
TOTAL, SIGNED_QUOTE, MILLION = "quote_total_usd", "quote_signed_usd", "quote_million_tokens_usd"
TERMS: Mapping[str, tuple[str, str]] = {
    "quoted_purchase": ("Purchase? 1 yes, 0 rent", ""),
    "quoted_price": ("Price of a GPU and hour, or of a GPU", "its currency"),
    "quoted_exchange_rate": ("US dollars for one of its currency", "USD"),
    "quoted_term_months": ("Months billed at least", "months"),
    "quoted_minimum_accelerators": ("GPUs billed at least", ""),
    "quoted_extras": ("Network, storage, support beside, a GPU and month", "its currency"),
    "quoted_egress": ("Egress, a GB", "its currency"),
    "quoted_egress_gb": ("GB that leave during the job", "GB"),
    "quoted_lacks_hosts": ("Hosts and network lacking? 1 yes", ""),
    "quoted_has_power": ("Power included? 1 yes", ""),
    "quoted_has_support": ("Support included? 1 yes", ""),
    "quoted_has_storage": ("Storage included? 1 yes", ""),
}
"""The terms of a quote by name, with their titles and units."""
SWITCHES = ("quoted_purchase", "quoted_lacks_hosts", "quoted_has_power", "quoted_has_support", "quoted_has_storage")
NO_HOSTS = "a price of GPUs alone, and no share for hosts is stated: not ranked with whole nodes"
NOT_ON = "no variant runs on it"
EXPIRED = "expired"


def quotes_shown(view: View, chosen: int) -> QuotesShown | None:
    """Every quote, the cheapest first; None where there are none, or nothing is priced to compare them with."""
    offers = view.resolved.loaded.quotes
    if not offers or not is_priced(view, chosen):
        return None
    rows = ranked([quote_row(view, variant_for(view, chosen, one.given.accelerator), one) for one in offers])
    return QuotesShown(" ".join(_sentences(rows, view, chosen)), rows)


def is_priced(view: View, at: int) -> bool:
    """Whether a variant has a bill that quotes can be compared with."""
    return view.scenario.cost is not None and view.value("cost_total_usd", at) > 0


def variant_for(view: View, chosen: int, accelerator: str) -> int | None:
    """The variant that a quote is for: the chosen one on its own GPU, else the first that fits on the quote's."""
    cases = [case.settings["accelerator"] for case in view.variants]
    if cases[chosen] == accelerator:
        return chosen
    fitting = (at for at, name in enumerate(cases) if name == accelerator and view.value("fits", at))
    return next(fitting, None)


def terms_of(quote: Quote) -> dict[str, float]:
    """What a quote states, as inputs of its figures."""
    given = quote.given
    return {
        "quoted_purchase": float(quote.buys),
        "quoted_price": given.price,
        "quoted_exchange_rate": quote.exchange_rate,
        "quoted_term_months": given.term_months,
        "quoted_minimum_accelerators": float(given.minimum_accelerators),
        "quoted_extras": given.extras.whole,
        "quoted_egress": given.egress,
        "quoted_egress_gb": given.egress_gb,
        "quoted_lacks_hosts": float(quote.buys and "hosts" not in given.included),
        "quoted_has_power": float("power" in given.included),
        "quoted_has_support": float("support" in given.included),
        "quoted_has_storage": float("storage" in given.included),
    }


def _budgeted_price(columns: Columns) -> Any:
    """The agreed rent of an hour, or what a GPU of the purchase costs before hosts, network and freight."""
    onto = (1 + columns["adder_share"]) * (1 + columns["freight_tax_share"])
    bought = columns["capital_usd"] / columns["accelerators"] / onto
    return where(columns["buys"] > 0, bought, columns["agreed_usd_per_accelerator_hour"])


def _budgeted_extras(columns: Columns) -> Any:
    monthly = columns["agreed_usd_per_accelerator_hour"] * columns["rent_extras_share"] * HOURS_PER_MONTH
    return where(columns["buys"] > 0, 0, monthly / ONE_HOUR)


def _budgeted_term(columns: Columns) -> Any:
    return where(columns["buys"] > 0, 0, columns["reserved_hours"] / HOURS_PER_MONTH)


def _is_bought(columns: Columns) -> Any:
    return columns["buys"] * 1


BUDGETED: Mapping[str, Rule] = {
    "quoted_purchase": _is_bought,
    "quoted_price": _budgeted_price,
    "quoted_term_months": _budgeted_term,
    "quoted_extras": _budgeted_extras,
    "quoted_lacks_hosts": _is_bought,
}
"""What the budget itself counts with, in the terms of a quote: its total is the budget's."""
PLAIN_TERMS: Mapping[str, float] = {"quoted_exchange_rate": 1.0}
"""Terms that the budget has no word for, where they are not zero."""


def budgeted_terms(view: View, at: int) -> dict[str, float]:
    """The budget of a variant as if it were a quote."""
    known = {name: view.value(name, at) for name in budgeted_inputs()}
    found = {name: float(rule(known)) for name, rule in BUDGETED.items()}
    return {name: found.get(name, PLAIN_TERMS.get(name, 0.0)) for name in TERMS}


def budgeted_inputs() -> tuple[str, ...]:
    """What the budget's own terms are worked out from."""
    found = (one.name for rule in BUDGETED.values() for one in walk(recorded(rule)) if isinstance(one, Ref))
    return tuple(dict.fromkeys(found))


def quote_figures(terms: Mapping[str, float], scenario: Mapping[str, float]) -> dict[str, float]:
    """The figures of a quote with these terms, for a job with these figures."""
    known = {**scenario, **terms}
    for one in QUOTE_FIGURES:
        known[one.name] = float(one.formula(**{name: known[name] for name in one.inputs}))
    return {one.name: known[one.name] for one in QUOTE_FIGURES}


def scenario_inputs() -> tuple[str, ...]:
    """What the figures of a quote read of the scenario."""
    own = {one.name for one in QUOTE_FIGURES}
    every = dict.fromkeys(name for one in QUOTE_FIGURES for name in one.inputs)
    return tuple(name for name in every if name not in own and not name.startswith(QUOTED))


def quote_row(view: View, at: int | None, quote: Quote) -> QuoteRow:
    """One quote for the job of a variant; `at` is None where none runs on its GPU."""
    given, expired = quote.given, quote.is_expired(judged_on(view.scenario))
    unit = "a GPU" if quote.buys else "a GPU and hour"
    rate = "" if quote.exchange_rate == 1 else f"{quote.exchange_rate:g} USD per {given.currency} ({quote.rate_source})"
    row = QuoteRow(
        given.id, given.vendor, given.accelerator, "", f"{given.price:,.2f} {given.currency} {unit}",
        _term(quote), given.valid_until, expired, quote.lacking, rate, terms_of(quote), {},
        why=NOT_ON,
    )  # fmt: skip
    return row if at is None else _priced(row, view, at)


def _priced(row: QuoteRow, view: View, at: int) -> QuoteRow:
    inputs = {name: view.value(name, at) for name in scenario_inputs()}
    figures = quote_figures(row.terms, inputs)
    alone = row.terms["quoted_lacks_hosts"] > 0 and inputs["adder_share"] <= 0
    why = NO_HOSTS if alone else EXPIRED if row.is_expired else ""
    return replace(
        row,
        variant=view.variants[at].name,
        figures=figures,
        total=brief(figures[TOTAL], "USD"),
        million=brief(figures[MILLION], "USD"),
        signed=brief(figures[SIGNED_QUOTE], "USD"),
        pays=pays_words(figures, inputs),
        why=why,
    )


def pays_words(figures: Mapping[str, float], inputs: Mapping[str, float]) -> str:
    """From which share of the billed hours a quote costs less than the budget's own price."""
    share = figures["quote_break_even_share"]
    billed = figures["quote_accelerators"] * figures["quote_hours"]
    if share > 1:
        return "never"
    return f"from {shown(share, 'share')}" if billed > inputs["accelerators"] * inputs["wall_hours"] else "at any use"


def _term(quote: Quote) -> str:
    given = quote.given
    least = f", at least {given.minimum_accelerators} GPUs" if given.minimum_accelerators else ""
    if quote.buys:
        return f"purchase{least}"
    months = f"{given.term_months:g} month{'' if given.term_months == 1 else 's'}"
    return f"{months if given.term_months else 'on demand'}{least}"


def ranked(rows: Sequence[QuoteRow]) -> tuple[QuoteRow, ...]:
    """Rented by their total, then bought likewise: a purchase is signed whole.  Those that cannot be compared last."""
    found: list[QuoteRow] = []
    for buys in (0.0, 1.0):
        same = (one for one in rows if not one.why and one.terms["quoted_purchase"] == buys)
        cheapest_first = sorted(same, key=lambda one: one.figures[TOTAL])
        found += [replace(one, rank=at) for at, one in enumerate(cheapest_first, 1)]
    return (*found, *(one for one in rows if one.why))


def _sentences(rows: Sequence[QuoteRow], view: View, chosen: int) -> Iterator[str]:
    first = {one.terms["quoted_purchase"]: one for one in rows if one.rank == 1}
    if not first:
        yield f"No quote of {len(rows)} can be ranked."
    for buys, one in first.items():
        yield _bought(one) if buys else _rented(one, view.value("cost_total_usd", chosen))
    late = [one.id for one in rows if one.is_expired]
    if late:
        yield f"Expired: {', '.join(late)}."


def _rented(one: QuoteRow, budgeted: float) -> str:
    off = budgeted - one.figures[TOTAL]
    than = f"{brief(abs(off), 'USD')} {'less' if off > 0 else 'more'} than budgeted" if round(off, 2) else "as budgeted"
    return f"Quotes: {one.vendor} ({one.id}) rents at {one.total}, {than}{_without(one)}."


def _bought(one: QuoteRow) -> str:
    return f"{one.vendor} ({one.id}) sells at {one.signed}, pays {one.pays} of hours{_without(one)}."


def _without(one: QuoteRow) -> str:
    return f", without {one.missing}" if one.lacking else ""
