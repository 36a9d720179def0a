"""What a report says of its prices: which it bills, how old they are, until when they hold; the cost in shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import fsum

from memreport.advise.verdict import QUEUES
from memreport.catalogue.quantities import brief
from memreport.catalogue.records import Source, Table
from memreport.catalogue.terms.price_age import age_in_days, age_warnings, is_past, judged_on
from memreport.figures.money.cost import cost_total_usd, subtotal_usd
from memreport.frozen import frozen
from memreport.report.records.amounts import Amount
from memreport.report.records.money.bill import PriceFlag
from memreport.report.shares import share_of
from memreport.report.verdicts import queue, word_of
from memreport.report.view import View

NOT_NAMED = "none"
NO_PRICE = "no price"
"""What a report says where a scenario states none; never a zero."""

RUNS = "starts"
DOES_NOT_RUN = "does not fit"
CANNOT_START = f"{DOES_NOT_RUN}: the cost of a run that cannot start"
CUT_SHORT = "covers less time than the run needs"
"""What is said beside the costs of a variant, wherever they are shown."""

COST_PARTS = (*subtotal_usd.inputs, *(name for name in cost_total_usd.inputs if name != subtotal_usd.name))
"""The lines that add up to `cost_total_usd`, as its formula has them."""

RENTAL, PURCHASE = "price", "purchase_price"
CHOICES = {
    RENTAL: "usd_per_accelerator_hour",
    PURCHASE: "usd_per_accelerator",
    "energy_price": "usd_per_kilowatt_hour",
    "colocation": "usd_per_kilowatt_month",
    "site": "pue",
    "depreciation": "depreciation_years",
    "residual": "residual_share",
    "adders": "adder_share",
    "extras": "rent_extras_share",
    "grid": "grid_kg_per_kwh",
}
"""Every choice that the cost rests on, with the number that it supplies."""

PRICED = (RENTAL, PURCHASE, "energy_price", "colocation")
"""Those that are prices, which age; the others are conventions."""

OF_OWNERS = (PURCHASE, "energy_price", "site", "colocation", "depreciation", "residual", "adders")
"""Those that matter only where something is bought, or compared with renting."""

OF_RENTERS = (RENTAL, "extras")
REPLACED = "replaced by a number of the scenario's own"
AGE_WORDS = ("date", "valid_until", "rate_date")


@frozen
class PriceOffer:
    """What the price book says of a price in words; `amount` and `rate` what it was in another currency."""

    currency: str
    amount: str
    rate: str
    accelerator: str
    provider: str
    region: str
    term: str
    confidence: str
    date: str
    valid_until: str


@frozen
class PriceUse:
    """A price or convention that a variant's cost rests on: what is counted with, and who offers it.

    `age_days` is None where the scenario or the price has no date; `flags` are warnings that every report must show.
    """

    field: str
    id: str
    title: str
    counted: Amount
    offer: PriceOffer
    source: Source
    age_days: int | None
    overridden: bool
    flags: tuple[str, ...]


def as_of(view: View) -> str:
    """The day at which prices are judged: stated, else that of the last change; empty where there is neither."""
    return judged_on(view.scenario)


def valid_until(view: View) -> str:
    """The day until which the budget's prices hold, as the scenario states it; empty where it does not."""
    return view.scenario.price_terms.valid_until or ""


def prices_used(view: View, index: int) -> tuple[PriceUse, ...]:
    """The prices and conventions that a variant's cost rests on, rental first; none without a cost block."""
    return tuple(_uses(view, index)) if view.scenario.cost is not None else ()


def named_price(view: View, index: int, field: str) -> str:
    """Which price of the book a cost rests on, and of when, in brackets; "" where it is the scenario's own."""
    used = (use for use in prices_used(view, index) if use.field == field and not use.overridden)
    return next((f" ({use.id}, {use.offer.date})" for use in used), "")


def _uses(view: View, index: int) -> Iterator[PriceUse]:
    for name, column in CHOICES.items():
        table = view.table_of(name)
        row = int(view.resolved.codes[name][index]) - 1
        if table.ids[row] != NOT_NAMED and _matters(view, index, name):
            yield _use(view, index, name, column, {word: texts[row] for word, texts in table.texts.items()}, table, row)


