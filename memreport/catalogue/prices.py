"""The price book: rows of all files by id, each dated, sourced and in a stated currency; a user's own rows win.

Amounts in another currency than dollars are converted with a rate that the book states, and never otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from memreport.catalogue.records import Key, Source, Table
from memreport.catalogue.tables import MEANINGS, Cell, Row, column_of, dated_source, merged_rows, number_of, unit_of
from memreport.errors import Fault, nearest

USD = "USD"
TERMS = ("on-demand", "reserved-1y", "reserved-3y", "spot")
CONFIDENCES = ("high", "medium", "low")


@dataclass(frozen=True)
class _Kind:
    """Rented or bought: the table it makes, the column in dollars, the word for an amount in another currency."""

    id: str
    table: str
    title: str
    column: str
    amount: str
    per: str


KINDS = (
    _Kind("rent", "rental_prices", "Rental prices", "usd_per_accelerator_hour", "price_per_accelerator_hour", "/h"),
    _Kind("buy", "purchase_prices", "Purchase prices", "usd_per_accelerator", "price_per_accelerator", ""),
)
PRICE_WORDS = (
    "accelerator", "provider", "region", "term", "currency", "date", "confidence", "valid_until", "amount", "rate",
    "rate_date",
)  # fmt: skip
"""What a table of prices says of each row beside its number."""

_REQUIRED = ("accelerator", "currency", "date", "source")
_FIELDS = (
    "id", "title", "kind", *_REQUIRED, "provider", "region", "term", "confidence", "note", "valid_until",
    *(name for kind in KINDS for name in (kind.column, kind.amount)),
)  # fmt: skip
_NO_PRICE = "no price given"


@dataclass(frozen=True)
class Rate:
    """Dollars for one unit of a currency, with date and source."""

    currency: str
    usd: float
    source: Source

    def __str__(self) -> str:
        return f"{self.usd:g} USD per {self.currency}, {self.source}"


@dataclass(frozen=True)
class _Price:
    id: str
    cell: Cell
    texts: Mapping[str, str]


def price_tables(paths: Sequence[Path], faults: list[Fault]) -> dict[str, Table]:
    """Tables of rental and purchase prices, in dollars; the first row of each is the price that is not given."""
    rates = _rates(paths, faults)
    rows = merged_rows(paths, "prices", faults)
    faults += _unfit(rows.values())
    return {kind.table: _table(kind, rows, rates, paths, faults) for kind in KINDS}


def _rates(paths: Iterable[Path], faults: list[Fault]) -> dict[str, Rate]:
    """Rates by currency; the dollar is worth itself."""
    found = {USD: Rate(USD, 1.0, Source("definition"))}
    for code, row in merged_rows(paths, "currencies", faults).items():
        faults += _missing(row, ("usd", "date", "source"))
        faults += _wrong_days(row)
        if {"usd", "date", "source"} <= set(row.data):
            usd = _positive(row, "usd", f"USD/{code}", faults)
            found[code] = Rate(code, usd, dated_source(row, faults))
    return found


def _table(
    kind: _Kind, rows: Mapping[str, Row], rates: Mapping[str, Rate], paths: Sequence[Path], faults: list[Fault]
) -> Table:
    nothing = _Price("none", Cell(0.0, Source(_NO_PRICE), "", ""), {})
    ours = {id_: row for id_, row in rows.items() if row.data.get("kind") == kind.id}
    prices = [nothing, *(_price(kind, id_, row, rates, faults) for id_, row in ours.items())]
    titles = [_NO_PRICE, *(str(row.data.get("title") or id_) for id_, row in ours.items())]
    column = column_of(kind.column, unit_of(kind.column), MEANINGS[kind.column], [price.cell for price in prices])
    texts = {word: tuple(price.texts.get(word, "") for price in prices) for word in PRICE_WORDS}
    ids: tuple[Key, ...] = tuple(price.id for price in prices)
    return Table(kind.table, kind.title, ids, tuple(titles), {kind.column: column}, tuple(map(str, paths)), texts)


def _price(kind: _Kind, id_: str, row: Row, rates: Mapping[str, Rate], faults: list[Fault]) -> _Price:
    """A row as dollars, with what it was before."""
    currency = str(row.data.get("currency") or USD)
    rate = rates.get(currency)
    if rate is None:
        faults.append(row.fault("currency", _no_rate(currency), nearest=nearest(currency, rates)))
        rate = rates[USD]
    amount = _amount(kind, row, currency, faults)
    source = dated_source(row, faults) if row.data.get("source") else Source("")
    own = (
        {}
        if currency == USD
        else {"amount": f"{amount:,.2f} {currency}{kind.per}", "rate": str(rate), "rate_date": rate.source.date}
    )
    texts = {word: str(row.data.get(word) or "") for word in PRICE_WORDS} | own
    note = "; ".join(part for part in (str(row.data.get("note") or ""), _converted(texts)) if part)
    return _Price(id_, Cell(amount * rate.usd, source, str(row.data.get("confidence") or ""), note), texts)


def _no_rate(currency: str) -> str:
    return f"has no rate; state one: currencies: [{{id: {currency}, usd: ..., date: ..., source: ...}}]"


def _converted(texts: Mapping[str, str]) -> str:
    return f"{texts['amount']} at {texts['rate']}" if texts["rate"] else ""


def _amount(kind: _Kind, row: Row, currency: str, faults: list[Fault]) -> float:
    """The price in its own currency; which field holds it says which currency is meant."""
    right, wrong = (kind.column, kind.amount) if currency == USD else (kind.amount, kind.column)
    if wrong in row.data:
        faults.append(row.fault(wrong, f"does not go with a price in {currency}", expected=right, at_key=True))
        return 1.0
    if right not in row.data:
        faults.append(row.fault(right, f"is required of a price in {currency}"))
        return 1.0
    return _positive(row, right, f"{currency}{kind.per}", faults)


def _positive(row: Row, name: str, unit: str, faults: list[Fault]) -> float:
    """A number above nought; what is free is not in a price book."""
    before = len(faults)
    value = number_of(row.document, (*row.at, name), row.data.get(name), unit, faults)
    if value <= 0 and len(faults) == before:
        faults.append(row.fault(name, "must be more than 0", found=repr(row.data.get(name))))
    return value


def _unfit(rows: Iterable[Row]) -> Iterator[Fault]:
    """Everything wrong with rows but their amounts and sources."""
    for row in rows:
        yield from _missing(row, _REQUIRED)
        yield from _wrong_days(row)
        yield from _unknown(row, "kind", [kind.id for kind in KINDS])
        for name, allowed in (("term", TERMS), ("confidence", CONFIDENCES)):
            if name in row.data:
                yield from _unknown(row, name, allowed)
        for name in set(row.data) - set(_FIELDS):
            yield row.fault(name, "is not a field of a price", nearest=nearest(name, _FIELDS), at_key=True)


def _missing(row: Row, names: Iterable[str]) -> Iterator[Fault]:
    words = {"currency": "such as USD", "date": "such as 2026-11-20", "source": "title and address of what was read"}
    for name in names:
        if not row.data.get(name):
            yield row.fault(name, "is required", expected=words.get(name, ""))


def _unknown(row: Row, name: str, allowed: Sequence[str]) -> Iterator[Fault]:
    given = row.data.get(name)
    if given not in allowed:
        close = nearest(given, allowed)
        yield row.fault(
            name, "is not one of the allowed words", found=repr(given), expected=", ".join(allowed), nearest=close
        )


def _wrong_days(row: Row) -> Iterator[Fault]:
    for name in ("date", "valid_until"):
        if row.data.get(name) and first_day(str(row.data[name])) is None:
            yield row.fault(name, "is no date", found=repr(row.data[name]), expected="2026-11-20, 2026-11 or 2026")


def first_day(text: str) -> date | None:
    """The first day that a date may mean: a year or a month begins it; None where it is no date."""
    parts = text.split("-")
    try:
        return date.fromisoformat("-".join([*parts, "01", "01"][:3])) if len(parts) <= 3 else None
    except ValueError:
        return None


def wrong_price(table: Table, price: Key, card: str, billed: bool) -> tuple[str, str]:
    """What is wrong with a price for a card, and the prices that the book has for it; nothing where it is right."""
    of = table.texts["accelerator"][table.row(price)]
    known = ", ".join(
        str(key) for key, other in zip(table.ids, table.texts["accelerator"], strict=True) if other == card
    )
    unknown = "" if known else f"; no {table.title.lower()[:-1]} of {card} is known: add one to hardware/prices.yaml"
    if of and of != card:
        return f"is the price of {of}, not of {card}{unknown}", known
    return (f"is needed to bill {card}{unknown}", known) if billed and not of else ("", "")
