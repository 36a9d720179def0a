"""The sheet Quotes: what vendors' offers come to, then their terms, which may be typed, then the hours behind both.

Tables stand below each other, a row a quote in each, what decides first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memreport.catalogue.quotes.reading import Quote
from memreport.catalogue.records import Numbers
from memreport.portfolio.offers import billed_hours, egress_usd, hourly_of, used_hours
from memreport.portfolio.quotes import rented_hours
from memreport.publish.xlsx.planned.places import (
    HOURS_OF_A_DAY,
    HOURS_OF_A_MONTH,
    QUOTE_TABLES,
    QUOTES,
    UNIT,
    PortfolioDraft,
)
from memreport.publish.xlsx.sheet.book import Formula, Sheet
from memreport.publish.xlsx.sheet.styles import (
    DECIMAL,
    HEADER,
    HEADER_NUMBER,
    HEADING,
    LABEL,
    MONEY,
    WHOLE,
    WORD,
    number,
    typed,
)
from memreport.report.portfolio.tables import lacking_words, valid_words

ABOUT = "What all that is rented of a GPU would cost at each quote; yellow terms may be typed, in the quote's currency."
WIDTHS = (18, 30, 20, 14, 14, 14, 14, 14, 20, 28)
RESULT, TERMS, AT_IT, IF_ALL = QUOTE_TABLES
USED = ("GPU-hours used", "most GPUs", "longest, h", "by minimums", "GPU-hours billed")
HEADS = {
    RESULT: (
        "a GPU-hour, {0}", "planned, {0}", "spend with it, {0}", "more, {0}", "GPU-hours unused", "valid",
        "not included",
    ),
    TERMS: (
        "price of a GPU-hour", "USD for one", "beside, a month", "term, months", "GPUs at least", "egress, a GB",
        "GB of a job",
    ),
    AT_IT: ("USD a GPU-hour", "egress of a job, USD", *USED),
    IF_ALL: ("rent as planned, USD", "likely GPU-hours", *USED),
}  # fmt: skip
NOTHING = (0.0, 0.0)
"""The planned price, and what is more, of a GPU of which nothing is rented."""
TITLES = {
    RESULT: "What each comes to, for all that is rented of its GPU",
    TERMS: "Terms, as the vendor states them",
    AT_IT: "Entries that are rented at the quote",
    IF_ALL: "All entries that are rented of its GPU",
}


def write_quotes(made: PortfolioDraft) -> None:
    """Four tables of the quotes of rented GPUs; entries that are rented at one follow its price."""
    sheet = made.sheet(QUOTES, ABOUT)
    sheet.widths(*WIDTHS)
    for table in QUOTE_TABLES:
        _head(made, sheet, table)
    for index, quote in enumerate(made.rented_quotes):
        _result(made, sheet, index, quote)
        _terms(made, sheet, index, quote)
        _at_it(made, sheet, index, quote)
        _if_all(made, sheet, index, quote)


def _head(made: PortfolioDraft, sheet: Sheet, table: int) -> None:
    """Title and headings of a table, and whose its rows are."""
    row = made.quote_row(table, 0)
    sheet.band(row - 2, TITLES[table], len(WIDTHS), HEADING)
    third = "Currency" if table == TERMS else "GPU"
    sheet.row(row - 1, 1, ["Quote", "Vendor", third], HEADER)
    currency = made.planned.portfolio.given.currency
    sheet.row(row - 1, 4, [head.format(currency) or None for head in HEADS[table]], HEADER_NUMBER)
    for index, quote in enumerate(made.rented_quotes):
        of = quote.given
        names = [of.id, of.vendor, of.currency if table == TERMS else of.accelerator]
        sheet.row(row + index, 1, names, LABEL)
    sheet.keep_together(row - 2, row + len(made.rented_quotes) - 1)


def _terms(made: PortfolioDraft, sheet: Sheet, index: int, quote: Quote) -> None:
    """What the vendor states."""
    row, of = made.quote_row(TERMS, index), quote.given
    stated = (
        of.price, quote.exchange_rate, of.extras.whole, of.term_months, of.minimum_accelerators, of.egress,
        of.egress_gb,
    )  # fmt: skip
    for column, value in enumerate(stated, 4):
        sheet.put(row, column, float(value), typed(DECIMAL))


def _at_it(made: PortfolioDraft, sheet: Sheet, index: int, quote: Quote) -> None:
    """The price in USD, and GPU-hours of entries that name the quote."""
    jobs, row, terms = made.planned.jobs, made.quote_row(AT_IT, index), made.quote_row(TERMS, index)
    hourly = Formula(f"(D{terms}+F{terms}/{HOURS_OF_A_MONTH})*E{terms}", hourly_of(quote))
    sheet.put(row, 4, hourly, number(MONEY))
    sheet.put(row, 5, Formula(f"I{terms}*J{terms}*E{terms}", egress_usd(quote)), number(MONEY))
    own = np.array([name == quote.given.id for name in jobs.named.quotes])
    formulas = f"({made.entries('quote')}=$A{row})", made.entries("hours")
    _billed(made, (sheet, row, terms), formulas, quote, jobs.gpus[own], (jobs.stop - jobs.start)[own])


def _if_all(made: PortfolioDraft, sheet: Sheet, index: int, quote: Quote) -> None:
    """GPU-hours of all that is rented of its GPU, and those that would be billed beside them."""
    row, terms, own = made.quote_row(IF_ALL, index), made.quote_row(TERMS, index), _renting(made, quote)
    gpus, hours = made.planned.jobs.gpus[own], rented_hours(made.planned.spend)[own]
    of_gpu = f"({made.entries('accelerator')}=$C{row})*({made.entries('rent')}>0)"
    formulas = of_gpu, f"{HOURS_OF_A_DAY}*{made.entries('rented')}"
    _billed(made, (sheet, row, terms), formulas, quote, gpus, hours)
    unused = billed_hours(quote, gpus, hours) - used_hours(gpus, hours)
    sheet.put(made.quote_row(RESULT, index), 8, Formula(f"J{row}-F{row}", unused), number(WHOLE))


def _renting(made: PortfolioDraft, quote: Quote) -> NDArray[np.bool_]:
    """Which entries rent the GPU of a quote."""
    jobs = made.planned.jobs
    return np.array([name == quote.given.accelerator for name in jobs.named.accelerators]) & (
        jobs.hourly.rent_price > 0
    )


def _billed(
    made: PortfolioDraft, at: tuple[Sheet, int, int], formulas: tuple[str, str], quote: Quote, gpus: Numbers,
    hours: Numbers,
) -> None:  # fmt: skip
    """GPU-hours that entries use, and on the invoice: on demand each with its minimum, of a term at least it."""
    (sheet, row, terms), (own, of_hours), of_gpus = at, formulas, made.entries("gpus")
    term, least = f"$G{terms}", f"$H{terms}"
    minimum = f"({of_gpus}+({of_gpus}<{least})*({least}-{of_gpus}))"
    bound = f"MAX(F{row},MAX(G{row},{least})*{term}*{HOURS_OF_A_MONTH},{least}*H{row})"
    on_demand = float((np.maximum(gpus, quote.given.minimum_accelerators) * hours).sum())
    lines = (
        (f"SUMPRODUCT({own}*{of_gpus}*{of_hours})", used_hours(gpus, hours)),
        (f"SUMPRODUCT(MAX({own}*{of_gpus}))", float(gpus.max(initial=0.0))),
        (f"SUMPRODUCT(MAX({own}*{of_hours}))", float(hours.max(initial=0.0))),
        (f"SUMPRODUCT({own}*{of_hours}*{minimum})", on_demand),
        (f"IF({term}>0,{bound},I{row})", billed_hours(quote, gpus, hours)),
    )
    for column, (text, value) in enumerate(lines, 6):
        sheet.put(row, column, Formula(text, value), number(WHOLE))


def _result(made: PortfolioDraft, sheet: Sheet, index: int, quote: Quote) -> None:
    """The price of an hour beside the planned one, the whole spend with it, and what that is more."""
    row, at_it, all_ = (made.quote_row(table, index) for table in (RESULT, AT_IT, IF_ALL))
    found = next((each for each in made.planned.quotes if each.quote is quote), None)
    whole = float(made.planned.spend.effective.sum())
    planned, more = (found.planned, found.more) if found else NOTHING
    _as_planned(made, sheet, all_, quote, planned)
    lines = (
        (f"D{at_it}/{UNIT}", hourly_of(quote), MONEY),
        (f"IF(E{all_}>0,D{all_}/E{all_},0)/{UNIT}", planned, MONEY),
        (f"{made.totals['borne']}/{UNIT}+G{row}", whole + more, WHOLE),
        (f"{_more(made, (row, at_it, all_))}/{UNIT}", more, WHOLE),
    )
    for column, (text, value, shown) in enumerate(lines, 4):
        sheet.put(row, column, Formula(text, value / made.rate), number(shown))
    sheet.put(row, 9, valid_words(quote, made.planned.portfolio.given.horizon.start), WORD)
    sheet.put(row, 10, lacking_words(quote), WORD)


def _weighted(made: PortfolioDraft, row: int) -> str:
    """The rent of an hour of every entry that rents the GPU, by how likely it is."""
    return f"({made.entries('accelerator')}=$C{row})*{made.entries('chance')}*{made.entries('rent')}"


def _as_planned(made: PortfolioDraft, sheet: Sheet, row: int, quote: Quote, planned: float) -> None:
    """What is paid for all that is rented of the GPU, and for how many hours, as likely as these are."""
    paid = float(made.planned.spend.rent.sum(axis=1)[_renting(made, quote)].sum())
    of = f"{HOURS_OF_A_DAY}*SUMPRODUCT({_weighted(made, row)}*{made.entries('rented')}"
    sheet.put(row, 4, Formula(f"{of}*{made.entries('factor')})", paid), number(WHOLE))
    hours = paid / planned if planned else 0.0
    sheet.put(row, 5, Formula(f"{of}/{made.entries('price')})", hours), number(WHOLE))


def _more(made: PortfolioDraft, rows: tuple[int, int, int]) -> str:
    """What all rent of the GPU would be more at the quote."""
    row, at_it, all_ = rows
    share = f"IF(F{all_}>0,D{at_it}*J{all_}/F{all_},0)"
    price = f"(({share}+E{at_it}/{made.entries('job')})/{made.entries('price')}-{made.entries('factor')})"
    return f"{HOURS_OF_A_DAY}*SUMPRODUCT({_weighted(made, row)}*{made.entries('rented')}*{price})"