def _matters(view: View, index: int, name: str) -> bool:
    """Whether a choice can move a figure that is shown: a tariff does not where nothing is bought or compared."""
    if name not in (RENTAL, PURCHASE) and CHOICES[name] in view.resolved.cases[index].overrides:
        return False
    energy = name == "energy_price" and not view.value("pays_energy", index)
    settings = view.resolved.cases[index].settings
    asked = (PURCHASE, RENTAL) if settings["rent_or_buy"] else (RENTAL if settings["basis"] == "rent" else PURCHASE,)
    paid = [price for price in asked if view.value(CHOICES[price], index) > 0]
    return not energy and (name not in OF_OWNERS or PURCHASE in paid) and (name not in OF_RENTERS or RENTAL in paid)


def _use(view: View, index: int, name: str, column: str, words: Mapping[str, str], table: Table, row: int) -> PriceUse:
    age = age_in_days(words["date"], as_of(view))
    overridden = column in view.resolved.cases[index].overrides
    return PriceUse(
        field=name,
        id=str(table.ids[row]),
        title=table.titles[row],
        counted=Amount(
            view.value(column, index),
            view.unit(column),
            view.text(column, index) + (" years" if column.endswith("_years") else ""),
        ),
        offer=PriceOffer(*(words.get(word.name, "") for word in fields(PriceOffer))),
        source=table.columns[column].sources[row],
        age_days=age,
        overridden=overridden,
        flags=(REPLACED,) if overridden else tuple(_flags(view, index, name, words)),
    )


def _flags(view: View, index: int, name: str, words: Mapping[str, str]) -> Iterator[str]:
    """Warnings in words: of its age, and of reserved hours that nobody states."""
    if name not in PRICED:
        return
    yield from age_warnings(view.scenario, {**dict.fromkeys(AGE_WORDS, ""), **words})
    if words.get("term", "").startswith("reserved") and not view.value("reserved_hours", index):
        yield "a reserved price, but no reserved_hours are stated: only the hours of use are billed"


def flags_of(use: PriceUse) -> tuple[PriceFlag, ...]:
    """The warnings about one price."""
    return tuple(PriceFlag(flag, use.id) for flag in use.flags)


def flags(view: View) -> tuple[PriceFlag, ...]:
    """Every warning about the prices of any variant, once."""
    every = (said for index in range(len(view.variants)) for use in prices_used(view, index) for said in flags_of(use))
    late = is_past(valid_until(view), as_of(view))
    own = (PriceFlag(f"the budget's prices were valid until {valid_until(view)}"),) if late else ()
    unused = (PriceFlag(said) for index in range(len(view.variants)) if (said := unused_words(view, index)))
    return (*own, *dict.fromkeys(unused), *dict.fromkeys(every))


def unused_words(view: View, index: int) -> str:
    """That more hours are reserved, and billed, than are used; nothing where they are not."""
    reserved, used = (view.value(name, index) if view.has(name) else 0.0 for name in ("reserved_hours", "wall_hours"))
    if not (reserved > used and view.value("rents", index)):
        return ""
    said = f"{brief(reserved, 'h')} of each GPU are reserved and billed for {brief(used, 'h')} of use"
    return said if view.workload == "training" else f"{said}: what a month costs bears all of them"


def cost_caveat(view: View, index: int) -> str:
    """That the costs of a variant are of a run that cannot start, or that is cut short; else nothing."""
    if view.scenario.cost is None:
        return ""
    short = view.has("training_hours") and view.value("training_hours", index) > view.value("hours", index)
    if word_of(view, index) == QUEUES:
        return f"{RUNS}, but queues: {queue(view, index)}"
    return CANNOT_START if not view.value("fits", index) else CUT_SHORT if short else ""


def cost_shares(view: View, index: int) -> dict[str, float]:
    """The part of the total that each line is; they add up to 1, or are all 0 where nothing is billed."""
    parts = {name: view.value(name, index) for name in COST_PARTS if name in view.lines}
    whole = fsum(parts.values())
    return {name: share_of(part, whole) for name, part in parts.items()}


def share_texts(shares: Mapping[str, float], decimals: int = 1) -> dict[str, str]:
    """Shares in percent, rounded so that what is printed adds up to 100 %: the largest rests are rounded up."""
    unit = 10 ** (decimals + 2)
    exact = {name: share * unit for name, share in shares.items()}
    whole = {name: int(share + 1e-9) for name, share in exact.items()}
    left = round(fsum(exact.values())) - sum(whole.values())
    for name in sorted(exact, key=lambda each: whole[each] - exact[each])[:left]:
        whole[name] += 1
    return {name: f"{part / 10**decimals:.{0 if part == unit else decimals}f} %" for name, part in whole.items()}
