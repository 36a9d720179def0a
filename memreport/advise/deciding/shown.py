"""The few options that are shown of all candidates: as submitted, chosen, cheaper ones, and what is another job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from memreport.advise.asks import asks_of_each
from memreport.advise.candidates import Candidate, Likeness, Option, Options, Role, choosable, cost_of, same_gpu
from memreport.advise.deciding.choosing import best
from memreport.advise.rerun import Job
from memreport.advise.sizes.at_once import AT_ONCE_FEWER
from memreport.advise.verdict import FITS
from memreport.compute import Computed

MOST_SHOWN = 6
"""Options of a decision whose question is asked of every variant."""


def options_shown(options: Options, job: Job) -> list[Option]:
    """The few that are shown: what was submitted only where somebody did, or where there is nothing else."""
    chosen, submitted = options.recommended or options.nearest, options.submitted
    role = Role.RECOMMENDED if options.recommended else _role(chosen.likeness) if chosen else Role.AS_SUBMITTED
    shown = list(_shown(options, chosen, role, anew=job.pretrains))
    if options.asks_for_hardware and chosen and chosen is not submitted:
        shown = [option for option in shown if option.candidate is not submitted]
    return _with_variants(shown, options.candidates, chosen) if asks_of_each(job.loaded.scenario) else shown


def _shown(options: Options, chosen: Candidate | None, role: Role, *, anew: bool) -> Iterator[Option]:
    """The options of a decision, each once: as submitted, chosen, cheaper ones, and what is another job.

    What a model is trained to from the beginning, no adapters hold.
    """
    candidates, submitted = options.candidates, options.submitted
    yield Option(Role.AS_SUBMITTED, submitted)
    if chosen and chosen is not submitted:
        yield Option(role, chosen)
    if chosen and chosen.serves_most:
        return  # the others serve fewer users
    kept = (each for each in choosable(candidates) if each.headroom_kept)
    others = [each for each in kept if each is not chosen and each is not submitted]
    for option in _cheaper(options.computed, [each for each in others if each.likeness.same_job], chosen):
        other_number = same_gpu(option.candidate, submitted) and option.role is Role.CHEAPEST_ELSEWHERE
        yield replace(option, role=Role.CHEAPEST_NUMBER) if other_number else option
    tight = [each for each in candidates if each.word == FITS and each.case.name in AT_ONCE_FEWER]
    other = None if anew else _other_result(others) or _other_result(tight)
    if other:
        yield Option(Role.DIFFERENT_JOB, other)


def _other_result(pool: Iterable[Candidate]) -> Candidate | None:
    return best(each for each in pool if each.likeness.other_result and each.likeness.same_gpus)


def _with_variants(shown: Iterable[Option], candidates: Iterable[Candidate], chosen: Candidate | None) -> list[Option]:
    """With the other variants, as many as there is room for, in place of a different job that nobody asked of."""
    shown = [option for option in shown if option.role is not Role.DIFFERENT_JOB or option.candidate is chosen]
    known = {option.candidate.column for option in shown}
    also = [Option(Role.VARIANT, each) for each in candidates if each.own and each.column not in known]
    return [*shown, *also[: max(0, MOST_SHOWN - len(shown))]]


def _cheaper(computed: Computed, same: Sequence[Candidate], chosen: Candidate | None) -> Iterator[Option]:
    """The cheapest that do the same job, on the same GPUs and on others, where they cost less by more than a tie.

    On others instances are paid whole: nobody says that other jobs use what is left of them.
    """
    for role, same_gpus in ((Role.CHEAPEST_SAME, True), (Role.CHEAPEST_ELSEWHERE, False)):
        pool = [each for each in same if each.likeness.same_gpus == same_gpus]
        paid = {
            each.column: each.cost if same_gpus else cost_of(computed, each.column, in_wholes=True) for each in pool
        }
        cheapest = min(pool, key=lambda each: (paid[each.column], len(each.changed)), default=None)
        if cheapest and (chosen is None or paid[cheapest.column] * cheapest.tie < chosen.cost):
            yield Option(role, cheapest)


def _role(likeness: Likeness) -> Role:
    """What is chosen is to the reader."""
    if not (likeness.same_job or likeness.same_but_for_asked):
        return Role.DIFFERENT_JOB
    return Role.RECOMMENDED if likeness.same_gpus and likeness.same_job else Role.NEAREST
