"""What a portfolio costs if everything that is rented of a type of GPU were rented at a quote."""

from __future__ import annotations

import numpy as np

from memreport.catalogue.quotes.reading import Quote
from memreport.catalogue.records import Numbers
from memreport.frozen import frozen
from memreport.portfolio.offers import billed_hours, borne_hourly, hourly_of, used_hours
from memreport.portfolio.spend import Spend


@frozen
class QuotedPortfolio:
    """A quote with the price of an hour, the whole spend with it, and what that is more than planned; USD.

    `planned` is the price of an hour as planned; `unused` are GPU-hours of its term and minimum that nobody works in;
    `is_expired` says whether the last day lies before the horizon begins.
    """

    quote: Quote
    hourly: float
    planned: float
    total: float
    more: float
    unused: float
    is_expired: bool


def quoted_portfolio(spend: Spend) -> tuple[QuotedPortfolio, ...]:
    """Every quote of rented GPUs that the portfolio rents, the cheapest of each type first."""
    made = (_quoted(spend, quote) for quote in spend.portfolio.quotes if not quote.buys)
    found = [quoted for quoted in made if quoted is not None]
    return tuple(sorted(found, key=lambda quoted: (quoted.quote.given.accelerator, quoted.is_expired, quoted.total)))


def _quoted(spend: Spend, quote: Quote) -> QuotedPortfolio | None:
    jobs = spend.jobs
    own = np.array([name == quote.given.accelerator for name in jobs.named.accelerators]) & (jobs.hourly.rent_price > 0)
    now = spend.rent.sum(axis=1)
    price = jobs.hourly.rent_price * jobs.hourly.factor
    paid = np.divide(now, price, out=np.zeros_like(now), where=own)
    if not paid.sum() > 0:
        return None
    gpus, hours = jobs.gpus[own], rented_hours(spend)[own]
    asked = borne_hourly(quote, gpus, hours, jobs.hourly.job_hours[own])
    more = float((paid[own] * (asked - price[own])).sum())
    return QuotedPortfolio(
        quote, hourly_of(quote), float(now[own].sum() / paid.sum()), float(spend.effective.sum()) + more, more,
        billed_hours(quote, gpus, hours) - used_hours(gpus, hours),
        quote.is_expired(f"{spend.portfolio.given.horizon.start}-01"),
    )  # fmt: skip


def rented_hours(spend: Spend) -> Numbers:
    """Hours of the horizon in which each entry works on rented GPUs, however likely it is."""
    jobs, hours = spend.jobs, spend.hours.sum(axis=1)
    own = np.zeros_like(hours)
    for use in spend.uses:
        for index, row in use.covered.items():
            own[index] += float(row.sum())
    return np.asarray(np.maximum(hours - own / jobs.gpus, 0.0))


def unused_of_entries(spend: Spend) -> dict[str, float]:
    """GPU-hours that entries which name a quote are billed and do not work in, by its id."""
    jobs, found = spend.jobs, dict[str, float]()
    for quote in spend.portfolio.quotes:
        own = np.array([name == quote.given.id for name in jobs.named.quotes])
        gpus, hours = jobs.gpus[own], (jobs.stop - jobs.start)[own]
        found[quote.given.id] = billed_hours(quote, gpus, hours) - used_hours(gpus, hours) if own.any() else 0.0
    return found
