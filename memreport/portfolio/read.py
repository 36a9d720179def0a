"""A portfolio file read strictly: names, dates and currencies are checked against each other, amounts become USD."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from memreport.catalogue.fields.validation import unknown_name, validated
from memreport.catalogue.quantities import QuantityError, parse_quantity
from memreport.catalogue.quotes.reading import Quote
from memreport.catalogue.yaml import strict as strict_yaml
from memreport.catalogue.yaml.strict import Document, Keys
from memreport.errors import Fault, InputError, nearest
from memreport.frozen import frozen
from memreport.portfolio.calendar import Calendar
from memreport.portfolio.fields import Capacity, Money, PortfolioFile

USD = "USD"
MOST_NODES = 200_000
"""Keys and values of a portfolio: some ten thousand entries."""
_AMOUNTS = {
    "owned": ("purchase", "running"),
    "reserved": ("price",),
    "budgets": ("amount",),
    "commitments": ("committed", "on_demand"),
}
"""Every amount of money, by the list that it stands in."""


@frozen
class Portfolio:
    """A portfolio with its file, so that later faults can still point at a line."""

    given: PortfolioFile
    document: Document
    path: Path
    quotes: tuple[Quote, ...] = ()
    """What vendors offer, from the folders `quotes` beside it."""

    @cached_property
    def calendar(self) -> Calendar:
        """The months that are planned."""
        return Calendar(self.given.horizon.start, self.given.horizon.months)

    @cached_property
    def rates(self) -> Mapping[str, float]:
        """USD for one unit of each currency."""
        return {USD: 1.0} | {rate.currency: rate.usd for rate in self.given.rates}

    def usd(self, amount: Money) -> float:
        """An amount in USD.  Raises KeyError without a rate, QuantityError for what is no amount."""
        if not isinstance(amount, str):
            return float(amount)
        number, _, currency = amount.strip().rpartition(" ")
        return parse_quantity(number, "1") * self.rates[currency]

    def file_of(self, index: int) -> Path:
        """The scenario's file of an entry."""
        return self.path.parent / self.given.entries[index].scenario


def read_portfolio(path: Path) -> Portfolio:
    """The portfolio of a file.  Raises InputError with every fault that can be found without its scenarios."""
    document = strict_yaml.read(path, MOST_NODES)
    faults: list[Fault] = []
    given = validated(document, PortfolioFile, faults)
    if given is None:
        raise InputError(faults)
    portfolio = Portfolio(given, document, path)
    faults += [*_money(portfolio), *_dates(portfolio), *_repeated(portfolio), *_overlaps(portfolio)]
    if faults:
        raise InputError(faults)
    return portfolio


def _money(portfolio: Portfolio) -> Iterator[Fault]:
    """Amounts of a currency that has no rate, or that are no amounts."""
    for index, rate in enumerate(portfolio.given.rates):
        if rate.currency == USD:
            yield portfolio.document.fault(("rates", index, "currency"), "is what every rate is stated in", found=USD)
    if portfolio.given.currency not in portfolio.rates:
        yield _no_rate(portfolio, ("currency",), portfolio.given.currency)
    for part, names in _AMOUNTS.items():
        for index, row in enumerate(getattr(portfolio.given, part)):
            for name in names:
                yield from _amount(portfolio, (part, index, name), getattr(row, name))


def _amount(portfolio: Portfolio, place: Keys, amount: Money) -> Iterator[Fault]:
    try:
        usd = portfolio.usd(amount)
        if usd < 0 or (usd == 0 and place[-1] == "on_demand"):
            least = "more than 0" if place[-1] == "on_demand" else "at least 0"
            yield portfolio.document.fault(place, f"must be {least}", found=str(amount))
    except KeyError:
        yield _no_rate(portfolio, place, str(amount).rpartition(" ")[2])
    except QuantityError as error:
        yield portfolio.document.fault(place, error.message, found=repr(amount), expected="an amount: 100000 EUR")


def _no_rate(portfolio: Portfolio, place: Keys, currency: str) -> Fault:
    known = ", ".join(portfolio.rates)
    return portfolio.document.fault(place, f"{currency} has no rate under rates", found=currency, expected=known)


def _dates(portfolio: Portfolio) -> Iterator[Fault]:
    """What begins outside the horizon, and what ends before it begins."""
    given, calendar = portfolio.given, portfolio.calendar
    allowed = f"{calendar.months[0]} to {calendar.months[-1]}"
    days: list[tuple[Keys, str]] = [
        (("entries", position, "start"), entry.start) for position, entry in enumerate(given.entries)
    ]
    for part in ("owned", "reserved"):
        for index, row in enumerate(getattr(given, part)):
            named = ((name, getattr(row, name)) for name in ("first", "last"))
            days += [((part, index, name), day) for name, day in named if day]
            if row.first and row.last and row.last < row.first:
                yield portfolio.document.fault((part, index, "last"), "is before first", found=row.last)
    for place, day in days:
        if not calendar.holds(day):
            yield portfolio.document.fault(place, "is outside the horizon", found=day, expected=allowed)
    for index, budget in enumerate(given.budgets):
        if budget.quarter not in calendar.quarters:
            where, quarters = ("budgets", index, "quarter"), ", ".join(calendar.quarters)
            yield portfolio.document.fault(where, "is outside the horizon", found=budget.quarter, expected=quarters)


def _repeated(portfolio: Portfolio) -> Iterator[Fault]:
    given = portfolio.given
    keys: dict[str, Sequence[Any]] = {
        "budgets": [(budget.owner, budget.quarter) for budget in given.budgets],
        "rates": [rate.currency for rate in given.rates],
    }
    for part, found in keys.items():
        for index, key in enumerate(found):
            if key in found[:index]:
                message = f"is stated already by {part}.{found.index(key)}"
                yield portfolio.document.fault((part, index), message, found=str(key))


def _overlaps(portfolio: Portfolio) -> Iterator[Fault]:
    """Two rows that state the same GPUs in the same months."""
    for part in ("owned", "reserved"):
        rows: Sequence[Capacity] = getattr(portfolio.given, part)
        for (number, first), (other, second) in combinations(enumerate(rows), 2):
            if first.accelerator == second.accelerator and _overlap(portfolio, first, second):
                message = f"overlaps {part}.{number} in time; state one row for each span of months"
                yield portfolio.document.fault((part, other), message, found=second.accelerator)


def _overlap(portfolio: Portfolio, capacity: Capacity, other: Capacity) -> bool:
    (begin, end), (start, stop) = (span(portfolio, each) for each in (capacity, other))
    return begin < stop and start < end


def span(portfolio: Portfolio, row: Capacity) -> tuple[float, float]:
    """The hours from which and to which a row's GPUs are there."""
    months = portfolio.calendar.months
    return portfolio.calendar.hour(row.first or months[0]), portfolio.calendar.end_of(row.last or months[-1])


def owner_faults(portfolio: Portfolio, owners: Sequence[str]) -> Iterator[Fault]:
    """Entries of an owner who has no budget and is called nearly as one who has; others may spend without one."""
    known = dict.fromkeys(budget.owner for budget in portfolio.given.budgets)
    for index, owner in enumerate(owners):
        if owner not in known and nearest(owner, list(known)):
            stated = bool(portfolio.given.entries[index].owner)
            place: Keys = ("entries", index, "owner") if stated else ("entries", index)
            yield unknown_name(portfolio.document, place, owner, known, "owner with a budget")
