"""The few options that a budget is decided on, and which of them is recommended: one rule, for every output.

Recommended is, of what makes the same thing on the same GPUs and fits with the planned headroom, the cheapest;
of those that cost the same within the error of the time, one that moves nothing more to the host, and of these the one
with the fewest changes.  Where the question is how
many GPUs, their number is free, and the fewest are recommended that cost no more than the settings submitted.  Where
none fits, the nearest that does is named: the same GPU in another number, another GPU, a larger batch, another job.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from memreport.advise.asks import asks_of, requests_asked
from memreport.advise.candidates import (
    LAYOUT,
    MOST_USERS,
    Candidate,
    Options,
    changed_settings,
    choosable,
    cost_of,
    differ_in_prices,
    likeness_of,
    same_gpu,
)
from memreport.advise.deciding.choosing import OFFLOADED, best, chooser_of, fewest, memory_in_all
from memreport.advise.deciding.found import found_by, own_changes
from memreport.advise.deciding.shown import options_shown
from memreport.advise.gpus import CHECKPOINTING, on_other_gpus
from memreport.advise.plan import Plan
from memreport.advise.rerun import Changes, Job, asks_for_hardware, count_is_open, gpu_is_open, keeps_rules, rerun
from memreport.advise.search.measured import is_priced, measured
from memreport.advise.search.space import FEWER_BITS
from memreport.advise.sizes.at_once import (
    AT_ONCE_FEWER,
    may_use_the_host,
    with_fewer_at_once,
    with_layers_on_host,
    with_load_spread,
    with_more_users,
    with_most_users,
    with_most_users_spread,
)
from memreport.advise.sizes.fewest_gpus import on_many_gpus
from memreport.advise.sizes.fewest_recomputed import with_fewest_recomputed
from memreport.advise.sizes.largest import (
    AT_ONCE_FIELDS,
    asks_for_a_size,
    asks_for_most_users,
    asks_for_users_in_time,
    is_a_batch,
)
from memreport.advise.verdict import FITS, QUEUES, TIGHT, WHOLE, in_budget, in_time, keeps_margin, words_of
from memreport.compute import Computed, compute
from memreport.errors import InputError
from memreport.resolve import BASE, Case, resolve
from memreport.resolve.following import follows, stating

TIE = 1.10
"""The factor of a tie where no range of the time is known: half of published times spread further."""
TIMES = {"training": "step_seconds", "serving": "time_per_output_token_seconds"}
"""The time whose measured range says how sure a cost is."""
SLOWER_OR_OTHER = {*OFFLOADED, "optimizer", "micro_batch_size"}
"""Fields by which a training is another one, or slower by far: its largest batch is not counted with these."""
ADDED = "recommended"
"""Name of the variant that advice adds."""


def options_of(plan: Plan) -> Options:
    """Every variant of the scenario and what the plan found, computed side by side, and the choice among them."""
    own = own_changes(plan.job)
    found = found_by(plan, own)
    options = _among(plan, own, found)
    if _adds_checkpointing(options) and (less := with_fewest_recomputed(chosen_job(plan.job, options))):
        found = {**found, **less}
        options = _among(plan, own, found)
    if len(own) > 1 and (options.recommended or not asks_for_users_in_time(plan.job)):
        return options
    if more := _with_as_many_as_fit(plan.job, options):
        return _among(plan, own, {**found, **more})
    for fewer in (with_fewer_at_once, with_load_spread, with_layers_on_host):
        if options.recommended or _waits(plan.job, options):
            break
        if made := fewer(plan.job):
            found = {**found, **made}
            options = _among(plan, own, found)
    return options


def _adds_checkpointing(options: Options) -> bool:
    """Whether what is recommended recomputes what the job as submitted stores."""
    return bool(options.recommended and CHECKPOINTING in options.recommended.changed)


def _waits(job: Job, options: Options) -> bool:
    """Whether requests that wait for others are no fault: what does not fit at once is not what is asked.

    A cost is of the GPUs that are stated with as many at once as have room, not of more GPUs.
    """
    scenario = job.loaded.scenario
    asks = {"fits", "what_cost"}.intersection(asks_of(scenario))
    return options.submitted.word == QUEUES and not asks and not requests_asked(scenario)


def _with_as_many_as_fit(job: Job, options: Options) -> dict[str, Changes]:
    """As many sequences at once as have room, where users or a batch ask for them; else nothing."""
    made: Changes = {}
    if asks_for_most_users(job):
        roomy = _with_most_room(options)
        laid_out = [chosen_job(job, roomy)] if _lays_out(roomy.chosen) and roomy.chosen.headroom_kept else []
        made = with_most_users_spread(job, laid_out) or with_most_users(chosen_job(job, roomy))
        return {MOST_USERS: made, **with_more_users(job, made)} if made else {}
    if is_a_batch(job):
        made = with_most_users(chosen_job(job, options)) if options.recommended else with_most_users_spread(job, [])
        made = made or with_most_users(chosen_job(job, options))
    return {MOST_USERS: made} if made else {}


def _lays_out(candidate: Candidate) -> bool:
    """Whether it changes nothing but how the model and its caches are spread over GPUs."""
    return {*LAYOUT}.issuperset(candidate.changed)


def _with_most_room(options: Options) -> Options:
    """With that layout recommended, of those that what is stated leaves open, in which the GPUs hold most sequences."""
    origins = options.submitted.case.origins
    free = {name for name in LAYOUT if origins[name].kind == "default"}
    laid_out = [each for each in options.candidates if _keeps(each) and free.issuperset(each.changed)]
    held = options.computed.values["max_concurrent_sequences"] * options.computed.values["sharding_size"]
    otherwise = options.recommended or options.submitted
    return replace(options, recommended=max(laid_out, key=lambda each: held[each.column], default=otherwise))


def _is_tight(candidate: Candidate) -> bool:
    """Whether it fits without the planned headroom."""
    alike = candidate.likeness.same_job and candidate.likeness.same_gpus and not candidate.beyond
    return alike and (candidate.word == TIGHT or (candidate.word == FITS and candidate.case.name in AT_ONCE_FEWER))


def _compares(candidate: Candidate) -> bool:
    running = candidate.word == FITS and not candidate.beyond and candidate.carries
    return candidate.own and (candidate.headroom_kept or running)


def _best_compared(computed: Computed, candidates: Sequence[Candidate]) -> Candidate | None:
    """The best of the variants that are compared; where it fits too tightly, its GPUs with the planned headroom."""
    order = order_of(computed, [each for each in candidates if each.own])
    running = (each for each in candidates if each.own and each.word in WHOLE and not each.beyond and each.carries)
    first = min(running, key=order, default=None)
    if first is None or _compares(first):
        return first
    alike = [each for each in candidates if each.headroom_kept and each.likeness.same_job and _same_place(each, first)]
    roomy = [*filter(None, [best(alike)]), *filter(_compares, candidates)]
    return min(roomy, key=order, default=None)


def order_of(computed: Computed, own: Sequence[Candidate]) -> Callable[[Candidate], float]:
    """By what variants are compared: their measure; where prices alone differ, the bill with instances paid whole."""
    if is_priced(computed) and differ_in_prices(own):
        return lambda each: cost_of(computed, each.column, in_wholes=True)
    return partial(measured, computed)


def _same_place(one: Candidate, other: Candidate) -> bool:
    return all(one.case.settings[name] == other.case.settings[name] for name in ("accelerator", "count"))


def _keeps(candidate: Candidate) -> bool:
    return candidate.likeness.same_job and candidate.likeness.same_gpus and candidate.headroom_kept


def _among(plan: Plan, own: Mapping[str, Changes], found: Mapping[str, Changes]) -> Options:
    """The choice among variants and what was found."""
    computed, candidates = candidates_of(plan.job, own, found)
    if not any(candidate.headroom_kept and candidate.likeness.same_job for candidate in candidates) and (
        far := on_many_gpus(plan.job)
    ):
        found = {**found, **far}
        computed, candidates = candidates_of(plan.job, own, found)
    submitted = _submitted(plan.job, candidates)
    kept = (each for each in candidates if each.headroom_kept and each.likeness.same_job)
    others = {} if any(same_gpu(each, submitted) for each in kept) else on_other_gpus(plan.job)
    if others:
        computed, candidates = candidates_of(plan.job, own, {**found, **others})
        submitted = _submitted(plan.job, candidates)
    recommended = _recommended(plan.job, computed, candidates, submitted)
    open_ = asks_for_hardware(plan.job)
    of_cost = is_priced(computed) and "what_cost" in asks_of(plan.job.loaded.scenario)
    nearest = None if recommended else _nearest(candidates, submitted, any_gpu=open_, of_cost=of_cost)
    tight = best(each for each in candidates if _is_tight(each)) if nearest else None
    listed = tuple(each for each in candidates if each.own or each is nearest or each.case.name not in others)
    options = Options(computed, listed, submitted, recommended, nearest, tight, (), open_)
    return replace(options, shown=tuple(options_shown(options, plan.job)))


def _submitted(job: Job, candidates: Iterable[Candidate]) -> Candidate:
    return next(candidate for candidate in candidates if candidate.case.name == job.variant)


def _recommended(
    job: Job, computed: Computed, candidates: Sequence[Candidate], submitted: Candidate
) -> Candidate | None:
    """The option that is recommended, by what is asked; None where nothing keeps the planned headroom."""
    asks, fitting = asks_of(job.loaded.scenario), [each for each in candidates if each.own and each.headroom_kept]
    several = sum(each.own for each in candidates) > 1
    users = next((each for each in candidates if each.serves_most and _keeps(each)), None)
    sized = _sized(computed, candidates, submitted) if asks_for_a_size(job) else None
    compared = _best_compared(computed, candidates) if "compare" in asks else None
    largest = fitting[-1] if fitting and "how_large_a_model" in asks else None
    first = fitting[0] if fitting and "which_fit" in asks and several else None
    return users or sized or largest or first or compared or chooser_of(computed)(filter(_keeps, choosable(candidates)))


def _sized(computed: Computed, candidates: Iterable[Candidate], submitted: Candidate) -> Candidate | None:
    """What a largest size is counted of: as submitted; where that leaves no room, a training with most headroom."""
    if _keeps(submitted) or computed.resolved.workload != "training":
        return submitted if _keeps(submitted) else None
    headroom = computed.values["headroom_bytes"]
    plain = (each for each in candidates if _keeps(each) and SLOWER_OR_OTHER.isdisjoint(each.changed))
    return max(plain, key=lambda each: float(headroom[each.column]), default=None)


def candidates_of(
    job: Job, own: Mapping[str, Changes], found: Mapping[str, Changes]
) -> tuple[Computed, tuple[Candidate, ...]]:
    """Variants and what was found side by side: one table, and what each of its rows is.  Raises InputError.

    What is found under the name of a variant gives way to it.
    """
    found = {name: changes for name, changes in found.items() if name not in own}
    computed = _rerun(job, own, found)
    return computed, tuple(_candidates(job, computed, own, {**own, **found}))


def _nearest(
    candidates: Sequence[Candidate], submitted: Candidate, *, any_gpu: bool, of_cost: bool
) -> Candidate | None:
    """What comes nearest: the same GPU in another number, other settings than those asked about, another GPU, ...

    The fewest of the same GPU; where `any_gpu` does, as nobody names one, the fewest of any.  Of other GPUs those with
    the least memory, or, where that is asked, cost.
    """
    kept = [candidate for candidate in choosable(candidates) if candidate.headroom_kept]
    gpu, same_job = submitted.case.settings["accelerator"], [each for each in kept if each.likeness.same_job]
    numbers = same_job if any_gpu else [each for each in same_job if each.case.settings["accelerator"] == gpu]
    tries = (
        [candidate for candidate in kept if candidate.likeness.same_but_for_asked and candidate.likeness.same_gpus],
        same_job,
        [candidate for candidate in kept if candidate.likeness.larger_batch],
        [candidate for candidate in kept if candidate.likeness.same_gpus],
        kept,
    )
    least = None if any_gpu or numbers or tries[0] or of_cost else min(same_job, key=memory_in_all, default=None)
    return fewest(numbers) or least or next((found for pool in tries if (found := best(pool))), None)


def _rerun(job: Job, own: Mapping[str, Changes], found: Mapping[str, Changes]) -> Computed:
    """All at once; where a combination breaks a rule between fields, without those that do."""
    try:
        return rerun(job.loaded, job.catalogue, {**own, **found})
    except InputError:
        kept = {name: changes for name, changes in found.items() if keeps_rules(job, changes)}
        return rerun(job.loaded, job.catalogue, {**own, **kept})


def _candidates(
    job: Job, computed: Computed, own: Mapping[str, Changes], changes: Mapping[str, Changes]
) -> Iterator[Candidate]:
    free = keeps_margin(computed.values, job.search.safety_margin)
    quick, paid = (np.broadcast_to(kept(computed.values, job.search), free.shape) for kept in (in_time, in_budget))
    left_open, in_wholes = _open(job), gpu_is_open(job) or count_is_open(job)
    for index, (case, word) in enumerate(zip(computed.resolved.variants, words_of(computed.values), strict=True)):
        as_many = case.name == MOST_USERS and is_a_batch(job)
        carries = _carries(computed, index)
        of_its_own = as_many or case.name in AT_ONCE_FEWER or AT_ONCE_FIELDS["serving"] in own.get(case.name, {})
        yield Candidate(
            column=index,
            case=case,
            changes=changes[case.name],
            own=case.name in own,
            word=word,
            headroom_kept=bool(free[index] and quick[index] and paid[index]) and carries,
            beyond=None if quick[index] and paid[index] else "time" if paid[index] else "cost",
            likeness=likeness_of(job, case, _batch(computed, job, index), left_open, carries=carries),
            cost=cost_of(computed, index, in_wholes=in_wholes),
            tie=_tie(computed, index),
            usable=float(computed.values["usable_bytes"][index]),
            changed=tuple(_not_followed(job, case, changed_settings(job.case, case, of_its_own))),
        )


def _not_followed(job: Job, case: Case, changed: Iterable[str]) -> Iterator[str]:
    """Changed settings but those that nobody stated, and that are as if nobody did: BF16 of a base that is sharded."""
    of = (case.card, job.catalogue, job.workload)
    stated = stating(job.case.origins, demanded=False)
    yield from (name for name in changed if stated(name) or not follows(name, case.settings, case.origins, of))


def _batch(computed: Computed, job: Job, index: int) -> float:
    """The global batch over the job's own; 1 where it is no part of the job."""
    if job.workload == "serving" or count_is_open(job):
        return 1.0
    return float(computed.values["global_batch_size"][index]) / job.value("global_batch_size")


