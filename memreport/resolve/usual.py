"""The host that GPUs stand in, and the price that they are billed at, where nobody stated one."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping
from dataclasses import replace
from functools import partial
from typing import Any

from memreport.catalogue.load import Catalogue
from memreport.catalogue.quotes.lowest import NO_PRICE, Bought, lowest_price
from memreport.catalogue.records import BILLED, Key, Table
from memreport.catalogue.scenario import Scenario, dictionary
from memreport.catalogue.tables.prices import ON_DEMAND, SOLD, WITHOUT_HOST
from memreport.catalogue.terms.price_age import is_stale

OF_A_NODE = "node-over-gpus"
"""The convention of what hosts cost on top of GPUs that are sold alone."""
BOARDS = ("sxm", "oam")
"""Forms of GPUs that no machine takes but one that is sold for them."""


def follow_usual(
    settings: MutableMapping[str, Any],
    stated: Callable[[str], bool],
    given: Collection[str],
    scenario: Scenario,
    catalogue: Catalogue,
) -> None:
    """Set the host, and the price of a scenario that is billed, where nobody stated them; `given` are overrides."""
    if not stated("host"):
        settings["host"] = usual_host(catalogue, settings["accelerator"], settings["count"])
    for basis, (name, title) in BILLED.items() if scenario.cost else ():
        if not stated(name):
            table, billed = catalogue.tables[title], settings["rent_or_buy"] or settings["basis"] == basis
            open_ = billed and table.columns.keys().isdisjoint(given)
            settings[name] = usual_price(scenario, catalogue, table, settings) if open_ else NO_PRICE
            if open_ and basis == "buy" and not stated("adders") and "adder_share" not in given:
                settings["adders"] = usual_adders(catalogue, settings)


def usual_price(scenario: Scenario, catalogue: Catalogue, table: Table, settings: Mapping[str, Any]) -> str:
    """The lowest price, by id, at which so many of a GPU in such a host are billed where nobody states one."""
    hosts, search = catalogue.tables["hosts"], scenario.search
    row = hosts.positions.get(settings["host"])
    node = 1.0 if row is None else float(hosts.columns["host_accelerators"].values[row])
    tiers = [search.price_tier] if search and search.price_tier else SOLD
    term, provider = (search and search.price_term) or ON_DEMAND, (search and search.price_provider) or ""
    bought = Bought(settings["accelerator"], float(settings["count"]), node, term=term, provider=provider)
    stale = partial(is_stale_row, scenario, table)
    found = (lowest_price(table, replace(bought, tier=tier), stale) for tier in tiers)
    return next((price for price in found if price != NO_PRICE), NO_PRICE)


def usual_adders(catalogue: Catalogue, settings: Mapping[str, Any]) -> str:
    """What a price lacks that nobody stated: hosts, of GPUs on boards whose price is of these alone."""
    prices, known = catalogue.tables["purchase_prices"], catalogue.tables["hardware_adders"].ids
    on_board = catalogue.tables["accelerators"].text("form_factor", settings["accelerator"]) in BOARDS
    lacks = prices.text("host", settings["purchase_price"]) == WITHOUT_HOST
    return OF_A_NODE if on_board and lacks and OF_A_NODE in known else str(dictionary()["adders"].default)


def is_stale_row(scenario: Scenario, table: Table, index: int) -> bool:
    """Whether a price is too old for a scenario."""
    return is_stale(scenario, words_of(table, table.ids[index]))


def words_of(table: Table, key: Key) -> dict[str, str]:
    """What the book says of a price beside its number."""
    index = table.row(key)
    return {word: texts[index] for word, texts in table.texts.items()}


def usual_host(catalogue: Catalogue, gpu: Key, count: float) -> str:
    """The host that GPUs are usually in, as their file says; a few may have another, which has less memory."""
    table = catalogue.tables["accelerators"]
    if gpu not in table.ids:
        return _default_host()
    few = _holding(catalogue.tables["hosts"], table.text("host_alone", gpu), count)
    return few or table.text("host", gpu) or _default_host()


def usual_hosts(catalogue: Catalogue, gpu: Key) -> Iterator[tuple[float | None, str]]:
    """Hosts of a GPU by how many stand in them at most, the smallest first; None is any number."""
    sizes = sorted({*map(float, catalogue.tables["hosts"].columns["host_accelerators"].values)})
    any_number = usual_host(catalogue, gpu, math.inf)
    for size in sizes:
        host = usual_host(catalogue, gpu, size)
        if host != any_number:
            yield size, host
    yield None, any_number


def _holding(hosts: Table, host: str, count: float) -> str:
    """The host, or the larger one that its row names, that holds so many GPUs; none where no such one does."""
    for _ in hosts.ids:  # a chain that leads back is a fault of its file, and is not followed
        if host not in hosts.ids or count <= hosts.columns["host_accelerators"].values[hosts.row(host)]:
            return host
        host = hosts.text("larger", host)
    return ""


def _default_host() -> str:
    return str(dictionary()["host"].default)
