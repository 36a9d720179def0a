"""The cost that a question asks for, where the scenario states none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.hardware import OF_ITS_MACHINE, OWNED, RENT_OR_BUY, WHICH_GPU
from memreport.catalogue.question.money import (
    COSTS_TOO,
    allowances_said,
    colocation_said,
    energy_price_said,
    is_bought,
    lasting_said,
    prices_said,
    pue_said,
    purchase_price_said,
    share_of_the_hours,
    use_said,
)
from memreport.catalogue.question.numbers import Said, places_of
from memreport.catalogue.question.stated import block_of, question_of, variants_of
from memreport.catalogue.question.workload import CARBON, ENERGY
from memreport.catalogue.quotes.lowest import NO_PRICE, Bought, lowest_price
from memreport.catalogue.quotes.provider import MOST_NAMED, PriceAsked, prices_asked
from memreport.catalogue.records import BILLED, Table
from memreport.catalogue.tables.prices import ON_DEMAND, TIERS
from memreport.catalogue.unstated.hardware import leaves_gpu_open
from memreport.catalogue.unstated.model import hires_gpus
from memreport.catalogue.words.meaning import Read, WordRead, said_in_question
from memreport.catalogue.words.unread import SCALED_BY
from memreport.catalogue.yaml.strict import Document
from memreport.errors import plural

TIMES_PAID = ("hours", "months")
"""Fields of a cost that say how long a service is paid for."""
HORIZON = "horizon_years"
DISCOUNT, DISCOUNTS = "discount", {"rent": "price_discount", "buy": "purchase_discount"}
"""What is agreed on a price, and of which price by whether GPUs are rented or bought."""
OWN_PRICE, OWN_PURCHASE = "usd_per_accelerator_hour", "usd_per_accelerator"
AS_PURCHASE = "is read as the purchase price of one GPU, which is not stated"
AS_PRICES = "is read as the prices that are billed"
NOT_LISTED = "asks for prices that hardware/prices.yaml does not have for this GPU, so that the lowest is taken; it has"
AS_VARIANTS = "are read as the prices that are compared, the lowest of each"
PASSED_OVER = "names a further price, which is passed over: what it names first is billed"
AS_PRICE = "is read as the rent of one GPU, which is not stated"
AS_HORIZON = "is read as the time over which rent and purchase are compared, which is not stated"
LONGEST_HORIZON, MONTHS_PER_YEAR = 20, 12
"""Years that a comparison may span."""
AS_HOURS = "is read as the time that the service is paid for, which is not stated"
AT_LOWEST = {
    "rent": "the lowest on-demand price of a large cloud, of others where none has the GPU,",
    "buy": "the lowest purchase price that is known of the GPU",
}
AT_ASKED = "the lowest price of those that it asks for"
EVERYWHERE = "grid-world"
"""The mean of all grids, where nobody says whose it is."""
AS_PUE = "is read as the efficiency of the site, which is not stated"
AS_SPACE = "is read as the price of a contracted kilowatt in a month, which is not stated"
AS_GRID = "is read as the grid, which is not stated"
COUNTRIES = {"us": "usa|u\\.s\\.|(?<=the )us|united states|america", "uk": "uk|united kingdom|britain|england"}
"""Names of countries in questions, where these are not those of their grids."""
OTHER_COUNTRIES = re.compile(
    r"\b(?:poland|sweden|norway|denmark|iceland|netherlands|belgium|austria|switzerland|spain|portugal|italy|greece"
    r"|czechia|hungary|romania|bulgaria|estonia|latvia|lithuania|ukraine|russia|turkey|israel|saudi arabia|uae|qatar"
    r"|egypt|south africa|nigeria|kenya|india|pakistan|china|taiwan|japan|(?:south )?korea|singapore|malaysia|indonesia"
    r"|thailand|vietnam|philippines|australia|new zealand|canada|quebec|ontario|mexico|brazil|chile|argentina"
    r"|texas|california|virginia|oregon|europe|the eu)\b"
)
"""Countries and states of whose grids none is known here."""
MONEY = re.compile(
    rf"{COSTS_TOO}"
    r"|\bcosts?\b|\bprices?\b|\bmoney\b|\$|\busd\b|dollar|cheap|expensive|(?<!memory )(?<!gb )budget|\bpay\b|\bbill\b"
    r"|\bspend\b"
)


def with_cost_asked(document: Document, words: tuple[WordRead, ...], tables: Callable[[], Tables]) -> Read:
    """The scenario with a cost, where its question asks for one and prices of all its GPUs are known; and the words."""
    return _with_allowances(*_costed(document, words, tables))


def _with_allowances(document: Document, words: tuple[WordRead, ...]) -> Read:
    """A cost with the contingency, the tax and the discount that the question alone says."""
    data, cost = document.data, document.data.get("cost")
    if not isinstance(cost, dict):
        return document, words
    for name, said in allowances_said(question_of(data)).items():
        field = DISCOUNTS.get(str(cost.get("basis")), DISCOUNTS["rent"]) if name == DISCOUNT else name
        if not _is_stated(data, (field,)):
            cost = {field: said.value, **cost}
            words = (
                *words,
                said_in_question(said.words, f"is read as {field}, which is not stated", places=said.places),
            )
    return replace(document, data={**data, "cost": cost}), words


def _costed(document: Document, words: tuple[WordRead, ...], tables: Callable[[], Tables]) -> Read:
    """The scenario with a cost; and the words."""
    data, question = document.data, question_of(document.data)
    both = _both_bases(question) if _compares(data, question) else Said({}, "")
    if "cost" in data:
        return _with_stated_cost(document, words, both)
    document, words = _bought_at(document, words, question) if both.value else (document, words)
    prices = prices_said(question)
    if prices and len(prices) == max(len(_with_gpus(data)), 1):
        said = " and ".join(f"${price.value:g} an hour" for price in prices)
        word = said_in_question(said, AS_PRICE, places=places_of(prices))
        made = _at_prices(document, [price.value for price in prices], both.value)
        return made, (*words, *_as_hours(_lasting(data)), word)
    return _on_a_basis(document, words, tables(), both)


def _both_bases(question: str) -> Said[dict[str, Any]]:
    """That rent and purchase are compared, and over how many years where the question says how long."""
    lasting, share = lasting_said(question), use_said(question)
    months = lasting.value.get("months", 0.0) if lasting else 0.0
    horizon = {HORIZON: months / MONTHS_PER_YEAR} if 0 < months <= LONGEST_HORIZON * MONTHS_PER_YEAR else {}
    use = {"horizon_use": round(share.value, 4)} if share else {}
    return Said({"rent_or_buy": True, **horizon, **use}, "").with_(lasting if horizon else None, share)


def _with_stated_cost(document: Document, words: tuple[WordRead, ...], both: Said[dict[str, Any]]) -> Read:
    """The scenario whose cost is stated, with the comparison and the time that its question alone says."""
    data, cost = document.data, document.data["cost"]
    if not isinstance(cost, dict):
        return document, words
    lasting = None if both.value or _is_stated(data, TIMES_PAID) else _lasting(data)
    if HORIZON in both.value and HORIZON not in cost:
        words = (*words, said_in_question(f"{both.value[HORIZON]:g} years", AS_HORIZON))
    cost = {**both.value, **(lasting.value if lasting else {}), **cost}
    return replace(document, data={**data, "cost": cost}), (*words, *_as_hours(lasting))


def _is_stated(data: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether the cost of a scenario, or one of its variants, states one of some fields."""
    stated = f"{data['cost']}{data.get('variants', '')}{data.get('tables', '')}"
    return any(f"{name}'" in stated for name in names)


