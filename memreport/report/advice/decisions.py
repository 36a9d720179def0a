"""What a reader of a budget is asked to decide: what to approve or sign, and what to check before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memreport.advise.asks import A_QUOTE, asks_of_each
from memreport.advise.candidates import Role
from memreport.advise.verdict import DOES_NOT_FIT
from memreport.catalogue.quantities import brief, display
from memreport.catalogue.terms.price_age import judged_on
from memreport.report.answer.budget import Batch, booked_words, unstarted
from memreport.report.answer.kinds.bases import OfferChoice
from memreport.report.answer.needs import others_words, whole_usd
from memreport.report.answer.rows import gpu_hours_words, period_words, purchase_text, used_words
from memreport.report.answer.settings import accelerator_words
from memreport.report.money.quotes import NOT_JUDGED, against_budget
from memreport.report.money.rent_or_buy import can_be_compared, hosts_words, pays_to_buy, rounded
from memreport.report.records.decision import Answer, OptionRow
from memreport.report.records.money.quotes import QuoteRow, QuotesShown
from memreport.report.view import View

STATE_IT = "Before: state what was assumed; another choice changes the verdict."
"""What to do about an input that decides and that nobody stated."""
ELSEWHERE = {Role.CHEAPEST_NUMBER: "on another number of these GPUs", Role.CHEAPEST_ELSEWHERE: "on other GPUs"}
SHORT_RUN = "Before: a short run on the same GPUs to confirm the time"


@dataclass(frozen=True)
class Deciding:
    """What decisions are made of: the option that a budget is about, vendors' offers, a batch that is asked for."""

    view: View
    index: int
    answer: Answer
    batch: Batch
    quotes: QuotesShown | None
    stale: Sequence[str]
    doubt: str
    choice: OfferChoice | None = None
    """Offers of which the answer on rent or buy is."""

    @property
    def offers(self) -> list[QuoteRow]:
        """The cheapest to rent and to buy, where it is asked which offer is taken, or whether to rent or to buy."""
        if self.choice:
            return [*self.choice.in_order]
        asked = self.quotes is not None and A_QUOTE.is_asked(self.view.scenario)
        return [row for row in self.quotes.rows if row.standing.rank == 1] if self.quotes and asked else []


def decisions_needed(about: Deciding) -> tuple[str, ...]:
    """One line each, in the order in which they are decided."""
    said = list(_decisions(about))
    if about.quotes and about.quotes.sentence and not about.offers:
        said.append(about.quotes.sentence)
    return (*said, *([STATE_IT] if about.doubt else []))


def _decisions(about: Deciding) -> Iterator[str]:
    """What a reader is asked to sign, and what to check before."""
    view, index, chosen = about.view, about.index, about.answer.chosen
    if chosen.serves.lacks:
        yield f"Do not book {chosen.gpus.hardware} for this job: {chosen.serves.lacks}."
        yield from _alternatives(about.answer.options)
        return
    if chosen.word == DOES_NOT_FIT:
        yield f"Do not book {chosen.gpus.hardware} for this job: {_refused(view, chosen)}."
        yield from _alternatives(about.answer.options)
        return
    yield from _signed(about) if about.offers else _approvals(about)
    yield from _cheaper(about)
    if "rent_or_buy" in about.answer.asks and can_be_compared(view) and not about.offers:
        yield _confirmed(view, index)
    if about.stale and judged_on(view.scenario):
        yield "Before: ask for a current price; the one in this budget is too old."
    if view.workload == "training" and chosen.takes.cost and not view.buys(index):
        each = brief(view.beside("longer_run_usd", index), "USD")
        yield f"{SHORT_RUN}{'' if about.offers else f'; each 10 % is worth about {each}'}."


def _confirmed(view: View, index: int) -> str:
    """What to make sure of before hardware is bought, or rented where the answer is to rent."""
    if _buys_instead(view, index):
        return "Before: ask for an offer of the purchase, with hosts and network; the pages behind count renting."
    bought = brief(view.value("capital_usd", index), "USD")
    does = "buying" if view.buys(index) else "renting"
    return f"Before: confirm {does}, as this budget does; the purchase is {bought} (see Rent or buy)."


def _buys_instead(view: View, index: int) -> bool:
    """Whether a budget that rents is answered with a purchase."""
    return not view.buys(index) and pays_to_buy(view, index)


def _refused(view: View, chosen: OptionRow) -> str:
    """Why it does not run."""
    if view.workload == "serving" and chosen.column in unstarted(view):
        return "its engine would not start"
    return "it would run out of memory"


def _signed(about: Deciding) -> Iterator[str]:
    """The offers that are cheapest, and at which price all else on these pages is counted."""
    said = [f"the offer of {offer.vendor} ({offer.id}): {_offered(about, offer)}" for offer in about.offers]
    if about.choice:
        yield f"Sign {said[0]}."
        yield f"Or, to {'rent' if about.choice.buys else 'buy'} instead, {said[1]}."
    else:
        yield f"Sign {'either ' if len(said) > 1 else ''}{'; or '.join(said)}."
    if not judged_on(about.view.scenario):
        yield f"Before: ask {NOT_JUDGED}."
    cost = about.answer.chosen.takes.cost
    if cost and not about.view.buys(about.index):
        price = _price(about.view, about.index).removeprefix(", ")
        yield f"All else in this budget is counted {price}: {cost.text}."


