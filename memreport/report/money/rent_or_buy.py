"""Rent against purchase over the scenario's horizon: cash paid so far by month, where the two cross, in words."""

from __future__ import annotations

import math

from memreport.catalogue.names import title_of
from memreport.catalogue.quantities import brief
from memreport.catalogue.tables.prices import OWN_PRICES, WITH_HOST, WITHOUT_HOST
from memreport.figures.beside import CURVE_PARTS
from memreport.figures.registry import shown_in
from memreport.report.records.money.ownership import Crossing, PaidByMonth, RentOrBuy
from memreport.report.view import View

LINES = ("break_even_months", "yearly_rent_usd", "yearly_operating_usd", "capital_usd", "present_value_saving_usd")
"""Lines that are there only where rent and purchase both have a price."""

POINTS = tuple(map(str, range(CURVE_PARTS + 1)))
"""Places at which the curves are drawn, from the purchase to the end of the horizon."""
CROSSING = "crossing"
"""Where the curves cross, or the end of the horizon where they do not."""
PERCENT = 0.01
SCOPE = ("comparison_years", "comparison_use", "wall_hours")
"""What the comparison spans, and the time that is billed."""
NEVER, NO_SAVING = 10_000, "Buying never pays"
"""Months after which no hardware is left to pay."""
NEVER_PAYS = "it would not pay in use all hours"
HOLDS = {
    WITH_HOST: "includes hosts",
    WITHOUT_HOST: "is of GPUs alone, without hosts and network",
    "": "is at a price that does not say whether hosts are in it",
}
_PRICES = {"price": "rental price", "purchase_price": "purchase price"}


def months_of(view: View, index: int) -> tuple[float, ...]:
    """Months at which the curves are drawn."""
    return tuple(view.beside(f"month.{point}", index) for point in POINTS)


def paid(view: View, index: int, point: str) -> tuple[float, float]:
    """US dollars paid until a point of the curves by renting, and by buying."""
    return view.beside(f"rented_until_usd.{point}", index), view.beside(f"bought_until_usd.{point}", index)


def of_one_run(view: View, index: int) -> bool:
    """Whether nobody states over how long a training is compared, so that the run alone is."""
    return view.workload == "training" and not view.value("horizon_years", index)


def scope_words(view: View, index: int) -> str:
    """Over how long both are compared, at which use, and that the bill is for another time."""
    years, used, hours = (view.value(name, index) for name in SCOPE)
    if of_one_run(view, index):
        return f"Compared over the {rounded(hours)} h billed (no horizon)"
    return (
        f"Compared from year 0 to {rounded(years)} with the hardware used in {rounded(used / PERCENT)} % "
        f"of all hours; the bill is for {rounded(hours)} h"
    )


def prices_words(view: View) -> str:
    """Whose prices are compared, where quotes to rent and to buy stand beside them, of which the answer speaks."""
    kinds = {quote.buys for quote in view.resolved.loaded.quotes}
    return "At the prices of this budget, not at those of the quotes: " if len(kinds) > 1 else ""


def crossing_words(view: View, index: int) -> str:
    """From when buying is cheaper, or that it never is within the horizon."""
    cross, end = view.value("break_even_months", index), months_of(view, index)[-1]
    if of_one_run(view, index):
        return f"Buying pays after {rounded(cross)} months of such use" if cross < NEVER else NO_SAVING
    if cross <= end:
        return f"Buying is cheaper from month {rounded(cross)}"
    return f"Buying does not pay by month {rounded(end)}"


def verdict_words(view: View, index: int) -> str:
    """Which of both is cheaper over the horizon, at which use, and from which use buying pays; or what it takes."""
    if not can_be_compared(view):
        return f"Not known: {_why_not(view, index)}"
    side = "Buy" if view.value("break_even_months", index) <= months_of(view, index)[-1] else "Rent"
    words = crossing_words(view, index)
    words = f"{words[:1].lower()}{words[1:]}"
    if of_one_run(view, index):
        rent, buy = paid(view, index, POINTS[-1])[0], view.value("capital_usd", index)
        return f"{side}: rent for the run is {brief(rent, 'USD')}, the purchase {brief(buy, 'USD')}; {words}"
    used = brief(view.value("comparison_use", index), "share")
    return f"{side}: {words}, in use {used} of the hours; {_pays(view, index)}"


def pays_to_buy(view: View, index: int) -> bool:
    """Whether buying is cheaper within the horizon; never of one run, which nobody buys hardware for."""
    if not can_be_compared(view) or of_one_run(view, index):
        return False
    return view.value("break_even_months", index) <= months_of(view, index)[-1]


def hosts_words(view: View, index: int) -> str:
    """What the purchase holds beside the GPUs, as far as that is known: the rest of a sentence about it."""
    share = view.value("adder_share", index)
    counted = f"counts hosts and their network as {brief(share, 'share')} on top of the GPUs"
    return counted if share else held_words(view, index)


