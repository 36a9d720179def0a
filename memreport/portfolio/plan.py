"""A portfolio planned: jobs, GPUs in use, spend, ranges, budgets, commitments."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

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
    """Each offer against the load that owned GPUs leave: of what is certain, what is likely, and all of it."""
    for offer in portfolio.given.commitments:
        months = min(offer.term_months, portfolio.calendar.count)
        hours = float(portfolio.calendar.edges[months])
        low, likely, high = (
            _load(portfolio, jobs, offer.accelerator, least).until(hours) for least in (1.0, LIKELY, 0.0)
        )
        prices = portfolio.usd(offer.committed), portfolio.usd(offer.on_demand)
        yield commitment(offer.accelerator, months, *prices, (low, likely, high))


def _load(portfolio: Portfolio, jobs: PlannedJobs, name: str, least: float) -> LoadCurve:
    chosen = np.array([index for index, of in enumerate(jobs.named.accelerators) if of == name], dtype=int)
    chosen = chosen[jobs.probability[chosen] >= least]
    owned = spans_of(portfolio, "owned", name)
    edges = edges_of(portfolio.calendar, jobs.start[chosen], jobs.stop[chosen], owned[:, 0], owned[:, 1])
    load = curve_of(edges, jobs.start[chosen], jobs.stop[chosen], jobs.gpus[chosen])
    return LoadCurve(edges, np.maximum(load.level - curve_of(edges, *owned.T).level, 0.0))
