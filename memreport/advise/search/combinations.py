"""What a search found, as records: each combination with its settings, its figures, and the variant that gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from memreport.advise.rerun import Job
from memreport.advise.search.hosts import host_of
from memreport.advise.search.prices import price_of, price_warnings, price_words
from memreport.advise.search.ranking import Index, Rows, answers_of, ranked, unbeaten
from memreport.advise.search.rules import Excluded, rules_of
from memreport.advise.search.search import (
    GROUPED_BY,
    NEAREST_ROWS,
    Runner,
    SearchLimits,
    SearchPart,
    groups_of,
    in_process,
    positions,
    same_accelerator,
    same_hardware,
    search,
)
from memreport.advise.search.space import BASE_FORMAT, Axis, Space, space_of
from memreport.catalogue.scenario import Scalar, dictionary
from memreport.catalogue.yaml.scalars import as_whole
from memreport.frozen import frozen

NOT_KNOWN = "no price known"
SYNC = "sync_each_batch"
STATED, OWN_RUN = "stated", "own run"
"""What times rest on: a stated utilisation, or a run that the scenario states; else what is known of the GPU."""


@frozen
class Combination:
    """One combination: `settings` by field, `changes` as a variant would state them, figures in base units.

    `equals` counts the others of the same cost, time and number of GPUs that it stands for in its list.
    """

    settings: Mapping[str, Scalar]
    changes: Mapping[str, Any]
    figures: Mapping[str, float]
    price: str
    fits: bool
    same_hardware: bool
    equals: int = 0
    price_warnings: tuple[str, ...] = ()
    evidence: str = ""
    """What its time rests on: `stated`, rates `measured` on this GPU, or the class value that is taken for it."""


@frozen
class SearchCounts:
    """How many combinations there are, and how many of them a rule excludes, are too large or too slow, or fit."""

    combinations: int
    excluded: tuple[Excluded, ...]
    too_large: int
    too_slow: int
    fitting: int


@frozen
class SearchResult:
    """The result of a search.  What is made stays as the scenario has it, but for `other_kinds`.

    `best` by the rank, `on_same_hardware` of these, `on_same_accelerator` in any number where none is on the given one,
    `fewest_changes`, `pareto` front of headroom, step time and cost;
    `other_kinds` is the best of each other method or weight format; `most_headroom` comes closest where nothing fits.
    """

    rank_by: str
    safety_margin: float
    counts: SearchCounts
    best: tuple[Combination, ...]
    on_same_hardware: tuple[Combination, ...]
    on_same_accelerator: tuple[Combination, ...]
    fewest_changes: tuple[Combination, ...]
    pareto: tuple[Combination, ...]
    other_kinds: tuple[Combination, ...]
    most_headroom: tuple[Combination, ...]

    @property
    def evaluated(self) -> int:
        """Combinations that keep all rules."""
        return self.counts.fitting + self.counts.too_large + self.counts.too_slow


def find(job: Job, runner: Runner = in_process, rank_by: str = "") -> SearchResult:
    """Search the space of a job, ranked as its block says or as given.  Raises InputError for unknown names."""
    space, limits = space_of(job), limits_of(job, rank_by)
    part = search(space, limits, runner)
    return SearchResult(
        rank_by=limits.rank_by,
        safety_margin=space.margin,
        counts=SearchCounts(
            space.size, tuple(_excluded(space.workload, part)), part.too_large, part.too_slow, part.fitting
        ),
        **_lists(_Listing(job, space, part), limits),
    )


def _lists(listing: _Listing, limits: SearchLimits) -> dict[str, tuple[Combination, ...]]:
    """The lists of a result, by their names."""
    space, rows, by, limit = listing.space, listing.part.rows, limits.rank_by, limits.limit
    fits = np.arange(rows.flat.size) if listing.part.fitting else _none()
    own = _own_kind(space, rows, fits)
    same, alike = (own[of(space, rows)[own]] for of in (same_hardware, same_accelerator))
    return {
        "best": listing.answers(_best(rows, own, by, limit)),
        "on_same_hardware": listing.answers(_best(rows, same, by, limit)),
        "on_same_accelerator": listing.answers(_none() if same.size else _best(rows, alike, by, limit)),
        "fewest_changes": listing.records(_best(rows, own, "changes", limit)),
        "pareto": listing.records(_front(rows, own)),
        "other_kinds": listing.answers(_other_kinds(space, rows, fits, by)),
        "most_headroom": listing.records(_none() if listing.part.fitting else _most_headroom(rows)),
    }


@frozen
class _Listing:
    """Makes records of the rows that a search found."""

    job: Job
    space: Space
    part: SearchPart

    def records(self, index: Index) -> tuple[Combination, ...]:
        """The rows at these places, each by itself."""
        fits = bool(self.part.fitting)
        return tuple(_record(self.job, self.space, self.part.rows, int(place), fits=fits) for place in index)

    def answers(self, index: Index) -> tuple[Combination, ...]:
        """The rows at these places, each with the number of those that answer the same."""
        if not index.size:  # a search of which nothing is left has no figures either
            return ()
        rows, equals = self.part.rows, self.part.equals
        found = answers_of(rows.at(index), groups_of(self.space, rows)[index].tolist())
        pairs = zip(self.records(index), found, strict=True)
        return tuple(replace(record, equals=equals[answer] - 1) for record, answer in pairs)


def limits_of(job: Job, rank_by: str = "") -> SearchLimits:
    """Rank, limits and deadlines of the `search:` block."""
    block = job.search
    return SearchLimits(
        rank_by or block.rank_by,
        block.limit,
        block.time_to_first_token_seconds,
        block.sequence_tokens_per_second,
        block.run_hours,
        block.most_cost_usd,
    )


def _none() -> Index:
    return np.empty(0, dtype=np.int64)


def _excluded(workload: str, part: SearchPart) -> Iterable[Excluded]:
    for rule, count in zip(rules_of(workload), part.excluded, strict=True):
        if count:
            yield Excluded(rule.field, rule.message, count)


def _own_kind(space: Space, rows: Rows, among: Index) -> Index:
    """Rows that make what the scenario makes; all of them where its own value is not in the space."""
    axis = _axis(space, GROUPED_BY[space.workload])
    if axis.own < 0 or not among.size:
        return among
    return np.asarray(among[positions(space, rows, axis.name)[among] == axis.own])


def _best(rows: Rows, among: Index, by: str, limit: int) -> Index:
    return among[ranked(rows.at(among), by, limit)[0]] if among.size else among


def _front(rows: Rows, among: Index) -> Index:
    found = among[unbeaten(rows.at(among))] if among.size else among
    return found[np.argsort(rows.figures["approval_total_usd"][found], kind="stable")] if found.size else found


def _most_headroom(rows: Rows) -> Index:
    return np.argsort(-rows.figures["headroom_bytes"], kind="stable")[:NEAREST_ROWS] if rows.flat.size else _none()


def _other_kinds(space: Space, rows: Rows, among: Index, by: str) -> Index:
    """The best of each other kind, on the scenario's hardware and on any."""
    axis = _axis(space, GROUPED_BY[space.workload])
    if not among.size:
        return among
    kinds, same = positions(space, rows, axis.name), same_hardware(space, rows)
    found: list[Index] = []
    for kind in range(len(axis.values)):
        members = among[kinds[among] == kind] if kind != axis.own else _none()
        found += [_best(rows, members[same[members]], by, 1), _best(rows, members, by, 1)]
    return np.asarray(list(dict.fromkeys(np.concatenate(found))), dtype=np.int64)


