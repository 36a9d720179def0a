"""The bill in the words of FOCUS, the FinOps Open Cost and Usage Specification 1.2, so that cost tools can load it.

Columns and their meanings: https://learn.microsoft.com/en-us/cloud-computing/finops/focus/metadata, read 2026-11-20.
A plan has no invoice: columns of accounts, invoices and periods are left out; ours begin with `x_`, as FOCUS asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memreport.compute import Computed
from memreport.publish.pricing import COST_PARTS, PriceUse, cost_shares, prices_used
from memreport.publish.view import View, title_of

VERSION = "1.2"
COLUMNS = (
    "ProviderName", "ServiceCategory", "ServiceName", "RegionName", "SkuPriceId", "ChargeCategory", "ChargeFrequency",
    "ChargeDescription", "BillingCurrency", "PricingCurrency", "PricingCategory", "PricingQuantity", "PricingUnit",
    "ListUnitPrice", "ListCost", "ContractedUnitPrice", "ContractedCost", "EffectiveCost", "BilledCost",
    "ConsumedQuantity", "ConsumedUnit", "CommitmentDiscountCategory", "CommitmentDiscountType",
    "CommitmentDiscountStatus", "CapacityReservationStatus", "x_Scenario", "x_Variant", "x_Line", "x_CostShare",
    "x_PriceDate", "x_PriceSource",
)  # fmt: skip
"""The columns of a row, in the order in which they are written; None where a row has nothing to say."""

CURRENCY = "USD"
PRICING_CATEGORIES = {
    "on-demand": "Standard", "spot": "Dynamic", "reserved-1y": "Committed", "reserved-3y": "Committed"
}  # fmt: skip
COMMITMENTS = {"reserved-1y": "Reservation, 1 year", "reserved-3y": "Reservation, 3 years"}
USED, UNUSED = "Used", "Unused"


@dataclass(frozen=True)
class _Kind:
    """How FOCUS sees a line: its category, how often it is charged, what is counted and by which figure."""

    service: str
    category: str = "Usage"
    frequency: str = "Recurring"
    unit: str | None = None
    quantity: str = ""


KINDS: Mapping[str, _Kind] = {
    "rent_usd": _Kind(
        "Compute", frequency="Usage-Based", unit="Accelerator-Hours", quantity="billed_accelerator_hours"
    ),
    "extras_usd": _Kind("Other", frequency="Usage-Based"),
    "hardware_usd": _Kind("Compute"),
    "energy_usd": _Kind("Other", frequency="Usage-Based", unit="kWh", quantity="energy_kwh"),
    "facility_usd": _Kind("Other"),
    "support_usd": _Kind("Other"),
    "staff_usd": _Kind("Other"),
    "storage_usd": _Kind("Storage"),
    "contingency_usd": _Kind("Other", category="Adjustment", frequency="One-Time"),
    "tax_usd": _Kind("Other", category="Tax", frequency="One-Time"),
}
_PRICED = {"rent_usd": "price", "hardware_usd": "purchase_price"}


def focus_rows(computed: Computed, variant: str) -> list[dict[str, Any]]:
    """The lines of one variant's bill as FOCUS rows; none without a cost block.

    `EffectiveCost` adds up to `cost_total_usd`.  What is bought is billed once, in a row of its own, and its
    depreciation is an effective cost only.
    """
    view = View(computed)
    at = [case.name for case in view.variants].index(variant)
    if view.scenario.cost is None:
        return []
    prices = {use.field: use for use in prices_used(view, at)}
    rows = (row for line in COST_PARTS for row in _rows(view, at, line, prices.get(_PRICED.get(line, ""))))
    return [{column: row.get(column) for column in COLUMNS} for row in rows]


def _rows(view: View, at: int, line: str, price: PriceUse | None) -> Iterator[dict[str, Any]]:
    """A line as rows: bought hardware with its purchase, reserved rent in its used and unused parts."""
    if line not in view.lines or not view.value(line, at):
        return
    row = _row(view, at, line) | _of_price(price)
    if line == "rent_usd":
        yield from _rent(view, at, row, price)
    elif line == "hardware_usd":
        yield _purchase(view, at, row)
        yield row | {"BilledCost": 0.0}
    else:
        yield row


def _row(view: View, at: int, line: str) -> dict[str, Any]:
    kind, cost = KINDS[line], view.value(line, at)
    quantity = view.value(kind.quantity, at) if kind.quantity else None
    each = cost / quantity if quantity else None
    return {
        "ServiceCategory": kind.service,
        "ServiceName": title_of(line),
        "ChargeCategory": kind.category,
        "ChargeFrequency": kind.frequency,
        "ChargeDescription": view.meaning(line),
        "BillingCurrency": CURRENCY,
        "PricingCategory": "Standard" if kind.unit else None,
        "PricingQuantity": quantity,
        "PricingUnit": kind.unit,
        "ListUnitPrice": each,
        "ContractedUnitPrice": each,
        **dict.fromkeys(("ListCost", "ContractedCost", "EffectiveCost", "BilledCost"), cost),
        "ConsumedQuantity": quantity,
        "ConsumedUnit": kind.unit,
        "x_Scenario": view.scenario.id,
        "x_Variant": view.resolved.cases[at].name,
        "x_Line": line,
        "x_CostShare": cost_shares(view, at)[line],
    }


def _of_price(price: PriceUse | None) -> dict[str, Any]:
    """What a row of the price book adds."""
    if price is None or price.overridden:
        return {}
    return {
        "ProviderName": price.provider or None,
        "RegionName": price.region or None,
        "SkuPriceId": price.id,
        "PricingCurrency": price.currency,
        "x_PriceDate": price.date,
        "x_PriceSource": str(price.source),
    }


def _purchase(view: View, at: int, row: Mapping[str, Any]) -> dict[str, Any]:
    """The purchase: on an invoice once, whatever part of its life is used here."""
    count, capital = view.value("accelerators", at), view.value("capital_usd", at)
    return {
        **row,
        "ChargeCategory": "Purchase",
        "ChargeFrequency": "One-Time",
        "ChargeDescription": view.meaning("capital_usd"),
        "PricingCategory": "Standard",
        "PricingQuantity": count,
        "PricingUnit": "Accelerators",
        **dict.fromkeys(("ListUnitPrice", "ContractedUnitPrice"), capital / count),
        **dict.fromkeys(("ListCost", "ContractedCost", "BilledCost"), capital),
        "EffectiveCost": 0.0,
        "ConsumedQuantity": None,
        "ConsumedUnit": None,
        "x_Line": "capital_usd",
        "x_CostShare": 0.0,
    }


def _rent(view: View, at: int, row: dict[str, Any], price: PriceUse | None) -> Iterator[dict[str, Any]]:
    """Rent at list and agreed price; reserved hours that nobody uses are a row of their own."""
    term = price.term if price else ""
    committed = term in COMMITMENTS
    whole = {
        **row,
        "ListUnitPrice": view.value("usd_per_accelerator_hour", at),
        "ListCost": view.value("list_rent_usd", at),
        "PricingCategory": PRICING_CATEGORIES.get(term, "Other"),
        "ChargeFrequency": "Recurring" if committed else row["ChargeFrequency"],
        "CommitmentDiscountCategory": "Usage" if committed else None,
        "CommitmentDiscountType": COMMITMENTS.get(term),
    }
    status = "CommitmentDiscountStatus" if committed else "CapacityReservationStatus"
    reserved = committed or view.value("reserved_hours", at) > 0
    used = min(1.0, view.value("accelerators", at) * view.value("wall_hours", at) / row["PricingQuantity"])
    yield _part(whole, used) | ({status: USED} if reserved else {})
    if used < 1:
        yield _part(whole, 1 - used) | {status: UNUSED, "ConsumedQuantity": None, "ConsumedUnit": None}


_AMOUNTS = (
    "PricingQuantity", "ListCost", "ContractedCost", "EffectiveCost", "BilledCost", "ConsumedQuantity", "x_CostShare"
)  # fmt: skip


def _part(row: Mapping[str, Any], share: float) -> dict[str, Any]:
    """A share of a row: quantities and amounts, not prices."""
    return {**row, **{name: row[name] * share for name in _AMOUNTS}}
