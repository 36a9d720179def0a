"""Quotes of a portfolio: what a GPU and hour costs by one, and what is wrong with an entry that is rented at it."""

from __future__ import annotations

from collections.abc import Iterator

from memreport.catalogue.fields.validation import unknown_name
from memreport.catalogue.price_age import is_past
from memreport.catalogue.quotes.reading import Quote
from memreport.compute import Computed
from memreport.errors import Fault
from memreport.figures.constants import HOURS_PER_MONTH
from memreport.portfolio.read import Portfolio


def hourly_of(quote: Quote) -> float:
    """USD of a rented GPU and hour, with what is billed beside it by the month."""
    extras = quote.given.extras.whole / float(HOURS_PER_MONTH)
    return (quote.given.price + extras) * quote.exchange_rate


def hourly_usd(portfolio: Portfolio, id_: str) -> float:
    """The same of the quote of that id."""
    return hourly_of(next(quote for quote in portfolio.quotes if quote.given.id == id_))


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
