"""The sheet Quotes: vendors' prices, which may be typed, and the whole spend if all that is rented were so."""

from __future__ import annotations

from memreport.portfolio.offers import hourly_of
from memreport.publish.xlsx.planned.places import FIRST_ENTRY, HOURS_OF_A_DAY, HOURS_OF_A_MONTH, QUOTES, PortfolioDraft
from memreport.publish.xlsx.sheet.book import Formula
from memreport.publish.xlsx.sheet.styles import DECIMAL, HEADER, HEADER_NUMBER, LABEL, MONEY, WHOLE, number, typed

ABOUT = "Prices of a GPU and hour in their currency may be typed; spend is of the whole portfolio in USD."
WORDS = ("Quote", "Vendor", "GPU")
NUMBERS = ("Price", "USD for one", "Beside, a month", "Valid until", "USD a GPU-hour", "Spend with it", "more, USD")


def write_quotes(made: PortfolioDraft) -> None:
    """A row a quote of rented GPUs; entries that are rented at one follow its price."""
    sheet = made.sheet(QUOTES, ABOUT)
    sheet.widths(22, 22, 20, 12, 12, 14, 12, 14, 14, 14)
    sheet.row(FIRST_ENTRY - 1, 1, list(WORDS), HEADER)
    sheet.row(FIRST_ENTRY - 1, 1 + len(WORDS), list(NUMBERS), HEADER_NUMBER)
    found = {quoted.quote.given.id: quoted for quoted in made.planned.quotes}
    for index, quote in enumerate(offer for offer in made.planned.portfolio.quotes if not offer.buys):
        row, given_ = FIRST_ENTRY + index, quote.given
        sheet.row(row, 1, [given_.id, given_.vendor, given_.accelerator], LABEL)
        for column, value in ((4, given_.price), (5, quote.exchange_rate), (6, given_.extras.whole)):
            sheet.put(row, column, float(value), typed(DECIMAL))
        sheet.put(row, 7, given_.valid_until, LABEL)
        hourly = Formula(f"(D{row}+F{row}/{HOURS_OF_A_MONTH})*E{row}", hourly_of(quote))
        sheet.put(row, 8, hourly, number(MONEY))
        more = found[given_.id].more if given_.id in found else 0.0
        whole = float(made.planned.spend.effective.sum())
        sheet.put(row, 9, Formula(f"{made.totals['borne']}+J{row}", whole + more), number(WHOLE))
        sheet.put(row, 10, Formula(_more(made, row), more), number(WHOLE))


def _more(made: PortfolioDraft, row: int) -> str:
    """What all rent of the GPU would be more at the quote."""
    of = f"({made.entries('accelerator')}=$C{row})*{made.entries('chance')}*{made.entries('rent')}"
    price = f"($H{row}/{made.entries('price')}-{made.entries('factor')})"
    return f"{HOURS_OF_A_DAY}*SUMPRODUCT({of}*{made.entries('rented')}*{price})"