def _lasting(data: Mapping[str, Any]) -> Said[dict[str, float]] | None:
    """For how long the question of a service has it paid; hours a day are a share where bases are compared."""
    question = question_of(data)
    shared = _compares(data, question) and share_of_the_hours(question)
    return lasting_said(question) if data.get("workload") == "serving" and not shared else None


def _grid(question: str, tables: Tables) -> dict[str, str]:
    """The grid of a country that a question in small letters names, or the mean, where it asks for carbon dioxide."""
    return {"grid": next(iter(_grids(question, tables)), EVERYWHERE)} if re.search(CARBON, question) else {}


def _other_grids(question: str, tables: Tables) -> Sequence[str]:
    """The names of further countries that a question in small letters names, whose grids nothing computes."""
    if not re.search(CARBON, question):
        return ()
    return [*[*_grids(question, tables).values()][1:], *OTHER_COUNTRIES.findall(question)]


def _grids(question: str, tables: Tables) -> dict[str, str]:
    """Each grid whose country a question in small letters names, in its order, and the name there."""
    ids = [str(grid) for grid in tables["grids"].ids]
    called = {grid: COUNTRIES.get(name := grid.removeprefix("grid-"), name) for grid in ids}
    said = {grid: found for grid, words in called.items() if (found := re.search(rf"\b(?:{words})\b", question))}
    return {grid: said[grid][0] for grid in sorted(said, key=lambda each: said[each].start())}


