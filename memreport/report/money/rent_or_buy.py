"""Rent against purchase over the scenario's horizon: cash paid so far by month, where the two cross, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from memreport.catalogue.names import title_of
from memreport.catalogue.quantities import brief
from memreport.figures.registry import shown_in
from memreport.report.records.report import RentOrBuy
from memreport.report.view import View

LINES = ("break_even_months", "yearly_rent_usd", "yearly_operating_usd", "capital_usd", "present_value_saving_usd")
"""Lines that are there only where rent and purchase both have a price."""

STEPS = 20
"""Into how many parts the life is cut for the curves."""

MONTHS_PER_YEAR = 12
HOURS_PER_DAY = 24
SCOPE = ("comparison_years", "comparison_use", "wall_hours")
"""What the comparison spans, and the time that is billed."""
_PRICES = {"price": "rental price", "purchase_price": "purchase price"}


def months_of(view: View, at: int) -> tuple[float, ...]:
    """Months at which the curves are drawn, from the purchase to the end of the horizon."""
    step = view.value("comparison_years", at) * MONTHS_PER_YEAR / STEPS
    months = [0.0]
    for _ in range(STEPS):
        months.append(months[-1] + step)
    return tuple(months)


def paid(view: View, at: int, month: float) -> tuple[float, float]:
    """US dollars paid until a month by renting, and by buying."""
    rent = view.value("yearly_rent_usd", at) * month / MONTHS_PER_YEAR
    running = view.value("yearly_operating_usd", at) * month / MONTHS_PER_YEAR
    return rent, view.value("capital_usd", at) + running


def scope_words(view: View, at: int) -> str:
    """Over how long both are compared, at which use, and that the bill is for another time."""
    years, used, hours = (view.value(name, at) for name in SCOPE)
    return (
        f"Compared over {_rounded(years)} years with the hardware used in {_rounded(100 * used)} % of all hours; "
        f"the bill is for {_rounded(hours)} hours ({_rounded(hours / HOURS_PER_DAY)} days)"
    )


def crossing_words(view: View, at: int) -> str:
    """From when buying is cheaper, or that it never is within the horizon."""
    cross, end = view.value("break_even_months", at), months_of(view, at)[-1]
    if cross <= end:
        return f"Buying is cheaper from month {_rounded(cross)}"
    return f"Buying does not pay within {_rounded(end)} months"


def _rounded(months: float) -> str:
    """One decimal, halves up, as a spreadsheet rounds and joins it to words."""
    return f"{math.floor(months * 10 + 0.5) / 10:.15g}"


def can_be_compared(view: View) -> bool:
    """Whether rent and purchase both have a price in every variant."""
    return LINES[0] in view.lines


def ownership_note(view: View, at: int) -> str:
    """Why there is no comparison; nothing where there is one."""
    if view.scenario.cost is None or not view.scenario.cost.rent_or_buy or can_be_compared(view):
        return ""
    gpu = view.setting("accelerator", at)
    lacking = [
        word
        for name, word in _PRICES.items()
        if any(view.value(_column(name), one) <= 0 for one in range(len(view.variants)))
    ]
    known = [word for name, word in _PRICES.items() if _is_in_book(view, name, at)]
    more = "".join(
        f" The price book has a {word} of {gpu}: name it under cost to compare." for word in known if word in lacking
    )
    return f"Renting and buying are not compared: no {' and no '.join(lacking)} is named.{more}"


def _column(name: str) -> str:
    return "usd_per_accelerator_hour" if name == "price" else "usd_per_accelerator"


def _is_in_book(view: View, name: str, at: int) -> bool:
    return view.resolved.cases[at].settings["accelerator"] in view.table_of(name).texts["accelerator"]


def rent_or_buy(view: View, at: int) -> RentOrBuy | None:
    """Both curves and what follows from them; None where either price lacks."""
    if not can_be_compared(view):
        return None
    months = months_of(view, at)
    curves = [paid(view, at, month) for month in months]
    cross, rows = view.value("break_even_months", at), shown_in("rent or buy", view.workload)
    return RentOrBuy(
        months=months,
        rented=tuple(rent for rent, _ in curves),
        bought=tuple(buy for _, buy in curves),
        crossing=cross if cross <= months[-1] else None,
        crossing_usd=paid(view, at, min(cross, months[-1]))[0],
        words=crossing_words(view, at),
        sentence=_sentence(view, at),
        rows=tuple((title_of(name), view.text(name, at), view.meaning(name)) for name in rows),
        crossing_text=brief(paid(view, at, min(cross, months[-1]))[0], "USD"),
        end_texts=(brief(curves[-1][0], "USD"), brief(curves[-1][1], "USD")),
        described=_described(view, at, months),
    )


def _described(view: View, at: int, months: Sequence[float]) -> str:
    """The curves in words: what is paid at the purchase, at half the time and at the end."""
    points = []
    for month in (months[0], months[len(months) // 2], months[-1]):
        rent, buy = (brief(value, "USD") for value in paid(view, at, month))
        points.append(f"month {_rounded(month)}: rented {rent}, bought {buy}")
    return f"Cash paid so far by month. {'; '.join(points)}. {crossing_words(view, at)}."


def _sentence(view: View, at: int) -> str:
    """The comparison in one paragraph, with what it leaves out."""
    even = view.value("break_even_utilisation", at)
    pays = f"from {view.text('break_even_utilisation', at)} of all hours" if even <= 1 else "at no utilisation"
    saved = view.value("present_value_saving_usd", at)
    side = "saves" if saved >= 0 else "costs"
    years = view.text("comparison_years", at)
    value = f"over {years} years buying {side} {brief(abs(saved), 'USD')} in today's money"
    reserved = ", all hours paid" if view.value("committed", at) else ""
    return (
        f"{scope_words(view, at)}. {crossing_words(view, at)}{reserved}; it pays {pays}; "
        f"{value}. Staff and storage cost the same either way and are left out; "
        f"the resale value counts in today's money only.{_left_out(view, at)}"
    )


ZERO_UNLESS_STATED = {
    "adder_share": "network and cabling", "yearly_facility_usd": "space or colocation",
    "freight_tax_share": "freight and import tax", "residual_share": "a value at the end",
}  # fmt: skip


def _left_out(view: View, at: int) -> str:
    """What the purchase is compared without, because nobody stated it."""
    names = [word for name, word in ZERO_UNLESS_STATED.items() if not view.value(name, at)]
    return f" Buying is counted without {', '.join(names)}: nothing is stated." if names else ""