def held_words(view: View, index: int) -> str:
    """Whether hosts are in the purchase price, where nothing is counted on top of it."""
    case = view.resolved.cases[index]
    of_the_book = OWN_PRICES[1] not in case.overrides
    return HOLDS[view.table_of("purchase_price").text("host", case.settings["purchase_price"]) if of_the_book else ""]


def _pays(view: View, index: int) -> str:
    """From which use on buying pays."""
    even = view.value("break_even_utilisation", index)
    return f"it pays from {view.text('break_even_utilisation', index)} of all hours" if even <= 1 else NEVER_PAYS


def rounded(months: float) -> str:
    """One decimal, halves up, as a spreadsheet rounds and joins it to words."""
    return f"{math.floor(months * 10 + 0.5) / 10:.15g}"


def can_be_compared(view: View) -> bool:
    """Whether rent and purchase both have a price in every variant."""
    return LINES[0] in view.lines


def ownership_note(view: View, index: int) -> str:
    """Why there is no comparison; nothing where there is one, or none was asked for."""
    if view.scenario.cost is None or not view.scenario.cost.rent_or_buy or can_be_compared(view):
        return ""
    return f"Renting and buying are not compared: {_why_not(view, index)}."


def _why_not(view: View, index: int) -> str:
    """What a comparison lacks, and which prices the book has for it."""
    lacking = [name for name in _PRICES if any(_unpriced(view, name, each) for each in range(len(view.variants)))]
    if not lacking:
        return "cost.rent_or_buy: true compares both"
    known = [f"cost.{name}" for name in lacking if _is_in_book(view, name, index)]
    said = f"no {' and no '.join(_PRICES[name] for name in lacking)} is stated"
    return f"{said}; the price book has some of this GPU for {' and '.join(known)}" if known else said


def _unpriced(view: View, name: str, index: int) -> bool:
    return view.value("usd_per_accelerator_hour" if name == "price" else "usd_per_accelerator", index) <= 0


def _is_in_book(view: View, name: str, index: int) -> bool:
    return view.resolved.cases[index].settings["accelerator"] in view.table_of(name).texts["accelerator"]


def rent_or_buy(view: View, index: int) -> RentOrBuy | None:
    """Both curves and what follows from them; None where either price lacks."""
    if not can_be_compared(view):
        return None
    months = months_of(view, index)
    curves = [paid(view, index, point) for point in POINTS]
    rented_at_crossing, _ = paid(view, index, CROSSING)
    cross, rows = view.value("break_even_months", index), shown_in("rent or buy", view.workload)
    return RentOrBuy(
        paid=PaidByMonth(
            months,
            tuple(rent for rent, _ in curves),
            tuple(buy for _, buy in curves),
            (brief(curves[-1][0], "USD"), brief(curves[-1][1], "USD")),
        ),
        crossing=Crossing(
            cross if cross <= months[-1] else None,
            rented_at_crossing,
            brief(rented_at_crossing, "USD"),
            crossing_words(view, index),
        ),
        sentence=_sentence(view, index),
        rows=tuple((title_of(name), view.text(name, index), view.meaning(name)) for name in rows),
        described=_described(view, index),
        drawn=not of_one_run(view, index),
    )


def _described(view: View, index: int) -> str:
    """The curves in words: what is paid at the purchase, at half the time and at the end."""
    points = []
    for point in (POINTS[0], POINTS[len(POINTS) // 2], POINTS[-1]):
        rent, buy = (brief(value, "USD") for value in paid(view, index, point))
        points.append(f"month {rounded(view.beside(f'month.{point}', index))}: rented {rent}, bought {buy}")
    return f"Cash paid so far by month. {'; '.join(points)}. {crossing_words(view, index)}."


def _sentence(view: View, index: int) -> str:
    """The comparison in one paragraph, with what it leaves out."""
    saved = view.value("present_value_saving_usd", index)
    side = "saves" if saved >= 0 else "costs"
    one_run = of_one_run(view, index)
    span = "the run" if one_run else f"{view.text('comparison_years', index)} years"
    value = f"over {span} buying {side} {brief(abs(saved), 'USD')} in today's money"
    reserved = ", all hours paid" if view.value("committed", index) else ""
    pays = "" if one_run else f"; {_pays(view, index)}"
    return (
        f"{prices_words(view)}{scope_words(view, index)}. {crossing_words(view, index)}{reserved}{pays}; "
        f"{value}. Staff and storage cost the same either way and are left out; "
        f"the resale value counts in today's money only.{_left_out(view, index)}"
    )


ZERO_UNLESS_STATED = {
    "adder_share": "network and cabling", "yearly_facility_usd": "space or colocation",
    "freight_tax_share": "freight and import tax", "residual_share": "a value at the end",
}  # fmt: skip


def _left_out(view: View, index: int) -> str:
    """What the purchase is compared without, because nobody stated it."""
    names = [word for name, word in ZERO_UNLESS_STATED.items() if not view.value(name, index)]
    return f" Buying is counted without {', '.join(names)}: nothing is stated." if names else ""
