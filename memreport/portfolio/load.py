"""GPUs in use over time: a curve of steps, what of it runs on GPUs that are there, what is short and what is idle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.frozen import frozen
from memreport.portfolio.calendar import Calendar
from memreport.portfolio.jobs import PlannedJobs
from memreport.portfolio.read import Portfolio, span


@frozen
class LoadCurve:
    """GPUs of one type in use: `level` holds from each edge to the next, in hours from the beginning."""

    edges: Numbers
    level: Numbers

    @property
    def widths(self) -> Numbers:
        """Hours of each step."""
        return np.diff(self.edges)

    def until(self, hours: float) -> LoadCurve:
        """The curve up to an hour, which need not be an edge."""
        kept = int(np.searchsorted(self.edges, hours, side="left"))
        return LoadCurve(np.append(self.edges[:kept], hours), self.level[:kept])


def edges_of(calendar: Calendar, *more: Numbers) -> Numbers:
    """Where anything begins or ends within the horizon, and where months do."""
    return np.unique(np.clip(np.concatenate([calendar.edges, *more]), 0.0, calendar.hours))


def curve_of(edges: Numbers, start: Numbers, stop: Numbers, gpus: Numbers) -> LoadCurve:
    """Steps of what runs at once."""
    change = np.zeros(len(edges))
    inside = (stop > edges[0]) & (start < edges[-1]) & (stop > start)
    np.add.at(change, np.searchsorted(edges, np.clip(start[inside], edges[0], edges[-1])), gpus[inside])
    np.add.at(change, np.searchsorted(edges, np.clip(stop[inside], edges[0], edges[-1])), -gpus[inside])
    return LoadCurve(edges, np.round(np.cumsum(change)[:-1], 9))


@frozen
class TypeUse:
    """Of one type of GPU by month: GPU-hours that are there, in use, short and idle; most GPUs short at once.

    `covered` is by entry and month: GPU-hours that run on GPUs which are there, in the order of priorities.
    """

    accelerator: str
    there: Numbers
    used: Numbers
    short: Numbers
    idle: Numbers
    reserved_idle: Numbers
    peak_short: Numbers
    curve: LoadCurve
    covered: Mapping[int, Numbers]


def uses_of(portfolio: Portfolio, jobs: PlannedJobs) -> tuple[TypeUse, ...]:
    """Every type that is used or there, by name."""
    rows = [*portfolio.given.owned, *portfolio.given.reserved]
    types = sorted({*jobs.named.accelerators, *(row.accelerator for row in rows)})
    members: dict[str, list[int]] = {name: [] for name in types}
    for index, name in enumerate(jobs.named.accelerators):
        members[name].append(index)
    return tuple(_use(portfolio, jobs, name, members[name]) for name in types)


def _use(portfolio: Portfolio, jobs: PlannedJobs, name: str, members: Sequence[int]) -> TypeUse:
    calendar, chosen = portfolio.calendar, np.array(members, dtype=int)
    spans = {part: spans_of(portfolio, part, name) for part in ("owned", "reserved")}
    every = np.concatenate(list(spans.values()))
    start, stop, gpus = (column[chosen] for column in (jobs.start, jobs.stop, jobs.gpus))
    edges = edges_of(calendar, start, stop, every[:, 0], every[:, 1])
    load = curve_of(edges, start, stop, gpus)
    there = curve_of(edges, *every.T).level
    owned = curve_of(edges, *spans["owned"].T).level
    short = np.maximum(load.level - there, 0.0)
    month = np.searchsorted(calendar.edges, edges[:-1], side="right") - 1

    def monthly(level: Numbers) -> Numbers:
        return np.bincount(month, weights=level * load.widths, minlength=calendar.count).astype(np.float64)

    peak = np.zeros(calendar.count)
    np.maximum.at(peak, month, short)
    return TypeUse(
        name,
        monthly(there),
        monthly(load.level),
        monthly(short),
        monthly(np.maximum(there - load.level, 0.0)),
        monthly(np.maximum(there - np.maximum(load.level, owned), 0.0)),
        peak,
        load,
        _covered(jobs, chosen, edges, there, month, calendar.count),
    )


def spans_of(portfolio: Portfolio, part: str, name: str) -> Numbers:
    """Rows of start, stop and GPUs."""
    rows = [row for row in getattr(portfolio.given, part) if row.accelerator == name]
    return np.array([(*span(portfolio, row), float(row.count)) for row in rows]).reshape(-1, 3)


def _covered(
    jobs: PlannedJobs, chosen: Any, edges: Numbers, there: Numbers, month: Any, months: int
) -> Mapping[int, Numbers]:
    """GPU-hours of each entry on GPUs that are there; the lowest number of priority first, then the first to begin."""
    left, widths = there.copy(), np.diff(edges)
    found: dict[int, Numbers] = {}
    if not there.any():
        return {}
    order = np.lexsort((chosen, jobs.start[chosen], jobs.priority[chosen]))
    for job in chosen[order].tolist():
        first, last = np.searchsorted(edges, np.clip((jobs.start[job], jobs.stop[job]), edges[0], edges[-1]))
        taken = np.minimum(left[first:last], jobs.gpus[job])
        left[first:last] -= taken
        if taken.any():
            hours = np.bincount(month[first:last], weights=taken * widths[first:last], minlength=months)
            found[job] = hours.astype(np.float64)
    return found