def _as_hours(lasting: Said[dict[str, float]] | None) -> Iterator[WordRead]:
    for field, number in lasting.value.items() if lasting else ():
        yield said_in_question(
            f"{number:,.0f} {plural(field[:-1], f'{number:,.0f}')}", AS_HOURS, places=places_of([lasting])
        )


def _on_a_basis(document: Document, words: tuple[WordRead, ...], tables: Tables, both: Said[dict[str, Any]]) -> Read:
    """The scenario rented or bought at the lowest price, for as long as its question says; as it is without prices."""
    data, question = document.data, question_of(document.data)
    asked = prices_asked(question, tables["rental_prices"], _accelerators(data))
    hired = hires_gpus(question, data.get("model"))
    paid = both.value or len(asked) > 1 or hired or _is_paid(question, tables)
    open_ = bool(re.search(WHICH_GPU, question)) or leaves_gpu_open(words)
    basis = _basis_of(data, question, tables, paid=bool(paid or ("demand" in data and open_)))
    if not basis:
        return document, words
    asks = "asks for a cost, and none is stated" if paid else "asks which GPU, and prices decide between those that do"
    at = AT_LOWEST[basis] if not asked else AT_ASKED
    assumes = f"{asks}: cost: {{basis: {basis}}} at {at} is assumed"
    beside, read = _beside(data, question, tables)
    words = (*words, *read, said_in_question(basis, assumes, source="this program", places=both.places))
    bases = dict(both.value)
    if beside.get("months", 1) != 1:  # the comparison is as long as what is billed, and follows where that is changed
        bases.pop(HORIZON, None)
    document = replace(document, data={**data, "cost": {"basis": basis, **bases, **beside}})
    return (
        _as_asked(document, words, asked, tables["rental_prices"]) if asked and basis == "rent" else (document, words)
    )


def _basis_of(data: Mapping[str, Any], question: str, tables: Tables, *, paid: bool) -> str:
    """The basis that variants state, else the one on which the GPUs have prices, where these count."""
    if stated := [*_bases(data)]:
        return _of_variants(stated, tables)
    first = bool(re.search(f"{ENERGY}|{OWNED}", question) or is_bought(question))
    return _basis(set(_accelerators(data)), tables, buys=first) if paid else ""


def _is_paid(question: str, tables: Tables) -> bool:
    """Whether a question in small letters asks for money, or for what depends on who pays the power."""
    return bool(MONEY.search(question) or energy_price_said(question) or _grid(question, tables))


def _beside(data: Mapping[str, Any], question: str, tables: Tables) -> tuple[dict[str, Any], tuple[WordRead, ...]]:
    """What else a question says of a cost: for how long, on whose grid; and the words."""
    lasting, grid, pue = _lasting(data), _grid(question, tables), pue_said(question)
    said = {"pue": (pue, AS_PUE), "usd_per_kilowatt_month": (colocation_said(question), AS_SPACE)}
    stated = {name: (found, assumes) for name, (found, assumes) in said.items() if found}
    paid = {**(lasting.value if lasting else {}), **grid, **{name: found.value for name, (found, _) in stated.items()}}
    others = (said_in_question(each, SCALED_BY, source="this program") for each in _other_grids(question, tables))
    read = (*_as_hours(lasting), *(said_in_question(each, AS_GRID) for each in grid.values()), *others)
    return paid, (
        *read,
        *(said_in_question(found.words, assumes, places=found.places) for found, assumes in stated.values()),
    )


def _as_asked(document: Document, words: tuple[WordRead, ...], asked: Sequence[Said[PriceAsked]], table: Table) -> Read:
    """The scenario at the prices that its question asks for, a variant each; else what prices there are instead."""
    data, missing = document.data, [_not_listed(each) for each in asked if each.value.known]
    listed = [each for each in asked if not each.value.known]
    alone = len(listed) < 2 or data.get("variants") or leaves_gpu_open(words)
    if variants := {} if alone else dict(_billed(data, listed, table)):
        read = (said_in_question(", ".join(variants), AS_VARIANTS, places=places_of(listed)),)
        return replace(document, data={**data, "variants": variants}), (*missing, *words, *read)
    if not listed:
        return document, (*missing, *words)
    search = {"search": {**listed[0].value.settings, **block_of(data, "search")}}
    read = (said_in_question(listed[0].words, AS_PRICES, places=places_of(listed)),)
    others = [said_in_question(each.words, PASSED_OVER, source="this program") for each in listed[1:]]
    return replace(document, data={**data, **search}), (*missing, *others, *words, *read)


