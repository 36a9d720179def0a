"""How many, how large, how long: the sentences of an answer that say a number of GPUs, users, sequences or tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memreport.advise.asks import (
    COST_OF_A_TOKEN,
    COUNTS_RUNS,
    IN_GPU_HOURS,
    OF_A_STEP,
    asks_how_much_for_a_budget,
    asks_of,
    asks_of_each,
    hours_to_fill,
    requests_asked,
)
from memreport.advise.candidates import Candidate, Option, Role
from memreport.advise.comparisons.amounts import SPEED, made_in, of_each, usd_of_runs
from memreport.advise.deciding.choosing import offloads
from memreport.advise.gpus import GpuTried, size_of, smallest
from memreport.advise.sizes.at_once import AT_ONCE_FEWER
from memreport.advise.sizes.largest import Limit
from memreport.advise.verdict import DOES_NOT_FIT, WHOLE
from memreport.catalogue.fields.search import ALTERING
from memreport.catalogue.names import in_sentence, title_of
from memreport.catalogue.quantities import brief, with_ends
from memreport.catalogue.question.lexer import asking_first
from memreport.catalogue.question.numbers import SECONDS_IN
from memreport.catalogue.question.run import runs_said
from memreport.errors import plural
from memreport.report.answer.asking import (
    Asking,
    as_assumed,
    asked_figures,
    first_variants,
    listed,
    nearest_words,
    of_chosen,
    of_usable,
    own_of,
    settings_of,
    with_hardware,
)
from memreport.report.answer.demanded import million_tokens
from memreport.report.answer.kinds.bases import ownership_words
from memreport.report.answer.kinds.gpus_alone import cost_of_gpus
from memreport.report.answer.rows import THE_RUN, bought_words, for_period, gib, gpu_hours_words, run_words
from memreport.report.answer.settings import accelerator_words, changed_words, hardware_words, setting_words
from memreport.report.records.decision import OptionRow, Range
from memreport.report.view import View, counted

MONTHS_IN_A_YEAR = 12
BY_THE_MONTH = re.compile(r"\bmonthly (?:costs?|bill|budget)|\b(?:costs?|bill|much) (?:per|a|each) month\b")
AT_ONCE, ALL_READ = " users at once", "all that the model reads"


def how_many_gpus(asking: Asking) -> str:
    """The numbers of GPUs that the figures asked for come to, or the fewest that were found."""
    figures = asked_figures(asking, "how_many_gpus")
    if not figures:
        return _fewest_gpus(asking)
    own = own_of(asking)
    parts = []
    for name in figures:
        values = [f"{asking.view.value(name, candidate.column):,.0f}" for candidate in own]
        parts.append(f"{listed(values)} GPUs {_for_what(name)}")
    return f"{'; '.join(parts)}{_of_variants(own)}"


def row_of(asking: Asking, option: Option) -> OptionRow:
    """An option with the number of GPUs or of users in it, where the question asks that of every variant."""
    row, candidate, asks = asking.row(option.candidate, option.role), option.candidate, asks_of(asking.scenario)
    if not asks_of_each(asking.scenario):
        return row
    figures = asked_figures(asking, "how_many_gpus") if "how_many_gpus" in asks else []
    gpus = [f"{asking.view.value(name, candidate.column):,.0f} {_for_what(name)}" for name in figures]
    users = [_users(asking, candidate).replace(AT_ONCE, " users")] if "how_many_users" in asks else []
    says = "; ".join([*([f"GPUs: {', '.join(gpus)}"] if gpus else []), *users])
    return replace(row, serves=replace(row.serves, says=says))


def _fewest_gpus(asking: Asking) -> str:
    """The chosen number with its settings; and the fewest with those submitted, or with what alters the result."""
    view, chosen = asking.view, asking.chosen
    if not chosen.headroom_kept:
        return f"More than was tried: not on {hardware_words(view, chosen.case)}"
    said = with_hardware(view, chosen)
    plain = [each for each in asking.options.candidates if each.headroom_kept and not {*each.changed} - {"count"}]
    fewest = min((each.case.settings["count"] for each in plain), default=0)
    if said != hardware_words(view, chosen.case) and fewest:
        return f"{said}; {fewest:,.0f} with the settings submitted"
    return f"{said}{_fewer_altered(asking)}"


def _fewer_altered(asking: Asking) -> str:
    """On how many GPUs fewer another optimizer or format holds the job, as the end of a sentence."""
    chosen = asking.chosen
    same = [each for each in asking.options.candidates if each.headroom_kept and each.likeness.same_gpus]
    fewer = [each for each in same if each.likeness.same_job and each.alters and not offloads(each)]
    least = min(fewer, key=lambda each: each.count, default=chosen)
    if least.count >= chosen.count or offloads(chosen):
        return ""
    altered = [name for name in least.changed if name in ALTERING]
    return f"; {least.count:,.0f} with {listed(changed_words(asking.view, least.case, altered))}"


def _for_what(name: str) -> str:
    """What a number of GPUs is enough for: `Fewest GPUs, weights` is for weights."""
    title = title_of(name)
    return f"for {title.partition(', ')[2]}" if ", " in title else in_sentence(title.removeprefix("Fewest "))


def _of_variants(own: Sequence[Candidate]) -> str:
    return f" ({listed([candidate.case.name for candidate in own])})" if len(own) > 1 else ""


def which_gpu(asking: Asking) -> str:
    """The smallest GPU that holds the job as submitted, or with other settings; the one on which it costs least."""
    tried, chosen = asking.decision.gpus, asking.options.recommended
    least = smallest(tried)
    if chosen and asking.view.scenario.cost is None:
        return _least_memory(asking, chosen, least)
    if least is None and asking.options.asks_for_hardware and asking.chosen.headroom_kept:
        several = with_hardware(asking.view, asking.chosen)
        return f"{several} is the least that was found to hold it; none of {_counted(asking, len(tried))} does alone"
    if least is None:
        cheapest = f"; what holds it is {listed(settings_of(asking.view, chosen))}" if chosen else nearest_words(asking)
        return f"None of {_counted(asking, len(tried))} holds it as submitted{cheapest}"
    held = _counted(asking, sum(each.holds for each in tried))
    said = f"{_gpu(asking, least)} is the smallest of {held} that hold it ({_memory(least)})"
    return f"{said}{_of_least_cost(asking, chosen)}" if chosen else said


def _counted(asking: Asking, count: int) -> str:
    submitted = asking.options.submitted.case.settings["accelerator"]
    return f"{count} {asking.view.table_of('accelerator').text('vendor', submitted)} GPUs"


def _least_memory(asking: Asking, chosen: Candidate, least: GpuTried | None) -> str:
    """The smallest GPU of all options; beside it, where that takes other settings, the smallest as submitted."""
    at_once = chosen.case.settings.get("max_num_seqs", 0)
    fewer = at_once < asking.options.submitted.case.settings.get("max_num_seqs", 0)
    few = f" with {setting_words(asking.view, 'max_num_seqs', at_once)}" if fewer else ""
    said = f"{with_hardware(asking.view, chosen)} is the smallest that holds it{few} ({of_usable(asking.view, chosen)})"
    if least and size_of(least.usable_bytes) != size_of(chosen.usable):
        return f"{said}; {_submitted(asking, chosen)} {_gpu(asking, least)}"
    return said if least else f"{said}; none does as submitted"


def _submitted(asking: Asking, chosen: Candidate) -> str:
    """The job as it is, where what is recommended runs fewer sequences at once than an engine takes by default."""
    now, before = (each.case.settings.get("max_num_seqs", 0) for each in (chosen, asking.options.submitted))
    return f"with {before:,.0f} sequences at once" if now < before else "as submitted"


def _of_least_cost(asking: Asking, chosen: Candidate) -> str:
    if chosen is asking.options.submitted:
        submitted = accelerator_words(asking.view, chosen.case.settings["accelerator"])
        return f"; none costs less than the {submitted} submitted by more than is known"
    return f"; the job costs least on {with_hardware(asking.view, chosen)}"


def _gpu(asking: Asking, tried: GpuTried) -> str:
    count = asking.options.submitted.count
    return f"{f'{count:,.0f} × ' if count > 1 else ''}{accelerator_words(asking.view, tried.gpu)}"


def _memory(tried: GpuTried) -> str:
    return f"{gib(tried.peak_bytes).removesuffix(' GiB')} of {gib(tried.usable_bytes)} per GPU"


SIZES = frozenset({"how_many_users", "how_large_a_batch", "how_long_a_context"})
"""Questions of what the GPUs that are stated hold."""


def how_many_users(asking: Asking) -> str:
    """Users at once: of what was found for as many as have room, else of every variant."""
    own = own_of(asking)
    own = [asking.chosen] if asking.chosen.serves_most and len(own) == 1 else own
    if all(candidate.word == DOES_NOT_FIT for candidate in own):
        return f"none: {'it does' if len(own) == 1 else 'they do'} not fit{nearest_words(asking)}"
    counts = [_users(asking, candidate) for candidate in own]
    within = _within(asking)
    if len(own) == 1:
        settings = settings_of(asking.view, own[0])
        return f"{counts[0]}{f' with {listed(settings)}' if settings else ''}{within}{_more_users(asking)}"
    others_last = sorted(range(len(own)), key=lambda place: counts.index(counts[place]) != place)
    said = [f"{counts[place]} with {own[place].case.name}" for place in others_last]
    return f"{first_variants([said[0], *(each.replace(AT_ONCE, '') for each in said[1:])])}{within}"


def _more_users(asking: Asking) -> str:
    """How many users the same GPUs serve in fewer bits, as the end of a sentence about those that were found."""
    fewer = (each for each in asking.options.candidates if each.case.name in AT_ONCE_FEWER and each.headroom_kept)
    other = next(fewer, None) if asking.chosen.serves_most else None
    if other is None:
        return ""
    given, chosen = other.case.settings, asking.chosen.case.settings
    unlike = [name for name in other.changed if name != "max_num_seqs" and given[name] != chosen[name]]
    in_all = _users(asking, other).partition(", ")[0].removesuffix(AT_ONCE)
    return f"; {in_all} with {listed(changed_words(asking.view, other.case, unlike))}"


def _within(asking: Asking) -> str:
    """The times within which users are asked for, as the end of a sentence."""
    search = asking.decision.plan.job.search
    pace, first = search.sequence_tokens_per_second, search.time_to_first_token_seconds
    said = [
        *([f"{brief(pace, 'token/s')} or more for each"] if pace else []),
        *([f"the first token within {brief(first, 's')}"] if first else []),
    ]
    return f", {listed(said)}" if said and asking.decision.limits.users else ""


def _users(asking: Asking, candidate: Candidate) -> str:
    """Users at once, and how many of them on each of several replicas: all that have room, or that were found to."""
    view, limit = asking.view, asking.decision.limits.users.get(candidate.case.name)
    if view.hears(candidate.column):
        return f"{view.value('sound_per_second', candidate.column):,.0f} streams in real time"
    if not view.makes_tokens(candidate.column):
        return _texts(view, candidate.column)
    if limit:
        on_each = " on each replica" if view.value("sharding_size", candidate.column) > 1 else ""
        return f"{limit.value:,.0f}{AT_ONCE}{on_each}"
    room = "running_sequences" if candidate.serves_most else "max_concurrent_sequences"
    each, replicas = (view.value(name, candidate.column) for name in (room, "sharding_size"))
    whole = view.beside(f"sequences_on_all_replicas.{room}", candidate.column)
    if not view.value("engine_starts", candidate.column):
        return f"0{AT_ONCE}"
    spread = f", {each:,.0f} on each of {replicas:,.0f} replicas" if replicas > 1 else ""
    return f"{whole:,.0f}{' user at once' if whole == 1 else AT_ONCE}{spread}"


def _texts(view: View, index: int) -> str:
    """What users are to a service of vectors or scores: texts that it reads in a second, and at once."""
    at_once = view.value("prompts_together", index)
    together = f"{at_once:,.0f} texts" if at_once > 1 else "one text"
    return f"{view.ranged('tokens_per_second', index)}, {together} of {view.text('prompt_tokens', index)} in a pass"


def how_large_a_batch(asking: Asking) -> str:
    """The largest number of sequences at once."""
    limit = asking.decision.limits.asked["how_large_a_batch"]
    return _largest(asking, limit, f"{limit.noun} at once on each GPU")


def how_long_a_context(asking: Asking) -> str:
    """The longest sequence."""
    limit = asking.decision.limits.asked["how_long_a_context"]
    at_once = asking.view.value("max_num_seqs", asking.chosen.column) if asking.view.workload == "serving" else 1
    each = f"{limit.noun} a sequence{f', {at_once:,.0f} at once' if at_once > 1 else ''}"
    return _largest(asking, limit, each, ALL_READ if limit.all_that_is_read else "")


def how_large_a_model(asking: Asking) -> str:
    """The largest of the variants, which are models by size, that keeps the planned headroom, and the next one."""
    own = own_of(asking)
    running = [each for each in own if each.word in WHOLE]
    chosen = asking.options.recommended
    last = chosen if chosen in own else next(reversed(running), None)
    if last is None:
        return f"none of {len(own)} fits: {own[0].case.name} is the smallest"
    beyond = next((each for each in own[own.index(last) + 1 :]), None)
    fails = "fits only just" if beyond in running else "does not fit"
    return f"up to {last.case.name}{as_assumed(asking.view, last)} ({of_usable(asking.view, last)} per GPU)" + (
        f"; {beyond.case.name} {fails}" if beyond else ""
    )


def _largest(asking: Asking, limit: Limit, counted: str, why_no_more: str = "") -> str:
    """The largest number that fits, as submitted, or with the settings that are recommended where none does."""
    submitted = f"{limit.given:,.0f} {'submitted' if limit.stated else 'in the figures below'}"
    if not limit.value:
        return f"Not one {limit.noun.removesuffix('s')} has room ({submitted}){nearest_words(asking)}"
    more = f", {limit.checkpointed:,.0f} with full checkpointing" if limit.checkpointed > limit.value else ""
    if limit.of_chosen:
        settings = listed(settings_of(asking.view, asking.chosen))
        most = f" ({why_no_more})" if why_no_more else ""
        found = f"up to {limit.value:,.0f} {counted} with {settings}{more}{most}"
        return f"{found}; as submitted none keeps the planned headroom"
    if limit.tight:
        return f"up to {limit.value:,.0f} {counted} ({submitted}), without the planned headroom{nearest_words(asking)}"
    fails = ", which does not fit" if limit.given > limit.value else ""
    return f"up to {limit.value:,.0f} {counted}{more} ({submitted}{fails}{f'; {why_no_more}' if why_no_more else ''})"


def affordable(asking: Asking) -> str:
    """How much can be trained for what may be spent, where that is asked; nothing where it is not known."""
    decision, search = asking.decision, asking.decision.plan.job.search
    if not asks_how_much_for_a_budget(asking.view.scenario) or not decision.amounts.tokens:
        return ""
    most, view = brief(search.most_cost_usd or 0, "USD"), asking.view
    if COUNTS_RUNS.is_asked(view.scenario):
        one = view.value("training_tokens", asking.chosen.column)
        value, low, high = (f"{of_each(tokens, one):,.0f}" for tokens in decision.amounts.tokens)
        return f"{value} runs ({low} to {high}) for {most}"
    return f"up to {_tokens(decision.amounts.tokens)} for {most}"


def trained_in_time(asking: Asking) -> str:
    """How much is trained in a time, where that is asked."""
    tokens, hours = asking.decision.amounts.in_time, hours_to_fill(asking.view.scenario)
    return f"{_tokens(tokens)} in {brief(hours, 'h')}{of_chosen(asking)}" if tokens else ""


def made_in_time(view: View, index: int, time: str, name: str = SPEED) -> str:
    """The tokens or requests of an hour, a day or another time, where a question counts them so."""
    ends = ("", "_low", "_high") if name == SPEED else ("",)
    made = made_in(tuple(view.value(f"{name}{end}", index) for end in ends), SECONDS_IN[time])
    said = _tokens(made) if name == SPEED else f"{counted(float(f'{made[0]:.3g}'), '1')} requests"
    return f"{said} {'an' if time == 'hour' else 'a'} {time}"


def of_each_gpu(view: View, index: int) -> str:
    """The speed of one of several GPUs."""
    speed = of_each(view.value(SPEED, index), view.value("accelerators", index))
    return f"{brief(speed, view.unit(SPEED))} per GPU"


def _tokens(ends: Sequence[float]) -> str:
    value, low, high = (counted(float(f"{each:.3g}"), "token") for each in ends)
    return f"{value} ({low.removesuffix(' tokens')} to {high.removesuffix(' tokens')})"


def for_all(asking: Asking, ends: tuple[float, ...], unit: str) -> str:
    """What all requests of a batch take or cost."""
    amount = with_ends(ends[0], (ends[1], ends[2]), unit)
    requests = requests_asked(asking.view.scenario)
    return f"{amount} for {counted(requests, '1')} {plural('request', requests)}"


def how_long(asking: Asking) -> str:
    """The time of the run or of a batch; hours of all GPUs first, where these are asked for."""
    row, view = asking.row(asking.chosen, Role.RECOMMENDED), asking.view
    if not row.takes.time:
        return f"it does not run{nearest_words(asking)}"
    if hours := asking.decision.amounts.hours:
        return for_all(asking, hours, "h")
    if IN_GPU_HOURS.is_asked(view.scenario):
        named = "count" in asking.chosen.changed  # with the settings
        return (
            f"{gpu_hours_words(row)}, {row.takes.time.text}{'' if named else f' on {row.gpus.hardware}'}{for_run(view)}"
        )
    if OF_A_STEP.is_asked(view.scenario):
        return f"{view.ranged('step_seconds', asking.chosen.column)} a step"
    return f"{row.takes.time.text}{for_run(view)}"


def for_run(view: View) -> str:
    """How long the run is, where that is assumed."""
    run = run_words(view) if view.workload == "training" else THE_RUN
    return "" if run == THE_RUN else f" for {run}"


def what_cost(asking: Asking) -> str:
    """What a run, the hours of a service, a batch or a token costs; GPU-hours where no price is known."""
    row = asking.row(asking.chosen, Role.RECOMMENDED)
    if alone := ownership_words(asking.decision) or cost_of_gpus(asking):
        return alone
    if row.takes.time and (tokens := affordable(asking)):
        return tokens
    if row.takes.time and (usd := asking.decision.amounts.usd):
        return for_all(asking, usd, "USD")
    if COST_OF_A_TOKEN.is_asked(asking.view.scenario):
        tokens = tokens_of_each(asking) or next(million_tokens(asking.view, row.column), "")
        if tokens:
            return tokens.removesuffix(".")
    if not row.takes.cost:
        return gpu_hours_words(row) if row.takes.time else "it does not run"
    again, cost = _of_a_year(asking, row.takes.cost), row.takes.cost.text
    return again or bought_words(asking.view, row.column) or f"{cost}{for_period(asking.view, row.column)}"


def _of_a_year(asking: Asking, cost: Range) -> str:
    """What a training costs in a year or a month that is done over and over; "" where it is done once."""
    question = asking_first(asking.view.scenario.question or "").lower()
    runs = runs_said(question) if asking.view.workload == "training" else None
    if runs is None:
        return ""
    months = MONTHS_IN_A_YEAR if BY_THE_MONTH.search(question) else 1
    number, usd = usd_of_runs(cost.amount.value, runs.value, months)
    return f"{brief(usd, 'USD')} a {'month' if months > 1 else 'year'}, {number:.3g} runs of {cost.text}"


def tokens_of_each(asking: Asking) -> str:
    """What a million tokens cost with each of several variants that run."""
    own = [each for each in own_of(asking) if each.word != DOES_NOT_FIT] if asking.scenario.cost else []
    said = [(each.case.name, next(million_tokens(asking.view, each.column), "").removesuffix(".")) for each in own]
    parts = [f"{tokens} with {name}" for name, tokens in said if tokens]
    rest = (each.removeprefix("A million tokens cost ") for each in parts[1:])
    return first_variants([*parts[:1], *rest]) if len(parts) > 1 else ""
