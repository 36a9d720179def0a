"""Entries of a portfolio as one table: when each runs, on how many GPUs, at what cost an hour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from memreport.advise.verdict import JUDGED, deciding, words_of
from memreport.catalogue.fields.validation import unknown_name
from memreport.catalogue.records import Numbers
from memreport.checks import check_all
from memreport.compute import Computed, Table, compute, here
from memreport.errors import Fault, InputError
from memreport.frozen import frozen
from memreport.portfolio.fields import IDLE, PlannedEntry
from memreport.portfolio.offers import entry_hourly, quote_faults
from memreport.portfolio.read import Portfolio, owner_faults
from memreport.resolve import resolve_all

RECOMMENDED = "recommended"
PAID_FOR_USE = ("rent_usd", "extras_usd")
"""What is not paid where a GPU that is owned or reserved does the work."""


@frozen
class JobNames:
    """What each entry is called and belongs to, and what it is: one value an entry."""

    scenarios: tuple[str, ...]
    variants: tuple[str, ...]
    owners: tuple[str, ...]
    cost_centres: tuple[str, ...]
    accelerators: tuple[str, ...]
    fits: tuple[bool, ...]
    trains: tuple[bool, ...]
    quotes: tuple[str, ...]


@frozen
class JobRanges:
    """Factors of price, common to all entries, and of time, of each on its own."""

    price_low: Numbers
    price_high: Numbers
    time_low: Numbers
    time_high: Numbers


@frozen
class HourlyCosts:
    """USD an hour: all of it, the part that is not paid on GPUs that are there anyway, depreciation counted in it."""

    usd: Numbers
    rent: Numbers
    capital: Numbers
    rent_price: Numbers
    """USD of a GPU and hour that the scenario's own rent is counted with; 0 where it rents nothing."""
    factor: Numbers
    """What an entry's quote asks for over that, already in `usd` and `rent`; 1 without a quote."""
    job_hours: Numbers
    """GPU-hours of one run, or of the service for the hours that its scenario counts."""


@frozen
class PlannedJobs:
    """Entries as columns, one value each.  Hours count from the beginning of the horizon."""

    named: JobNames
    start: Numbers
    stop: Numbers
    gpus: Numbers
    probability: Numbers
    priority: Numbers
    ranges: JobRanges
    hourly: HourlyCosts


def planned_jobs(portfolio: Portfolio, known: Mapping[Path, Computed]) -> PlannedJobs:
    """All entries with their scenarios, by the files of these.  Raises InputError with every fault."""
    entries = portfolio.given.entries
    pairs = [(entry, known[portfolio.file_of(index).resolve()]) for index, entry in enumerate(entries)]
    faults = list(_faults(portfolio, pairs))
    owners = tuple(entry.owner or computed.resolved.loaded.scenario.owner for entry, computed in pairs)
    faults += owner_faults(portfolio, owners)
    if faults:
        raise InputError(faults)
    return _columns(portfolio, pairs, owners)


def computed_scenarios(portfolio: Portfolio, table: Table = here) -> Mapping[Path, Computed]:
    """Every scenario once, computed as one table a workload, by its file.  Raises InputError with every fault."""
    paths: dict[Path, int] = {}
    for index in range(len(portfolio.given.entries)):
        paths.setdefault(portfolio.file_of(index).resolve(), index)
    missing = [
        portfolio.document.fault(("entries", position, "scenario"), "no such scenario file", found=repr(path.name))
        for path, position in paths.items()
        if not path.is_file()
    ]
    if missing:
        raise InputError(missing)
    made = compute(resolve_all([portfolio.file_of(position) for position in paths.values()]), table)
    check_all(made)
    return {computed.resolved.loaded.path.resolve(): computed for computed in made}


def _faults(portfolio: Portfolio, pairs: Sequence[tuple[PlannedEntry, Computed]]) -> Iterator[Fault]:
    for index, (entry, computed) in enumerate(pairs):
        names = [case.name for case in computed.resolved.variants]
        if entry.variant not in (RECOMMENDED, *names):
            place = ("entries", index, "variant")
            yield unknown_name(portfolio.document, place, entry.variant, [RECOMMENDED, *names], "variant")
        if IDLE in (entry.owner or computed.resolved.loaded.scenario.owner, entry.cost_centre):
            yield portfolio.document.fault(
                ("entries", index), f"{IDLE} is who bears GPUs that nobody uses, and no other"
            )
        if computed.resolved.loaded.scenario.cost is None:
            yield portfolio.document.fault(("entries", index, "scenario"), "states no cost", found=entry.scenario)
        if entry.quote and entry.variant in (RECOMMENDED, *names):
            yield from quote_faults(portfolio, index, computed, place_of(entry, computed))
        if entry.months and computed.resolved.workload == "training":
            yield portfolio.document.fault(
                ("entries", index, "months"), "is of services; a run takes as long as it takes"
            )


