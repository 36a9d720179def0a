"""Variants side by side in a sentence: which costs least or is fastest, how sure that is, and what each comes to."""

from __future__ import annotations

from dataclasses import replace

from memreport.advise.asks import HOW_MUCH
from memreport.advise.candidates import Candidate, Role, cost_of
from memreport.advise.comparisons.side_by_side import SideBySide
from memreport.advise.search.measured import OF_TOKENS, SPEED, measured
from memreport.advise.verdict import DOES_NOT_FIT
from memreport.catalogue.quantities import brief
from memreport.report.answer.asking import Asking, listed, name_of, nearest_words, own_of, settings_of, shared_settings
from memreport.report.answer.needs import rented_instances
from memreport.report.answer.rows import for_period
from memreport.report.money.prices import RENTAL, prices_used
from memreport.report.speed.limits import running_at_once
from memreport.report.view import View

LEADS = {
    ("training", True): ("costs least", "cost the same"),
    ("training", False): ("is fastest", "are as fast"),
    ("serving", True): ("costs least {each}", "cost the same {each}"),
    ("serving", False): ("gives the most tokens", "give as many tokens"),
}
"""What one of several variants does, and what those do that lie within the error of the times, priced or not."""
OF_ANSWERS, OF_TEXTS = "a token of answers (prompts included)", "a text"
"""What a service's bill is shared out over."""
NOTHING = 1.005
"""A gain of less than this is none."""


def compare(asking: Asking) -> str:
    """The cheapest or fastest variants first, then what each comes to."""
    compared = asking.decision.compared
    if compared.changed:
        all_changed = compared.options
        view, first = View(all_changed.computed), all_changed.candidates[0]
        made = replace(asking, view=view, options=all_changed, chosen=first)
        beside = tuple(name for name in asking.chosen.changed if name not in compared.fields)
        settings = listed(settings_of(asking.view, replace(asking.chosen, changed=beside)))
        return f"none of {len(own_of(asking))} fits as submitted; with {settings}, {_side_by_side(made, compared)}"
    shared = shared_settings(asking.options.candidates)
    each = "both" if len(own_of(asking)) == 2 else "all"
    return f"{_side_by_side(asking, compared)}{shared and f'; {each}{shared}'}"


def _side_by_side(asking: Asking, compared: SideBySide) -> str:
    """The variants that run in their order, then those that do not fit."""
    own = own_of(asking)
    if not compared.running:
        return f"none of {len(own)} fits{_otherwise(asking)}"
    amounts = _at_price if compared.prices_alone else _amounts
    said = [f"{name_of(asking, each)} {amounts(asking, each)}" for each in compared.running]
    failing = [f"{name_of(asking, each)} does not fit" for each in own if each.word == DOES_NOT_FIT]
    first, *others = [*said, *failing]
    return f"{_lead(asking, compared, first)}{''.join(f'; {other}' for other in others)}"


def _otherwise(asking: Asking) -> str:
    """What holds the job, where no variant does."""
    chosen = asking.options.recommended
    return f"; it takes {listed(settings_of(asking.view, chosen))}" if chosen else nearest_words(asking)


def _lead(asking: Asking, compared: SideBySide, first: str) -> str:
    """Which is first, and by how much where that is asked, or which of them nobody can tell apart; then its amounts."""
    tied = [name_of(asking, each) for each in compared.tied]
    unsure = " within the error of the times" if len(tied) > 1 and _gain(compared) >= NOTHING else ""
    if said := _by_how_much(asking, compared):
        return f"{said}{unsure and ','}{unsure}: {first}"
    kind = "training" if compared.prices_alone else asking.view.workload
    alone, several = (lead.format(each=_each(asking)) for lead in LEADS[kind, compared.priced])
    if len(tied) > 1:
        return f"{listed(tied)} {several}{unsure}: {first}"
    said = f"only {tied[0]} fits" if len(own_of(asking)) > len(compared.running) == 1 else f"{tied[0]} {alone}"
    return f"{said}:{first.removeprefix(tied[0])}"


def _each(asking: Asking) -> str:
    """What one dollar in the bill of a service is over: tokens that it answers with, or texts that it encodes."""
    return OF_ANSWERS if asking.view.makes_tokens(asking.chosen.column) else OF_TEXTS


def _gain(compared: SideBySide) -> float:
    """How many times as fast, or as dear, the last of those that run is as the first; 1 for one alone."""
    computed, running = compared.options.computed, compared.running
    return measured(computed, running[-1]) / measured(computed, running[0])


def _by_how_much(asking: Asking, compared: SideBySide) -> str:
    """How the first of two differs from the other, where that is asked: `h100 is 2.05 times as fast as a100`."""
    gain = _gain(compared)
    if compared.prices_alone:
        return _less(asking, compared)
    if not HOW_MUCH.is_asked(asking.scenario) or len(compared.running) != 2 or gain < NOTHING:
        return ""
    best, other = (name_of(asking, each) for each in compared.running)
    if not compared.priced:
        return f"{best} is {brief(gain, '1')} times as fast as {other}"
    a_token = f" {_each(asking)}" if asking.view.workload == "serving" else ""
    return f"{best} costs {brief(round(1 - 1 / gain, 2), 'share')} less{a_token} than {other}"


def _less(asking: Asking, compared: SideBySide) -> str:
    """How much less the cheapest costs than the next, instances paid whole."""
    if len(compared.tied) > 1 or len(compared.running) < 2:
        return ""
    computed = compared.options.computed
    first, other = (cost_of(computed, each.column, in_wholes=True) for each in compared.running[:2])
    best, next_ = (name_of(asking, each) for each in compared.running[:2])
    filled = [cost_of(computed, each.column, in_wholes=False) for each in compared.running[:2]]
    wholes = "" if filled == [first, other] else ", instances paid whole"
    return f"{best} costs least, {brief(round(1 - first / other, 2), 'share')} less than {next_}{wholes}"


def _at_price(asking: Asking, candidate: Candidate) -> str:
    """What the job costs at a price, with the price and its date; of whole instances where these are not filled."""
    view, row = asking.view, asking.row(candidate, Role.AS_SUBMITTED)
    cost, index = row.takes.cost.amount.text if row.takes.cost else "", candidate.column
    rented = next((use for use in prices_used(view, index) if use.field == RENTAL), None)
    price = f" at {rented.counted.text} a GPU ({rented.offer.date})" if rented and not rented.overridden else ""
    held = " ".join(rented_instances(view, row)).removesuffix(".")
    return f"{cost}{for_period(view, index)}{price}{held and f' ({held[:1].lower()}{held[1:]})'}"


def _amounts(asking: Asking, candidate: Candidate) -> str:
    """The time and the cost of a run; the speed of a service, and what a million of its tokens cost."""
    view, row = asking.view, asking.row(candidate, Role.AS_SUBMITTED)
    if view.workload == "training":
        return listed([ends.text for ends in (row.takes.time, row.takes.cost) if ends])
    speed = brief(view.value(SPEED, candidate.column), view.unit_in(SPEED, candidate.column))
    at_once = {each.case.settings["max_num_seqs"] for each in asking.decision.compared.running}
    speed += f" with {running_at_once(view, candidate.column)}" if len(at_once) > 1 else ""
    if not asking.decision.compared.priced:
        return speed
    return f"{speed}, {brief(view.value(OF_TOKENS, candidate.column), 'USD')} a million"
