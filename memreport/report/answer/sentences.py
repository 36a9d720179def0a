"""The answer to a scenario's question, in its own terms, and the few options that it rests on; decided once.

PDF, workbook, page, text and JSON show these records; none of them chooses, ranks or words anything again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from memreport.advise.asks import (
    AMOUNTS,
    ASKED_HOW,
    COST_OF_A_TOKEN,
    LATENCY,
    MODEL_FLOP_UTILIZATION,
    OF_A_STEP,
    OF_EACH_GPU,
    OWNED,
    PREFILL,
    REQUESTS_IN_TIME,
    SPEED_OF_ONE,
    THE_CHEAPEST,
    asks_for_a_cost_beside,
    asks_for_facts,
    asks_for_the_first_token,
    asks_of,
    asks_of_each,
    time_of_rate,
)
from memreport.advise.candidates import Candidate, Role, same_gpu
from memreport.advise.decide import Decision
from memreport.advise.search.prices import price_of
from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT, WHOLE, Word
from memreport.catalogue.names import title_of
from memreport.catalogue.quantities import brief
from memreport.catalogue.question.numbers import BATCH_OF
from memreport.catalogue.unstated.model import stands_for_any
from memreport.report.answer.asking import (
    Asking,
    as_it_is,
    asked_figures,
    first_variants,
    listed,
    name_of,
    nearest_words,
    of_chosen,
    of_usable,
    other_job,
    own_of,
    said_once,
    settings_of,
)
from memreport.report.answer.kinds.bases import is_known, rent_or_buy
from memreport.report.answer.kinds.compared import compare
from memreport.report.answer.kinds.energy import exceeds_what_is_stated, how_much_energy
from memreport.report.answer.kinds.fits import fits, which_fit
from memreport.report.answer.kinds.limits import what_limits
from memreport.report.answer.kinds.memory import how_much_memory, says_no_room
from memreport.report.answer.kinds.sizes import (
    SIZES,
    affordable,
    how_large_a_batch,
    how_large_a_model,
    how_long,
    how_long_a_context,
    how_many_gpus,
    how_many_users,
    made_in_time,
    of_each_gpu,
    row_of,
    tokens_of_each,
    trained_in_time,
    what_cost,
    which_gpu,
)
from memreport.report.answer.needs import off_the_gpu, rented_instances
from memreport.report.answer.rows import gib, period_words, purchase_text, purchase_words, run_words
from memreport.report.answer.settings import hardware_words
from memreport.report.records.decision import Answer, OptionRow, Range
from memreport.report.speed.limits import (
    LATENCIES,
    OF_ONE,
    RATES,
    READING,
    REQUESTS,
    SOUND,
    SPEED,
    running_at_once,
    speed_at_full_load,
    speed_said,
)
from memreport.report.view import View

COUNTED = {SPEED: "tokens", REQUESTS: rf"calls|{BATCH_OF}"}
"""What questions count by times, by the rate of it."""
OTHER_RATES = ((PREFILL, (READING,)), (REQUESTS_IN_TIME, (REQUESTS, SPEED)))
"""What a question for a speed means that speaks of prompts or of requests."""
UTILIZATION = "achieved_model_flop_utilization"
NAMING = frozenset({"fits", "how_many_gpus", "how_much_energy"})
"""Questions whose answer names the settings that it is about."""


def answer_of(decision: Decision) -> Answer:
    """The answer of a scenario from its options."""
    options = decision.options
    view, chosen = View(options.computed), options.chosen
    asking = Asking(view, options, chosen, decision)
    asks = asks_of(asking.scenario)
    roles = {option.candidate.column: option.role for option in options.shown}
    rows = tuple(row_of(asking, option) for option in options.shown)
    names = tuple(candidate.case.name for candidate in own_of(asking))
    headline = " ".join(_finished(said, names) for said in _said(asking, asks))
    return Answer(
        question=view.scenario.question,
        asks=asks,
        word=_word(asking, asks),
        headline=headline,
        detail=" ".join(_details(asking, headline)),
        options=rows,
        chosen=asking.row(chosen, roles.get(chosen.column, Role.AS_SUBMITTED)),
    )


def _word(asking: Asking, asks: Sequence[str]) -> Word:
    """Whether the answer is good news: that something fits, perhaps with changes; and that what was asked is known."""
    if "rent_or_buy" in asks and not is_known(asking.decision):
        return TIGHT
    if asks_for_facts(asking.scenario):
        return FITS
    options = asking.options
    own = own_of(asking)
    alone = len(own) == 1 and options.recommended
    none_fits = "which_fit" in asks and not alone and all(each.word != FITS for each in own)
    none_fits = none_fits or (asks[:1] == ("how_much_memory",) and says_no_room(asking))
    if none_fits or exceeds_what_is_stated(asking) or _moved(asking):
        return DOES_NOT_FIT
    holds_alone = "which_gpu" not in asks or options.recommended or options.asks_for_hardware
    if "fits" not in asks and holds_alone and (options.recommended or SIZES.isdisjoint(asks)):
        return asking.chosen.word
    if asking.options.recommended or (ASKED_HOW.is_asked(asking.scenario) and other_job(asking)):
        return FITS
    submitted = asking.options.submitted.word
    return TIGHT if submitted == FITS or (submitted == DOES_NOT_FIT and asking.options.tight) else submitted


def _over_at_its_high_end(asking: Asking) -> Iterator[str]:
    """That what is within the limits of a question may not be, by the range of its time and cost."""
    search, row = asking.decision.plan.job.stated_search, asking.row(asking.chosen, Role.AS_SUBMITTED)
    pairs = ((row.takes.time, search.run_hours, "h", "time"), (row.takes.cost, search.most_cost_usd, "USD", "cost"))
    for ends, limit, unit, what in pairs:
        if ends and limit and ends.amount.value <= limit < ends.end_values[1]:
            yield f"At the high end of its range the {what}, {ends.high}, is above the {brief(limit, unit)}."


def _how_fast(asking: Asking) -> str:
    """Each figure that is asked for: of the chosen option, and of every other variant that runs."""
    if asking.chosen.word == DOES_NOT_FIT:
        return f"It does not run{nearest_words(asking)}"
    if tokens := trained_in_time(asking):
        return tokens
    names = asked_figures(asking, "how_fast") or _speeds_of(asking)
    said = ". ".join(_finished(_speeds(asking, name, _running(asking))).removesuffix(".") for name in names)
    return f"{said}, {_at_once(asking)}" if "how_many_users" in asks_of(asking.scenario) else said


def _at_once(asking: Asking) -> str:
    """With how many sequences a speed is counted, where a question for users says how many have room."""
    return running_at_once(asking.view, asking.chosen.column)


def _running(asking: Asking) -> list[Candidate]:
    """The chosen option and the variants that run; what was found beside one that was submitted and runs comes last."""
    chosen = asking.chosen
    if "how_many_users" in asks_of(asking.scenario):
        return [chosen]
    own = [each for each in own_of(asking) if each.column != chosen.column and each.word != DOES_NOT_FIT]
    first = chosen.own or asking.options.submitted.word == DOES_NOT_FIT
    return [chosen, *own] if first else [*own, chosen]


def _speeds_of(asking: Asking) -> Sequence[str]:
    """What a question for a speed means where no figure is named: how long one waits, how fast one reads, or all."""
    view, index = asking.view, asking.chosen.column
    if MODEL_FLOP_UTILIZATION.is_asked(view.scenario):
        return (UTILIZATION, SPEED)
    if view.hears(index):
        return (SOUND,)
    if view.workload == "training" or not view.makes_tokens(index):
        return (SPEED,)
    if rates := next((rates for aspect, rates in OTHER_RATES if aspect.is_asked(view.scenario)), ()):
        return rates
    if LATENCY.is_asked(view.scenario):
        return LATENCIES[:1] if asks_for_the_first_token(view.scenario) else LATENCIES
    several = max(view.value(name, index) for name in ("max_num_seqs", "sharding_size")) > 1
    return (SPEED,) if several and not SPEED_OF_ONE.is_asked(view.scenario) else (OF_ONE,)


def _speeds(asking: Asking, name: str, candidates: Sequence[Candidate]) -> str:
    view = asking.view
    time = time_of_rate(view.scenario, COUNTED[name]) if name in COUNTED else ""
    speeds = [
        made_in_time(view, each.column, time, name) if time else speed_said(view, name, each.column)
        for each in candidates
    ]
    if OF_EACH_GPU.is_asked(view.scenario) and name == SPEED and not time:
        speeds = [f"{speed}, {of_each_gpu(view, each.column)}" for speed, each in zip(speeds, candidates, strict=True)]
    several = len(candidates) > 1 and len({*speeds}) > 1
    named = [_by_name(asking, each) if several else of_chosen(asking) for each in candidates]
    parts = [*dict.fromkeys(f"{speed}{of}" for speed, of in zip(speeds, named, strict=True))]
    return first_variants(parts) if name in RATES else f"{title_of(name)}: {first_variants(parts)}"


def _by_name(asking: Asking, candidate: Candidate) -> str:
    """Which of several options a number is of, as the end of a phrase."""
    if candidate.own:
        return f" with {candidate.case.name}" if len(own_of(asking)) > 1 else as_it_is(asking.view, candidate)
    return f" with {listed(settings_of(asking.view, candidate)) or candidate.case.name}"


def _moved(asking: Asking) -> bool:
    """Whether a speed, time or cost is that of other GPUs than those that are named, on which nothing fits."""
    submitted, chosen = asking.options.submitted, asking.chosen
    elsewhere = not (asking.options.asks_for_hardware or chosen.likeness.not_asked or chosen.likeness.same_gpus)
    return elsewhere and _measures(asking) and submitted.word == DOES_NOT_FIT and not _leaves_gpus(asking)


def _measures(asking: Asking) -> bool:
    """Whether a speed, time or cost alone is asked, and not of every variant."""
    return {"how_fast", *AMOUNTS}.issuperset(asks_of(asking.scenario)) and not asks_of_each(asking.scenario)


def _leaves_gpus(asking: Asking) -> bool:
    """Whether what is chosen stands on a part of the GPUs that are named: what fits on 16 of them fits on 248."""
    submitted, chosen = asking.options.submitted, asking.chosen
    return same_gpu(submitted, chosen) and chosen.count < submitted.count


def _said(asking: Asking, asks: Sequence[str]) -> Iterator[str]:
    """A sentence a question; time and cost are one, which says what of, unless one before does, and as submitted."""
    if _moved(asking):
        yield f"It does not fit on {hardware_words(asking.view, asking.options.submitted.case)}"
    elif _measures(asking) and _leaves_gpus(asking) and not asking.options.asks_for_hardware:
        yield f"{asking.chosen.count:,.0f} of {asking.options.submitted.count:,.0f} GPUs are used"
    amounts = [kind for kind in asks if kind in AMOUNTS]
    for kind in (kind for kind in asks if kind not in AMOUNTS):
        cheapest = kind == "which_gpu" and THE_CHEAPEST.is_asked(asking.view.scenario)
        yield f"{SENTENCES[kind](asking)}{_unpriced(asking) if cheapest else ''}"
    if amounts:
        named = not NAMING.isdisjoint(asks) or (COST_OF_A_TOKEN.is_asked(asking.scenario) and tokens_of_each(asking))
        named = named or (asking.chosen.own and OWNED.is_asked(asking.scenario))
        of = "" if named or asking.chosen.word == DOES_NOT_FIT else of_chosen(asking)
        lacking = _unpriced(asking) if "what_cost" in amounts else ""
        own = affordable(asking) or asking.decision.amounts.hours or asking.chosen.likeness.not_asked
        hired = asking.options.asks_for_hardware or stands_for_any(asking.view.resolved.loaded.words)
        beside = "" if own or hired else _instead(asking, amounts)
        yield f"{listed(said_once([SENTENCES[kind](asking) for kind in amounts]))}{of}{beside}{lacking}"


def _unpriced(asking: Asking) -> str:
    """That no price is stated, and one that is known of the GPU; nothing where one is."""
    if asking.view.scenario.cost is not None:
        return ""
    known = price_of(asking.decision.plan.job, str(asking.options.submitted.case.settings["accelerator"]))
    such = f", such as cost: {{price: {known.fields['price']}}}" if known.is_known else ""
    return f"; no price is stated{such}"


def _instead(asking: Asking, amounts: Sequence[str]) -> str:
    """What was submitted takes and costs, where it runs and is not what the answer is about."""
    row = asking.row(asking.options.submitted, Role.AS_SUBMITTED)
    chosen = asking.row(asking.chosen, Role.RECOMMENDED)
    values, now = ([ends.amount.text for ends in _amounts(option, amounts) if ends] for option in (row, chosen))
    return f"; as submitted {listed(values)}" if values and values != now else ""


def _amounts(row: OptionRow, kinds: Sequence[str]) -> list[Range | None]:
    return [{"how_long": row.takes.time, "what_cost": row.takes.cost}[kind] for kind in kinds]


def _details(asking: Asking, headline: str) -> Iterator[str]:
    """What the chosen option gives and needs beside what the headline says: peak, time, cost, memory of the host."""
    view, chosen = asking.view, asking.chosen
    row = asking.row(chosen, Role.RECOMMENDED)
    held = not chosen.likeness.same_gpus and asking.options.submitted.word != DOES_NOT_FIT
    if asks_for_facts(view.scenario) or (held and asks_of(asking.scenario) == ("how_much_memory",)):
        return  # what is named holds the job: nobody asks what others take
    if stands_for_any(view.resolved.loaded.words):
        yield from rented_instances(view, row, asking.decision.plan.job.search.most_cost_usd or math.inf)
        return
    costs = _costs(view, row, headline)
    peak = "" if f"{of_usable(view, chosen)} per GPU" in headline else _peak(asking, headline)
    if found := " and ".join(filter(None, [peak, costs])):
        yield _finished(found + (_unpriced(asking) if asks_for_a_cost_beside(view.scenario) else ""))
    if (purchase := purchase_text(view, chosen.column)) and purchase not in headline:
        yield purchase_words(view, row.column, purchase)
    if view.workload == "serving" and chosen.word != DOES_NOT_FIT:
        yield speed_at_full_load(view, row.column, headline)
    yield from _over_at_its_high_end(asking)
    yield from _ends_as_usual(asking)
    yield from rented_instances(view, row, asking.decision.plan.job.search.most_cost_usd or math.inf)
    yield from off_the_gpu(view, chosen)


def _ends_as_usual(asking: Asking) -> Iterator[str]:
    """In what time a pretraining has to end of which nobody says on how many GPUs, nor in what time."""
    job = asking.decision.plan.job
    if job.search.run_hours and job.search.run_hours != job.stated_search.run_hours:
        yield f"On how many GPUs is not stated: on so many as end it within {brief(job.search.run_hours, 'h')}."


def _peak(asking: Asking, headline: str) -> str:
    """The peak of the chosen option, and from where it falls on the same GPUs."""
    view, submitted, chosen = asking.view, asking.options.submitted, asking.chosen
    usable = gib(view.value("usable_bytes", chosen.column))
    before, after = (view.value("peak_bytes", candidate.column) for candidate in (submitted, chosen))
    same = chosen.case.settings["accelerator"] == submitted.case.settings["accelerator"]
    same = same and not asking.options.asks_for_hardware
    if chosen is submitted or before <= after or not same or _is_of_one(asking):
        return f"{_subject(asking, headline)} is {gib(after)} of {usable} per GPU"
    settings = listed(settings_of(view, chosen))
    known = settings in headline or not NAMING.isdisjoint(asks_of(asking.scenario))
    named = "Peak memory" if known else f"With {settings}, the peak memory"
    return f"{named} falls from {gib(before).removesuffix(' GiB')} to {gib(after)} of {usable} per GPU"


def _costs(view: View, row: OptionRow, headline: str) -> str:
    """How long a run takes and what it or the hours of service cost, but for what is bought, unknown or said before."""
    time = (
        row.takes.time
        if view.workload == "training" and row.takes.time and row.takes.time.text not in headline
        else None
    )
    rent = None if view.buys(row.column) or not row.takes.cost or row.takes.cost.text in headline else row.takes.cost
    if time:
        step = f"a step takes {view.ranged('step_seconds', row.column)}, " if OF_A_STEP.is_asked(view.scenario) else ""
        return f"{step}{run_words(view)} takes {listed([ends.text for ends in (time, rent) if ends])}"
    what = run_words(view) if view.workload == "training" else f"{period_words(view, row.column)} of service"
    return f"{what} costs {rent.text}" if rent else ""


def _subject(asking: Asking, headline: str) -> str:
    """What the numbers are of, where the headline speaks of several variants."""
    view, chosen = asking.view, asking.chosen
    settings = listed(settings_of(view, chosen))
    named = name_of(asking, chosen) if chosen.own else settings or "as many"
    if _isfor_all(asking):
        planned = asking.options.submitted.case.settings["max_num_seqs"]
        return f"With {named}, all {planned:,.0f} run at once: the peak memory"
    if _is_of_one(asking) or (_is_beside(asking) and settings not in headline):
        return f"With {named}, the peak memory"
    if not chosen.own and chosen.case.settings["accelerator"] != asking.options.submitted.case.settings["accelerator"]:
        return f"On {hardware_words(view, chosen.case)} the peak memory"
    return "With that, the peak memory" if _is_beside(asking) else "Peak memory"


def _is_of_one(asking: Asking) -> bool:
    """Whether the headline speaks of several variants, so that numbers have to say of which they are."""
    return asks_of_each(asking.scenario) or _isfor_all(asking)


def _is_beside(asking: Asking) -> bool:
    """Whether readers who hear that what they submitted fits get the numbers of another option, which costs less."""
    return asking.options.submitted.headroom_kept and asking.options.recommended not in (None, asking.options.submitted)


def _isfor_all(asking: Asking) -> bool:
    """Whether readers who ask for users get the numbers of another option, which holds all that were asked for."""
    asks, options = asks_of(asking.scenario), asking.options
    if asking.chosen.serves_most:
        return False
    return "how_many_users" in asks and options.submitted.word == QUEUES and asking.chosen.word in WHOLE


def _finished(text: str, names: tuple[str, ...] = ()) -> str:
    """A sentence: its first letter large, unless a variant's name begins it, and a full stop at its end."""
    first = text[:1] if text.startswith(names) else text[:1].upper()
    return f"{first}{text[1:]}{'' if text.endswith('.') else '.'}"


SENTENCES: Mapping[str, Callable[[Asking], str]] = {
    "fits": fits,
    "which_fit": which_fit,
    "which_gpu": which_gpu,
    "how_many_gpus": how_many_gpus,
    "how_large_a_batch": how_large_a_batch,
    "how_long_a_context": how_long_a_context,
    "how_large_a_model": how_large_a_model,
    "how_many_users": how_many_users,
    "how_much_memory": how_much_memory,
    "how_much_energy": how_much_energy,
    "how_long": how_long,
    "how_fast": _how_fast,
    "what_cost": what_cost,
    "compare": compare,
    "rent_or_buy": lambda asking: rent_or_buy(asking.decision),
    "what_limits": what_limits,
}
"""By what is asked, how it is answered."""
