"""Whether something fits: yes or no, with the settings that make it fit, or with what comes nearest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from memreport.advise.asks import ASKED_HOW, asks_for_failure, asks_for_yes_or_no
from memreport.advise.candidates import Candidate, Role
from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT, Word
from memreport.catalogue.quantities import brief
from memreport.report.answer.asking import (
    Asking,
    as_assumed,
    as_it_is,
    first_variants,
    listed,
    nearest_words,
    of_usable,
    other_job,
    own_of,
    settings_of,
)
from memreport.report.answer.rows import beyond_words
from memreport.report.answer.settings import counted_settings, hardware_words
from memreport.report.verdicts import queue
from memreport.report.view import View

LEFT = {TIGHT: "with less than the planned headroom", QUEUES: "would queue", DOES_NOT_FIT: "would not fit"}
SAFE = "Only just as submitted; safe"
"""How the answer begins where what was submitted fits, but too tightly."""
SAME = 0.01
"""A saving of less than this share is none."""


def fits(asking: Asking) -> str:
    """Yes or no, with the settings that make it fit, or with what comes nearest."""
    options, view = asking.options, asking.view
    submitted, chosen = options.submitted, options.recommended
    if chosen is None:
        return _nothing_fits(asking)
    yes = _beyond_what_is_read(view, submitted) or _yes_and_no(view)[0]
    if chosen is submitted or (submitted.headroom_kept and not chosen.changed):
        return f"{yes}{as_it_is(view, submitted)}: {_per_gpu(view, submitted)}{_limits_kept(asking, submitted)}"
    if submitted.headroom_kept:
        return f"{yes} as submitted; {_saves(view, submitted, chosen)} with {listed(settings_of(view, chosen))}"
    otherwise = beyond_words(view, submitted)[2] if submitted.beyond else SAFE
    beyond = _beyond_what_is_read(view, submitted)
    lead = yes if beyond or "max_num_seqs" in chosen.changed else _leads(view, submitted).get(submitted.word, otherwise)
    kept = _limits_kept(asking, chosen).replace(", ", "; ", 1)
    return f"{lead} with {counted_settings(chosen.changed)}: {listed(settings_of(view, chosen))}{kept}"


def _beyond_what_is_read(view: View, submitted: Candidate) -> str:
    """How a yes begins where a service takes more tokens than the model reads; "" where it does not."""
    if view.workload != "serving":
        return ""
    if view.value("position_embedding_rows", submitted.column) or view.value("is_encoder_decoder", submitted.column):
        return ""  # learned positions are not scaled
    asked, read = (view.value(name, submitted.column) for name in ("max_model_len", "max_position_embeddings"))
    return f"Only with rope scaling beyond the {read:,.0f} tokens that the model reads," if 0 < read < asked else ""


def _nothing_fits(asking: Asking) -> str:
    """That nothing keeps the planned headroom: what fits without it, or that nothing does, and what comes nearest."""
    view, submitted, tight = asking.view, asking.options.submitted, asking.options.tight
    nearest = nearest_words(asking)
    if submitted.word == QUEUES:
        return f"It starts and queues: {queue(view, submitted.column)}{nearest}"
    if tight and submitted.word == DOES_NOT_FIT:
        return f"Only just, with {listed(settings_of(view, tight))}: {_per_gpu(view, tight)}{nearest}"
    kept = beyond_words(view, submitted)[0].capitalize() if submitted.beyond else "Only just"
    if (other := other_job(asking)) and ASKED_HOW.is_asked(view.scenario):
        otherwise = nearest_words(asking, other=False).removeprefix("; ")
        return f"It fits with {listed(settings_of(view, other))}: {_per_gpu(view, other)}; else {otherwise}"
    lead = _yes_and_no(view)[1] if submitted.word == DOES_NOT_FIT else kept
    return f"{lead} on {hardware_words(view, submitted.case)}{as_assumed(view, submitted)}{nearest}"


def _per_gpu(view: View, candidate: Candidate) -> str:
    return f"{of_usable(view, candidate)} per GPU"


def _limits_kept(asking: Asking, option: Candidate) -> str:
    """Time and cost of an option beside the limits that the question sets them, as the end of a sentence."""
    search, row = asking.decision.plan.job.stated_search, asking.row(option, Role.AS_SUBMITTED)
    pairs = ((row.takes.time, search.run_hours, "h"), (row.takes.cost, search.most_cost_usd, "USD"))
    said = [f"{ends.amount.text} of {brief(limit, unit)}" for ends, limit, unit in pairs if ends and limit]
    return f", {listed(said)}" if said else ""


def _yes_and_no(view: View) -> tuple[str, str]:
    """How an answer begins that something fits, and that it does not; no yes where none is asked for."""
    if not asks_for_yes_or_no(view.scenario):
        return "It fits", "It does not fit"
    return ("No,", "Yes,") if asks_for_failure(view.scenario) else ("Yes,", "No, not")


def which_fit(asking: Asking) -> str:
    """The variants that fit, by name; of a single variant, what makes it fit."""
    own = own_of(asking)
    fitting = [candidate for candidate in own if candidate.word == FITS]
    if len(own) == 1 or not fitting:
        said = fits(asking).removeprefix("Yes, ").removeprefix("It fits ")
        return said if len(own) == 1 else f"none of {len(own)} fits as submitted; {said[:1].lower()}{said[1:]}"
    said = first_variants([f"{each.case.name} ({of_usable(asking.view, each)})" for each in fitting])
    words = Counter(each.word for each in own if each.word in LEFT)
    return "; ".join([said, *(f"{count} {LEFT[word]}" for word, count in words.items())])


def _leads(view: View, submitted: Candidate) -> Mapping[Word, str]:
    """How the answer begins where settings make the job fit, by the verdict on what was submitted."""
    queued = (
        f"As submitted it queues ({queue(view, submitted.column)}); all at once" if submitted.word == QUEUES else ""
    )
    changed = "Yes, as submitted; not" if asks_for_failure(view.scenario) else _yes_and_no(view)[0]
    return {DOES_NOT_FIT: changed, QUEUES: queued}


def _saves(view: View, submitted: Candidate, chosen: Candidate) -> str:
    saved = 1 - chosen.cost / submitted.cost if submitted.cost else 0.0
    share = brief(round(saved, 2), "share") if saved > SAME else ""
    if view.scenario.cost is not None:
        return f"{share} cheaper" if share else "as cheap"
    counted = "GPU-hours" if view.workload == "training" else "GPUs"
    return f"{share} fewer {counted}" if share else f"as many {counted}"
