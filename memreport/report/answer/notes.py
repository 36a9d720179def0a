"""What a reader of the short answer must know besides: what was assumed, and what is doubtful."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from memreport.advise.decide import Decision
from memreport.catalogue.names import in_sentence
from memreport.catalogue.quantities import display
from memreport.catalogue.terms.approval import DRAFT
from memreport.catalogue.unstated.model import FOR_ANY
from memreport.catalogue.words.meaning import THE_QUESTION
from memreport.catalogue.words.reading import OF_NO_WORKLOAD
from memreport.catalogue.words.unread import NAMED, PASSED_OVER, SCALED_BY
from memreport.compute import Computed
from memreport.figures.constants import UNVERIFIED_SPREAD
from memreport.report.answer.budget import booked_words, seconds_of, unstarted
from memreport.report.assumed import Opens, not_stated
from memreport.report.money.prices import PURCHASE, RENTAL, prices_used, unused_words
from memreport.report.money.quotes import quotes_shown
from memreport.report.shares import share_of, whole_percent
from memreport.report.speed.limits import rescaled_words
from memreport.report.view import View
from memreport.resolve.records import ScenarioWarning

AS, QUOTES = re.compile(r"(?:is|are) read as (?:the |a )?((?:[^,:]|,(?=\d{3}))+)"), "'"
ALLOWED = "max_model_len"
LENGTHS = (ALLOWED, "context_length", "prompt_tokens")
"""What says how long sequences are."""
MOST_DOUBTS = 2
"""Warnings that are shown in full."""
SHOWN_SHARE = 0.005
"""Parts of a step below this share of it would read as none."""


def notes_of(decision: Decision) -> tuple[str, ...]:
    """One line each; none where all is stated and nothing is doubtful."""
    view = View(decision.computed)
    return tuple(_notes(decision.scenario, view, view.column_of(decision.chosen), decision.comparisons.unstated))


def seconds_note(decision: Decision) -> tuple[str, ...]:
    """Where the seconds of the chosen variant's step go, in one line; nothing for serving."""
    view = View(decision.computed)
    index = view.column_of(decision.chosen)
    parts = list(seconds_of(view, index))
    if not parts or not view.value("fits", index):
        return ()
    whole = sum(part.value for part in parts)
    shares = [(part.title, share_of(part.value, whole)) for part in parts]
    said = ", ".join(f"{in_sentence(title)} {whole_percent(share)}" for title, share in shares if share >= SHOWN_SHARE)
    return (f"Where the time of a step goes: {said}.",)


def quotes_note(decision: Decision) -> tuple[str, ...]:
    """What the quotes beside the scenario come to; nothing where there are none."""
    view, quotes = View(decision.computed), decision.comparisons.quotes
    found = quotes_shown(view, quotes, view.column_of(decision.chosen))
    return (found.sentence,) if found and found.sentence else ()


def _notes(computed: Computed, answered: View, chosen: int, open_: Opens) -> Iterator[str]:
    """Those of a scenario, of which one variant of what is `answered` is `chosen`."""
    view, approval = View(computed), computed.resolved.loaded.approval
    if approval != DRAFT:
        yield f"Status: {approval}."
    if assumed := not_stated(answered, open_, chosen):
        yield assumed.sentence
    yield from _shorter_than_allowed(answered, chosen)
    yield from _other_prices(view, {use.id for use in prices_used(answered, chosen)})
    if unused := unused_words(answered, chosen):
        yield f"Warning: {unused}."
    yield from unstarted(view).values()
    yield from filter(None, (rescaled_words(view, 0), _unverified_words(view)))
    if booked := booked_words(view, 0):
        yield f"The bill is {booked}."
    yield from words_of(computed)


def _shorter_than_allowed(view: View, index: int) -> Iterator[str]:
    """That sequences are counted shorter than an engine is told to allow, where nobody states how long they are."""
    origins = view.resolved.cases[index].origins
    stated = {name for name in LENGTHS if name in origins and origins[name].kind != "default"}
    if view.workload != "serving" or stated != {ALLOWED} or not view.makes_tokens(index):
        return
    counted_, allowed = (view.value(name, index) for name in ("context_length", ALLOWED))
    if counted_ < allowed:
        lengths = f"{counted_:,.0f} tokens each, of the {allowed:,.0f} that {ALLOWED} allows"
        yield f"Sequences are counted with {lengths}: state context_length, or prompt_tokens, where they are longer."


def words_of(computed: Computed) -> tuple[str, ...]:
    """What is read in the words of a scenario, and what is doubtful in it."""
    return tuple(_warnings([warning for warning in computed.resolved.warnings if not warning.in_table]))


def _warnings(warnings: Sequence[ScenarioWarning]) -> Iterator[str]:
    """What is read in the question, then the first doubt."""
    if read := dict.fromkeys(_read_as(warning) for warning in warnings if warning.source == THE_QUESTION):
        yield f"Read in the question: {', '.join(read)}."
    doubts = [*_doubts(warnings)]
    doubts.sort(
        key=lambda doubt: doubt.message not in (NAMED, PASSED_OVER)
    )  # a number that was dropped is never out of sight
    more = f" (and {len(doubts) - MOST_DOUBTS} more: show --all)" if len(doubts) > MOST_DOUBTS else ""
    shown = [f"Warning: {doubt.sentence}" for doubt in doubts[:MOST_DOUBTS]]
    yield from (*shown[:-1], *(f"{last}{more}" for last in shown[-1:]))


def unread_words(computed: Computed) -> str:
    """The amounts of a question that nothing reads though the answer depends on them, before anything else is said."""
    found = [each.found.strip(QUOTES) for each in computed.resolved.warnings if each.message == SCALED_BY]
    return f"Without {', '.join(repr(each) for each in found)}, which is not read: " if found else ""


def _doubts(warnings: Sequence[ScenarioWarning]) -> Iterator[ScenarioWarning]:
    """What is doubtful; of GPUs alone nothing of the model that stands for any, on which no answer rests."""
    hired = any(FOR_ANY in warning.message for warning in warnings)
    for warning in warnings:
        of_any = hired and warning.message.endswith((FOR_ANY, OF_NO_WORKLOAD))
        if warning.source != THE_QUESTION and warning.message != SCALED_BY and not of_any:
            yield warning


def _read_as(warning: ScenarioWarning) -> str:
    """What was found in a question, and as what it is read, as far as its own words do not say so."""
    said = AS.match(warning.message)
    return f"{warning.found.strip(QUOTES)}{f' as {said[1]}' if said else ''}"


def _other_prices(view: View, said: Container[str]) -> Iterator[str]:
    """Prices that nobody stated of variants that run, beside those that are `said`, with amount and date."""
    others = [
        f"{use.id} of {case.name} ({use.counted.text}, {use.offer.date})"
        for index, case in enumerate(view.variants)
        for use in (prices_used(view, index) if view.value("fits", index) else ())
        if use.field in (RENTAL, PURCHASE) and case.origins[use.field].kind == "default" and use.id not in said
    ]
    if others:
        yield f"Prices assumed, too: {', '.join(dict.fromkeys(others))}."


def _unverified_words(view: View) -> str:
    """Which variants make a choice that was computed from code alone, and what that does to the range of their peak."""
    named = [case.name for index, case in enumerate(view.variants) if view.value("unverified_choice", index)]
    if not named:
        return ""
    of = "" if len(named) == len(view.variants) else f" of {', '.join(named)}"
    wider = display(UNVERIFIED_SPREAD, "share")
    return f"No published measurement judges the memory{of}: the range of its peak is {wider} wider to each side."