def _not_listed(asked: Said[PriceAsked]) -> WordRead:
    """What prices of the GPUs there are, where one that is asked for is none of them."""
    known, more = asked.value.known, len(asked.value.known) - MOST_NAMED
    listed = ", ".join((*known[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])))
    return said_in_question(asked.words, f"{NOT_LISTED} {listed}", source="this program", places=asked.places)


def _billed(data: Mapping[str, Any], asked: Sequence[Said[PriceAsked]], table: Table) -> Iterator[tuple[str, Any]]:
    """A variant for each price that is asked for: the lowest of its provider on its term."""
    hardware = block_of(data, "hardware")
    count = hardware.get("count", 1)
    if not isinstance(count, int):
        return
    bought = Bought(str(hardware.get("accelerator")), count, min(count, OF_ITS_MACHINE))
    for each in asked:
        term = next(iter(each.value.terms), ON_DEMAND)
        found = (
            lowest_price(table, replace(bought, tier=tier, term=term, provider=each.value.provider)) for tier in TIERS
        )
        yield each.value.called, {"cost.price": next((price for price in found if price != NO_PRICE), NO_PRICE)}


def _at_prices(document: Document, prices: Sequence[float], both: Mapping[str, Any]) -> Document:
    """The scenario rented at a price of its own, or each of its variants."""
    data, lasting = document.data, _lasting(document.data)
    cost = {"basis": "rent", **both, **(lasting.value if lasting else {})}
    named = _with_gpus(data)
    if not named:
        overrides = {**block_of(data, "overrides"), OWN_PRICE: prices[0]}
        return replace(document, data={**data, "cost": cost, "overrides": overrides})
    own = {name: {f"overrides.{OWN_PRICE}": price} for name, price in zip(named, prices, strict=True)}
    variants = {name: {**block, **own.get(name, {})} for name, block in variants_of(data).items()}
    return replace(document, data={**data, "cost": cost, "variants": variants})


def _bought_at(document: Document, words: tuple[WordRead, ...], question: str) -> Read:
    """The scenario at the purchase price that its question weighs against rent, where GPUs of one kind are named."""
    data, count = document.data, block_of(document.data, "hardware").get("count", 1)
    said = purchase_price_said(question, count if isinstance(count, int) else 1)
    if said is None or _with_gpus(data):
        return document, words
    overrides = {OWN_PURCHASE: said.value, **block_of(data, "overrides")}
    word = said_in_question(f"${said.value:,.0f}", AS_PURCHASE, places=said.places)
    return replace(document, data={**data, "overrides": overrides}), (*words, word)


def _with_gpus(data: Mapping[str, Any]) -> list[str]:
    """The variants that name a GPU."""
    return [name for name, block in variants_of(data).items() if "hardware.accelerator" in block]


def _compares(data: Mapping[str, Any], question: str) -> bool:
    """Whether rent is asked beside a purchase, where no variant states one of both."""
    return bool(re.search(f"{RENT_OR_BUY}|{OWNED}", question)) and "basis" not in str(data.get("variants"))


def _bases(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Whether each variant rents or buys, as far as it says so, and its GPU."""
    for block in variants_of(data).values():
        if "cost.basis" in block:
            yield str(block["cost.basis"]), str(block.get("hardware.accelerator") or next(_accelerators(data), ""))


def _of_variants(stated: Sequence[tuple[str, str]], tables: Tables) -> str:
    """The basis of the first variant, where each of the GPUs has a price for its own; else none."""
    known = all(basis in BILLED and gpu in tables[BILLED[basis][1]].texts["accelerator"] for basis, gpu in stated)
    return stated[0][0] if known else ""


def _basis(gpus: set[str], tables: Tables, *, buys: bool) -> str:
    """Rent where the prices of all GPUs are known, else a purchase; none where neither is, or no GPU is named.

    A purchase first where one is asked for, or the electricity that is drawn: who rents does not pay it apart.
    """
    known = [basis for basis, (_, title) in BILLED.items() if gpus and gpus <= {*tables[title].texts["accelerator"]}]
    return "buy" if buys and "buy" in known else next(iter(known), "")


def _accelerators(data: Mapping[str, Any]) -> Iterator[str]:
    """Every GPU that the scenario or one of its variants names."""
    named = (block.get("hardware.accelerator") for block in variants_of(data).values())
    yield from (str(name) for name in (block_of(data, "hardware").get("accelerator"), *named) if name)
