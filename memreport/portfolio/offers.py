"""Quotes of a portfolio: what a GPU and hour costs by one, and what is wrong with an entry that is rented at it.

A term is one contract, which all entries at the quote share; on demand every entry is a booking of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from memreport.catalogue.fields.validation import unknown_name
from memreport.catalogue.quotes.reading import Quote
from memreport.catalogue.records import Numbers
from memreport.catalogue.terms.price_age import is_past
from memreport.compute import Computed
from memreport.errors import Fault
from memreport.figures.constants import HOURS_PER_MONTH
from memreport.portfolio.read import Portfolio


def hourly_of(quote: Quote) -> float:
    """USD of a rented GPU and hour, with what is billed beside it by the month."""
    extras = quote.given.extras.whole / float(HOURS_PER_MONTH)
    return (quote.given.price + extras) * quote.exchange_rate


def billed_hours(quote: Quote, gpus: Numbers, hours: Numbers) -> float:
    """GPU-hours on the invoice of entries at a quote: those used, at least the term and its minimum of GPUs.

    Source: the quote; docs/quotes.md for one job.
    """
    least, term = float(quote.given.minimum_accelerators), quote.given.term_months * float(HOURS_PER_MONTH)
    if not term:
        return float((np.maximum(gpus, least) * hours).sum())
    most = max(float(gpus.max(initial=0.0)), least)
    return max(used_hours(gpus, hours), most * term, least * float(hours.max(initial=0.0)))


def used_hours(gpus: Numbers, hours: Numbers) -> float:
    """GPU-hours in which the entries work."""
    return float((gpus * hours).sum())


def egress_usd(quote: Quote) -> float:
    """USD of what leaves during one job."""
    return quote.given.egress * quote.given.egress_gb * quote.exchange_rate


def borne_hourly(quote: Quote, gpus: Numbers, hours: Numbers, job_hours: Numbers) -> Numbers:
    """USD that a GPU and hour in use bears of the whole invoice; `job_hours` are the GPU-hours of one job."""
    used = used_hours(gpus, hours)
    share = billed_hours(quote, gpus, hours) / used if used else 1.0
    return np.asarray(hourly_of(quote) * share + egress_usd(quote) / job_hours)


def entry_hourly(
    portfolio: Portfolio, names: Sequence[str], gpus: Numbers, hours: Numbers, job_hours: Numbers
) -> Numbers:
    """The same of every entry by the quote that it names; 0 where it names none."""
    found = np.zeros(len(names))
    for quote in portfolio.quotes:
        own = np.array([name == quote.given.id for name in names], dtype=bool)
        if own.any():
            found[own] = borne_hourly(quote, gpus[own], hours[own], job_hours[own])
    return found


def quote_faults(portfolio: Portfolio, index: int, computed: Computed, column: int) -> Iterator[Fault]:
    """An unknown quote, one of another GPU or of a purchase, one that has expired, nothing rented to price by it."""
    entry, place = portfolio.given.entries[index], ("entries", index, "quote")
    found = {offer.given.id: offer for offer in portfolio.quotes}
    if entry.quote not in found:
        yield unknown_name(portfolio.document, place, entry.quote, found, "quote")
        return
    quote, case = found[entry.quote], computed.resolved.variants[column]
    gpu = str(case.settings["accelerator"])
    if quote.given.accelerator != gpu:
        yield portfolio.document.fault(place, f"is of {quote.given.accelerator}", found=entry.quote, expected=gpu)
    if quote.buys or not float(computed.values["rents"][column]):
        side = "the quote is a purchase" if quote.buys else "the scenario rents nothing"
        yield portfolio.document.fault(place, f"is of rented GPUs, and {side}", found=entry.quote)
    elif float(computed.values["agreed_usd_per_accelerator_hour"][column]) <= 0:
        yield portfolio.document.fault(place, "needs a rental price of the scenario to replace", found=entry.quote)
    if is_past(quote.given.valid_until, entry.start):
        message = f"expired on {quote.given.valid_until}, before the entry begins"
        yield portfolio.document.fault(
            place, message, found=entry.quote, expected=f"a start up to that day, not {entry.start}"
        )