def place_of(entry: PlannedEntry, computed: Computed) -> int:
    """The column of an entry's variant; of the recommended one, that which the scenario's budget is about."""
    names = [case.name for case in computed.resolved.variants]
    if entry.variant != RECOMMENDED:
        return names.index(entry.variant)
    return deciding(words_of({name: computed.values[name][: len(names)] for name in JUDGED})) or 0


def _columns(
    portfolio: Portfolio, pairs: Sequence[tuple[PlannedEntry, Computed]], owners: tuple[str, ...]
) -> PlannedJobs:
    entries, variants = [entry for entry, _ in pairs], [(made, place_of(entry, made)) for entry, made in pairs]
    services = np.array([computed.resolved.workload == "serving" for computed, _ in variants])
    times = np.array([float(entry.times) for entry in entries])

    def read(*names: str) -> Numbers:
        return np.array([sum(float(computed.values[name][column]) for name in names) for computed, column in variants])

    side_by_side, runs = np.where(services, times, 1.0), read("wall_hours") * times
    gpus, (start, stop) = read("accelerators") * side_by_side, _spans(portfolio, entries, services, runs)
    job_hours = read("accelerators") * read("wall_hours")
    quoted = entry_hourly(portfolio, [entry.quote for entry in entries], gpus, stop - start, job_hours)
    return PlannedJobs(
        named=_names(entries, variants, owners),
        start=start,
        stop=stop,
        gpus=gpus,
        probability=np.array([entry.probability for entry in entries]),
        priority=np.array([float(entry.priority) for entry in entries]),
        ranges=_ranges(entries, read),
        hourly=_hourly_costs(read, side_by_side, quoted, job_hours),
    )


def _spans(
    portfolio: Portfolio, entries: Sequence[PlannedEntry], services: Numbers, runs: Numbers
) -> tuple[Numbers, Numbers]:
    """When each entry starts and stops; `runs` are the hours of its runs, if it is no service."""
    start = np.array([portfolio.calendar.hour(entry.start) for entry in entries])
    ends = np.array([_end(portfolio, entry) for entry in entries])
    return start, np.where(services, ends, start + runs)


def _names(
    entries: Sequence[PlannedEntry], variants: Sequence[tuple[Computed, int]], owners: tuple[str, ...]
) -> JobNames:
    """What the entries are called and belong to."""
    cases = [computed.resolved.variants[column] for computed, column in variants]
    return JobNames(
        scenarios=tuple(computed.resolved.loaded.scenario.id for computed, _ in variants),
        variants=tuple(case.name for case in cases),
        owners=owners,
        cost_centres=tuple(entry.cost_centre for entry in entries),
        accelerators=tuple(str(case.settings["accelerator"]) for case in cases),
        fits=tuple(bool(computed.values["fits"][column]) for computed, column in variants),
        trains=tuple(computed.resolved.workload == "training" for computed, _ in variants),
        quotes=tuple(entry.quote for entry in entries),
    )


def _ranges(entries: Sequence[PlannedEntry], read: Callable[..., Numbers]) -> JobRanges:
    """How far times may lie from those computed, and prices unless a quote fixes them."""
    fixed = np.array([bool(entry.quote) for entry in entries])
    low, high = (np.where(fixed, 1.0, read(f"price_{end}_multiplier")) for end in ("low", "high"))
    return JobRanges(low, high, read("time_low_share"), read("time_high_share"))


def _hourly_costs(
    read: Callable[..., Numbers], side_by_side: Numbers, quoted: Numbers, job_hours: Numbers
) -> HourlyCosts:
    """What an hour of each entry costs, with what a GPU and hour is `quoted` at in place of the planned rent."""
    own = read("cost_total_usd") / read("wall_hours") * side_by_side
    subtotal = read("subtotal_usd")
    share = np.divide(1.0, subtotal, out=np.zeros_like(subtotal), where=subtotal > 0)
    rent = own * np.minimum(read(*PAID_FOR_USE) * share, 1.0)
    prices = read("agreed_usd_per_accelerator_hour") * read("rents")
    factor = np.divide(quoted, prices, out=np.ones_like(prices), where=quoted > 0)
    return HourlyCosts(
        usd=own + rent * (factor - 1),
        rent=rent * factor,
        capital=own * read("hardware_usd") * share,
        rent_price=prices,
        factor=factor,
        job_hours=job_hours,
    )


def _end(portfolio: Portfolio, entry: PlannedEntry) -> float:
    """When a service ends: after its months, or with the horizon."""
    return portfolio.calendar.end_of(entry.start, entry.months) if entry.months else portfolio.calendar.hours
