"""The price book: rows of all files by id, each dated, sourced and in a stated currency; a user's own rows win.

Amounts in another currency than dollars are converted with a rate that the book states, and never otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from memreport.catalogue.fields.blocks import first_day
from memreport.catalogue.records import Key, Source, Table
from memreport.catalogue.tables.reading import Cell, ListRow, column_of, dated_source, merged_rows, number_of
from memreport.catalogue.tables.words import MEANINGS, unit_of
from memreport.errors import Fault, nearest
from memreport.frozen import frozen

USD = "USD"
ON_DEMAND = "on-demand"
TERMS = (ON_DEMAND, "reserved-1y", "reserved-3y", "spot")
MAJOR, COMMUNITY = "major-cloud", "community"
TIERS = (MAJOR, "specialised-cloud", COMMUNITY, "index")
SOLD = TIERS[:-1]
"""Tiers in which a price is looked for, one after the other: an index sells nothing."""
ANY_TIER = "any"
"""All of these at once, for the cheapest of them."""
"""Who sells: large clouds, clouds of GPUs, marketplaces of single machines, or nobody: an index."""
CONFIDENCES = ("high", "medium", "low")
HOSTS = WITH_HOST, WITHOUT_HOST = ("included", "extra")
"""Whether a purchase price holds the host, its chassis and its network adapters; nothing where that is not known."""


@frozen
class _Kind:
    """What a price pays for: the table it makes, the column in dollars, the word for an amount in another currency.

    `nothing` is said where none is named; a kind without it must be named.  `switch` is a further column of ones and
    zeros: the hours are paid used or not, the energy is in the price.  `counted` is one of whole numbers, 0 where a row
    states none: how many GPUs are rented at a time.  `sized` is one of bytes, likewise: the memory they come with.
    """

    id: str
    table: str
    title: str
    column: str
    amount: str
    per: str
    nothing: str = ""
    switch: str = ""
    counted: str = ""
    sized: str = ""


INSTANCE_MEMORY = "instance_memory_bytes"
INSTANCE, MOST_IN_AN_INSTANCE = "instance_accelerators", 100_000
NO_PRICE = "no price given"
KINDS = (
    _Kind(
        "rent", "rental_prices", "Rental prices", "usd_per_accelerator_hour", "price_per_accelerator_hour", "/h",
        NO_PRICE, "committed", INSTANCE, INSTANCE_MEMORY,
    ),
    _Kind(
        "buy", "purchase_prices", "Purchase prices", "usd_per_accelerator", "price_per_accelerator", "", NO_PRICE
    ),
    _Kind(
        "energy", "energy_prices", "Energy prices", "usd_per_kilowatt_hour", "price_per_kilowatt_hour", "/kWh",
    ),
    _Kind(
        "colocation", "colocation_prices", "Colocation prices", "usd_per_kilowatt_month", "price_per_kilowatt_month",
        " per kW and month", "own premises, not charged", "colocation_has_power",
    ),
)  # fmt: skip
OF_ACCELERATORS = ("rent", "buy")
OWN_PRICES = tuple(kind.column for kind in KINDS if kind.id in OF_ACCELERATORS)
"""Numbers that a scenario may type in place of a price, each quoted for one GPU."""
PRICE_WORDS = (
    "accelerator", "provider", "region", "term", "currency", "date", "confidence", "valid_until", "amount", "rate",
    "rate_date", "tier", "host",
)  # fmt: skip
"""What a table of prices says of each row beside its number."""

REQUIRED = ("currency", "date", "source")
FIELDS = (
    "id", "title", "kind", "accelerator", *REQUIRED, "provider", "region", "term", "confidence", "note", "valid_until",
    "power_included", "tier", "host", INSTANCE, INSTANCE_MEMORY,
    *(name for kind in KINDS for name in (kind.column, kind.amount)),
)  # fmt: skip


@frozen
class Rate:
    """Dollars for one unit of a currency, with date and source."""

    currency: str
    usd: float
    source: Source

    def __str__(self) -> str:
        return f"{self.usd:g} USD per {self.currency}, {self.source}"


@frozen
class _Price:
    id: str
    cell: Cell
    texts: Mapping[str, str]
    switch: bool = False
    counted: int = 0
    sized: float = 0.0


def price_tables(paths: Sequence[Path], faults: list[Fault]) -> dict[str, Table]:
    """A table of each kind of price, in dollars; the first row of most is the price that is not given."""
    rates = _rates(paths, faults)
    rows = merged_rows(paths, "prices", faults)
    faults += _unfit(rows.values())
    tiers = _tiers(paths, faults)
    return {kind.table: _table(kind, rows, rates, tiers, paths, faults) for kind in KINDS}


def usd_by_currency(paths: Sequence[Path]) -> dict[str, float]:
    """US dollars for a unit of each currency that the price book states; its faults are those of `price_tables`."""
    return {name: rate.usd for name, rate in _rates(paths, []).items()}


def _tiers(paths: Iterable[Path], faults: list[Fault]) -> dict[str, str]:
    """Of which tier each provider is."""
    rows = merged_rows(paths, "providers", faults)
    faults += (fault for row in rows.values() for fault in unknown_word(row, "tier", TIERS))
    return {id_: str(row.data.get("tier") or "") for id_, row in rows.items()}


def _rates(paths: Iterable[Path], faults: list[Fault]) -> dict[str, Rate]:
    """Rates by currency; the dollar is worth itself."""
    found = {USD: Rate(USD, 1.0, Source("definition"))}
    for code, row in merged_rows(paths, "currencies", faults).items():
        faults += missing(row, ("usd", "date", "source"))
        faults += wrong_days(row)
        if {"usd", "date", "source"} <= set(row.data):
            usd = _positive(row, "usd", f"USD/{code}", faults)
            found[code] = Rate(code, usd, dated_source(row, faults))
    return found


def _table(
    kind: _Kind,
    rows: Mapping[str, ListRow],
    rates: Mapping[str, Rate],
    tiers: Mapping[str, str],
    paths: Sequence[Path],
    faults: list[Fault],
) -> Table:
    first = [_Price("none", Cell(0.0, Source(kind.nothing), "", ""), {})] if kind.nothing else []
    ours = {id_: row for id_, row in rows.items() if row.data.get("kind") == kind.id}
    prices = [*first, *(_price(kind, id_, row, rates, tiers, faults) for id_, row in ours.items())]
    titles = [
        *([kind.nothing] if kind.nothing else []),
        *(str(row.data.get("title") or id_) for id_, row in ours.items()),
    ]
    columns = {kind.column: [price.cell for price in prices]}
    further = {kind.switch: "switch", kind.counted: "counted", kind.sized: "sized"}
    for name, what in further.items():
        if name:
            columns[name] = [Cell(float(getattr(price, what)), price.cell.source, "", "") for price in prices]
    made = {name: column_of(name, unit_of(name), MEANINGS[name], cells) for name, cells in columns.items()}
    texts = {word: tuple(price.texts.get(word, "") for price in prices) for word in PRICE_WORDS}
    ids: tuple[Key, ...] = tuple(price.id for price in prices)
    return Table(kind.table, kind.title, ids, tuple(titles), made, tuple(map(str, paths)), texts)


def _price(
    kind: _Kind, id_: str, row: ListRow, rates: Mapping[str, Rate], tiers: Mapping[str, str], faults: list[Fault]
) -> _Price:
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
    texts["tier"] = texts["tier"] or tiers.get(texts["provider"], "")
    note = "; ".join(part for part in (str(row.data.get("note") or ""), _converted(texts)) if part)
    switch = texts["term"].startswith("reserved") or row.data.get("power_included") is True
    cell = Cell(amount * rate.usd, source, str(row.data.get("confidence") or ""), note)
    memory = _positive(row, INSTANCE_MEMORY, "byte", faults) if INSTANCE_MEMORY in row.data else 0.0
    return _Price(id_, cell, texts, switch, _counted(row, faults), memory)


def _counted(row: ListRow, faults: list[Fault]) -> int:
    """How many GPUs are rented at a time; any number where the row does not say."""
    if INSTANCE not in row.data:
        return 0
    given = row.data[INSTANCE]
    if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= MOST_IN_AN_INSTANCE:
        return given
    faults.append(row.fault(INSTANCE, f"is a whole number from 1 to {MOST_IN_AN_INSTANCE}", found=repr(given)))
    return 0


def _no_rate(currency: str) -> str:
    return f"has no rate; state one: currencies: [{{id: {currency}, usd: ..., date: ..., source: ...}}]"


def _converted(texts: Mapping[str, str]) -> str:
    return f"{texts['amount']} at {texts['rate']}" if texts["rate"] else ""


def _amount(kind: _Kind, row: ListRow, currency: str, faults: list[Fault]) -> float:
    """The price in its own currency; which field holds it says which currency is meant."""
    right, wrong = (kind.column, kind.amount) if currency == USD else (kind.amount, kind.column)
    if "currency" not in row.data:  # which is a fault of its own
        return 1.0
    if wrong in row.data:
        faults.append(row.fault(wrong, f"does not go with a price in {currency}", expected=right, at_key=True))
        return 1.0
    if right not in row.data:
        faults.append(row.fault(right, f"is required of a price in {currency}"))
        return 1.0
    return _positive(row, right, f"{currency}{kind.per}", faults)


def _positive(row: ListRow, name: str, unit: str, faults: list[Fault]) -> float:
    """A number above zero; what is free is not in a price book."""
    before = len(faults)
    value = number_of(row.document, (*row.keys, name), row.data.get(name), unit, faults)
    if value <= 0 and len(faults) == before:
        faults.append(row.fault(name, "must be more than 0", found=repr(row.data.get(name))))
    return value


def _unfit(rows: Iterable[ListRow]) -> Iterator[Fault]:
    """Everything wrong with rows but their amounts and sources."""
    for row in rows:
        yield from missing(row, ("accelerator", *REQUIRED) if row.data.get("kind") in OF_ACCELERATORS else REQUIRED)
        yield from wrong_days(row)
        yield from unknown_word(row, "kind", [kind.id for kind in KINDS])
        if row.data.get("power_included", False) not in (True, False):
            yield row.fault("power_included", "is true or false", found=repr(row.data["power_included"]))
        for name, allowed in (("term", TERMS), ("confidence", CONFIDENCES), ("tier", TIERS), ("host", HOSTS)):
            if name in row.data:
                yield from unknown_word(row, name, allowed)
        for name in set(row.data) - set(FIELDS):
            yield row.fault(name, "is not a field of a price", nearest=nearest(name, FIELDS), at_key=True)


def missing(row: ListRow, names: Iterable[str]) -> Iterator[Fault]:
    """A fault for every field that the row lacks."""
    words = {"currency": "such as USD", "date": "such as 2026-11-20", "source": "title and address of what was read"}
    for name in names:
        if not row.data.get(name):
            yield row.fault(name, "is required", expected=words.get(name, ""))


def unknown_word(row: ListRow, name: str, allowed: Sequence[str]) -> Iterator[Fault]:
    """A fault where the field is none of the allowed words."""
    given = row.data.get(name)
    if given not in allowed:
        close = nearest(given, allowed)
        yield row.fault(
            name, "is not one of the allowed words", found=repr(given), expected=", ".join(allowed), nearest=close
        )


def wrong_days(row: ListRow) -> Iterator[Fault]:
    """A fault for every date that no calendar has."""
    for name in ("date", "valid_until"):
        if row.data.get(name) and first_day(str(row.data[name])) is None:
            yield row.fault(name, "is no date", found=repr(row.data[name]), expected="2026-11-20, 2026-11 or 2026")


FEW = 6
"""Prices that a message names."""


def wrong_price(table: Table, price: Key, gpu: str, billed: bool) -> tuple[str, str]:
    """What is wrong with a price for a GPU, and the prices that the book has for it; nothing where it is right."""
    of = table.texts["accelerator"][table.row(price)]
    of_gpu = [str(key) for key, other in zip(table.ids, table.texts["accelerator"], strict=True) if other == gpu]
    more = len(of_gpu) - FEW
    known = ", ".join([*of_gpu[:FEW], *([f"{more} more: memreport list {table.name}"] if more > 0 else [])])
    own = next(name for name in OWN_PRICES if name in table.columns)
    typed = f"overrides: {{{own}: ...}}"
    kind = table.title.lower()[:-1]
    unknown = "" if known else f"; no {kind} of {gpu} is known: state {typed}, or add one to hardware/prices.yaml"
    if of and of != gpu:
        return f"is the price of {of}, not of {gpu}{unknown}", known
    return (f"is needed to bill {gpu}{unknown}", known) if billed and not of else ("", "")
