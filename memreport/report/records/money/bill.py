"""The bill as records: its lines, the prices behind it, the warnings about them."""

from __future__ import annotations

from memreport.frozen import frozen
from memreport.report.records.money.ownership import RentOrBuy
from memreport.report.records.money.quotes import QuotesShown


@frozen
class CostLine:
    """A line of the cost table of the chosen variant: `share` of the total, and `how` it comes about in numbers."""

    name: str
    title: str
    value: float
    unit: str
    text: str
    meaning: str
    is_total: bool = False
    share: str = ""
    how: str = ""
    brief: str = ""
    """The amount in three digits, for a page."""


@frozen
class PriceLine:
    """A price that the cost rests on, with where and when it was read; `source` is its number in the list."""

    id: str
    text: str
    offer: str
    date: str
    confidence: str
    source: int
    age_days: int | None = None
    """On the day at which prices are judged; none of a convention, a number of one's own, or without a date."""


@frozen
class PriceFlag:
    """A warning about one price, by its id, or about all of them."""

    said: str
    price: str = ""

    @property
    def text(self) -> str:
        """The warning, after the price that it is about."""
        return f"price {self.price}: {self.said}" if self.price else self.said


@frozen
class Money:
    """The bill of the chosen variant, the prices behind it, and what else the job could cost."""

    lines: tuple[CostLine, ...]
    note: str
    prices: tuple[PriceLine, ...]
    flags: tuple[PriceFlag, ...]
    rent_or_buy: RentOrBuy | None
    ownership_note: str
    quotes: QuotesShown | None
    """Vendors' quotes for the chosen variant's job; None where there are none."""

    @property
    def distinct(self) -> tuple[CostLine, ...]:
        """The lines, without a subtotal or an amount to approve that is the total."""
        total = next((line.value for line in self.lines if line.name == "cost_total_usd"), None)
        same = {"approval_total_usd", "subtotal_usd"}
        return tuple(line for line in self.lines if line.name not in same or line.value != total)
