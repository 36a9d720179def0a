"""Rent beside a purchase, as records."""

from __future__ import annotations

from memreport.frozen import frozen


@frozen
class PaidByMonth:
    """Cash paid so far by month, renting and buying, in US dollars; `end_texts` what is paid of each in the end."""

    months: tuple[float, ...]
    rented: tuple[float, ...]
    bought: tuple[float, ...]
    end_texts: tuple[str, str]


@frozen
class Crossing:
    """Where as much is paid for a purchase as for rent; `month` is None where buying does not pay."""

    month: float | None
    usd: float
    text: str
    words: str


@frozen
class RentOrBuy:
    """Rent beside a purchase.

    `rows` are title, value and meaning of what the comparison rests on; `described` says in words what the curves
    show; `drawn`: long enough to be seen.
    """

    paid: PaidByMonth
    crossing: Crossing
    sentence: str
    rows: tuple[tuple[str, str, str], ...]
    described: str
    drawn: bool = True
