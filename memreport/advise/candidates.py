"""The options that a budget is decided on: variants of a scenario and what advice found, and how alike they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Any, Literal

from memreport.advise.asks import asks_of, requests_asked
from memreport.advise.rerun import Changes, Job, count_is_open, gpu_is_open
from memreport.advise.verdict import Word
from memreport.catalogue.fields.job import MACHINE
from memreport.catalogue.fields.model import ModelFields
from memreport.catalogue.fields.search import ALTERING
from memreport.catalogue.question.lexer import asking_first
from memreport.catalogue.question.settings import settings_named
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.compute import Computed
from memreport.frozen import frozen
from memreport.resolve import Case
from memreport.resolve.overlay import differing


class Role(StrEnum):
    """What an option is to the reader."""

    AS_SUBMITTED = "as submitted"
    RECOMMENDED = "recommended"
    VARIANT = "variant"
    NEAREST = "nearest"
    CHEAPEST_SAME = "cheapest on the same GPUs"
    CHEAPEST_NUMBER = "cheapest in another number"
    CHEAPEST_ELSEWHERE = "cheapest elsewhere"
    DIFFERENT_JOB = "a different job"


SAME_JOB = {
    "training": ("method", "objective", "sequence_length", "training_tokens"),
    "serving": ("weight_dtype", "context_length", "max_model_len"),
}
"""Fields that say what is made: an option in which one differs is a different job."""
ASKED_OF = frozenset(
    {"micro_batch_size", "lora_rank", "zero_stage", "tensor_parallel_size"}
    | {"pipeline_parallel_size", "expert_parallel_size", "context_parallel_size"}
)
"""Fields that a question asks about where it names them: an option in which one differs does not answer it."""
RESULT = {"training": "method", "serving": "weight_dtype"}
"""The field that says in what way a result differs: adapters for all weights, weights of fewer bits."""
LAYOUT = ("tensor_parallel_size", "pipeline_parallel_size", "expert_parallel_size", "context_parallel_size")
"""Fields that say how a model and its caches are spread over GPUs."""
GPU_AND_LAYOUT = frozenset({"accelerator", "count", *LAYOUT})
FOLLOWING = (
    *(*MACHINE, "basis", "price", "purchase_price", "adders", "colocation", "hours", "months"),
    *("gradient_accumulation_steps", "model_flop_utilization", "measured_time_factor"),
    *("max_model_len", "max_num_seqs", "unstated_sequences", "unstated_batched_tokens"),
)
"""Settings that follow from others, and count as no change of their own."""
EXPECTED = frozenset(
    {"model_flop_utilization", "measured_time_factor", "goodput", "contingency", "load_factor", "owned_utilisation"}
    | {"price_low_multiplier", "price_high_multiplier", "attention_computed_share", "burst_share"}
    | {"fragmentation_share", "fragmentation_share_low", "fragmentation_share_high", "usable_share", "acceptance_rate"}
    | {"draft_step_share", "weight_overhead_share", "prefix_cached_share"}
)
"""Fields that say what is expected of a job: who expects more of the same job has no other way to work."""
MOST_USERS = "most users"
"""The settings that were found for as many users as have room."""


@frozen
class Likeness:
    """What a candidate has in common with what was submitted."""

    same_job: bool
    same_but_for_asked: bool
    """The same job, but for what its question names: another micro-batch than the one that is asked about."""
    larger_batch: bool
    """The same job but for its global batch, which is larger: more GPUs than it has sequences."""
    other_result: bool
    same_gpus: bool
    carries: bool
    """Whether it meets the same demand, where one is stated, with as many GPUs as it has."""
    not_asked: AbstractSet[str] = frozenset()
    """Fields that nobody asked for: where no GPU is named, which it is and how a model is spread over it."""


@frozen
class Candidate:
    """A column of the comparison: a variant of the scenario (`own`) or a combination that advice found."""

    column: int
    case: Case
    changes: Changes
    own: bool
    word: Word
    headroom_kept: bool
    """Whether it fits with the planned headroom, keeps limits of time and cost, and meets a demand that is stated."""
    beyond: Literal["time", "cost"] | None
    """Which limit of the question or of `search:` it exceeds, the cost before the time."""
    likeness: Likeness
    cost: float
    tie: float
    """Costs within this factor are a tie: what the range of its time says of how sure its cost is."""
    usable: float
    """Bytes of its GPU that a job may take."""
    changed: tuple[str, ...]

    @property
    def carries(self) -> bool:
        """Whether it meets a demand that is stated."""
        return self.likeness.carries

    @property
    def serves_most(self) -> bool:
        """Whether it was found for as many users as have room."""
        return not self.own and self.case.name == MOST_USERS

    @property
    def alters(self) -> bool:
        """Whether another optimizer or format alters what comes out."""
        return not {*ALTERING}.isdisjoint(self.changed)

    @property
    def count(self) -> float:
        """GPUs of the job."""
        return float(self.case.settings["count"])


@frozen
class Option:
    """A candidate and what it is to the reader."""

    role: Role
    candidate: Candidate


@frozen
class Options:
    """All candidates as one computed table, and the few of them that are shown.

    `recommended` is None where nothing fits the same GPUs with the planned headroom; `nearest` then does, and `tight`
    fits these with less.
    """

    computed: Computed
    candidates: tuple[Candidate, ...]
    submitted: Candidate
    recommended: Candidate | None
    nearest: Candidate | None
    tight: Candidate | None
    shown: tuple[Option, ...]
    asks_for_hardware: bool = False
    """Whether nobody states the GPUs that are asked for, so that what was submitted stands on one as any job would."""

    @property
    def chosen(self) -> Candidate:
        """The one that a budget is about: recommended, else the nearest that fits, else what was submitted."""
        return self.recommended or self.nearest or self.submitted


def likeness_of(job: Job, case: Case, batch: float, left_open: AbstractSet[str], *, carries: bool) -> Likeness:
    """What a case has in common with the job, whose global batch it multiplies; `left_open` may differ."""
    alike = case.card.id == job.case.card.id and _alike(job, case, {*SAME_JOB[job.workload]} - left_open)
    as_asked = alike and _alike(job, case, _asked(job))
    ours, theirs, result = job.case.settings, case.settings, RESULT[job.workload]
    return Likeness(
        same_job=as_asked and batch == 1,
        same_but_for_asked=alike and not as_asked and batch == 1,
        larger_batch=as_asked and batch > 1,
        other_result=theirs[result] != ours[result],
        same_gpus=all(theirs[name] == ours[name] for name in _same_of(job)),
        carries=carries,
        not_asked=GPU_AND_LAYOUT if gpu_is_open(job) else frozenset(),
    )


def _asked(job: Job) -> set[str]:
    """Fields that the question names, which the job has as it says."""
    named = settings_named(asking_first(job.loaded.scenario.question.lower()), job.workload)
    return {name for name, said in named if name in ASKED_OF and job.case.settings[name] == said.value}


def _alike(job: Job, case: Case, names: Iterable[str]) -> bool:
    """Whether the case has these fields as the job has them."""
    return all(_stated(case, name) == _stated(job.case, name) for name in names)


def _same_of(job: Job) -> tuple[str, ...]:
    """What makes GPUs the same: of a demand, or where it is asked how many, which; where which is asked, how many.

    Nothing where a cost is asked for and no GPU is named.
    """
    scenario = job.loaded.scenario
    if gpu_is_open(job):
        return ()
    if "which_gpu" in asks_of(scenario):
        return () if scenario.demand is not None else ("count",)
    return ("accelerator",) if scenario.demand is not None or count_is_open(job) else ("accelerator", "count")


def _stated(case: Case, name: str) -> Any:
    return case.overrides.get(name, case.settings.get(name))


def changed_settings(base: Case, other: Case, at_once: bool) -> tuple[str, ...]:
    """Fields in which a case differs from another, without those that follow from the rest; a model counts as one.

    `at_once` where its sequences at once are its own, and follow from nothing.
    """
    other_card = base.card.id != other.card.id
    left_out = {*FOLLOWING, *(ModelFields.model_fields if other_card else ())}
    changed = differing(base.settings, other.settings)
    own = [name for name in changed if name == "max_num_seqs" and at_once]
    return (*(("model",) if other_card else ()), *(name for name in changed if name not in left_out), *own)


def choosable(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that are ways to work: no variant that does what one before it does and expects something else of it."""
    own = [each for each in candidates if each.own]
    return [
        each
        for each in candidates
        if not each.own
        or not any(first.column < each.column and _expects_otherwise(first.case, each.case) for first in own)
    ]


