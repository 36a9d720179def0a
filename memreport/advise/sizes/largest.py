"""Largest batch and longest context with which a job fits with the planned headroom, as computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from memreport.advise.asks import asks_of, never_lacks_requests
from memreport.advise.gpus import SAVINGS
from memreport.advise.rerun import Changes, Job, job_of, rerun
from memreport.advise.search.space import load_is_open
from memreport.advise.verdict import in_limits, keeps_margin
from memreport.errors import InputError
from memreport.frozen import frozen

MOST = 2**16
"""The largest value that is tried."""
AT_ONCE = 32
TOKENS = 128
"""Lengths that are tried are multiples of it, which context parallelism can cut."""
READ = "max_position_embeddings"


@frozen
class Limited:
    """A number that may be asked for at its largest: its field by workload, what is counted, in which steps."""

    fields: Mapping[str, str]
    noun: str
    each: int = 1
    most: str = ""
    """The input that it does not exceed."""
    raised: Mapping[str, str] = field(default_factory=dict)
    """By workload, the field that is at least as large."""


AT_ONCE_KIND = "how_large_a_batch"
AT_ONCE_FIELDS = {"training": "training.micro_batch_size", "serving": "serving.max_num_seqs"}
LIMITED: Mapping[str, Limited] = {
    AT_ONCE_KIND: Limited(AT_ONCE_FIELDS, "sequence"),
    "how_long_a_context": Limited(
        {"training": "training.sequence_length", "serving": "serving.context_length"},
        "token",
        TOKENS,
        READ,
        {"serving": "serving.max_model_len"},
    ),
}
"""What a question asks for at its largest."""


@frozen
class Limit:
    """The largest number that fits, 0 where none does, the one that the job states, and what is counted."""

    field: str
    noun: str
    value: float
    given: float
    all_that_is_read: bool = False
    """Whether the model reads no more."""
    stated: bool = True
    """Whether the number that the job states is its own, and no default."""
    of_chosen: bool = False
    """Whether it takes the settings of the option that is recommended."""
    tight: bool = False
    """Whether it fits without the planned headroom alone."""
    checkpointed: float = 0
    """The same with full checkpointing, where the job has none and nobody says so."""


@frozen
class Limits:
    """The largest numbers: `asked` by kind of question; `users` by variant, where they are asked for within a time."""

    asked: Mapping[str, Limit]
    users: Mapping[str, Limit]


def limits_of(job: Job, chosen: Callable[[], Job]) -> Limits:
    """The largest numbers as submitted; where none fits, with the settings recommended."""
    kinds = [kind for kind in asks_of(job.loaded.scenario) if kind in LIMITED]
    found = {kind: replace(largest(job, kind), checkpointed=_checkpointed(job, kind)) for kind in kinds}
    asked = {kind: limit if limit.value else _otherwise(job, chosen(), kind, limit) for kind, limit in found.items()}
    variants = list(job.loaded.scenario.variants) or [job.variant]
    jobs = (job_of(job.loaded, job.catalogue, variant) for variant in variants if asks_for_users_in_time(job))
    return Limits(asked, {each.variant: largest(each, AT_ONCE_KIND) for each in jobs})


def _checkpointed(job: Job, kind: str) -> float:
    """The largest number with full checkpointing, where that is open; else 0."""
    name, changes = SAVINGS["training"]
    if job.workload != "training" or job.case.origins[name].kind != "default":
        return 0
    return largest(job.changed(changes), kind).value


def _otherwise(job: Job, chosen: Job, kind: str, submitted: Limit) -> Limit:
    """The largest number with the settings recommended; where these are of other GPUs, what fits tightly on the own."""
    if any(chosen.case.settings[name] != job.case.settings[name] for name in ("accelerator", "count")):
        tightly = largest(job, kind, tightly=True)
        if tightly.value:
            return replace(tightly, tight=True)
    return _of_chosen(chosen, kind, submitted)


def _of_chosen(chosen: Job, kind: str, submitted: Limit) -> Limit:
    found = largest(chosen, kind)
    more = _checkpointed(chosen, kind)
    return replace(found, given=submitted.given, of_chosen=True, checkpointed=more) if found.value else submitted


def largest(job: Job, kind: str, *, tightly: bool = False) -> Limit:
    """The largest number of a kind with which the job fits with its margin, or, tightly, by its estimate alone."""
    limited = LIMITED[kind]
    field = limited.fields[job.workload]
    read = int(job.value(limited.most)) // limited.each if limited.most else 0
    value = float(most_that_fit(job, limited, read or MOST, tightly=tightly) * limited.each)
    noun, name = f"{limited.noun}{'' if value == 1 else 's'}", field.rpartition(".")[2]
    return Limit(
        field,
        noun,
        value,
        given=float(job.case.settings[name]),
        all_that_is_read=0 < read * limited.each == value,
        stated=job.case.origins[name].kind != "default",
    )


def most_that_fit(job: Job, limited: Limited, most: int, *, tightly: bool = False) -> int:
    """How many times the step fits, at most so many times."""
    low, high = 0, most + 1
    steps = sorted({most, *(step for step in doubled(most) if step < most)})
    while steps:
        sizes = [_with_size(job, limited, step * limited.each) for step in steps]
        fitting = which_fit(job, sizes, tightly=tightly)
        low = max((step for step, fits in zip(steps, fitting, strict=True) if fits), default=low)
        high = min((step for step, fits in zip(steps, fitting, strict=True) if not fits and step > low), default=high)
        steps = between(low, high)
    return low


def _with_size(job: Job, limited: Limited, value: int) -> Changes:
    raised = limited.raised.get(job.workload, "")
    wider = {raised: value} if raised and value > job.value(raised.rpartition(".")[2]) else {}
    return {**job.changes, limited.fields[job.workload]: value, **wider}


def asks_for_a_size(job: Job) -> bool:
    """Whether the largest batch or the longest context is asked for, which is one of the settings submitted."""
    return not LIMITED.keys().isdisjoint(asks_of(job.loaded.scenario))


def asks_for_most_users(job: Job) -> bool:
    """Whether users are asked for whose number is not stated, or who are answered within a time."""
    scenario = job.loaded.scenario
    asked = "how_many_users" in asks_of(scenario) and scenario.demand is None and job.workload == "serving"
    of_tokens = asked and job.case.makes_tokens and not job.case.settings["audio_seconds"]
    return of_tokens and (job.case.origins["max_num_seqs"].kind == "default" or _limits_times(job))


def is_a_batch(job: Job) -> bool:
    """Whether requests never lack, and nobody says how many run at once."""
    return never_lacks_requests(job.loaded.scenario) and load_is_open(job) and job.case.makes_tokens


def asks_for_users_in_time(job: Job) -> bool:
    """Whether users are asked for who are answered within a time."""
    return asks_for_most_users(job) and _limits_times(job)


def _limits_times(job: Job) -> bool:
    return (job.search.time_to_first_token_seconds or job.search.sequence_tokens_per_second) is not None


def doubled(most: int) -> list[int]:
    """Powers of two up to a number."""
    return [2**power for power in range(most.bit_length())]


def between(low: int, high: int) -> list[int]:
    """Values between two, at most so many at once, until none is left."""
    width = -(-(high - low) // AT_ONCE)
    return [] if high - low <= 1 else list(range(low + width, high, width))


def which_fit(job: Job, variants: Sequence[Changes], *, tightly: bool = False) -> list[bool]:
    """Which variants fit, and end in time; one that breaks a rule between fields does not."""
    try:
        return _computed(job, variants, tightly=tightly)
    except InputError:
        half = len(variants) // 2
        parts = (variants[:half], variants[half:]) if half else ()
        return [fits for part in parts for fits in which_fit(job, part, tightly=tightly)] or [False]


def _computed(job: Job, variants: Sequence[Changes], *, tightly: bool) -> list[bool]:
    found = rerun(job.loaded, job.catalogue, {str(index): variant for index, variant in enumerate(variants)}).values
    free = found["fits"] > 0 if tightly else keeps_margin(found, job.search.safety_margin)
    kept = free & in_limits(found, job.search)
    return [bool(each) for each in kept]
