"""The sheet Quotes: vendors' offers, whose terms may be typed, and the whole spend if all that is rented were so."""

from __future__ import annotations

import numpy as np

from memreport.catalogue.quotes.reading import Quote
from memreport.catalogue.records import Numbers
from memreport.portfolio.offers import billed_hours, egress_usd, hourly_of, used_hours
from memreport.portfolio.quotes import rented_hours
from memreport.publish.xlsx.planned.places import FIRST_ENTRY, HOURS_OF_A_DAY, HOURS_OF_A_MONTH, QUOTES, PortfolioDraft
from memreport.publish.xlsx.sheet.book import Formula, Sheet, letter
from memreport.publish.xlsx.sheet.styles import DECIMAL, HEADER, HEADER_NUMBER, LABEL, MONEY, WHOLE, number, typed

ABOUT = "Prices in the quote's currency, terms and minimums may be typed; spend is of the whole portfolio in USD."
WORDS = ("Quote", "Vendor", "GPU")
NUMBERS = (
    "Price", "USD for one", "Beside, a month", "Valid until", "USD a GPU-hour", "Spend with it", "more, USD",
    "Currency", "Term, months", "GPUs at least", "Egress, a GB", "GB of a job", "Egress of a job, USD",
    "GPU-hours at it", "billed", "GPU-hours if all", "billed if all",
    "most GPUs at it", "longest, h", "by minimums", "most GPUs if all", "longest, h", "by minimums",
)  # fmt: skip
FIRST_HELPER = {17: 21, 19: 24}
"""Columns of GPU-hours in use, each with the first of three from which those billed follow."""


def write_quotes(made: PortfolioDraft) -> None:
    """A row a quote of rented GPUs; entries that are rented at one follow its price."""
    sheet = made.sheet(QUOTES, ABOUT)
    sheet.widths(22, 22, 20, 12, 12, 14, 12, 14, 14, 14, 10, 13, 13, 12, 12, 19, 15, 12, 16, 13, 15, 11, 13, 16, 11, 13)
    sheet.row(FIRST_ENTRY - 1, 1, list(WORDS), HEADER)
    sheet.row(FIRST_ENTRY - 1, 1 + len(WORDS), list(NUMBERS), HEADER_NUMBER)
    for index, quote in enumerate(offer for offer in made.planned.portfolio.quotes if not offer.buys):
        row, given_ = FIRST_ENTRY + index, quote.given
        sheet.row(row, 1, [given_.id, given_.vendor, given_.accelerator], LABEL)
        _terms(sheet, row, quote)
        hourly = Formula(f"(D{row}+F{row}/{HOURS_OF_A_MONTH})*E{row}", hourly_of(quote))
        sheet.put(row, 8, hourly, number(MONEY))
        sheet.put(row, 16, Formula(f"N{row}*O{row}*E{row}", egress_usd(quote)), number(MONEY))
        _hours(made, sheet, row, quote)
        _spend(made, sheet, row, quote)


def _terms(sheet: Sheet, row: int, quote: Quote) -> None:
    """What the vendor states."""
    given = quote.given
    terms = {
        4: given.price, 5: quote.exchange_rate, 6: given.extras.whole, 12: given.term_months,
        13: given.minimum_accelerators, 14: given.egress, 15: given.egress_gb,
    }  # fmt: skip
    for column, value in terms.items():
        sheet.put(row, column, float(value), typed(DECIMAL))
    sheet.put(row, 7, given.valid_until, LABEL)
    sheet.put(row, 11, given.currency, LABEL)


def _hours(made: PortfolioDraft, sheet: Sheet, row: int, quote: Quote) -> None:
    """GPU-hours used and billed: of entries that name the quote, and of all that is rented of its GPU."""
    jobs = made.planned.jobs
    at_it = np.array([name == quote.given.id for name in jobs.named.quotes])
    named = np.array([name == quote.given.accelerator for name in jobs.named.accelerators])
    every = named & (jobs.hourly.rent_price > 0)
    of_gpu = f"({made.entries('accelerator')}=$C{row})*({made.entries('rent')}>0)"
    rented = f"{HOURS_OF_A_DAY}*{made.entries('rented')}"
    for column, formulas, own, hours in (
        (17, (f"({made.entries('quote')}=$A{row})", made.entries("hours")), at_it, jobs.stop - jobs.start),
        (19, (of_gpu, rented), every, rented_hours(made.planned.spend)),
    ):
        _billed(made, (sheet, row, column), formulas, quote, jobs.gpus[own], hours[own])


def _billed(
    made: PortfolioDraft, at: tuple[Sheet, int, int], formulas: tuple[str, str], quote: Quote, gpus: Numbers,
    hours: Numbers,
) -> None:  # fmt: skip
    """GPU-hours that entries use, and on the invoice: on demand each with its minimum, of a term at least it."""
    (sheet, row, column), (own, of_hours), of_gpus = at, formulas, made.entries("gpus")
    used, first, least = f"{letter(column)}{row}", FIRST_HELPER[column], f"$M{row}"
    most, longest, apart = (f"{letter(first + more)}{row}" for more in range(3))
    minimum = f"({of_gpus}+({of_gpus}<{least})*({least}-{of_gpus}))"
    bound = f"MAX({used},MAX({most},{least})*$L{row}*{HOURS_OF_A_MONTH},{least}*{longest})"
    on_demand = float((np.maximum(gpus, quote.given.minimum_accelerators) * hours).sum())
    for place, text, value in (
        (column, f"SUMPRODUCT({own}*{of_gpus}*{of_hours})", used_hours(gpus, hours)),
        (first, f"SUMPRODUCT(MAX({own}*{of_gpus}))", float(gpus.max(initial=0.0))),
        (first + 1, f"SUMPRODUCT(MAX({own}*{of_hours}))", float(hours.max(initial=0.0))),
        (first + 2, f"SUMPRODUCT({own}*{of_hours}*{minimum})", on_demand),
        (column + 1, f"IF($L{row}>0,{bound},{apart})", billed_hours(quote, gpus, hours)),
    ):
        sheet.put(row, place, Formula(text, value), number(WHOLE))


def _spend(made: PortfolioDraft, sheet: Sheet, row: int, quote: Quote) -> None:
    """The whole spend with all that is rented of the GPU at the quote, and what that is more."""
    found = {quoted.quote.given.id: quoted for quoted in made.planned.quotes}
    more = found[quote.given.id].more if quote.given.id in found else 0.0
    whole = float(made.planned.spend.effective.sum())
    sheet.put(row, 9, Formula(f"{made.totals['borne']}+J{row}", whole + more), number(WHOLE))
    sheet.put(row, 10, Formula(_more(made, row), more), number(WHOLE))


def _more(made: PortfolioDraft, row: int) -> str:
    """What all rent of the GPU would be more at the quote."""
    of = f"({made.entries('accelerator')}=$C{row})*{made.entries('chance')}*{made.entries('rent')}"
    share = f"IF($S{row}>0,$H{row}*$T{row}/$S{row},0)"
    price = f"(({share}+$P{row}/{made.entries('job')})/{made.entries('price')}-{made.entries('factor')})"
    return f"{HOURS_OF_A_DAY}*SUMPRODUCT({of}*{made.entries('rented')}*{price})"
