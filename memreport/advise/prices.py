"""Which price a card is billed at: the scenario's own where it is of that card, else the cheapest on demand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memreport.catalogue.load import Catalogue

ON_DEMAND = "on-demand"
NO_PRICE = "none"


def priced(catalogue: Catalogue, settings: Mapping[str, Any], accelerator: str) -> dict[str, str]:
    """Basis, rental and purchase price of a card, as fields of `cost:`; both prices are `none` where none is known."""
    if accelerator == settings["accelerator"] and settings[_price_of(settings["basis"])] != NO_PRICE:
        return {name: str(settings[name]) for name in ("basis", "price", "purchase_price")}
    return {"basis": "rent", "price": cheapest(catalogue, accelerator), "purchase_price": NO_PRICE}


def is_priced(cost: Mapping[str, str]) -> bool:
    """Whether the basis has the price that it bills."""
    return cost[_price_of(cost["basis"])] != NO_PRICE


def _price_of(basis: str) -> str:
    return "price" if basis == "rent" else "purchase_price"


def cheapest(catalogue: Catalogue, accelerator: str) -> str:
    """The lowest on-demand rental price of the card, by id; `none` where the table has none."""
    table = catalogue.tables["rental_prices"]
    usd = table.columns["usd_per_accelerator_hour"].values
    rows = [
        (usd[at], str(key))
        for at, key in enumerate(table.ids)
        if table.texts["accelerator"][at] == accelerator and table.texts["term"][at] == ON_DEMAND
    ]
    return min(rows)[1] if rows else NO_PRICE


def price_words(catalogue: Catalogue, cost: Mapping[str, str]) -> str:
    """The price in words: its id, what it is, its date and how well it is founded."""
    if not is_priced(cost):
        return "no price known"
    rents = cost["basis"] == "rent"
    table = catalogue.tables["rental_prices" if rents else "purchase_prices"]
    price = cost[_price_of(cost["basis"])]
    at = table.ids.index(price)
    column = table.columns["usd_per_accelerator_hour" if rents else "usd_per_accelerator"]
    amount = f"${column.values[at]:,.2f}{'/h' if rents else ''}"
    return f"{price}: {amount}, {table.texts['date'][at]}, confidence {table.texts['confidence'][at] or 'not stated'}"
