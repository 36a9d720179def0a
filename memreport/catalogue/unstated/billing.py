"""The cost that a question asks for, where the scenario states none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.hardware import CARBON, ENERGY, RENT_OR_BUY, WHICH_GPU
from memreport.catalogue.question.money import (
    COSTS_TOO,
    energy_price_said,
    lasting_said,
    prices_said,
    share_of_the_hours,
)
from memreport.catalogue.question.stated import block_of, question_of, variants_of
from memreport.catalogue.quotes.provider import MOST_NAMED, PriceAsked, price_asked
from memreport.catalogue.records import BILLED
from memreport.catalogue.words.reading import Read, WordRead, said_in_question
from memreport.catalogue.yaml.strict import Document

TIMES_PAID = ("hours", "months")
"""Fields of a cost that say how long a service is paid for."""
HORIZON = "horizon_years"
OWN_PRICE = "usd_per_accelerator_hour"
AS_PRICES = "is read as the prices that are billed"
NOT_LISTED = "asks for prices that hardware/prices.yaml does not have for this GPU, so that the lowest is taken; it has"
AS_PRICE = "is read as the rent of one GPU, which is not stated"
AS_HORIZON = "is read as the time over which rent and purchase are compared, which is not stated"
LONGEST_HORIZON, MONTHS_PER_YEAR = 20, 12
"""Years that a comparison may span."""
AS_HOURS = "is read as the time that the service is paid for, which is not stated"
AS_GRID = "is read as the grid, which is not stated"
COUNTRIES = {"us": "usa|u\\.s\\.|united states|america", "uk": "uk|united kingdom|britain|england"}
"""Names of countries in questions, where these are not those of their grids."""
MONEY = re.compile(
    rf"{COSTS_TOO}"
    r"|\bcosts?\b|\bprices?\b|\$|\busd\b|dollar|cheap|expensive|(?<!memory )budget|\bpay\b|\bbill\b|\bspend\b"
)


def with_cost_asked(document: Document, words: tuple[WordRead, ...], tables: Callable[[], Tables]) -> Read:
    """The scenario with a cost, where its question asks for one and prices of all its GPUs are known; and the words."""
    data, question = document.data, question_of(document.data)
    both = _both_bases(question) if _compares(data, question) else {}
    if "cost" in data:
        return _with_stated_cost(document, words, both)
    prices = prices_said(question)
    if prices and len(prices) == max(len(_with_gpus(data)), 1):
        said = " and ".join(f"${price:g} an hour" for price in prices)
        return _at_prices(document, prices), (*words, *_as_hours(_lasting(data)), said_in_question(said, AS_PRICE))
    return _on_a_basis(document, words, tables(), both)


def _both_bases(question: str) -> dict[str, Any]:
    """That rent and purchase are compared, and over how many years where the question says how long."""
    months = lasting_said(question).get("months", 0.0)
    horizon = {HORIZON: months / MONTHS_PER_YEAR} if 0 < months <= LONGEST_HORIZON * MONTHS_PER_YEAR else {}
    share = share_of_the_hours(question)
    return {"rent_or_buy": True, **horizon, **({"horizon_use": round(share, 4)} if share else {})}


def _with_stated_cost(document: Document, words: tuple[WordRead, ...], both: Mapping[str, Any]) -> Read:
    """The scenario whose cost is stated, with the comparison and the time that its question alone says."""
    data, cost = document.data, document.data["cost"]
    if not isinstance(cost, dict):
        return document, words
    lasting = {} if both or _is_stated(data, TIMES_PAID) else _lasting(data)
    if HORIZON in both and HORIZON not in cost:
        words = (*words, said_in_question(f"{both[HORIZON]:g} years", AS_HORIZON))
    return replace(document, data={**data, "cost": {**both, **lasting, **cost}}), (*words, *_as_hours(lasting))


def _is_stated(data: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether the cost of a scenario, or one of its variants, states one of some fields."""
    stated = f"{data['cost']}{data.get('variants', '')}{data.get('tables', '')}"
    return any(f"{name}'" in stated for name in names)


def _lasting(data: Mapping[str, Any]) -> dict[str, float]:
    """For how long the question of a service has it paid; hours a day are a share where bases are compared."""
    question = question_of(data)
    shared = _compares(data, question) and share_of_the_hours(question)
    return lasting_said(question) if data.get("workload") == "serving" and not shared else {}


def _grid(question: str, tables: Tables) -> dict[str, str]:
    """The grid of a country that a question in small letters names, where it asks for carbon dioxide."""
    asked = re.search(CARBON, question)
    ids = [str(grid) for grid in tables["grids"].ids]
    called = {grid: COUNTRIES.get(name := grid.removeprefix("grid-"), name) for grid in ids}
    named = (grid for grid, words in called.items() if re.search(rf"\b(?:{words})\b", question))
    found = next(named, "") if asked else ""
    return {"grid": found} if found else {}


def _as_hours(lasting: Mapping[str, float]) -> Iterator[WordRead]:
    yield from (said_in_question(f"{number:,.0f} {field}", AS_HOURS) for field, number in lasting.items())


