"""Two quotes side by side, on the sheet Cost: what the budget counts with, and another price and term that is typed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memreport.figures.constants import HOURS_PER_MONTH, HOURS_PER_YEAR
from memreport.publish.xlsx.common.draft import FIRST, LINE_COLUMN, Draft
from memreport.publish.xlsx.common.lines import Block
from memreport.publish.xlsx.sheet.book import Formula, letter
from memreport.publish.xlsx.sheet.styles import HEADER_NUMBER, LABEL, MONEY, NAME, NOTE, number, typed
from memreport.publish.xlsx.sheet.validation import apply_validation, number_rule

TITLE = "Two quotes side by side"
HEADS = ("Quote A, as budgeted", "Quote B, typed here")
MONTHS_SHOWN = "#,##0.0##"
PRICE_SHOWN = "#,##0.00##"
LONGEST_TERM = 240.0
"""Months: twenty years."""
RENTED = ("accelerators", "contingency", "tax_share", "wall_hours", "agreed_usd_per_accelerator_hour")
BOUGHT = (
    "accelerators", "contingency", "tax_share", "usd_per_accelerator", "purchase_discount", "adder_share",
    "freight_tax_share", "installation_usd", "depreciation_years",
)  # fmt: skip


@dataclass(frozen=True)
class QuoteTerms:
    """One variant's terms: where they stand, as addresses, and their values; `row` is the first row of the table."""

    draft: Draft
    at: int
    row: int

    @property
    def buys(self) -> bool:
        """Whether a price is of a GPU, not of its hour."""
        return self.draft.view.buys(self.at)

    @property
    def is_known(self) -> bool:
        """Whether this workbook has every number that a quote is counted with."""
        names = BOUGHT if self.buys else RENTED
        return all(name in self.draft.rows or name in self.draft.inputs.rows for name in names)

    def place(self, name: str) -> str:
        """Where a line or an input of the variant stands."""
        draft = self.draft
        sheet, row = ("Calculation", draft.rows[name]) if name in draft.rows else ("Inputs", draft.inputs.rows[name])
        return f"{sheet}!${letter(FIRST + self.at)}${row}"

    def value(self, name: str) -> float:
        """The same at build."""
        return self.draft.value(name, self.at)

    def price(self) -> Formula:
        """What is billed for a GPU and hour, or paid for a GPU, discount taken off."""
        if not self.buys:
            name = "agreed_usd_per_accelerator_hour"
            return Formula(self.place(name), self.value(name))
        each, off = "usd_per_accelerator", "purchase_discount"
        return Formula(f"{self.place(each)}*(1-{self.place(off)})", self.value(each) * (1 - self.value(off)))

    def months(self) -> Formula:
        """The time that is billed, or the years over which hardware is written off."""
        month = self.draft.constants[HOURS_PER_MONTH.name]
        if not self.buys:
            return Formula(f"{self.place('wall_hours')}/{month}", self.value("wall_hours") / float(HOURS_PER_MONTH))
        year, years = self.draft.constants[HOURS_PER_YEAR.name], "depreciation_years"
        value = self.value(years) * float(HOURS_PER_YEAR) / float(HOURS_PER_MONTH)
        return Formula(f"{self.place(years)}*{year}/{month}", value)

    def total(self, column: str, price: float, months: float) -> Formula:
        """A quote's whole amount, with contingency and tax; extras, staff and storage are no part of a quote."""
        here, allowed = f"{column}{self.row + 1}", f"(1+{self.place('contingency')})*(1+{self.place('tax_share')})"
        more = (1 + self.value("contingency")) * (1 + self.value("tax_share"))
        gpus, count = self.place("accelerators"), self.value("accelerators")
        if not self.buys:
            hours = f"{column}{self.row + 2}*{self.draft.constants[HOURS_PER_MONTH.name]}"
            return Formula(f"{here}*{gpus}*{hours}*{allowed}", price * count * months * float(HOURS_PER_MONTH) * more)
        added, freight = "adder_share", "freight_tax_share"
        onto = f"(1+{self.place(added)})*(1+{self.place(freight)})"
        value = price * count * (1 + self.value(added)) * (1 + self.value(freight)) + self.value("installation_usd")
        return Formula(f"({here}*{gpus}*{onto}+{self.place('installation_usd')})*{allowed}", value * more)


def write_quotes(block: Block, variant: str) -> None:
    """The table of one variant; nothing where no price is billed, or a number of it is not in the workbook."""
    names = [case.name for case in block.draft.view.variants]
    terms = QuoteTerms(block.draft, names.index(variant), block.row + 1)
    if not terms.is_known or float(terms.price().value) <= 0:
        return
    block.heading(f"{TITLE}: {variant}")
    sheet = block.sheet
    sheet.row(block.row, FIRST, HEADS, HEADER_NUMBER)
    for offset, (title, unit, meaning) in enumerate(_rows(terms), 1):
        for column, text, style in ((LINE_COLUMN, title, LABEL), (3, unit, NAME), (5, meaning, NOTE)):
            sheet.put(block.row + offset, column, text, style)
    _amounts(block, terms)
    block.row += 7


def _rows(terms: QuoteTerms) -> Iterator[tuple[str, str, str]]:
    if terms.buys:
        yield "Price of a GPU", "USD", "discount taken off"
        yield "Months", "months", "over which it is written off"
    else:
        yield "Price of a GPU and hour", "USD/h", "discount taken off"
        yield "Months", "months", "by the clock, that are billed"
    yield "Total", "USD", "with contingency and tax; extras, staff and storage are the same with either"
    yield "A month", "USD", "total over months"
    yield "B less A", "USD", "of the totals"


def _amounts(block: Block, terms: QuoteTerms) -> None:
    """A follows the inputs; B is typed and begins as A was at build; then what B costs more."""
    sheet, top, (a, b) = block.sheet, terms.row, (letter(FIRST), letter(FIRST + 1))
    price, months = terms.price(), terms.months()
    was = (float(price.value), float(months.value))
    for row, given, shown in ((top + 1, price, PRICE_SHOWN), (top + 2, months, MONTHS_SHOWN)):
        sheet.put(row, FIRST, given, number(shown))
        sheet.put(row, FIRST + 1, float(given.value), typed(shown))
    totals = [terms.total(column, *was) for column in (a, b)]
    each = [Formula(f"{column}{top + 3}/{column}{top + 2}", float(totals[0].value) / was[1]) for column in (a, b)]
    for row, pair in ((top + 3, totals), (top + 4, each)):
        for column, amount in enumerate(pair, FIRST):
            sheet.put(row, column, amount, number(MONEY))
    sheet.put(top + 5, FIRST + 1, Formula(f"{b}{top + 3}-{a}{top + 3}", 0.0), number(MONEY))
    rule = number_rule(0, None, "decimal", "the price of another quote, in US dollars")
    apply_validation(sheet, rule, [(FIRST + 1, top + 1)])
    term = number_rule(0.1, LONGEST_TERM, "decimal", "the months of another quote, 0.1 to 240")
    apply_validation(sheet, term, [(FIRST + 1, top + 2)])