def _open(job: Job) -> set[str]:
    """The format of weights where none is stated: of engines that usually serve smaller ones, of a GPU of one's own."""
    if job.workload == "training" or job.case.origins["weight_dtype"].kind in ("scenario", "variant"):
        return set()
    return {"weight_dtype"} if may_use_the_host(job) or job.case.settings["engine"] in FEWER_BITS else set()


def _carries(computed: Computed, index: int) -> bool:
    """Whether a stated demand is met; there is nothing to meet without one."""
    demanded = computed.resolved.loaded.scenario.demand is not None
    return not demanded or bool(computed.values["meets_demand"][index] > 0)


def _tie(computed: Computed, index: int) -> float:
    """Half of the range of its time, as a factor."""
    name = TIMES[computed.resolved.workload]
    if f"{name}_low" not in computed.values:
        return TIE
    low, high = (float(computed.values[f"{name}_{end}"][index]) for end in ("low", "high"))
    return math.sqrt(high / low) if 0 < low <= high else TIE


def chosen_name(options: Options, taken: Collection[str]) -> str:
    """The variant that a budget is about; what advice found gets a name that no variant has."""
    if options.chosen.own:
        return options.chosen.case.name
    names = (ADDED, *(f"{ADDED} {index}" for index in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def chosen_job(job: Job, options: Options) -> Job:
    """The chosen option as a job of its own."""
    name = chosen_name(options, job.loaded.scenario.variants)
    changes = options.chosen.changes
    return replace(job, variant=name, changes=changes, computed=rerun(job.loaded, job.catalogue, {name: changes}))


def with_chosen(computed: Computed, options: Options) -> Computed:
    """The scenario with the chosen option as one more variant, where it is none yet: what is published."""
    if options.chosen.own:
        return computed
    loaded, scenario = computed.resolved.loaded, computed.resolved.loaded.scenario
    name = chosen_name(options, scenario.variants)
    variants = {**(scenario.variants or {BASE: {}}), name: dict(options.chosen.changes)}
    changed = replace(loaded, scenario=scenario.model_copy(update={"variants": variants}))
    return compute([resolve(changed, computed.resolved.catalogue)])[0]