def _expects_otherwise(one: Case, other: Case) -> bool:
    """Whether two differ in nothing but what is expected of them."""
    (ours, theirs) = ({**case.settings, **case.overrides, "model": case.card.id} for case in (one, other))
    differing = {name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)}
    return bool(differing) and differing <= EXPECTED


PRICED = ("price", *OWN_PRICES[:1])
"""What a GPU is rented at: a row of the price book, or a number."""


def differ_in_prices(candidates: Iterable[Candidate]) -> bool:
    """Whether several are one job on the same GPUs, and differ in nothing but what a GPU is rented at."""
    jobs = [
        (each.case.card.id, *({**each.case.settings, **each.case.overrides, **dict.fromkeys(PRICED)}).items())
        for each in candidates
    ]
    return len(jobs) > 1 and all(job == jobs[0] for job in jobs)


def same_gpu(one: Candidate, other: Candidate) -> bool:
    """Whether both are on the same GPU, in whatever number."""
    return bool(one.case.settings["accelerator"] == other.case.settings["accelerator"])


WHOLE_COST, IDLE, SPEED = "whole_cost_usd", "idle_rent_usd", "tokens_per_second"


def cost_of(computed: Computed, index: int, *, in_wholes: bool) -> float:
    """Dollars to be signed, of the purchase, the whole run or the service; hours or GPUs without a price.

    Where any GPU or number of them may be taken, instances are paid whole: one of eight costs more than one alone.
    """
    if computed.resolved.loaded.scenario.cost is not None and any(line.name == WHOLE_COST for line in computed.lines):
        idle = computed.beside[IDLE][index] if in_wholes and IDLE in computed.beside else 0.0
        return (float(computed.values[WHOLE_COST][index]) + float(idle)) / _made(computed, index)
    hours = float(computed.values["training_hours"][index]) if computed.resolved.workload == "training" else 1.0
    return hours * float(computed.values["accelerators"][index])


def _made(computed: Computed, index: int) -> float:
    """Tokens a second where it is asked what a number of requests costs, which all of them pay; else 1."""
    batch = requests_asked(computed.resolved.loaded.scenario) and SPEED in computed.values
    return float(computed.values[SPEED][index]) or 1.0 if batch else 1.0
