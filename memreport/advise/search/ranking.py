"""Which rows of a search are best: by cost, time, GPUs or changes, and of rows that are equal the simplest.

Rows that agree in cost, time of a step and number of GPUs are one answer.  The scenario as it is stands for
them where it is one of them; else the one that keeps optimizer and number formats, then that offloads least, then that
uses the fewest kinds of parallelism, then ZeRO before tensor before context before expert before pipeline parallelism,
then the lowest ZeRO stage, then the fewest changes, then the most headroom.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memreport.advise.search.pareto import front
from memreport.catalogue.records import Numbers
from memreport.frozen import frozen

Index = NDArray[np.int64]
Equals = Mapping[tuple[float, ...], int]
"""How many rows there are of each answer: by group, cost, time of a step and number of GPUs."""
RULE = (
    "Of combinations that are equal in cost, time per step and GPUs the simplest is shown, with the number of "
    "the others: the same optimizer and formats, nothing offloaded, fewest kinds of parallelism, ZeRO before tensor "
    "before pipeline."
)
_ALIKE = ("approval_total_usd", "planned_step_seconds", "count")
_KEYS: Mapping[str, tuple[str, ...]] = {
    "cost": ("approval_total_usd", "count", "planned_step_seconds"),
    "step_time": ("planned_step_seconds", "approval_total_usd", "count"),
    "accelerators": ("count", "approval_total_usd", "planned_step_seconds"),
    "changes": ("changed", "approval_total_usd", "count", "planned_step_seconds"),
}
"""All but the last order whole answers, so that the best ones are the same however a space is cut into blocks."""
STAGES = ("shards_optimizer", "shards_gradients", "shards_parameters")
_OFFLOADED = ("optimizer_offloaded", "parameters_offloaded")
_SIZES = ("tensor_parallel_size", "context_parallel_size", "expert_parallel_size", "pipeline_parallel_size")
"""Kinds of parallelism behind ZeRO, the simplest first."""


@frozen
class Rows:
    """Some combinations: their numbers in the space, and their figures."""

    flat: Index
    figures: Mapping[str, Numbers]

    def at(self, positions: Any) -> Rows:
        """Those at the positions."""
        return Rows(self.flat[positions], {name: column[positions] for name, column in self.figures.items()})


def complexity(columns: Mapping[str, Numbers], changed: Numbers, altered: Numbers) -> Numbers:
    """A number that is lower for simpler combinations, and lowest for the scenario as it is.

    `changed` counts the axes that differ from the scenario, `altered` those of `ALTERING`.
    """
    zero = np.zeros(changed.shape)
    stage = sum((columns.get(name, zero) for name in STAGES), zero)
    offloaded = sum((columns.get(name, zero) for name in _OFFLOADED), zero)
    used = [stage > 0, *(columns.get(name, zero) > 1 for name in _SIZES)]
    kinds = sum((each.astype(np.float64) for each in used), zero)
    heaviest = sum((each * 2.0**index for index, each in enumerate(used)), zero)
    spared = altered * (len(_OFFLOADED) + 1) + offloaded
    mixed = (spared * (len(used) + 1) + kinds) * 2.0 ** len(used) + heaviest
    return np.where(changed == 0, -1.0, mixed * (len(STAGES) + 1) + stage)


def sorting_key(column: Numbers) -> NDArray[np.float32]:
    """A figure as a sorting key: the last bits of a float decide nothing, and what is unknown comes last."""
    with np.errstate(over="ignore"):  # what is too large for a key comes last, too
        key = column.astype(np.float32)
    return np.where(np.isnan(key), np.float32(np.inf), key)


def alike(rows: Rows) -> NDArray[np.float32]:
    """What equal rows agree in, one line a row."""
    return np.column_stack([sorting_key(rows.figures[name]) for name in _ALIKE])


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Each value once, in order; `np.unique` first loads arrays with masks, which takes longer than to sort."""
    ordered = np.sort(values, axis=None)
    first = np.ones(ordered.size, dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return np.asarray(ordered[first])


def ranked(rows: Rows, by: str, limit: int) -> tuple[Index, Index]:
    """Positions of the best answers by a rank, best first, and how many rows each stands for.

    The space's order decides between rows that are equal in everything.
    """
    keys = [sorting_key(rows.figures[name]) for name in _KEYS[by]]
    near = np.flatnonzero(keys[0] <= distinct(keys[0])[:limit][-1])
    inside = rows.at(near)
    order: list[NDArray[Any]] = [inside.flat, -sorting_key(inside.figures["headroom_bytes"])]
    order += [inside.figures[name] for name in ("changed", "complexity")]
    order = [*order, *(key[near] for key in reversed(keys))]
    near = near[np.lexsort(order)]
    first, counts = _first_of_each([key[near] for key in (sorting_key(rows.figures[name]) for name in _ALIKE)])
    best = np.argsort(first)[:limit]
    return near[first[best]], counts[best]


def _first_of_each(keys: Sequence[NDArray[np.float32]]) -> tuple[Index, Index]:
    """Where rows of equal keys first stand, and how many there are; `np.unique` would sort whole rows."""
    order = np.lexsort(keys)
    other = reduce(np.logical_or, [key[order][1:] != key[order][:-1] for key in keys])
    starts = np.flatnonzero(np.concatenate([[True], other]))
    return order[starts], np.diff(starts, append=order.size)


def counted(rows: Rows, counts: Index, group: float) -> Equals:
    """How many rows each of some answers of a group stands for."""
    return dict(zip(answers_of(rows, repeat(group, rows.flat.size)), counts.tolist(), strict=True))


def answers_of(rows: Rows, groups: Iterable[float]) -> list[tuple[float, ...]]:
    """The answer that each row of its group is."""
    return [(float(group), *keys) for group, keys in zip(groups, alike(rows).tolist(), strict=True)]


def unbeaten(rows: Rows) -> Index:
    """Positions of the Pareto front of headroom, step time and cost."""
    figures = rows.figures
    cost, seconds = (sorting_key(figures[name]) for name in ("approval_total_usd", "planned_step_seconds"))
    return front(cost, seconds, -sorting_key(figures["headroom_bytes"]))