def _offered(about: Deciding, offer: QuoteRow) -> str:
    """What an offer is of, at which price, and what it comes to."""
    view = about.view
    gpus = f"{offer.figures['quote_accelerators']:,.0f} × {accelerator_words(view, offer.accelerator)}"
    whole = "the order" if offer.terms["quoted_purchase"] else _lasting(about, offer)
    other = f" for {offer.variant}" if offer.variant != view.variants[about.index].name else ""
    lacking = f", without {offer.offer.missing}" if offer.offer.lacking else ""
    until = f"; valid {offer.offer.state}" if offer.offer.valid_until else ""
    price, beside = f"{offer.offer.price}, {offer.amounts.signed} for {whole}", _beside_budget(about, offer)
    return f"{gpus}{other} at {price}{lacking}; {beside}{until}"


def _beside_budget(about: Deciding, offer: QuoteRow) -> str:
    """What the job bears of an offer, against what is budgeted for it."""
    job = f"the job bears {offer.amounts.total}, " if offer.amounts.signed != offer.amounts.total else ""
    return f"{job}{against_budget(offer, about.view.value('cost_total_usd', about.index))}"


def _lasting(about: Deciding, offer: QuoteRow) -> str:
    """The time that an amount to sign is for: the term of the offer, or the job's."""
    hours = about.view.value("wall_hours", about.view.column_of(offer.variant))
    if offer.amounts.signed != offer.amounts.total or offer.figures["quote_hours"] > hours:
        return offer.offer.term.partition(",")[0]
    return "the run" if about.view.workload == "training" else period_words(about.view, about.index)


def _approvals(about: Deciding) -> Iterator[str]:
    """What to approve: a purchase, or hours at a price; of a different job only where that is wanted."""
    view, index, chosen = about.view, about.index, about.answer.chosen
    approve, hardware = "Approve", chosen.gpus.hardware
    if chosen.role is Role.DIFFERENT_JOB:
        yield "Decide whether the different job is wanted: its result is not that of the job as submitted."
        approve = "If so, approve"
    if purchase := purchase_text(view, index):
        yield f"{approve} the purchase of {hardware} for {purchase}; {used_words(view, index)}."
        return
    if "rent_or_buy" in about.answer.asks and _buys_instead(view, index):
        when = f"it has paid by month {rounded(view.value('break_even_months', index))}"
        bought = brief(view.value("capital_usd", index), "USD")
        yield f"{approve} the purchase of {hardware} for {bought}, which {hosts_words(view, index)}: {when}."
        approve = "Or, to rent instead, approve" if approve == "Approve" else approve
    booked = f"; {said}" if (said := booked_words(view, index)) else ""
    named = f" ({chosen.name})" if chosen.own and asks_of_each(view.scenario) else ""
    submitted = about.answer.options[0].gpus.hardware if about.answer.options else hardware
    instead = "" if named or submitted == hardware else f" instead of {submitted}"
    paid = f"{_to_pay(about)}{_price(view, index)}{booked}"
    yield f"{approve} {_amount(about)}{named} on {hardware}{instead}{paid}."


def _to_pay(about: Deciding) -> str:
    """What is paid: whole instances where the job leaves GPUs of them idle, which other jobs may pay for."""
    view, index, chosen = about.view, about.index, about.answer.chosen
    amount = about.batch.cost or chosen.takes.cost
    if not amount or not chosen.takes.cost:
        return ""
    whole = 0.0 if about.batch.cost else whole_usd(view, chosen, index)
    if not whole:
        return f", {amount.text}"
    alone = f"{amount.amount.text} if {others_words(view, chosen, index)}"
    return f", {brief(whole, 'USD')} for whole instances ({alone})"


def _cheaper(about: Deciding) -> Iterator[str]:
    """What costs less on GPUs other than those that were submitted, where the answer itself does not say it."""
    said = about.view.buys(about.index) or about.offers or about.view.scenario.demand is not None
    rented = None if said else about.answer.chosen.takes.cost
    for option in about.answer.options:
        less = rented and option.takes.cost and option.takes.cost.amount.value < rented.amount.value
        if less and option.takes.cost and option.role in ELSEWHERE:
            yield f"Or, cheaper {ELSEWHERE[option.role]}: {option.title}, {option.takes.cost.text}."


def _alternatives(options: Sequence[OptionRow]) -> Iterator[str]:
    fits = [option for option in options if option.word != DOES_NOT_FIT and not option.serves.lacks]
    if fits:
        yield f"Decide between: {'; '.join(f'{fit.role_words}, {fit.title}' for fit in fits)}."


def _amount(about: Deciding) -> str:
    chosen, batch = about.answer.chosen, about.batch
    if about.view.workload == "training":
        return gpu_hours_words(chosen)
    if batch.hours and (batch.cost or not chosen.takes.cost):
        return f"{batch.hours.text} of service for {batch.words}"
    return f"{period_words(about.view, about.index)} of service"


def _price(view: View, index: int) -> str:
    if view.scenario.cost is None or not view.value("rents", index):
        return ""
    price = f", at {display(view.value('usd_per_accelerator_hour', index), 'USD/h')} per GPU"
    contingency = view.value("contingency", index)
    return f"{price} and {brief(contingency, 'share')} of contingency" if contingency else price
