"""A portfolio planned: jobs, GPUs in use, spend, ranges, budgets, commitments."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memreport.catalogue.fields.validation import unknown_name
from memreport.catalogue.load import catalogue_for
from memreport.catalogue.quotes.reading import quotes_beside
from memreport.compute import Computed, Table, here
from memreport.errors import Fault, InputError
from memreport.frozen import frozen
from memreport.paths import down_to
from memreport.portfolio.commitment import Commitment, commitment
from memreport.portfolio.jobs import PlannedJobs, computed_scenarios, planned_jobs
from memreport.portfolio.load import LoadCurve, TypeUse, curve_of, edges_of, spans_of, uses_of
from memreport.portfolio.quotes import QuotedPortfolio, quoted_portfolio
from memreport.portfolio.read import Portfolio, read_portfolio
from memreport.portfolio.spend import BudgetUse, Spend, SpendRange, SpendRisk, budgets_of, range_of, risks_of, spend_of

LIKELY = 0.5
"""Entries that are at least so probable make the likely load."""
THERE = ("owned", "reserved")
"""GPUs that are paid for whatever is committed to."""
Flags = NDArray[np.bool_]


@frozen
class Planned:
    """All that is computed of a portfolio."""

    portfolio: Portfolio
    jobs: PlannedJobs
    uses: tuple[TypeUse, ...]
    spend: Spend
    range: SpendRange
    risks: tuple[SpendRisk, ...]
    budgets: tuple[BudgetUse, ...]
    commitments: tuple[Commitment, ...]
    quotes: tuple[QuotedPortfolio, ...] = ()


def plan(path: Path, table: Table = here) -> Planned:
    """The portfolio of a file, planned.  Raises InputError with every fault."""
    portfolio = with_quotes(read_portfolio(path))
    return planned(portfolio, computed_scenarios(portfolio, table))


def planned(portfolio: Portfolio, scenarios: Mapping[Path, Computed]) -> Planned:
    """A portfolio, planned with its scenarios by their files.  Raises InputError with every fault."""
    jobs = planned_jobs(portfolio, scenarios)
    uses = uses_of(portfolio, jobs)
    spend = spend_of(portfolio, jobs, uses)
    return Planned(
        portfolio,
        jobs,
        uses,
        spend,
        range_of(spend),
        risks_of(spend),
        budgets_of(spend),
        tuple(_commitments(portfolio, jobs)),
        quoted_portfolio(spend),
    )


def with_quotes(portfolio: Portfolio) -> Portfolio:
    """The portfolio with the quotes beside it.  Raises InputError for unknown GPUs and for every fault of a quote."""
    folders = down_to(portfolio.path.parent)
    catalogue = catalogue_for(folders)
    known = catalogue.tables["accelerators"].ids
    faults = list(_unknown_types(portfolio, known))
    found = quotes_beside(folders, known, catalogue.usd_by_currency, faults)
    if faults:
        raise InputError(faults)
    return replace(portfolio, quotes=found)


def _unknown_types(portfolio: Portfolio, known: Collection[object]) -> Iterator[Fault]:
    for part in ("owned", "reserved", "commitments"):
        for index, row in enumerate(getattr(portfolio.given, part)):
            if row.accelerator not in known:
                yield unknown_name(
                    portfolio.document, (part, index, "accelerator"), row.accelerator, known, "accelerator"
                )


def _commitments(portfolio: Portfolio, jobs: PlannedJobs) -> Iterator[Commitment]:
    """Each offer against what is rented otherwise: of what is certain, what is likely, and all of it."""
    for offer in portfolio.given.commitments:
        months = min(offer.term_months, portfolio.calendar.count)
        hours = float(portfolio.calendar.edges[months])
        renting = _renting(portfolio, jobs, offer.accelerator)
        low, likely, high = (
            _load(portfolio, jobs, offer.accelerator, renting & (jobs.probability >= least)).until(hours)
            for least in (1.0, LIKELY, 0.0)
        )
        on_demand = min(portfolio.usd(offer.on_demand), _own_rate(jobs, renting & (jobs.probability >= LIKELY), hours))
        yield commitment(offer.accelerator, months, portfolio.usd(offer.committed), on_demand, (low, likely, high))


def _renting(portfolio: Portfolio, jobs: PlannedJobs, name: str) -> Flags:
    """Which entries rent the GPU; those of a contract with a term, or that buy theirs, pay for it in any case."""
    fixed = {quote.given.id for quote in portfolio.quotes if quote.given.term_months}
    of = np.array([gpu == name for gpu in jobs.named.accelerators], dtype=bool)
    signed = np.array([quote in fixed for quote in jobs.named.quotes], dtype=bool)
    return np.asarray(of & ~signed & (jobs.hourly.rent_price > 0))


def _own_rate(jobs: PlannedJobs, chosen: Flags, hours: float) -> float:
    """USD that these entries pay for a GPU and hour until then, in the mean; no limit where none rents."""
    used = np.maximum(np.minimum(jobs.stop, hours) - np.maximum(jobs.start, 0.0), 0.0) * jobs.gpus * chosen
    paid = jobs.hourly.rent_price * jobs.hourly.factor * used
    return float(paid.sum() / used.sum()) if used.any() else math.inf


def _load(portfolio: Portfolio, jobs: PlannedJobs, name: str, chosen: Flags) -> LoadCurve:
    """GPUs that these entries rent at once, beyond those that are owned or reserved already."""
    there = np.concatenate([spans_of(portfolio, part, name) for part in THERE])
    edges = edges_of(portfolio.calendar, jobs.start[chosen], jobs.stop[chosen], there[:, 0], there[:, 1])
    load = curve_of(edges, jobs.start[chosen], jobs.stop[chosen], jobs.gpus[chosen])
    return LoadCurve(edges, np.maximum(load.level - curve_of(edges, *there.T).level, 0.0))
