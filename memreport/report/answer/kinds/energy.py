"""How much energy is used and what is drawn, and whether that stays within what a question states."""

from __future__ import annotations

from memreport.advise.asks import (
    CARBON,
    COOLED,
    DRAWN,
    ENERGY_EACH,
    OF_A_MILLION,
    POWER,
    asks_for_yes_or_no,
    asks_of,
    watts_stated,
)
from memreport.advise.comparisons.amounts import gpus_within, kwh_of_a_million, most_drawn, of_each
from memreport.advise.verdict import DOES_NOT_FIT
from memreport.catalogue.quantities import brief
from memreport.report.answer.asking import Asking, first_variants, listed, name_of, of_chosen, own_of
from memreport.report.answer.rows import for_period
from memreport.report.speed.limits import REQUESTS, SPEED
from memreport.report.view import View

EACH = {REQUESTS: "a request", SPEED: "a token"}
"""What energy is told of, by the rate of it."""


def how_much_energy(asking: Asking) -> str:
    """Energy of the run or of the hours of a service, and its carbon dioxide where a grid is named."""
    view, index = asking.view, asking.chosen.column
    if each := _of_each(asking):
        return each
    names = ("energy_kwh", "carbon_kg", "energy_usd")
    energy, kilograms, usd = (view.value(name, index) if view.has(name) else 0.0 for name in names)
    paid = f" at {brief(usd, 'USD')}" if usd else ""
    carbon = f" and {brief(kilograms, 'kg')} of CO2" if kilograms else ""
    lacks = "; its CO2 is counted where `grid` of `cost:` names whose it is" if _asks_for_carbon(asking, carbon) else ""
    used = f"{_drawn(asking)}{brief(energy, 'kWh')}{paid}{carbon}{for_period(view, index)}{of_chosen(asking)}"
    return f"{_within(asking)}{used}{lacks}"


def _of_each(asking: Asking) -> str:
    """The energy of a token and of a request, where that is asked for: of each variant, the least first."""
    view, index = asking.view, asking.chosen.column
    if not ENERGY_EACH.is_asked(view.scenario) or not view.has(SPEED) or not view.value(SPEED, index):
        return ""
    site = f"hosts and cooling included (PUE {brief(view.value('pue', index), '1')})"
    own = [each for each in own_of(asking) if each.word != DOES_NOT_FIT]
    if "compare" not in asks_of(asking.scenario) or len(own) < 2:
        return f"{_joules(view, index)}, {site}{of_chosen(asking)}"
    least = sorted(own, key=lambda each: _per(view, SPEED, each.column))
    said = [f"{_joules(view, each.column)} with {name_of(asking, each)}" for each in least]
    return f"{first_variants(said)}; {site}"


def _per(view: View, rate: str, index: int) -> float:
    """Joules of one of what is made at a rate."""
    return of_each(view.value("site_watts", index), view.value(rate, index))


def _joules(view: View, index: int) -> str:
    """The energy of a request and of a token, and the tokens of a joule."""
    rates = [name for name in EACH if view.has(name) and view.value(name, index)]
    said = [f"{brief(_per(view, name, index), '1')} J {EACH[name]}" for name in rates]
    million = kwh_of_a_million(_per(view, SPEED, index))
    each = f", {brief(million, 'kWh')} a million tokens" if OF_A_MILLION.is_asked(view.scenario) else ""
    return f"{listed(said)} ({brief(1 / _per(view, SPEED, index), '1')} tokens a joule{each})"


def _drawn(asking: Asking) -> str:
    """The power at the meter where that is asked for, and what of it is not the GPUs' own."""
    view, index = asking.view, asking.chosen.column
    if not DRAWN.is_asked(view.scenario) or watts_stated(view.scenario):
        return ""
    pue = brief(view.value("pue", index), "1")
    return f"{brief(view.value('site_watts', index), 'W')} in the mean, hosts and cooling included (PUE {pue}), "


def _asks_for_carbon(asking: Asking, known: str) -> bool:
    return not known and CARBON.is_asked(asking.view.scenario)


def exceeds_what_is_stated(asking: Asking) -> bool:
    """Whether the power, or what it costs, is above what the question asks whether it is enough."""
    drawn, most, _ = _drawn_of_most(asking)
    return 0 < most < drawn


def _within(asking: Asking) -> str:
    """Yes or no, where a question asks whether an amount is enough; and for how many GPUs it is where it is not."""
    drawn, most, unit = _drawn_of_most(asking)
    if not most:
        return ""
    count = asking.view.value("accelerators", asking.chosen.column)
    kept = gpus_within(count, drawn, most)
    draw = f", with hosts they draw {brief(drawn, unit)} at most" if unit == "W" else ""
    enough = f", {brief(most, unit)} is enough for {kept:,.0f} of {count:,.0f} GPUs{draw}: "
    return f"No{enough}" if most < drawn else f"Yes{draw}: "


def _drawn_of_most(asking: Asking) -> tuple[float, float, str]:
    """What is drawn or paid for it, and what is stated of it, in their unit; no limit where none is asked about."""
    view, index = asking.view, asking.chosen.column
    asked = "how_much_energy" in asks_of(view.scenario) and asks_for_yes_or_no(view.scenario)
    if asked and (watts := watts_stated(view.scenario)):
        means = (view.value(name, index) for name in ("site_watts", "load_factor", "pue"))
        return most_drawn(*means, cooled=COOLED.is_asked(view.scenario)), watts, "W"
    paid = view.value("energy_usd", index) if asked and view.has("energy_usd") else 0.0
    most = asking.decision.plan.job.search.most_cost_usd if POWER.is_asked(view.scenario) else None
    return (paid, most, "USD") if paid and most else (0.0, 0.0, "")
