"""What a portfolio costs if everything that is rented of a type of GPU were rented at a quote."""

from __future__ import annotations

import numpy as np

from memreport.catalogue.quotes.reading import Quote
from memreport.frozen import frozen
from memreport.portfolio.offers import hourly_of
from memreport.portfolio.spend import Spend


@frozen
class QuotedPortfolio:
    """A quote with the price of an hour, the whole spend with it, and what that is more than planned; USD.

    `is_expired` says whether the last day lies before the horizon begins; `planned` is the price of an hour as planned.
    """

    quote: Quote
    hourly: float
    planned: float
    total: float
    more: float
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
    hours = np.divide(now, price, out=np.zeros_like(now), where=own)
    if not hours.sum() > 0:
        return None
    hourly = hourly_of(quote)
    more = float((hours[own] * (hourly - price[own])).sum())
    return QuotedPortfolio(
        quote, hourly, float(now[own].sum() / hours.sum()), float(spend.effective.sum()) + more, more,
        quote.is_expired(f"{spend.portfolio.given.horizon.start}-01"),
    )  # fmt: skip