def _record(job: Job, space: Space, rows: Rows, number: int, *, fits: bool) -> Combination:
    index = np.unravel_index(rows.flat[number], space.shape)
    chosen = {axis.name: int(position) for axis, position in zip(space.axes, index, strict=True)}
    figures = {name: float(column[number]) for name, column in rows.figures.items()}
    settings = {axis.name: as_whole(axis.values[chosen[axis.name]]) for axis in space.axes}
    price = price_of(job, str(settings["accelerator"]), float(cast(float, settings["count"])))
    own = all(_axis(space, name).own == chosen[name] for name in ("accelerator", "count"))
    known = np.isfinite(figures["approval_total_usd"])
    return Combination(
        settings,
        _changes(job, space, chosen, figures),
        figures,
        price_words(job, price) if known else NOT_KNOWN,
        fits,
        own,
        price_warnings=price_warnings(job, price) if known else (),
        evidence=_evidence(job, str(settings["accelerator"])),
    )


def _evidence(job: Job, accelerator: str) -> str:
    """What the time of a combination rests on."""
    if job.workload == "training" and job.value("model_flop_utilization") > 0:
        return STATED
    if job.value("measured_time_factor") != 1:
        return OWN_RUN
    return job.catalogue.tables["accelerators"].text("efficiency_evidence", accelerator)


