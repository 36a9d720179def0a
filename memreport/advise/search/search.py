"""The search: every combination of a space evaluated as one table, block by block, and what is best among what fits.

A block is evaluated with each axis as a dimension of its own, so that a figure which depends on few axes is computed
only once for each of their values; what fits is then taken out as plain columns for time and cost.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

import numpy as np

from memreport.advise.search.ranking import Equals, Index, Rows, complexity, counted, distinct, ranked, unbeaten
from memreport.advise.search.rules import Flags, allowed
from memreport.advise.search.space import HOSTED_BY, MOST_PRICED, PAYS_WHOLE, Space
from memreport.advise.verdict import KEPT, in_limits, keeps_margin
from memreport.catalogue.fields.search import ALTERING
from memreport.catalogue.records import Numbers
from memreport.catalogue.tables.prices import INSTANCE
from memreport.compute import calculate, needed_for
from memreport.figures.registry import lines_in_order
from memreport.formula.recording import Line
from memreport.frozen import frozen

BLOCK = 1 << 17
"""Combinations evaluated at once: small enough for the processor's cache, large enough to hide what a call costs."""
FEW = 6
"""Where one combination in so many keeps the rules, rows of them alone take less time than all as dimensions."""
NEAREST_ROWS = 3
Block = tuple[slice, ...]
TIME = {
    "training": ("step_seconds", "training_hours", "achieved_model_flop_utilization"),
    "serving": (
        "time_per_output_token_seconds",
        "time_to_first_token_seconds",
        "sequence_tokens_per_second",
        "tokens_per_second",
        "max_concurrent_sequences",
    ),
}
GROUPED_BY = {"training": "method", "serving": "weight_dtype"}
"""The axis that changes what is made: each of its values is ranked by itself, too."""


@frozen
class SearchLimits:
    """How to rank, how many to keep, and what is too slow or costs too much."""

    rank_by: str
    limit: int
    time_to_first_token_seconds: float | None = None
    sequence_tokens_per_second: float | None = None
    run_hours: float | None = None
    most_cost_usd: float | None = None


@frozen
class SearchPart:
    """What is known of one block, or of all: rows worth keeping, and counts of the others."""

    rows: Rows
    excluded: tuple[int, ...]
    too_large: int
    too_slow: int
    fitting: int
    equals: Equals = field(default_factory=dict)


