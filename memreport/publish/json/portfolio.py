"""A portfolio as plain data: USD and hours in full precision."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from memreport.portfolio.commitment import Commitment
from memreport.portfolio.plan import Planned
from memreport.portfolio.quotes import QuotedPortfolio
from memreport.report.records.portfolio import PortfolioReport

SCHEMA = 1
HOURS = ("there", "used", "short", "idle", "reserved_idle", "peak_short")


def portfolio_data(planned: Planned, report: PortfolioReport) -> dict[str, Any]:
    """Everything that is computed; rows by month are lists in the order of `months`."""
    given = planned.portfolio.given
    return {
        "schema": SCHEMA,
        "portfolio": given.id,
        "title": given.title,
        "said": list(report.said.answer),
        "currency": given.currency,
        "usd_per_unit": planned.portfolio.rates[given.currency],
        "months": list(planned.portfolio.calendar.months),
        **_monthly(planned),
        "range_usd": asdict(planned.range),
        "entries": _entries(planned),
        "gpu_hours": {use.accelerator: {name: getattr(use, name).tolist() for name in HOURS} for use in planned.uses},
        "budgets_usd": [{**asdict(budget), "over": budget.over} for budget in planned.budgets],
        "commitments": [_commitment(commitment) for commitment in planned.commitments],
        "risks_usd": [asdict(risk) for risk in planned.risks],
        "quotes_usd": [_quote(quote) for quote in planned.quotes],
    }


def _monthly(planned: Planned) -> dict[str, Any]:
    """What is spent by month: in all, of each part, and by who bears it."""
    spend, named = planned.spend, planned.jobs.named
    return {
        "effective_usd": spend.effective.tolist(),
        "billed_usd": spend.billed.tolist(),
        "parts_usd": {name: row.tolist() for name, row in spend.parts.items()},
        "owners_usd": {name: row.tolist() for name, row in spend.by(named.owners).items()},
        "cost_centres_usd": {name: row.tolist() for name, row in spend.by(named.cost_centres).items()},
    }


def _entries(planned: Planned) -> list[dict[str, Any]]:
    jobs, spend = planned.jobs, planned.spend
    columns = {
        "scenario": jobs.named.scenarios,
        "variant": jobs.named.variants,
        "owner": jobs.named.owners,
        "cost_centre": jobs.named.cost_centres,
        "accelerator": jobs.named.accelerators,
        "fits": jobs.named.fits,
        "start_hour": jobs.start.tolist(),
        "stop_hour": jobs.stop.tolist(),
        "gpus": jobs.gpus.tolist(),
        "usd_per_hour": jobs.hourly.usd.tolist(),
        "probability": jobs.probability.tolist(),
        "usd": spend.borne.sum(axis=1).tolist(),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _quote(quoted: QuotedPortfolio) -> dict[str, Any]:
    given = quoted.quote.given
    return {
        "id": given.id,
        "vendor": given.vendor,
        "accelerator": given.accelerator,
        "hourly": quoted.hourly,
        "planned": quoted.planned,
        "total": quoted.total,
        "more": quoted.more,
        "unused_gpu_hours": quoted.unused,
        "valid_until": given.valid_until,
        "is_expired": quoted.is_expired,
        "not_included": list(quoted.quote.lacking),
    }


def _commitment(commitment: Commitment) -> dict[str, Any]:
    arrays = {name: np.asarray(getattr(commitment, name)).tolist() for name in ("shares", "costs")}
    return {**asdict(commitment), **arrays, "break_even": commitment.break_even}
