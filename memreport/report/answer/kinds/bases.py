"""In words, when a purchase pays beside rent, where some variants rent and others buy."""

from __future__ import annotations

from memreport.advise.asks import OF_A_GPU_HOUR, OWNED, asks_of
from memreport.advise.comparisons.bases import RentedAndBought
from memreport.advise.decide import Decision
from memreport.advise.verdict import DOES_NOT_FIT
from memreport.catalogue.quantities import brief
from memreport.figures.beside import owned_hour_usd
from memreport.frozen import frozen
from memreport.report.answer.rows import A_MONTH, period_words, purchase_text
from memreport.report.money.prices import PURCHASE, RENTAL, named_price
from memreport.report.money.quotes import quotes_shown
from memreport.report.money.rent_or_buy import (
    NEVER_PAYS,
    POINTS,
    can_be_compared,
    hosts_words,
    months_of,
    paid,
    rounded,
    verdict_words,
)
from memreport.report.records.money.quotes import QuoteRow
from memreport.report.view import View, shown

KINDS = (0.0, 1.0)
"""Offers to rent and to buy, as `quoted_purchase` says it."""
NEVER = 1e6
"""Uses after which no hardware is left to pay."""


def is_known(decision: Decision) -> bool:
    """Whether renting and buying can be compared, in one variant or between two."""
    return bool(decision.compared.bases) or can_be_compared(View(decision.computed))


def rent_or_buy(decision: Decision) -> str:
    """Which of both is cheaper for the variant that a decision is about, or what is not known of it."""
    view, bases = View(decision.computed), decision.compared.bases
    if bases and not can_be_compared(view):
        return bases_words(View(decision.options.computed), bases)
    if failing := _does_not_run(decision):
        return f"Not known: {failing} does not fit, so that there is nothing to compare"
    choice = offers_to_choose(decision)
    return offers_words(choice) if choice else _of_budget(view, view.column_of(decision.chosen))


def _of_budget(view: View, index: int) -> str:
    """The verdict at the prices of the budget, with what its purchase holds."""
    if not can_be_compared(view):
        return verdict_words(view, index)
    rent, capital = view.text("usd_per_accelerator_hour", index), brief(view.value("capital_usd", index), "USD")
    rented = f"at a rent of {rent} a GPU{named_price(view, index, RENTAL)}"
    held = f"the purchase, {capital}{named_price(view, index, PURCHASE)}, {hosts_words(view, index)}"
    return f"{verdict_words(view, index)}; {rented}; {held}"


@frozen
class OfferChoice:
    """The cheapest offers to rent and to buy, for one variant.

    `months` after which the purchase has paid, `use` of the hours from which it does; `end` is the last month compared.
    """

    rented: QuoteRow
    bought: QuoteRow
    months: float
    use: float
    end: float

    @property
    def buys(self) -> bool:
        """Whether the purchase has paid within the months that are compared."""
        return self.months <= self.end

    @property
    def in_order(self) -> tuple[QuoteRow, QuoteRow]:
        """Both, the one that is advised first."""
        return (self.bought, self.rented) if self.buys else (self.rented, self.bought)


def offers_to_choose(decision: Decision) -> OfferChoice | None:
    """The cheapest quotes to rent and to buy, where rent or buy is asked and both stand beside the scenario."""
    view = View(decision.computed)
    index, found = view.column_of(decision.chosen), decision.comparisons.quotes
    quotes = quotes_shown(view, found, index)
    first = {row.terms["quoted_purchase"]: row for row in quotes.rows if row.standing.rank == 1} if quotes else {}
    if found is None or len(first) < len(KINDS) or len({row.variant for row in first.values()}) > 1:
        return None
    rented, bought = (first[kind] for kind in KINDS)
    weighed, column = found.weighed.get((rented.id, bought.id)), view.column_of(rented.variant)
    end = months_of(view, index)[-1]
    if weighed is None or not end or "rent_or_buy" not in asks_of(view.scenario):
        return None
    return OfferChoice(rented, bought, float(weighed.months[column]), float(weighed.use[column]), end)