def blocks(shape: Sequence[int], limit: int = BLOCK) -> Iterator[Block]:
    """The space cut into blocks of at most `limit` combinations, in order; inner axes stay whole."""
    whole, inner = len(shape), 1
    while whole and inner * shape[whole - 1] <= limit:
        whole -= 1
        inner *= shape[whole]
    steps = [max(1, limit // inner) if axis == whole - 1 else 1 for axis in range(whole)]
    sizes = zip(shape, steps, strict=False)
    pieces = [[slice(index, min(index + step, size)) for index in range(0, size, step)] for size, step in sizes]
    for outer in itertools.product(*pieces):
        yield (*outer, *(slice(0, size) for size in shape[whole:]))


@lru_cache
def _lines(workload: str, wanted: tuple[str, ...]) -> tuple[Line, ...]:
    return tuple(needed_for(lines_in_order(workload), wanted))


COSTS = ("cost_total_usd", "approval_total_usd")
"""What a use bears, and what has to be signed, by which combinations are ranked."""


@lru_cache
def _cost_lines(workload: str) -> tuple[Line, ...]:
    """The lines of the cost of given hours, however the engine would otherwise find them."""
    lines = [line for line in lines_in_order(workload) if line.name != "hours"]
    return tuple(needed_for(lines, COSTS))


def _shape(block: Block) -> tuple[int, ...]:
    """How many values of each axis a block holds."""
    return tuple(piece.stop - piece.start for piece in block)


def evaluate(space: Space, block: Block, limits: SearchLimits) -> SearchPart:
    """One block: rules, memory, then time and cost of what fits, and of that the rows worth keeping."""
    shape = _shape(block)
    columns = _derived(space, _spread(space, block))
    keeps, excluded = allowed(space.workload, columns, shape)
    if not keeps.any():
        return SearchPart(Rows(np.empty(0, dtype=np.int64), {}), excluded, 0, 0, 0)
    members = np.flatnonzero(keeps)
    memory = _memory(space, block, columns, members)
    fits = keeps_margin(memory, space.margin)
    kept = np.flatnonzero(fits) if fits.any() else _most_headroom(memory["headroom_bytes"])
    rows = _timed(space, block, members[kept], {name: column[kept] for name, column in memory.items()})
    rows, too_slow = _quick(rows, limits) if fits.any() else (rows, 0)
    fitting = int(np.count_nonzero(fits))
    best, equals = best_of(space, rows, limits) if fits.any() else (rows, {})
    return SearchPart(best, excluded, members.size - fitting, too_slow, fitting - too_slow, equals)


def _memory(space: Space, block: Block, columns: Mapping[str, Numbers], members: Index) -> dict[str, Numbers]:
    """What decides whether a combination fits, of the members of a block.

    Where rules leave few of them, these are computed as plain rows, else the whole block with an axis a dimension.
    """
    wanted = KEPT[space.workload]
    lines = _lines(space.workload, wanted)
    shape = _shape(block)
    if members.size * FEW <= math.prod(shape):
        plain = _derived(space, _taken(space, _places(block, members)))
        made = calculate(lines, plain, space.overrides, wanted)
        return {name: np.broadcast_to(made[name], members.shape) for name in wanted}
    made = calculate(lines, columns, space.overrides, wanted)
    return {name: np.broadcast_to(made[name], shape).reshape(-1)[members] for name in wanted}


def _most_headroom(headroom: Numbers) -> Index:
    return np.sort(np.argsort(-headroom, kind="stable")[:NEAREST_ROWS])


def _places(block: Block, members: Index) -> list[Index]:
    """Where on each axis of the space the members of a block stand."""
    index = np.unravel_index(members, _shape(block))
    return [np.asarray(places + piece.start) for places, piece in zip(index, block, strict=True)]


def _spread(space: Space, block: Block) -> dict[str, Numbers]:
    """Inputs with each axis as a dimension: shape (1, ..., values of the axis, ..., 1)."""
    columns = dict(space.constants)
    for index, (axis, piece) in enumerate(zip(space.axes, block, strict=True)):
        shape = [1] * len(space.axes)
        shape[index] = piece.stop - piece.start
        columns |= {name: column[piece].reshape(shape) for name, column in axis.columns.items()}
    rest = (1,) * (len(space.axes) - len(HOSTED_BY))
    hosted = {name: column[block[:2]] for name, column in space.hosted.items()}
    return columns | {name: column.reshape(*column.shape, *rest) for name, column in hosted.items()}


def _taken(space: Space, index: Sequence[Index]) -> dict[str, Numbers]:
    """Inputs as plain columns, one value a row."""
    columns = dict(space.constants)
    for axis, places in zip(space.axes, index, strict=True):
        columns |= {name: np.take(column, places) for name, column in axis.columns.items()}
    return columns | {name: column[index[0], index[1]] for name, column in space.hosted.items()}


def _derived(space: Space, columns: dict[str, Numbers]) -> dict[str, Numbers]:
    """Inputs that follow from the others: accumulation from the global batch, sequences a replica from all of them."""
    group = columns["tensor_parallel_size"] * columns["pipeline_parallel_size"] * columns["context_parallel_size"]
    replicas = columns["count"] / group
    if space.workload == "training":
        return columns | {"gradient_accumulation_steps": space.global_batch / (columns["micro_batch_size"] * replicas)}
    at_once = np.ceil(space.concurrency / replicas)
    return columns | {"max_num_seqs": at_once}


def _timed(space: Space, block: Block, kept: Index, memory: Mapping[str, Numbers]) -> Rows:
    """Time and cost of some rows of a block."""
    index = _places(block, kept)
    columns = _derived(space, _taken(space, index))
    wanted = TIME[space.workload]
    made = calculate(_lines(space.workload, wanted), columns, space.overrides, wanted)
    figures = dict(memory) | {name: np.broadcast_to(made[name], kept.shape) for name in wanted}
    figures |= {"count": columns["count"], **_differs(space, index, columns)}
    figures |= _planned(space.workload, figures, columns)
    figures |= _costs(space, columns, figures)
    return Rows(np.ravel_multi_index(index, space.shape).astype(np.int64), figures)


def _differs(space: Space, index: Sequence[Index], columns: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """In how many axes a row differs from the scenario, and how simple it is."""
    differs = {
        axis.name: np.asarray(places != axis.own, dtype=np.float64)
        for axis, places in zip(space.axes, index, strict=True)
    }
    changed = np.stack(list(differs.values())).sum(axis=0)
    altered = np.stack([column for name, column in differs.items() if name in ALTERING]).sum(axis=0)
    return {"changed": changed, "complexity": complexity(columns, changed, altered)}


def _planned(workload: str, figures: Mapping[str, Numbers], columns: Mapping[str, Numbers]) -> dict[str, Numbers]:
    if workload == "serving":
        hours = np.broadcast_to(columns["hours"], figures["count"].shape)
        return {"planned_step_seconds": figures["time_per_output_token_seconds"], "hours": hours}
    hours = figures["training_hours"]
    by_clock = hours / columns["goodput"] if "goodput" in columns else hours
    return {"planned_step_seconds": figures["step_seconds"], "hours": hours, "run_hours": by_clock}


def _costs(space: Space, columns: Mapping[str, Numbers], figures: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """Cost of the hours of the run with the price of each GPU, and what is signed; NaN where no price is known."""
    lines = _cost_lines(space.workload)
    made = calculate(lines, {**columns, "hours": figures["hours"]}, space.overrides, COSTS)
    known = np.where(columns["rents"] > 0, columns["usd_per_accelerator_hour"], columns["usd_per_accelerator"]) > 0
    known = known & (columns["count"] <= columns[MOST_PRICED])
    shape, share = figures["count"].shape, rented_share(columns)
    return {name: np.where(known, np.broadcast_to(made[name] * share, shape), np.nan) for name in COSTS}


def rented_share(columns: Mapping[str, Numbers]) -> Numbers:
    """GPUs that are paid for over those that are used, where whole instances are what is compared."""
    held = np.maximum(columns[INSTANCE], 1.0)
    rented = np.ceil(columns["count"] / held) * held
    return np.where((columns["rents"] > 0) & (columns[PAYS_WHOLE] > 0), rented / columns["count"], 1.0)


def _quick(rows: Rows, limits: SearchLimits) -> tuple[Rows, int]:
    """Rows that are not too slow, and how many are."""
    quick = np.broadcast_to(in_limits(rows.figures, limits), rows.flat.shape)
    return rows.at(np.flatnonzero(quick)), int(np.count_nonzero(~quick))


def positions(space: Space, rows: Rows, axis: str) -> Index:
    """Position of each row on an axis."""
    index = [each.name for each in space.axes].index(axis)
    return np.asarray(np.unravel_index(rows.flat, space.shape)[index], dtype=np.int64)


def same_hardware(space: Space, rows: Rows) -> Flags:
    """Which rows run on the scenario's own GPUs, as many as it has."""
    return same_accelerator(space, rows) & _as_planned(space, rows, "count")


def same_accelerator(space: Space, rows: Rows) -> Flags:
    """Which rows run on GPUs of the scenario's own kind, however many."""
    return _as_planned(space, rows, "accelerator")


def _as_planned(space: Space, rows: Rows, name: str) -> Flags:
    """Which rows keep the scenario's value on an axis."""
    own = next(axis.own for axis in space.axes if axis.name == name)
    return np.asarray(positions(space, rows, name) == own)


def groups_of(space: Space, rows: Rows) -> Index:
    """Rows of one number make the same thing on the planned hardware, on more or fewer of its GPUs, or on others."""
    hardware = same_accelerator(space, rows).astype(np.int64) + same_hardware(space, rows)
    return np.asarray(positions(space, rows, GROUPED_BY[space.workload]) * 3 + hardware)


def best_of(space: Space, rows: Rows, limits: SearchLimits) -> tuple[Rows, Equals]:
    """The rows that may be shown: of each group the best by the rank, by fewest changes, and the Pareto front.

    With them how many rows each of the best by the rank stands for.
    """
    groups, kept = groups_of(space, rows), [np.empty(0, dtype=np.int64)]  # a deadline may leave no row at all
    equals: dict[tuple[float, ...], int] = {}
    for group in distinct(groups):
        inside = np.flatnonzero(groups == group)
        members = rows.at(inside)
        best, counts = ranked(members, limits.rank_by, limits.limit)
        equals |= counted(members.at(best), counts, group)
        kept += [inside[best], inside[ranked(members, "changes", limits.limit)[0]], inside[unbeaten(members)]]
    return rows.at(distinct(np.concatenate(kept))), equals


def merged(space: Space, parts: Iterable[SearchPart], limits: SearchLimits) -> SearchPart:
    """Blocks put together: the same answer in whatever order and wherever they were evaluated."""
    listed = list(parts)
    fitting = sum(part.fitting for part in listed)
    worth = [part.rows for part in listed if part.rows.flat.size and (bool(part.fitting) or not fitting)]
    if not worth:
        rows = Rows(np.empty(0, dtype=np.int64), {})
    else:
        names = worth[0].figures
        rows = Rows(
            np.concatenate([part.flat for part in worth]),
            {name: np.concatenate([part.figures[name] for part in worth]) for name in names},
        )
        rows = rows.at(np.argsort(rows.flat, kind="stable"))
    excluded = tuple(sum(column) for column in zip(*(part.excluded for part in listed), strict=True))
    best = best_of(space, rows, limits)[0] if fitting else rows
    equals: Counter[tuple[float, ...]] = Counter()
    for part in listed:
        equals.update(part.equals)
    return SearchPart(
        best, excluded, sum(p.too_large for p in listed), sum(p.too_slow for p in listed), fitting, equals
    )


Runner = Callable[[Space, SearchLimits], Iterable[SearchPart]]


def in_process(space: Space, limits: SearchLimits) -> Iterator[SearchPart]:
    """Evaluate the blocks one after another; a space of two is one, as a second costs more than the cache saves."""
    whole = math.prod(space.shape) <= 2 * BLOCK
    for block in blocks(space.shape, 2 * BLOCK if whole else BLOCK):
        yield evaluate(space, block, limits)


def search(space: Space, limits: SearchLimits, runner: Runner = in_process) -> SearchPart:
    """The whole space."""
    return merged(space, runner(space, limits), limits)
