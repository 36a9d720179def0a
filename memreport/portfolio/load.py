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
    """One type, from all steps of its load and of the GPUs that are there."""
    chosen = np.array(members, dtype=int)
    spans = {part: spans_of(portfolio, part, name) for part in ("owned", "reserved")}
    every = np.concatenate(list(spans.values()))
    start, stop, gpus = (column[chosen] for column in (jobs.start, jobs.stop, jobs.gpus))
    edges = edges_of(portfolio.calendar, start, stop, every[:, 0], every[:, 1])
    load, there = curve_of(edges, start, stop, gpus), curve_of(edges, *every.T).level
    owned = curve_of(edges, *spans["owned"].T).level
    month = np.searchsorted(portfolio.calendar.edges, edges[:-1], side="right") - 1
    covered = _covered(jobs, chosen, edges, there, month, portfolio.calendar.count)
    hours = _by_month(load, there, owned, month, portfolio.calendar.count)
    return TypeUse(name, **hours, curve=load, covered=covered)


def _by_month(load: LoadCurve, there: Numbers, owned: Numbers, month: Any, months: int) -> dict[str, Numbers]:
    """GPU-hours of each month, and the most GPUs that are short at once."""
    used, peak = load.level, np.zeros(months)
    short = np.maximum(used - there, 0.0)
    np.maximum.at(peak, month, short)
    idle = {"idle": np.maximum(there - used, 0.0), "reserved_idle": np.maximum(there - np.maximum(used, owned), 0.0)}
    levels = {"there": there, "used": used, "short": short, **idle}
    hours = {
        name: np.bincount(month, weights=level * load.widths, minlength=months).astype(np.float64)
        for name, level in levels.items()
    }
    return {**hours, "peak_short": peak}


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