def _axis(space: Space, name: str) -> Axis:
    return next(axis for axis in space.axes if axis.name == name)


def _changes(job: Job, space: Space, chosen: Mapping[str, int], figures: Mapping[str, float]) -> dict[str, Any]:
    """The variant that gives this combination when it is added to the scenario."""
    made = {name: value for axis in space.axes for name, value in axis.settings[chosen[axis.name]].items()}
    gpu, count = str(made["accelerator"]), float(made["count"])
    made["host"] = host_of(job, gpu, count)
    if gpu != job.case.settings["accelerator"]:  # of the job's own it follows how many there are
        made |= price_of(job, gpu, count).fields
    made |= _DERIVED[job.workload](space, made)
    if job.workload == "training" and not _quantises(job, str(made["method"])):
        del made[BASE_FORMAT]
    restated = job.workload == "training" and "hours" in job.case.overrides
    return as_variant(job, made, {"hours": figures["hours"]} if restated else {})


def as_variant(job: Job, made: Mapping[str, Any], always: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """What a variant states to hold these settings: those that differ from the job's, and those named `always`.

    A job that nothing is paid for states no price.
    """
    fields, own = dictionary(job.workload), job.case.settings
    free = "cost" if job.loaded.scenario.cost is None else ""
    differing = (name for name, value in made.items() if value != own[name] and fields[name].section != free)
    changed = {name: made[name] for name in differing} | dict(always)
    stated = {f"{fields[name].section}.{name}": as_whole(value) for name, value in changed.items()}
    return stated | _typed(job, made) | job.restated(stated)


def _typed(job: Job, made: Mapping[str, Any]) -> dict[str, float]:
    """Typed prices of another GPU, which the scenario states in another variant."""
    gpu = str(made["accelerator"])
    same = gpu == job.case.settings["accelerator"]
    return {} if same else {f"overrides.{name}": usd for name, usd in price_of(job, gpu).typed.items()}


def _quantises(job: Job, method: str) -> bool:
    """Whether a method has a quantised base, whose format then matters."""
    table = job.catalogue.tables["methods"]
    return bool(table.numbers("base_quantised")[table.row(method)])


def _accumulation(space: Space, made: Mapping[str, Any]) -> dict[str, float]:
    """As many micro-batches as the global batch takes, whose gradients are reduced early where any wait."""
    group = made["tensor_parallel_size"] * made["pipeline_parallel_size"] * made["context_parallel_size"]
    steps = space.global_batch / (made["micro_batch_size"] * (made["count"] / group))
    alone = made["optimizer_offload"] != "none" and made["parameter_offload"] == "none"  # DeepSpeed's, which waits not
    waits = steps > 1 and not alone
    early = {SYNC: made[SYNC] and waits} if SYNC in made else {}
    return {"gradient_accumulation_steps": steps, **early}


def _sequences(space: Space, made: Mapping[str, Any]) -> dict[str, float]:
    replicas = made["count"] / (made["tensor_parallel_size"] * made["pipeline_parallel_size"])
    targets = {name: float(space.constants[name]) for name in ("context_length", "max_model_len")}
    return targets | {"max_num_seqs": float(np.ceil(space.concurrency / replicas))}


_DERIVED: Mapping[str, Callable[[Space, Mapping[str, Any]], dict[str, float]]] = {
    "training": _accumulation,
    "serving": _sequences,
}
