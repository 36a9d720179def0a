"""A portfolio's spend as rows of FOCUS, month by month, so that cost tools can load the plan beside the bills.

Owned and reserved GPUs have rows of what is invoiced, whose effective cost is nothing, and rows of what each entry
bears of them, whose billed cost is nothing; what nobody uses is a row of its own.  Billed and effective costs add up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memreport.frozen import frozen
from memreport.portfolio.calendar import month_after
from memreport.portfolio.fields import IDLE
from memreport.portfolio.plan import Planned
from memreport.report.money.focus import HOURS, OWN, UNUSED, USED

FOCUS_COLUMNS = (
    "ChargePeriodStart", "ChargePeriodEnd", "ChargeDescription", "ChargeCategory", "ServiceName", "ServiceCategory",
    "ProviderName", "PricingQuantity", "PricingUnit", "EffectiveCost", "BilledCost", "BillingCurrency",
    "CapacityReservationStatus", "x_Entry", "x_Scenario", "x_Variant", "x_Owner", "x_CostCentre", "x_Accelerator",
    "x_Probability",
)  # fmt: skip
"""Columns of FOCUS 1.2 that a plan can fill, and our own; see `report.money.focus` for the specification."""
CENT = 0.005
COMPUTE, OTHER = "Compute", "Other"
RENTED, OTHER_COSTS, RESERVED, RUNNING = "Rented GPUs", "Other costs of the job", "Reserved GPUs", "Running owned GPUs"
BOUGHT = "Purchase of GPUs"
USAGE, PURCHASE = "Usage", "Purchase"


@frozen
class _Month:
    """A month of a planned portfolio."""

    planned: Planned
    place: int

    def row(self, service: str, **more: Any) -> dict[str, Any]:
        """A row with what all have; amounts are USD, and become the portfolio's currency."""
        portfolio = self.planned.portfolio
        month, currency = portfolio.calendar.months[self.place], portfolio.given.currency
        plain = {
            "ChargePeriodStart": f"{month}-01",
            "ChargePeriodEnd": f"{month_after(month)}-01",
            "ChargeDescription": service,
            "ChargeCategory": USAGE,
            "ServiceName": service,
            "ServiceCategory": COMPUTE,
            "ProviderName": OWN,
            "BillingCurrency": currency,
        }
        amounts = {name: float(more.pop(name, 0.0)) / portfolio.rates[currency] for name in AMOUNTS}
        return {name: (plain | more | amounts).get(name) for name in FOCUS_COLUMNS}


AMOUNTS = ("EffectiveCost", "BilledCost")


def portfolio_focus(planned: Planned) -> list[dict[str, Any]]:
    """Every row that is not nothing, by month, entries first."""
    rows = (row for rows in rows_by_month(planned) for row in rows)
    return [row for row in rows if any(abs(row[name]) >= CENT for name in AMOUNTS)]


def rows_by_month(planned: Planned) -> Iterator[Iterator[dict[str, Any]]]:
    """Every row that a month could have, whatever it costs."""
    return (_month(_Month(planned, index)) for index in range(planned.portfolio.calendar.count))


def _month(month: _Month) -> Iterator[dict[str, Any]]:
    for entry in range(len(month.planned.jobs.named.scenarios)):
        yield from _entry(month, entry)
    for accelerator in month.planned.spend.capacity:
        yield from _capacity(month, accelerator)


def _entry(month: _Month, entry: int) -> Iterator[dict[str, Any]]:
    """What a job costs beside GPUs that are there: rent, then the rest; then what it bears of those."""
    spend, jobs = month.planned.spend, month.planned.jobs
    rent, net, borne = (float(part[entry, month.place]) for part in (spend.rent, spend.net, spend.capacity_share))
    words = {
        "x_Entry": entry,
        "x_Scenario": jobs.named.scenarios[entry],
        "x_Variant": jobs.named.variants[entry],
        "x_Owner": jobs.named.owners[entry],
        "x_CostCentre": jobs.named.cost_centres[entry],
        "x_Accelerator": jobs.named.accelerators[entry],
        "x_Probability": float(jobs.probability[entry]),
    }
    own = sum(float(use.covered[entry][month.place]) for use in spend.uses if entry in use.covered)
    rented = float(spend.hours[entry, month.place] * jobs.gpus[entry]) - own
    counted = {"PricingQuantity": rented, "PricingUnit": HOURS}
    yield month.row(RENTED, EffectiveCost=rent, BilledCost=rent, **counted, **words)
    yield month.row(OTHER_COSTS, EffectiveCost=net - rent, BilledCost=net - rent,
                    ServiceCategory=OTHER, **words)  # fmt: skip
    yield month.row("Use of owned and reserved GPUs", EffectiveCost=borne, CapacityReservationStatus=USED, **words)


def _capacity(month: _Month, accelerator: str) -> Iterator[dict[str, Any]]:
    """What is invoiced for GPUs that are there, and what of them nobody uses."""
    spend = month.planned.spend
    cost = spend.capacity[accelerator]
    own = {"x_Accelerator": accelerator}
    yield month.row(RESERVED, BilledCost=cost.reserved[month.place], **own)
    yield month.row(RUNNING, BilledCost=cost.running[month.place], **own)
    yield month.row(BOUGHT, BilledCost=cost.purchases[month.place], ChargeCategory=PURCHASE, **own)
    members = [index for index, name in enumerate(month.planned.jobs.named.accelerators) if name == accelerator]
    idle = float(cost.effective[month.place] - spend.capacity_share[members, month.place].sum())
    yield month.row(IDLE, EffectiveCost=idle, CapacityReservationStatus=UNUSED, x_Owner=IDLE, **own)
