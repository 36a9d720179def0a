"""The answer on a decision, and a row for every variant of its scenario."""

from __future__ import annotations

from dataclasses import replace

from memreport.advise.asks import A_QUOTE
from memreport.advise.candidates import Role
from memreport.advise.decide import Decision
from memreport.advise.verdict import FITS, TIGHT
from memreport.errors import plural
from memreport.report.answer.demanded import api_words, demand_detail, demand_headline
from memreport.report.answer.kinds.bases import is_known, rent_or_buy
from memreport.report.answer.kinds.sizes import SIZES
from memreport.report.answer.notes import quotes_note, unread_words
from memreport.report.answer.rows import option_row
from memreport.report.answer.sentences import answer_of
from memreport.report.answer.settings import hardware_words
from memreport.report.records.decision import Answer, OptionRow
from memreport.report.view import View


def answered(decision: Decision) -> tuple[Answer, tuple[OptionRow, ...]]:
    """What is said of a decision, and the variants as they are shown beside the options."""
    view, candidates = View(decision.options.computed), decision.options.candidates
    beside = decision.options.chosen
    rows = tuple(option_row(view, candidate, Role.AS_SUBMITTED, beside) for candidate in candidates if candidate.own)
    return _of_the_rest(_of_quotes(_of_demand(view, answer_of(decision), decision), decision), decision), rows


def _of_the_rest(answer: Answer, decision: Decision) -> Answer:
    """What is not read and would change the answer, before it; nothing is then sure to fit."""
    said = unread_words(decision.scenario)
    word = TIGHT if said and answer.word == FITS else answer.word
    return replace(answer, word=word, headline=f"{said}{answer.headline}") if said else answer


def _of_quotes(answer: Answer, decision: Decision) -> Answer:
    """The offer that is cheapest before the rest, where vendors' offers are what is asked."""
    said = quotes_note(decision) if A_QUOTE.is_asked(decision.scenario.resolved.loaded.scenario) else ()
    return replace(answer, headline=f"{' '.join(said).removeprefix('Quotes: ')} {answer.headline}") if said else answer


def _held(view: View, answer: Answer, decision: Decision) -> str:
    """What the GPUs that are stated hold, where nothing else is asked beside a stated demand."""
    if not SIZES.issuperset(answer.asks) or "demand" not in view.resolved.loaded.document.data:
        return ""
    on = hardware_words(view, decision.options.submitted.case)
    return f"{on}: {answer.headline[:1].lower()}{answer.headline[1:]} For the demand: "


def _of_demand(view: View, answer: Answer, decision: Decision) -> Answer:
    """Where a demand is stated it is what the question is about: the answer is what carries it."""
    demand = decision.plan.demand
    if demand is None:
        return answer
    word, headline = demand_headline(view, decision, answer.chosen.takes.cost)
    if "how_many_users" in answer.asks and "demand" not in view.resolved.loaded.document.data:
        users = view.value("users", 0) if word == FITS else 0.0
        said = f"{users:,.0f} {plural('user', users)} at once" if users else "None"
        headline = f"{said}: {headline[:1].lower()}{headline[1:]}"
    headline = f"{_held(view, answer, decision)}{api_words(view, answer.chosen.takes.cost)}{headline}"
    weighed = tuple(kind for kind in answer.asks if kind == "rent_or_buy")
    if weighed and is_known(decision):
        headline = f"{rent_or_buy(decision)}. {headline}"
    elif weighed:
        headline = f"{headline} Rent or buy? {rent_or_buy(decision)}."
    detail = " ".join(filter(None, demand_detail(view, demand, decision.options, answer.chosen)))
    return replace(answer, asks=("demand", *weighed), word=word, headline=headline, detail=detail)