def _on_a_basis(document: Document, words: tuple[WordRead, ...], tables: Tables, both: Mapping[str, Any]) -> Read:
    """The scenario rented or bought at the lowest price, for as long as its question says; as it is without prices."""
    data, question = document.data, question_of(document.data)
    drawn = bool(re.search(ENERGY, question))
    stated = [*_bases(data)]
    asked = price_asked(question, tables["rental_prices"], _accelerators(data))
    paid = both or _is_paid(question, tables)
    chosen = "demand" in data and re.search(WHICH_GPU, question)
    basis = _basis(set(_accelerators(data)), tables, drawn=drawn) if paid or chosen else ""
    basis = _of_variants(stated, tables) if stated else basis
    if not basis:
        return document, words
    asks = "asks for a cost, and none is stated" if paid else "asks which GPU, and prices decide between those that do"
    assumes = f"{asks}: cost: {{basis: {basis}}} at the lowest price of the GPU is assumed"
    beside, read = _beside(data, question, tables)
    words = (*words, *read, said_in_question(basis, assumes, source="this program"))
    if beside.get("months", 1) != 1:  # the comparison is as long as what is billed, and follows where that is changed
        both = {name: value for name, value in both.items() if name != HORIZON}
    document = replace(document, data={**data, "cost": {"basis": basis, **both, **beside}})
    return _as_asked(document, words, asked) if asked and basis == "rent" else (document, words)


def _is_paid(question: str, tables: Tables) -> bool:
    """Whether a question in small letters asks for money, or for what depends on who pays the power."""
    return bool(MONEY.search(question) or energy_price_said(question) or _grid(question, tables))


def _beside(data: Mapping[str, Any], question: str, tables: Tables) -> tuple[dict[str, Any], tuple[WordRead, ...]]:
    """What else a question says of a cost: for how long, on whose grid; and the words."""
    lasting, grid = _lasting(data), _grid(question, tables)
    return {**lasting, **grid}, (*_as_hours(lasting), *(said_in_question(each, AS_GRID) for each in grid.values()))


def _as_asked(document: Document, words: tuple[WordRead, ...], asked: PriceAsked) -> Read:
    """The scenario at the prices that its question asks for; else what prices there are instead."""
    if asked.known:
        more = len(asked.known) - MOST_NAMED
        listed = ", ".join((*asked.known[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])))
        return document, (said_in_question(asked.words, f"{NOT_LISTED} {listed}", source="this program"), *words)
    data = document.data
    search = {"search": {**asked.settings, **block_of(data, "search")}}
    return replace(document, data={**data, **search}), (*words, said_in_question(asked.words, AS_PRICES))


def _at_prices(document: Document, prices: Sequence[float]) -> Document:
    """The scenario rented at a price of its own, or each of its variants."""
    data, cost = document.data, {"basis": "rent", **_lasting(document.data)}
    named = _with_gpus(data)
    if not named:
        overrides = {**block_of(data, "overrides"), OWN_PRICE: prices[0]}
        return replace(document, data={**data, "cost": cost, "overrides": overrides})
    own = {name: {f"overrides.{OWN_PRICE}": price} for name, price in zip(named, prices, strict=True)}
    variants = {name: {**block, **own.get(name, {})} for name, block in variants_of(data).items()}
    return replace(document, data={**data, "cost": cost, "variants": variants})


def _with_gpus(data: Mapping[str, Any]) -> list[str]:
    """The variants that name a GPU."""
    return [name for name, block in variants_of(data).items() if "hardware.accelerator" in block]


def _compares(data: Mapping[str, Any], question: str) -> bool:
    """Whether rent is asked beside a purchase, where no variant states one of both."""
    return bool(re.search(RENT_OR_BUY, question)) and "basis" not in str(data.get("variants"))


def _bases(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Whether each variant rents or buys, as far as it says so, and its GPU."""
    for block in variants_of(data).values():
        if "cost.basis" in block:
            yield str(block["cost.basis"]), str(block.get("hardware.accelerator") or next(_accelerators(data), ""))


def _of_variants(stated: Sequence[tuple[str, str]], tables: Tables) -> str:
    """The basis of the first variant, where each of the GPUs has a price for its own; else none."""
    known = all(basis in BILLED and gpu in tables[BILLED[basis][1]].texts["accelerator"] for basis, gpu in stated)
    return stated[0][0] if known else ""


def _basis(gpus: set[str], tables: Tables, *, drawn: bool) -> str:
    """Rent where the prices of all GPUs are known, else a purchase; none where neither is, or no GPU is named.

    A purchase first where the electricity that is `drawn` is asked for: who rents does not pay it apart.
    """
    known = [basis for basis, (_, title) in BILLED.items() if gpus and gpus <= {*tables[title].texts["accelerator"]}]
    return "buy" if drawn and "buy" in known else next(iter(known), "")


def _accelerators(data: Mapping[str, Any]) -> Iterator[str]:
    """Every GPU that the scenario or one of its variants names."""
    named = (block.get("hardware.accelerator") for block in variants_of(data).values())
    yield from (str(name) for name in (block_of(data, "hardware").get("accelerator"), *named) if name)