def offers_words(choice: OfferChoice) -> str:
    """Which of both offers is cheaper over the months that are compared."""
    rented, bought = choice.rented, choice.bought
    signed = f"{bought.amounts.signed} to sign"
    used = (
        f"against that rent it pays from {shown(choice.use, 'share')} of all hours" if choice.use <= 1 else NEVER_PAYS
    )
    offers = f"{rented.vendor} ({rented.id}) rents at {rented.offer.price}, {rented.offer.term}"
    when = f"by month {rounded(min(choice.months, choice.end))}"
    if choice.buys:
        verdict = f"Buy from {bought.vendor} ({bought.id}): {signed} has paid {when}"
    else:
        verdict = f"Rent from {rented.vendor}: {signed} at {bought.vendor} ({bought.id}) has not paid {when}"
    return f"{verdict}, as {offers}; {used}"


def ownership_words(decision: Decision) -> str:
    """What GPUs cost that are bought and run over the time that is compared, and rented as long; "" where not known."""
    view = View(decision.computed)
    index = view.column_of(decision.chosen)
    if not OWNED.is_asked(view.scenario) or not can_be_compared(view):
        return ""
    rent, owned = (brief(usd, "USD") for usd in paid(view, index, POINTS[-1]))
    capital, yearly = (brief(view.value(name, index), "USD") for name in ("capital_usd", "yearly_operating_usd"))
    years = view.text("comparison_years", index)
    held = f"the purchase, {capital}, {hosts_words(view, index)}; energy, space and support come to {yearly} a year"
    hour = brief(view.value("usd_per_accelerator_hour", index), "USD")
    rented = f"Rented as long, at {hour} a GPU-hour, it is {rent}"
    return f"{_owned_hour(view, index)}{owned} to own over {years} years: {held}. {rented}"


def _owned_hour(view: View, index: int) -> str:
    """What an hour of one GPU that is bought costs while it is used, where a question asks for that."""
    if not OF_A_GPU_HOUR.is_asked(view.scenario):
        return ""
    used = brief(view.value("comparison_use", index), "share")
    usd = view.beside(owned_hour_usd.name, index)
    return f"{brief(usd, 'USD')} for each GPU-hour that is used, {used} of all: "


def _does_not_run(decision: Decision) -> str:
    """The first variant that does not fit, where some rent, some buy, and all of one kind do not; else nothing."""
    view = View(decision.options.computed)
    own = [each for each in decision.options.candidates if each.own]
    kinds = [[each for each in own if view.buys(each.column) == buys] for buys in (False, True)]
    failing = [kind[0] for kind in kinds if kind and all(each.word == DOES_NOT_FIT for each in kind)]
    return failing[0].case.name if all(kinds) and failing else ""


def bases_words(view: View, bases: RentedAndBought) -> str:
    """Up to how many uses renting costs less, and what both cost."""
    rented, bought = bases.rented, bases.bought
    each, several = _use(view, rented.column)
    rent, then = brief(rented.cost, "USD"), brief(bases.owned_use_usd, "USD")
    capital = purchase_text(view, bought.column)
    costs = f"{rented.case.name} costs {rent} {each}, {bought.case.name} {capital} once and {then} {each}"
    if bases.break_even_uses > NEVER:
        return f"Rent: buying never pays, as {costs}"
    if bases.break_even_uses < 1:
        return f"Buy, as renting costs less only for a part of {'a run' if each == 'a run' else 'that time'}: {costs}"
    least = brief(bases.break_even_uses, "1")
    return f"Rent for up to {least} {several}, buy for more: {costs}"


def _use(view: View, index: int) -> tuple[str, str]:
    """One use and several: a run, or the period that a service is billed for."""
    if view.workload == "training":
        return "a run", "runs"
    period = period_words(view, index)
    return (A_MONTH, "months") if period == A_MONTH else (f"for {period}", f"times {period}")
